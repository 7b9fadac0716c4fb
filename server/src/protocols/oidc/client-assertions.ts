import { errors } from "oidc-provider";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";

/** In seconds. An assertion is made for one request: what lives longer is a password that travels. */
const MAX_LIFETIME = (10 * MINUTE) / SECOND;
/** In seconds: how far a client's clock may be ahead. */
const SKEW = MINUTE / SECOND;

/**
 * RFC 7523 §3, for `private_key_jwt` and `client_secret_jwt`: beside what the engine checks (signature, issuer, subject, expiry, an audience of
 * ours, a `jti` that counts once). A second audience could use the assertion here as it came in there.
 */
export function checkClientAssertion(claims: Readonly<Record<string, unknown>>): void {
  const { exp, iat, nbf, aud, jti } = claims;
  const now = Math.floor(clock.now() / SECOND);
  const refuse = (reason: string) => {
    throw new errors.InvalidClientAuth(reason);
  };
  if (typeof exp !== "number" || exp - now > MAX_LIFETIME + SKEW) refuse(`a client assertion lives ${MAX_LIFETIME} seconds at most`);
  for (const begin of [iat, nbf]) {
    if (begin === undefined) continue;
    if (typeof begin !== "number" || begin > now + SKEW) refuse("the client assertion is from the future");
    if (Number(exp) - Number(begin) > MAX_LIFETIME) refuse(`a client assertion lives ${MAX_LIFETIME} seconds at most`);
  }
  if (Array.isArray(aud) && aud.length !== 1) refuse("a client assertion has one audience");
  if (typeof jti !== "string") refuse("jti must be a text");
}
