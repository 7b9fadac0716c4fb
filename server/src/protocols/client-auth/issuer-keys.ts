import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import type { WorkloadCredential } from "../../applications/workload-credentials/index.ts";
import { fetchObject } from "../../federation/index.ts";
import { SECOND } from "../../kernel/clock.ts";
import { oncePer } from "../../kernel/once.ts";
import { createRemoteDocuments, type Outbound } from "../../platform/outbound/index.ts";

/** A public key of an issuer of workload tokens. */
export interface IssuerKey {
  readonly kid: string | null;
  /** The only algorithm that the issuer uses it with; null: any that fits. */
  readonly alg: string | null;
  readonly key: KeyObject;
}

/** The keys of issuers of workload tokens: from the credential itself, or fetched and kept for a while. */
export interface IssuerKeys {
  /**
   * The keys that may have signed a token with this header, as a rule one. `maxAge` in milliseconds: how long keys are kept. An unknown key has
   * them fetched again. Throws where they cannot be fetched.
   */
  fitting(credential: WorkloadCredential, header: KeyHeader, maxAge: number): Promise<readonly IssuerKey[]>;
}

export interface KeyHeader {
  readonly alg: string;
  readonly kid: string | null;
}

const MAX_KEPT = 1_000;
/** An issuer that does not answer is not asked for every token. */
const RETRY = 5 * SECOND;

export function createIssuerKeys(outbound: Outbound): IssuerKeys {
  // Keys that are too old do not count, also where the issuer does not answer: they may have been withdrawn.
  const sets = createRemoteDocuments<readonly IssuerKey[]>({ max: MAX_KEPT, staleMs: 0, pauseMs: RETRY, failureOf: () => "down" });
  return {
    async fitting(credential, header, maxAge) {
      if (credential.jwks) return fittingIn(staticKeys(credential.jwks), header);
      const place = placeOf(credential);
      const read = async () => ({ document: await fetchKeys(outbound, credential), freshMs: maxAge });
      const known = sets.peek(place);
      const current = await sets.get(place, read);
      const found = fittingIn(current, header);
      // Not among keys that were read before: rotated.
      const reread = found.length === 0 && current === known ? sets.rereadIncomplete(place, read) : null;
      return reread ? fittingIn(await reread, header) : found;
    },
  };
}

/** Realms share nothing: one that floods an issuer does not delay another's rotation. */
const placeOf = ({ realmId, issuer, jwksUri }: WorkloadCredential): string => JSON.stringify([realmId, issuer, jwksUri]);

/** By `kid`; without one, the only key that fits (RFC 7515 §4.1.4). */
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

/** OpenID Connect Discovery §4. The document must be the issuer's own (§4.3); the keys may be on another host. */
async function discoveredKeys(outbound: Outbound, issuer: string): Promise<string> {
  const document = await fetchObject(outbound, httpsOnly(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`), "discovery");
  if (document.issuer !== issuer) throw new Error("the discovery document names another issuer");
  return String(document.jwks_uri);
}

/** Also in development, where the guard of outbound requests would let plain http to this machine pass. */
function httpsOnly(url: string): string {
  if (!url.startsWith("https://")) throw new Error("keys are fetched by https only");
  return url;
}

const staticKeys = oncePer(({ keys }: NonNullable<WorkloadCredential["jwks"]>): readonly IssuerKey[] => keys.flatMap(importKey));

/** RFC 7517 §4. SPIFFE bundles name the use `jwt-svid`, beside keys of certificates. A key that cannot be used is left out. */
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
