import { compactVerify, decodeJwt, decodeProtectedHeader, type JWK, type JWTPayload, type ProtectedHeaderParameters } from "jose";
import { type ClientSnapshot, profileOf } from "../../applications/clients/index.ts";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { CLOCK_SKEW, mayBeOfType, onlyAudience, reasonAgainstTimes } from "../../kernel/jwt-claims.ts";
import { safeEqual, sha256 } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import { asymmetricAlgs, isSameAlg, keyTypeOf, secretAlgs } from "../../tenancy/keys/index.ts";
import { isFirst } from "../tokens/index.ts";
import type { ClientKeys } from "./client-keys.ts";

/** Returns the valid secrets of a client. Both are valid while a rotation overlaps. */
export function currentSecrets({ secrets }: ClientSnapshot): ClientSnapshot["secrets"] {
  const now = clock.now();
  return secrets.filter(({ until }) => until === null || until > now);
}

const BY_SECRET: ReadonlySet<string> = new Set(["client_secret", "client_secret_basic", "client_secret_post"]);

/** RFC 6749 §2.3.1: tells whether the client may send its secret in this way. It may be registered for the header or the form alone. */
const takesSecret = ({ settings: { authMethod } }: ClientSnapshot, byHeader: boolean): boolean =>
  BY_SECRET.has(authMethod) && authMethod !== (byHeader ? "client_secret_post" : "client_secret_basic");

export const isSecretOf = (client: ClientSnapshot, secret: string, byHeader: boolean): boolean =>
  takesSecret(client, byHeader) && currentSecrets(client).some(({ value }) => safeEqual(value, secret));

/** The longest lifetime in seconds. Anyone who intercepts a long-lived assertion can use it like a password. */
const MAX_LIFETIME = (10 * MINUTE) / SECOND;
/** The number of seconds after `exp` in which an assertion is still accepted. */
const TOLERANCE = 15;

export interface AssertionParts {
  readonly db: Db;
  readonly realm: { readonly realmId: string };
  readonly clientKeys: ClientKeys;
}

/** RFC 7523 §3: returns why the assertion is refused, or null if it is valid. Each `jti` is accepted once. */
export async function reasonAgainstAssertion(
  parts: AssertionParts,
  client: ClientSnapshot,
  assertion: string,
  audience: ReadonlySet<string>,
): Promise<string | null> {
  let header: ProtectedHeaderParameters;
  let payload: JWTPayload;
  try {
    header = decodeProtectedHeader(assertion);
    payload = decodeJwt(assertion);
  } catch {
    return "it is no JWT";
  }
  // RFC 7797 §7, RFC 7515 §4.1.11: the verified payload would differ from the payload that is read.
  if (header.crit !== undefined || header.b64 !== undefined) return "it has an extension that is not understood here";
  // draft-ietf-oauth-rfc7523bis: the client signs other JWTs with the same key, such as request objects.
  if (!mayBeOfType(header.typ, "client-authentication+jwt")) return "its typ is that of another kind of token";
  const reason = reasonAgainstAlg(client, header.alg) ?? reasonAgainstClaims(client, payload, audience);
  if (reason !== null) return reason;
  const isSigned =
    client.settings.authMethod === "client_secret_jwt"
      ? await isSignedBy(assertion, header.alg!, secretKeys(client))
      : await isSignedByClient(parts.clientKeys, client, assertion, header);
  if (!isSigned) return "its signature is not the client's";
  const until = (payload.exp! + TOLERANCE) * SECOND;
  const key = { realm: parts.realm.realmId, model: "ClientAssertion", recordId: sha256(JSON.stringify([payload.iss, payload.jti])) };
  return (await isFirst(parts.db, key, Math.max(until, clock.now() + SECOND))) ? null : "it was used already";
}

/** Checks the algorithm by the client's registration, because the header is not trusted (RFC 8725 §3.1). */
function reasonAgainstAlg({ settings }: ClientSnapshot, alg: string | undefined): string | null {
  const { authMethod, authSigningAlg } = settings;
  const fits: readonly string[] = authMethod === "client_secret_jwt" ? secretAlgs : (profileOf(settings).algs ?? asymmetricAlgs);
  return alg !== undefined && fits.includes(alg) && (authSigningAlg === null || isSameAlg(alg, authSigningAlg)) ? null : "alg mismatch";
}

/** RFC 7523 §3: checks the claims. There may be only one audience, because another recipient could replay the assertion here. */
function reasonAgainstClaims(client: ClientSnapshot, payload: JWTPayload, audience: ReadonlySet<string>): string | null {
  const { iss, sub, aud, exp, nbf, iat, jti } = payload;
  const reason = reasonAgainstTimes(payload, { expirySkew: TOLERANCE });
  if (reason !== null) return reason;
  const begins = [iat, nbf, clock.now() / SECOND + CLOCK_SKEW].map((begin) => begin ?? Number.POSITIVE_INFINITY);
  if (exp! - Math.min(...begins) > MAX_LIFETIME) return `it lives longer than ${MAX_LIFETIME} seconds`;
  if (typeof jti !== "string" || jti === "") return "it has no jti";
  if (iss !== client.clientId || sub !== client.clientId) return "iss and sub must be the client_id";
  if (profileOf(client.settings).issuerAudience && typeof aud !== "string") return "its audience must be the issuer, as one string";
  if (!audience.has(onlyAudience(aud) ?? "")) return "it is not meant for this server alone";
  return null;
}

const secretKeys = (client: ClientSnapshot): readonly JWK[] =>
  currentSecrets(client).map(({ value }) => ({ kty: "oct", k: Buffer.from(value).toString("base64url") }));

/** Verifies with a cached key or, if none fits, with a key that the client has published at `jwksUri` since. */
async function isSignedByClient(
  clientKeys: ClientKeys,
  client: ClientSnapshot,
  assertion: string,
  { alg, kid }: ProtectedHeaderParameters & { kid?: string },
): Promise<boolean> {
  const attempt = () => isSignedBy(assertion, alg!, fitting(clientKeys.known(client), alg!, kid));
  if (await attempt()) return true;
  // If the keys cannot be fetched, the signature cannot be verified.
  const isNewer = await clientKeys.refresh(client).catch(() => false);
  return isNewer && attempt();
}

/** The most keys that are tried for one signature. A client with more names the key by `kid`. */
const MAX_TRIED = 10;

/** RFC 7517 §4: returns the keys whose `kty`, `kid`, `alg` and `use` fit the signature. */
function fitting(keys: readonly JWK[], alg: string, kid: string | undefined): readonly JWK[] {
  const kty = keyTypeOf(alg);
  const fits = (key: JWK) =>
    key.kty === kty &&
    (kid === undefined || key.kid === kid) &&
    (key.alg === undefined || isSameAlg(key.alg, alg)) &&
    (key.use === undefined || key.use === "sig");
  return keys.filter(fits).slice(0, MAX_TRIED);
}

async function isSignedBy(assertion: string, alg: string, keys: readonly JWK[]): Promise<boolean> {
  for (const key of keys) {
    try {
      await compactVerify(assertion, key, { algorithms: [alg] });
      return true;
    } catch {
      // The next key is tried.
    }
  }
  return false;
}
