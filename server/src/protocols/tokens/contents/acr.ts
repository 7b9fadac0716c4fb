/** The levels in ascending order: `1` is one kind of factor, `2` is two kinds, or a passkey with user verification. */
export const ACR_VALUES: readonly string[] = ["1", "2"];

type AcrClaim = { readonly essential?: boolean; readonly value?: unknown; readonly values?: unknown } | null | undefined;

/** The parameters that request an authentication context class. */
interface AcrRequest {
  readonly acr_values?: string | undefined;
  readonly claims?: { readonly id_token?: { readonly acr?: AcrClaim } | null | undefined } | null | undefined;
}

export interface RequestedAcr {
  /** The level, or null if this server supports none of the requested ones. */
  readonly acr: string | null;
  /** True if the sign-in fails without the level. Otherwise it is a voluntary claim. */
  readonly essential: boolean;
}

/** OpenID Connect Core §3.1.2.1, §5.5.1.1: returns the highest of voluntary values, or the lowest of essential ones. */
export function requestedAcr({ acr_values, claims }: AcrRequest): RequestedAcr {
  const claim = claims?.id_token?.acr;
  const listed = Array.isArray(claim?.values) ? claim.values : claim?.value === undefined ? [] : [claim.value];
  const essential = claim?.essential === true && listed.length > 0;
  const requested = [...listed, ...(essential ? [] : (acr_values ?? "").split(" "))].map(String);
  const possible = ACR_VALUES.filter((acr) => requested.includes(acr));
  return { acr: possible.at(essential ? 0 : -1) ?? null, essential };
}
