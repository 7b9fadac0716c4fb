import { type Client, errors, type KoaContextWithOIDC } from "oidc-provider";
import type { ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { snapshotOf } from "./client.ts";
import { refineScopes, refineTokenScopes, type StepRule } from "./engine.ts";

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

/**
 * RFC 6749 §3.3, OpenID Connect Core §3.1.2.1: scopes that the realm does not know are ignored, in every grant; the answer tells which were
 * given. A request for nothing but these is refused, rather than given everything or nothing. Undefined: none was asked for.
 */
function knownScopes({ byName }: ScopesSnapshot, scope: string | undefined): string | undefined {
  if (!scope) return undefined;
  const known = [...new Set(scope.split(" "))].filter((name) => byName.has(name));
  if (known.length === 0) throw new errors.InvalidScope("this realm knows none of the requested scopes", scope);
  return known.join(" ");
}

const scopesOf = new WeakMap<object, ScopesSnapshot>();

/** Tells a Provider which scopes its realm has. */
export const setScopes = (provider: object, scopes: ScopesSnapshot): void => void scopesOf.set(provider, scopes);

const scopesFrom = ({ oidc }: KoaContextWithOIDC): ScopesSnapshot => scopesOf.get(oidc.provider)!;

/** At the token endpoint, after the engine has checked its form. What is left of it is each grant's to judge. */
const aroundTokenScopeCheck: StepRule = async (ctx, check, next) => {
  await check();
  const params = ctx.oidc.params as { scope?: string | undefined };
  const isAsked = Boolean(params.scope);
  params.scope = knownScopes(scopesFrom(ctx), params.scope);
  await next();
  // RFC 6749 §5.1: fewer scopes than were asked for are told, also none.
  const body = ctx.body as { access_token?: string; scope?: string } | undefined;
  if (isAsked && body?.access_token !== undefined) body.scope ??= "";
};

/**
 * Two things the engine sees differently. A request without scopes gets the defaults. And it drops `offline_access` unless the user is
 * asked each time, where OpenID Connect Core §11 leaves room for other conditions: here the client's configuration and the consent that
 * was given are those.
 */
const aroundScopeCheck: StepRule = async (ctx, check, next) => {
  const params = ctx.oidc.params as { scope?: string | undefined; response_type?: string | undefined };
  const { client } = ctx.oidc;
  params.scope ??= defaultScopesFor(scopesFrom(ctx), snapshotOf(client as Client)).join(" ") || undefined;
  const asked = params.scope?.split(" ") ?? [];
  const mayStay =
    asked.includes("offline_access") &&
    client?.grantTypeAllowed("refresh_token") === true &&
    (params.response_type === undefined || params.response_type.split(" ").includes("code")) &&
    (client.scope?.split(" ").includes("offline_access") ?? true);
  await check();
  params.scope = knownScopes(scopesFrom(ctx), params.scope);
  if (mayStay && !params.scope?.split(" ").includes("offline_access"))
    params.scope = [...(params.scope?.split(" ") ?? []), "offline_access"].join(" ");
  return next();
};

// Before the first Provider is made, which takes the steps as they are then.
refineScopes(aroundScopeCheck);
refineTokenScopes(aroundTokenScopeCheck);
