import { readUser } from "../../directory/users/index.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { deleteSessionsOfUser } from "./end.store.ts";
import type { Session } from "./schema.ts";
import { assertMayEnd, endRevoked, searchSessions } from "./service.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** An administrator signed the user out everywhere. Grants that need no session end too. */
    "user.logged_out": { readonly userId: string };
  }
}

export async function searchSessionsOfUser(ctx: ReadCtx, id: string, query: ListQuery): Promise<Page<Session>> {
  const { userId } = await readUser(ctx, id);
  return searchSessions(ctx, { ...query, userId });
}

/** Ends every session of a user, including impersonation sessions. Offline grants stay. */
export async function revokeSessionsOfUser(ctx: Ctx, id: string): Promise<void> {
  const { userId } = await readUser(ctx, id);
  await assertMayEnd(ctx, userId);
  const count = await revokeAll(ctx, userId);
  if (count === 0) return;
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "users", resourceId: userId, detail: `sessions: ${count}` });
}

/** Signs a user out everywhere, including offline grants. Afterwards no client has a live token of the user. */
export async function logOutUser(ctx: Ctx, id: string): Promise<void> {
  const { userId } = await readUser(ctx, id);
  await assertMayEnd(ctx, userId);
  const count = await revokeAll(ctx, userId);
  await ctx.emit("user.logged_out", { userId });
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "users", resourceId: userId, detail: `logout, sessions: ${count}` });
}

async function revokeAll(ctx: Ctx, userId: string): Promise<number> {
  const all = await deleteSessionsOfUser(ctx.tx, ctx.realm, userId, null);
  await endRevoked(ctx, userId, all);
  return all.length;
}
