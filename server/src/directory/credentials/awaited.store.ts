import { type Db, prepared, type Tx } from "../../platform/db/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    awaited_passwords: { realm_id: string; user_id: string };
  }
}

/** Marks users who came without a password: the realm's password source may supply it once. */
export async function awaitPasswords(tx: Tx, realm: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  await tx
    .insertInto("awaited_passwords")
    .values(userIds.map((userId) => ({ realm_id: realm, user_id: userId })))
    .execute();
}

/** Removes the mark, because the user's password is now known here. Returns false if it was known before. */
export const takeAwaited = async (tx: Db, realm: string, userId: string): Promise<boolean> =>
  (await take(tx, { realm, userId })).length > 0;

/** The deletion of the mark, which may be a part of another statement. */
export const withoutMark = (db: Pick<Db, "deleteFrom">, { realm, userId }: { realm: string; userId: string }) =>
  db.deleteFrom("awaited_passwords").where("realm_id", "=", realm).where("user_id", "=", userId).returning("user_id");

const take = prepared((user: { realm: string; userId: string }, db) => withoutMark(db, user));
