import { clock, MINUTE, SECOND } from "./clock.ts";

/** In seconds: how far the clock of another server may be from ours, where nothing else was configured. */
export const CLOCK_SKEW = MINUTE / SECOND;

interface Dated {
  readonly exp?: unknown;
  readonly nbf?: unknown;
  readonly iat?: unknown;
}

export interface TimeRules {
  /** In seconds. */
  readonly skew?: number;
  /** The time for which a token is accepted after its end, where it is not the skew. */
  readonly expirySkew?: number;
  readonly requiresIat?: boolean;
}

/** RFC 7519 §4.1.4 to §4.1.6: the reason why a token is not valid now; null: it is. */
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

/** RFC 7519 §4.1.3: one text, or a list of them. */
export const isMeantFor = (aud: unknown, audience: string): boolean => aud === audience || (Array.isArray(aud) && aud.includes(audience));

/** The audience of a token that has exactly one: another recipient of the token could replay it. Null: it has none, or several. */
export function onlyAudience(aud: unknown): string | null {
  const [only, ...others] = Array.isArray(aud) ? aud : [aud];
  return typeof only === "string" && others.length === 0 ? only : null;
}

/** RFC 8725 §3.11: tells whether the `typ` of a JWT lets it be of this kind. Many have none, or `JWT`, which does not say what they are for. */
export const mayBeOfType = (typ: unknown, type: string): boolean =>
  typ === undefined || (typeof typ === "string" && ["jwt", type].includes(typ.toLowerCase().replace(/^application\//, "")));
