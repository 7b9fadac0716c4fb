import { type Kysely, sql, type Transaction } from "kysely";
import type { AppError } from "../../kernel/errors.ts";

/** Every table. The feature that owns a table declares it by declaration merging: see directory/users/store.ts. */
// biome-ignore lint/suspicious/noEmptyInterface: features merge their tables into it
export interface Tables {}

/** A database for reads: a pool or a transaction. */
export type Db = Kysely<Tables>;
/** A database for writes: always a transaction. */
export type Tx = Transaction<Tables>;

/** Turns violations of named constraints into named errors, so that no store has to check before it writes. */
export async function translating<T>(byConstraint: Record<string, (cause?: unknown) => AppError>, write: Promise<T>): Promise<T> {
  return write.catch((cause: { constraint?: string }) => {
    throw byConstraint[cause.constraint ?? ""]?.(cause) ?? cause;
  });
}

/**
 * Locks the realm's row until the commit, to serialise changes that must stay consistent within a realm. It locks with `no key`, so that new rows that merely
 * refer to the realm (such as a user) need not wait.
 */
export async function lockRealm(tx: Tx, realm: string): Promise<void> {
  await sql`select 1 from realms where realm_id = ${realm} for no key update`.execute(tx);
}

/** Makes transactions that lock the realm wait until the commit. Transactions that share the realm do not wait for each other. */
export async function shareRealm(tx: Tx, realm: string): Promise<void> {
  await sql`select 1 from realms where realm_id = ${realm} for share`.execute(tx);
}

/** Makes transactions that lock the same name wait until the commit. Take it before any row, so that nobody who waits holds one. */
export async function lockName(tx: Tx, ...parts: readonly string[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${JSON.stringify(parts)}, 0))`.execute(tx);
}
