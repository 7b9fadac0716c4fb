import { type ClientSnapshot, mayAddress } from "../../../applications/clients/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { findSessionBehind } from "../../../signin/sessions/index.ts";
import {
  allowedScopes,
  type Holder,
  isAllowedByUser,
  isBound,
  type LiveToken,
  readAccessToken,
  requestedResources,
} from "../../tokens/index.ts";
import type { Grant, Parameters, Presented, Source } from "../grant.ts";
import type { TokenEndpointParts } from "../parts.ts";

const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const JWT = "urn:ietf:params:oauth:token-type:jwt";
/** RFC 8693 §3: our access tokens are JWTs. */
const TYPES: readonly string[] = [ACCESS_TOKEN, JWT];
/** The maximum depth of nested `act` claims. */
const MAX_ACTORS = 5;

type Subject = LiveToken & { readonly holder: Holder; readonly grantId: string };
type Act = Readonly<Record<string, unknown>>;

interface ExchangeSource extends Source {
  readonly record: null;
  readonly subject: Subject;
  readonly actor: LiveToken | null;
}

/**
 * RFC 8693: a client that was called with a user's token exchanges it to call another service. The new token belongs to the same grant and never
 * exceeds the subject token in scopes, audience, lifetime, sender constraint or actors.
 */
export const tokenExchange: Grant<ExchangeSource> = {
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
    await assertStands(parts, client, subject);
    const audience = audienceFor(parts, client, subject, lists);
    const scopes = scopesWithin(parts, client, subject, params.scope);
    const { userId, user, sessionId, authTime, acr, amr, impersonator } = subject.holder;
    if (!(await isAllowedByUser(parts.db, parts, client, userId, { scopes, resources: requestedResources(client, audience) })))
      throw oauthErrors.invalidRequest("the user has not allowed this application these scopes yet");
    const signedIn = authTime === null ? {} : { authTime: Math.floor(authTime / SECOND), acr: acr ?? undefined, amr };
    return {
      kind: "user",
      tokens: {
        ...{ grantId: subject.grantId, userId, user, impersonator, scopes, audience },
        authentication: { ...signedIn, sid: sessionId ?? undefined },
        idToken: null,
        claims: undefined,
        authorizationDetails: undefined,
        act: actFor(subject, actor) ?? undefined,
        isFromFrontChannel: subject.isFromFrontChannel,
        maxLifetime: lifetimeWithin(subject, actor),
      },
      refresh: null,
      issuedTokenType: params.requested_token_type ?? ACCESS_TOKEN,
    };
  },
};

/** RFC 8693 §2.1, §2.2.2: a live access token of a user of this realm, issued to the caller or naming it in `aud`. */
async function subjectOf(parts: TokenEndpointParts, caller: ClientSnapshot, params: Parameters): Promise<Subject> {
  const live = await tokenIn(parts, "subject_token", params.subject_token, params.subject_token_type);
  if (live.clientId !== caller.clientId && !live.audience.includes(caller.clientId))
    throw oauthErrors.invalidRequest("subject_token was neither issued to this client nor meant for it");
  const { holder, grantId } = live;
  if (!holder || grantId === null) throw oauthErrors.invalidRequest("subject_token must be a user's");
  return { ...live, holder, grantId };
}

/**
 * The user's session must have proven what the caller's own flow asks of them now: a token of a client with a weaker flow is not exchanged for one
 * of this client. Without a session (offline access) the two clients must have the same flow.
 */
async function assertStands(parts: TokenEndpointParts, caller: ClientSnapshot, { holder, clientId }: Subject): Promise<void> {
  const { realm, db, clients } = parts;
  const flowOf = ({ settings }: ClientSnapshot) => settings.browserFlow ?? undefined;
  const session = holder.sessionId === null ? null : await findSessionBehind(db, realm.realmId, holder.sessionId, clock.now());
  if (session) {
    const from = { sourceIp: session.sourceIp ?? "", userAgent: null };
    const asked = { clientId: caller.clientId, flow: flowOf(caller) };
    if ((await parts.standings(realm, session, from, asked)) !== "proof") return;
  } else {
    const owner = clientId === caller.clientId ? caller : await clients.get(realm.realmId, clientId);
    if (owner && flowOf(owner) === flowOf(caller)) return;
  }
  throw oauthErrors.invalidRequest("the user of subject_token has not proven what signing in to this client asks for");
}

/** RFC 8693 §1.1, delegation: the actor token must be the caller's own. */
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

/** The requested audiences, which the subject token must have and the client may address; without any, all such. */
function audienceFor(
  { issuer }: TokenEndpointParts,
  caller: ClientSnapshot,
  subject: Subject,
  { resource = [], audience = [] }: Presented["lists"],
): readonly string[] {
  const possible = subject.audience.filter((each) => [issuer, caller.clientId].includes(each) || mayAddress(caller, each));
  const asked = [...new Set([...resource, ...audience])];
  const beyond = asked.find((each) => !possible.includes(each));
  if (beyond !== undefined) throw oauthErrors.invalidTarget("subject_token does not go there, or this client may not ask for it");
  if (possible.length === 0) throw oauthErrors.invalidTarget("subject_token has no audience that this client may ask for");
  return asked.length > 0 ? asked : possible;
}

/** The requested scopes, within those of the subject token and those the client may request. `offline_access` is never passed on. */
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

/** In seconds: the new token expires no later than the subject and actor tokens. */
function lifetimeWithin(subject: Subject, actor: LiveToken | null): number {
  const until = Math.min(subject.expiresAt, actor?.expiresAt ?? subject.expiresAt);
  return Math.max(1, until - Math.floor(clock.now() / SECOND));
}

/** RFC 8693 §4.1: the current actor, with the prior actors nested. */
function actFor({ actor: before }: Subject, actor: LiveToken | null): Act | null {
  if (!actor) return before;
  const act = { sub: actor.sub, client_id: actor.clientId, ...(before && { act: before }) };
  if (depthOf(act) > MAX_ACTORS) throw oauthErrors.invalidRequest(`no more than ${MAX_ACTORS} may act for each other`);
  return act;
}

const depthOf = (act: Act): number => 1 + (typeof act.act === "object" && act.act !== null ? depthOf(act.act as Act) : 0);
