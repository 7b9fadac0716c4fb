import { sql } from "kysely";
import { isId } from "../../../kernel/ids.ts";
import { loginKey } from "../../../kernel/text.ts";
import { type Db, startsWith } from "../../../platform/db/index.ts";
import type { Connection } from "../call.ts";
import { hasExternalId } from "../external-ids.store.ts";
import type { Comparable, Filter, Operator } from "../filter/parser.ts";
import { always, type Condition, candidates, type Leaf, narrow, never, type Sql, wide } from "../listing/conditions.store.ts";
import type { Source } from "../listing/source.store.ts";
import { spell } from "../schema/paths.ts";
import { resourceOf } from "./mapping.ts";
import { findUsers, visibleUsers } from "./store.ts";

const changedAt = sql<number>`coalesce(u.updated_at, u.created_at)`;
const createdAt = sql<number>`u.created_at`;
const usernameKey = sql<string>`u.username_key`;

/** Lists the users of a connection. Indexes serve filters by userName, id, externalId, addresses, groups and times. */
export const userSource = (db: Db, connection: Connection): Source => ({
  from: sql`users u`,
  visible: visibleUsers(connection),
  id: sql<string>`u.user_id`,
  sorts: {
    userName: usernameKey,
    "meta.created": createdAt,
    "meta.lastModified": changedAt,
    emails: sql<string>`coalesce(u.email_key, '')`,
    "emails.value": sql<string>`coalesce(u.email_key, '')`,
  },
  conditionOf: (leaf) => conditionOf(connection, leaf),
  load: async (ids) => (await findUsers(db, connection, ids)).map((user) => resourceOf(user, connection)),
});

/** Returns the condition of a leaf, or null if the database cannot evaluate it. */
function conditionOf(connection: Connection, leaf: Leaf): Condition | null {
  const path = spell(leaf.path);
  if (leaf.is === "present") return ALWAYS_PRESENT.has(path) ? always : null;
  if (leaf.is === "element") {
    const address = path === "emails" ? equalValue(leaf.of) : undefined;
    return address === undefined ? null : candidates(hasAddress(connection, address));
  }
  const { by, value } = leaf;
  if (value === null) return null;
  if (value === "" && by === "eq") return never;
  switch (path) {
    case "userName":
      return byUsername(by, loginKey(String(value)));
    case "id":
      return by === "eq" ? (isId(String(value)) ? narrow(sql<boolean>`u.user_id = ${value}::uuid`) : never) : null;
    case "externalId":
      return by === "eq" ? narrow(hasExternalId("user", connection, sql`u.user_id`, String(value))) : null;
    case "active":
      return by === "eq" ? wide(sql<boolean>`u.enabled = ${value}`) : null;
    case "emails":
    case "emails.value":
      return by === "eq" ? candidates(hasAddress(connection, String(value))) : null;
    case "groups":
    case "groups.value":
      return by === "eq" ? (isId(String(value)) ? candidates(isMember(connection, String(value))) : never) : null;
    case "meta.created":
      return byTime(createdAt, by, value);
    case "meta.lastModified":
      return byTime(changedAt, by, value);
    default:
      return null;
  }
}

const ALWAYS_PRESENT: ReadonlySet<string> = new Set(["id", "userName", "active", "schemas", "meta", "meta.created", "meta.lastModified"]);

function byUsername(by: Operator, key: string): Condition | null {
  switch (by) {
    case "eq":
      return narrow(sql<boolean>`u.username_key = ${key}`);
    case "sw":
      return narrow(startsWith(usernameKey, key));
    case "co":
      return wide(sql<boolean>`position(${key} in u.username_key) > 0`);
    case "ew":
      return wide(sql<boolean>`right(u.username_key, length(${key})) = ${key}`);
    default:
      return null;
  }
}

const COMPARED = { eq: sql`=`, gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const;

function byTime(column: typeof changedAt, by: Operator, value: Comparable): Condition | null {
  if (!(by in COMPARED)) return null;
  return narrow(sql<boolean>`${column} ${COMPARED[by as keyof typeof COMPARED]} ${Date.parse(String(value))}::bigint`);
}

/** Selects users with this address. The index of users is on this very expression. */
const hasAddress = ({ realm }: Connection, address: string): Sql => {
  const key = loginKey(address);
  return sql<boolean>`u.user_id = any(array(
    select e.user_id from scim_user_emails e where e.realm_id = ${realm} and e.key = ${key}
    union select a.user_id from users a where a.realm_id = ${realm} and coalesce(a.email_key, '') = ${key}))`;
};

const isMember = ({ realm }: Connection, groupId: string): Sql =>
  sql<boolean>`exists (select 1 from group_members m where m.realm_id = ${realm} and m.group_id = ${groupId}::uuid and m.user_id = u.user_id)`;

/** Returns the value that the filter in brackets compares by `eq`, whatever else it compares. */
function equalValue(filter: Filter): string | undefined {
  if (filter.is === "and") return filter.parts.map(equalValue).find((each) => each !== undefined);
  if (filter.is !== "compare" || filter.by !== "eq" || filter.path.attribute.name !== "value") return undefined;
  return filter.value === null ? undefined : String(filter.value);
}
