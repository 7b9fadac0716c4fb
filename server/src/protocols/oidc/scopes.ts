import type { KoaContextWithOIDC } from "oidc-provider";
import type { ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { refineScopes, type ScopeRule } from "./engine.ts";

/** Decision 7: what a client may ask for. */
export const scopesFor = ({ byName, scopes }: ScopesSnapshot, client: ClientSnapshot): readonly string[] =>
  client.scopes.length > 0
    ? client.scopes.filter((name) => byName.has(name))
    : scopes.filter(({ name, assignment }) => assignment !== "NONE" || name === "openid").map(({ name }) => name);

const allowed = new WeakMap<ScopesSnapshot, WeakMap<ClientSnapshot, ReadonlySet<string>>>();

/** The same to look names up in. What was granted before an administrator took a scope from the client is no longer given. */
export function allowedScopes(snapshot: ScopesSnapshot, client: ClientSnapshot): ReadonlySet<string> {
  const ofRealm = allowed.get(snapshot) ?? new WeakMap<ClientSnapshot, ReadonlySet<string>>();
  allowed.set(snapshot, ofRealm);
  const known = ofRealm.get(client) ?? new Set(scopesFor(snapshot, client));
  ofRealm.set(client, known);
  return known;
}

/** What is given where a request names nothing. */
export const defaultScopesFor = (snapshot: ScopesSnapshot, client: ClientSnapshot): readonly string[] =>
  scopesFor(snapshot, client).filter((name) => snapshot.byName.get(name)?.assignment === "DEFAULT");

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
