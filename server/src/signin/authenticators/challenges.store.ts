import { type ColumnType, sql } from "kysely";
import { HOUR } from "../../kernel/clock.ts";
import { isId } from "../../kernel/ids.ts";
import { type Db, deleteExpired, findRow, insertRow, type Tx, updateRows } from "../../platform/db/index.ts";

type ChallengeKind = "push" | "qr";

/** `WRONG`: too many wrong numbers were typed. `WITHDRAWN`: the waiting screen asked again. `USED`: the sign-in continued. */
type StoredStatus = "PENDING" | "APPROVED" | "DENIED" | "WRONG" | "WITHDRAWN" | "USED";
export type ChallengeStatus = StoredStatus | "EXPIRED";

interface DeviceChallengesTable {
  realm_id: string;
  challenge_id: string;
  kind: ChallengeKind;
  user_id: ColumnType<string | null, string | null, string>;
  browser_hash: string;
  session_id: string | null;
  number: string;
  data: ColumnType<ChallengeData, string, string>;
  client_id: string | null;
  source_ip: string | null;
  user_agent: string | null;
  status: ColumnType<StoredStatus, undefined, StoredStatus>;
  created_at: number;
  answered_at: ColumnType<number | null, undefined, number>;
  expires_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    device_challenges: DeviceChallengesTable;
  }
}

export interface ChallengeData {
  /** push: the number of wrong numbers that were typed. */
  readonly wrongNumbers?: number;
  /** qr: the maximum age of the confirming user's authentication, in milliseconds. */
  readonly freshMs?: number;
  /** qr: the methods by which the confirming user had signed in on the phone. */
  readonly amr?: readonly string[];
}

