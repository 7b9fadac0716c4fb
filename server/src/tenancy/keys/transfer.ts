import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import Type, { type Static } from "typebox";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import type { Vault } from "../../kernel/vault.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { oneOf } from "../../platform/http/index.ts";
import { assertHolds } from "../permissions/index.ts";
import { companionKinds, companionPlace, type NewCompanion, type PublicJwk } from "./companion.ts";
import { privateKeyPlace } from "./generate.ts";
import { activateKey, findCompanions, findPrivateKey, insertCompanions, insertKey, listKeys, lockKey, retireActiveKey } from "./store.ts";

const der = (description: string) => Type.String({ minLength: 1, maxLength: 16_384, pattern: "^[A-Za-z0-9+/]+={0,2}$", description });

/** A signing key with its private half, in the form that moves from one server to another. */
export const CarriedKey = Type.Object(
  {
    keyId: Type.String({ format: "uuid" }),
    status: oneOf(["ACTIVE", "RETAINED"]),
    publicKey: der("base64 DER (SubjectPublicKeyInfo)"),
    privateKey: der("base64 DER (PKCS #8)"),
    certificate: der("base64 DER"),
    createdAt: Type.Integer({ minimum: 0 }),
    companions: Type.Array(
      Type.Object(
        { kind: oneOf(companionKinds), publicJwk: Type.Unsafe<PublicJwk>({ type: "object" }), privateKey: der("base64 DER (PKCS #8)") },
        { additionalProperties: false },
      ),
      { maxItems: companionKinds.length },
    ),
  },
  { additionalProperties: false },
);
export type CarriedKey = Static<typeof CarriedKey>;

/** Returns every key of the realm; private halves are opened on demand. */
export async function readCarriedKeys(ctx: ReadCtx, vault: Vault) {
  const keys = await listKeys(ctx.tx, ctx.realm);
  const companions = await findCompanions(ctx.tx, ctx.realm);
  return Promise.all(
    keys.map(async ({ keyId, status, publicKey, certificate, createdAt }) => {
      const sealed = (await findPrivateKey(ctx.tx, ctx.realm, keyId, null))!;
      return {
        ...{ keyId, status, publicKey, certificate, createdAt },
        privateKey: () => vault.open(sealed, privateKeyPlace(ctx.realm, keyId)),
        companions: companions
          .filter((companion) => companion.keyId === keyId)
          .map(({ kind, publicJwk, sealedPrivateKey }) => ({
            kind,
            publicJwk,
            privateKey: () => vault.open(sealedPrivateKey, companionPlace(ctx.realm, keyId, kind)),
          })),
      };
    }),
  );
}

/** Adds a key from elsewhere; an ACTIVE one signs from now on. It needs `realm-admin`: the holder of the key could sign tokens for every user. */
export async function adoptKey(ctx: Ctx, vault: Vault, key: CarriedKey): Promise<void> {
  assertHolds(ctx.actor, ["realm-admin"]);
  const faults = faultsOf(key);
  if (faults.length > 0) throw invalidFields(faults);
  await lockRealm(ctx.tx, ctx.realm);
  const { keyId } = key;
  const isActive = key.status === "ACTIVE";
  if (isActive) await retireActiveKey(ctx.tx, ctx.realm, ctx.now);
  if (await lockKey(ctx.tx, ctx.realm, keyId)) {
    if (isActive) await activateKey(ctx.tx, ctx.realm, keyId);
  } else {
    const sealedPrivateKey = vault.seal(key.privateKey, privateKeyPlace(ctx.realm, keyId));
    const { publicKey, certificate, status } = key;
    await insertKey(ctx.tx, ctx.realm, { keyId, publicKey, certificate, sealedPrivateKey, companions: [] }, key.createdAt, status);
  }
  const companions = key.companions.map(
    ({ kind, publicJwk, privateKey }): NewCompanion => ({
      ...{ kind, keyId, publicJwk },
      sealedPrivateKey: vault.seal(privateKey, companionPlace(ctx.realm, keyId, kind)),
    }),
  );
  await insertCompanions(ctx.tx, ctx.realm, companions, ctx.now);
  await recordConfigChange(ctx, "ADMIN_ACTION", "keys", keyId, "import");
  if (isActive) ctx.audit({ category: "SECURITY", type: "KEY_ROTATED", resourceType: "keys", resourceId: keyId });
}

function faultsOf(key: CarriedKey): FieldError[] {
  const faults: FieldError[] = [];
  const fault = (field: string, message: string) => faults.push({ field, code: "key", message: `${field} ${message}` });
  const spki = spkiOf(key.privateKey, "rsa");
  if (spki === null) fault("privateKey", "is not an RSA key");
  else if (spki !== key.publicKey) fault("publicKey", "does not belong to the private key");
  try {
    const certified = new X509Certificate(Buffer.from(key.certificate, "base64")).publicKey;
    if (spki !== null && certified.export({ format: "der", type: "spki" }).toString("base64") !== spki)
      fault("certificate", "is not of this key");
  } catch {
    fault("certificate", "is not a certificate");
  }
  for (const [at, { kind, publicJwk, privateKey }] of key.companions.entries()) {
    const type: KeyObject["asymmetricKeyType"] = kind === "ed" ? "ed25519" : "ec";
    if (publicJwk.kid !== `${key.keyId}-${kind}`) fault(`companions.${at}.publicJwk.kid`, "does not name this key");
    else if (spkiOf(privateKey, type) === null || spkiOf(privateKey, type) !== spkiOfJwk(publicJwk))
      fault(`companions.${at}.privateKey`, "does not belong to the public key");
  }
  return faults;
}

function spkiOf(pkcs8: string, type: KeyObject["asymmetricKeyType"]): string | null {
  try {
    const key = createPrivateKey({ key: Buffer.from(pkcs8, "base64"), format: "der", type: "pkcs8" });
    if (key.asymmetricKeyType !== type) return null;
    return createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64");
  } catch {
    return null;
  }
}

function spkiOfJwk(jwk: PublicJwk): string | null {
  try {
    return createPublicKey({ key: { ...jwk }, format: "jwk" })
      .export({ format: "der", type: "spki" })
      .toString("base64");
  } catch {
    return null;
  }
}
