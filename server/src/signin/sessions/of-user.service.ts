import { readUser } from "../../directory/users/index.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { deleteSessionsOfUser } from "./end.store.ts";
import type { Session } from "./schema.ts";
import { endWithThem, searchSessions } from "./service.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** An administrator signed the user out everywhere: grants that need no session end, too. */
    "user.logged_out": { readonly userId: string };
  }
}

export async function searchSessionsOfUser(ctx: ReadCtx, id: string, query: ListQuery): Promise<Page<Session>> {
  const { userId } = await readUser(ctx, id);
  return searchSessions(ctx, { ...query, userId });
}

// Ending sessions gives the administrator no control of the user, so the escalation rule has no say: the same as for `DELETE /sessions/{id}`.

/** Ends every session of a user, also those in which an administrator impersonates them. What lives without a session goes on. */
export async function revokeSessionsOfUser(ctx: Ctx, id: string): Promise<void> {
  const { userId } = await readUser(ctx, id);
  const count = await revokeAll(ctx, userId);
  if (count === 0) return;
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "users", resourceId: userId, detail: `sessions: ${count}` });
}

/** Signs a user out everywhere, offline grants included: afterwards no application has a token of theirs that works. */
export async function logOutUser(ctx: Ctx, id: string): Promise<void> {
  const { userId } = await readUser(ctx, id);
  const count = await revokeAll(ctx, userId);
  await ctx.emit("user.logged_out", { userId });
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "users", resourceId: userId, detail: `logout, sessions: ${count}` });
}

async function revokeAll(ctx: Ctx, userId: string): Promise<number> {
  const all = await deleteSessionsOfUser(ctx.tx, ctx.realm, userId, null);
  for (const { sessionId } of all)
    ctx.audit({ category: "SECURITY", type: "SESSION_REVOKED", resourceType: "users", resourceId: userId, detail: sessionId });
  await endWithThem(ctx, all);
  return all.length;
}
