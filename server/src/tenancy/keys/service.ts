import { defineErrors } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { Vault } from "../../kernel/vault.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { isEdwards } from "./algorithms.ts";
import { generateCompanion, type NewCompanion } from "./companion.ts";
import type { NewKey } from "./generate.ts";
import type { RealmKey, VersionedKey } from "./schema.ts";
import { deleteKey, findActiveWithout, findKey, insertCompanions, insertKey, listKeys, lockKey, retireActiveKey } from "./store.ts";

const errors = defineErrors("keys", {
  not_found: [404, "No such key in this realm"],
  active: [409, "The ACTIVE key is in use and cannot be deleted: rotate the keys first"],
});

/** Returns every key of the realm, the signer first. */
export const readKeys = (ctx: ReadCtx): Promise<RealmKey[]> => listKeys(ctx.tx, ctx.realm);

export async function readKey(ctx: ReadCtx, keyId: string): Promise<VersionedKey> {
  const key = isId(keyId) ? await findKey(ctx.tx, ctx.realm, keyId) : null;
  if (!key) throw errors.not_found();
  return key;
}

/** Makes `key` the signer. The previous one stays published, so that its signatures remain valid. A realm that had an Ed25519 key gets another. */
export async function rotateKey(ctx: Ctx, vault: Vault, key: NewKey): Promise<RealmKey> {
  // Two rotations at once take turns, and both succeed.
  await lockRealm(ctx.tx, ctx.realm);
  const hadEdwards = (await findActiveWithout(ctx.tx, ctx.realm, "ed")) === null;
  await retireActiveKey(ctx.tx, ctx.realm, ctx.now);
  const active = await insertKey(ctx.tx, ctx.realm, key, ctx.now);
  await insertCompanions(ctx.tx, ctx.realm, key.companions, ctx.now);
  if (hadEdwards) await addEdwards(ctx, vault);
  await recordConfigChange(ctx, "ADMIN_ACTION", "keys", active.keyId, "rotate");
  ctx.audit({ category: "SECURITY", type: "KEY_ROTATED", resourceType: "keys", resourceId: active.keyId });
  return active;
}

/** Stores the companions that `keyId` does not have yet, unless the key was deleted in the meantime. */
export async function addCompanions(ctx: Ctx, keyId: string, companions: readonly NewCompanion[]): Promise<void> {
  if (!(await lockKey(ctx.tx, ctx.realm, keyId))) return;
  await insertCompanions(ctx.tx, ctx.realm, companions, ctx.now);
  await ctx.configChanged();
}

/** Publishes an Ed25519 key beside the signer, unless there is one. Generating it takes a fraction of a millisecond. */
async function addEdwards(ctx: Ctx, vault: Vault): Promise<void> {
  const keyId = await findActiveWithout(ctx.tx, ctx.realm, "ed");
  if (keyId !== null) await addCompanions(ctx, keyId, [await generateCompanion(vault, ctx.realm, keyId, "ed")]);
}

/** Handles `settings.changed` and `client.signatures_chosen`: publishes an Ed25519 key as soon as someone asks for its signatures. */
export const publishEdwards =
  (vault: Vault) =>
  async (ctx: Ctx, { algs }: { readonly algs: readonly (string | null)[] }): Promise<void> => {
    if (algs.some((alg) => alg !== null && isEdwards(alg))) await addEdwards(ctx, vault);
  };

/** Removes a retained key and its companions from the JWKS. Their signatures no longer verify. */
export async function removeKey(ctx: Ctx, keyId: string): Promise<void> {
  const key = isId(keyId) ? await lockKey(ctx.tx, ctx.realm, keyId) : null;
  if (!key) throw errors.not_found();
  expectVersion(ctx, key.version);
  if (key.status === "ACTIVE") throw errors.active();
  await deleteKey(ctx.tx, ctx.realm, keyId);
  await recordConfigChange(ctx, "ADMIN_DELETE", "keys", keyId);
  ctx.audit({ category: "SECURITY", type: "KEY_DELETED", resourceType: "keys", resourceId: keyId });
}

/** Handles `realm.created`. */
export async function seedKey(ctx: Ctx, seed: { readonly realm: string; readonly signingKey: NewKey }): Promise<void> {
  await insertKey(ctx.tx, seed.realm, seed.signingKey, ctx.now);
  await insertCompanions(ctx.tx, seed.realm, seed.signingKey.companions, ctx.now);
}
