import { type ColumnType, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { type Db, deleteRows, findRow, prepared, type Tx, updateRows } from "../../platform/db/index.ts";
import { takeAwaited, withoutMark } from "./awaited.store.ts";

interface CredentialsTable {
  realm_id: string;
  user_id: string;
  credential_id: string;
  type: string;
  secret: string;
  data: ColumnType<Record<string, unknown>, string | undefined, string>;
  created_at: number;
  last_used_at: ColumnType<number | null, number | null | undefined, number | null>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    credentials: CredentialsTable;
  }
}

export interface PasswordCredential {
  readonly hash: string;
  readonly createdAt: number;
}

export async function findPassword(db: Db, realm: string, userId: string): Promise<PasswordCredential | null> {
  const [row] = await passwordOf(db, { realm, userId });
  return row ? { hash: row.secret, createdAt: row.created_at } : null;
}

/** Tells whether `users.source` names a directory, whose users' names and passwords are kept there. */
export const isDirectorySource = (source: string): boolean => /^(ldap|ad):/.test(source);

/** Tells whether the user's password is kept in a directory: one that is stored here would never be used, and would outlive the account there. */
export async function isFromDirectory(db: Db, realm: string, userId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from users where realm_id = ${realm} and user_id = ${userId}
    and (source like 'ldap:%' or source like 'ad:%')`.execute(db);
  return rows.length > 0;
}

const passwordOf = prepared(({ realm, userId }: { realm: string; userId: string }, db) =>
  db
    .selectFrom("credentials")
    .select(["secret", "created_at"])
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("type", "=", "password"),
);

/** Returns the current hash and locks it until commit. Returns null if the user has no password. */
export async function lockPassword(tx: Tx, realm: string, userId: string): Promise<string | null> {
  const row = await findRow(tx, "credentials", ["secret"], { realm_id: realm, user_id: userId, type: "password" }, "update");
  return row?.secret ?? null;
}

/**
 * Records that the password with this hash was used. Returns false if it is no longer the user's. The row is held until commit, so that a change
 * waits, and then ends the session that began here.
 */
export async function usePassword(tx: Tx, realm: string, userId: string, hash: string, now: number): Promise<boolean> {
  return (await markUsed(tx, { realm, userId, hash, now })).length > 0;
}

const markUsed = prepared(({ realm, userId, hash, now }: { realm: string; userId: string; hash: string; now: number }, db) =>
  db
    .updateTable("credentials")
    .set({ last_used_at: now })
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("type", "=", "password")
    .where("secret", "=", hash)
    .returning("user_id"),
);

/** Stores the same password with a better hash, unless the password has changed meanwhile. Its age stays. */
export async function upgradePassword(db: Db, realm: string, userId: string, hash: string, better: string): Promise<void> {
  await updateRows(db, "credentials", { realm_id: realm, user_id: userId, type: "password", secret: hash }, { secret: better });
}

/** Stores the user's password in place of the present one. */
export async function savePassword(tx: Tx, realm: string, userId: string, hash: string, now: number): Promise<void> {
  await tx
    .with("known_now", (db) => withoutMark(db, { realm, userId }))
    .insertInto("credentials")
    .values({ realm_id: realm, user_id: userId, credential_id: newId(), type: "password", secret: hash, created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(["realm_id", "user_id"])
        // The type is a literal: as a parameter, it would hide the partial index from the plan that Postgres keeps after five runs.
        .where("type", "=", sql.lit("password"))
        .doUpdateSet({ secret: hash, created_at: now, last_used_at: null }),
    )
    .execute();
}

/** Deletes the user's password and the history. Tells whether there was a password, or one was awaited. */
export async function dropPasswords(tx: Tx, realm: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("credentials")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("type", "=", "password")
    .executeTakeFirst();
  await deleteRows(tx, "password_history", { realm_id: realm, user_id: userId });
  const isAwaited = await takeAwaited(tx, realm, userId);
  return numDeletedRows > 0n || isAwaited;
}
