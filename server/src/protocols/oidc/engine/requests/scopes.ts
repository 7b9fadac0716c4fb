import type { Client } from "oidc-provider";
import { defaultScopesFor, knownScopes } from "../../../tokens/index.ts";
import { snapshotOf } from "../models/client.ts";
import { partsOf } from "../realm-of.ts";
import { refineScopes, type StepRule } from "../steps.ts";

/**
 * Three things the engine sees differently. A request without scopes gets the defaults. Scopes that the realm does not know are ignored, and
 * a request for nothing but these is refused. And it drops `offline_access` unless the user is asked each time, where OpenID Connect Core
 * §11 leaves room for other conditions: here the client's configuration and the consent that was given are those.
 */
const aroundScopeCheck: StepRule = async (ctx, check, next) => {
  const params = ctx.oidc.params as { scope?: string | undefined; response_type?: string | undefined };
  const { client } = ctx.oidc;
  const { scopesOfRealm } = partsOf(ctx);
  params.scope ??= defaultScopesFor(scopesOfRealm, snapshotOf(client as Client)).join(" ") || undefined;
  const requested = params.scope?.split(" ") ?? [];
  const mayStay =
    requested.includes("offline_access") &&
    client?.grantTypeAllowed("refresh_token") === true &&
    (params.response_type === undefined || params.response_type.split(" ").includes("code")) &&
    (client.scope?.split(" ").includes("offline_access") ?? true);
  await check();
  params.scope = knownScopes(scopesOfRealm, params.scope);
  if (mayStay && !params.scope?.split(" ").includes("offline_access"))
    params.scope = [...(params.scope?.split(" ") ?? []), "offline_access"].join(" ");
  return next();
};

/** Before the first Provider is made, which takes the steps as they are then. */
export const refineScopeCheck = (): void => refineScopes(aroundScopeCheck);
