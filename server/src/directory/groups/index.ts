// Groups: their tree, their members, and the roles that they grant. Owns `groups`, `group_ancestors`, `group_members`,
// `group_member_counts` and `group_roles`. The views of directory/roles hold the permissions of their members.
export { groupInUse } from "./errors.ts";
export { guardInheritance } from "./inheritance.ts";
export { join, joinAll, leave, leaveAll } from "./members.service.ts";
export { deleteMember, insertMember, insertMembers } from "./members.store.ts";
export { findGroupOfOrganization, groupName, groupOfOrganization } from "./of-organizations.ts";
export { userGroupRoutes } from "./of-user.routes.ts";
export { findGroupId, GROUP_PATH, groupPath, isInGroup, isNamedAtTop, namesInPath, pathsOfGroups } from "./paths.store.ts";
export { grantRole, withdrawRole } from "./roles.service.ts";
export { rolesGrantedBy, rolesOf as rolesOfGroup, rolesOfGroups } from "./roles.store.ts";
export { groupRoutes } from "./routes.ts";
export { CreateGroup } from "./schema.ts";
export { createGroup, removeGroup, renameElsewhere, saveGroup, searchGroups } from "./service.ts";
export { existingGroups } from "./store.ts";
