type AcrClaim = { readonly essential?: boolean; readonly value?: unknown; readonly values?: unknown } | null | undefined;

/** What a request says of how sure a sign-in is to be. */
interface AcrRequest {
  readonly acr_values?: string | undefined;
  readonly claims?: { readonly id_token?: { readonly acr?: AcrClaim } | null | undefined } | null | undefined;
}

export interface RequestedAcr {
  /** Null: none that can be reached. */
  readonly acr: string | null;
  /** Without it the sign-in fails; otherwise it is voluntary. */
  readonly essential: boolean;
}

/** OpenID Connect Core §3.1.2.1 and §5.5.1.1: the highest of voluntary values, the lowest of essential ones. */
export function requestedAcr({ acr_values, claims }: AcrRequest, known: readonly string[]): RequestedAcr {
  const claim = claims?.id_token?.acr;
  const listed = Array.isArray(claim?.values) ? claim.values : claim?.value === undefined ? [] : [claim.value];
  const essential = claim?.essential === true && listed.length > 0;
  const requested = [...listed, ...(essential ? [] : (acr_values ?? "").split(" "))].map(String);
  const possible = known.filter((acr) => requested.includes(acr));
  return { acr: possible.at(essential ? 0 : -1) ?? null, essential };
}
