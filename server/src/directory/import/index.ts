// Bulk import of users: reads files of any length, checks each row, commits in batches, reports progress and resumes. Owns `user_imports`.
// New users are written here in bulk; changes of existing users go through directory/users.
export { findTaken, insertNewUsers, type NewUser } from "./batch.store.ts";
export { importOne } from "./batch.ts";
export type { UserLinks } from "./batch-tools.ts";
export { type CarriedUser, readUsers } from "./export.store.ts";
export { deleteOldImports } from "./imports.store.ts";
export { type HashPassword, hashingFor } from "./passwords.ts";
export { readRows } from "./readers/index.ts";
export { userImportRoutes } from "./routes.ts";
export { conflicts, type ImportUser, type OnConflict, UserImport } from "./schema.ts";
export { importUsers } from "./service.ts";
export { endAbandonedImports } from "./stored.ts";
export type { ImportParts } from "./target.ts";
