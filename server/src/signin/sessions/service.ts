import { assertMayControl } from "../../directory/roles/index.ts";
import { clock, DAY, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { defineErrors } from "../../kernel/errors.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { cut } from "../../kernel/text.ts";
import { sha256 } from "../../kernel/vault.ts";
import { type Actor, actorOf, type Ctx, kindOfUser, type ReadCtx, systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { mapPage } from "../../platform/paging/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { newSessionToken } from "./cookies.ts";
import * as ends from "./end.store.ts";
import { mayStillImpersonate, touchImpersonatorSession } from "./impersonators.store.ts";
import { findSession, isOwnSession, listSessions } from "./own.store.ts";
import { type SessionEnd, touchInterval } from "./participants.store.ts";
import type { Session } from "./schema.ts";
import { findLiveSession, insertSession, type LiveSession, type NewSession, type OwnSession, renewSession, touchSession } from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /**
     * Emitted for every end, including expiry. Sessions of other realms may be among them, because impersonation sessions end with the
     * administrator's own.
     */
    "sessions.ended": { readonly ended: readonly SessionEnd[] };
    /**
     * Sessions of the user were ended for them: one, all others, or all, for example by a new password or when the user was disabled. An
     * attacker may have had one, so sign-ins and flows that began in them end too.
     */
    "user.sessions_revoked": { readonly userId: string };
  }
}

const sessionErrors = defineErrors("sessions", { not_found: [404, "No such session in this realm"] });

type Policy = Settings["sessions"];

/** Finds the live session of a cookie. */
export async function resolveSession(
  db: Db,
  realm: string,
  token: string | undefined,
  policy: Policy,
  now: number,
): Promise<LiveSession | null> {
  if (!token || token.length > 128) return null;
  const session = await findLiveSession(db, realm, sha256(token), now);
  // Impersonation ends with the administrator's own session or permission.
  if (session?.impersonatedFrom && !(await mayStillImpersonate(db, session.impersonatedFrom, now))) return null;
  if (session && now - session.lastSeenAt >= touchInterval(policy.idleMinutes * MINUTE)) {
    const idleUntil = session.remembered ? session.absoluteExpiry : Math.min(now + policy.idleMinutes * MINUTE, session.absoluteExpiry);
    await touchSession(db, realm, session, now, idleUntil);
    if (session.impersonatedFrom) await touchImpersonatorSession(db, session.impersonatedFrom, now);
  }
  return session;
}

/** Returns the actor of a session, as this realm's audit trail names them. An impersonator has no admin permissions. */
export const actorOfSession = (session: LiveSession, realm: string): Actor =>
  actorOf({
    id: session.userId,
    kind: kindOfUser(session.realm, realm),
    name: session.realm === realm ? session.username : `${session.realm}/${session.username}`,
    realm: session.realm,
    permissions: session.impersonator === null ? session.permissions : new Set(),
    sessionId: session.sessionId,
    impersonator: session.impersonator === null ? null : { id: session.impersonatedFrom?.userId ?? null, name: session.impersonator },
  });

export interface SignIn extends Pick<NewSession, "userId" | "acr" | "amr" | "proofs" | "browserId" | "sourceIp" | "userAgent"> {
  readonly remember: boolean;
  /** The time of the existing session's authentication, if nothing was proven now. */
  readonly authTime?: number;
  /** This browser's current session in the realm. */
  readonly previous: LiveSession | null;
}

export interface StartedSession {
  readonly sessionId: string;
  /** The value of the cookie. The database has only its hash. */
  readonly token: string;
  /** The `Max-Age` of the cookie in seconds. Null makes a session cookie. */
  readonly maxAge: number | null;
}

