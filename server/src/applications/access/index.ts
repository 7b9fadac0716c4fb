// Access to an application: `allowedRoles` and `allowedGroups` of OIDC and SAML clients (decision 0025). Both empty: every user. Otherwise
// users who hold one of the roles or are in one of the groups. Stored are ids; administrators read and write names.
export { resolveAccess } from "./resolve.ts";
export { accessMembers } from "./schema.ts";
export { mayUseApplication } from "./service.ts";
export { spellAccess } from "./spell.ts";
export { findRoleId, heldBy, isAllowedBy, namesOfRoles } from "./store.ts";
