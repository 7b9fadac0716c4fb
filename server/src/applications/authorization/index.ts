// Authorization services of clients: resources, scopes, policies, permissions, and one evaluator for all callers (decision 0045). Protocols
// read a resource server through `createResourceServers`, which keeps those in use in memory until the realm's configuration changes.

export { findAsked, type PermissionAsked, parsePermission, UnknownAsked } from "./asking.ts";
export { type Decision, type DecisionAsked, decideAll, permittedActions, permittedResources, permittedUsers } from "./decide.ts";
export { recordDecisions } from "./decision-log.ts";
export { type Asked, type AskedResult, evaluate, type Subject } from "./evaluator/index.ts";
export { fromKeycloakAuthorization } from "./keycloak.ts";
export { keepNamedClient, keepNamedGroups, keepNamedRoles, keepNamedScope, loseUser } from "./references.ts";
export {
  findRegistered,
  registerResource,
  removeRegistered,
  replaceRegistered,
  resourcesById,
  searchRegistered,
} from "./registration.service.ts";
export type { ResourceServer, ResourceServers } from "./resource-server.ts";
export type { ResourceRow, ResourceState } from "./resources.store.ts";
export { authorizationRoutes } from "./routes.ts";
export { CreateShare, OwnResource, OwnResourceDetails, Share, SharedResource } from "./shares.schema.ts";
export {
  allowRequest,
  forgetSharesNaming,
  readOwnResource,
  readOwnResources,
  readRequests,
  readSharedResources,
  refuseRequest,
  shareResource,
  unshareResource,
} from "./shares.service.ts";
export { type OwnerRequest, requestShares } from "./shares.store.ts";
export { createResourceServers } from "./snapshot.store.ts";
export { findClientSubjects, findUserSubject } from "./subjects.store.ts";
export { AuthorizationItem } from "./transfer.schema.ts";
export {
  addAuthorization,
  applyAuthorization,
  authorizationDefaults,
  readAuthorizations,
  removeAuthorization,
} from "./transfer.service.ts";
