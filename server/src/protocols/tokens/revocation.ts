import { type Ctx, systemActor } from "../../platform/context.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { namesPerson } from "./names.ts";
import { deleteGrant, deleteGrantsOf, deleteGrantsOfSessions, type GrantsOf } from "./records/grants.store.ts";
import { deleteRecord, deleteRecordsNaming, recordsWithTokens, type StoredRecord, sessionIdsOf } from "./records/records.store.ts";
import { REFRESH_TOKEN } from "./refresh-token.ts";

// Listeners that end grants in the transaction of the event. Codes and refresh tokens are deleted with their grant, and its access tokens
// are no longer live.

/** Ends the grants of sessions on `sessions.ended`. */
export async function endGrantsOfSessions(
  ctx: Ctx,
  { ended }: { readonly ended: readonly { readonly realm: string; readonly sessionId: string }[] },
): Promise<void> {
  await deleteGrantsOfSessions(ctx.tx, ended);
}

/**
 * Ends grants, including offline ones, on `user.disabled`, `user.logged_out`, `client.disabled`, `agent.bound` and `consent.revoked`. On
 * `user.password_changed`, an attacker may have signed in with the old password: this ends the grants without a session (`offline_access`,
 * the password grant), and keeps those of the session in which the password was changed.
 */
export const endGrants = (ctx: Ctx, of: GrantsOf): Promise<void> => deleteGrantsOf(ctx.tx, ctx.realm, of);

/** Deletes pending requests that name the user, on `user.erased`. */
export async function forgetRequests(
  ctx: Ctx,
  { userId, username, email }: { readonly userId: string; readonly username: string; readonly email: string | null },
): Promise<void> {
  const names = email === null ? [username] : [username, email];
  await deleteRecordsNaming(ctx.tx, ctx.realm, { ids: [userId], names });
  // An `id_token_hint` or a request object contains the user in a JWT. If `sub` is pairwise, `sid` identifies the user.
  const person = { ids: [userId, ...(await sessionIdsOf(ctx.tx, ctx.realm, userId))], names };
  for (const record of await recordsWithTokens(ctx.tx, ctx.realm))
    if (namesPerson(record.payload, person)) await deleteRecord(ctx.tx, record);
}

/**
 * RFC 9700 §4.14.2, RFC 6749 §4.1.2: revokes the whole grant when a code or refresh token is replayed. It may be stolen, and the server
 * does not know which caller is the attacker.
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
