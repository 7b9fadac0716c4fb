import type { Client, KoaContextWithOIDC, ResourceServer } from "oidc-provider";
import { allowedScopes, assertResource } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { translated } from "../errors.ts";
import { snapshotOf } from "../models/client.ts";

/** RFC 8707, as the engine's configuration; protocols/tokens decides which resources a client may request. */
export const resourceIndicators = (parts: RealmParts) => ({
  enabled: true,
  /** RFC 9068 §3: the default resource. Of several granted ones, the first. */
  defaultResource: (_ctx: KoaContextWithOIDC, _client: Client, oneOf?: readonly string[]) => oneOf?.[0] ?? parts.issuer,
  useGrantedResource: () => true,
  getResourceServerInfo: (_ctx: KoaContextWithOIDC, resource: string, client: Client): Promise<ResourceServer> =>
    translated(() => {
      const snapshot = snapshotOf(client);
      assertResource(parts, snapshot, resource);
      return { scope: [...allowedScopes(parts.scopesOfRealm, snapshot)].join(" "), audience: resource, accessTokenFormat: "jwt" };
    }),
});
