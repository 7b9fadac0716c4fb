import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { isWithinServer } from "../../applications/clients/index.ts";
import { valueAt, type WorkloadCredential, type WorkloadCredentials } from "../../applications/workload-credentials/index.ts";
import { MINUTE, SECOND } from "../../kernel/clock.ts";
import { isSignedByAny, type ParsedJws, parseJws } from "../../kernel/jws.ts";
import { onlyAudience, reasonAgainstTimes } from "../../kernel/jwt-claims.ts";
import { listOf } from "../../kernel/lists.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { isFirst } from "../tokens/index.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

export interface WorkloadParts {
  readonly db: Db;
  readonly realm: { readonly realmId: string; readonly settings: Pick<Settings, "workloads"> };
  readonly baseUrl: string;
  readonly workloads: WorkloadCredentials;
  readonly issuerKeys: IssuerKeys;
}

/** A token of another issuer that a credential trusts. */
export interface Workload {
  readonly credential: WorkloadCredential;
  readonly issuer: string;
  /** The `sub`, even if the credential matches another claim. */
  readonly subject: string;
}

/** The reason is only for the audit trail. The caller does not learn it. */
export interface RefusedWorkload {
  readonly reason: string;
  readonly issuer: string;
  readonly subject: string;
}

const MAX_LENGTH = 16 * 1024;
const ALGS: readonly unknown[] = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"];
/** RFC 8725 §3.11: the accepted `typ`. Tokens with a type of their own, such as access and logout tokens, are no workload's. */
const TYPES: readonly unknown[] = [undefined, "jwt", "jose"];

/** A JWT that claims to be a workload's. Nothing in it is verified. */
interface Claimed {
  readonly jws: ParsedJws;
  readonly alg: string;
  readonly kid: string | null;
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
}

/**
 * Verifies a token of another issuer against the realm's workload credentials that `accepts` allows. The issuer is called only if a
 * credential names it: otherwise strangers would choose the hosts that this server calls.
 */
export async function verifyWorkloadToken(
  parts: WorkloadParts,
  token: string,
  accepts: (credential: WorkloadCredential) => boolean = () => true,
): Promise<Workload | RefusedWorkload> {
  const claimed = readClaimed(token);
  if ("reason" in claimed) return claimed;
  const { jws, issuer, subject, audience } = claimed;
  const refuse = (reason: string): RefusedWorkload => ({ reason, issuer, subject });
  const isOwn = isWithinServer(parts.baseUrl, issuer);
  const found = isOwn ? [] : await parts.workloads.find(parts.realm.realmId, { issuer, audience, payload: jws.payload });
  const credentials = found.filter(accepts);
  let reason = isOwn ? "it is a token of this server" : "no credential has this issuer, subject and audience";
  if (credentials.length === 0) await isSignedByAny(jws, throwaway(claimed.alg));
  for (const credential of credentials) {
    const against = reasonAgainstClaims(parts, credential, jws.payload) ?? (await reasonAgainstSignature(parts, credential, claimed));
    if (against === null) {
      const isFresh = !credential.singleUse || (await isFirstUse(parts, issuer, jws.payload));
      return isFresh ? { credential, issuer, subject } : refuse("it was used already");
    }
    reason = against;
  }
  return refuse(reason);
}

export const isWorkload = (verified: Workload | RefusedWorkload): verified is Workload => "credential" in verified;

