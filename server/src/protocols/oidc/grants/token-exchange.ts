import { errors, type Provider, type TokenEndpointGrantContext } from "oidc-provider";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { accountOf } from "../accounts.ts";
import { snapshotOf } from "../client.ts";
import { checkRequestBinding } from "../engine.ts";
import { markFrontChannel } from "../front-channel.ts";
import { lifetimesOf } from "../lifetimes.ts";
import type { RealmParts } from "../parts.ts";
import { resourceServer } from "../resources.ts";
import { scopesFor } from "../scopes.ts";
import { type LiveToken, readAccessToken } from "../tokens/live.ts";
import type { Holder } from "../tokens/liveness.store.ts";
import { isAllowedByUser, refusal } from "./asked.ts";
import { setExactAudience } from "./audience.ts";
import type { RegisterGrant } from "./index.ts";

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const JWT = "urn:ietf:params:oauth:token-type:jwt";
/** RFC 8693 §3: ours are both. */
const TYPES: readonly string[] = [ACCESS_TOKEN, JWT];
/** How many may act for each other in a row. */
const MAX_ACTORS = 5;

interface ExchangeRequest {
  readonly subject_token?: string;
  readonly subject_token_type?: string;
  readonly actor_token?: string;
  readonly actor_token_type?: string;
  readonly requested_token_type?: string;
  readonly scope?: string;
  readonly audience?: string | string[];
  readonly resource?: string | string[];
}

type ExchangeContext = TokenEndpointGrantContext<ExchangeRequest>;
type Subject = LiveToken & { readonly holder: Holder; readonly grantId: string };
type Act = Readonly<Record<string, unknown>>;

const MEMBERS = [
  ...["subject_token", "subject_token_type", "actor_token", "actor_token_type"],
  ...["requested_token_type", "scope", "audience", "resource"],
];

/**
 * RFC 8693: an application that was called with a user's token gets one of its own to go on with. The new token hangs on the same grant,
 * and in nothing reaches further than the one before: scopes, audience, lifetime, sender constraint and actors.
 */
export const tokenExchangeGrant: RegisterGrant = (provider, parts) =>
  provider.registerGrantType<ExchangeRequest>(TOKEN_EXCHANGE, (ctx) => answer(provider, parts, ctx), MEMBERS, ["audience", "resource"]);

async function answer(provider: Provider, parts: RealmParts, ctx: ExchangeContext): Promise<void> {
  const { client, params } = ctx.oidc;
  const caller = snapshotOf(client);
  if (client.clientAuthMethod === "none") throw new errors.UnauthorizedClient("only a client that can prove who it is may exchange tokens");
  const issuedType = params.requested_token_type ?? ACCESS_TOKEN;
  if (!TYPES.includes(issuedType)) throw new errors.InvalidRequest("requested_token_type: only access tokens are issued");

  const subject = await subjectOf(parts, caller, params);
  const actor = await actorOf(parts, caller, params);
  const binding = await checkRequestBinding(provider, ctx);
  if (subject.confirmation !== null && Object.keys(binding).length === 0)
    throw new errors.InvalidRequest("subject_token is bound to a key: bind the new token as well, by a DPoP proof or a certificate");
  const audience = audienceFor(parts, caller, subject, params);
  const scopes = scopesWithin(parts, caller, subject, params.scope);
  const { userId, sessionId, authTime, acr, amr } = subject.holder;
  if (!(await isAllowedByUser(parts.db, parts.realm.realmId, caller, userId, scopes)))
    throw new errors.InvalidRequest("the user has not allowed this application these scopes yet");

  const scope = scopes.join(" ");
  const claims = { db: parts.db, realm: parts.realm.realmId, scopes: parts.scopesOfRealm };
  const session =
    authTime === null ? {} : { authTime: Math.floor(authTime / SECOND), acr: acr ?? undefined, amr, sid: sessionId ?? undefined };
  ctx.oidc.entity("Account", accountOf(claims, ctx, userId, { scope, ...session }));
  // Claims may tell who plays the user; the grant knows.
  const grant = subject.holder.impersonator === null ? undefined : await provider.Grant.find(subject.grantId);
  if (grant) ctx.oidc.entity("Grant", grant);
  const act = actFor(subject, actor);
  if (act) ctx.oidc.entity("Actor", act);

  const token = new provider.AccessToken({
    ...{ client, accountId: userId, grantId: subject.grantId, gty: TOKEN_EXCHANGE, scope },
    ...(sessionId !== null && { sid: sessionId }),
    expiresIn: lifetimeWithin(parts, caller, subject, actor),
    ...binding,
  });
  token.resourceServer = new provider.ResourceServer(audience[0]!, {
    ...resourceServer(parts, caller, parts.issuer),
    audience: audience[0]!,
  });
  setExactAudience(token, audience);
  if (subject.isFromFrontChannel) markFrontChannel(token);
  ctx.oidc.entity("AccessToken", token);
  ctx.body = {
    access_token: await token.save(),
    issued_token_type: issuedType,
    token_type: token.tokenType,
    expires_in: token.expiration,
    scope,
  };
}

