import { DAY, HOUR, MINUTE } from "../../kernel/clock.ts";
import { defineErrors } from "../../kernel/errors.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { cut } from "../../kernel/text.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Actor, Ctx, ReadCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { newSessionToken } from "./cookies.ts";
import { deleteImpersonationsBy, deleteImpersonationsFrom, deleteSession, deleteSessionsOfUser, type EndedSession } from "./end.store.ts";
import { isAtWork, keepAwake } from "./impersonators.store.ts";
import { findSession, listSessions } from "./list.store.ts";
import type { SessionEnd } from "./participants.store.ts";
import type { SessionProof } from "./proofs.ts";
import type { Session } from "./schema.ts";
import { findLiveSession, insertSession, type LiveSession, type NewSession, type OwnSession, renewSession, touchSession } from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** However they end, expiry included. Their realms may be others than the work's: an administrator's sessions elsewhere end with theirs. */
    "sessions.ended": { readonly ended: readonly SessionEnd[] };
  }
}

export const sessionErrors = defineErrors("sessions", { not_found: [404, "No such session in this realm"] });

type Policy = Settings["sessions"];

/** Uses close to each other are one: the row is not written at every request. Short idle times are measured more finely. */
const touchEvery = ({ idleMinutes }: Policy) => Math.min(MINUTE, (idleMinutes * MINUTE) / 30);

/** The session that a cookie stands for, if it is alive. */
export async function resolveSession(
  db: Db,
  realm: string,
  token: string | undefined,
  policy: Policy,
  now: number,
): Promise<LiveSession | null> {
  if (!token || token.length > 128) return null;
  const session = await findLiveSession(db, realm, sha256(token), now);
  // Impersonation lasts only as long as the administrator's own session and permission.
  if (session?.impersonatedFrom && !(await isAtWork(db, session.impersonatedFrom, now))) return null;
  if (session && now - session.lastSeenAt >= touchEvery(policy)) {
    const idleUntil = session.remembered ? session.absoluteExpiry : Math.min(now + policy.idleMinutes * MINUTE, session.absoluteExpiry);
    await touchSession(db, realm, session, now, idleUntil);
    if (session.impersonatedFrom) await keepAwake(db, session.impersonatedFrom, now);
  }
  return session;
}

/** Who acts in a session, as this realm's audit trail names them. An impersonator administers nothing in the user's name. */
export const actorOfSession = (session: LiveSession, realm: string): Actor => ({
  id: session.userId,
  name: session.realm === realm ? session.username : `${session.realm}/${session.username}`,
  realm: session.realm,
  permissions: session.impersonator === null ? session.permissions : new Set(),
  sessionId: session.sessionId,
  impersonator: session.impersonator,
});

export interface SignIn {
  readonly userId: string;
  readonly remember: boolean;
  readonly acr: string;
  readonly amr: readonly string[];
  /** The steps that it stands on. */
  readonly proofs: readonly SessionProof[];
  /** Where nothing was proven just now: when the session that goes on was. */
  readonly authTime?: number;
  readonly sourceIp: string | null;
  readonly userAgent: string | null;
  /** The session this browser had in the realm. */
  readonly previous: LiveSession | null;
}

export interface StartedSession {
  readonly sessionId: string;
  /** For the cookie; the database only knows its hash. */
  readonly token: string;
  /** Seconds that the browser keeps the cookie; null for as long as it is open. */
  readonly maxAge: number | null;
}

/** One session per browser and realm: the same user keeps it under a new cookie value, another user ends it. */
export async function startSession(ctx: Ctx, policy: Policy, signIn: SignIn): Promise<StartedSession> {
  const remembered = signIn.remember && policy.rememberMe;
  const absoluteExpiry = ctx.now + (remembered ? policy.rememberDays * DAY : policy.absoluteHours * HOUR);
  // An impersonation session is not the user's own: it ends like another user's.
  const { previous } = signIn;
  const isOwn = previous?.userId === signIn.userId && previous.impersonator === null;
  const token = newSessionToken();
  const session: NewSession = {
    sessionId: isOwn ? previous.sessionId : newId(),
    tokenHash: sha256(token),
    userId: signIn.userId,
    now: ctx.now,
    authTime: signIn.authTime ?? ctx.now,
    expiresAt: remembered ? absoluteExpiry : Math.min(ctx.now + policy.idleMinutes * MINUTE, absoluteExpiry),
    absoluteExpiry,
    remembered,
    acr: signIn.acr,
    amr: signIn.amr,
    proofs: signIn.proofs,
    sourceIp: signIn.sourceIp,
    userAgent: signIn.userAgent === null ? null : cut(signIn.userAgent, 512),
  };
  const renewed = isOwn && (await renewSession(ctx.tx, ctx.realm, session));
  if (!renewed) {
    const ended = previous && (await deleteSession(ctx.tx, ctx.realm, previous.sessionId));
    if (ended) await endWithThem(ctx, [ended]);
    await insertSession(ctx.tx, ctx.realm, session);
  }
  return { sessionId: session.sessionId, token, maxAge: remembered ? policy.rememberDays * (DAY / 1000) : null };
}

/** An administrator plays a user for an hour at most, however long sessions last in the realm. */
const IMPERSONATED_FOR = HOUR;

export interface Impersonation {
  readonly sessionId: string;
  readonly userId: string;
  readonly impersonator: OwnSession & { readonly name: string };
  readonly sourceIp: string | null;
  readonly userAgent: string | null;
  /** The session this browser had in the realm. */
  readonly previous: LiveSession | null;
}

