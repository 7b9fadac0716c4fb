import type { ScopesSnapshot } from "../../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { oncePer } from "../../../kernel/once.ts";

/** Returns the scopes that a client may request: its own list or, without one, those that the realm assigns (decision 7). */
export function scopesFor({ byName, scopes }: ScopesSnapshot, { scopes: own, scopeLimit, agent }: ClientSnapshot): readonly string[] {
  const names =
    own.length > 0
      ? own.filter((name) => byName.has(name))
      : scopes.filter(({ name, assignment }) => assignment !== "NONE" || name === "openid").map(({ name }) => name);
  const limits = [scopeLimit, agent && agent.scopes.length > 0 ? agent.scopes : undefined].filter((limit) => limit !== undefined);
  return limits.length === 0 ? names : names.filter((name) => limits.every((limit) => limit.includes(name)));
}

/** Computes a value once, until the configuration of the client or of its realm changes. */
function once<V extends object>(make: (snapshot: ScopesSnapshot, client: ClientSnapshot) => V) {
  const made = oncePer((snapshot: ScopesSnapshot) => oncePer((client: ClientSnapshot) => make(snapshot, client)));
  return (snapshot: ScopesSnapshot, client: ClientSnapshot): V => made(snapshot)(client);
}

/** Returns `scopesFor` as a set. It also applies to stored grants: a scope that was taken from the client is no longer issued. */
export const allowedScopes = once((snapshot, client): ReadonlySet<string> => new Set(scopesFor(snapshot, client)));

/** Returns the scopes of a request without `scope` (RFC 6749 §3.3). */
export const defaultScopesFor = once((snapshot, client): readonly string[] =>
  scopesFor(snapshot, client).filter((name) => snapshot.byName.get(name)?.assignment === "DEFAULT"),
);

/** The scopes that need a user, so they are no defaults of the client credentials grant. */
const USER_SCOPES: ReadonlySet<string> = new Set(["openid", "offline_access"]);

/** Returns the scopes of a client credentials request without `scope` (decision 7). */
export const clientDefaultScopes = once((snapshot, client): readonly string[] =>
  defaultScopesFor(snapshot, client).filter((name) => !USER_SCOPES.has(name)),
);

/** The syntax of `scope` (RFC 6749 §3.3). */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/;

export function checkScopeSyntax(scope: string | undefined): void {
  if (scope !== undefined && !SCOPE.test(scope)) throw oauthErrors.invalidScope("scope contains invalid characters");
}

/**
 * RFC 6749 §3.3, OpenID Connect Core §3.1.2.1: returns the scopes that the realm has. Every grant ignores others, and the response lists
 * the issued ones. Refuses a request with only unknown scopes. Returns undefined if no scope was requested.
 */
export function knownScopes({ byName }: ScopesSnapshot, scope: string | undefined): string | undefined {
  if (!scope) return undefined;
  const known = [...new Set(scope.split(" "))].filter((name) => byName.has(name));
  if (known.length === 0) throw oauthErrors.invalidScope("this realm knows none of the requested scopes", { scope });
  return known.join(" ");
}

/** Returns the requested scopes, or `defaults` if there are none. Refuses scopes that the client may not request. */
export function requestedScopes(
  snapshot: ScopesSnapshot,
  client: ClientSnapshot,
  scope: string | undefined,
  defaults: typeof defaultScopesFor = defaultScopesFor,
): readonly string[] {
  if (scope === undefined) return defaults(snapshot, client);
  const requested = scope.split(" ");
  const beyond = requested.find((name) => !allowedScopes(snapshot, client).has(name));
  if (beyond !== undefined) throw oauthErrors.invalidScope("requested scope is not allowed", { scope: beyond });
  return requested;
}
