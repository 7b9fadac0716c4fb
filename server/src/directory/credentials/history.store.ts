import { sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { type Db, insertRow, type Tx } from "../../platform/db/index.ts";

interface PasswordHistoryTable {
  realm_id: string;
  user_id: string;
  history_id: string;
  hash: string;
  created_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    password_history: PasswordHistoryTable;
  }
}

/** Returns the hashes of the passwords before the present one, newest first. */
export async function listEarlierPasswords(db: Db, realm: string, userId: string, count: number): Promise<string[]> {
  if (count <= 0) return [];
  const rows = await db
    .selectFrom("password_history")
    .select("hash")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .orderBy("history_id", "desc")
    .limit(count)
    .execute();
  return rows.map(({ hash }) => hash);
}

/** Adds a password that is about to be replaced to the history, and keeps the newest `count`. */
export async function keepEarlierPassword(
  tx: Tx,
  realm: string,
  userId: string,
  hash: string | null,
  count: number,
  now: number,
): Promise<void> {
  const kept = Math.max(count, 0);
  if (hash !== null && kept > 0)
    await insertRow(tx, "password_history", { realm_id: realm, user_id: userId, history_id: newId(), hash, created_at: now });
  await sql`delete from password_history where realm_id = ${realm} and user_id = ${userId} and history_id not in (
    select history_id from password_history where realm_id = ${realm} and user_id = ${userId} order by history_id desc limit ${kept})`.execute(
    tx,
  );
}