/** Starts a session, one per browser and realm: the same user keeps it with a new cookie value, another user ends it. */
export async function startSession(ctx: Ctx, policy: Policy, signIn: SignIn): Promise<StartedSession> {
  // An impersonation session is not the user's own, so it ends.
  const { previous } = signIn;
  const isOwn = previous?.userId === signIn.userId && previous.impersonator === null;
  // If nothing was proven, the session keeps the expiry of its sign-in.
  const goesOn = isOwn && signIn.authTime !== undefined ? previous : null;
  const remembered = (goesOn?.remembered ?? signIn.remember) && policy.rememberMe;
  const lifetime = remembered ? policy.rememberDays * DAY : policy.absoluteHours * HOUR;
  const absoluteExpiry = Math.min(goesOn?.absoluteExpiry ?? Infinity, ctx.now + lifetime);
  const token = newSessionToken();
  const session: NewSession = {
    ...signIn,
    sessionId: isOwn ? previous.sessionId : newId(),
    tokenHash: sha256(token),
    now: ctx.now,
    authTime: signIn.authTime ?? ctx.now,
    expiresAt: remembered ? absoluteExpiry : Math.min(ctx.now + policy.idleMinutes * MINUTE, absoluteExpiry),
    absoluteExpiry,
    remembered,
  };
  const renewed = isOwn && (await renewSession(ctx.tx, ctx.realm, session));
  if (!renewed) {
    const ended = previous && (await ends.deleteSession(ctx.tx, ctx.realm, previous.sessionId));
    if (ended) await endDependents(ctx, [ended]);
    await insertSession(ctx.tx, ctx.realm, session);
  }
  return { sessionId: session.sessionId, token, maxAge: remembered ? Math.ceil((absoluteExpiry - ctx.now) / SECOND) : null };
}

/** The maximum duration of an impersonation. */
const MAX_IMPERSONATION = HOUR;

export interface Impersonation extends Pick<SignIn, "userId" | "sourceIp" | "userAgent" | "previous"> {
  readonly sessionId: string;
  readonly impersonator: OwnSession & { readonly name: string };
}

/** Replaces the browser's session in the realm, except the administrator's own, which continues without its cookie. */
export async function startImpersonation(ctx: Ctx, policy: Policy, start: Impersonation): Promise<StartedSession & { until: number }> {
  const { previous, impersonator } = start;
  if (previous && previous.sessionId !== impersonator.sessionId) await endImpersonation(ctx, previous.sessionId);
  const token = newSessionToken();
  const until = ctx.now + MAX_IMPERSONATION;
  await insertSession(ctx.tx, ctx.realm, {
    ...start,
    tokenHash: sha256(token),
    now: ctx.now,
    authTime: ctx.now,
    expiresAt: Math.min(ctx.now + policy.idleMinutes * MINUTE, until),
    absoluteExpiry: until,
    remembered: false,
    acr: "0",
    amr: [], // the user did not authenticate
    proofs: [],
  });
  return { sessionId: start.sessionId, token, maxAge: null, until };
}

/** Ends an impersonation without a LOGOUT event, because the user did not sign out. */
export async function endImpersonation(ctx: Ctx, sessionId: string): Promise<void> {
  const ended = await ends.deleteSession(ctx.tx, ctx.realm, sessionId);
  if (ended) await endDependents(ctx, [ended]);
}

interface SignOut {
  /** The client that requested the end. Null if the user did. */
  readonly askedBy?: string | null;
  /** The user, if the request came from the client and not from the user's session. */
  readonly user?: { readonly id: string; readonly name: string };
}

/** Ends a session because the user signs out. Returns null if it has ended already. */
export async function endSession(ctx: Ctx, sessionId: string, { askedBy = null, user }: SignOut = {}): Promise<ends.EndedSession | null> {
  const ended = await ends.deleteSession(ctx.tx, ctx.realm, sessionId);
  if (!ended) return null;
  const detail = askedBy === null ? null : cut(`asked by ${askedBy}`, 255);
  ctx.audit({ category: "AUTHN", type: "LOGOUT", detail, ...(user && { actor: user }) });
  await endDependents(ctx, [ended]);
  return ended;
}

/** Ends the impersonations that were started from these sessions, and emits `sessions.ended` for all. */
async function endDependents(ctx: Ctx, ended: readonly ends.EndedSession[]): Promise<void> {
  await emitEnded(ctx, [...ended, ...(await ends.deleteImpersonationsFrom(ctx.tx, ended))]);
}

async function emitEnded(ctx: Ctx, ended: readonly ends.EndedSession[]): Promise<void> {
  if (ended.length > 0) await ctx.emit("sessions.ended", { ended });
  for (const { realm, sessionId, userId, impersonator, impersonatorId } of ended) {
    if (impersonator === null) continue;
    ctx.audit({
      category: "SECURITY",
      type: "IMPERSONATION",
      realm,
      // No user can have such a name.
      actor: { id: impersonatorId, name: impersonator, kind: impersonator.startsWith("master/") ? "administrator" : "user" },
      resourceType: "users",
      resourceId: userId,
      detail: `ended session ${sessionId}`,
    });
  }
}

export async function searchSessions(ctx: ReadCtx, query: ListQuery & { readonly userId?: string }): Promise<Page<Session>> {
  return mapPage(await listSessions(ctx.tx, ctx.realm, query, ctx.now), (session) => ({
    ...session,
    current: session.id === ctx.actor.sessionId,
  }));
}

