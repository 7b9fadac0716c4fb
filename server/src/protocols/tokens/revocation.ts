import { type Ctx, systemActor } from "../../platform/context.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { namesPerson } from "./names.ts";
import { deleteGrant, deleteGrantsOf, deleteGrantsOfSessions, type GrantsOf } from "./records/grants.store.ts";
import { deleteRecord, deleteRecordsNaming, recordsWithTokens, type StoredRecord, sessionIdsOf } from "./records/records.store.ts";
import { REFRESH_TOKEN } from "./refresh-token.ts";

// Listeners that end grants, in the transaction of the event. A grant's codes and refresh tokens are deleted with it, and its access tokens are no
// longer live.

/** `sessions.ended` */
export async function endGrantsOfSessions(
  ctx: Ctx,
  { ended }: { readonly ended: readonly { readonly realm: string; readonly sessionId: string }[] },
): Promise<void> {
  await deleteGrantsOfSessions(ctx.tx, ended);
}

/**
 * `user.disabled`, `user.logged_out`, `client.disabled`, `agent.bound`, `consent.revoked`: offline grants included. `user.password_changed`: an
 * attacker may have signed in with the old password. Grants of sessions end with the sessions; this ends the offline ones (`offline_access`, the
 * password grant), and keeps those of the session in which it was changed.
 */
export const endGrants = (ctx: Ctx, of: GrantsOf): Promise<void> => deleteGrantsOf(ctx.tx, ctx.realm, of);

/** `user.erased` */
export async function forgetRequests(
  ctx: Ctx,
  { userId, username, email }: { readonly userId: string; readonly username: string; readonly email: string | null },
): Promise<void> {
  const names = email === null ? [username] : [username, email];
  await deleteRecordsNaming(ctx.tx, ctx.realm, { ids: [userId], names });
  // An `id_token_hint` or a request object has the user in a JWT. If `sub` is pairwise, `sid` identifies the user.
  const person = { ids: [userId, ...(await sessionIdsOf(ctx.tx, ctx.realm, userId))], names };
  for (const record of await recordsWithTokens(ctx.tx, ctx.realm))
    if (namesPerson(record.payload, person)) await deleteRecord(ctx.tx, record);
}

/**
 * RFC 9700 §4.14.2, RFC 6749 §4.1.2: a replayed code or refresh token may be stolen, and the server does not know which caller is the attacker.
 * The whole grant is revoked.
 */
export async function revokeFamily(
  { work, realm }: { readonly work: UnitOfWork; readonly realm: string },
  { grantId, payload }: StoredRecord,
): Promise<void> {
  if (grantId === null) return;
  await work.transact({ realm, actor: systemActor(realm), sourceIp: null }, async (ctx) => {
    const ended = await deleteGrant(ctx.tx, realm, grantId);
    // Concurrent replays record the event once.
    if (!ended || payload.kind !== REFRESH_TOKEN) return;
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
