import { clock, MINUTE, SECOND } from "./clock.ts";

/** The accepted difference between the clock of another server and ours in seconds, unless another is configured. */
export const CLOCK_SKEW = MINUTE / SECOND;

interface Dated {
  readonly exp?: unknown;
  readonly nbf?: unknown;
  readonly iat?: unknown;
}

export interface TimeRules {
  /** In seconds. */
  readonly skew?: number;
  /** The time for which an expired token is still accepted, in seconds, if it differs from the skew. */
  readonly expirySkew?: number;
  readonly requiresIat?: boolean;
}

/** Returns the reason why a token is not valid now (RFC 7519 §4.1.4 to §4.1.6), or null if it is valid. */
export function reasonAgainstTimes(
  { exp, nbf, iat }: Dated,
  { skew = CLOCK_SKEW, expirySkew = skew, requiresIat = false }: TimeRules = {},
): string | null {
  const now = clock.now() / SECOND;
  if (typeof exp !== "number" || exp <= now - expirySkew) return "it has expired, or does not say when it does";
  if (nbf !== undefined && (typeof nbf !== "number" || nbf > now + skew)) return "it is not valid yet";
  if (iat === undefined) return requiresIat ? "it does not say when it was made" : null;
  return typeof iat !== "number" || iat > now + skew ? "it is from the future" : null;
}

/** Tells whether the audience is in `aud` (RFC 7519 §4.1.3), which is a text or a list of texts. */
export const isMeantFor = (aud: unknown, audience: string): boolean => aud === audience || (Array.isArray(aud) && aud.includes(audience));

/** Returns the audience of a token, or null if it has none or several: another recipient could replay such a token. */
export function onlyAudience(aud: unknown): string | null {
  const [only, ...others] = Array.isArray(aud) ? aud : [aud];
  return typeof only === "string" && others.length === 0 ? only : null;
}

/** Tells whether the `typ` of a JWT allows this kind (RFC 8725 §3.11). Many JWTs have none, or `JWT`, which says nothing about their purpose. */
export const mayBeOfType = (typ: unknown, type: string): boolean =>
  typ === undefined || (typeof typ === "string" && ["jwt", type].includes(typ.toLowerCase().replace(/^application\//, "")));
