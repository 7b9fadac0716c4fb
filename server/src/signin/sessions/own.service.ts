import { isId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { deleteSession, deleteSessionsOfUser } from "./end.store.ts";
import { isOwnSession } from "./own.store.ts";
import { endRevoked, endSession, sessionErrors } from "./service.ts";

/** The user ends one of their sessions; ending the current one is a sign-out. */
export async function endOwnSession(ctx: Ctx, sessionId: string): Promise<void> {
  const { id: userId } = ctx.actor;
  if (!isId(sessionId) || !(await isOwnSession(ctx.tx, ctx.realm, userId, sessionId, ctx.now))) throw sessionErrors.not_found();
  if (sessionId === ctx.actor.sessionId) return void (await endSession(ctx, sessionId));
  const ended = await deleteSession(ctx.tx, ctx.realm, sessionId);
  if (!ended) throw sessionErrors.not_found();
  await endRevoked(ctx, [ended]);
}

/** All but the current session. */
export async function endOtherOwnSessions(ctx: Ctx): Promise<void> {
  await endRevoked(ctx, await deleteSessionsOfUser(ctx.tx, ctx.realm, ctx.actor.id, ctx.actor.sessionId));
}
