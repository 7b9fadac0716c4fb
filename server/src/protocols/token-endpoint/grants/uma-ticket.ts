import {
  type Asked,
  type AskedResult,
  evaluate,
  findAsked,
  findClientSubjects,
  findUserSubject,
  type PermissionAsked,
  parsePermission,
  type ResourceServer,
  type Subject,
  UnknownAsked,
} from "../../../applications/authorization/index.ts";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { OAuthError, oauthErrors } from "../../../kernel/oauth-error.ts";
import { parseJson } from "../../../platform/http/index.ts";
import { isPublic } from "../../client-auth/index.ts";
import { isBound, type LiveToken, readAccessToken } from "../../tokens/index.ts";
import type { Grant, Parameters, Source } from "../grant.ts";
import type { TokenEndpointParts } from "../parts.ts";

const CLAIMS = "urn:ietf:params:oauth:token-type:jwt";
const MOST_CLAIMS = 16 * 1024;
const MOST_PERMISSIONS = 1_000;
const DEFAULT_PERMISSIONS = 100;
const MOST_ASKED = 100;

interface UmaSource extends Source {
  readonly server: ResourceServer;
  /** Null: the client itself asks. */
  readonly live: LiveToken | null;
  readonly granted: readonly Granted[];
  readonly upgraded: boolean;
}

/** Keycloak's spelling. */
interface Granted {
  readonly rsid?: string;
  readonly rsname?: string;
  readonly scopes?: readonly string[];
}

/**
 * The grant type of UMA 2.0 with the parameters of Keycloak, without permission tickets: what a user, or the client itself, may do at a resource
 * server, as a token (RPT), a decision or a list. With named permissions a decision and a list need all of them; a token has those that are granted.
 */
export const umaTicket: Grant<UmaSource> = {
  parameters: [
    ...["audience", "permission", "permission_resource_format", "permission_resource_matching_uri", "response_mode"],
    ...["response_include_resource_name", "response_permissions_limit", "rpt", "claim_token", "claim_token_format"],
    ...["subject_token"],
  ],
  lists: ["permission"],

  async find({ parts, client }, { params, lists }) {
    const mode = modeOf(params);
    const server = await serverOf(parts, params.audience);
    const live = await subjectTokenOf(parts, client, params.subject_token);
    const subjects = await subjectsOf(parts, client, server, live);
    const named = namedPermissions(lists.permission ?? []);
    const held = await heldBefore(parts, client, server, live, params.rpt);
    const results = await ask(parts, server, subjects, params, named, claimsOf(client, params));
    const earlier = held.length === 0 ? [] : await ask(parts, server, subjects, {}, held, {});
    const denied = verdict(results, named.length > 0 && mode !== "token");
    const granted = grantedOf([...results, ...earlier], params);
    if (denied) throw denied;
    return { record: null, grant: null, server, live, granted, upgraded: earlier.length > 0 };
  },

  check({ binding }, { live }) {
    if (live?.confirmation && !isBound(binding))
      throw oauthErrors.invalidRequest("subject_token is bound to a key: bind the new token as well, by a DPoP proof or a certificate");
  },

  issue(_ctx, { server, live, granted, upgraded }, { params }) {
    const userId = live?.holder?.userId ?? null;
    const mode = modeOf(params);
    if (mode === "decision") return { kind: "decision", userId, body: { result: true } };
    if (mode === "permissions") return { kind: "decision", userId, body: granted };
    const extraClaims = { authorization: { permissions: granted } };
    if (!live?.holder)
      return { kind: "client", scopes: [], resource: server.clientId, authorizationDetails: undefined, extraClaims, answer: { upgraded } };
    const { user, sessionId, authTime, acr, amr, impersonator } = live.holder;
    const signedIn = authTime === null ? {} : { authTime: Math.floor(authTime / SECOND), acr: acr ?? undefined, amr };
    return {
      kind: "user",
      tokens: {
        // The grant stays the same: it ends with the session, the consent and the user.
        ...{ grantId: live.grantId!, userId: userId!, user, impersonator, scopes: live.scopes, audience: [server.clientId] },
        authentication: { ...signedIn, sid: sessionId ?? undefined },
        ...{ idToken: null, claims: undefined, authorizationDetails: undefined, extraClaims },
        act: live.actor ?? undefined,
        isFromFrontChannel: live.isFromFrontChannel,
        maxLifetime: Math.max(1, live.expiresAt - Math.floor(clock.now() / SECOND)),
      },
      refresh: null,
      answer: { upgraded },
    };
  },
};

