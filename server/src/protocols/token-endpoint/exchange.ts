import { type ClientSnapshot, mayAddress } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { systemActor } from "../../platform/context.ts";
import { findSessionBehind, type LiveSession } from "../../signin/sessions/index.ts";
import { isPublic } from "../client-auth/index.ts";
import * as tokens from "../tokens/index.ts";
import type { Parameters, Presented, TokenCtx } from "./grant.ts";
import type { TokenEndpointParts } from "./parts.ts";

// RFC 8693, for the token exchange grant and for the delegation of agents. A new token belongs to the grant of the subject token and never
// exceeds it in scopes, audience, lifetime, sender constraint or actors.

export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const JWT = "urn:ietf:params:oauth:token-type:jwt";
/** RFC 8693 §3: the token types, because our access tokens are JWTs. */
const TYPES: readonly string[] = [ACCESS_TOKEN, JWT];

/** The parameters of RFC 8693 §2.1. */
export const EXCHANGE_PARAMETERS = [
  ...["subject_token", "subject_token_type", "actor_token", "actor_token_type"],
  ...["requested_token_type", "scope", "audience", "resource"],
];
export const EXCHANGE_LISTS = ["audience", "resource"];

/** A user's live access token. */
export type Subject = tokens.LiveToken & { readonly holder: tokens.Holder; readonly grantId: string };

/** RFC 8693 §2.2.1: returns the `issued_token_type`. Only access tokens are issued. */
export function issuedTokenType({ requested_token_type: type = ACCESS_TOKEN }: Parameters): string {
  if (!TYPES.includes(type)) throw oauthErrors.invalidRequest("requested_token_type: only access tokens are issued");
  return type;
}

/** RFC 8693 §2.1: returns the subject, a live access token of a user of this realm, with which the caller may act. */
export async function subjectOf(parts: TokenEndpointParts, caller: ClientSnapshot, params: Parameters): Promise<Subject> {
  const live = await tokenIn(parts, "subject_token", params.subject_token, params.subject_token_type);
  const { holder, grantId, payload } = live;
  if (!holder || grantId === null) throw oauthErrors.invalidRequest("subject_token must be a user's");
  if (payload.may_act !== undefined && !isNamedBy(payload.may_act, parts.issuer, caller))
    throw oauthErrors.invalidRequest("subject_token names another party that may act for the user");
  return { ...live, holder, grantId };
}

/** RFC 8693 §2.2.2: tells whether a token was issued to the client, or names it in `aud`. */
export const isForCaller = ({ clientId, audience }: tokens.LiveToken, caller: ClientSnapshot): boolean =>
  clientId === caller.clientId || audience.includes(caller.clientId);

/** RFC 8693 §4.4: tells whether `may_act` names the client, by every member that it has. */
export function isNamedBy(mayAct: unknown, issuer: string, { clientId, agent }: ClientSnapshot): boolean {
  if (typeof mayAct !== "object" || mayAct === null) return false;
  const { sub, client_id, agent_id, iss = issuer } = mayAct as tokens.Act;
  const known = [
    [sub, clientId],
    [client_id, clientId],
    [agent_id, agent?.id],
  ].filter(([named]) => named !== undefined);
  return iss === issuer && known.length > 0 && known.every(([named, own]) => named === own);
}

/** Returns the token of the actor, which must be the caller's own. */
export async function actorTokenOf(parts: TokenEndpointParts, caller: ClientSnapshot, params: Parameters): Promise<tokens.LiveToken> {
  const live = await tokenIn(parts, "actor_token", params.actor_token, params.actor_token_type);
  assertOwnToken(live, caller);
  return live;
}

export function assertOwnToken(live: tokens.LiveToken, caller: ClientSnapshot): void {
  if (live.clientId !== caller.clientId) throw oauthErrors.invalidRequest("actor_token was not issued to this client");
  if (live.actor !== null) throw oauthErrors.invalidRequest("actor_token must be the actor's own, not one with which another party acts");
}

async function tokenIn(
  parts: TokenEndpointParts,
  name: string,
  token: string | undefined,
  type: string | undefined,
): Promise<tokens.LiveToken> {
  if (!token || !type) throw oauthErrors.invalidRequest(`${name} and ${name}_type are needed`);
  if (!TYPES.includes(type)) throw oauthErrors.invalidRequest(`${name}_type: only access tokens are exchanged`);
  const live = await tokens.readAccessToken(parts, parts.realm, parts.issuer, token);
  if (!live) throw oauthErrors.invalidRequest(`${name} is not valid here, or no longer valid`);
  return live;
}

/**
 * Keeps the sender constraint: a token that is bound to a key is not exchanged for a bearer token. A public client must prove that very
 * key, because nothing else shows that the token was not stolen.
 */
export function assertStaysBound(caller: ClientSnapshot, { confirmation }: tokens.LiveToken, binding: tokens.Binding): void {
  if (confirmation === null) return;
  if (isPublic(caller) && tokens.unprovenBinding(confirmation, binding))
    throw oauthErrors.invalidRequest("subject_token is bound to a key: prove that key, by a DPoP proof or the certificate");
  if (!tokens.isBound(binding))
    throw oauthErrors.invalidRequest("subject_token is bound to a key: bind the new token as well, by a DPoP proof or a certificate");
}

