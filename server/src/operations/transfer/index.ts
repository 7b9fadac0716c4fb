// Export and import of a realm's configuration as one document: a section per feature. Owns `managed_objects`.
// Sections read and write through the functions of their features' own routes; CONTRIBUTING.md says how to add one.
export { DOCUMENT_SCHEMA, readDocument } from "./document.ts";
export { wrongSections } from "./export.ts";
export type { ImportOptions, Transact } from "./plan.ts";
export { transferRoutes } from "./routes.ts";
export { RealmImport as RealmImportSchema } from "./schema.ts";
export type { SectionTools } from "./section.ts";
export { type ExportChoice, exportRealm, type ImportTools, importRealm, type RealmImport } from "./service.ts";
export { transactUnversioned } from "./unversioned.ts";
