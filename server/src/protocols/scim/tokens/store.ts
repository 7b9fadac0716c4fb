import { type ColumnType, sql } from "kysely";
import { MINUTE } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import {
  type Db,
  deleteExpired,
  deleteReturning,
  findRow,
  insertRow,
  nameStartsWith,
  prepared,
  type Tx,
} from "../../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../../platform/paging/index.ts";
import type { Permission } from "../../../tenancy/permissions/index.ts";

interface ScimTokensTable {
  realm_id: string;
  token_id: string;
  token_hash: string;
  name: string;
  connection: string;
  permissions: ColumnType<Permission[], string, never>;
  organization_id: string | null;
  provider_id: string | null;
  trust_emails: boolean;
  created_at: number;
  expires_at: number | null;
  last_used_at: ColumnType<number | null, never, number>;
}

declare module "../../../platform/db/tables.ts" {
  interface Tables {
    scim_tokens: ScimTokensTable;
  }
}

/** A token as it is stored, without its hash. */
export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly connection: string;
  readonly permissions: Permission[];
  readonly organizationId: string | null;
  /** The identity provider. It is also null if the provider was deleted. */
  readonly identityProvider: string | null;
  readonly trustEmails: boolean;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

const columns = [
  "token_id as id",
  "name",
  "connection",
  "permissions",
  "organization_id as organizationId",
  sql<string | null>`(select p.alias from identity_providers p
    where p.realm_id = scim_tokens.realm_id and p.provider_id = scim_tokens.provider_id)`.as("identityProvider"),
  "trust_emails as trustEmails",
  "created_at as createdAt",
  "expires_at as expiresAt",
  "last_used_at as lastUsedAt",
] as const;

const order = listOrder("-createdAt", { createdAt: "created_at" }, "token_id");

export async function listTokens(db: Db, realm: string, query: ListQuery): Promise<Page<TokenRow>> {
  const { search = "" } = query;
  const base = db
    .selectFrom("scim_tokens")
    .select(columns)
    .where("realm_id", "=", realm)
    .$if(search !== "", (q) =>
      q.where((eb) => eb.or([nameStartsWith("name", search), eb(sql`token_id::text`, "=", search.toLowerCase())])),
    );
  return pageOf(db, base, order, query);
}

export async function findToken(db: Db, realm: string, id: string): Promise<TokenRow | null> {
  return findRow(db, "scim_tokens", columns, { realm_id: realm, token_id: id });
}

export interface NewToken extends Omit<TokenRow, "id" | "identityProvider" | "lastUsedAt" | "createdAt"> {
  readonly hash: string;
  readonly providerId: string | null;
}

export async function insertToken(tx: Tx, realm: string, token: NewToken, now: number): Promise<string> {
  const id = newId();
  await insertRow(tx, "scim_tokens", {
    realm_id: realm,
    token_id: id,
    token_hash: token.hash,
    name: token.name,
    connection: token.connection,
    permissions: JSON.stringify(token.permissions),
    organization_id: token.organizationId,
    provider_id: token.providerId,
    trust_emails: token.trustEmails,
    created_at: now,
    expires_at: token.expiresAt,
  });
  return id;
}

export async function deleteToken(tx: Tx, realm: string, id: string): Promise<{ name: string } | null> {
  return deleteReturning(tx, "scim_tokens", { realm_id: realm, token_id: id }, ["name"]);
}

/** Finds a token that has not expired. Its organization must be enabled. */
const byHash = prepared(({ realm, hash, now }: { realm: string; hash: string; now: number }, db) =>
  db
    .selectFrom("scim_tokens")
    .select(columns)
    .where("realm_id", "=", realm)
    .where("token_hash", "=", hash)
    .where(sql<boolean>`coalesce(expires_at > ${now}, true)`)
    .where(
      sql<boolean>`(organization_id is null or (select o.enabled from organizations o
        where o.realm_id = scim_tokens.realm_id and o.organization_id = scim_tokens.organization_id))`,
    ),
);

export async function findUsableToken(db: Db, realm: string, hash: string, now: number): Promise<TokenRow | null> {
  const [row] = await byHash(db, { realm, hash, now });
  return row ?? null;
}

/** Stores the last use, to the minute, so that a busy client does not write with every request. */
export async function touchToken(db: Db, realm: string, { id, lastUsedAt }: TokenRow, now: number): Promise<void> {
  if (lastUsedAt !== null && now - lastUsedAt < MINUTE) return;
  await db
    .updateTable("scim_tokens")
    .set({ last_used_at: now })
    .where("realm_id", "=", realm)
    .where("token_id", "=", id)
    .where(sql<boolean>`coalesce(last_used_at < ${now - MINUTE + 1}, true)`)
    .execute();
}

export const deleteExpiredScimTokens = (db: Db, now: number): Promise<void> => deleteExpired(db, "scim_tokens", now);
