import type { KoaContextWithOIDC } from "oidc-provider";
import { refineScopes, type ScopeRule } from "./engine.ts";

const defaults = new WeakMap<object, (ctx: KoaContextWithOIDC) => readonly string[]>();

/** Tells which scopes a Provider's clients get where they ask for none. */
export const setDefaultScopes = (provider: object, of: (ctx: KoaContextWithOIDC) => readonly string[]): void =>
  void defaults.set(provider, of);

/**
 * Two things the engine sees differently. A request without scopes gets the defaults. And it drops `offline_access` unless the user is
 * asked each time, where OpenID Connect Core §11 leaves room for other conditions: here the client's configuration and the consent that
 * was given are those.
 */
const aroundScopeCheck: ScopeRule = async (ctx, check, next) => {
  const params = ctx.oidc.params as { scope?: string | undefined; response_type?: string | undefined };
  const { client } = ctx.oidc;
  params.scope ??= defaults.get(ctx.oidc.provider)?.(ctx).join(" ") || undefined;
  const asked = params.scope?.split(" ") ?? [];
  const mayStay =
    asked.includes("offline_access") &&
    client?.grantTypeAllowed("refresh_token") === true &&
    (params.response_type === undefined || params.response_type.split(" ").includes("code")) &&
    (client.scope?.split(" ").includes("offline_access") ?? true);
  await check();
  if (mayStay && !params.scope?.split(" ").includes("offline_access"))
    params.scope = [...(params.scope?.split(" ") ?? []), "offline_access"].join(" ");
  return next();
};

// Before the first Provider is made, which takes the steps as they are then.
refineScopes(aroundScopeCheck);
