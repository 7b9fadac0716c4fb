import { systemActor } from "../../../platform/context.ts";
import { deleteGrant } from "./grants.store.ts";
import type { AdapterParts } from "./index.ts";
import type { StoredRecord } from "./records.store.ts";

/**
 * RFC 9700 §4.14.2, RFC 6749 §4.1.2: what should be used once came twice, so one of those who brought it is a thief. Everything that was
 * given with it ends; who it was cannot be known.
 */
export async function revokeFamily(
  { work, realm }: Pick<AdapterParts, "work" | "realm">,
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
