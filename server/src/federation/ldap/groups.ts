import { setImmediate as nextTurn } from "node:timers/promises";
import { addTo } from "../../kernel/lists.ts";
import {
  allOf,
  anyOf,
  dnKey,
  equals,
  type Filter,
  firstValue,
  type LdapEntry,
  LdapError,
  type LdapPool,
  parseFilter,
} from "../../platform/ldap/index.ts";
import { isDnValue } from "./mapper.ts";

/** The location of a directory's groups, and the attribute that lists their members. */
export interface GroupSearch {
  readonly base: string;
  readonly filter: Filter;
  readonly nameAttribute: string;
  readonly memberAttribute: string;
  /** True if members are listed by username (RFC 2307), false if by DN. */
  readonly byUsername: boolean;
  readonly nested: boolean;
}

export function groupSearchOf(config: Readonly<Record<string, unknown>>): GroupSearch | null {
  if (config.groupSearchBase === undefined) return null;
  const memberAttribute = String(config.groupMemberAttribute);
  const byUsername = memberAttribute.toLowerCase() === "memberuid";
  return {
    base: String(config.groupSearchBase),
    filter: parseFilter(String(config.groupSearchFilter)),
    nameAttribute: String(config.groupNameAttribute),
    ...{ memberAttribute, byUsername },
    nested: config.nestedGroups === true && !byUsername,
  };
}

/** Returns a function that tells which of the mappers' values name a group: by DN in any spelling, or by the exact name. */
export function matcherOf(values: readonly string[]): (dn: string, name: string | null) => readonly string[] {
  const wanted = new Map<string, string[]>();
  for (const value of values) {
    const key = isDnValue(value) ? `dn:${dnKey(value)}` : `name:${value}`;
    addTo(wanted, key, value);
  }
  return (dn, name) => [...(wanted.get(`dn:${dnKey(dn)}`) ?? []), ...(wanted.get(`name:${name}`) ?? [])];
}

const MAX_LEVELS = 30;
const AT_ONCE = 50;
/** The limit on the groups of one person. */
const MAX_GROUPS = 10_000;

/**
 * Returns the groups of this person, among those that mappers name, as the directory has them now. The search goes upwards: groups that list the person, then
 * groups that list those groups. Each group is visited once, so groups that contain each other cause no loop.
 */
export async function groupsOfEntry(
  pool: LdapPool,
  { groupSearch, groupValues }: { readonly groupSearch: GroupSearch | null; readonly groupValues: readonly string[] },
  entry: LdapEntry,
  username: string,
): Promise<readonly string[]> {
  const matching = matcherOf(groupValues);
  const found = new Set<string>();
  if (groupSearch === null) {
    for (const dn of entry.texts("memberOf")) for (const value of matching(dn, firstValue(dn))) found.add(value);
    return [...found].sort();
  }
  const { base, filter, nameAttribute, memberAttribute, byUsername, nested } = groupSearch;
  const seen = new Set<string>();
  let members = [byUsername ? username : entry.dn];
  for (let level = 0; members.length > 0; level++) {
    if (level > MAX_LEVELS) throw new LdapError("too_large", `Groups lie in each other more than ${MAX_LEVELS} levels deep.`);
    const next: string[] = [];
    for (let at = 0; at < members.length; at += AT_ONCE) {
      const listed = anyOf(...members.slice(at, at + AT_ONCE).map((member) => equals(memberAttribute, member)));
      const request = { base, scope: "sub", filter: allOf(filter, listed), attributes: [nameAttribute] } as const;
      for (const group of await pool.all(request)) {
        const key = dnKey(group.dn) ?? group.dn;
        if (seen.has(key)) continue;
        seen.add(key);
        if (seen.size > MAX_GROUPS) throw new LdapError("too_large", `One person is in more than ${MAX_GROUPS} groups.`);
        for (const value of matching(group.dn, group.text(nameAttribute))) found.add(value);
        next.push(group.dn);
      }
    }
    members = nested ? next : [];
  }
  return [...found].sort();
}

/** The number of items of a long list that are processed before other requests get a turn. */
const SLICE = 2_000;
export async function inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  for (let at = 0; at < items.length; at += SLICE) {
    for (const item of items.slice(at, at + SLICE)) work(item);
    if (items.length > SLICE) await nextTurn();
  }
}
