import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { type Db, prepared } from "../../platform/db/index.ts";

/** Returns those of the aliases that name an identity provider of the realm. */
export async function existingProviders(db: Db, realm: string, aliases: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ alias: string }>`
    select alias from identity_providers where realm_id = ${realm} and alias = any(${aliases}::text[])`.execute(db);
  return rows.map(({ alias }) => alias);
}

/** Removes a provider's alias from all organizations. Called when a provider is deleted, or created with an alias that was named before. */
export async function forgetProvider(ctx: Ctx, alias: string): Promise<void> {
  await sql`update organizations set identity_provider = null, version = version + 1
    where realm_id = ${ctx.realm} and identity_provider = ${alias}`.execute(ctx.tx);
}

const homeOf = prepared(
  ({ realm, domain }: { realm: string; domain: string }) =>
    sql<{ alias: string }>`
    select o.identity_provider as alias
    from organization_domains d join organizations o on o.realm_id = d.realm_id and o.organization_id = d.organization_id
    where d.realm_id = ${realm} and d.domain = ${domain} and d.verified and o.enabled and o.identity_provider is not null`,
);

/** Returns the provider of the enabled organization that has verified this domain. */
export async function providerOfDomain(db: Db, realm: string, domain: string): Promise<string | null> {
  const [row] = await homeOf(db, { realm, domain });
  return row?.alias ?? null;
}

/** Returns those of the domains that an enabled organization of the realm has verified. */
export async function verifiedAmong(db: Db, realm: string, domains: readonly string[]): Promise<ReadonlySet<string>> {
  if (domains.length === 0) return new Set();
  const { rows } = await sql<{ domain: string }>`
    select d.domain from organization_domains d join organizations o on o.realm_id = d.realm_id and o.organization_id = d.organization_id
    where d.realm_id = ${realm} and d.domain = any(${[...domains]}::text[]) and d.verified and o.enabled`.execute(db);
  return new Set(rows.map(({ domain }) => domain));
}

/** Returns the organization of the realm that has verified the domain, even if it is disabled. */
export async function verifierOf(db: Db, realm: string, domain: string): Promise<string | null> {
  const { rows } = await sql<{ organization_id: string }>`
    select d.organization_id from organization_domains d where d.realm_id = ${realm} and d.domain = ${domain} and d.verified`.execute(db);
  return rows[0]?.organization_id ?? null;
}

export interface Joining {
  readonly userId: string;
  readonly alias: string;
  /** The `users.source` of users who came by the provider. */
  readonly source: string;
  readonly domain: string;
  /** The key of the address that the provider has verified. */
  readonly addressKey: string;
  readonly role: string;
}

/**
 * Makes the user a member of the enabled organization that has this provider and verified domain. Returns null if there is none, or if the user is a
 * member already. An account that came by this provider, with this address, is the organization's own, because the organization owns its mail domain.
 */
export async function insertMemberByDomain(
  { tx, realm, now }: Ctx,
  { userId, alias, source, domain, addressKey, role }: Joining,
): Promise<{ readonly organizationId: string; readonly alias: string } | null> {
  const { rows } = await sql<{ organization_id: string; alias: string }>`
    with home as (
      select o.organization_id, o.alias
      from organization_domains d join organizations o on o.realm_id = d.realm_id and o.organization_id = d.organization_id
      where d.realm_id = ${realm} and d.domain = ${domain} and d.verified and o.enabled and o.identity_provider = ${alias}
    ), joined as (
      insert into organization_members (realm_id, organization_id, user_id, role, joined_at, managed)
      select ${realm}, organization_id, ${userId}::uuid, ${role}, ${now}::bigint, exists (
        select 1 from users u
        where u.realm_id = ${realm} and u.user_id = ${userId}::uuid and u.source = ${source} and u.email_key = ${addressKey}
      ) and not exists (select 1 from organization_members m where m.realm_id = ${realm} and m.user_id = ${userId}::uuid and m.managed)
      from home
      on conflict do nothing returning organization_id
    )
    select home.organization_id, home.alias from home join joined on joined.organization_id = home.organization_id`.execute(tx);
  const [row] = rows;
  return row ? { organizationId: row.organization_id, alias: row.alias } : null;
}
