// Roles of realms and of clients, what they include, the admin permissions they carry, and the escalation rule. Owns `roles`, `role_composites`,
// `role_closure`, `role_permissions`, `user_roles`. What a user may do is the view `user_permissions`; nothing else works that out.
export { type MappedRole, type RoleName, rolesGivenTo, rolesOfClient, shareRole } from "./client-roles.store.ts";
export { roleErrors } from "./errors.ts";
export { assertMayControl, assertMayGrant, changingGrants, keepingRealmAdmin } from "./escalation.ts";
export { shareNamedRole, spellRole } from "./naming.ts";
export { permissionsAmong, permissionsOfUser } from "./permissions.store.ts";
export { adminRoleRoutes, roleRoutes } from "./routes.ts";
export { AssignRole, CreateRole, givenRoles, Role, RoleMapping, roleNameMembers } from "./schema.ts";
export { addRole, dropRoles, seedRoles } from "./service.ts";
export { findRole, listRoles, type NamedRole, type RoleRow, shareDefaultRole, shareRolesByName } from "./store.ts";
