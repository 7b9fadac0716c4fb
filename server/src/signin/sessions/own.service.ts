import { isId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { deleteSession, deleteSessionsOfUser, type EndedSession } from "./end.store.ts";
import { isOwnSession } from "./own.store.ts";
import { endSession, endWithThem, sessionErrors } from "./service.ts";

/** The user ends one of their sessions; the one that they are in is signing out. */
export async function endOwnSession(ctx: Ctx, sessionId: string): Promise<void> {
  const { id: userId } = ctx.actor;
  if (!isId(sessionId) || !(await isOwnSession(ctx.tx, ctx.realm, userId, sessionId, ctx.now))) throw sessionErrors.not_found();
  if (sessionId === ctx.actor.sessionId) return void (await endSession(ctx, sessionId));
  const ended = await deleteSession(ctx.tx, ctx.realm, sessionId);
  if (!ended) throw sessionErrors.not_found();
  await tell(ctx, [ended]);
}

/** All but the one that they are in. */
export async function endOtherOwnSessions(ctx: Ctx): Promise<void> {
  await tell(ctx, await deleteSessionsOfUser(ctx.tx, ctx.realm, ctx.actor.id, ctx.actor.sessionId));
}

async function tell(ctx: Ctx, ended: readonly EndedSession[]): Promise<void> {
  for (const { userId, sessionId } of ended)
    ctx.audit({ category: "SECURITY", type: "SESSION_REVOKED", resourceType: "users", resourceId: userId, detail: sessionId });
  await endWithThem(ctx, ended);
}
