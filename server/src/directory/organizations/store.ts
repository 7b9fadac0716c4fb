import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { isId, newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import {
  type Db,
  deleteRows,
  findRow,
  insertRow,
  nextVersion,
  startsWith,
  type Tx,
  translating,
  updateRows,
} from "../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import { type Domain, type DomainRow, normalDomain, shownDomain } from "./domains.ts";
import { organizationErrors } from "./errors.ts";
import { existingProviders } from "./providers.store.ts";
import type { Organization, OrganizationBranding } from "./schema.ts";

interface OrganizationsTable {
  realm_id: string;
  organization_id: string;
  name: string;
  name_key: string;
  alias: string;
  display_name: string | null;
  display_name_key: string | null;
  attributes: ColumnType<Organization["attributes"], string, string>;
  branding: ColumnType<Partial<OrganizationBranding>, string, string>;
  identity_provider: string | null;
  enabled: boolean;
  created_at: number;
  version: Generated<number>;
}

interface OrganizationDomainsTable {
  realm_id: string;
  domain: string;
  organization_id: string;
  verified: boolean;
  token: Generated<string>;
  verified_by: string | null;
  missing_since: number | null;
  check_at: number | null;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    organizations: OrganizationsTable;
    organization_domains: OrganizationDomainsTable;
  }
}

/** The stored record. Members that the branding lacks were never set. */
export interface OrganizationRow extends Omit<Organization, "branding"> {
  readonly branding: Partial<OrganizationBranding>;
  readonly version: number;
}

const columns = [
  "realm_id",
  "organization_id",
  "name",
  "alias",
  "display_name",
  "attributes",
  "branding",
  "identity_provider",
  "enabled",
  "created_at",
  "version",
] as const;
type Columns = Pick<Selectable<OrganizationsTable>, (typeof columns)[number]>;

const order = listOrder("name", { name: "name_key", alias: "alias", createdAt: "created_at" }, "organization_id");

export async function listOrganizations(db: Db, realm: string, query: ListQuery): Promise<Page<OrganizationRow>> {
  const { search = "" } = query;
  const all = db.selectFrom("organizations").select(columns).where("realm_id", "=", realm);
  const found = search === "" ? all : all.where("organization_id", "in", matches(realm, search));
  const page = await pageOf(db, found, order, query);
  return { ...page, rows: await complete(db, realm, page.rows) };
}

/** Finds organizations by the beginning of a name, alias, display name or domain. Each part reads its own index; one `or` over all could use none. */
function matches(realm: string, search: string) {
  const key = loginKey(search);
  // This also finds a domain as people write it, or its beginning.
  const domain = normalDomain(search) ?? key;
  return sql<string>`(
    select o.organization_id from organizations o where o.realm_id = ${realm} and ${startsWith("o.name_key", key)}
    union select o.organization_id from organizations o where o.realm_id = ${realm} and ${startsWith("o.alias", key)}
    union select o.organization_id from organizations o where o.realm_id = ${realm} and ${startsWith("o.display_name_key", key)}
    union select d.organization_id from organization_domains d where d.realm_id = ${realm} and ${startsWith("d.domain", domain)}
    ${isId(search) ? sql`union select ${search}::uuid` : sql``})`;
}

export async function findOrganization(db: Db, realm: string, organizationId: string): Promise<OrganizationRow | null> {
  const rows = await byId(db, realm, organizationId).execute();
  return (await complete(db, realm, rows))[0] ?? null;
}

/** Locks an organization until commit, which serialises changes. New members only reference it and need not wait. */
export async function lockOrganization(tx: Tx, realm: string, organizationId: string): Promise<OrganizationRow | null> {
  const rows = await byId(tx, realm, organizationId).forNoKeyUpdate().execute();
  return (await complete(tx, realm, rows))[0] ?? null;
}

export interface HeldOrganization {
  readonly organizationId: string;
  /** The name to show to people. */
  readonly label: string;
  readonly alias: string;
  readonly enabled: boolean;
  readonly version: number;
}

/** Finds an organization, and keeps it from being deleted or changed until commit. */
export async function shareOrganization(tx: Tx, realm: string, organizationId: string): Promise<HeldOrganization | null> {
  const row = await findRow(
    tx,
    "organizations",
    ["organization_id", "name", "display_name", "alias", "enabled", "version"],
    { realm_id: realm, organization_id: organizationId },
    "share",
  );
  if (!row) return null;
  const { organization_id, name, display_name, alias, enabled, version } = row;
  return { organizationId: organization_id, label: display_name ?? name, alias, enabled, version };
}

const byId = (db: Db, realm: string, organizationId: string) =>
  db.selectFrom("organizations").select(columns).where("realm_id", "=", realm).where("organization_id", "=", organizationId);

export interface OrganizationFields {
  readonly name: string;
  readonly displayName: string | null;
  readonly attributes: Organization["attributes"];
  readonly branding: Partial<OrganizationBranding>;
  readonly identityProvider: string | null;
  readonly enabled: boolean;
}

const columnsOf = (fields: OrganizationFields) => ({
  name: fields.name,
  name_key: loginKey(fields.name),
  display_name: fields.displayName,
  display_name_key: fields.displayName === null ? null : loginKey(fields.displayName),
  attributes: JSON.stringify(fields.attributes),
  branding: JSON.stringify(fields.branding),
  identity_provider: fields.identityProvider,
  enabled: fields.enabled,
});

