import { sql } from "kysely";
import { DAY, HOUR } from "../../kernel/clock.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { DomainRow } from "./domains.ts";

/** A record that was found is looked up again after a day, one that is missing or could not be looked up after an hour. */
export const RECHECK = DAY;
export const RETRY = HOUR;
/** A domain whose record is missing for this long is no longer verified. */
export const GRACE = 7 * DAY;

export async function findDomain(db: Db, realm: string, organizationId: string, domain: string): Promise<DomainRow | null> {
  const { rows } = await sql<DomainRow>`
    select organization_id, domain, verified, verified_by, token, missing_since from organization_domains
    where realm_id = ${realm} and organization_id = ${organizationId}::uuid and domain = ${domain}`.execute(db);
  return rows[0] ?? null;
}

/** Records that the DNS record was found. An administrator's verification stays one. Returns false if the domain is gone, or has another token. */
export async function markVerified(
  tx: Tx,
  realm: string,
  { domain, token }: Pick<DomainRow, "domain" | "token">,
  now: number,
): Promise<boolean> {
  const { rows } = await sql`
    update organization_domains set
      verified_by = case when verified then coalesce(verified_by, 'admin') else 'dns' end,
      check_at = case when verified and verified_by is distinct from 'dns' then check_at else ${now + RECHECK}::bigint end,
      missing_since = null, verified = true
    where realm_id = ${realm} and domain = ${domain} and token = ${token}::uuid returning domain`.execute(tx);
  return rows.length > 0;
}

export interface DueDomain extends DomainRow {
  readonly realm_id: string;
}

/** Lists the domains of all realms whose DNS records are due to be looked up again. */
export async function dueDomains(db: Db, now: number, limit: number): Promise<DueDomain[]> {
  const { rows } = await sql<DueDomain>`
    select realm_id, organization_id, domain, verified, verified_by, token, missing_since from organization_domains
    where check_at <= ${now}::bigint and check_at is not null order by check_at limit ${limit}`.execute(db);
  return rows;
}

/** Stores the result of a DNS lookup, unless the domain has changed since it was read. */
export async function markChecked(
  tx: Tx,
  { realm_id, domain, token }: DueDomain,
  to: { readonly checkAt: number | null; readonly missingSince: number | null; readonly verified: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    update organization_domains set check_at = ${to.checkAt}::bigint, missing_since = ${to.missingSince}::bigint,
      verified = ${to.verified}, verified_by = case when ${to.verified} then verified_by end
    where realm_id = ${realm_id} and domain = ${domain} and token = ${token}::uuid and verified and verified_by = 'dns'
    returning domain`.execute(tx);
  return rows.length > 0;
}

/** Ends the lookups of a domain that is no longer verified by DNS. */
export async function stopChecking(tx: Tx, { realm_id, domain }: DueDomain): Promise<void> {
  await sql`update organization_domains set check_at = null, missing_since = null
    where realm_id = ${realm_id} and domain = ${domain} and not (verified and verified_by = 'dns')`.execute(tx);
}

/** Changes the version of an organization whose domains changed. */
export async function bumpOrganization(tx: Tx, realm: string, organizationId: string): Promise<void> {
  await sql`update organizations set version = version + 1
    where realm_id = ${realm} and organization_id = ${organizationId}::uuid`.execute(tx);
}
