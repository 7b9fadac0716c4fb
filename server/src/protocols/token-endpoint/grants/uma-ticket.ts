import * as authz from "../../../applications/authorization/index.ts";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { OAuthError, oauthErrors } from "../../../kernel/oauth-error.ts";
import { wholeNumber } from "../../../kernel/text.ts";
import { actorOf } from "../../../platform/context.ts";
import { isAllowedByUser, isTokenEnough, type LiveToken, scopesAt, type UserIssue } from "../../tokens/index.ts";
import { assertStands, assertStaysBound, exchangedIssue, possibleScopes, recordDelegation, type Subject } from "../exchange.ts";
import type { Grant, Parameters, Source, TokenCtx } from "../grant.ts";
import type { TokenEndpointParts } from "../parts.ts";
import { findTicket, issueTicket, type PresentedTicket } from "../permission-ticket.ts";
import * as uma from "./uma-request.ts";

const MOST_ASKED = 100;

interface UmaSource extends Source {
  readonly server: authz.ResourceServer;
  /** The presented token, or null if the client asks for itself. */
  readonly live: LiveToken | null;
  readonly granted: readonly uma.Granted[];
  readonly upgraded: boolean;
}

/**
 * The UMA 2.0 grant type with the parameters of Keycloak. It answers with the permissions of a user, or of the client itself, at a resource
 * server, as a token (RPT), a decision or a list. With named permissions, a decision and a list need all of them, and a token has those
 * that are granted. A permission ticket names the permissions that the resource server requires, is used once, and needs all of them.
 */
export const umaTicket: Grant<UmaSource> = {
  parameters: [
    ...["audience", "ticket", "permission", "permission_resource_format", "permission_resource_matching_uri", "response_mode"],
    ...["response_include_resource_name", "response_permissions_limit", "rpt", "claim_token", "claim_token_format"],
    ...["subject_token", "submit_request"],
  ],
  lists: ["permission"],

  async find({ parts, client, binding, sourceIp, requestId }, { params, lists }) {
    const mode = modeOf(params);
    const ticket = await ticketOf(parts, params, lists.permission ?? []);
    const server = await uma.serverOf(parts, ticket?.clientId ?? params.audience);
    const live = await uma.subjectTokenOf(parts, client, params.subject_token);
    // This check comes before anything is written in the user's name.
    if (live) assertStaysBound(client, live, binding);
    if (live) await uma.assertMeantForServer(parts, client, server, live);
    // A token of another client is subject to the same rules as its exchange.
    if (live && isUsers(live) && live.clientId !== client.clientId) {
      await assertStands(parts, client, live);
      // A resource server may request decisions about a token that was sent to it. Anything more, and any agent, needs the user's consent.
      if (mode === "token" || ticket !== null || client.agent !== null) await assertConsent(parts, client, live);
    }
    const subjects = await uma.subjectsOf(parts, client, server, live);
    const named = ticket ? permissionsOf(ticket) : namedPermissions(lists.permission ?? []);
    const held = await uma.heldBefore(parts, client, server, live, params.rpt);
    // The resource server's claims override the client's.
    const request = { ...uma.claimsOf(client, params), ...ticket?.contents.claims };
    const results = await uma.ask(parts, server, subjects, ticket ? {} : params, named, request);
    const earlier = held.length === 0 ? [] : await uma.askAgain(parts, server, subjects, held);
    await log({ parts, client, sourceIp, requestId }, server, subjects[0]!, results);
    const granted = grantedOf([...results, ...earlier], params);
    const denied = verdict(results, named.length > 0 && (mode !== "token" || ticket !== null));
    const source = { record: ticket?.record ?? null, grant: null, server, live, granted, upgraded: earlier.length > 0 };
    if (!denied) return source;
    if (!ticket) throw denied;
    const isSubmitted = params.submit_request !== "false" && (await submit(parts, server, live, results, { sourceIp, requestId }));
    return { ...source, denied: isSubmitted ? await submitted(parts, ticket) : requestDenied() };
  },

  async issue(ctx, { server, live, granted, upgraded }, { params }) {
    const userId = live?.holder?.userId ?? null;
    const mode = modeOf(params);
    if (mode === "decision") return { kind: "decision", userId, body: { result: true } };
    if (mode === "permissions") return { kind: "decision", userId, body: granted };
    const extraClaims = { authorization: { permissions: granted } };
    const answer = { upgraded };
    if (!live || !isUsers(live))
      return { kind: "client", scopes: [], resource: server.clientId, authorizationDetails: undefined, extraClaims, answer };
    const tokens = await userTokenFor(ctx, server, live);
    return { kind: "user", tokens: { ...tokens, extraClaims }, refresh: null, answer };
  },

  async record(ctx, { live }, _expiresAt, issue) {
    if (live && isUsers(live) && issue.kind === "user") await recordDelegation(ctx, live, issue.tokens.scopes);
  },
};

const isUsers = (live: LiveToken): live is Subject => live.holder !== null && live.grantId !== null;

/**
 * Requires consent to the realm itself, with or without scopes, because permissions at a resource server are more than scopes. If the realm
 * allows it, a token that was meant for an agent is enough, as for delegation.
 */
async function assertConsent(parts: TokenEndpointParts, client: ClientSnapshot, live: Subject): Promise<void> {
  if (isTokenEnough(parts, client)) return;
  const wanted = { scopes: possibleScopes(parts, client, live), resources: [parts.issuer], hasPermissions: true };
  if (!(await isAllowedByUser(parts.db, parts, client, live.holder.userId, wanted)))
    throw oauthErrors.invalidRequest("the user has not allowed this application these scopes yet");
}