/** Reads a token. Refuses one that cannot be a workload's. */
function readClaimed(token: string): Claimed | RefusedWorkload {
  const jws = token.length > MAX_LENGTH ? null : parseJws(token);
  const { iss, sub, aud } = jws?.payload ?? {};
  const [issuer, subject] = [iss, sub].map((claim) => (typeof claim === "string" ? claim : "")) as [string, string];
  const refuse = (reason: string): RefusedWorkload => ({ reason, issuer, subject });
  if (!jws) return refuse("it is not a signed JWT of at most 16 KiB");
  const { alg, kid = null, typ } = jws.header;
  if (!ALGS.includes(alg)) return refuse("its algorithm is not allowed");
  if (kid !== null && typeof kid !== "string") return refuse("its kid is not a string");
  if (!TYPES.includes(typeof typ === "string" ? typ.toLowerCase() : typ)) return refuse("it is a token of another type");
  const audience = onlyAudience(aud);
  if (issuer === "" || subject === "") return refuse("it has no issuer or no subject");
  if (audience === null) return refuse("it must have exactly one audience");
  return { jws, alg: alg as string, kid, issuer, subject, audience };
}

/** RFC 7519 §4.1: returns why the times or the credential's conditions refuse the token, or null. */
function reasonAgainstClaims({ realm }: WorkloadParts, credential: WorkloadCredential, payload: ParsedJws["payload"]): string | null {
  const { exp, iat, jti } = payload;
  const skew = realm.settings.workloads.clockSkewSeconds;
  const reason = reasonAgainstTimes(payload, { skew, requiresIat: true });
  if (reason !== null) return reason;
  if (Number(exp) <= Number(iat)) return "it expires before it was issued";
  if (Number(exp) - Number(iat) > credential.maxTokenSeconds) return `it lives longer than ${credential.maxTokenSeconds} seconds`;
  if (credential.singleUse && (typeof jti !== "string" || jti === "")) return "it has no jti";
  const broken = Object.entries(credential.conditions).find(([claim, values]) => {
    const value = valueAt(payload, claim);
    return value === null || !listOf(values).includes(value);
  });
  return broken ? `the condition on ${broken[0]} does not hold` : null;
}

async function reasonAgainstSignature(parts: WorkloadParts, credential: WorkloadCredential, claimed: Claimed): Promise<string | null> {
  const maxAge = parts.realm.settings.workloads.keysMinutes * MINUTE;
  try {
    const keys = await parts.issuerKeys.fitting(credential, claimed, maxAge);
    for (const { key } of keys) if (await isSignedByAny(claimed.jws, key)) return null;
    return keys.length === 0 ? "the issuer has no such key" : "its signature is not the issuer's";
  } catch (error) {
    return `the issuer's keys could not be read: ${(error as Error).message}`;
  }
}

/** Tells whether the token is used for the first time. The primary key of the records decides between concurrent requests. */
async function isFirstUse({ db, realm }: WorkloadParts, issuer: string, { jti, exp }: ParsedJws["payload"]): Promise<boolean> {
  const recordId = sha256(JSON.stringify([issuer, jti]));
  const until = ((exp as number) + realm.settings.workloads.clockSkewSeconds + 1) * SECOND;
  return isFirst(db, { realm: realm.realmId, model: "WorkloadToken", recordId }, until);
}

let keys: { readonly rsa: KeyObject; readonly curves: ReadonlyMap<string, KeyObject> } | undefined;

/** Returns a key that signed nothing. Verifying with it takes as long as with a real one, so time does not reveal known issuers. */
function throwaway(alg: string): KeyObject {
  keys ??= { rsa: randomModulus(), curves: new Map(CURVES.map(([name, namedCurve]) => [name, ecKey(namedCurve)])) };
  return keys.curves.get(alg) ?? keys.rsa;
}

const CURVES = [
  ["ES256", "prime256v1"],
  ["ES384", "secp384r1"],
  ["ES512", "secp521r1"],
] as const;
const ecKey = (namedCurve: string): KeyObject => generateKeyPairSync("ec", { namedCurve }).publicKey;

/** Makes a number of 2048 bits without a private key, because making a real key would take long. */
function randomModulus(): KeyObject {
  const modulus = randomBytes(256);
  modulus[0]! |= 0x80;
  modulus[255]! |= 1;
  return createPublicKey({ key: { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" }, format: "jwk" });
}
