import { constants } from "node:crypto";
import { createLru } from "../../kernel/lru.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import { systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { SIGNATURE_ALGORITHM, type SigningKey } from "../../platform/saml/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { SigningAlg } from "./algorithms.ts";
import { type CompanionKind, companionKid, companionPlace, generateCompanion } from "./companion.ts";
import { privateKeyPlace } from "./generate.ts";
import type { RealmKey } from "./schema.ts";
import { addCompanions } from "./service.ts";
import { type Sign, type SignatureOptions, signWith } from "./signature.ts";
import { type Companion, findPrivateKey } from "./store.ts";

interface Algorithm extends SignatureOptions {
  /** The kind of the companion key; null for the RSA key. */
  readonly kind: CompanionKind | null;
}

const edwards: Algorithm = { kind: "ed", digest: null };
const algorithms: Record<SigningAlg, Algorithm> = {
  RS256: { kind: null, digest: "sha256" },
  PS256: { kind: null, digest: "sha256", options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } },
  // RFC 7518 §3.4: the signature is R and S, not their ASN.1 form.
  ES256: { kind: "ec", digest: "sha256", options: { dsaEncoding: "ieee-p1363" } },
  EdDSA: edwards,
  Ed25519: edwards,
};

export interface Signer {
  readonly kid: string;
  readonly alg: SigningAlg;
  /** Returns a signature in the form of a JWS. */
  readonly sign: Sign;
}

export interface SigningKeys {
  /** Returns the realm's current signer, whose key is in its JWKS. Returns null if there is no such realm. */
  signer(realm: string, alg: SigningAlg): Promise<Signer | null>;
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

/** The opened private keys in use. Each is unsealed and imported once, however many tokens it signs. */
export function createSigningKeys({ db, vault, work, realms }: Parts): SigningKeys {
  const signers = createLru<Promise<Signer | null>>(MAX_SIGNERS);
  const inTheMaking = new Map<string, Promise<void>>();

  const open = async (realm: string, keyId: string, alg: SigningAlg): Promise<Signer | null> => {
    const { kind } = algorithms[alg];
    const sealed = await findPrivateKey(db, realm, keyId, kind);
    if (sealed === null) return null;
    const place = kind === null ? privateKeyPlace(realm, keyId) : companionPlace(realm, keyId, kind);
    const pkcs8 = Buffer.from(vault.open(sealed, place), "base64");
    return { kid: kidOf(keyId, alg), alg, sign: signWith(pkcs8, algorithms[alg]) };
  };

  const nameOf = (realm: string, keyId: string, alg: SigningAlg) => `${realm}/${keyId}/${alg}`;
  const opened = (realm: string, keyId: string, alg: SigningAlg): Promise<Signer | null> => {
    const name = nameOf(realm, keyId, alg);
    const known = signers.get(name);
    if (known) return known;
    const opening = open(realm, keyId, alg);
    signers.set(name, opening);
    // Failures and missing keys are not cached.
    const forget = () => signers.peek(name) === opening && signers.delete(name);
    opening.then((signer) => signer === null && forget(), forget);
    return opening;
  };

  /**
   * Ensures that the key for an algorithm is published. Keys have their companions from the start, or from the moment that someone asks for them. Only a key
   * that a node of the previous release has just created or configured may lack them. They are then created and published before the first signature, and
   * concurrent requests wait for the same one.
   */
  const published = async (realm: string, keyId: string, alg: SigningAlg): Promise<boolean> => {
    const { kind } = algorithms[alg];
    const has = async () => {
      const snapshot = await realms.get(realm);
      return snapshot?.companions.some(({ publicJwk }) => publicJwk.kid === kidOf(keyId, alg)) ?? false;
    };
    if (kind === null || (await has())) return true;
    const name = `${realm}/${keyId}/${kind}`;
    const making =
      inTheMaking.get(name) ??
      generateCompanion(vault, realm, keyId, kind)
        .then((made) => work.transact({ realm, actor: systemActor(realm), sourceIp: null }, (ctx) => addCompanions(ctx, keyId, [made])))
        .finally(() => inTheMaking.delete(name));
    inTheMaking.set(name, making);
    await making;
    return has();
  };

  return {
    async signer(realm, alg) {
      const active = (await realms.get(realm))?.keys[0];
      if (!active) return null;
      const isKnown = signers.has(nameOf(realm, active.keyId, alg));
      return isKnown || (await published(realm, active.keyId, alg)) ? opened(realm, active.keyId, alg) : null;
    },
  };
}

function kidOf(keyId: string, alg: SigningAlg): string {
  const { kind } = algorithms[alg];
  return kind === null ? keyId : companionKid(keyId, kind);
}

/** Returns the realm's current key for SAML messages: the key that signs its tokens, with its certificate. Returns null if there is no such realm. */
export async function samlSigningKey(
  { signingKeys, realms }: { readonly signingKeys: SigningKeys; readonly realms: RealmCache<{ readonly keys: readonly RealmKey[] }> },
  realm: string,
  alg: "RS256" | "PS256" = "RS256",
): Promise<SigningKey | null> {
  const signer = await signingKeys.signer(realm, alg);
  const certificate = (await realms.get(realm))?.keys.find(({ keyId }) => keyId === signer?.kid)?.certificate;
  if (!signer || certificate === undefined) return null;
  return { algorithm: SIGNATURE_ALGORITHM[alg], certificate, sign: (data) => signer.sign(data) };
}
