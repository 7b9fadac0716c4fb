import { type ColumnType, sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { Consent } from "./schema.ts";

interface ConsentsTable {
  realm_id: string;
  user_id: string;
  client_id: string;
  scopes: ColumnType<string[], string, string>;
  granted_at: number;
  updated_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    consents: ConsentsTable;
    resource_consents: ConsentsTable & { resource: string };
  }
}

/** The user, client and resource of a consent; `resource` is null for the realm itself. */
export interface ConsentKey {
  readonly userId: string;
  readonly clientId: string;
  readonly resource: string | null;
}

/** Adds scopes to those that were granted before. This is one statement, so that of two grants at once, neither loses the other's scopes. */
export async function upsertConsent(
  tx: Tx,
  realm: string,
  { userId, clientId, resource }: ConsentKey,
  scopes: readonly string[],
  now: number,
): Promise<string[]> {
  const added = JSON.stringify([...new Set(scopes)].sort());
  const merged = sql`do update set updated_at = ${now},
      scopes = coalesce((select jsonb_agg(distinct scope order by scope) from jsonb_array_elements_text(c.scopes || excluded.scopes) scope), '[]')
    returning c.scopes`;
  const { rows } = await (resource === null
    ? sql<{ scopes: string[] }>`
        insert into consents as c (realm_id, user_id, client_id, scopes, granted_at, updated_at)
        values (${realm}, ${userId}, ${clientId}, ${added}::text::jsonb, ${now}, ${now})
        on conflict (realm_id, user_id, client_id) ${merged}`
    : sql<{ scopes: string[] }>`
        insert into resource_consents as c (realm_id, user_id, client_id, resource, scopes, granted_at, updated_at)
        values (${realm}, ${userId}, ${clientId}, ${resource}, ${added}::text::jsonb, ${now}, ${now})
        on conflict (realm_id, user_id, client_id, resource) ${merged}`
  ).execute(tx);
  return rows[0]!.scopes;
}

/** Returns the granted scopes, or null if the user has allowed the client nothing at the resource. */
export async function consentedScopes(
  db: Db,
  realm: string,
  { userId, clientId, resource }: ConsentKey,
): Promise<readonly string[] | null> {
  const at = { realm_id: realm, user_id: userId, client_id: clientId };
  const row = await (resource === null
    ? db
        .selectFrom("consents")
        .select("scopes")
        .where((e) => e.and(at))
        .executeTakeFirst()
    : db
        .selectFrom("resource_consents")
        .select("scopes")
        .where((e) => e.and({ ...at, resource }))
        .executeTakeFirst());
  return row?.scopes ?? null;
}

/** Lists the consents to one client or to all: one entry per client, with its resources. */
export async function listConsents(db: Db, realm: string, userId: string, clientId?: string): Promise<Consent[]> {
  const ofClient = clientId === undefined ? sql`` : sql`and client_id = ${clientId}`;
  const { rows } = await sql<Consent>`
    select client_id as "clientId", coalesce(max(scopes::text) filter (where resource is null), '[]')::jsonb as scopes,
      coalesce(jsonb_agg(jsonb_build_object('resource', resource, 'scopes', scopes, 'grantedAt', granted_at, 'updatedAt', updated_at)
        order by resource) filter (where resource is not null), '[]') as resources,
      min(granted_at)::bigint as "grantedAt", max(updated_at)::bigint as "updatedAt"
    from (
      select client_id, null as resource, scopes, granted_at, updated_at from consents
      where realm_id = ${realm} and user_id = ${userId} ${ofClient}
      union all
      select client_id, resource, scopes, granted_at, updated_at from resource_consents
      where realm_id = ${realm} and user_id = ${userId} ${ofClient}) each_one
    group by client_id order by client_id`.execute(db);
  return rows;
}

export const findConsent = async (db: Db, realm: string, userId: string, clientId: string): Promise<Consent | null> =>
  (await listConsents(db, realm, userId, clientId))[0] ?? null;

/** Deletes a consent with those for APIs, because the user ends the application's whole access. */
export async function deleteConsent(tx: Tx, realm: string, userId: string, clientId: string): Promise<boolean> {
  let deleted = 0n;
  for (const table of ["consents", "resource_consents"] as const) {
    const { numDeletedRows } = await tx
      .deleteFrom(table)
      .where("realm_id", "=", realm)
      .where("user_id", "=", userId)
      .where("client_id", "=", clientId)
      .executeTakeFirst();
    deleted += numDeletedRows;
  }
  return deleted > 0n;
}

/** Deletes consents on `client.deleted`: they must not apply to a later client with the same client id. */
export async function forgetConsentsTo({ tx, realm }: Ctx, { clientId }: { readonly clientId: string }): Promise<void> {
  for (const table of ["consents", "resource_consents"] as const)
    await tx.deleteFrom(table).where("realm_id", "=", realm).where("client_id", "=", clientId).execute();
}

/** Deletes consents on `resources.moved`: they must not apply to a later API with the same indicator. */
export async function forgetConsentsAt({ tx, realm }: Ctx, { resources }: { readonly resources: readonly string[] }): Promise<void> {
  if (resources.length === 0) return;
  await tx.deleteFrom("resource_consents").where("realm_id", "=", realm).where("resource", "in", resources).execute();
}
