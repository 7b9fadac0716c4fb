import { sql } from "kysely";
import { type Db, prepared, type Tx } from "../../platform/db/index.ts";
import type { OwnSession } from "./store.ts";

const atWork = prepared(({ realm, userId, sessionId, now }: OwnSession & { now: number }, db) =>
  db
    .selectFrom("sessions as s")
    .innerJoin("users as u", (join) => join.onRef("u.realm_id", "=", "s.realm_id").onRef("u.user_id", "=", "s.user_id"))
    .select("s.session_id")
    .where("s.realm_id", "=", realm)
    .where("s.session_id", "=", sessionId)
    .where("s.user_id", "=", userId)
    .where("s.impersonator", "is", null)
    .where("s.expires_at", ">", now)
    .where("u.enabled", "=", true)
    .where("u.locked", "=", false)
    .where(
      sql<boolean>`exists (select 1 from user_permissions p
        where p.realm_id = s.realm_id and p.user_id = s.user_id and p.permission in ('manage-users', 'realm-admin'))`,
    ),
);

/** Tells whether the administrator's own session is live and they still have the permission to impersonate. */
export async function mayStillImpersonate(db: Db, session: OwnSession, now: number): Promise<boolean> {
  return (await atWork(db, { ...session, now })).length > 0;
}

/** Impersonation counts as activity of the administrator's own session. */
export async function touchImpersonatorSession(db: Db, { realm, sessionId }: OwnSession, now: number): Promise<void> {
  await sql`
    update sessions set last_seen_at = ${now}::bigint, expires_at = least(${now}::bigint + expires_at - last_seen_at, absolute_expiry)
    where realm_id = ${realm} and session_id = ${sessionId} and expires_at > ${now} and not remembered`.execute(db);
}

/** Replaces the cookie value of a session. Null: the session has ended, or the presented value is not its own. */
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
