import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { type Act, isAllowedByUser, isTokenEnough, type LiveToken, nextAct, resourcesToAllow } from "../../tokens/index.ts";
import * as exchange from "../exchange.ts";
import type { Grant, Source } from "../grant.ts";

interface ExchangeSource extends Source {
  readonly record: null;
  readonly subject: exchange.Subject;
  /** The actor of a delegation (RFC 8693 §1.1), or null if no actor token was presented. */
  readonly actor: LiveToken | null;
}

/** RFC 8693: a client that was called with a user's token exchanges it to call another service. */
export const tokenExchange: Grant<ExchangeSource> = {
  parameters: exchange.EXCHANGE_PARAMETERS,
  lists: exchange.EXCHANGE_LISTS,

  async find({ parts, client }, { params }) {
    exchange.issuedTokenType(params);
    const subject = await exchange.subjectOf(parts, client, params);
    if (!exchange.isForCaller(subject, client))
      throw oauthErrors.invalidRequest("subject_token was neither issued to this client nor meant for it");
    if (params.actor_token === undefined && params.actor_token_type !== undefined)
      throw oauthErrors.invalidRequest("actor_token_type is only for requests with an actor_token");
    const actor = params.actor_token === undefined ? null : await exchange.actorTokenOf(parts, client, params);
    return { record: null, grant: null, subject, actor };
  },

  check({ client, binding }, { subject }) {
    exchange.assertStaysBound(client, subject, binding);
  },

  async issue({ parts, client }, { subject, actor }, { params, lists }) {
    await exchange.assertStands(parts, client, subject);
    const audience = await exchange.audienceWithin(parts, client, subject, lists);
    const scopes = exchange.scopesWithin(exchange.possibleScopes(parts, client, subject), params.scope);
    const wanted = { scopes, resources: resourcesToAllow(parts, client, audience) };
    if (!isTokenEnough(parts, client) && !(await isAllowedByUser(parts.db, parts, client, subject.holder.userId, wanted)))
      throw oauthErrors.invalidRequest("the user has not allowed this application these scopes yet");
    return {
      kind: "user",
      tokens: exchange.exchangedIssue(subject, actor, { scopes, audience, act: actFor(subject, actor) ?? undefined }),
      refresh: null,
      issuedTokenType: exchange.issuedTokenType(params),
    };
  },

  async record(ctx, { subject }, _expiresAt, issue) {
    if (issue.kind === "user") await exchange.recordDelegation(ctx, subject, issue.tokens.scopes);
  },
};

/** RFC 8693 §4.1: returns the current actor, with the prior actors nested. */
const actFor = ({ actor: before }: exchange.Subject, actor: LiveToken | null): Act | null =>
  actor ? nextAct({ sub: actor.sub, client_id: actor.clientId }, before) : before;
