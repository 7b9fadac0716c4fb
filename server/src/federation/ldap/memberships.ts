import { createHash } from "node:crypto";
import { addTo } from "../../kernel/lists.ts";
import { dnKey, type LdapConnection, type LdapEntry, LdapError, type LdapPool, readRanges } from "../../platform/ldap/index.ts";
import type { Directory } from "./directory.ts";
import { type GroupSearch, groupsOfEntry, inSlices, matcherOf } from "./groups.ts";

/** Finds the groups of a person, among those that mappers name. */
export interface Memberships {
  of(entry: LdapEntry, username: string): Promise<readonly string[]>;
}

/** Memberships of a run that has read every member of the groups, so it asks the directory nothing more. */
export interface KnownMemberships extends Memberships {
  /** Finds the groups by the stored DN or username of an entry. */
  ofKnown(dn: string, username: string): readonly string[];
  /** The values of mappers that match no group of the directory. */
  readonly missing: readonly string[];
}

/** Asks the directory about each person. It serves a run that reads only what changed. */
export const askingForEach = (pool: LdapPool, directory: Directory): Memberships => ({
  of: (entry, username) => (directory.groupValues.length === 0 ? NONE : groupsOfEntry(pool, directory, entry, username)),
});
const NONE = Promise.resolve([]);

const PAGE = 500;
/** The limit on different members of all groups that mappers name. More would fill the memory. */
const MAX_MEMBERS = 2_000_000;

/** Returns a short hash of any text: the keys of a million DNs take less than 100 MB. */
const shortKey = (text: string): string => createHash("sha1").update(text).digest("base64url");

/**
 * Reads every member of the groups that mappers name, downwards from each group. With `nestedGroups`, a member that is itself a group below the search base is
 * read too. Each group is read once, so groups that contain each other cause no loop.
 */
export async function readMemberships(connection: LdapConnection, directory: Directory, search: GroupSearch): Promise<KnownMemberships> {
  const { byUsername, nested, memberAttribute } = search;
  const { dnOf, roots } = await findGroups(connection, directory, search);
  const sets = internedSets();
  const members = new Map<string, number>();
  const keyOf = (member: string) => shortKey(byUsername ? member : (dnKey(member) ?? member));
  for (const [value, groups] of roots) {
    const seen = new Set(groups);
    for (const queue = [...groups]; queue.length > 0; ) {
      const group = queue.pop()!;
      for await (const part of readRanges(connection, dnOf.get(group)!, memberAttribute)) {
        await inSlices(part, (member) => {
          const key = keyOf(member);
          if (nested && dnOf.has(key)) {
            if (!seen.has(key)) queue.push(key);
            seen.add(key);
          } else members.set(key, sets.with(members.get(key) ?? 0, value));
        });
        if (members.size > MAX_MEMBERS)
          throw new LdapError("too_large", `The groups that mappers name have more than ${MAX_MEMBERS} members.`);
      }
    }
  }
  const ofKnown = (dn: string, username: string) => sets.values(members.get(keyOf(byUsername ? username : dn)) ?? 0);
  return {
    ofKnown,
    of: async (entry, username) => ofKnown(entry.dn, username),
    missing: directory.groupValues.filter((value) => !roots.has(value)),
  };
}

/** Finds the groups that each mapper value names. With nested groups it finds every group, to recognize members that are groups. */
async function findGroups(connection: LdapConnection, { groupValues }: Directory, { base, filter, nameAttribute, nested }: GroupSearch) {
  const matching = matcherOf(groupValues);
  const dnOf = new Map<string, string>();
  const roots = new Map<string, string[]>();
  for await (const page of connection.pages({ base, scope: "sub", filter, attributes: [nameAttribute] }, PAGE)) {
    for (const group of page) {
      const key = shortKey(dnKey(group.dn) ?? group.dn);
      const values = matching(group.dn, group.text(nameAttribute));
      if (nested || values.length > 0) dnOf.set(key, group.dn);
      for (const value of values) addTo(roots, value, key);
    }
  }
  return { dnOf, roots };
}

/** Stores each different set once: many members share few sets. Set 0 is the empty one. */
function internedSets() {
  const sets: (readonly string[])[] = [[]];
  const numbers = new Map<string, number>();
  return {
    with(from: number, value: string): number {
      const before = sets[from]!;
      if (before.includes(value)) return from;
      const way = `${from} ${value}`;
      const known = numbers.get(way);
      if (known !== undefined) return known;
      const after = [...before, value].sort();
      const name = JSON.stringify(after);
      const number = numbers.get(name) ?? sets.push(after) - 1;
      numbers.set(name, number).set(way, number);
      return number;
    },
    values: (number: number): readonly string[] => sets[number]!,
  };
}

/** Returns the hash that is stored with each entry; it is empty if there are no groups. */
export const groupsHash = (groups: readonly string[]): string =>
  groups.length === 0 ? "" : createHash("sha256").update(JSON.stringify(groups)).digest("base64url").slice(0, 22);
