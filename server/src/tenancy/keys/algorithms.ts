// RFC 7518 §3.1, RFC 8037 and RFC 9864: all algorithms in one place. Discovery, the checks and the enums of the API are derived from here.

/** The algorithms that a realm signs with. `Ed25519` and `EdDSA` are two names of one algorithm: a client gets the name that it configured. */
export const signingAlgs = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"] as const;
export type SigningAlg = (typeof signingAlgs)[number];

/** The algorithms that clients sign with, using their own keys. */
export const asymmetricAlgs = [
  ...(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"] as const),
  ...(["EdDSA", "Ed25519"] as const),
] as const;

/** The algorithms that clients sign with, using their secret. */
export const secretAlgs = ["HS256", "HS384", "HS512"] as const;
export const clientAlgs = [...secretAlgs, ...asymmetricAlgs] as const;

/** RFC 9449 §5.1: the algorithms of DPoP proofs. PKCS #1 v1.5 is excluded, because DPoP has no older clients that need it. */
export const proofAlgs: readonly string[] = asymmetricAlgs.filter((alg) => !alg.startsWith("RS"));

export const isEdwards = (alg: string): boolean => alg === "EdDSA" || alg === "Ed25519";

/** RFC 9864 §2.2: tells whether two names mean the same algorithm. */
export const isSameAlg = (a: string, b: string): boolean => a === b || (isEdwards(a) && isEdwards(b));

/** Returns the `kty` of a key that `alg` signs with (RFC 7518 §6.1, RFC 8037 §2). */
export const keyTypeOf = (alg: string): "RSA" | "EC" | "OKP" => (isEdwards(alg) ? "OKP" : alg.startsWith("ES") ? "EC" : "RSA");

/** RFC 7518 §4: the algorithms that agree on or wrap the key of a JWE for a client, with the client's own key. */
export const encryptionAlgs = ["RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW"] as const;
/** The same for the realm, whose key is a P-256 key. */
export const decryptionAlgs: readonly string[] = encryptionAlgs.filter((alg) => alg.startsWith("ECDH-ES"));
/** RFC 7518 §5: the algorithms that encrypt the content. */
export const contentEncryptions = ["A128CBC-HS256", "A128GCM", "A256GCM"] as const;

/** Tells whether `alg` can encrypt to a public key. */
export const isEncryptionKey = (key: Readonly<Record<string, unknown>>, alg: string): boolean =>
  (alg.startsWith("RSA") ? key.kty === "RSA" : key.kty === "EC" || (key.kty === "OKP" && key.crv === "X25519")) &&
  (key.use === undefined || key.use === "enc") &&
  (key.alg === undefined || key.alg === alg);
