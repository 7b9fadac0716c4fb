// The only maker of tokens: audience, claims, lifetimes, binding and refresh families, and what becomes of tokens that are presented.
// Owns `oidc_grants`, `oidc_records` and `revoked_tokens`. It does not know the engine.
export {
  type Binding,
  clientAccessToken,
  type IssuedAccessToken,
  isBound,
  tokenTypeOf,
  userAccessToken,
} from "./access-token.ts";
export { actOf, type Impersonator } from "./act.ts";
export { assertResource, audienceOf, resourceOf } from "./audience.ts";
export { type AuthorizationDetail, narrowedDetails, requestedDetails } from "./authorization-details.ts";
export { type AboutUser, claimNames, clientClaims, memberOf, sessionOf, userClaims } from "./claims.ts";
export { deleteExpiredOAuth } from "./cleanup.ts";
export { consentToClaim, IMPLIED_CLAIMS, isAllowedByUser, needsConsent } from "./consent.ts";
export {
  deleteGrant,
  findLiveGrant,
  grantsOfSession,
  type LiveGrant,
  type NewGrant,
  writeGrant,
} from "./grants.store.ts";
export { halfHash, signAuthorizationResponse, signIdToken, signUserinfo, verifyIdTokenHint } from "./id-token.ts";
export { type UserIssue, userTokens } from "./issue.ts";
export { lifetimesOf, refreshLifetime } from "./lifetimes.ts";
export { type Holder, revokeToken } from "./liveness.store.ts";
export { type LiveToken, readAccessToken } from "./liveness.ts";
export { logoutToken } from "./logout-token.ts";
export { isReadable } from "./names.ts";
export { type IssuerParts, issuerOf } from "./parts.ts";
export {
  consumeRecord,
  deleteRecord,
  findRecord,
  findRecordBy,
  isFirst,
  type NewRecord,
  type StoredRecord,
  takeRecord,
  writeRecord,
} from "./records.store.ts";
export { type GrantPayload, grantedClaims, grantedScopes, type RecordPayload, type RequestedClaims } from "./records.ts";
export { type IssuedRefreshToken, issueRefreshToken, REFRESH_TOKEN } from "./refresh-token.ts";
export {
  endGrantsBesides,
  endGrantsOfClient,
  endGrantsOfSession,
  endGrantsOfUser,
  endGrantsUnderConsent,
  forgetRequests,
  revokeFamily,
} from "./revocation.ts";
export {
  allowedScopes,
  checkScopeSyntax,
  clientDefaultScopes,
  defaultScopesFor,
  knownScopes,
  requestedScopes,
  scopesFor,
} from "./scopes.ts";
export { createSubjectOf, type SubjectOf } from "./subject.ts";
export { addRefreshToken, findWithGrant, replaceByRefreshToken } from "./successor.store.ts";
export { verifyJwt } from "./verify.ts";
