import { defineErrors } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import type { NewCompanion } from "./companion.ts";
import type { NewKey } from "./generate.ts";
import type { RealmKey } from "./schema.ts";
import { deleteKey, insertCompanions, insertKey, listKeys, lockKey, retireActiveKey } from "./store.ts";

const errors = defineErrors("keys", {
  not_found: [404, "No such key in this realm"],
  active: [409, "The ACTIVE key signs at this moment and cannot be deleted: rotate first"],
});

/** Every key of the realm, the signer first. */
export const readKeys = (ctx: ReadCtx): Promise<RealmKey[]> => listKeys(ctx.tx, ctx.realm);

export async function readKey(ctx: ReadCtx, keyId: string): Promise<RealmKey> {
  const key = (await readKeys(ctx)).find((one) => one.keyId === keyId.toLowerCase());
  if (!key) throw errors.not_found();
  return key;
}

/** Makes `key` the signer. The one before stays published, so that what it signed keeps verifying. */
export async function rotateKey(ctx: Ctx, key: NewKey): Promise<RealmKey> {
  // Two rotations at once take turns, and both succeed.
  await lockRealm(ctx.tx, ctx.realm);
  await retireActiveKey(ctx.tx, ctx.realm, ctx.now);
  const active = await insertKey(ctx.tx, ctx.realm, key, ctx.now);
  await insertCompanions(ctx.tx, ctx.realm, key.companions, ctx.now);
  await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "keys", resourceId: active.keyId, detail: "rotate" });
  ctx.audit({ category: "SECURITY", type: "KEY_ROTATED", resourceType: "keys", resourceId: active.keyId });
  return active;
}

/** Keeps those that `keyId` does not have yet, unless it is gone by now. */
export async function addCompanions(ctx: Ctx, keyId: string, companions: readonly NewCompanion[]): Promise<void> {
  if (!(await lockKey(ctx.tx, ctx.realm, keyId))) return;
  await insertCompanions(ctx.tx, ctx.realm, companions, ctx.now);
  await ctx.configChanged();
}

/** Takes a retained key, and the companions that share its life, out of the JWKS: what they signed no longer verifies. */
export async function removeKey(ctx: Ctx, keyId: string): Promise<void> {
  const key = isId(keyId) ? await lockKey(ctx.tx, ctx.realm, keyId) : null;
  if (!key) throw errors.not_found();
  if (key.status === "ACTIVE") throw errors.active();
  await deleteKey(ctx.tx, ctx.realm, keyId);
  await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "keys", resourceId: keyId });
  ctx.audit({ category: "SECURITY", type: "KEY_DELETED", resourceType: "keys", resourceId: keyId });
}

/** `realm.created` */
export async function seedKey(ctx: Ctx, seed: { readonly realm: string; readonly signingKey: NewKey }): Promise<void> {
  await insertKey(ctx.tx, seed.realm, seed.signingKey, ctx.now);
  await insertCompanions(ctx.tx, seed.realm, seed.signingKey.companions, ctx.now);
}
