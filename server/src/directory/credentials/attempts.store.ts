import { type Generated, sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import type { Db, Tx } from "../../platform/db/index.ts";

interface LoginAttemptsTable {
  realm_id: string;
  kind: string;
  subject: string;
  failures: number;
  last_at: number;
  locked_until: Generated<number>;
  expires_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    login_attempts: LoginAttemptsTable;
  }
}

export interface AttemptPolicy {
  readonly maxFailures: number;
  readonly lockMinutes: number;
  readonly forgetAfterMinutes: number;
  /** Whether waits grow from the fifth failure on: 1 s, 2 s, 4 s … 64 s. */
  readonly growingWaits: boolean;
}

export interface AttemptState {
  /** Of this attempt: it may go on only when it was not locked before. */
  readonly allowed: boolean;
  readonly failures: number;
  /** When the next attempt may be made. */
  readonly retryAt: number;
  /** This very attempt brought the lock about. */
  readonly justLocked: boolean;
}

/**
 * Counts an attempt before it is made, as if it had failed; success takes the count back. One statement, so that a hundred
 * attempts at once cannot all pass under the limit. An attempt during a lock changes nothing.
 */
export async function raiseAttempts(
  tx: Tx,
  realm: string,
  kind: string,
  subject: string,
  policy: AttemptPolicy,
  now: number,
): Promise<AttemptState> {
  const lockedUntil = now + policy.lockMinutes * MINUTE;
  const forgetBefore = now - policy.forgetAfterMinutes * MINUTE;
  const expiresAt = Math.max(lockedUntil, now + policy.forgetAfterMinutes * MINUTE);
  // No wait means none at all: of two attempts at once, the one that comes to the row last may have looked at the clock first.
  const wait = policy.growingWaits ? sql`case when a.failures < 5 then 0 else (1000 * 2 ^ least(a.failures - 5, 6))::bigint end` : sql`0`;
  const { rows } = await sql<{ failures: number; locked_until: number }>`
    insert into login_attempts as a (realm_id, kind, subject, failures, last_at, locked_until, expires_at)
    values (${realm}, ${kind}, ${subject}, 1, ${now}, 0, ${expiresAt})
    on conflict (realm_id, kind, subject) do update set
      failures = case when a.last_at < ${forgetBefore} or (a.locked_until > 0 and a.locked_until <= ${now}) then 1 else a.failures + 1 end,
      locked_until = case
        when a.last_at < ${forgetBefore} or (a.locked_until > 0 and a.locked_until <= ${now}) then 0
        when a.failures + 1 >= ${policy.maxFailures} then ${lockedUntil}::bigint
        else 0 end,
      last_at = ${now}, expires_at = ${expiresAt}
    where a.locked_until <= ${now} and (${wait} = 0 or a.last_at + ${wait} <= ${now})
    returning failures, locked_until`.execute(tx);
  const raised = rows[0];
  if (raised) return { allowed: true, failures: raised.failures, retryAt: raised.locked_until, justLocked: raised.locked_until > now };
  const { rows: standing } = await sql<{ failures: number; retry_at: number }>`
    select failures, greatest(locked_until, last_at + ${wait}) as retry_at from login_attempts a
    where realm_id = ${realm} and kind = ${kind} and subject = ${subject}`.execute(tx);
  return { allowed: false, failures: standing[0]?.failures ?? 0, retryAt: standing[0]?.retry_at ?? now, justLocked: false };
}

/** Takes one counted attempt back: it was not a failure after all. */
export async function lowerAttempts(tx: Tx, realm: string, kind: string, subject: string): Promise<void> {
  await tx
    .updateTable("login_attempts")
    .set({ failures: sql`greatest(failures - 1, 0)`, locked_until: 0 })
    .where("realm_id", "=", realm)
    .where("kind", "=", kind)
    .where("subject", "=", subject)
    .execute();
}

export async function clearAttempts(tx: Tx, realm: string, kind: string, subject: string): Promise<void> {
  await tx.deleteFrom("login_attempts").where("realm_id", "=", realm).where("kind", "=", kind).where("subject", "=", subject).execute();
}

/**
 * Wrong answers to each of these lock a user for a while. As SQL: what stands in a list of users is no parameter, or Postgres would not
 * see that an index answers it.
 */
export const USER_COUNTERS = sql.raw(
  ["password", "totp", "recovery-code", "email-otp", "sms-otp", "reset-email", "verify-email"]
    .map((factor) => `'user:${factor}'`)
    .join(", "),
);

/** Whatever they got wrong is forgotten. */
export async function clearUserAttempts(tx: Tx, realm: string, userId: string): Promise<void> {
  await tx
    .deleteFrom("login_attempts")
    .where("realm_id", "=", realm)
    .where(sql<boolean>`kind in (${USER_COUNTERS})`)
    .where("subject", "=", userId)
    .execute();
}

export async function deleteExpiredAttempts(db: Db, now: number): Promise<void> {
  await db.deleteFrom("login_attempts").where("expires_at", "<=", now).execute();
}

/** Every counter of these subjects, whatever it counts. */
export async function forgetAttempts(tx: Tx, realm: string, subjects: readonly string[]): Promise<void> {
  await tx.deleteFrom("login_attempts").where("realm_id", "=", realm).where("subject", "in", subjects).execute();
}
