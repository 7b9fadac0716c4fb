import { type Client, errors, type KoaContextWithOIDC, type ResourceServer } from "oidc-provider";
import type { ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { snapshotOf } from "./client.ts";
import { lifetimesOf } from "./lifetimes.ts";
import { allowedScopes } from "./scopes.ts";

export interface ResourceParts {
  readonly issuer: string;
  readonly scopesOfRealm: ScopesSnapshot;
  readonly realm: { readonly settings: Pick<Settings, "tokens"> };
}

/**
 * RFC 8707. The realm itself, at whose endpoints (userinfo) a token is used, is every client's; any other resource must be among those
 * that the client is allowed. Access tokens are JWTs (RFC 9068) for exactly one of them.
 */
export function resourceServer({ issuer, scopesOfRealm, realm }: ResourceParts, client: ClientSnapshot, resource: string): ResourceServer {
  if (resource !== issuer && !client.allowedResources.includes(resource)) throw new errors.InvalidTarget();
  return {
    scope: [...allowedScopes(scopesOfRealm, client)].join(" "),
    audience: resource,
    accessTokenFormat: "jwt",
    accessTokenTTL: lifetimesOf(realm.settings, client).accessToken,
    jwt: { sign: { alg: client.settings.accessTokenAlg ?? realm.settings.tokens.signingAlg } },
  };
}

export const resourceIndicators = (parts: ResourceParts) => ({
  enabled: true,
  /** RFC 9068 §3: a token without a named resource is for the default one. Of several that were granted, the first. */
  defaultResource: (_ctx: KoaContextWithOIDC, _client: Client, oneOf?: readonly string[]) => oneOf?.[0] ?? parts.issuer,
  useGrantedResource: () => true,
  getResourceServerInfo: (_ctx: KoaContextWithOIDC, resource: string, client: Client) =>
    resourceServer(parts, snapshotOf(client), resource),
});
