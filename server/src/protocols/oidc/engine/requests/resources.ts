import type { Client, KoaContextWithOIDC, ResourceServer } from "oidc-provider";
import { allowedScopes, assertResource } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { translated } from "../errors.ts";
import { snapshotOf } from "../models/client.ts";

/** RFC 8707, in the form that the engine takes; which resources a client is allowed is decided in protocols/tokens. */
export const resourceIndicators = (parts: RealmParts) => ({
  enabled: true,
  /** RFC 9068 §3: a token without a named resource is for the default one. Of several that were granted, the first. */
  defaultResource: (_ctx: KoaContextWithOIDC, _client: Client, oneOf?: readonly string[]) => oneOf?.[0] ?? parts.issuer,
  useGrantedResource: () => true,
  getResourceServerInfo: (_ctx: KoaContextWithOIDC, resource: string, client: Client): Promise<ResourceServer> =>
    translated(() => {
      const snapshot = snapshotOf(client);
      assertResource(parts, snapshot, resource);
      return { scope: [...allowedScopes(parts.scopesOfRealm, snapshot)].join(" "), audience: resource, accessTokenFormat: "jwt" };
    }),
});