const taken = { organizations_name_taken: organizationErrors.name_taken, organizations_alias_taken: organizationErrors.alias_taken };

export async function insertOrganization(
  tx: Tx,
  realm: string,
  fields: OrganizationFields & { readonly alias: string },
  now: number,
): Promise<string> {
  const organizationId = newId();
  const row = { realm_id: realm, organization_id: organizationId, alias: fields.alias, ...columnsOf(fields), created_at: now };
  await translating(taken, insertRow(tx, "organizations", row));
  return organizationId;
}

export async function updateOrganization(tx: Tx, realm: string, organizationId: string, fields: OrganizationFields): Promise<void> {
  const key = { realm_id: realm, organization_id: organizationId };
  await translating(taken, updateRows(tx, "organizations", key, { ...columnsOf(fields), version: nextVersion }));
}

/** Deletes an organization with its domains, memberships and invitations. */
export async function deleteOrganization(tx: Tx, realm: string, organizationId: string): Promise<void> {
  await deleteRows(tx, "organizations", { realm_id: realm, organization_id: organizationId });
}

/** Replaces the domains of an organization; the given ones are sorted. The primary key is the check: the error names domains of other organizations. */
export async function replaceDomains(tx: Tx, realm: string, organizationId: string, domains: readonly Domain[]): Promise<void> {
  const names = domains.map(({ domain }) => domain);
  await sql`delete from organization_domains
    where realm_id = ${realm} and organization_id = ${organizationId} and domain <> all(${names}::text[])`.execute(tx);
  if (names.length === 0) return;
  // A concurrent claim of the same domain waits for this one. A row of another organization is left as it is.
  const { rows } = await sql<{ domain: string }>`
    insert into organization_domains as d (realm_id, domain, organization_id, verified, verified_by)
    select ${realm}, given.domain, ${organizationId}::uuid, given.verified, case when given.verified then 'admin' end
      from unnest(${names}::text[], ${domains.map(({ verified }) => verified)}::boolean[]) as given (domain, verified) order by given.domain
    on conflict (realm_id, domain) do update set verified = excluded.verified,
      -- What is verified already stays so by the same means.
      verified_by = case when d.verified and excluded.verified then coalesce(d.verified_by, 'admin') else excluded.verified_by end,
      check_at = case when d.verified and excluded.verified then d.check_at end,
      missing_since = case when d.verified and excluded.verified then d.missing_since end
      where d.organization_id = excluded.organization_id
    returning domain`.execute(tx);
  const kept = new Set(rows.map(({ domain }) => domain));
  const others = names.filter((domain) => !kept.has(domain));
  if (others.length > 0) throw organizationErrors.domains_taken(others);
}

/** Adds the domains and the number of members, with one query each for a whole page. */
async function complete(db: Db, realm: string, rows: readonly Columns[]): Promise<OrganizationRow[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ organization_id }) => organization_id);
  const { rows: domains } = await sql<DomainRow>`
    select organization_id, domain, verified, verified_by, token, missing_since from organization_domains
    where realm_id = ${realm} and organization_id = any(${ids}::uuid[]) order by domain`.execute(db);
  const { rows: counts } = await sql<{ organization_id: string; members: number }>`
    select organization_id, sum(members)::bigint as members from organization_member_counts
    where realm_id = ${realm} and organization_id = any(${ids}::uuid[]) group by organization_id`.execute(db);
  const domainsOf = new Map<string, Organization["domains"]>(ids.map((id) => [id, []]));
  for (const row of domains) domainsOf.get(row.organization_id)?.push(shownDomain(row));
  const known = await knownProviders(db, realm, rows);
  const countOf = new Map(counts.map(({ organization_id, members }) => [organization_id, members]));
  return rows.map((row) => ({
    realmId: row.realm_id,
    organizationId: row.organization_id,
    name: row.name,
    alias: row.alias,
    displayName: row.display_name,
    domains: domainsOf.get(row.organization_id) ?? [],
    attributes: row.attributes,
    branding: row.branding,
    identityProvider: row.identity_provider !== null && known.has(row.identity_provider) ? row.identity_provider : null,
    enabled: row.enabled,
    memberCount: countOf.get(row.organization_id) ?? 0,
    createdAt: row.created_at,
    version: row.version,
  }));
}

/** Returns the existing providers that these organizations name. An alias without a provider counts as none. */
async function knownProviders(db: Db, realm: string, rows: readonly Columns[]): Promise<Set<string>> {
  const named = rows.flatMap(({ identity_provider }) => identity_provider ?? []);
  return named.length === 0 ? new Set() : new Set(await existingProviders(db, realm, named));
}

/** Returns the aliases of those ids that are organizations of the realm. */
export async function aliasesOfOrganizations(db: Db, realm: string, ids: readonly string[]): Promise<Map<string, string>> {
  const wellFormed = ids.filter(isId);
  if (wellFormed.length === 0) return new Map();
  const rows = await db
    .selectFrom("organizations")
    .select(["organization_id", "alias"])
    .where("realm_id", "=", realm)
    .where("organization_id", "in", wellFormed)
    .execute();
  return new Map(rows.map(({ organization_id, alias }) => [organization_id, alias]));
}
