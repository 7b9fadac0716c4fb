import type { Client, KoaContextWithOIDC, ResourceServer } from "oidc-provider";
import { listOf } from "../../../../kernel/lists.ts";
import { oauthErrors } from "../../../../kernel/oauth-error.ts";
import { allowedScopes, defaultScopesFor, knownScopes, scopesAt, targetOf } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { partsOf } from "../context.ts";
import { translated } from "../errors.ts";
import { snapshotOf } from "../models/client.ts";
import { ENDPOINTS, refineStep } from "../steps.ts";

/** RFC 8707: configures resource indicators for the engine; protocols/tokens decides which resources a client may request. */
export const resourceIndicators = (parts: RealmParts) => ({
  enabled: true,
  /** RFC 9068 §3: returns the default resource. If several were granted, it is the first. */
  defaultResource: (_ctx: KoaContextWithOIDC, _client: Client, oneOf?: readonly string[]) => oneOf?.[0] ?? parts.issuer,
  useGrantedResource: () => true,
  getResourceServerInfo: (_ctx: KoaContextWithOIDC, resource: string, client: Client): Promise<ResourceServer> =>
    translated(async () => {
      const snapshot = snapshotOf(client);
      const target = await targetOf(parts, snapshot, resource);
      const scopes = scopesAt(target, [...allowedScopes(parts.scopesOfRealm, snapshot)]);
      return { scope: scopes.join(" "), audience: target.resource, accessTokenFormat: "jwt" };
    }),
});

/** The limit of resources in a request: each is looked up, and named on the consent page. */
const MAX_RESOURCES = 10;

/**
 * Replaces each resource of a request by its registered spelling, under which consents, grants and codes are stored. Call it before the
 * first Provider is created, which copies the steps.
 */
export const spellResources = (): void =>
  refineStep(ENDPOINTS, "checkResource", async (ctx, check, next) => {
    const params = ctx.oidc.params as { resource?: string | string[] };
    const requested = listOf(params.resource);
    if (requested.length > MAX_RESOURCES) throw oauthErrors.invalidTarget("too many resources");
    const client = snapshotOf(ctx.oidc.client as Client);
    const targets = await Promise.all(requested.map((resource) => targetOf(partsOf(ctx), client, resource)));
    const spelled = [...new Set(targets.map(({ resource }) => resource))];
    if (spelled.length > 0) params.resource = spelled.length === 1 ? spelled[0]! : spelled;
    await check();
    return next();
  });

/**
 * Changes the engine's check of scopes in three ways. A request without `scope` gets the defaults. Unknown scopes are ignored, and a
 * request with only unknown ones is refused. `offline_access` without `prompt=consent` is kept if the client's configuration and a stored
 * consent allow it (OpenID Connect Core §11). Call it before the first Provider is created, which copies the steps.
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