/**
 * Checks that the user has proven what the caller's own flow requires now: a token of a client with a weaker flow is not exchanged for one
 * of this client. For offline access the two clients must have the same flow.
 */
export async function assertStands(parts: TokenEndpointParts, caller: ClientSnapshot, subject: Subject): Promise<void> {
  const { realm, db, clients } = parts;
  const { holder, clientId } = subject;
  const session = holder.sessionId === null ? null : await findSessionBehind(db, realm.realmId, holder.sessionId, clock.now());
  if (session) return assertSessionStands(parts, caller, session);
  if (clientId === caller.clientId) return;
  const proven = await tokens.provenWithoutSession(db, subject, clock.now());
  if (proven) return assertSessionStands(parts, caller, proven);
  const owner = await clients.get(realm.realmId, clientId);
  if (!owner || flowOf(owner) !== flowOf(caller)) throw unproven();
}

const flowOf = ({ settings }: ClientSnapshot) => settings.browserFlow ?? undefined;
const unproven = () => oauthErrors.invalidRequest("the user of subject_token has not proven enough to sign in to this client");

/** Checks that the user's session has proven what the caller's own flow requires now. */
export async function assertSessionStands(parts: TokenEndpointParts, caller: ClientSnapshot, session: LiveSession): Promise<void> {
  const from = { sourceIp: session.sourceIp ?? "", userAgent: null };
  const asked = { clientId: caller.clientId, flow: flowOf(caller) };
  if ((await parts.standings(parts.realm, session, from, asked)) === "proof") throw unproven();
}

/** Returns the requested audiences, which the subject token must have and the client may address. Without any, returns all such. */
export async function audienceWithin(
  { issuer, realm, apis }: TokenEndpointParts,
  caller: ClientSnapshot,
  subject: Subject,
  { resource = [], audience = [] }: Presented["lists"],
): Promise<readonly string[]> {
  const possible: string[] = [];
  for (const each of subject.audience) {
    const isListed = [issuer, caller.clientId].includes(each) || mayAddress(caller, each);
    if (isListed || tokens.isOpen(await apis.get(realm.realmId, each))) possible.push(each);
  }
  const asked = [...new Set([...resource, ...audience])];
  const beyond = asked.find((each) => !possible.includes(each));
  if (beyond !== undefined) throw oauthErrors.invalidTarget("subject_token does not have this audience, or this client may not request it");
  if (possible.length === 0) throw oauthErrors.invalidTarget("subject_token has no audience that this client may request");
  return asked.length > 0 ? asked : possible;
}

/** Returns the scopes of the subject token that the client may request. `offline_access` is never passed on. */
export function possibleScopes({ scopesOfRealm }: TokenEndpointParts, caller: ClientSnapshot, subject: Subject): readonly string[] {
  const allowed = tokens.allowedScopes(scopesOfRealm, caller);
  return subject.scopes.filter((name) => allowed.has(name) && name !== "offline_access");
}

/** Returns the requested scopes, which must be possible. Without any, returns all possible ones. */
export function scopesWithin(possible: readonly string[], scope: string | undefined): readonly string[] {
  if (scope === undefined) return possible;
  const asked = [...new Set(scope.split(" "))].filter((name) => name !== "");
  const beyond = asked.find((name) => !possible.includes(name));
  if (beyond !== undefined)
    throw oauthErrors.invalidScope("subject_token does not have this scope, or this client may not request it", { scope: beyond });
  return asked;
}

/** Returns the content of the new token. It expires no later than the subject and actor tokens, and has no refresh or ID token. */
export function exchangedIssue(
  subject: Subject,
  actor: tokens.LiveToken | null,
  issued: Pick<tokens.UserIssue, "scopes" | "audience" | "act">,
): tokens.UserIssue {
  const { userId, user, sessionId, authTime, acr, amr, impersonator } = subject.holder;
  const signedIn = authTime === null ? {} : { authTime: Math.floor(authTime / SECOND), acr: acr ?? undefined, amr };
  return {
    ...{ grantId: subject.grantId, userId, user, impersonator, ...issued },
    authentication: { ...signedIn, sid: sessionId ?? undefined },
    idToken: null,
    claims: undefined,
    authorizationDetails: undefined,
    isFromFrontChannel: subject.isFromFrontChannel,
    notAfter: Math.min(subject.expiresAt, actor?.expiresAt ?? subject.expiresAt),
  };
}

/** Records that an agent got a token of a user by the token of another client. */
export async function recordDelegation(
  { parts, client: { agent, clientId, realmId }, sourceIp, requestId }: Pick<TokenCtx, "parts" | "client" | "sourceIp" | "requestId">,
  subject: Subject,
  scopes: readonly string[],
): Promise<void> {
  if (!agent || subject.clientId === clientId) return;
  const through = tokens.agentsIn(subject.actor).map((each) => each.clientId);
  const detail = `scopes ${scopes.join(" ")}${through.length > 0 ? `, through ${through.join(", ")}` : ""}`;
  await parts.work.transact({ realm: realmId, actor: systemActor(realmId), sourceIp, requestId }, async (ctx) =>
    ctx.audit({
      ...{ category: "SECURITY", type: "DELEGATION_ISSUED", actor: { id: agent.id, name: clientId, kind: "agent" } },
      ...{ resourceType: "users", resourceId: subject.holder.userId, detail },
    }),
  );
}
