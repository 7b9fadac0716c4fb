import { sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, startsWith } from "../../platform/db/index.ts";
import {
  countBeyond,
  countUpTo,
  EXACT_TOTAL,
  estimate,
  type ListOrder,
  listOrder,
  type Page,
  pageOf,
} from "../../platform/paging/index.ts";
import { attributeConditions } from "./list.attributes.store.ts";
import {
  amongFew,
  belongsTo,
  COMPARED,
  conditionsOf,
  FEW,
  fewest,
  fewToSort,
  type Membership,
  membershipsOf,
} from "./list.filters.store.ts";
import { allNames, FIRST_NAME, firstMatch, isFirstMatch, LAST_NAME, LOGIN_NAME, matchesByAny } from "./list.names.store.ts";
import type { UserQuery } from "./list.schema.ts";
import { completeUsers, type PlainUser, plainUsers, type UserRow, userColumns } from "./store.ts";

const order = listOrder(
  "username",
  { username: "users.username_key", email: sql`coalesce(users.email_key, '')`, createdAt: "users.created_at" },
  "users.user_id",
);

/** A search without a sort lists users in the order of the names that match, which is the order of the index that it reads. */
const orderOfMatches = listOrder("match", { match: "n.key" }, "n.user_id");

/** The members of a role, group or organization are listed by user id: this is the order of their age, and of the index. */
const orderOfMembers = listOrder("id", { id: "m.user_id" }, "m.user_id");
const orderOfIds = listOrder("id", { id: "users.user_id" }, "users.user_id");

export async function listUsers(db: Db, realm: string, query: UserQuery, now: number): Promise<Page<UserRow>> {
  const conditions = [...conditionsOf(realm, query, now), ...(await attributeConditions(db, realm, query))];
  const memberships = await membershipsOf(db, realm, query);
  if (!memberships) return { rows: [], total: 0, estimated: false, nextCursor: null };
  const page = await (memberships.length > 0
    ? pageOfMembers(db, realm, query, conditions, memberships)
    : pageOfUsers(db, realm, query, conditions));
  return { ...page, rows: await completeUsers(db, realm, page.rows, now) };
}

type Conditions = readonly ReturnType<typeof sql<boolean>>[];
const allOf = (conditions: Conditions) => sql<boolean>`(${sql.join(conditions.length > 0 ? [...conditions] : [sql`true`], sql` and `)})`;

/**
 * Returns a page of users who share the memberships. To be sorted, few members are found first. Where there are many, the list is walked in its
 * order and each user is checked, which soon fills a page. A query that is slow one way is fast the other, and Postgres may choose the wrong one.
 */
async function pageOfMembers(
  db: Db,
  realm: string,
  query: UserQuery,
  own: Conditions,
  memberships: readonly Membership[],
): Promise<Page<PlainUser>> {
  const { membership: first, users } = await fewest(db, realm, memberships);
  const searches = (query.search ?? "") !== "";
  // A name belongs to one user: that user is found first, and then the memberships are checked.
  const isOne = query.username !== undefined || query.email !== undefined;
  const few = users <= (searches ? COMPARED : FEW) && !isOne;
  const rest = [...own, ...memberships.filter((one) => one !== first).map((one) => belongsTo(realm, one))];
  const inOrder = [...rest, few ? amongFew(realm, first) : belongsTo(realm, first)];
  if (searches) return pageOfUsers(db, realm, query, inOrder, few);
  const filtered = plainUsers(db).where("users.realm_id", "=", realm).where(allOf(inOrder));
  // Among many members, the few users who are disabled, locked or created on some days are found by that condition.
  if (isOne || (users > FEW && isNarrow(query))) return pageOf(db, filtered, query.sort === undefined ? orderOfIds : order, query);
  const found = alongIndex(db, realm, first, rest);
  const count = () => countUpTo(db, rest.length === 0 ? membersAlone(db, realm, first) : found);
  return query.sort === undefined ? pageOf(db, found, orderOfMembers, query, count) : pageOf(db, filtered, order, query, count);
}

const isNarrow = ({ enabled, locked, createdFrom, createdTo }: UserQuery): boolean =>
  enabled === false || locked === true || createdFrom !== undefined || createdTo !== undefined;

type UserList = ReturnType<typeof plainUsers>;
const membersOf = (realm: string, { table, column, id }: Membership) =>
  sql<{ user_id: string }>`(select m.user_id from ${sql.table(table)} m where m.realm_id = ${realm} and m.${sql.ref(column)} = ${id})`.as(
    "m",
  );

/**
 * Walks the index of a membership, and checks the other conditions for each user. `limit` keeps Postgres from joining in another order: without
 * statistics, as for tables that were filled a moment ago, it would compare all users with each other.
 */
const alongIndex = (db: Db, realm: string, membership: Membership, rest: Conditions): UserList =>
  db
    .selectFrom(membersOf(realm, membership))
    .innerJoinLateral(
      plainUsers(db)
        .where("users.realm_id", "=", realm)
        .where(sql<boolean>`users.user_id = m.user_id`)
        .where(allOf(rest))
        .limit(sql<number>`1`)
        .as("users"),
      (join) => join.onTrue(),
    )
    .select(userColumns) as unknown as UserList;

