import { type AuthorizationDetail, errors, type KoaContextWithOIDC } from "oidc-provider";

/** RFC 9396: what a request asks for in detail. */
export function requestedDetails(ctx: KoaContextWithOIDC): AuthorizationDetail[] {
  const asked = (ctx.oidc.params as { authorization_details?: string } | undefined)?.authorization_details;
  return asked === undefined ? [] : (JSON.parse(asked) as AuthorizationDetail[]);
}

/** §6: a token may be asked for with less than was granted, and never with more. Nothing named: all of it. */
function narrowed(granted: readonly AuthorizationDetail[], asked: readonly AuthorizationDetail[]): readonly AuthorizationDetail[] {
  if (asked.length === 0) return granted;
  const known = new Set(granted.map((detail) => JSON.stringify(detail)));
  if (!asked.every((detail) => known.has(JSON.stringify(detail)))) throw new errors.InvalidAuthorizationDetails("more than was granted");
  return asked;
}

/**
 * §5: types that the realm does not know are refused; what is in the others is passed on as it is, to the consent page by its type and to
 * the resource in the token. A client that acts in its own name is granted what it asks for.
 */
export const richAuthorizationRequests = (types: readonly string[]) => ({
  enabled: types.length > 0,
  types: Object.fromEntries(types.map((type) => [type, { validate: () => {} }])),
  authorizationDetailsForGrantSource: (ctx: KoaContextWithOIDC) => requestedDetails(ctx),
  authorizationDetailsForAccessToken: (
    ctx: KoaContextWithOIDC,
    _token: unknown,
    source: { rar?: AuthorizationDetail[] | undefined } | undefined,
  ) => (source ? narrowed(source.rar ?? [], requestedDetails(ctx)) : requestedDetails(ctx)),
  authorizationDetailsForIntrospection: (_ctx: KoaContextWithOIDC, token: { rar?: AuthorizationDetail[] | undefined }) => token.rar,
});