function modeOf({ response_mode: mode = "token" }: Parameters): "token" | "decision" | "permissions" {
  if (mode === "token" || mode === "decision" || mode === "permissions") return mode;
  throw oauthErrors.invalidRequest("response_mode is decision or permissions");
}

function namedPermissions(texts: readonly string[]): PermissionAsked[] {
  if (texts.length > MOST_ASKED) throw oauthErrors.invalidRequest(`no more than ${MOST_ASKED} permissions can be asked for at once`);
  return texts.map(parsePermission);
}

async function serverOf(parts: TokenEndpointParts, name: string | undefined): Promise<ResourceServer> {
  if (name === undefined) throw oauthErrors.invalidRequest("audience is needed: the client id of the resource server");
  const { realmId } = parts.realm;
  const client = await parts.clients.get(realmId, name);
  const server = client?.enabled ? await parts.resourceServers.get(realmId, client.id) : null;
  if (!server) throw oauthErrors.invalidRequest("audience is not a client with authorization services");
  return server;
}

/** A live access token, issued to the caller or naming it in `aud`. */
async function subjectTokenOf(parts: TokenEndpointParts, caller: ClientSnapshot, token: string | undefined): Promise<LiveToken | null> {
  if (token === undefined) {
    if (isPublic(caller)) throw oauthErrors.invalidRequest("subject_token is needed: a public client has nothing of its own to ask for");
    return null;
  }
  const live = await readAccessToken(parts, parts.realm, parts.issuer, token);
  const isTheirs = live && (live.clientId === caller.clientId || (live.holder !== null && live.audience.includes(caller.clientId)));
  if (!isTheirs) throw oauthErrors.invalidRequest("subject_token is not valid here, or not any more");
  return live;
}

/** The requesting party, as the directory has it now, and the actors on its behalf. */
async function subjectsOf(
  parts: TokenEndpointParts,
  caller: ClientSnapshot,
  server: ResourceServer,
  live: LiveToken | null,
): Promise<Subject[]> {
  const { db, realm, scopesOfRealm } = parts;
  const scopes = live?.scopes.flatMap((name) => scopesOfRealm.byName.get(name)?.scopeId ?? []) ?? null;
  if (!live?.holder) {
    const own = (await findClientSubjects(db, realm.realmId, [caller.clientId], { scopes, claims: live?.payload ?? null })).get(
      caller.clientId,
    );
    if (!own) throw oauthErrors.invalidGrant();
    return [own];
  }
  const through = await parts.clients.get(realm.realmId, live.clientId);
  const subject = await findUserSubject(db, realm.realmId, live.holder.userId, {
    ...{ client: through?.id ?? null, clientName: live.clientId, scopes, claims: live.payload },
  });
  if (!subject) throw oauthErrors.invalidGrant();
  const actors = server.settings.delegation === "subject" ? [] : actorsOf(live.actor);
  const found = await findClientSubjects(db, realm.realmId, actors);
  // An actor that is gone may do nothing.
  if (actors.some((name) => !found.has(name))) throw denial();
  return [subject, ...actors.map((name) => found.get(name)!)];
}

/** RFC 8693 §4.1: the clients of a chain of delegation. An administrator who impersonates is not a client. */
function actorsOf(act: LiveToken["actor"]): string[] {
  const names: string[] = [];
  for (let at: unknown = act; typeof at === "object" && at !== null; at = (at as { act?: unknown }).act) {
    const { client_id: name } = at as { client_id?: unknown };
    if (typeof name === "string") names.push(name);
  }
  return [...new Set(names)];
}

