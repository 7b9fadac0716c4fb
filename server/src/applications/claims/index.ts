// Claim mappers: the claims of tokens, userinfo and introspection, and their evaluation. Owns `claim_mappers`, including those of a client,
// whose routes are in applications/clients. applications/client-scopes decides which claims a scope has.
export { claimsOf, releasing } from "./evaluate.ts";
export type { ClaimMapper, ClaimTarget, ClientScopeSnapshot } from "./mapper.ts";
export { withOwnAddress } from "./own-address.ts";
export { mapperRoutes } from "./owned-mappers.routes.ts";
export { ownedMappers } from "./owned-mappers.ts";
export { claimPath } from "./path.ts";
export { claimRoutes } from "./routes.ts";
export { ClaimMapperInput, claimMapperMembers, claimMapperState, type MapperState } from "./schema.ts";
export { checkedMapper, checkedSource, createClaim, removeClaim, saveClaim, searchClaims, takeClaim } from "./service.ts";
export type { ClaimSubject, SubjectSession, SubjectUser } from "./sources/source.ts";
export { toMapper } from "./store.ts";
export { needsOf, needsOfAll, type SubjectNeeds, serviceAccountData, subjectData } from "./subject.store.ts";
