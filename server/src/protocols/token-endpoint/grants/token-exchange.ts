import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { allowedScopes, type Holder, isAllowedByUser, isBound, type LiveToken, readAccessToken } from "../../tokens/index.ts";
import type { Grant, Parameters, Presented, Source } from "../grant.ts";
import type { TokenEndpointParts } from "../parts.ts";

const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const JWT = "urn:ietf:params:oauth:token-type:jwt";
/** RFC 8693 §3: ours are both. */
const TYPES: readonly string[] = [ACCESS_TOKEN, JWT];
/** How many may act for each other in a row. */
const MAX_ACTORS = 5;

type Subject = LiveToken & { readonly holder: Holder; readonly grantId: string };
type Act = Readonly<Record<string, unknown>>;

interface ExchangeSource extends Source {
  readonly record: null;
  readonly subject: Subject;
  readonly actor: LiveToken | null;
}

/**
 * RFC 8693: an application that was called with a user's token gets one of its own to go on with. The new token hangs on the same grant,
 * and in nothing reaches further than the one before: scopes, audience, lifetime, sender constraint and actors.
 */
export const tokenExchange: Grant<ExchangeSource> = {
  type: "urn:ietf:params:oauth:grant-type:token-exchange",
  confidentialOnly: true,
  parameters: [
    ...["subject_token", "subject_token_type", "actor_token", "actor_token_type"],
    ...["requested_token_type", "scope", "audience", "resource"],
  ],
  lists: ["audience", "resource"],

  async find({ parts, client }, { params }) {
    if (!TYPES.includes(params.requested_token_type ?? ACCESS_TOKEN))
      throw oauthErrors.invalidRequest("requested_token_type: only access tokens are issued");
    const subject = await subjectOf(parts, client, params);
    return { record: null, grant: null, subject, actor: await actorOf(parts, client, params) };
  },

  check({ binding }, { subject }) {
    if (subject.confirmation !== null && !isBound(binding))
      throw oauthErrors.invalidRequest("subject_token is bound to a key: bind the new token as well, by a DPoP proof or a certificate");
  },

  async issue({ parts, client }, { subject, actor }, { params, lists }) {
    const audience = audienceFor(parts, client, subject, lists);
    const scopes = scopesWithin(parts, client, subject, params.scope);
    const { userId, user, sessionId, authTime, acr, amr, actingUser } = subject.holder;
    if (!(await isAllowedByUser(parts.db, parts.realm.realmId, client, userId, scopes)))
      throw oauthErrors.invalidRequest("the user has not allowed this application these scopes yet");
    const signedIn = authTime === null ? {} : { authTime: Math.floor(authTime / SECOND), acr: acr ?? undefined, amr };
    return {
      kind: "user",
      tokens: {
        ...{ grantId: subject.grantId, userId, user, impersonator: actingUser, scopes, audience },
        authentication: { ...signedIn, sid: sessionId ?? undefined },
        idToken: null,
        claims: undefined,
        authorizationDetails: undefined,
        act: actFor(subject, actor) ?? undefined,
        isFromFrontChannel: subject.isFromFrontChannel,
        maxLifetime: lifetimeWithin(subject, actor),
      },
      refresh: null,
      extras: { issued_token_type: params.requested_token_type ?? ACCESS_TOKEN },
    };
  },
};

/** §2.1, §2.2.2: a live access token of a user of this realm, brought by whom it was issued to or whom it was meant for. */
async function subjectOf(parts: TokenEndpointParts, caller: ClientSnapshot, params: Parameters): Promise<Subject> {
  const live = await tokenIn(parts, "subject_token", params.subject_token, params.subject_token_type);
  if (live.clientId !== caller.clientId && !live.audience.includes(caller.clientId))
    throw oauthErrors.invalidRequest("subject_token was neither issued to this client nor meant for it");
  const { holder, grantId } = live;
  if (!holder || grantId === null) throw oauthErrors.invalidRequest("subject_token must be a user's");
  return { ...live, holder, grantId };
}

