import { AppError, defineErrors, invalidFields } from "../../kernel/errors.ts";

export const organizationErrors = {
  /** The name has no Latin letters or digits: a transliteration would be a guess. */
  alias_needed: () =>
    invalidFields([{ field: "alias", code: "required", message: "alias is required, because it cannot be derived from this name" }]),
  ...defineErrors("organizations", {
    not_found: [404, "No such organization in this realm"],
    name_taken: [409, "Another organization in this realm already has that name"],
    alias_taken: [409, "Another organization in this realm already has that alias: send another `alias`"],
    managed_elsewhere: [409, "The account is managed by another organization: set its membership there to `managed: false` first"],
    not_a_member: [404, "This user is not a member of the organization"],
    already_member: [409, "The user with this email address is already a member"],
    disabled: [409, "The organization is disabled: enable it before you invite users"],
    domain_not_found: [404, "No such domain of this organization"],
    dns_unavailable: [503, "The DNS query for this domain failed: try again in a moment"],
    invitation_not_found: [404, "No such invitation"],
    invitation_expired: [410, "The invitation has expired"],
    invitation_used: [410, "The invitation has already been used"],
  }),
  unknown_provider: (alias: string) =>
    invalidFields([
      {
        field: "identityProvider",
        code: "unknown_identity_provider",
        message: `identityProvider: there is no identity provider “${alias}” in this realm`,
      },
    ]),
  domain_unproven: ({ recordName, recordValue }: { recordName: string; recordValue: string }) =>
    new AppError(
      "organizations.domain_unproven",
      409,
      `There is no TXT record ${recordName} with the value ${recordValue}: publish it, wait until the DNS shows it, and try again`,
    ),
  domains_taken: (domains: readonly string[]) =>
    new AppError(
      "organizations.domain_taken",
      409,
      domains.length === 1
        ? `The domain ${domains[0]} belongs to another organization in this realm`
        : `These domains belong to other organizations in this realm: ${domains.join(", ")}`,
    ),
};
