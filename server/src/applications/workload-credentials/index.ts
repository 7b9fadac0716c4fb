// Workload credentials: the tokens of other issuers that stand for a client. Owns `workload_credentials`.
// Protocols read them through `createWorkloadCredentials`, which keeps those in use in memory until the realm's configuration changes.
export { createWorkloadCredentials, valueAt, type WorkloadCredential, type WorkloadCredentials } from "./cache.store.ts";
export { workloadRoutes } from "./routes.ts";
export { CreateWorkloadCredential } from "./schema.ts";
export { createCredential, keepListedByCredentials, removeCredential, saveCredential, searchCredentials } from "./service.ts";