/** §2.1, §2.2.2: a live access token of a user of this realm, brought by whom it was issued to or whom it was meant for. */
async function subjectOf(parts: RealmParts, caller: ClientSnapshot, params: ExchangeRequest): Promise<Subject> {
  const live = await tokenIn(parts, "subject_token", params.subject_token, params.subject_token_type);
  if (live.clientId !== caller.clientId && !live.audience.includes(caller.clientId))
    throw new errors.InvalidRequest("subject_token was neither issued to this client nor meant for it");
  const { holder, grantId } = live;
  if (!holder || grantId === null) throw new errors.InvalidRequest("subject_token must be a user's");
  return { ...live, holder, grantId };
}

/** §1.1, delegation: the actor is the caller itself, by a token of its own. */
async function actorOf(parts: RealmParts, caller: ClientSnapshot, params: ExchangeRequest): Promise<LiveToken | null> {
  if (params.actor_token === undefined) {
    if (params.actor_token_type !== undefined) throw new errors.InvalidRequest("actor_token_type is for requests with an actor_token");
    return null;
  }
  const live = await tokenIn(parts, "actor_token", params.actor_token, params.actor_token_type);
  if (live.clientId !== caller.clientId) throw new errors.InvalidRequest("actor_token was not issued to this client");
  if (live.actor !== null) throw new errors.InvalidRequest("actor_token must be the actor's own, not one that somebody else acts with");
  return live;
}

async function tokenIn(parts: RealmParts, name: string, token: string | undefined, type: string | undefined): Promise<LiveToken> {
  if (!token || !type) throw new errors.InvalidRequest(`${name} and ${name}_type are needed`);
  if (!TYPES.includes(type)) throw new errors.InvalidRequest(`${name}_type: only access tokens are exchanged`);
  const live = await readAccessToken(parts, parts.realm, parts.issuer, token);
  if (!live) throw new errors.InvalidRequest(`${name} is not valid here, or not any more`);
  return live;
}

const listed = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : [value].flat().filter((each) => each !== "");

/** Of those that the token before goes to, those that were asked for, if the client may address them; all such where none was. */
function audienceFor({ issuer }: RealmParts, caller: ClientSnapshot, subject: Subject, params: ExchangeRequest): readonly string[] {
  const addressable = new Set([issuer, caller.clientId, ...caller.allowedResources, ...caller.settings.audience]);
  const possible = subject.audience.filter((each) => addressable.has(each));
  const asked = [...new Set([...listed(params.resource), ...listed(params.audience)])];
  const beyond = asked.find((each) => !possible.includes(each));
  if (beyond !== undefined) throw refusal("invalid_target", "subject_token does not go there, or this client may not ask for it");
  if (possible.length === 0) throw refusal("invalid_target", "subject_token goes to nobody that this client may ask for");
  return asked.length > 0 ? asked : possible;
}

/** Never more than the token before had, nor than this client may ask for. What is exchanged never outlives its session. */
function scopesWithin(
  { scopesOfRealm }: RealmParts,
  caller: ClientSnapshot,
  subject: Subject,
  scope: string | undefined,
): readonly string[] {
  const allowed = new Set(scopesFor(scopesOfRealm, caller));
  const possible = subject.scopes.filter((name) => allowed.has(name) && name !== "offline_access");
  if (scope === undefined) return possible;
  const asked = [...new Set(scope.split(" "))].filter((name) => name !== "");
  const beyond = asked.find((name) => !possible.includes(name));
  if (beyond !== undefined)
    throw new errors.InvalidScope("subject_token does not have this scope, or this client may not ask for it", beyond);
  return asked;
}

/** In seconds. Whatever the client is configured for, no longer than the tokens it is made from. */
function lifetimeWithin({ realm }: RealmParts, caller: ClientSnapshot, subject: Subject, actor: LiveToken | null): number {
  const until = Math.min(subject.expiresAt, actor?.expiresAt ?? subject.expiresAt);
  return Math.max(1, Math.min(lifetimesOf(realm.settings, caller).accessToken, until - Math.floor(clock.now() / SECOND)));
}

/** §4.1: whoever acts now first, and in it who acted before. Nobody leaves the row by exchanging again. */
function actFor({ actor: before }: Subject, actor: LiveToken | null): Act | null {
  if (!actor) return before;
  const act = { sub: actor.sub, client_id: actor.clientId, ...(before && { act: before }) };
  if (depthOf(act) > MAX_ACTORS) throw new errors.InvalidRequest(`no more than ${MAX_ACTORS} may act for each other`);
  return act;
}

const depthOf = (act: Act): number => 1 + (typeof act.act === "object" && act.act !== null ? depthOf(act.act as Act) : 0);
