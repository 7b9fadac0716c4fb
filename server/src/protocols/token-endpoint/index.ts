// Serves /token with every grant, /introspect and /revoke. `pipeline.ts` is the token endpoint; each grant is a file in `grants/`.

export {
  actorTokenOf,
  assertOwnToken,
  assertStands,
  assertStaysBound,
  audienceWithin,
  EXCHANGE_LISTS,
  EXCHANGE_PARAMETERS,
  exchangedIssue,
  isForCaller,
  isNamedBy,
  issuedTokenType,
  possibleScopes,
  recordDelegation,
  type Subject,
  scopesWithin,
  subjectOf,
} from "./exchange.ts";
export type { Presented } from "./grant.ts";
export { introspectionRoutes } from "./introspection.routes.ts";
export { findRefreshToken } from "./introspection.ts";
export type { TokenEndpointParts, TokenEndpoints } from "./parts.ts";
export { issueTicket, type TicketContents } from "./permission-ticket.ts";
export { answerIssue, presentedParameters, tokenRoutes } from "./pipeline.ts";
