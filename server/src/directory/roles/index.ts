// Roles of realms and of clients, the roles they include, their admin permissions, and the escalation rule. Owns `roles`, `role_composites`,
// `role_closure`, `role_permissions`, `user_roles`. The view `user_permissions` holds the permissions of a user; nothing else computes them.
export { type MappedRole, type RoleName, rolesGivenInRealm, rolesGivenTo, rolesOfClient, shareRole } from "./client-roles.store.ts";
export { roleErrors, roleInUse } from "./errors.ts";
export { shareNamedRole, spellRole } from "./naming.ts";
export {
  adminRoles,
  assertMayControl,
  assertMayGrant,
  changingGrants,
  keepingRealmAdmin,
  permissionsAmong,
  permissionsOfUser,
  realmAdmins,
  rolesWithPermissions,
} from "./permissions.store.ts";
export { adminRoleRoutes, roleRoutes } from "./routes.ts";
export { AssignRole, CreateRole, givenRoles, Role, RoleMapping, roleNameMembers, UpdateAdminRole, UpdateRole } from "./schema.ts";
export {
  addRole,
  createRole,
  dropRoles,
  grantPermissions,
  makeDefault,
  readRole,
  removeRole,
  replaceRole,
  saveRole,
  seedRoles,
} from "./service.ts";
export {
  existingRoleNames,
  findRole,
  listClientRoles,
  listRoles,
  type NamedRole,
  type RoleRow,
  roleOf,
  shareDefaultRole,
  shareRolesByName,
} from "./store.ts";
