// Client scopes: the scopes that clients may request, and the claims of each. Owns `client_scopes` and `client_scope_claims`.
// Protocols read them by `createScopes`. Decision 7 says which of them a client may have.
export { inUse } from "./errors.ts";
export { clientScopeRoutes } from "./routes.ts";
export { CreateClientScope } from "./schema.ts";
export { completeRealms, seedScopes } from "./seeds.store.ts";
export { addClaim, createScope, dropClaim, removeScope, saveScope, searchScopes } from "./service.ts";
export { createScopes, mappersOf, type Scopes, type ScopesSnapshot } from "./snapshot.store.ts";
export { shareScopes } from "./store.ts";