export async function readSession(ctx: ReadCtx, sessionId: string): Promise<Session> {
  const session = isId(sessionId) ? await findSession(ctx.tx, ctx.realm, sessionId, ctx.now) : null;
  if (!session) throw sessionErrors.not_found();
  return { ...session, current: session.id === ctx.actor.sessionId };
}

/** Records the sessions that were ended for the user, and ends the impersonations that depend on them. */
export async function endRevoked(ctx: Ctx, userId: string, ended: readonly ends.EndedSession[]): Promise<void> {
  for (const { sessionId } of ended)
    ctx.audit({ category: "SECURITY", type: "SESSION_REVOKED", resourceType: "users", resourceId: userId, detail: sessionId });
  await endDependents(ctx, ended);
  await ctx.emit("user.sessions_revoked", { userId });
}

/** Checks the escalation rule: a lesser administrator must not shut a greater one out. Everyone may end their own sessions. */
export async function assertMayEnd(ctx: Ctx, userId: string): Promise<void> {
  if (ctx.actor.id !== userId) await assertMayControl(ctx, userId);
}

/** Revokes a session for an administrator, effective on every node at the next request. */
export async function revokeSession(ctx: Ctx, sessionId: string): Promise<void> {
  const ended = isId(sessionId) ? await ends.deleteSession(ctx.tx, ctx.realm, sessionId) : null;
  if (!ended) throw sessionErrors.not_found();
  await assertMayEnd(ctx, ended.userId);
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "sessions", resourceId: sessionId });
  await endRevoked(ctx, ended.userId, [ended]);
}

/** Ends all sessions and impersonations of the user on `user.disabled`. */
export async function endSessionsOfUser(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  const ended = await ends.deleteSessionsOfUser(ctx.tx, ctx.realm, userId, null);
  await emitEnded(ctx, [...ended, ...(await ends.deleteImpersonationsBy(ctx.tx, userId))]);
  await ctx.emit("user.sessions_revoked", { userId });
}

/** Ends the user's other sessions on `user.password_changed`. */
export async function endOtherSessions(
  ctx: Ctx,
  { userId, keepSession }: { readonly userId: string; readonly keepSession: string | null },
): Promise<void> {
  await endDependents(ctx, await ends.deleteSessionsOfUser(ctx.tx, ctx.realm, userId, keepSession));
  await ctx.emit("user.sessions_revoked", { userId });
}

/** Ends the user's sessions and impersonations on `user.erased`, without audit events, which would name the user. */
export async function forgetSessions(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  const own = await ends.deleteSessionsOfUser(ctx.tx, ctx.realm, userId, null);
  const elsewhere = await ends.deleteImpersonationsBy(ctx.tx, userId);
  await ctx.emit("sessions.ended", { ended: [...own.map((session) => ({ ...session, userId: null })), ...elsewhere] });
}

/** The number of sessions per transaction. */
const BATCH = 500;

/**
 * Ends expired sessions: their grants end and their participants are notified. There is no LOGOUT event, because the user did not sign out.
 * Each batch has its own transaction.
 */
export async function endExpiredSessions(work: UnitOfWork, batch = BATCH): Promise<void> {
  const origin = { realm: "master", actor: systemActor("master"), sourceIp: null };
  for (;;) {
    const count = await work.transact(origin, async (ctx) => {
      const ended = await ends.deleteExpiredSessions(ctx.tx, clock.now(), batch);
      await endDependents(ctx, ended);
      return ended.length;
    });
    if (count < batch) return;
  }
}

/** Ends one of the user's own sessions. To end the current one is a sign-out. */
export async function endOwnSession(ctx: Ctx, sessionId: string): Promise<void> {
  const { id: userId } = ctx.actor;
  if (!isId(sessionId) || !(await isOwnSession(ctx.tx, ctx.realm, userId, sessionId, ctx.now))) throw sessionErrors.not_found();
  if (sessionId === ctx.actor.sessionId) return void (await endSession(ctx, sessionId));
  const ended = await ends.deleteSession(ctx.tx, ctx.realm, sessionId);
  if (!ended) throw sessionErrors.not_found();
  await endRevoked(ctx, userId, [ended]);
}

/** Ends all of the user's own sessions except the current one. */
export async function endOtherOwnSessions(ctx: Ctx): Promise<void> {
  const { id: userId, sessionId } = ctx.actor;
  await endRevoked(ctx, userId, await ends.deleteSessionsOfUser(ctx.tx, ctx.realm, userId, sessionId));
}
