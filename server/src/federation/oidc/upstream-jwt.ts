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
  /** The algorithm that was agreed with the provider: another one is refused, though it may be a good one (OpenID Connect Core §3.1.3.7). */
  readonly alg: string;
  /** The document may leave out its audience and times, as signed userinfo may (OpenID Connect Core §5.3.2). */
  readonly isLasting?: boolean;
  /** The error for one that is not valid, and why. */
  readonly invalid: (cause: unknown) => UpstreamError;
}

/** A JWT that the provider signed for this audience and that is valid now. Issuer and type are the caller's to check. */
export async function verifyUpstreamJwt(
  upstreams: Upstreams,
  token: string,
  { jwksUrl, audience, required, alg: agreed, isLasting = false, invalid }: UpstreamJwtRules,
): Promise<{ readonly header: ParsedJws["header"]; readonly payload: JWTPayload }> {
  const refuse = (reason: string) => invalid(new Error(reason));
  const jws = parseJws(token);
  // `none`, and the algorithms by which our own secret would sign, are not among them.
  const alg = asymmetricAlgs.find((one) => one === jws?.header.alg);
  if (!jws || !alg) throw refuse("it is no JWT that is signed with a private key");
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
