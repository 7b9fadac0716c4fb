import { defineErrors } from "../../kernel/errors.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { sha256, type Vault } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Page } from "../../platform/paging/index.ts";
import { mapPage } from "../../platform/paging/index.ts";
import type { PushToken, PushTokenQuery, RegisterPushToken } from "./push-tokens.schema.ts";
import {
  deletePushToken,
  listPushTokens,
  lockPushToken,
  ownerOfToken,
  type PushTokenRow,
  readPushTokenRow,
  tokenPlace,
  upsertPushToken,
} from "./push-tokens.store.ts";

const errors = defineErrors("messaging", { push_token_not_found: [404, "No such push token in this realm"] });

export interface PushTokenParts {
  readonly vault: Vault;
  /** The escalation rule: an actor who decides where approvals go could sign in as that user. */
  readonly assertMayControl: (ctx: ReadCtx, userId: string) => Promise<void>;
}

export async function searchPushTokens(ctx: ReadCtx, query: PushTokenQuery, { vault }: PushTokenParts): Promise<Page<PushToken>> {
  return mapPage(await listPushTokens(ctx.tx, ctx.realm, query), (row) => toRecord(row, vault));
}

export async function readPushToken(ctx: ReadCtx, id: string, { vault }: PushTokenParts): Promise<PushToken> {
  const row = isId(id) ? await readPushTokenRow(ctx.tx, ctx.realm, id) : null;
  if (!row) throw errors.push_token_not_found();
  return toRecord(row, vault);
}

export async function registerPushToken(ctx: Ctx, input: RegisterPushToken, parts: PushTokenParts): Promise<PushToken> {
  const { userId, driver, token } = input;
  await parts.assertMayControl(ctx, userId);
  const hash = sha256(token);
  const id = newId();
  const sealedToken = parts.vault.seal(token, tokenPlace(ctx.realm, id));
  const fresh = { id, userId, driver, sealedToken, hash, deviceName: input.deviceName ?? null };
  for (;;) {
    const owner = await ownerOfToken(ctx.tx, ctx.realm, driver, hash);
    // A device is a factor, so taking it from a user needs control of that user.
    if (owner !== null && owner !== userId) await parts.assertMayControl(ctx, owner);
    const row = await upsertPushToken(ctx.tx, ctx.realm, fresh, owner, ctx.now);
    // Another user registered the same token between the two statements, so its owner is read again.
    if (!row) continue;
    ctx.audit({
      category: "ADMIN",
      type: "ADMIN_CREATE",
      resourceType: "messaging",
      resourceId: row.push_token_id,
      detail: `push token of ${userId}`,
    });
    if (owner !== null && owner !== userId)
      ctx.audit({ category: "SECURITY", type: "CREDENTIAL_REVOKED", resourceType: "users", resourceId: owner, detail: "push token" });
    ctx.audit({ category: "SECURITY", type: "CREDENTIAL_ADDED", resourceType: "users", resourceId: userId, detail: "push token" });
    return toRecord(row, parts.vault);
  }
}

export async function removePushToken(ctx: Ctx, id: string, { assertMayControl }: PushTokenParts): Promise<void> {
  const row = isId(id) ? await lockPushToken(ctx.tx, ctx.realm, id) : null;
  if (!row) throw errors.push_token_not_found();
  await assertMayControl(ctx, row.user_id);
  await deletePushToken(ctx.tx, ctx.realm, id);
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "messaging", resourceId: id, detail: `push token of ${row.user_id}` });
  ctx.audit({ category: "SECURITY", type: "CREDENTIAL_REVOKED", resourceType: "users", resourceId: row.user_id, detail: "push token" });
}

/**
 * Stores a device that its owner enrolls. Returns its id, which is the earlier one if the device was already known. Returns null if the token belongs to
 * another user: taking a device from a user would take a factor from them.
 */
export async function keepDeviceToken(
  ctx: Ctx,
  vault: Vault,
  { userId, driver, token, deviceName }: Required<RegisterPushToken>,
): Promise<string | null> {
  const id = newId();
  const sealedToken = vault.seal(token, tokenPlace(ctx.realm, id));
  const row = await upsertPushToken(ctx.tx, ctx.realm, { id, userId, driver, sealedToken, hash: sha256(token), deviceName }, null, ctx.now);
  return row?.push_token_id ?? null;
}

export const openToken = (row: PushTokenRow, vault: Vault): string => vault.open(row.token, tokenPlace(row.realm_id, row.push_token_id));

/** Returns enough of a token to distinguish two devices, but not enough to send to one. */
const masked = (token: string): string => `…${token.slice(-4)}`;

const toRecord = (row: PushTokenRow, vault: Vault): PushToken => ({
  id: row.push_token_id,
  realmId: row.realm_id,
  userId: row.user_id,
  driver: row.driver,
  token: masked(openToken(row, vault)),
  deviceName: row.device_name,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});