/** Selects only the ids, for a count: the index alone has them. */
const membersAlone = (db: Db, realm: string, membership: Membership): UserList =>
  db.selectFrom(membersOf(realm, membership)).select("m.user_id") as unknown as UserList;

async function pageOfUsers(
  db: Db,
  realm: string,
  query: UserQuery,
  conditions: Conditions,
  /** True if the conditions leave few users. Undefined if that is unknown; each condition then has an index. */
  few?: boolean,
): Promise<Page<PlainUser>> {
  const { search = "" } = query;
  const all = plainUsers(db).where("users.realm_id", "=", realm).where(allOf(conditions));
  if (search === "") {
    // A range of days is listed in the order of the days.
    const days = query.createdFrom !== undefined || query.createdTo !== undefined;
    const count = query.locked === false ? () => countUnlocked(db, realm, query, all) : undefined;
    return pageOf(db, all, order, days ? { ...query, sort: query.sort ?? "createdAt" } : query, count);
  }
  const prefix = loginKey(search);
  const count = conditions.length === 0 ? () => countMatches(db, realm, prefix) : undefined;
  if (isId(search)) {
    const ids = sql<string>`(select ${search}::uuid union all ${named(db, realm, prefix)})`;
    return pageOf(db, all.where("users.user_id", "in", ids), order, query);
  }
  // If few users meet the conditions, each is compared with the prefix: many names may begin with it, and none may be theirs.
  if (few ?? (conditions.length > 0 && (await countBeyond(db, all, COMPARED)) <= COMPARED)) {
    const ids = sql`array(${all.clearSelect().select("users.user_id")})`;
    const matching = plainUsers(db).where(
      sql<boolean>`users.realm_id = ${realm} and users.user_id = any(${ids}) and ${firstMatch(prefix)} is not null`,
    );
    return pageOf(db, matching, query.sort === undefined ? orderOfFew(prefix) : order, query);
  }
  if (query.sort !== undefined) return pageOfSortedMatches(db, realm, prefix, all, query, count);
  const matches = plainUsers(db)
    .innerJoin(allNames.as("n"), (join) => join.onRef("n.user_id", "=", "users.user_id"))
    .where("users.realm_id", "=", realm)
    .where("n.realm_id", "=", realm)
    .where(startsWith("n.key", prefix))
    .where(isFirstMatch(prefix))
    .where(allOf(conditions));
  // biome-ignore lint/suspicious/noExplicitAny: an aliased query no longer names its tables
  return pageOf(db, matches as any, orderOfMatches, query, count) as Promise<Page<PlainUser>>;
}

const orderOfFew = (prefix: string): ListOrder => ({
  sorts: { match: firstMatch(prefix) },
  defaultSort: "match",
  id: sql.ref("users.user_id"),
});

/** Counts the users who are not locked. Postgres assumes that half of all users are locked; an estimate is better if it assumes none. */
async function countUnlocked(db: Db, realm: string, { locked: _, ...query }: UserQuery, unlocked: UserList) {
  const counted = await countUpTo(db, unlocked);
  if (!counted.estimated) return counted;
  const loose = plainUsers(db)
    .where("users.realm_id", "=", realm)
    .where(allOf(conditionsOf(realm, query, 0)));
  return { total: Math.max(EXACT_TOTAL + 1, await estimate(loose)), estimated: true };
}

/** Finds few matches first, too. Where there are many, it walks the list. */
async function pageOfSortedMatches(
  db: Db,
  realm: string,
  prefix: string,
  all: UserList,
  query: UserQuery,
  count: (() => ReturnType<typeof countMatches>) | undefined,
): Promise<Page<PlainUser>> {
  const ids = named(db, realm, prefix);
  const few = fewToSort(query.sort);
  const among =
    (await countBeyond(db, ids as unknown as UserList, few)) <= few
      ? sql<boolean>`users.user_id = any(array(${ids}))`
      : sql<boolean>`users.user_id in (${ids})`;
  return pageOf(db, all.where(among), order, query, count);
}

const named = (db: Db, realm: string, prefix: string) =>
  db.selectFrom(allNames.as("n")).select("n.user_id").where("n.realm_id", "=", realm).where(startsWith("n.key", prefix));

/** Reads each kind of name in the order of its index, so that Postgres uses the index. A user has one name of a kind, but two login names. */
async function countMatches(db: Db, realm: string, prefix: string): Promise<{ total: number; estimated: boolean }> {
  const names = sql.join(
    [LOGIN_NAME, FIRST_NAME, LAST_NAME].map((kind) => {
      const limit = (kind === LOGIN_NAME ? 2 : 1) * (EXACT_TOTAL + 1);
      return sql`(${named(db, realm, prefix).where("n.kind", "=", kind).orderBy("n.key").limit(limit)})`;
    }),
    sql` union all `,
  );
  const owners = db.selectFrom(sql<{ user_id: string }>`(${names})`.as("names")).select("names.user_id").distinct();
  const { total } = await db
    .selectFrom(owners.as("owners"))
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  if (total <= EXACT_TOTAL) return { total, estimated: false };
  const rows = db.selectFrom("users").select("users.user_id").where("users.realm_id", "=", realm).where(matchesByAny(prefix));
  return { total: Math.max(total, await estimate(rows)), estimated: true };
}
