import { type Ctx, systemActor } from "../../platform/context.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { names } from "./names.ts";
import { deleteGrant, deleteGrantsOf, deleteGrantsOfSessions } from "./records/grants.store.ts";
import { deleteRecordsNaming, deleteRecordsOf, recordsWithTokens, type StoredRecord, sessionIdsOf } from "./records/records.store.ts";

// What ends with something else, in the same transaction. A grant takes its codes and refresh tokens with it, and no access token that
// names it is alive after that.

/** `sessions.ended` */
export async function endGrantsOfSessions(
  ctx: Ctx,
  { ended }: { readonly ended: readonly { readonly realm: string; readonly sessionId: string }[] },
): Promise<void> {
  await deleteGrantsOfSessions(ctx.tx, ended);
}

/** `user.disabled`, `user.logged_out`: also what would live without a session. */
export async function endGrantsOfUser(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  await deleteGrantsOf(ctx.tx, ctx.realm, { userId });
}

/**
 * `user.password_changed`: anyone who knew the old one may have signed in with it. Grants of sessions end with those; this ends what
 * lives without one (`offline_access`, the password grant), and leaves what hangs on the session in which it was changed.
 */
export async function endGrantsBesides(
  ctx: Ctx,
  { userId, keepSession }: { readonly userId: string; readonly keepSession: string | null },
): Promise<void> {
  await deleteGrantsOf(ctx.tx, ctx.realm, { userId, keepSession });
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
  // An `id_token_hint`, or a pushed request, says it in a token. Where `sub` is a pseudonym, the session tells whose it is.
  const known = [userId, username, ...(email === null ? [] : [email]), ...(await sessionIdsOf(ctx.tx, ctx.realm, userId))];
  const theirs = (await recordsWithTokens(ctx.tx, ctx.realm)).filter(({ payload }) => names(payload, known));
  await deleteRecordsOf(ctx.tx, ctx.realm, theirs);
}

/**
 * RFC 9700 §4.14.2, RFC 6749 §4.1.2: what should be used once came twice, so one of those who brought it is a thief. Everything that was
 * given with it ends; who it was cannot be known.
 */
export async function revokeFamily(
  { work, realm }: { readonly work: UnitOfWork; readonly realm: string },
  { grantId, payload }: StoredRecord,
): Promise<void> {
  if (grantId === null) return;
  await work.transact({ realm, actor: systemActor(realm), sourceIp: null }, async (ctx) => {
    const ended = await deleteGrant(ctx.tx, realm, grantId);
    // Of many who find out at once, one tells.
    if (!ended || payload.kind !== "RefreshToken") return;
    ctx.audit({
      category: "SECURITY",
      type: "REFRESH_TOKEN_REUSED",
      resourceType: "users",
      resourceId: ended.userId,
      detail: ended.clientId,
      outcome: "FAILURE",
    });
  });
}
