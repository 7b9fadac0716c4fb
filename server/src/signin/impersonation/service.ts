import { permissionsOfUser } from "../../directory/roles/index.ts";
import { findUserForUpdate, holdUserForSignIn, isSelf } from "../../directory/users/index.ts";
import { MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import { type Actor, actorOf, type Ctx, kindOfUser } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import * as sessions from "../sessions/index.ts";
import { impersonationErrors } from "./errors.ts";
import { findTicket, insertTicket, type Ticket, takeTicket } from "./tickets.store.ts";

/** Long enough to open a link, and too short to pass it on. */
const TICKET_LIFETIME = MINUTE;

/** Creates a link with which an administrator impersonates the user. The escalation rule applies: impersonation never gains permissions. */
export async function askToImpersonate(ctx: Ctx, id: string): Promise<{ sessionId: string; token: string; expiresAt: number }> {
  const user = await findUserForUpdate(ctx, id);
  const { actor } = ctx;
  if (isSelf(ctx, user.userId)) throw impersonationErrors.self();
  if (!user.enabled || user.locked) throw impersonationErrors.shut_out();
  if (actor.sessionId === null) throw impersonationErrors.no_session();
  const token = randomToken();
  const sessionId = newId();
  const expiresAt = ctx.now + TICKET_LIFETIME;
  await insertTicket(
    ctx.tx,
    ctx.realm,
    {
      sessionId,
      userId: user.userId,
      impersonator: { name: actor.name, userId: actor.id, realm: actor.realm, sessionId: actor.sessionId },
      tokenHash: sha256(token),
      expiresAt,
    },
    ctx.now,
  );
  const about = { resourceType: "users", resourceId: user.userId } as const;
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", ...about, detail: "impersonate" });
  ctx.audit({ category: "SECURITY", type: "IMPERSONATION", ...about, detail: `asked for session ${sessionId}` });
  return { sessionId, token, expiresAt };
}

export const lookAtTicket = (db: Db, realm: string, token: string, now: number) => findTicket(db, realm, sha256(token), now);

/** Returns the administrator who asked for the link, and who opens it. */
export const actorOfTicket = ({ impersonator: { userId: id, name, realm, sessionId } }: Ticket, of: string): Actor =>
  actorOf({ kind: kindOfUser(realm, of), id, name, realm, sessionId });

interface Opening extends Pick<sessions.Impersonation, "sourceIp" | "userAgent" | "previous"> {
  readonly token: string;
  readonly policy: Settings["sessions"];
}

/** Opens the link: once, and only while the administrator is signed in and the escalation rule still holds. */
export async function openTicket(ctx: Ctx, { token, policy, ...browser }: Opening): Promise<sessions.StartedSession> {
  const ticket = await takeTicket(ctx.tx, ctx.realm, sha256(token), ctx.now);
  if (!ticket) throw impersonationErrors.gone();
  const { userId, sessionId, impersonator } = ticket;
  // The user is locked until commit: a request that disables or locks them now finds this session and ends it.
  if (!(await holdUserForSignIn(ctx.tx, ctx.realm, userId))) throw impersonationErrors.shut_out();
  if (!(await sessions.mayStillImpersonate(ctx.tx, impersonator, ctx.now))) throw impersonationErrors.over();
  const held = new Set<string>(await permissionsOfUser(ctx.tx, impersonator.realm, impersonator.userId));
  assertHolds({ ...ctx.actor, permissions: held }, await permissionsOfUser(ctx.tx, ctx.realm, userId));
  const started = await sessions.startImpersonation(ctx, policy, { ...browser, sessionId, userId, impersonator });
  ctx.audit({
    category: "SECURITY",
    type: "IMPERSONATION",
    resourceType: "users",
    resourceId: userId,
    detail: `began session ${sessionId}, until ${new Date(started.until).toISOString()} at the latest`,
  });
  return started;
}

/**
 * Ends the impersonation. The administrator's own session of the same realm gets a new cookie value, but only in the browser that put it
 * aside: an attacker with the user's session must not become an administrator by ending it.
 */
export async function stopImpersonating(
  ctx: Ctx,
  session: sessions.LiveSession,
  ownToken: string | undefined,
): Promise<sessions.StartedSession | null> {
  await sessions.endImpersonation(ctx, session.sessionId);
  const own = session.impersonatedFrom;
  if (own?.realm !== ctx.realm || !ownToken) return null;
  const token = sessions.newSessionToken();
  const back = await sessions.takeBackSession(ctx.tx, own, { shown: sha256(ownToken), next: sha256(token) }, ctx.now);
  if (!back) return null;
  const maxAge = back.remembered ? Math.floor((back.absoluteExpiry - ctx.now) / 1000) : null;
  return { sessionId: own.sessionId, token, maxAge };
}
