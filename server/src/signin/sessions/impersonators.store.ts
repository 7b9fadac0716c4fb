import { type RawBuilder, sql } from "kysely";
import { type Db, prepared, type Tx } from "../../platform/db/index.ts";
import type { OwnSession } from "./store.ts";

type Operand = string | RawBuilder<unknown>;

/** The SQL condition that the administrator's own session is live and that they still have the permission to impersonate. */
export const isAtWork = ({ realm, userId, sessionId }: Readonly<Record<"realm" | "userId" | "sessionId", Operand>>, now: number) =>
  sql<boolean>`is_at_work(${realm}::text, ${userId}::uuid, ${sessionId}::uuid, ${now}::bigint)`;

const atWork = prepared(
  ({ realm, userId, sessionId, now }: OwnSession & { now: number }) =>
    sql<{ found: boolean }>`select ${isAtWork({ realm, userId, sessionId }, now)} as found`,
);

export async function mayStillImpersonate(db: Db, session: OwnSession, now: number): Promise<boolean> {
  return (await atWork(db, { ...session, now }))[0]!.found;
}

/** Counts impersonation as activity of the administrator's own session. */
export async function touchImpersonatorSession(db: Db, { realm, sessionId }: OwnSession, now: number): Promise<void> {
  await sql`
    update sessions set last_seen_at = ${now}::bigint, expires_at = least(${now}::bigint + expires_at - last_seen_at, absolute_expiry)
    where realm_id = ${realm} and session_id = ${sessionId} and expires_at > ${now} and not remembered`.execute(db);
}

/** Replaces the cookie value of a session. Returns null if the session has ended, or if the presented value is not its own. */
export async function takeBackSession(
  tx: Tx,
  { realm, userId, sessionId }: OwnSession,
  hashes: { readonly shown: string; readonly next: string },
  now: number,
): Promise<{ remembered: boolean; absoluteExpiry: number } | null> {
  const row = await tx
    .updateTable("sessions")
    .set({ token_hash: hashes.next })
    .where((e) => e.and({ realm_id: realm, session_id: sessionId, user_id: userId, token_hash: hashes.shown }))
    .where("expires_at", ">", now)
    .returning(["remembered", "absolute_expiry as absoluteExpiry"])
    .executeTakeFirst();
  return row ?? null;
}
