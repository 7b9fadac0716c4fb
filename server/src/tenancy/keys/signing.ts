import { webcrypto } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Vault } from "../../kernel/vault.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import { systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { companionKid, companionPlace, generateCompanion } from "./companion.ts";
import { privateKeyPlace } from "./generate.ts";
import type { RealmKey } from "./schema.ts";
import { addCompanion } from "./service.ts";
import { type Companion, findPrivateKey } from "./store.ts";

/** RFC 7518 §3. */
export type SigningAlg = "RS256" | "PS256" | "ES256";

type Params = webcrypto.AlgorithmIdentifier | webcrypto.RsaPssParams | webcrypto.EcdsaParams;
const algorithms: Record<SigningAlg, { readonly imported: { name: string; hash?: string; namedCurve?: string }; readonly sign: Params }> = {
  RS256: { imported: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, sign: { name: "RSASSA-PKCS1-v1_5" } },
  PS256: { imported: { name: "RSA-PSS", hash: "SHA-256" }, sign: { name: "RSA-PSS", saltLength: 32 } },
  ES256: { imported: { name: "ECDSA", namedCurve: "P-256" }, sign: { name: "ECDSA", hash: "SHA-256" } },
};

export interface Signer {
  readonly kid: string;
  readonly alg: SigningAlg;
  /** Opened; it cannot be exported. */
  readonly key: webcrypto.CryptoKey;
  /** The signature as a JWS has it. Off the main thread. */
  sign(data: Uint8Array): Promise<Buffer>;
}

export interface SigningKeys {
  /** What the realm signs with now. Makes the P-256 companion where it is asked for the first time. Null: no such realm. */
  signer(realm: string, alg: SigningAlg): Promise<Signer | null>;
  /** A certain key, also a retained one. Null where there is none of that name for `alg`. */
  keyNamed(realm: string, kid: string, alg: SigningAlg): Promise<Signer | null>;
}

interface Parts {
  readonly db: Db;
  readonly vault: Vault;
  readonly work: UnitOfWork;
  readonly realms: RealmCache<{
    readonly configVersion: number;
    readonly keys: readonly RealmKey[];
    readonly companions: readonly Companion[];
  }>;
}

const MAX_SIGNERS = 4_000;

/** The opened private halves of the keys in use: unsealed and imported once, however many tokens they sign. */
export function createSigningKeys({ db, vault, work, realms }: Parts): SigningKeys {
  const signers = new LRUCache<string, Promise<Signer | null>>({ max: MAX_SIGNERS });
  const companionsInTheMaking = new Map<string, Promise<void>>();

  const open = async (realm: string, keyId: string, alg: SigningAlg): Promise<Signer | null> => {
    const elliptic = alg === "ES256";
    const sealed = await findPrivateKey(db, realm, keyId, elliptic ? "realm_key_companions" : "realm_keys");
    if (sealed === null) return null;
    const pkcs8 = Buffer.from(vault.open(sealed, (elliptic ? companionPlace : privateKeyPlace)(realm, keyId)), "base64");
    const { imported, sign } = algorithms[alg];
    const key = await webcrypto.subtle.importKey("pkcs8", pkcs8, imported, false, ["sign"]);
    return {
      kid: elliptic ? companionKid(keyId) : keyId,
      alg,
      key,
      sign: async (data) => Buffer.from(await webcrypto.subtle.sign(sign, key, data as Uint8Array<ArrayBuffer>)),
    };
  };

  const opened = (realm: string, keyId: string, alg: SigningAlg): Promise<Signer | null> => {
    const name = `${realm}/${keyId}/${alg}`;
    const known = signers.get(name);
    if (known) return known;
    const opening = open(realm, keyId, alg);
    signers.set(name, opening);
    // Neither what failed nor what is not there is worth keeping.
    const forget = () => signers.peek(name) === opening && signers.delete(name);
    opening.then((signer) => signer === null && forget(), forget);
    return opening;
  };

  /** Made outside a transaction, kept in one; requests that need it at the same moment wait for the same one. */
  const ensureCompanion = (realm: string, keyId: string): Promise<void> => {
    const name = `${realm}/${keyId}`;
    const making =
      companionsInTheMaking.get(name) ??
      generateCompanion(vault, realm, keyId)
        .then((companion) => work.transact({ realm, actor: systemActor(realm), sourceIp: null }, (ctx) => addCompanion(ctx, companion)))
        .finally(() => companionsInTheMaking.delete(name));
    companionsInTheMaking.set(name, making);
    return making;
  };

  return {
    async signer(realm, alg) {
      const active = (await realms.get(realm))?.keys[0];
      if (!active) return null;
      const signer = await opened(realm, active.keyId, alg);
      if (signer || alg !== "ES256") return signer;
      await ensureCompanion(realm, active.keyId);
      return opened(realm, active.keyId, alg);
    },
    async keyNamed(realm, kid, alg) {
      const snapshot = await realms.get(realm);
      const key = snapshot?.keys.find(({ keyId }) => (alg === "ES256" ? companionKid(keyId) : keyId) === kid);
      return key ? opened(realm, key.keyId, alg) : null;
    },
  };
}