/** §1.1, delegation: the actor is the caller itself, by a token of its own. */
async function actorOf(parts: TokenEndpointParts, caller: ClientSnapshot, params: Parameters): Promise<LiveToken | null> {
  if (params.actor_token === undefined) {
    if (params.actor_token_type !== undefined) throw oauthErrors.invalidRequest("actor_token_type is for requests with an actor_token");
    return null;
  }
  const live = await tokenIn(parts, "actor_token", params.actor_token, params.actor_token_type);
  if (live.clientId !== caller.clientId) throw oauthErrors.invalidRequest("actor_token was not issued to this client");
  if (live.actor !== null) throw oauthErrors.invalidRequest("actor_token must be the actor's own, not one with which another party acts");
  return live;
}

async function tokenIn(parts: TokenEndpointParts, name: string, token: string | undefined, type: string | undefined): Promise<LiveToken> {
  if (!token || !type) throw oauthErrors.invalidRequest(`${name} and ${name}_type are needed`);
  if (!TYPES.includes(type)) throw oauthErrors.invalidRequest(`${name}_type: only access tokens are exchanged`);
  const live = await readAccessToken(parts, parts.realm, parts.issuer, token);
  if (!live) throw oauthErrors.invalidRequest(`${name} is not valid here, or not any more`);
  return live;
}

/** Of those that the token before goes to, those that were asked for, if the client may address them; all such where none was. */
function audienceFor(
  { issuer }: TokenEndpointParts,
  caller: ClientSnapshot,
  subject: Subject,
  { resource = [], audience = [] }: Presented["lists"],
): readonly string[] {
  const addressable = new Set([issuer, caller.clientId, ...caller.allowedResources, ...caller.settings.audience]);
  const possible = subject.audience.filter((each) => addressable.has(each));
  const asked = [...new Set([...resource, ...audience])];
  const beyond = asked.find((each) => !possible.includes(each));
  if (beyond !== undefined) throw oauthErrors.invalidTarget("subject_token does not go there, or this client may not ask for it");
  if (possible.length === 0) throw oauthErrors.invalidTarget("subject_token has no audience that this client may ask for");
  return asked.length > 0 ? asked : possible;
}

/** Never more than the token before had, nor than this client may ask for. What is exchanged never outlives its session. */
function scopesWithin(
  { scopesOfRealm }: TokenEndpointParts,
  caller: ClientSnapshot,
  subject: Subject,
  scope: string | undefined,
): readonly string[] {
  const allowed = allowedScopes(scopesOfRealm, caller);
  const possible = subject.scopes.filter((name) => allowed.has(name) && name !== "offline_access");
  if (scope === undefined) return possible;
  const asked = [...new Set(scope.split(" "))].filter((name) => name !== "");
  const beyond = asked.find((name) => !possible.includes(name));
  if (beyond !== undefined)
    throw oauthErrors.invalidScope("subject_token does not have this scope, or this client may not ask for it", { scope: beyond });
  return asked;
}

/** In seconds. Whatever the client is configured for, no longer than the tokens it is made from. */
function lifetimeWithin(subject: Subject, actor: LiveToken | null): number {
  const until = Math.min(subject.expiresAt, actor?.expiresAt ?? subject.expiresAt);
  return Math.max(1, until - Math.floor(clock.now() / SECOND));
}

/** §4.1: the current actor first, the prior ones nested in it. Another exchange removes none of them. */
function actFor({ actor: before }: Subject, actor: LiveToken | null): Act | null {
  if (!actor) return before;
  const act = { sub: actor.sub, client_id: actor.clientId, ...(before && { act: before }) };
  if (depthOf(act) > MAX_ACTORS) throw oauthErrors.invalidRequest(`no more than ${MAX_ACTORS} may act for each other`);
  return act;
}

const depthOf = (act: Act): number => 1 + (typeof act.act === "object" && act.act !== null ? depthOf(act.act as Act) : 0);
