// Configuration held in process, per realm, and the news that makes every node drop it.
// Owns `realm_versions`: a change is announced in its own transaction, by notification and by a version that is polled.
export { createRealmCache, type RealmCache } from "./realm-cache.ts";
export { configVersion, createRealmChanges, type RealmChanges } from "./realm-changes.ts";
export { createRecordCache, type LoadedRecord, type RecordCache } from "./record-cache.ts";
export { watchRealmChanges } from "./watcher.ts";
