// Claim mappers: the claims of tokens, userinfo and introspection, and their evaluation. Owns `claim_mappers`, also
// those of a client, whose routes are in applications/clients. Which scope brings which is in applications/client-scopes.
export { claimErrors } from "./errors.ts";
export { type ClaimContext, type ClaimSubject, claimsOf, mappedValue, type SubjectSession, type SubjectUser } from "./evaluate.ts";
export type { ClaimMapper, ClaimSource, ClaimTarget, ClientScopeSnapshot } from "./mapper.ts";
export { mapperRoutes } from "./owned-mappers.routes.ts";
export { ownedMappers } from "./owned-mappers.ts";
export { protocolClaims } from "./path.ts";
export { claimRoutes } from "./routes.ts";
export { ClaimMapperInput, claimMapperMembers, claimMapperState, type MapperState } from "./schema.ts";
export { checkedMapper, checkedSource, takeClaim } from "./service.ts";
export { toMapper } from "./store.ts";
export { needsOf, type SubjectNeeds, serviceAccountData, subjectData } from "./subject.store.ts";
