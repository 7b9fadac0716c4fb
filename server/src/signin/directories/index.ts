// Directories (LDAP, Active Directory): passwords that are checked there, users who come from there, and their synchronization. Owns
// `directory_entries`, `directory_runs` and `directory_erasures`. Their configuration is signin/identity-providers'.
export { entriesOfUser } from "./entries.store.ts";
export { createEntryChecks, type EntryChecks } from "./entry-checks.ts";
export { forgetEntries } from "./erasure.ts";
export { createDirectoryMetrics, type DirectoryMetrics } from "./metrics.ts";
export type { DirectoryParts } from "./own-entry.ts";
export { createDirectoryPasswords } from "./password-writer.ts";
export { createDirectoryPools, type DirectoryPools } from "./pools.ts";
export { userFederationRoutes } from "./routes.ts";
export { deleteOldRuns } from "./runs.store.ts";
export { enqueueSyncs, SYNC_JOB, syncJob } from "./schedule.ts";
export { createSeenEntries } from "./seen-entries.ts";
export { userSourceRoutes } from "./source.routes.ts";
export { UNRECORDED_JOB, unrecordedJob } from "./unrecorded.ts";
