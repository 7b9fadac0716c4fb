import { type KeyObject, sign, verify, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import { isAffordable, MAX_RSA_BITS } from "../../../kernel/jws.ts";
import { SamlError } from "../errors.ts";
import { type SignatureAlgorithm, signatureMethod, suits } from "./algorithms.ts";

/** A key with which a configured peer signs. It cannot be made from a message. */
export interface VerificationKey {
  readonly key: KeyObject;
  /** DER in base64, as in metadata. */
  readonly certificate: string;
  /** The signature algorithms that are accepted for it. Without it, all that we support are. */
  readonly algorithms?: readonly SignatureAlgorithm[];
}

/** A key with which we sign, and the way in which a signature names it. */
export interface SigningKey {
  readonly algorithm: SignatureAlgorithm;
  /** DER in base64. Null if the signature does not contain it. */
  readonly certificate: string | null;
  /** The name of the key. eHerkenning names keys instead of sending certificates. */
  readonly keyName?: string;
  /** Signs off the main thread. An ECDSA signature is the concatenation of r and s, as in a JWS. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

const CURVES = ["prime256v1", "secp384r1", "secp521r1"];
const MIN_RSA_BITS = 2048;

/** Reads a certificate in PEM or in base64 of its DER form. Its dates are ignored, because SAML uses it only as the envelope of a key. */
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
  if (key.asymmetricKeyType === "rsa" && modulusLength >= MIN_RSA_BITS && isAffordable(key)) return;
  if (key.asymmetricKeyType === "ec" && CURVES.includes(namedCurve)) return;
  throw new SamlError(
    "certificate",
    `The certificate's key is not allowed: RSA of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits with a short exponent, P-256, P-384 or P-521 are`,
  );
}

const signAsync = promisify(sign);

/** Makes a signing key from a private key in memory. The realm's own keys have a `sign` of their own. */
export function signingKey(key: KeyObject, algorithm: SignatureAlgorithm, certificate: string | null): SigningKey {
  const method = signatureMethod(algorithm);
  if (!suits(key, method)) throw new TypeError(`The key cannot sign ${algorithm}`);
  return { algorithm, certificate, sign: (data) => signAsync(method.hash, data, { key, ...method.options }) };
}

/** Throws unless one of the configured keys has made the signature. Without any key it throws, too. */
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