/** UMA 2.0 Grant §3.3.1: the permissions of an earlier RPT of the same subject are requested again, together with the new ones. */
async function heldBefore(
  parts: TokenEndpointParts,
  caller: ClientSnapshot,
  server: ResourceServer,
  live: LiveToken | null,
  rpt: string | undefined,
) {
  if (rpt === undefined) return [];
  const before = await readAccessToken(parts, parts.realm, parts.issuer, rpt);
  const isSame =
    before?.clientId === caller.clientId && before.audience.includes(server.clientId) && before.holder?.userId === live?.holder?.userId;
  if (!before || !isSame) throw oauthErrors.invalidRequest("rpt is not an earlier token of this subject for this resource server");
  const { permissions = [] } = (before.payload.authorization ?? {}) as { permissions?: readonly Granted[] };
  return permissions.flatMap(({ rsid, scopes }): PermissionAsked[] =>
    rsid === undefined ? [] : [{ kind: "resource", name: rsid, scopes: scopes?.length ? scopes : null }],
  );
}

/** Pushed claims: JSON in base64url. They are `request.*` of policies and stand for nothing else. */
function claimsOf(
  client: ClientSnapshot,
  { claim_token: token, claim_token_format: format }: Parameters,
): Readonly<Record<string, unknown>> {
  if (token === undefined) return {};
  if (isPublic(client)) throw oauthErrors.invalidRequest("public clients may not push claims");
  if (format !== CLAIMS) throw oauthErrors.invalidRequest(`claim_token_format must be ${CLAIMS}`);
  if (token.length > MOST_CLAIMS) throw oauthErrors.invalidRequest("claim_token is too long");
  try {
    const claims = parseJson(Buffer.from(token, "base64url"));
    if (typeof claims === "object" && claims !== null && !Array.isArray(claims)) return claims as Record<string, unknown>;
  } catch {
    // Refused below, like anything else that is not an object.
  }
  throw oauthErrors.invalidRequest("claim_token must be a JSON object in base64url");
}

async function ask(
  { db }: TokenEndpointParts,
  server: ResourceServer,
  subjects: readonly Subject[],
  params: Parameters,
  named: readonly PermissionAsked[],
  request: Readonly<Record<string, unknown>>,
): Promise<AskedResult[]> {
  const { permission_resource_format: format = "id", permission_resource_matching_uri: matching } = params;
  if (format !== "id" && format !== "uri") throw oauthErrors.invalidRequest("permission_resource_format is id or uri");
  const naming = { byUri: format === "uri", isMatching: matching === "true" };
  let asked: Asked[];
  try {
    asked = await findAsked(db, server, named, subjects, naming, named.length === 0 ? MOST_PERMISSIONS : DEFAULT_PERMISSIONS);
  } catch (error) {
    if (error instanceof UnknownAsked) throw new OAuthError(error.what === "scope" ? "invalid_scope" : "invalid_resource", error.message);
    throw error;
  }
  return evaluate(server.model, { subjects, request, now: clock.now() }, asked);
}

const denial = () => new OAuthError("access_denied", "not_authorized", { status: 403 });

/** Null: there is something to grant. */
function verdict(results: readonly AskedResult[], isAllNeeded: boolean): OAuthError | null {
  const isGranted = ({ status, allowedScopes }: AskedResult) => status === "PERMIT" || allowedScopes.length > 0;
  const isEnough = isAllNeeded ? results.length > 0 && results.every(({ status }) => status === "PERMIT") : results.some(isGranted);
  return isEnough ? null : denial();
}

function grantedOf(results: readonly AskedResult[], params: Parameters): Granted[] {
  const limit = Number(params.response_permissions_limit ?? DEFAULT_PERMISSIONS);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_PERMISSIONS)
    throw oauthErrors.invalidRequest(`response_permissions_limit is a number from 1 to ${MOST_PERMISSIONS}`);
  const isNamed = params.response_include_resource_name !== "false";
  const byResource = new Map<string, { name: string | undefined; scopes: Set<string> }>();
  for (const { asked, status, allowedScopes } of results) {
    if (status !== "PERMIT" && allowedScopes.length === 0) continue;
    const id = asked.resource?.id ?? "";
    const entry = byResource.get(id) ?? { name: asked.resource?.name, scopes: new Set<string>() };
    for (const scope of allowedScopes) entry.scopes.add(scope);
    byResource.set(id, entry);
  }
  return [...byResource].slice(0, limit).map(([id, { name, scopes }]) => ({
    ...(id !== "" && { rsid: id }),
    ...(isNamed && name !== undefined && { rsname: name }),
    ...(scopes.size > 0 && { scopes: [...scopes] }),
  }));
}
