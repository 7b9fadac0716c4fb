import * as authz from "../../../applications/authorization/index.ts";
import type { Api, ClientSnapshot } from "../../../applications/clients/index.ts";
import { clock } from "../../../kernel/clock.ts";
import { isObject } from "../../../kernel/json.ts";
import { OAuthError, oauthErrors } from "../../../kernel/oauth-error.ts";
import { parseJson } from "../../../platform/http/index.ts";
import { isPublic } from "../../client-auth/index.ts";
import { actorsIn, isMeantFor, type LiveToken, readAccessToken } from "../../tokens/index.ts";
import { isNamedBy } from "../exchange.ts";
import type { Parameters } from "../grant.ts";
import type { TokenEndpointParts } from "../parts.ts";

const CLAIMS = "urn:ietf:params:oauth:token-type:jwt";
const MOST_CLAIMS = 16 * 1024;
export const MOST_PERMISSIONS = 1_000;
export const DEFAULT_PERMISSIONS = 100;

/** A granted permission, with Keycloak's names. */
export interface Granted {
  readonly rsid?: string;
  readonly rsname?: string;
  readonly scopes?: readonly string[];
}

export const denial = () => new OAuthError("access_denied", "not_authorized", { status: 403 });

export async function serverOf(parts: TokenEndpointParts, name: string | undefined): Promise<authz.ResourceServer> {
  if (name === undefined) throw oauthErrors.invalidRequest("audience is required: the client id of the resource server");
  const { realmId } = parts.realm;
  const client = await parts.clients.get(realmId, name);
  const server = client?.enabled ? await parts.resourceServers.get(realmId, client.id) : null;
  if (!server) throw oauthErrors.invalidRequest("audience is not a client with authorization services");
  return server;
}

/** Returns the API that a resource server is for clients, or null if it is none. */
export async function apiOf({ apis, clients, realm: { realmId } }: TokenEndpointParts, server: authz.ResourceServer): Promise<Api | null> {
  const [resource] = (await clients.get(realmId, server.clientId))?.settings.resourceIndicators ?? [];
  return resource === undefined ? null : apis.get(realmId, resource);
}

/** Returns a live access token that was issued to the caller or names it in `aud`. */
export async function subjectTokenOf(
  parts: TokenEndpointParts,
  caller: ClientSnapshot,
  token: string | undefined,
): Promise<LiveToken | null> {
  if (token === undefined) {
    if (isPublic(caller)) throw oauthErrors.invalidRequest("subject_token is required for a public client");
    return null;
  }
  const live = await readAccessToken(parts, parts.realm, parts.issuer, token);
  const isTheirs =
    live &&
    (live.clientId === caller.clientId || (live.holder !== null && isMeantFor(caller, live.audience) && mayAct(parts, caller, live)));
  if (!isTheirs) throw oauthErrors.invalidRequest("subject_token is not valid here, or no longer valid");
  return live;
}

/**
 * Refuses a user's token that comes from a grant to another client, at a resource server that it is not meant for. Otherwise an API could use
 * the tokens that are sent to it at every other API. As in token exchange, the audience only shrinks. The resource server itself may ask.
 */
export async function assertMeantForServer(
  { clients, realm: { realmId } }: TokenEndpointParts,
  caller: ClientSnapshot,
  server: authz.ResourceServer,
  { holder, audience }: LiveToken,
): Promise<void> {
  if (holder === null || holder.grantClientId === caller.clientId || server.clientId === caller.clientId) return;
  const client = await clients.get(realmId, server.clientId);
  if (!client || !isMeantFor(client, audience)) throw oauthErrors.invalidTarget("subject_token is not meant for this resource server");
}

/** RFC 8693 §4.4: tells whether the caller may act, because a token may name the only party that acts for its user. */
const mayAct = ({ issuer }: TokenEndpointParts, caller: ClientSnapshot, { payload }: LiveToken): boolean =>
  payload.may_act === undefined || isNamedBy(payload.may_act, issuer, caller);

/** Returns the requesting party, as the directory has it now, and the actors on its behalf. */
export async function subjectsOf(
  parts: TokenEndpointParts,
  caller: ClientSnapshot,
  server: authz.ResourceServer,
  live: LiveToken | null,
): Promise<authz.Subject[]> {
  const { db, realm, scopesOfRealm } = parts;
  const scopes = live?.scopes.flatMap((name) => scopesOfRealm.byName.get(name)?.scopeId ?? []) ?? null;
  if (!live?.holder) {
    const own = (await authz.findClientSubjects(db, realm.realmId, [caller.clientId], { scopes, claims: live?.payload ?? null })).get(
      caller.clientId,
    );
    if (!own) throw oauthErrors.invalidGrant();
    return [own];
  }
  // A resource server asks about the client that sent it the token; any other caller asks for itself.
  const through = caller.clientId === server.clientId ? await parts.clients.get(realm.realmId, live.clientId) : caller;
  const subject = await authz.findUserSubject(db, realm.realmId, live.holder.userId, {
    ...{ client: through?.id ?? null, clientName: through?.clientId ?? live.clientId, scopes, claims: live.payload },
  });
  if (!subject) throw oauthErrors.invalidGrant();
  const actors = server.settings.delegation === "subject" ? [] : actorsOf(caller, live.actor);
  const found = await authz.findClientSubjects(db, realm.realmId, actors);
  // An actor that was deleted has no permissions.
  if (actors.some((name) => !found.has(name))) throw denial();
  return [subject, ...actors.map((name) => found.get(name)!)];
}

