// Realm roles, what they include, the admin permissions they carry, and the escalation rule. Owns `roles`, `role_composites`,
// `role_closure`, `role_permissions`, `user_roles`. What a user may do is the view `user_permissions`; nothing else works that out.
export { roleErrors } from "./errors.ts";
export { assertMayControl, assertMayGrant, changingGrants, keepingRealmAdmin } from "./escalation.ts";
export { permissionsOfRoles, permissionsOfUser } from "./permissions.store.ts";
export { adminRoleRoutes, roleRoutes } from "./routes.ts";
export { AssignRole, RoleMapping } from "./schema.ts";
export { seedRoles } from "./service.ts";
export { findRole, type NamedRole, type RoleRow, shareDefaultRole, shareRole, shareRolesByName } from "./store.ts";
