import type { Ctx } from "../../platform/context.ts";
import { deleteGrantsOf } from "./adapter/grants.store.ts";
import { deleteRecordsNaming } from "./adapter/records.store.ts";

// What ends with something else, in the same transaction. A grant takes its codes and refresh tokens with it, and no access token that
// names it is alive after that.

/** `session.ended` */
export async function endGrantsOfSession(
  ctx: Ctx,
  { realm, sessionId }: { readonly realm: string; readonly sessionId: string },
): Promise<void> {
  await deleteGrantsOf(ctx.tx, realm, { sessionId });
}

/** `user.disabled`: also what would live without a session. */
export async function endGrantsOfUser(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  await deleteGrantsOf(ctx.tx, ctx.realm, { userId });
}

/** `consent.revoked` */
export async function endGrantsUnderConsent(
  ctx: Ctx,
  { userId, clientId }: { readonly userId: string; readonly clientId: string },
): Promise<void> {
  await deleteGrantsOf(ctx.tx, ctx.realm, { userId, clientId });
}

/** `client.disabled`, `client.deleted` */
export async function endGrantsOfClient(ctx: Ctx, { clientId }: { readonly clientId: string }): Promise<void> {
  await deleteGrantsOf(ctx.tx, ctx.realm, { clientId });
}

/** `user.erased` */
export async function forgetRequests(
  ctx: Ctx,
  { userId, username, email }: { readonly userId: string; readonly username: string; readonly email: string | null },
): Promise<void> {
  await deleteRecordsNaming(ctx.tx, ctx.realm, [userId, username, email ?? userId]);
}
