import { type KeyObject, sign, verify, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import { SamlError } from "../errors.ts";
import { type SignatureAlgorithm, signatureMethod, suits } from "./algorithms.ts";

/** A key by which a configured peer signs. There is no way to make one from a message. */
export interface VerificationKey {
  readonly key: KeyObject;
  /** DER in base64, as metadata has it. */
  readonly certificate: string;
  /** The signature algorithms that count for it; left out: all that we know. */
  readonly algorithms?: readonly SignatureAlgorithm[];
}

/** A key with which we sign, and how a signature names it. */
export interface SigningKey {
  readonly algorithm: SignatureAlgorithm;
  /** DER in base64. null: the signature does not carry it. */
  readonly certificate: string | null;
  /** eHerkenning names keys instead of carrying certificates. */
  readonly keyName?: string;
  /** Off the main thread. ECDSA as r and s one after the other, which is how a JWS has it too. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

const CURVES = ["prime256v1", "secp384r1", "secp521r1"];
const MIN_RSA_BITS = 2048;
/** Larger ones make every message of the peer expensive for us. */
const MAX_RSA_BITS = 8192;

/** A certificate as PEM, or as the base64 of its DER form. Its dates do not count: SAML uses it as the envelope of a key. */
export function readCertificate(text: string): X509Certificate {
  const base64 = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----|\s+/g, "");
  try {
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new TypeError("not base64");
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch (cause) {
    throw new SamlError("certificate", "The certificate cannot be read: give it as PEM or as base64 of its DER form", { cause });
  }
}

export function verificationKey(certificate: string): VerificationKey {
  const read = readCertificate(certificate);
  checkStrength(read.publicKey);
  return { key: read.publicKey, certificate: read.raw.toString("base64") };
}

function checkStrength(key: KeyObject): void {
  const { modulusLength = 0, namedCurve = "" } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "rsa" && modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS) return;
  if (key.asymmetricKeyType === "ec" && CURVES.includes(namedCurve)) return;
  throw new SamlError(
    "certificate",
    `The certificate's key is not allowed: RSA of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, P-256, P-384 or P-521 are`,
  );
}

const signAsync = promisify(sign);

/** A signing key from a private key that is at hand. The realm's own keys come with a `sign` of their own. */
export function signingKey(key: KeyObject, algorithm: SignatureAlgorithm, certificate: string | null): SigningKey {
  const method = signatureMethod(algorithm);
  if (!suits(key, method)) throw new TypeError(`The key cannot sign ${algorithm}`);
  return { algorithm, certificate, sign: (data) => signAsync(method.hash, data, { key, ...method.options }) };
}

/** Tells whether one of the configured keys has made the signature. No key at all is refused, not passed over. */
export function verifyWithConfiguredKeys(
  keys: readonly VerificationKey[],
  algorithm: string,
  data: Uint8Array,
  signature: Uint8Array,
): void {
  if (keys.length === 0) throw new SamlError("no_certificate", "No certificate is configured that could verify the signature");
  const method = signatureMethod(algorithm);
  const allowed = keys.filter(({ algorithms }) => algorithms?.some((one) => one === algorithm) ?? true);
  if (allowed.length === 0)
    throw new SamlError("signature_algorithm", `The signature algorithm ${algorithm} is not allowed for this provider`);
  const made = allowed.some(({ key }) => suits(key, method) && verify(method.hash, data, { key, ...method.options }, signature));
  if (!made) throw new SamlError("signature_invalid", "The signature was made by none of the configured certificates");
}
