import type { AuthorizationDetail, KoaContextWithOIDC } from "oidc-provider";

/** RFC 9396: what a request asks for in detail; the engine has checked its form. */
export function requestedDetails(ctx: KoaContextWithOIDC): AuthorizationDetail[] {
  const asked = (ctx.oidc.params as { authorization_details?: string } | undefined)?.authorization_details;
  return asked === undefined ? [] : (JSON.parse(asked) as AuthorizationDetail[]);
}

/**
 * §5: types that the realm does not know are refused; what is in the others is passed on as it is, to the consent page by its type and to
 * the resource in the token.
 */
export const richAuthorizationRequests = (types: readonly string[]) => ({
  enabled: types.length > 0,
  types: Object.fromEntries(types.map((type) => [type, { validate: () => {} }])),
  authorizationDetailsForGrantSource: (ctx: KoaContextWithOIDC) => requestedDetails(ctx),
});
