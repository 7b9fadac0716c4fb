import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { errors as joseErrors, jwtVerify } from "jose";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { objectIn } from "../../kernel/jws.ts";
import { deviceErrors } from "./errors.ts";

export const deviceAlgs = ["ES256", "RS256"] as const;
export type DeviceAlg = (typeof deviceAlgs)[number];

/** The public half of the key that a device made for itself. */
export interface DeviceKey {
  readonly alg: DeviceAlg;
  readonly jwk: JsonWebKey;
}

/** Reads the members that make the key. All others are dropped, because a name or a use that the device gave it means nothing here. */
export function readDeviceKey(jwk: Readonly<Record<string, unknown>>): DeviceKey {
  if (["d", "p", "q", "dp", "dq", "qi", "k", "oth"].some((member) => Object.hasOwn(jwk, member)))
    throw deviceErrors.bad_key("send the public half only; the private half never leaves the device");
  const bare = Object.fromEntries(["kty", "crv", "x", "y", "n", "e"].flatMap((name) => (name in jwk ? [[name, jwk[name]]] : [])));
  const key = importKey(bare as JsonWebKey);
  const { namedCurve, modulusLength = 0 } = key?.asymmetricKeyDetails ?? {};
  if (key?.asymmetricKeyType === "ec" && namedCurve === "prime256v1")
    return { alg: "ES256", jwk: { kty: "EC", crv: "P-256", x: String(bare.x), y: String(bare.y) } };
  if (key?.asymmetricKeyType === "rsa" && modulusLength >= 2048 && modulusLength <= 4096)
    return { alg: "RS256", jwk: { kty: "RSA", n: String(bare.n), e: String(bare.e) } };
  throw deviceErrors.bad_key("a P-256 key (ES256), or an RSA key of 2048 to 4096 bits (RS256), as a public JWK");
}

function importKey(jwk: JsonWebKey): KeyObject | null {
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    return null; // not a key
  }
}

/** The types of proofs. RFC 8725 §3.11: a proof for one purpose does not count for another. */
type ProofType = "gatehouse-enroll+jwt" | "gatehouse-device+jwt" | "gatehouse-tx+jwt";

const MAX_LENGTH = 8 * 1024;
const MAX_AGE = MINUTE;

/** Returns the verified content of a device's recent signature for this URL, or null if it is invalid. */
export async function readProof(
  { alg, jwk }: DeviceKey,
  jws: string,
  { typ, audience }: { readonly typ: ProofType; readonly audience: string },
): Promise<Readonly<Record<string, unknown>> | null> {
  if (jws.length > MAX_LENGTH) return null;
  try {
    // The stored key decides the algorithm, not the header (RFC 8725 §3.1).
    const { payload } = await jwtVerify(jws, createPublicKey({ key: jwk, format: "jwk" }), {
      algorithms: [alg],
      typ,
      audience,
      currentDate: new Date(clock.now()),
      maxTokenAge: MAX_AGE / SECOND,
      clockTolerance: 30,
      requiredClaims: ["iat", "aud"],
    });
    return payload;
  } catch (error) {
    if (error instanceof joseErrors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}

/** Returns the device id that the proof claims, before its signature is verified. */
export function deviceNamedIn(jws: string): string | null {
  const [head = ""] = jws.slice(0, MAX_LENGTH).split(".", 1);
  const { kid } = objectIn(head) ?? {};
  return typeof kid === "string" ? kid : null;
}
