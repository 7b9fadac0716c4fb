import { type ColumnType, type Selectable, sql } from "kysely";
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
  }
}

const columns = ["client_id", "scopes", "granted_at", "updated_at"] as const;
type Row = Pick<Selectable<ConsentsTable>, (typeof columns)[number]>;

/** Adds to what was granted before, in one statement: of two grants at once, neither loses the other's scopes. */
export async function upsertConsent(
  tx: Tx,
  realm: string,
  userId: string,
  clientId: string,
  scopes: readonly string[],
  now: number,
): Promise<Consent> {
  const { rows } = await sql<Row>`
    insert into consents as c (realm_id, user_id, client_id, scopes, granted_at, updated_at)
    values (${realm}, ${userId}, ${clientId}, ${JSON.stringify([...new Set(scopes)].sort())}::text::jsonb, ${now}, ${now})
    on conflict (realm_id, user_id, client_id) do update set updated_at = ${now},
      scopes = (select jsonb_agg(distinct scope order by scope) from jsonb_array_elements_text(c.scopes || excluded.scopes) scope)
    returning c.client_id, c.scopes, c.granted_at, c.updated_at`.execute(tx);
  return toConsent(rows[0]!);
}

export async function listConsents(db: Db, realm: string, userId: string): Promise<Consent[]> {
  const rows = await db
    .selectFrom("consents")
    .select(columns)
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .orderBy("client_id")
    .execute();
  return rows.map(toConsent);
}

export async function findConsent(db: Db, realm: string, userId: string, clientId: string): Promise<Consent | null> {
  const row = await db
    .selectFrom("consents")
    .select(columns)
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return row ? toConsent(row) : null;
}

export async function deleteConsent(tx: Tx, realm: string, userId: string, clientId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("consents")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** `client.deleted`: the consent must not apply to a later client with the same client id. */
export async function forgetConsentsTo({ tx, realm }: Ctx, { clientId }: { readonly clientId: string }): Promise<void> {
  await tx.deleteFrom("consents").where("realm_id", "=", realm).where("client_id", "=", clientId).execute();
}

const toConsent = (row: Row): Consent => ({
  clientId: row.client_id,
  scopes: row.scopes,
  grantedAt: row.granted_at,
  updatedAt: row.updated_at,
});
