// LDAP (RFC 4511): connections, searches, binds and password changes, over sockets of platform/outbound. A library: it knows no database,
// follows no referral, and never connects again by itself (decision 0027).
export { BindRefused, type ConnectionOptions, type LdapConnection, openConnection, PasswordRefused } from "./connection.ts";
export { dnKey, firstValue, isWithin, parseDn } from "./dn.ts";
export { entryId, idValue, LdapEntry } from "./entry.ts";
export { adState, LdapError, type LdapFault, RESULT } from "./errors.ts";
export {
  allOf,
  anyOf,
  atLeast,
  equals,
  type Filter,
  FilterSyntaxError,
  isAttributeName,
  matches,
  parseFilter,
  parseTemplate,
  present,
} from "./filter.ts";
export type { Change, SearchRequest } from "./messages.ts";
export { createLdapPool, type LdapPool } from "./pool.ts";
export { readRanges } from "./ranges.ts";
export { parseLdapUrl } from "./url.ts";
