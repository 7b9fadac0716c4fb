import { DAY, HOUR, MINUTE } from "../../kernel/clock.ts";
import { defineErrors } from "../../kernel/errors.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { cut } from "../../kernel/text.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { ListQuery, Page } from "../../platform/http/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import type { Session } from "./schema.ts";
import {
  deleteSession,
  deleteSessionsOfUser,
  findLiveSession,
  insertSession,
  type LiveSession,
  listSessions,
  type NewSession,
  renewSession,
  touchSession,
} from "./store.ts";

const errors = defineErrors("sessions", { not_found: [404, "No such session in this realm"] });

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
  if (session && now - session.lastSeenAt >= touchEvery(policy)) {
    const idleUntil = session.remembered ? session.absoluteExpiry : Math.min(now + policy.idleMinutes * MINUTE, session.absoluteExpiry);
    await touchSession(db, realm, session, now, idleUntil);
  }
  return session;
}

export interface SignIn {
  readonly userId: string;
  readonly remember: boolean;
  readonly acr: string | null;
  readonly amr: readonly string[];
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
  // A session in which an administrator plays the user is not the user's own: it ends like somebody else's.
  const { previous } = signIn;
  const isOwn = previous?.userId === signIn.userId && previous.impersonator === null;
  const token = randomToken();
  const session: NewSession = {
    sessionId: isOwn ? previous.sessionId : newId(),
    tokenHash: sha256(token),
    userId: signIn.userId,
    now: ctx.now,
    expiresAt: remembered ? absoluteExpiry : Math.min(ctx.now + policy.idleMinutes * MINUTE, absoluteExpiry),
    absoluteExpiry,
    remembered,
    acr: signIn.acr,
    amr: signIn.amr,
    sourceIp: signIn.sourceIp,
    userAgent: signIn.userAgent === null ? null : cut(signIn.userAgent, 512),
  };
  const renewed = isOwn && (await renewSession(ctx.tx, ctx.realm, session));
  if (!renewed) {
    if (previous) await deleteSession(ctx.tx, ctx.realm, previous.sessionId);
    await insertSession(ctx.tx, ctx.realm, session);
  }
  return { sessionId: session.sessionId, token, maxAge: remembered ? policy.rememberDays * (DAY / 1000) : null };
}

/** The user signs out. */
export async function endSession(ctx: Ctx, sessionId: string): Promise<void> {
  const ended = await deleteSession(ctx.tx, ctx.realm, sessionId);
  if (ended) ctx.audit({ category: "AUTHN", type: "LOGOUT" });
}

export async function searchSessions(ctx: ReadCtx, query: ListQuery): Promise<Page<Session>> {
  const page = await listSessions(ctx.tx, ctx.realm, query, ctx.now);
  return { ...page, rows: page.rows.map((session) => ({ ...session, current: session.id === ctx.actor.sessionId })) };
}

/** An administrator ends somebody's session: the next request with its cookie is a stranger's, on every node. */
export async function revokeSession(ctx: Ctx, sessionId: string): Promise<void> {
  const ended = isId(sessionId) ? await deleteSession(ctx.tx, ctx.realm, sessionId) : null;
  if (!ended) throw errors.not_found();
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "sessions", resourceId: sessionId });
  ctx.audit({ category: "SECURITY", type: "SESSION_REVOKED", resourceType: "users", resourceId: ended.userId, detail: sessionId });
}

/** `user.disabled` */
export const endSessionsOfUser = (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> =>
  deleteSessionsOfUser(ctx.tx, ctx.realm, userId, null);

/** `user.password_changed` */
export const endOtherSessions = (
  ctx: Ctx,
  { userId, keepSession }: { readonly userId: string; readonly keepSession: string | null },
): Promise<void> => deleteSessionsOfUser(ctx.tx, ctx.realm, userId, keepSession);
