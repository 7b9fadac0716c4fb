/**
 * The authentication context class: `1` one kind of factor, `2` two, `0` impersonation. Sessions of an older release may have none stored.
 */
export const acrOf = ({ acr, impersonator }: { readonly acr: string | null; readonly impersonator: string | null }): string =>
  acr ?? (impersonator === null ? "1" : "0");
