import { type Api, type ClientSnapshot, listedResource, resourceKey } from "../../../applications/clients/index.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import type { IssuerParts } from "../parts.ts";

type TargetParts = Pick<IssuerParts, "issuer" | "realm" | "apis">;

/** The resource that an access token is issued for. */
export interface Target {
  /** The registered spelling, which is the one in `aud`. */
  readonly resource: string;
  /** The API, or null for the realm itself and for a resource that no client of the realm represents. */
  readonly api: Api | null;
}

/**
 * RFC 8707: finds the resource that a client requests. Every client may request the realm itself. Any other resource must be in the
 * client's `allowedResources`, or an API of the realm that is open to every client. `resourceKey` ignores the spelling.
 */
export async function targetOf({ issuer, realm, apis }: TargetParts, client: ClientSnapshot, resource: string): Promise<Target> {
  if (resource === issuer || resourceKey(resource) === resourceKey(issuer)) return { resource: issuer, api: null };
  const listed = listedResource(client, resource);
  const api = await apis.get(realm.realmId, resource);
  const isAllowed = isOpen(api) || (listed !== null && api?.enabled !== false);
  if (!isAllowed) throw oauthErrors.invalidTarget();
  return { resource: api?.resource ?? listed!, api };
}

/** Tells whether every client may request tokens for this API. */
export const isOpen = (api: Api | null): boolean => api !== null && api.enabled && api.access === "everyone";

/** The scopes that hold at every API: that of OpenID Connect itself, and `offline_access`. */
const OF_NO_API: ReadonlySet<string> = new Set(["openid", "offline_access"]);

/** Returns the scopes that a token for this resource may have. */
export const scopesAt = ({ api }: Pick<Target, "api">, scopes: readonly string[]): readonly string[] =>
  api && api.scopes.length > 0 ? scopes.filter((name) => OF_NO_API.has(name) || api.scopes.includes(name)) : scopes;

/** RFC 9068 §3: returns the resource, and the client's configured `audience`. */
export const audienceOf = ({ settings: { audience } }: ClientSnapshot, resource: string): readonly string[] =>
  audience.length === 0 ? [resource] : [...new Set([resource, ...audience])];

/** Tells whether a token is for this client: its audience names the client, or the API that the client is. */
export const isMeantFor = ({ clientId, settings: { resourceIndicators } }: ClientSnapshot, audience: readonly string[]): boolean =>
  audience.includes(clientId) || resourceIndicators.some((resource) => audience.includes(resource));

/**
 * Returns the audiences of a client's token that the user has to consent to: the resources that the client requested. The realm's
 * administrators have decided about the others: the client itself, the API that it is, and its configured `audience`.
 */
export const requestedResources = (client: ClientSnapshot, audience: readonly string[]): readonly string[] =>
  audience.filter((each) => !isMeantFor(client, [each]) && !client.settings.audience.includes(each));

/** RFC 7519 §4.1.3: makes a single audience a string. */
export const audienceClaim = (audience: readonly string[]): string | readonly string[] => (audience.length === 1 ? audience[0]! : audience);

/**
 * RFC 8707 §2.2: returns the one resource of an access token. `requested` is the parameter of the token request. If it is empty, the first
 * granted resource is used.
 */
export async function resourceOf(
  parts: TargetParts,
  client: ClientSnapshot,
  granted: readonly string[],
  requested: readonly string[],
): Promise<Target> {
  if (requested.length > 1) throw oauthErrors.invalidTarget("only one resource can be requested with a token");
  const target = await targetOf(parts, client, requested[0] ?? granted[0] ?? parts.issuer);
  if (granted.length > 0 && !granted.includes(target.resource)) throw oauthErrors.invalidTarget();
  return target;
}
