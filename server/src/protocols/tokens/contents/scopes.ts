import type { ScopesSnapshot } from "../../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";

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

/** Those that stand for a person have no meaning for a client in its own name unless it requests them. */
const ABOUT_PEOPLE: ReadonlySet<string> = new Set(["openid", "offline_access"]);

/** Decision 7: what a client gets in its own name that requests no scope. */
export const clientDefaultScopes = (snapshot: ScopesSnapshot, client: ClientSnapshot): readonly string[] =>
  defaultScopesFor(snapshot, client).filter((name) => !ABOUT_PEOPLE.has(name));

/** RFC 6749 §3.3 */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/;

export function checkScopeSyntax(scope: string | undefined): void {
  if (scope !== undefined && !SCOPE.test(scope)) throw oauthErrors.invalidScope("scope contains invalid characters");
}

/**
 * RFC 6749 §3.3, OpenID Connect Core §3.1.2.1: scopes that the realm does not know are ignored, in every grant; the answer tells which were
 * given. A request for nothing but these is refused, rather than given everything or nothing. Undefined: none was requested.
 */
export function knownScopes({ byName }: ScopesSnapshot, scope: string | undefined): string | undefined {
  if (!scope) return undefined;
  const known = [...new Set(scope.split(" "))].filter((name) => byName.has(name));
  if (known.length === 0) throw oauthErrors.invalidScope("this realm knows none of the requested scopes", { scope });
  return known.join(" ");
}

/** What a request names; `defaults` where it names nothing. What the client may not ask for is refused; what is unknown is gone by now. */
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
