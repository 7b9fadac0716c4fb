import { sql } from "kysely";
import { newId } from "../../../kernel/ids.ts";
import { type Db, deleteExpired, deleteReturning, findRow, insertReturning, nameStartsWith, type Tx } from "../../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../../platform/paging/index.ts";
import type { InitialAccessToken } from "./provisioning.schema.ts";

interface InitialAccessTokensTable {
  realm_id: string;
  token_id: string;
  token_hash: string;
  name: string | null;
  uses_left: number;
  created_at: number;
  expires_at: number;
}

declare module "../../../platform/db/tables.ts" {
  interface Tables {
    initial_access_tokens: InitialAccessTokensTable;
  }
}

const columns = ["token_id as id", "name", "uses_left as remaining", "created_at as createdAt", "expires_at as expiresAt"] as const;

const order = listOrder("-createdAt", { createdAt: "created_at" }, "token_id");

export async function listTokens(db: Db, realm: string, query: ListQuery): Promise<Page<InitialAccessToken>> {
  const { search } = query;
  const base = db
    .selectFrom("initial_access_tokens")
    .select(columns)
    .where("realm_id", "=", realm)
    .$if(search !== undefined && search !== "", (q) =>
      q.where((eb) => eb.or([nameStartsWith("name", search!), eb(sql`token_id::text`, "=", search!.toLowerCase())])),
    );
  return pageOf(db, base, order, query);
}

export async function findToken(db: Db, realm: string, id: string): Promise<InitialAccessToken | null> {
  return findRow(db, "initial_access_tokens", columns, { realm_id: realm, token_id: id });
}

export interface NewToken {
  readonly hash: string;
  readonly name: string | null;
  readonly count: number;
  readonly now: number;
  readonly expiresAt: number;
}

export async function insertToken(tx: Tx, realm: string, { hash, name, count, now, expiresAt }: NewToken): Promise<InitialAccessToken> {
  const row = { realm_id: realm, token_id: newId(), token_hash: hash, name, uses_left: count, created_at: now, expires_at: expiresAt };
  return insertReturning(tx, "initial_access_tokens", row, columns);
}

export async function deleteToken(tx: Tx, realm: string, id: string): Promise<InitialAccessToken | null> {
  return deleteReturning(tx, "initial_access_tokens", { realm_id: realm, token_id: id }, columns);
}

/** Selects a token that is not expired and has uses left. */
const usable = (realm: string, hash: string, now: number) =>
  sql<boolean>`realm_id = ${realm} and token_hash = ${hash} and uses_left > 0 and expires_at > ${now}`;

export async function findUsableToken(db: Db, realm: string, hash: string, now: number): Promise<InitialAccessToken | null> {
  return (
    (await db
      .selectFrom("initial_access_tokens")
      .select(columns)
      .where(usable(realm, hash, now))
      .executeTakeFirst()) ?? null
  );
}

/** Takes a use in one statement: only one of concurrent requests for the last use succeeds. */
export async function takeUse(tx: Tx, realm: string, hash: string, now: number): Promise<boolean> {
  const row = await tx
    .updateTable("initial_access_tokens")
    .set((eb) => ({ uses_left: eb("uses_left", "-", 1) }))
    .where(usable(realm, hash, now))
    .returning("token_id")
    .executeTakeFirst();
  return row !== undefined;
}

export const deleteExpiredInitialTokens = (db: Db, now: number): Promise<void> => deleteExpired(db, "initial_access_tokens", now);
