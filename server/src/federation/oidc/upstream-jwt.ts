import type { JWTPayload } from "jose";
import { clock, SECOND } from "../../kernel/clock.ts";
import { isSignedByAny, type ParsedJws, parseJws } from "../../kernel/jws.ts";
import { isMeantFor, reasonAgainstTimes } from "../../kernel/jwt-claims.ts";
import { asymmetricAlgs } from "../../tenancy/keys/index.ts";
import { UpstreamError } from "./metadata.ts";
import type { Upstreams } from "./upstreams.ts";

export interface UpstreamJwtRules {
  readonly jwksUrl: string;
  readonly audience: string;
  readonly required: readonly string[];
  /** The algorithm that was agreed with the provider. Any other is refused, even a good one (OpenID Connect Core §3.1.3.7). */
  readonly alg: string;
  /** True if the document may omit its audience and times, as signed userinfo may (OpenID Connect Core §5.3.2). */
  readonly isLasting?: boolean;
  /** Returns the error for an invalid JWT. */
  readonly invalid: (cause: unknown) => UpstreamError;
}

/** Verifies that the provider signed a JWT for this audience, and that it is valid now. The caller checks issuer and type. */
export async function verifyUpstreamJwt(
  upstreams: Upstreams,
  token: string,
  { jwksUrl, audience, required, alg: agreed, isLasting = false, invalid }: UpstreamJwtRules,
): Promise<{ readonly header: ParsedJws["header"]; readonly payload: JWTPayload }> {
  const refuse = (reason: string) => invalid(new Error(reason));
  const jws = parseJws(token);
  // `asymmetricAlgs` contains neither `none` nor the algorithms whose key would be our own secret.
  const alg = asymmetricAlgs.find((one) => one === jws?.header.alg);
  if (!jws || !alg) throw refuse("it is not a JWT with an asymmetric signature");
  if (alg !== agreed) throw refuse(`it is signed by ${alg}, but ${agreed} was agreed`);
  const { header, payload } = jws;
  const key = await upstreams.keyOf(jwksUrl, { ...header, alg }).catch((error) => {
    throw error instanceof UpstreamError ? error : invalid(error);
  });
  if (!(await isSignedByAny(jws, key))) throw refuse("its signature is not the provider's");
  const reason = reasonAgainst(payload, audience, required, isLasting);
  if (reason !== null) throw refuse(reason);
  return { header, payload };
}

/** RFC 7519 §4.1 */
function reasonAgainst(payload: ParsedJws["payload"], audience: string, required: readonly string[], isLasting: boolean): string | null {
  const missing = required.find((name) => payload[name] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  const now = clock.now() / SECOND;
  const absent = isLasting ? { aud: audience, exp: now, iat: now } : {};
  const dated: ParsedJws["payload"] = { ...absent, ...payload };
  if (!isMeantFor(dated.aud, audience)) return "it is meant for another client";
  return reasonAgainstTimes(dated, { requiresIat: true });
}
