// The SCIM 2.0 server of each realm (RFC 7643, RFC 7644, RFC 9865), and its tokens. Owns the `scim_…` tables: tokens, `externalId`s, and
// the attributes of users that have no other place. The services of the directory change users and groups, as in the admin API.
export { sendScimError } from "./errors.ts";
export { leaveGroupsOf, removeGroupsOf } from "./groups/of-organizations.ts";
export { organizationsOfGroups, replaceGroupOwner } from "./groups/owners.ts";
export { scimRoutes } from "./routes.ts";
export type { Resource } from "./schema/attribute.ts";
export { findAttribute } from "./schema/paths.ts";
export { ENTERPRISE, GROUP, USER, userType } from "./schema/resource-types.ts";
export { scimTokenRoutes } from "./tokens/routes.ts";
export { scimTokens } from "./tokens/service.ts";
export { deleteExpiredScimTokens } from "./tokens/store.ts";
export { first, HOMES, type Home, ofAccount, PHONE, putHomes } from "./users/mapping.ts";
export { forgetManager } from "./users/store.ts";
