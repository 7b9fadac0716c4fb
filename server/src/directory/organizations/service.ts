import { invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { mapPage } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { checkBranding } from "../../tenancy/settings/index.ts";
import { type Domain, normalDomain, normalDomains } from "./domains.ts";
import { organizationErrors } from "./errors.ts";
import { existingProviders } from "./providers.store.ts";
import type { CreateOrganization, Organization, OrganizationBranding, UpdateOrganization } from "./schema.ts";
import {
  deleteOrganization,
  findOrganization,
  insertOrganization,
  listOrganizations,
  lockOrganization,
  type OrganizationFields,
  type OrganizationRow,
  replaceDomains,
  updateOrganization,
} from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** An organization is about to be deleted. Listeners delete the references to it. */
    "organization.deleting": { readonly organizationId: string; readonly alias: string };
  }
}

export interface VersionedOrganization extends Organization {
  readonly version: number;
}

export async function searchOrganizations(ctx: ReadCtx, query: ListQuery): Promise<Page<VersionedOrganization>> {
  return mapPage(await listOrganizations(ctx.tx, ctx.realm, query), shown);
}

export async function readOrganization(ctx: ReadCtx, organizationId: string): Promise<VersionedOrganization> {
  const organization = isId(organizationId) ? await findOrganization(ctx.tx, ctx.realm, organizationId) : null;
  if (!organization) throw organizationErrors.not_found();
  return shown(organization);
}

export async function takeOrganization(ctx: Ctx, organizationId: string): Promise<OrganizationRow> {
  const organization = isId(organizationId) ? await lockOrganization(ctx.tx, ctx.realm, organizationId) : null;
  if (!organization) throw organizationErrors.not_found();
  return organization;
}

export async function createOrganization(ctx: Ctx, input: CreateOrganization): Promise<VersionedOrganization> {
  const domains = normalDomains(input.domains ?? []);
  const fields = { ...fieldsOf(input), enabled: input.enabled ?? true, alias: input.alias ?? aliasOf(input.name) };
  assertMayVerify(ctx, domains, []);
  await assertMayName(ctx, fields.identityProvider, null);
  const organizationId = await insertOrganization(ctx.tx, ctx.realm, fields, ctx.now);
  await replaceDomains(ctx.tx, ctx.realm, organizationId, domains);
  if (fields.identityProvider !== null) await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "organizations", resourceId: organizationId });
  return readOrganization(ctx, organizationId);
}

/** Replaces an organization's state. */
export async function saveOrganization(ctx: Ctx, id: string, input: UpdateOrganization): Promise<VersionedOrganization> {
  const domains = normalDomains(input.domains ?? []);
  const fields = fieldsOf(input);
  const current = await takeOrganization(ctx, id);
  const { organizationId } = current;
  refuseReadOnly(current, input, ["realmId", "organizationId", "alias", "createdAt"]);
  expectVersion(ctx, current.version);
  refuseOtherVerification(current.domains, input.domains ?? []);
  assertMayVerify(ctx, domains, current.domains);
  await assertMayName(ctx, fields.identityProvider, current.identityProvider);
  await updateOrganization(ctx.tx, ctx.realm, organizationId, { ...fields, enabled: input.enabled });
  await replaceDomains(ctx.tx, ctx.realm, organizationId, domains);
  // Sign-ins read from the realm's snapshot which providers belong to organizations.
  if (fields.identityProvider !== null || current.identityProvider !== null) await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "organizations", resourceId: organizationId });
  return readOrganization(ctx, organizationId);
}

/** Deletes an organization with its memberships, domains, invitations and the groups of its SCIM tokens. Its members stay users of the realm. */
export async function removeOrganization(ctx: Ctx, id: string): Promise<void> {
  const { organizationId, alias, version, identityProvider } = await takeOrganization(ctx, id);
  expectVersion(ctx, version);
  await ctx.emit("organization.deleting", { organizationId, alias });
  await deleteOrganization(ctx.tx, ctx.realm, organizationId);
  if (identityProvider !== null) await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "organizations", resourceId: organizationId });
}

/**
 * People with an address in a verified domain are sent to the organization's provider. So DNS must prove that the domain is the organization's, or a
 * holder of `realm-admin` must say so.
 */
function assertMayVerify(ctx: Ctx, domains: readonly Domain[], before: readonly Domain[]): void {
  const verified = new Set(before.filter((each) => each.verified).map(({ domain }) => domain));
  if (domains.some((each) => each.verified && !verified.has(each.domain))) assertHolds(ctx.actor, ["realm-admin"]);
}

/** Requires that an administrator who routes users to a provider may also manage providers. */
async function assertMayName(ctx: Ctx, alias: string | null, before: string | null): Promise<void> {
  if (alias === before) return;
  assertHolds(ctx.actor, ["manage-identity-providers"]);
  if (alias !== null && (await existingProviders(ctx.tx, ctx.realm, [alias])).length === 0)
    throw organizationErrors.unknown_provider(alias);
}

/** Refuses changes of a domain's verification, which is read-only. For a new domain, the given state comes from another record and is ignored. */
function refuseOtherVerification(stored: Organization["domains"], given: NonNullable<UpdateOrganization["domains"]>): void {
  const known = new Map(stored.map(({ domain, verification }) => [domain, verification]));
  const wrong = given.flatMap(({ domain, verification = {} }, index) => {
    const shown = known.get(normalDomain(domain) ?? "");
    return Object.entries(verification)
      .filter(([member, value]) => shown !== undefined && shown[member as keyof typeof shown] !== value)
      .map(([member]) => `domains.${index}.verification.${member}`);
  });
  if (wrong.length > 0) throw invalidFields(wrong.map((field) => ({ field, code: "read_only", message: `${field} cannot be changed` })));
}

function fieldsOf(input: CreateOrganization | UpdateOrganization): Omit<OrganizationFields, "enabled"> {
  const branding = filledBranding(input.branding ?? {});
  checkBranding(branding, "branding.");
  return {
    name: input.name,
    displayName: input.displayName ?? null,
    attributes: input.attributes ?? {},
    // Only members that were set are stored, so that a later member needs no change of old rows.
    branding: Object.fromEntries(Object.entries(branding).filter(([, value]) => value !== null)),
    identityProvider: input.identityProvider ?? null,
  };
}

/** Makes an alias from a name: “Bücher & Co.” becomes `bucher-co`. Throws if no letter or digit is left. */
function aliasOf(name: string): string {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const alias = letters
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-|-$/g, "");
  if (alias === "") throw organizationErrors.alias_needed();
  return alias;
}

const noBranding: OrganizationBranding = {
  displayName: null,
  logoUrl: null,
  primaryColor: null,
  backgroundColor: null,
  welcomeText: null,
  customCss: null,
};
const filledBranding = (branding: Partial<OrganizationBranding>): OrganizationBranding => ({ ...noBranding, ...branding });
const shown = (row: OrganizationRow): VersionedOrganization => ({ ...row, branding: filledBranding(row.branding) });
