import type { AuthorizationDetail, KoaContextWithOIDC } from "oidc-provider";

/** RFC 9396: the requested details; the engine has validated the JSON. */
export function requestedDetails(ctx: KoaContextWithOIDC): AuthorizationDetail[] {
  const asked = (ctx.oidc.params as { authorization_details?: string } | undefined)?.authorization_details;
  return asked === undefined ? [] : (JSON.parse(asked) as AuthorizationDetail[]);
}

/**
 * RFC 9396 §5: unknown types are refused. The content of known types is not validated: the consent page shows the type, and the token contains the
 * details for the resource server.
 */
export const richAuthorizationRequests = (types: readonly string[]) => ({
  enabled: types.length > 0,
  types: Object.fromEntries(types.map((type) => [type, { validate: () => {} }])),
  authorizationDetailsForGrantSource: (ctx: KoaContextWithOIDC) => requestedDetails(ctx),
});
