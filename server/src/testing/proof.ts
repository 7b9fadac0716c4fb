import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { clock, SECOND } from "../kernel/clock.ts";

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Makes a DPoP key (RFC 9449), which makes proofs. */
export function dpopKey() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return (method: string, url: string, accessToken?: string): string => {
    const head = encode({ typ: "dpop+jwt", alg: "ES256", jwk: publicKey.export({ format: "jwk" }) });
    const ath = accessToken === undefined ? {} : { ath: createHash("sha256").update(accessToken).digest("base64url") };
    const body = encode({ jti: randomUUID(), htm: method, htu: url, iat: Math.floor(clock.now() / SECOND), ...ath });
    const signature = sign("sha256", Buffer.from(`${head}.${body}`), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${head}.${body}.${signature.toString("base64url")}`;
  };
}