/** A question that one screen waits for and another device answers. */
export interface Challenge {
  readonly id: string;
  readonly kind: ChallengeKind;
  readonly userId: string | null;
  readonly browserHash: string;
  readonly sessionId: string | null;
  readonly number: string;
  readonly data: ChallengeData;
  readonly clientId: string | null;
  readonly sourceIp: string | null;
  readonly userAgent: string | null;
  readonly status: ChallengeStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const columns = [
  ...(["challenge_id as id", "kind", "user_id as userId", "browser_hash as browserHash", "session_id as sessionId"] as const),
  ...(["number", "data", "client_id as clientId", "source_ip as sourceIp", "user_agent as userAgent", "status"] as const),
  ...(["created_at as createdAt", "expires_at as expiresAt"] as const),
] as const;

export async function findChallenge(db: Db, realm: string, kind: ChallengeKind, id: string, now: number): Promise<Challenge | null> {
  if (!isId(id)) return null;
  const row = await findRow(db, "device_challenges", columns, { realm_id: realm, challenge_id: id, kind });
  return row ? toChallenge(row, now) : null;
}

/** Lists the user's open challenges, oldest first. */
export async function openChallengesOf(db: Db, realm: string, userId: string, now: number): Promise<Challenge[]> {
  const rows = await db
    .selectFrom("device_challenges")
    .select(columns)
    .where((e) => e.and({ realm_id: realm, user_id: userId, kind: "push", status: "PENDING" }))
    .where("expires_at", ">", now)
    .orderBy("created_at")
    .execute();
  return rows.map((row) => toChallenge(row, now));
}

interface Recent {
  readonly open: number;
  /** The time when the last one was denied. */
  readonly deniedAt: number | null;
  /** The challenges without an answer, or with a wrong number, since the last approved one: their count, and when the last one ended. */
  readonly ignored: number;
  readonly ignoredAt: number | null;
}

/** Counts the results of the user's last challenges. */
export async function recentPushes(tx: Tx, realm: string, userId: string, since: number, now: number): Promise<Recent> {
  const { rows } = await sql<Recent>`
    with recent as (
      select status, created_at, answered_at, expires_at from device_challenges
      where realm_id = ${realm} and user_id = ${userId} and kind = 'push' and created_at > ${since}),
    good as (select coalesce(max(created_at), 0) as at from recent where status in ('APPROVED', 'USED'))
    select count(*) filter (where status = 'PENDING' and expires_at > ${now})::int as open,
      max(answered_at) filter (where status = 'DENIED') as "deniedAt",
      count(*) filter (where created_at > good.at and (status in ('WRONG', 'WITHDRAWN') or (status = 'PENDING' and expires_at <= ${now})))::int
        as ignored,
      max(coalesce(answered_at, expires_at)) filter (where created_at > good.at and status <> 'DENIED' and
        (status <> 'PENDING' or expires_at <= ${now})) as "ignoredAt"
    from recent, good`.execute(tx);
  return rows[0]!;
}

export async function insertChallenge(
  tx: Tx,
  realm: string,
  challenge: Omit<Challenge, "status" | "createdAt">,
  now: number,
): Promise<void> {
  await insertRow(tx, "device_challenges", {
    realm_id: realm,
    challenge_id: challenge.id,
    kind: challenge.kind,
    user_id: challenge.userId,
    browser_hash: challenge.browserHash,
    session_id: challenge.sessionId,
    number: challenge.number,
    data: JSON.stringify(challenge.data),
    client_id: challenge.clientId,
    source_ip: challenge.sourceIp,
    user_agent: challenge.userAgent,
    created_at: now,
    expires_at: challenge.expiresAt,
  });
}

/**
 * Writes the one answer of a challenge. Returns false if it has an answer already, or has ended. The second of two concurrent answers sees
 * the first.
 */
export async function answerChallenge(
  tx: Tx,
  realm: string,
  { id, userId }: { readonly id: string; readonly userId: string },
  status: "APPROVED" | "DENIED",
  now: number,
  /** An approval is valid this long, so that the screen can notice it. */
  graceMs: number,
  learnt: ChallengeData = {},
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("device_challenges")
    .set({
      ...{ status, user_id: userId, answered_at: now },
      expires_at: sql<number>`greatest(expires_at, ${now + graceMs}::bigint)`,
      data: sql<string>`data || ${JSON.stringify(learnt)}::text::jsonb`,
    })
    .where((e) => e.and({ realm_id: realm, challenge_id: id }))
    .where((eb) => eb.or([eb("user_id", "=", userId), eb("user_id", "is", null)]))
    .where("status", "=", "PENDING")
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Counts a wrong number. The one that makes `most` ends the challenge. Returns null if it had ended already. Concurrent guesses are counted
 * one by one.
 */
export async function countWrongNumber(
  tx: Tx,
  realm: string,
  { id, userId }: { readonly id: string; readonly userId: string },
  most: number,
  now: number,
): Promise<"PENDING" | "WRONG" | null> {
  const count = sql`coalesce((data ->> 'wrongNumbers')::int, 0) + 1`;
  const { rows } = await sql<{ status: "PENDING" | "WRONG" }>`
    update device_challenges set
      data = data || jsonb_build_object('wrongNumbers', ${count}),
      status = case when ${count} >= ${most}::int then 'WRONG' else status end,
      answered_at = case when ${count} >= ${most}::int then ${now}::bigint else answered_at end
    where realm_id = ${realm} and challenge_id = ${id} and kind = 'push' and user_id = ${userId} and status = 'PENDING' and expires_at > ${now}
    returning status`.execute(tx);
  return rows[0]?.status ?? null;
}

/** Ends the former challenge of a waiting screen that asks again. */
export async function withdrawChallenge(tx: Tx, realm: string, id: string, now: number): Promise<void> {
  await updateRows(
    tx,
    "device_challenges",
    { realm_id: realm, challenge_id: id, status: "PENDING" },
    { status: "WITHDRAWN", answered_at: now },
  );
}

/** Ends the approvals of the user with which no sign-in has continued yet. */
export async function endApproved(tx: Tx, realm: string, userId: string, now: number): Promise<void> {
  await tx
    .updateTable("device_challenges")
    .set({ expires_at: now })
    .where((e) => e.and({ realm_id: realm, user_id: userId, status: "APPROVED" }))
    .where("expires_at", ">", now)
    .execute();
}

/** Uses up an approval, so that the waiting sign-in continues with it only once. */
export async function useChallenge(
  tx: Tx,
  realm: string,
  { id, userId }: { readonly id: string; readonly userId: string },
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("device_challenges")
    .set({ status: "USED" })
    .where((e) => e.and({ realm_id: realm, challenge_id: id, user_id: userId, status: "APPROVED" }))
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes ended challenges after a while: the results of the last ones decide whether another may be sent. */
export const deleteEndedChallenges = (db: Db, now: number): Promise<void> => deleteExpired(db, "device_challenges", now - HOUR);

const isOpen = (status: StoredStatus) => status === "PENDING" || status === "APPROVED";

const toChallenge = <R extends { readonly status: StoredStatus; readonly expiresAt: number }>(row: R, now: number) => ({
  ...row,
  status: isOpen(row.status) && row.expiresAt <= now ? ("EXPIRED" as const) : row.status,
});
