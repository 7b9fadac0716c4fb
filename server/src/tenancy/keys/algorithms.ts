// RFC 7518 §3.1, RFC 8037 and RFC 9864: every algorithm, in one place. Discovery, the checks and the enums of the API are made from here.

/** The algorithms that a realm signs with. `Ed25519` and `EdDSA` are two names of one algorithm: a client gets the name that it configured. */
export const signingAlgs = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"] as const;
export type SigningAlg = (typeof signingAlgs)[number];

/** The algorithms that clients sign with, by their own keys. */
export const asymmetricAlgs = [
  ...(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"] as const),
  ...(["EdDSA", "Ed25519"] as const),
] as const;

/** The algorithms that clients sign with, by their secret. */
export const secretAlgs = ["HS256", "HS384", "HS512"] as const;
export const clientAlgs = [...secretAlgs, ...asymmetricAlgs] as const;

/** RFC 9449 §5.1: of DPoP proofs. PKCS #1 v1.5 is left to those who signed with it before there was DPoP. */
export const proofAlgs: readonly string[] = asymmetricAlgs.filter((alg) => !alg.startsWith("RS"));

export const isEdwards = (alg: string): boolean => alg === "EdDSA" || alg === "Ed25519";

/** RFC 9864 §2.2: whether two names mean the same algorithm. */
export const isSameAlg = (a: string, b: string): boolean => a === b || (isEdwards(a) && isEdwards(b));

/** The `kty` of a key that `alg` signs with (RFC 7518 §6.1, RFC 8037 §2). */
export const keyTypeOf = (alg: string): "RSA" | "EC" | "OKP" => (isEdwards(alg) ? "OKP" : alg.startsWith("ES") ? "EC" : "RSA");

/** RFC 7518 §4: how the key of a JWE is agreed on or wrapped for a client, with its own key. */
export const encryptionAlgs = ["RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW"] as const;
/** The same for the realm, whose key is one of P-256. */
export const decryptionAlgs: readonly string[] = encryptionAlgs.filter((alg) => alg.startsWith("ECDH-ES"));
/** RFC 7518 §5: how the content is encrypted. */
export const contentEncryptions = ["A128CBC-HS256", "A128GCM", "A256GCM"] as const;

/** Tells whether a public key is one that `alg` encrypts to. */
export const isEncryptionKey = (key: Readonly<Record<string, unknown>>, alg: string): boolean =>
  (alg.startsWith("RSA") ? key.kty === "RSA" : key.kty === "EC" || (key.kty === "OKP" && key.crv === "X25519")) &&
  (key.use === undefined || key.use === "enc") &&
  (key.alg === undefined || key.alg === alg);
