// Authorization services of clients: resources, scopes, policies, permissions, and one evaluator for all who ask (decision 0045). Protocols read
// a resource server through `createResourceServers`, which keeps those in use in process until the realm's configuration changes.

export { findAsked, type PermissionAsked, parsePermission, UnknownAsked } from "./asking.ts";
export { type Asked, type AskedResult, evaluate, type Subject } from "./evaluator/index.ts";
export { keepNamedClient, keepNamedGroups, keepNamedRoles, keepNamedScope, loseUser } from "./references.ts";
export type { ResourceServer, ResourceServers } from "./resource-server.ts";
export { authorizationRoutes } from "./routes.ts";
export { createResourceServers } from "./snapshot.store.ts";
export { findClientSubjects, findUserSubject } from "./subjects.store.ts";
