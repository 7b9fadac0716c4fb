import type { IncomingHttpHeaders } from "node:http";
import type { ClientAgent, ClientSnapshot } from "../../applications/clients/index.ts";
import { consentedScopes } from "../../directory/consents/index.ts";
import { OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import { type Form, isPublic } from "../client-auth/index.ts";
import type { Audience } from "../gate/index.ts";
import { proveBinding } from "../proof/index.ts";
import * as exchange from "../token-endpoint/index.ts";
import { agentsIn, type Binding, consentResource, isTokenEnough, type LiveToken, resourcesToAllow } from "../tokens/index.ts";

/** The tokens that the delegation endpoint accepts: the agent's own, for the realm itself. */
export const delegationAudience: Audience = {
  names: (issuer) => [issuer],
  invalid: "The token is not valid here: an agent calls with its own access token for this realm",
  ignoresCookies: true,
};

export const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const PATH = "/agent/delegation/token";

export interface DelegationRequest {
  readonly headers: IncomingHttpHeaders;
  readonly form: Form;
  readonly sourceIp: string;
  readonly requestId: string;
  /** The authenticated client, or the client that the token in the header was issued to. */
  readonly client: ClientSnapshot;
  /** The agent's own token in the header, or null. */
  readonly bearer: LiveToken | null;
}

type AgentClient = ClientSnapshot & { readonly agent: ClientAgent };

/**
 * RFC 8693 §1.1: exchanges a user's access token and the agent's own for a token with which the agent acts for the user: `sub` is the user,
 * `act` the agent. The user's consent to this agent decides, so the subject token need not be meant for the agent.
 */
export async function delegate(parts: exchange.TokenEndpointParts, request: DelegationRequest): Promise<object> {
  const { client, sourceIp, requestId } = request;
  if (!isAgents(client) || isPublic(client)) throw oauthErrors.unauthorizedClient("only the client of an agent may act for users here");
  try {
    const presented = exchange.presentedParameters(
      parts,
      { parameters: ["grant_type", ...exchange.EXCHANGE_PARAMETERS], lists: exchange.EXCHANGE_LISTS },
      request.form,
    );
    if (presented.params.grant_type !== GRANT_TYPE) throw oauthErrors.unsupportedGrantType();
    return await answerDelegation(parts, request, client, presented);
  } catch (error) {
    if (error instanceof OAuthError)
      parts.activity.refusedDelegation({
        realm: client.realmId,
        agent: client.agent.id,
        clientId: client.clientId,
        reason: error.message,
        sourceIp,
        requestId,
      });
    throw error;
  }
}

const isAgents = (client: ClientSnapshot): client is AgentClient => client.agent !== null;

async function answerDelegation(
  parts: exchange.TokenEndpointParts,
  request: DelegationRequest,
  client: AgentClient,
  { params, lists }: exchange.Presented,
): Promise<object> {
  const tokenType = exchange.issuedTokenType(params);
  const actor = await actorOf(parts, request, client, { params, lists });
  const binding = await bindingOf(parts, request, client, actor);
  const subject = await exchange.subjectOf(parts, client, params);
  if (agentsIn(subject.actor).some(({ agentId }) => agentId === client.agent.id))
    throw oauthErrors.invalidRequest("this agent is already in the chain");
  exchange.assertStaysBound(client, subject, binding);
  await exchange.assertStands(parts, client, subject);
  const audience = await exchange.audienceWithin(parts, client, subject, lists);
  const possible = exchange.possibleScopes(parts, client, subject).filter((name) => isWithinWorkload(actor, name));
  const scopes = await allowedByUser(parts, client, subject, audience, possible, params.scope);
  const tokens = exchange.exchangedIssue(subject, actor, { scopes, audience, act: subject.actor ?? undefined });
  const ctx = { parts, client, binding, sourceIp: request.sourceIp, requestId: request.requestId };
  const body = await exchange.answerIssue(ctx, "delegation", { kind: "user", tokens, refresh: null, issuedTokenType: tokenType });
  await exchange.recordDelegation(ctx, subject, scopes);
  return body;
}

/** Returns the agent's own token, in the form or in the header. The agent got it in its own name, for this realm. */
async function actorOf(
  parts: exchange.TokenEndpointParts,
  { bearer }: DelegationRequest,
  client: AgentClient,
  { params }: exchange.Presented,
): Promise<LiveToken> {
  if (bearer && (params.actor_token !== undefined || params.actor_token_type !== undefined))
    throw oauthErrors.invalidRequest("actor_token must be left out: the token in the header is the actor's");
  const actor = bearer ?? (await exchange.actorTokenOf(parts, client, params));
  exchange.assertOwnToken(actor, client);
  if (actor.holder !== null) throw oauthErrors.invalidRequest("actor_token must be a token that the agent got in its own name");
  if (!actor.audience.includes(parts.issuer))
    throw oauthErrors.invalidRequest("actor_token is not for this realm: it needs the realm's issuer in aud");
  return actor;
}

/** Returns the binding of the new token. A bound actor token must be proven with the request, and the new token gets the same keys. */
async function bindingOf(
  parts: exchange.TokenEndpointParts,
  { bearer, headers }: DelegationRequest,
  client: AgentClient,
  { confirmation }: LiveToken,
): Promise<Binding> {
  if (bearer && confirmation) return confirmation;
  const binding = await proveBinding(parts, client, { headers, method: "POST", url: parts.issuer + PATH });
  const { jkt = binding.jkt, "x5t#S256": thumbprint = binding["x5t#S256"] } = confirmation ?? {};
  if (jkt !== binding.jkt || thumbprint !== binding["x5t#S256"])
    throw oauthErrors.invalidRequest("actor_token is bound to a key, which was not proven with this request");
  return binding;
}

/**
 * Tells whether a scope is within the limit of the workload credential, which applies to users' tokens as well. The workload's own token
 * may have fewer scopes, such as no `openid`. A token of an earlier release does not name the limit, so it delegates only its own scopes.
 */
const isWithinWorkload = ({ payload: { workload_scope: limit, workload_iss: issuer }, scopes }: LiveToken, name: string): boolean =>
  limit === undefined ? issuer === undefined || scopes.includes(name) : String(limit).split(" ").includes(name);

/**
 * Returns the possible scopes that the user has allowed this agent at every resource of the token. Consent is required even if the client
 * needs none at the sign-in. If the realm allows it, a token that is for the agent, or names it in `may_act`, is enough.
 */
async function allowedByUser(
  parts: exchange.TokenEndpointParts,
  client: AgentClient,
  subject: exchange.Subject,
  audience: readonly string[],
  possible: readonly string[],
  scope: string | undefined,
): Promise<readonly string[]> {
  const { issuer } = parts;
  const isAddressed = exchange.isForCaller(subject, client) || exchange.isNamedBy(subject.payload.may_act, issuer, client);
  if (isTokenEnough(parts, client) && isAddressed) return exchange.scopesWithin(possible, scope);
  const consented = await consentedAt(parts, client, subject.holder.userId, audience);
  if (!consented) throw oauthErrors.invalidRequest("the user has not allowed this agent to act for them");
  const allowed = possible.filter((name) => consented.includes(name));
  if (scope !== undefined && exchange.scopesWithin(possible, scope).some((name) => !allowed.includes(name)))
    throw oauthErrors.invalidRequest("the user has not allowed this agent these scopes");
  if (allowed.length === 0) throw oauthErrors.invalidScope("the user has allowed this agent none of the scopes of subject_token");
  return exchange.scopesWithin(allowed, scope);
}

/** Returns the scopes that the user has granted to the client at all of these resources, or null if one has no consent. */
async function consentedAt(
  parts: exchange.TokenEndpointParts,
  client: AgentClient,
  userId: string,
  audience: readonly string[],
): Promise<readonly string[] | null> {
  let allowed: readonly string[] | null = null;
  for (const resource of resourcesToAllow(parts, client, audience)) {
    const key = { userId, clientId: client.clientId, resource: consentResource(parts, resource) };
    const scopes = await consentedScopes(parts.db, client.realmId, key);
    if (!scopes) return null;
    allowed = allowed === null ? scopes : allowed.filter((name) => scopes.includes(name));
  }
  return allowed;
}
