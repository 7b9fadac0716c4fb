import { type RawBuilder, sql } from "kysely";
import { isId } from "../../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../../kernel/text.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { Connection } from "../call.ts";
import { scimError } from "../errors.ts";
import { externalIdOf, hasExternalId } from "../external-ids.store.ts";
import { matches } from "../filter/evaluate.ts";
import { type Comparable, invalidFilter, type Operator } from "../filter/parser.ts";
import { always, type Condition, type Leaf, narrow, never, wide } from "../listing/conditions.store.ts";
import type { Source } from "../listing/source.store.ts";
import { spell } from "../schema/paths.ts";
import { GROUP } from "../schema/resource-types.ts";
import { groupResource } from "./mapping.ts";
import { digestsOfMembers, findGroups, type ScimGroup, visibleGroups } from "./store.ts";

const groupId = sql<string>`g.group_id`;
const createdAt = sql<number>`g.created_at`;
const changedAt = sql<number>`coalesce(g.updated_at, g.created_at)`;

/** Lists the groups of a connection. The database evaluates every filter, so members are never read for it. */
export const groupSource = (db: Db, connection: Connection, withMembers: boolean): Source => ({
  from: sql`groups g`,
  visible: visibleGroups(connection),
  id: groupId,
  sorts: { displayName: sql<string>`g.name_key`, "meta.created": createdAt, "meta.lastModified": changedAt },
  conditionOf: (leaf) => conditionOf(connection, leaf),
  load: async (ids) => {
    const groups = await findGroups(db, connection, ids);
    if (withMembers) refuseTooMany(groups);
    const digests = withMembers ? await digestsOfMembers(db, connection, ids) : null;
    return groups.map((group) => groupResource(group, connection, digests && (digests.get(group.groupId) ?? "")));
  },
});

/** Members that are the same for every group. A search of all types tells the types apart by them (RFC 7644 §3.4.2.1). */
const OF_EVERY_GROUP = { schemas: [GROUP], meta: { resourceType: "Group" } };

/** The limit of members of all groups on one page of a list. */
const MAX_LISTED_MEMBERS = 20_000;

/** Refuses too many members before any of them is read. */
function refuseTooMany(groups: readonly ScimGroup[]): void {
  if (groups.reduce((sum, { memberCount }) => sum + memberCount, 0) > MAX_LISTED_MEMBERS)
    throw scimError("tooMany", "These groups have too many members for one list: ask for fewer, or with excludedAttributes=members");
}

function conditionOf(connection: Connection, leaf: Leaf): Condition {
  const path = spell(leaf.path);
  const { realm } = connection;
  if (leaf.is === "element") {
    const { of } = leaf;
    if (of.is === "compare" && of.by === "eq" && of.path.attribute.name === "value") return hasMember(realm, of.value);
    throw invalidFilter("members can be filtered only by `value eq`");
  }
  const by = leaf.is === "present" ? "pr" : leaf.by;
  const value = leaf.is === "present" ? null : leaf.value;
  switch (path) {
    case "displayName":
      return textCondition(sql`g.name_key`, by, value, loginKey);
    case "externalId":
      return textCondition(externalIdOf("group", connection, groupId), by, value, String, (exact) =>
        narrow(hasExternalId("group", connection, groupId, exact)),
      );
    case "id":
      if (by === "eq") return isId(String(value)) ? narrow(sql<boolean>`g.group_id = ${value}::uuid`) : never;
      return textCondition(sql`g.group_id::text`, by, value, String);
    case "members":
    case "members.value":
      if (by === "eq" && value !== null) return hasMember(realm, value);
      if (by === "pr")
        return wide(sql<boolean>`exists (select 1 from group_members m where m.realm_id = g.realm_id and m.group_id = g.group_id)`);
      break;
    case "schemas":
    case "meta":
    case "meta.resourceType":
      return matches(leaf, OF_EVERY_GROUP) ? always : never;
    case "meta.created":
      return timeCondition(createdAt, by, value);
    case "meta.lastModified":
      return timeCondition(changedAt, by, value);
  }
  throw invalidFilter(`groups cannot be filtered by ${path} ${by}`);
}

const hasMember = (realm: string, value: Comparable): Condition =>
  isId(String(value))
    ? narrow(sql<boolean>`g.group_id = any(array(select m.group_id from group_members m
        where m.realm_id = ${realm} and m.user_id = ${String(value)}::uuid))`)
    : never;

const ORDERED = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const;
const isOrdered = (by: string): by is keyof typeof ORDERED => by in ORDERED;
const endPattern = (text: string) => `%${likePrefix(text).slice(0, -1)}`;

function textCondition(
  column: RawBuilder<unknown>,
  by: Operator | "pr",
  value: Comparable,
  keyOf: (text: string) => string,
  equal = (key: string): Condition => narrow(sql<boolean>`${column} = ${key}`),
): Condition {
  if (by === "pr") return wide(sql<boolean>`${column} is not null`);
  if (value === null) return wide(sql<boolean>`${column} is null`);
  const key = keyOf(String(value));
  if (by === "eq") return equal(key);
  if (by === "sw") return wide(sql<boolean>`${column} like ${likePrefix(key)}`);
  if (by === "ew") return wide(sql<boolean>`${column} like ${endPattern(key)}`);
  if (by === "co") return wide(sql<boolean>`position(${key} in ${column}) > 0`);
  return wide(sql<boolean>`${column} collate "C" ${ORDERED[by as keyof typeof ORDERED]} ${key}`);
}

function timeCondition(column: RawBuilder<number>, by: Operator | "pr", value: Comparable): Condition {
  if (by === "pr") return wide(sql<boolean>`true`);
  const at = Date.parse(String(value));
  if (by === "eq") return narrow(sql<boolean>`${column} = ${at}::bigint`);
  if (isOrdered(by) && value !== null) return wide(sql<boolean>`${column} ${ORDERED[by]} ${at}::bigint`);
  throw invalidFilter(`a time cannot be compared with ${by}`);
}
