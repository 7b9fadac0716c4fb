import { type Kysely, sql, type Transaction } from "kysely";
import type { AppError } from "../../kernel/errors.ts";

/** Every table, declared by the feature that owns it (declaration merging): see directory/users/store.ts. */
// biome-ignore lint/suspicious/noEmptyInterface: features merge their tables into it
export interface Tables {}

/** For reads: a pool, or a transaction. */
export type Db = Kysely<Tables>;
/** For writes: only a transaction will do. */
export type Tx = Transaction<Tables>;

/** Turns named constraint violations into named errors, so no store checks before it writes. */
export async function translating<T>(byConstraint: Record<string, (cause?: unknown) => AppError>, write: Promise<T>): Promise<T> {
  return write.catch((cause: { constraint?: string }) => {
    throw byConstraint[cause.constraint ?? ""]?.(cause) ?? cause;
  });
}

/**
 * Locks the realm's row until commit: serialises changes that must stay consistent within a realm.
 * `no key`, so that rows which merely refer to the realm (a new user) need not wait.
 */
export async function lockRealm(tx: Tx, realm: string): Promise<void> {
  await sql`select 1 from realms where realm_id = ${realm} for no key update`.execute(tx);
}

/** Keeps transactions that lock the realm waiting until commit. Transactions that share it do not wait for each other. */
export async function shareRealm(tx: Tx, realm: string): Promise<void> {
  await sql`select 1 from realms where realm_id = ${realm} for share`.execute(tx);
}
