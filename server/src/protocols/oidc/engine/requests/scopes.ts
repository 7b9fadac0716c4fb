import type { Client } from "oidc-provider";
import { defaultScopesFor, knownScopes } from "../../../tokens/index.ts";
import { partsOf } from "../context.ts";
import { snapshotOf } from "../models/client.ts";
import { ENDPOINTS, refineStep } from "../steps.ts";

/**
 * Three differences to the engine's check. A request without `scope` gets the defaults. Unknown scopes are ignored, and a request with only unknown
 * ones is refused. The engine drops `offline_access` without `prompt=consent`, but OpenID Connect Core §11 allows other conditions: here the
 * client's configuration and a stored consent are enough. Call it before the first Provider is created, which copies the steps.
 */
export const refineScopeCheck = (): void =>
  refineStep(ENDPOINTS, "checkScope", async (ctx, check, next) => {
    const params = ctx.oidc.params as { scope?: string | undefined; response_type?: string | undefined };
    const { client } = ctx.oidc;
    const { scopesOfRealm } = partsOf(ctx);
    params.scope ??= defaultScopesFor(scopesOfRealm, snapshotOf(client as Client)).join(" ") || undefined;
    const requested = params.scope?.split(" ") ?? [];
    const allowsOffline =
      requested.includes("offline_access") &&
      client?.grantTypeAllowed("refresh_token") === true &&
      (params.response_type === undefined || params.response_type.split(" ").includes("code")) &&
      (client.scope?.split(" ").includes("offline_access") ?? true);
    await check();
    params.scope = knownScopes(scopesOfRealm, params.scope);
    if (allowsOffline && !params.scope?.split(" ").includes("offline_access"))
      params.scope = [...(params.scope?.split(" ") ?? []), "offline_access"].join(" ");
    return next();
  });
