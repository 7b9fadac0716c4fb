// Authorization services of clients: resources, scopes, policies, permissions, and one evaluator for all who ask (decision 0045). Protocols read
// a resource server through `createResourceServers`, which keeps those in use in process until the realm's configuration changes.

export { keepNamedClient, keepNamedGroups, keepNamedRoles, keepNamedScope, loseUser } from "./references.ts";
export type { ResourceServer, ResourceServers } from "./resource-server.ts";
export { authorizationRoutes } from "./routes.ts";
export { createResourceServers } from "./snapshot.store.ts";
