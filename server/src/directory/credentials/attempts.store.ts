import { type Generated, sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import { type Db, deleteExpired, deleteRows, prepared, type Tx, updateRows } from "../../platform/db/index.ts";

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
  /** True if waits grow from the fifth failure on: 1 s, 2 s, 4 s … 64 s. */
  readonly growingWaits: boolean;
}

export interface AttemptState {
  /** True if this attempt is allowed, because the subject was not locked before it. */
  readonly allowed: boolean;
  readonly failures: number;
  /** The time from which the next attempt is allowed. */
  readonly retryAt: number;
  /** True if this attempt caused the lock. */
  readonly justLocked: boolean;
}

/** A counter of failed attempts by one subject, and its policy. */
export interface AttemptCounter {
  readonly kind: string;
  readonly subject: string;
  readonly policy: AttemptPolicy;
}

interface Raising {
  readonly realm: string;
  readonly kind: string;
  readonly subject: string;
  readonly now: number;
  readonly maxFailures: number;
  readonly lockedUntil: number;
  readonly forgetBefore: number;
  readonly expiresAt: number;
}

const raisingOf = (realm: string, { kind, subject, policy }: AttemptCounter, now: number): Raising => {
  const lockedUntil = now + policy.lockMinutes * MINUTE;
  const forgetAfter = policy.forgetAfterMinutes * MINUTE;
  return {
    ...{ realm, kind, subject, now, lockedUntil, maxFailures: policy.maxFailures },
    forgetBefore: now - forgetAfter,
    expiresAt: Math.max(lockedUntil, now + forgetAfter),
  };
};

/** The wait after the failures of row `a`, in milliseconds. */
const growingWait = sql`(case when a.failures < 5 then 0 else (1000 * 2 ^ least(a.failures - 5, 6))::bigint end)`;

/** `onlyIf` is a `from …` clause: the attempt is counted only if it has a row. */
const raise = (r: Raising, growingWaits: boolean, onlyIf = sql``) => sql`
    insert into login_attempts as a (realm_id, kind, subject, failures, last_at, locked_until, expires_at)
    select ${r.realm}::text, ${r.kind}::text, ${r.subject}::text, 1, ${r.now}::bigint, 0, ${r.expiresAt}::bigint ${onlyIf}
    on conflict (realm_id, kind, subject) do update set
      failures = case when a.last_at < ${r.forgetBefore} or (a.locked_until > 0 and a.locked_until <= ${r.now}) then 1 else a.failures + 1 end,
      locked_until = case
        when a.last_at < ${r.forgetBefore} or (a.locked_until > 0 and a.locked_until <= ${r.now}) then 0
        when a.failures + 1 >= ${r.maxFailures} then ${r.lockedUntil}::bigint
        else 0 end,
      last_at = excluded.last_at, expires_at = excluded.expires_at
    where a.locked_until <= ${r.now} ${growingWaits ? sql`and (${growingWait} = 0 or a.last_at + ${growingWait} <= ${r.now})` : sql``}
    returning failures, locked_until`;

/**
 * Counts an attempt as failed before it is made; success takes the count back. This is one statement, so that a hundred attempts at once cannot all
 * pass under the limit. An attempt during a lock changes nothing.
 */
export async function raiseAttempts(
  db: Db,
  realm: string,
  kind: string,
  subject: string,
  policy: AttemptPolicy,
  now: number,
): Promise<AttemptState> {
  const counter = { kind, subject, policy };
  // Without a wait, the time of the last attempt does not count: of two attempts at once, the one that reaches the row last may have read the clock first.
  const { rows } = await sql<Raised>`${raise(raisingOf(realm, counter, now), policy.growingWaits)}`.execute(db);
  return rows[0] ? toState(rows[0], now) : standingOf(db, realm, counter, now);
}

interface Raised {
  failures: number;
  locked_until: number;
}

const toState = ({ failures, locked_until }: Raised, now: number): AttemptState => ({
  ...{ allowed: true, failures, retryAt: locked_until },
  justLocked: locked_until > now,
});

async function standingOf(db: Db, realm: string, { kind, subject, policy }: AttemptCounter, now: number): Promise<AttemptState> {
  const wait = policy.growingWaits ? growingWait : sql`0`;
  const { rows } = await sql<{ failures: number; retry_at: number }>`
    select failures, greatest(locked_until, last_at + ${wait}) as retry_at from login_attempts a
    where realm_id = ${realm} and kind = ${kind} and subject = ${subject}`.execute(db);
  return { allowed: false, failures: rows[0]?.failures ?? 0, retryAt: rows[0]?.retry_at ?? now, justLocked: false };
}

interface RaisedPair {
  first_failures: number | null;
  first_locked_until: number | null;
  second_failures: number | null;
  second_locked_until: number | null;
}

type SecondRaising = {
  [K in "kind" | "subject" | "maxFailures" | "lockedUntil" | "forgetBefore" | "expiresAt" as `second_${K}`]: Raising[K];
};

