// Realms: the tenants, their lifecycle, and the snapshot of their configuration that every request reads. Owns `realms`.
// `master` administers the others. No code path iterates over all realms.
export { limitsOfRealms, ruleOf } from "./limits.ts";
export { publicRealmRoutes } from "./public.routes.ts";
export { purgeRealm } from "./purge.store.ts";
export { realmRoutes } from "./routes.ts";
export { CreateRealm } from "./schema.ts";
export { createRealm, MASTER, PURGE_JOB, prepareRealm, type RealmMaker, type RealmSeed, searchRealms, unknownRealm } from "./service.ts";
export { createRealmSnapshots, type RealmSnapshot, type RealmSnapshots } from "./snapshot.ts";