/** Makes the RPT of a user under the grant of the presented token, so it ends with the session, the consent and the user. */
async function userTokenFor({ parts, client }: TokenCtx, server: authz.ResourceServer, live: Subject): Promise<UserIssue> {
  const scopes = scopesAt({ api: await uma.apiOf(parts, server) }, possibleScopes(parts, client, live));
  return exchangedIssue(live, null, { scopes, audience: [server.clientId], act: live.actor ?? undefined });
}

function modeOf({ response_mode: mode = "token" }: Parameters): "token" | "decision" | "permissions" {
  if (mode === "token" || mode === "decision" || mode === "permissions") return mode;
  throw oauthErrors.invalidRequest("response_mode must be decision or permissions");
}

/** UMA 2.0 Grant §3.3.1: finds the ticket. Returns null if none was presented. */
async function ticketOf(
  parts: TokenEndpointParts,
  { ticket, audience }: Parameters,
  named: readonly string[],
): Promise<PresentedTicket | null> {
  if (ticket === undefined) return null;
  if (named.length > 0) throw oauthErrors.invalidRequest("the ticket names the permissions: leave out permission");
  const found = await findTicket(parts.db, parts.realm.realmId, ticket);
  if (!found || (audience !== undefined && audience !== found.clientId)) throw oauthErrors.invalidGrant();
  return found;
}

const permissionsOf = ({ contents }: PresentedTicket): authz.PermissionAsked[] =>
  contents.permissions.map(({ resource, scopes }) => ({ kind: "resource", name: resource, scopes: scopes.length > 0 ? scopes : null }));

function namedPermissions(texts: readonly string[]): authz.PermissionAsked[] {
  if (texts.length > MOST_ASKED) throw oauthErrors.invalidRequest(`at most ${MOST_ASKED} permissions can be requested at once`);
  return texts.map(authz.parsePermission);
}

/** Returns the refusal, or null if there is something to grant. */
function verdict(results: readonly authz.AskedResult[], isAllNeeded: boolean): OAuthError | null {
  const isGranted = ({ status, allowedScopes }: authz.AskedResult) => status === "PERMIT" || allowedScopes.length > 0;
  const isEnough = isAllNeeded ? results.length > 0 && results.every(({ status }) => status === "PERMIT") : results.some(isGranted);
  return isEnough ? null : uma.denial();
}

/** Logs the decisions, by the settings of the resource server. */
async function log(
  { parts, client, sourceIp, requestId }: Pick<TokenCtx, "parts" | "client" | "sourceIp" | "requestId">,
  server: authz.ResourceServer,
  { kind, id }: authz.Subject,
  results: readonly authz.AskedResult[],
): Promise<void> {
  const realm = parts.realm.realmId;
  const decisions = results.map(({ asked: { resource, scopes }, status }) => ({
    ...{
      isPermitted: status === "PERMIT",
      subject: { kind, id },
      scopes: scopes ?? resource?.scopes ?? [],
      resourceId: resource?.id ?? null,
    },
  }));
  const actor = actorOf({ id: client.id, name: client.clientId, realm, isClient: true });
  await authz.recordDecisions(server, decisions, (work) => parts.work.transact({ realm, actor, sourceIp, requestId }, work));
}

/** Requests denied access from the owners who manage the resources. Returns false if there is nothing to request. */
async function submit(
  { work, realm: { realmId } }: TokenEndpointParts,
  server: authz.ResourceServer,
  live: LiveToken | null,
  results: readonly authz.AskedResult[],
  from: Pick<TokenCtx, "sourceIp" | "requestId">,
): Promise<boolean> {
  const { holder } = live ?? {};
  const wanted = results.flatMap(({ asked: { resource }, status, deniedScopes }) =>
    resource?.ownerManagedAccess && status === "DENY"
      ? [{ resourceId: resource.id, scopes: deniedScopes.length > 0 ? deniedScopes : [""] }]
      : [],
  );
  // An administrator who impersonates requests nothing in the user's name.
  if (!holder || holder.impersonator || wanted.length === 0) return false;
  const actor = actorOf({ id: holder.userId, name: holder.username, realm: realmId });
  await work.transact({ realm: realmId, actor, ...from }, async (ctx) => {
    for (const { resourceId, scopes } of wanted)
      await authz.requestShares(ctx.tx, { realm: realmId, client: server.client, resourceId }, holder.userId, scopes, ctx.now);
  });
  return true;
}

// UMA 2.0 Grant §3.3.6: the errors of requests with a ticket. Their descriptions are those of Keycloak.
const requestDenied = () => new OAuthError("request_denied", "not_authorized", { status: 403 });

/** Refuses the request until the owner has answered, with a new ticket by which the client asks again. */
async function submitted({ db, realm }: TokenEndpointParts, { clientId, contents }: PresentedTicket): Promise<OAuthError> {
  const ticket = await issueTicket(db, { realm: realm.realmId, clientId }, contents);
  return new OAuthError("request_submitted", "request_submitted", { status: 403, ticket });
}

function grantedOf(results: readonly authz.AskedResult[], params: Parameters): uma.Granted[] {
  const sent = params.response_permissions_limit;
  const limit = sent === undefined ? uma.DEFAULT_PERMISSIONS : wholeNumber(sent);
  if (limit === undefined || limit < 1 || limit > uma.MOST_PERMISSIONS)
    throw oauthErrors.invalidRequest(`response_permissions_limit must be a number from 1 to ${uma.MOST_PERMISSIONS}`);
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
