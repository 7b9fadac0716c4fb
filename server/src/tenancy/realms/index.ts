// Realms: the tenants, their life, and the snapshot of their configuration that every request reads. Owns `realms`.
// `master` administers the others; no code path walks over all of them.
export { limitsOfRealms, ruleOf } from "./limits.ts";
export { publicRealmRoutes } from "./public.routes.ts";
export { purgeRealm } from "./purge.store.ts";
export { realmRoutes } from "./routes.ts";
export { CreateRealm } from "./schema.ts";
export { createRealm, MASTER, PURGE_JOB, prepareRealm, type RealmMaker, type RealmSeed, searchRealms, unknownRealm } from "./service.ts";
export { createRealmSnapshots, type RealmSnapshot, type RealmSnapshots } from "./snapshot.ts";
