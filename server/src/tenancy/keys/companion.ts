import { generateKeyPair, type JsonWebKey, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { Vault } from "../../kernel/vault.ts";

/** RFC 7517: a public key in the realm's JWKS. */
export interface PublicJwk {
  readonly kty: "EC" | "OKP";
  readonly use: "sig" | "enc";
  readonly alg?: "ES256";
  readonly kid: string;
  readonly crv: "P-256" | "Ed25519";
  readonly x: string;
  readonly y?: string;
}

/**
 * The keys that accompany each RSA key: they are published with it, and deleted with it. `ed` exists only if the realm or a client has asked for it, because
 * verifiers that know only RSA and EC may fail at it. `enc` signs nothing: clients encrypt request objects to it.
 */
export const companionKinds = ["ec", "ed", "enc"] as const;
export type CompanionKind = (typeof companionKinds)[number];
/** The companions that are created with every RSA key. */
export const requiredCompanions: readonly CompanionKind[] = ["ec", "enc"];

export interface NewCompanion {
  readonly kind: CompanionKind;
  /** The id of the RSA key. */
  readonly keyId: string;
  readonly publicJwk: PublicJwk;
  readonly sealedPrivateKey: string;
}

export const companionKid = (keyId: string, kind: CompanionKind): string => `${keyId}-${kind}`;

export const companionPlace = (realm: string, keyId: string, kind: CompanionKind) =>
  kind === "ec"
    ? { realm, table: "realm_key_companions", column: "private_key", row: keyId }
    : { realm, table: "realm_companion_keys", column: "private_key", row: companionKid(keyId, kind) };

const makePair = promisify(generateKeyPair) as (...of: unknown[]) => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>;

/** The kinds of companions. A key that signs under several names has no `alg`. */
const kinds: Record<CompanionKind, { make: () => ReturnType<typeof makePair>; jwk: (key: JsonWebKey, kid: string) => PublicJwk }> = {
  ec: {
    make: () => makePair("ec", { namedCurve: "P-256" }),
    jwk: ({ x, y }, kid) => ({ kty: "EC", use: "sig", alg: "ES256", kid, crv: "P-256", x: x!, y: y! }),
  },
  ed: {
    make: () => makePair("ed25519", {}),
    jwk: ({ x }, kid) => ({ kty: "OKP", use: "sig", kid, crv: "Ed25519", x: x! }),
  },
  enc: {
    make: () => makePair("ec", { namedCurve: "P-256" }),
    jwk: ({ x, y }, kid) => ({ kty: "EC", use: "enc", kid, crv: "P-256", x: x!, y: y! }),
  },
};

/** Generates a companion key, which takes a fraction of a millisecond. */
export async function generateCompanion(vault: Vault, realm: string, keyId: string, kind: CompanionKind): Promise<NewCompanion> {
  const { make, jwk } = kinds[kind];
  const { publicKey, privateKey } = await make();
  const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
  return {
    kind,
    keyId,
    publicJwk: jwk(publicKey.export({ format: "jwk" }), companionKid(keyId, kind)),
    sealedPrivateKey: vault.seal(pkcs8, companionPlace(realm, keyId, kind)),
  };
}

export const generateCompanions = (vault: Vault, realm: string, keyId: string, kinds = requiredCompanions): Promise<NewCompanion[]> =>
  Promise.all(kinds.map((kind) => generateCompanion(vault, realm, keyId, kind)));
