import { AppError, defineErrors } from "../../kernel/errors.ts";

export const providerErrors = {
  ...defineErrors("identity_providers", {
    not_found: [404, "No such identity provider in this realm"],
    alias_taken: [409, "Another identity provider in this realm already has that alias"],
    mapper_not_found: [404, "No such mapper of this identity provider"],
    mapper_name_taken: [409, "Another mapper of this identity provider already has that name"],
    changed: [400, "The identity provider was changed or disabled in the meantime: sign in again"],
    subject_linked: [409, "That account at the identity provider is already linked to another user"],
    already_linked: [409, "This user is already linked to another account at that identity provider: remove that link first"],
    last_way_in: [409, "This is the last way to sign in: set a password, or link another account, before you remove it"],
    no_links: [409, "Accounts of this identity provider are not linked to users of this realm"],
    kept_by_directory: [409, "Your account comes from this directory: only an administrator can unlink it"],
    no_tokens: [404, "There are no stored tokens of this identity provider for this user"],
    token_gone: [409, "The token of the identity provider has expired and cannot be refreshed: sign in with that provider again"],
    token_unavailable: [503, "The identity provider did not refresh the token: try again in a moment"],
    link_not_found: [404, "This user is not linked to that identity provider"],
  }),
  domain_unverified: (domains: readonly string[]) =>
    new AppError(
      "identity_providers.domain_unverified",
      403,
      `config.domains: no organization of this realm has verified ${domains.join(", ")}. Verify it as a domain of an organization, or have a holder of realm-admin save this`,
    ),
  attribute_identifies: (attribute: string, by: string) =>
    new AppError(
      "identity_providers.attribute_identifies",
      403,
      `The attribute ${attribute} is used by ${by}: only a holder of manage-users decides which provider may write it`,
    ),
  entity_unsaid: (entityId: string) =>
    new AppError(
      "identity_providers.subject_in_use",
      409,
      `Users are linked to accounts of ${entityId}: send it as config.idpEntityId, so that metadata of another provider is refused`,
    ),
  subject_in_use: (members: readonly string[]) =>
    new AppError(
      "identity_providers.subject_in_use",
      409,
      `Users are linked by this provider, and another ${members.map((member) => `config.${member}`).join(" or ")} would mistake one person for another: create a provider with another alias instead`,
    ),
};