/**
 * RFC 8693 §4.1: returns the clients of a chain of delegation, and the caller if it is an agent's, because its token names it as an actor.
 * An administrator who impersonates is not a client.
 */
const actorsOf = ({ agent, clientId }: ClientSnapshot, act: LiveToken["actor"]): string[] => {
  const before = actorsIn(act).flatMap(({ client_id: name }) => (typeof name === "string" ? [name] : []));
  return [...new Set([...(agent ? [clientId] : []), ...before])];
};

/** UMA 2.0 Grant §3.3.1: returns the permissions of an earlier RPT of the same subject, which are requested again with the new ones. */
export async function heldBefore(
  parts: TokenEndpointParts,
  caller: ClientSnapshot,
  server: authz.ResourceServer,
  live: LiveToken | null,
  rpt: string | undefined,
) {
  if (rpt === undefined) return [];
  const before = await readAccessToken(parts, parts.realm, parts.issuer, rpt);
  const isSame =
    before?.clientId === caller.clientId && before.audience.includes(server.clientId) && before.holder?.userId === live?.holder?.userId;
  if (!before || !isSame) throw oauthErrors.invalidRequest("rpt is not an earlier token of this subject for this resource server");
  const { permissions = [] } = (before.payload.authorization ?? {}) as { permissions?: readonly Granted[] };
  return permissions.flatMap(({ rsid, scopes }): authz.PermissionAsked[] =>
    rsid === undefined ? [] : [{ kind: "resource", name: rsid, scopes: scopes?.length ? scopes : null }],
  );
}

/** Reads pushed claims, which are JSON in base64url. They are `request.*` of policies and have no other effect. */
export function claimsOf(
  client: ClientSnapshot,
  { claim_token: token, claim_token_format: format }: Parameters,
): Readonly<Record<string, unknown>> {
  if (token === undefined) return {};
  if (isPublic(client)) throw oauthErrors.invalidRequest("public clients may not push claims");
  if (format !== CLAIMS) throw oauthErrors.invalidRequest(`claim_token_format must be ${CLAIMS}`);
  if (token.length > MOST_CLAIMS) throw oauthErrors.invalidRequest("claim_token is too long");
  try {
    const claims = parseJson(Buffer.from(token, "base64url"));
    if (isObject(claims)) return claims;
  } catch {
    // An invalid text is refused below, like anything else that is not an object.
  }
  throw oauthErrors.invalidRequest("claim_token must be a JSON object in base64url");
}

/** Evaluates the permissions of an earlier RPT. Resources and scopes that were deleted meanwhile are left out. */
export async function askAgain(
  { db }: TokenEndpointParts,
  server: authz.ResourceServer,
  subjects: readonly authz.Subject[],
  held: readonly authz.PermissionAsked[],
): Promise<authz.AskedResult[]> {
  const naming = { byUri: false, isMatching: false, skipsUnknown: true };
  const asked = await authz.findAsked(db, server, held, subjects, naming, MOST_PERMISSIONS);
  return authz.evaluate(server.model, { subjects, request: {}, now: clock.now() }, asked);
}

export async function ask(
  { db }: TokenEndpointParts,
  server: authz.ResourceServer,
  subjects: readonly authz.Subject[],
  params: Parameters,
  named: readonly authz.PermissionAsked[],
  request: Readonly<Record<string, unknown>>,
): Promise<authz.AskedResult[]> {
  const { permission_resource_format: format = "id", permission_resource_matching_uri: matching } = params;
  if (format !== "id" && format !== "uri") throw oauthErrors.invalidRequest("permission_resource_format must be id or uri");
  const naming = { byUri: format === "uri", isMatching: matching === "true" };
  let asked: authz.Asked[];
  try {
    asked = await authz.findAsked(db, server, named, subjects, naming, named.length === 0 ? MOST_PERMISSIONS : DEFAULT_PERMISSIONS);
  } catch (error) {
    if (error instanceof authz.UnknownAsked)
      throw new OAuthError(error.what === "scope" ? "invalid_scope" : "invalid_resource", error.message);
    throw error;
  }
  return authz.evaluate(server.model, { subjects, request, now: clock.now() }, asked);
}
