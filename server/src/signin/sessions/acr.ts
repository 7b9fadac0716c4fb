/**
 * How sure a sign-in was: `1` one kind of proof, `2` two; `0` where nobody proved to be the user, and an administrator acts as them. Sessions of an
 * older release may have none stored.
 */
export const acrOf = ({ acr, impersonator }: { readonly acr: string | null; readonly impersonator: string | null }): string =>
  acr ?? (impersonator === null ? "1" : "0");