const raisePair = prepared((r: Raising & SecondRaising) => {
  const second: Raising = {
    ...{ realm: r.realm, now: r.now, kind: r.second_kind, subject: r.second_subject, maxFailures: r.second_maxFailures },
    ...{ lockedUntil: r.second_lockedUntil, forgetBefore: r.second_forgetBefore, expiresAt: r.second_expiresAt },
  };
  return sql<RaisedPair>`
    with first as (${raise(r, false)}), second as (${raise(second, true, sql`from first`)})
    select first.failures as first_failures, first.locked_until as first_locked_until,
      second.failures as second_failures, second.locked_until as second_locked_until
    from first left join second on true`;
});

/**
 * Raises two counters for one attempt in one statement, the second with growing waits. The second counts only if the first allows the attempt. If the
 * second refuses, the first has counted it all the same.
 */
export async function raiseTwoAttempts(
  db: Db,
  realm: string,
  first: AttemptCounter,
  second: AttemptCounter,
  now: number,
): Promise<readonly [AttemptState, AttemptState | null]> {
  const { kind, subject, maxFailures, lockedUntil, forgetBefore, expiresAt } = raisingOf(realm, second, now);
  const [row] = await raisePair(db, {
    ...raisingOf(realm, first, now),
    ...{ second_kind: kind, second_subject: subject, second_maxFailures: maxFailures },
    ...{ second_lockedUntil: lockedUntil, second_forgetBefore: forgetBefore, second_expiresAt: expiresAt },
  });
  if (!row) return [await standingOf(db, realm, first, now), null];
  const counted = toState({ failures: row.first_failures!, locked_until: row.first_locked_until! }, now);
  if (row.second_failures === null) return [counted, await standingOf(db, realm, second, now)];
  return [counted, toState({ failures: row.second_failures, locked_until: row.second_locked_until! }, now)];
}

/** Takes one counted attempt back, because it was not a failure. */
export async function lowerAttempts(tx: Tx, realm: string, kind: string, subject: string): Promise<void> {
  await updateRows(tx, "login_attempts", { realm_id: realm, kind, subject }, { failures: sql`greatest(failures - 1, 0)`, locked_until: 0 });
}

interface LoweredAndCleared {
  realm: string;
  lowered: string;
  loweredSubject: string;
  cleared: string;
  clearedSubject: string;
}

// The rows are changed in the order in which attempts take them: otherwise two sign-ins might wait for each other.
const lowerAndClear = prepared(
  (c: LoweredAndCleared) =>
    sql`
    with lowered as (
      update login_attempts set failures = greatest(failures - 1, 0), locked_until = 0
      where realm_id = ${c.realm} and kind = ${c.lowered} and subject = ${c.loweredSubject} returning 1)
    delete from login_attempts
    where realm_id = ${c.realm} and kind = ${c.cleared} and subject = ${c.clearedSubject} and (select count(*) from lowered) >= 0`,
);

/** Records that an attempt was right: takes it back from the first counter, and clears the second. */
export async function succeedAttempts(
  tx: Tx,
  realm: string,
  first: Pick<AttemptCounter, "kind" | "subject">,
  second: Pick<AttemptCounter, "kind" | "subject">,
): Promise<void> {
  await lowerAndClear(tx, {
    realm,
    lowered: first.kind,
    loweredSubject: first.subject,
    cleared: second.kind,
    clearedSubject: second.subject,
  });
}

/**
 * Counters of wrong answers that lock a user for a while. They are literals of SQL: as parameters in a list of users, they would hide the index from
 * Postgres.
 */
export const USER_COUNTERS = sql.raw(
  ["password", "totp", "recovery-code", "email-otp", "sms-otp", "reset-email", "verify-email"]
    .flatMap((factor) => [`'user:${factor}'`, `'user:${factor}:mail'`])
    .join(", "),
);

/** Forgets every failed attempt of the user. */
export async function clearUserAttempts(tx: Tx, realm: string, userId: string): Promise<void> {
  await tx
    .deleteFrom("login_attempts")
    .where("realm_id", "=", realm)
    .where(sql<boolean>`kind in (${USER_COUNTERS})`)
    .where("subject", "=", userId)
    .execute();
}

export const deleteExpiredAttempts = (db: Db, now: number): Promise<void> => deleteExpired(db, "login_attempts", now);

/** Clears the counter, because the attempt was right. */
export async function clearAttempts(tx: Tx, realm: string, kind: string, subject: string): Promise<void> {
  await deleteRows(tx, "login_attempts", { realm_id: realm, kind, subject });
}

/** Clears every counter of these subjects. */
export async function forgetAttempts(tx: Tx, realm: string, subjects: readonly string[]): Promise<void> {
  await tx.deleteFrom("login_attempts").where("realm_id", "=", realm).where("subject", "in", subjects).execute();
}
