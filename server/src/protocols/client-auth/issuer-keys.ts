import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import type { WorkloadCredential } from "../../applications/workload-credentials/index.ts";
import { fetchObject } from "../../federation/index.ts";
import { SECOND } from "../../kernel/clock.ts";
import { oncePer } from "../../kernel/once.ts";
import { createRemoteDocuments, type Outbound } from "../../platform/outbound/index.ts";

/** A public key of an issuer of workload tokens. */
export interface IssuerKey {
  readonly kid: string | null;
  /** The only algorithm that the issuer uses the key with, or null for any that fits. */
  readonly alg: string | null;
  readonly key: KeyObject;
}

/** The keys of issuers of workload tokens. They come from the credential itself, or are fetched and cached. */
export interface IssuerKeys {
  /**
   * Returns the keys that may have signed a token with this header, usually one. `maxAge` is the number of milliseconds for which keys are
   * cached. An unknown key causes a new fetch. Throws if the keys cannot be fetched.
   */
  fitting(credential: WorkloadCredential, header: KeyHeader, maxAge: number): Promise<readonly IssuerKey[]>;
}

export interface KeyHeader {
  readonly alg: string;
  readonly kid: string | null;
}

const MAX_KEPT = 1_000;
/** The pause after a failed fetch, so that an issuer that does not answer is not asked for every token. */
const RETRY = 5 * SECOND;

export function createIssuerKeys(outbound: Outbound): IssuerKeys {
  // Keys that are too old are not used even if the issuer does not answer, because they may have been withdrawn.
  const sets = createRemoteDocuments<readonly IssuerKey[]>({ max: MAX_KEPT, staleMs: 0, pauseMs: RETRY, failureOf: () => "down" });
  return {
    async fitting(credential, header, maxAge) {
      if (credential.jwks) return fittingIn(staticKeys(credential.jwks), header);
      const place = placeOf(credential);
      const read = async () => ({ document: await fetchKeys(outbound, credential), freshMs: maxAge });
      const known = sets.peek(place);
      const current = await sets.get(place, read);
      const found = fittingIn(current, header);
      // The key is missing in a set that was cached before, so the issuer may have rotated its keys.
      const reread = found.length === 0 && current === known ? sets.rereadIncomplete(place, read) : null;
      return reread ? fittingIn(await reread, header) : found;
    },
  };
}

/** Returns the key of a cache entry. Realms share none, so a realm that floods an issuer does not delay another's rotation. */
const placeOf = ({ realmId, issuer, jwksUri }: WorkloadCredential): string => JSON.stringify([realmId, issuer, jwksUri]);

/** Finds the key by `kid`. Without one, the only key that fits is used (RFC 7515 §4.1.4). */
function fittingIn(keys: readonly IssuerKey[], { alg, kid }: KeyHeader): readonly IssuerKey[] {
  const fit = keys.filter((key) => (key.alg === null || key.alg === alg) && isFor(key.key, alg));
  if (kid !== null) return fit.filter((key) => key.kid === kid).slice(0, 1);
  return fit.length === 1 ? fit : [];
}

const isFor = ({ asymmetricKeyType }: KeyObject, alg: string): boolean => asymmetricKeyType === (alg.startsWith("RS") ? "rsa" : "ec");

async function fetchKeys(outbound: Outbound, { issuer, jwksUri }: WorkloadCredential): Promise<readonly IssuerKey[]> {
  const { keys } = await fetchObject(outbound, httpsOnly(jwksUri ?? (await discoveredKeys(outbound, issuer))), "keys");
  if (!Array.isArray(keys)) throw new Error("the issuer published no keys");
  return keys.flatMap(importKey);
}

/** OpenID Connect Discovery §4: finds the address of the keys, which may be on another host. The document must be the issuer's (§4.3). */
async function discoveredKeys(outbound: Outbound, issuer: string): Promise<string> {
  const document = await fetchObject(outbound, httpsOnly(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`), "discovery");
  if (document.issuer !== issuer) throw new Error("the discovery document names another issuer");
  return String(document.jwks_uri);
}

/** Refuses plain http even in development, where the guard of outbound requests would allow it to this machine. */
function httpsOnly(url: string): string {
  if (!url.startsWith("https://")) throw new Error("keys are fetched by https only");
  return url;
}

const staticKeys = oncePer(({ keys }: NonNullable<WorkloadCredential["jwks"]>): readonly IssuerKey[] => keys.flatMap(importKey));

/** RFC 7517 §4: imports a key, unless it cannot be used. SPIFFE bundles contain keys of certificates, too, and name the use `jwt-svid`. */
function importKey(jwk: unknown): IssuerKey[] {
  if (typeof jwk !== "object" || jwk === null) return [];
  const { kty, kid, alg, use, d } = jwk as Record<string, unknown>;
  if ((kty !== "RSA" && kty !== "EC") || d !== undefined || ![undefined, "sig", "jwt-svid"].includes(use as string)) return [];
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
    return [{ kid: typeof kid === "string" ? kid : null, alg: typeof alg === "string" ? alg : null, key }];
  } catch {
    return [];
  }
}