/** Takes the browser's place in the realm, too; but the administrator's own session lives on without its cookie. */
export async function startImpersonation(ctx: Ctx, policy: Policy, start: Impersonation): Promise<StartedSession & { until: number }> {
  const { previous, impersonator } = start;
  if (previous && previous.sessionId !== impersonator.sessionId) await endImpersonation(ctx, previous.sessionId);
  const token = newSessionToken();
  const until = ctx.now + IMPERSONATED_FOR;
  await insertSession(ctx.tx, ctx.realm, {
    sessionId: start.sessionId,
    tokenHash: sha256(token),
    userId: start.userId,
    now: ctx.now,
    authTime: ctx.now,
    expiresAt: Math.min(ctx.now + policy.idleMinutes * MINUTE, until),
    absoluteExpiry: until,
    remembered: false,
    acr: "0",
    amr: [], // the user did not authenticate
    proofs: [],
    sourceIp: start.sourceIp,
    userAgent: start.userAgent === null ? null : cut(start.userAgent, 512),
    impersonator,
  });
  return { sessionId: start.sessionId, token, maxAge: null, until };
}

/** The administrator is done. The user has not signed out, so nothing says so. */
export async function endImpersonation(ctx: Ctx, sessionId: string): Promise<void> {
  const ended = await deleteSession(ctx.tx, ctx.realm, sessionId);
  if (ended) await endWithThem(ctx, [ended]);
}

export interface SignOut {
  /** The application that asked for it; null: the user did, here. */
  readonly askedBy?: string | null;
  /** Who signs out, where the application acts and not the user. */
  readonly user?: { readonly id: string; readonly name: string };
}

/** The user signs out. Null: the session was over already. */
export async function endSession(ctx: Ctx, sessionId: string, { askedBy = null, user }: SignOut = {}): Promise<EndedSession | null> {
  const ended = await deleteSession(ctx.tx, ctx.realm, sessionId);
  if (!ended) return null;
  const detail = askedBy === null ? null : cut(`asked by ${askedBy}`, 255);
  ctx.audit({ category: "AUTHN", type: "LOGOUT", detail, ...(user && { actor: user }) });
  await endWithThem(ctx, [ended]);
  return ended;
}

/** What ends together with sessions: of those that were an administrator's, the ones in which they impersonate. */
export async function endWithThem(ctx: Ctx, ended: readonly EndedSession[]): Promise<void> {
  await tellEnded(ctx, [...ended, ...(await deleteImpersonationsFrom(ctx.tx, ended))]);
}

async function tellEnded(ctx: Ctx, ended: readonly EndedSession[]): Promise<void> {
  if (ended.length > 0) await ctx.emit("sessions.ended", { ended });
  for (const { realm, sessionId, userId, impersonator, impersonatorId } of ended) {
    if (impersonator === null) continue;
    ctx.audit({
      category: "SECURITY",
      type: "IMPERSONATION",
      realm,
      actor: { id: impersonatorId, name: impersonator },
      resourceType: "users",
      resourceId: userId,
      detail: `ended session ${sessionId}`,
    });
  }
}

export async function searchSessions(ctx: ReadCtx, query: ListQuery & { readonly userId?: string }): Promise<Page<Session>> {
  const page = await listSessions(ctx.tx, ctx.realm, query, ctx.now);
  return { ...page, rows: page.rows.map((session) => ({ ...session, current: session.id === ctx.actor.sessionId })) };
}

export async function readSession(ctx: ReadCtx, sessionId: string): Promise<Session> {
  const session = isId(sessionId) ? await findSession(ctx.tx, ctx.realm, sessionId, ctx.now) : null;
  if (!session) throw sessionErrors.not_found();
  return { ...session, current: session.id === ctx.actor.sessionId };
}

/** An administrator ends a user's session: the next request with its cookie is anonymous, on every node. */
export async function revokeSession(ctx: Ctx, sessionId: string): Promise<void> {
  const ended = isId(sessionId) ? await deleteSession(ctx.tx, ctx.realm, sessionId) : null;
  if (!ended) throw sessionErrors.not_found();
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "sessions", resourceId: sessionId });
  ctx.audit({ category: "SECURITY", type: "SESSION_REVOKED", resourceType: "users", resourceId: ended.userId, detail: sessionId });
  await endWithThem(ctx, [ended]);
}

/** `user.disabled` */
export async function endSessionsOfUser(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  const ended = await deleteSessionsOfUser(ctx.tx, ctx.realm, userId, null);
  await tellEnded(ctx, [...ended, ...(await deleteImpersonationsBy(ctx.tx, userId))]);
}

/** `user.password_changed` */
export async function endOtherSessions(
  ctx: Ctx,
  { userId, keepSession }: { readonly userId: string; readonly keepSession: string | null },
): Promise<void> {
  await endWithThem(ctx, await deleteSessionsOfUser(ctx.tx, ctx.realm, userId, keepSession));
}

/** `user.erased`: their own sessions, and those in which they impersonate, which are elsewhere. Events would name them again. */
export async function forgetSessions(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  const own = await deleteSessionsOfUser(ctx.tx, ctx.realm, userId, null);
  const elsewhere = await deleteImpersonationsBy(ctx.tx, userId);
  await ctx.emit("sessions.ended", { ended: [...own.map((session) => ({ ...session, userId: null })), ...elsewhere] });
}
