import { compactVerify, decodeJwt, decodeProtectedHeader, type JWK, type JWTPayload, type ProtectedHeaderParameters } from "jose";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import { isFirst } from "../tokens/index.ts";
import type { ClientKeys } from "./client-keys.ts";
import { currentSecrets } from "./client-secret.ts";

/** RFC 7518 §3.1, RFC 8037: what clients may sign assertions with, as discovery announces it. */
export const ASSERTION_ALGS: readonly string[] = ["HS256", "RS256", "PS256", "ES256", "Ed25519", "EdDSA"];

/** Seconds by which the clocks of clients may differ from ours. */
const TOLERANCE = 15;

export interface AssertionParts {
  readonly db: Db;
  readonly realm: { readonly realmId: string };
  readonly clientKeys: ClientKeys;
}

/** RFC 7523 §3: null where the assertion is this client's, otherwise why not. It counts once. */
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
  const reason = reasonAgainstAlg(client, header.alg) ?? reasonAgainstClaims(client, payload, audience);
  if (reason !== null) return reason;
  const isSigned =
    client.settings.authMethod === "client_secret_jwt"
      ? await isSignedBy(assertion, header.alg!, secretKeys(client))
      : await isSignedByClient(parts.clientKeys, client, assertion, header);
  if (!isSigned) return "its signature is not the client's";
  const until = (payload.exp! + TOLERANCE) * SECOND;
  const key = { realm: parts.realm.realmId, model: "ReplayDetection", recordId: sha256(JSON.stringify([payload.iss, payload.jti])) };
  return (await isFirst(parts.db, key, Math.max(until, clock.now() + SECOND))) ? null : "it was used already";
}

/** The client's registration decides, not the header (RFC 8725 §3.1). */
function reasonAgainstAlg({ settings: { authMethod, authSigningAlg } }: ClientSnapshot, alg: string | undefined): string | null {
  const fits = ASSERTION_ALGS.filter((each) => each.startsWith("HS") === (authMethod === "client_secret_jwt"));
  return alg !== undefined && fits.includes(alg) && (authSigningAlg === null || alg === authSigningAlg) ? null : "alg mismatch";
}

function reasonAgainstClaims(client: ClientSnapshot, payload: JWTPayload, audience: ReadonlySet<string>): string | null {
  const { iss, sub, aud, exp, nbf, iat, jti } = payload;
  const now = Math.floor(clock.now() / SECOND);
  if (typeof exp !== "number" || now - TOLERANCE >= exp) return "it has expired, or does not say when it does";
  if (nbf !== undefined && !(typeof nbf === "number" && nbf <= now + TOLERANCE)) return "it does not count yet";
  if (iat !== undefined && typeof iat !== "number") return "its iat is no time";
  if (typeof jti !== "string" || jti === "") return "it has no jti";
  if (iss !== client.clientId || sub !== client.clientId) return "iss and sub must be the client_id";
  if (![aud].flat().some((each) => each !== undefined && audience.has(each))) return "its audience is somebody else";
  return null;
}

const secretKeys = (client: ClientSnapshot): readonly JWK[] =>
  currentSecrets(client).map(({ value }) => ({ kty: "oct", k: Buffer.from(value).toString("base64url") }));

/** With a key that is known or, if none fits, with one that the client has published since. */
async function isSignedByClient(
  clientKeys: ClientKeys,
  client: ClientSnapshot,
  assertion: string,
  { alg, kid }: ProtectedHeaderParameters & { kid?: string },
): Promise<boolean> {
  const attempt = () => isSignedBy(assertion, alg!, fitting(clientKeys.known(client), alg!, kid));
  if (await attempt()) return true;
  // Whatever keeps its keys from being read: without them it has not proven anything.
  const isNewer = await clientKeys.refresh(client).catch(() => false);
  return isNewer && attempt();
}

const KEY_TYPES: Readonly<Record<string, string>> = { R: "RSA", P: "RSA", E: "EC" };

/** RFC 7517 §4: by type, and by what the key itself says of its use. */
function fitting(keys: readonly JWK[], alg: string, kid: string | undefined): readonly JWK[] {
  const kty = alg.startsWith("Ed") ? "OKP" : KEY_TYPES[alg[0]!];
  return keys.filter(
    (key) =>
      key.kty === kty &&
      (kid === undefined || key.kid === kid) &&
      (key.alg === undefined || key.alg === alg) &&
      (key.use === undefined || key.use === "sig"),
  );
}

async function isSignedBy(assertion: string, alg: string, keys: readonly JWK[]): Promise<boolean> {
  for (const key of keys) {
    try {
      await compactVerify(assertion, key, { algorithms: [alg] });
      return true;
    } catch {
      // Not by this one.
    }
  }
  return false;
}
