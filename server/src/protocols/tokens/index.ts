// Issues all tokens (audience, claims, lifetimes, binding, refresh families), verifies presented ones and revokes them.
// Owns `oidc_grants`, `oidc_records` and `revoked_tokens`. It does not import the engine.

export {
  type Binding,
  type ClientIssue,
  clientAccessToken,
  isBound,
  tokenTypeOf,
  type UserIssue,
  unprovenBinding,
} from "./access-token.ts";
export { ACR_VALUES, requestedAcr } from "./contents/acr.ts";
export { type Act, actOf, actorsIn, agentsIn, type Impersonator, nextAct } from "./contents/act.ts";
export { audienceOf, isMeantFor, isOpen, resourceOf, scopesAt, type Target, targetOf } from "./contents/audience.ts";
export {
  type AuthorizationDetail,
  addedDetails,
  detailText,
  HIDDEN,
  hidesPart,
  narrowedDetails,
  requestedDetails,
} from "./contents/authorization-details.ts";
export { claimNames, claimsOfScopes, clientClaims, sessionOf, userClaims } from "./contents/claims.ts";
export {
  consentResource,
  consentToClaim,
  IMPLIED_CLAIMS,
  isAllowedByUser,
  isTokenEnough,
  needsConsent,
  resourcesToAllow,
  type Wanted,
} from "./contents/consent.ts";
export { lifetimesOf, refreshLifetime } from "./contents/lifetimes.ts";
export {
  allowedScopes,
  checkScopeSyntax,
  clientDefaultScopes,
  defaultScopesFor,
  knownScopes,
  requestedScopes,
  scopesFor,
} from "./contents/scopes.ts";
export { createSubjectOf } from "./contents/subject.ts";
export {
  halfHash,
  idTokenAlgOf,
  protectedIntrospection,
  protectedUserinfo,
  signAuthorizationResponse,
  signIdToken,
  verifyIdToken,
  verifyIdTokenHint,
} from "./id-token.ts";
export { ASSERTION_LIFETIME, signIdentityAssertion } from "./identity-assertion.ts";
export {
  accessError,
  accessRefusal,
  assertAccess,
  countTokens,
  directorySilent,
  impersonatorAt,
  previewTokens,
  unavailable,
  userTokens,
} from "./issue.ts";
export { algOf, signJwt } from "./jwt.ts";
export { type LiveToken, readAccessToken, verifyAccessToken } from "./liveness.ts";
export { logoutToken } from "./logout-token.ts";
export { isReadable } from "./names.ts";
export { type IssuerParts, issuerOf } from "./parts.ts";
export { provenWithoutSession } from "./proven.ts";
export {
  deleteGrant,
  findLiveGrant,
  grantsOfSession,
  type LiveGrant,
  type NewGrant,
  upsertGrant,
  writeGrant,
} from "./records/grants.store.ts";
export { type Holder, revokeToken } from "./records/liveness.store.ts";
export { type GrantPayload, grantedClaims, grantedScopes, type RecordPayload } from "./records/payload.ts";
export {
  consumeRecord,
  deleteExpiredOAuth,
  deleteRecord,
  findRecord,
  isFirst,
  type NewRecord,
  type RecordValues,
  type StoredRecord,
  takeRecord,
  upsertRecord,
  valuesOf,
  writeRecord,
} from "./records/records.store.ts";
export { addRefreshToken, findWithGrant, prolongRefreshToken, replaceByRefreshToken } from "./records/successor.store.ts";
export { type IssuedRefreshToken, issueRefreshToken, REFRESH_TOKEN } from "./refresh-token.ts";
export { endGrants, endGrantsOfSessions, forgetRequests, revokeFamily } from "./revocation.ts";
export type { VerifiedJwt } from "./verify.ts";
