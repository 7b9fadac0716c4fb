/** What a sign-in can prove, each more than the one before: `1` one kind of proof, `2` two, or a passkey that verified its user. */
export const ACR_VALUES: readonly string[] = ["1", "2"];

type AcrClaim = { readonly essential?: boolean; readonly value?: unknown; readonly values?: unknown } | null | undefined;

/** What a request says of how sure a sign-in is to be. */
interface AcrRequest {
  readonly acr_values?: string | undefined;
  readonly claims?: { readonly id_token?: { readonly acr?: AcrClaim } | null | undefined } | null | undefined;
}

export interface WantedAcr {
  /** Null: nothing that there is. */
  readonly acr: string | null;
  /** Without it there is no sign-in; otherwise it is a wish. */
  readonly essential: boolean;
}

/** OpenID Connect Core §3.1.2.1 and §5.5.1.1: the highest that is wished for; of those of which one has to be had, the lowest. */
export function acrWanted({ acr_values, claims }: AcrRequest, known: readonly string[]): WantedAcr {
  const claim = claims?.id_token?.acr;
  const listed = Array.isArray(claim?.values) ? claim.values : claim?.value === undefined ? [] : [claim.value];
  const essential = claim?.essential === true && listed.length > 0;
  const asked = [...listed, ...(essential ? [] : (acr_values ?? "").split(" "))].map(String);
  const possible = known.filter((acr) => asked.includes(acr));
  return { acr: possible.at(essential ? 0 : -1) ?? null, essential };
}
