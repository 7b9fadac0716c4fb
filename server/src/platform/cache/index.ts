// Holds the configuration of realms in process, and announces changes so that every node drops what it holds.
// Owns `realm_versions`: a change is announced in its own transaction, by a notification and by a version that is polled.
export { createRealmCache, type RealmCache } from "./realm-cache.ts";
export { configVersion, createRealmChanges, type RealmChanges } from "./realm-changes.ts";
export { createRecordCache, type LoadedRecord, type RecordCache } from "./record-cache.ts";
export { watchRealmChanges } from "./watcher.ts";
