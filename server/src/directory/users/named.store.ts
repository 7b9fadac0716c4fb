import { type SelectQueryBuilder, sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, startsWith, type Tables } from "../../platform/db/index.ts";
import { countUpTo, type ListOrder, type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import { fewToSort } from "./list.filters.store.ts";
import { allNames, isFirstMatch, matchesByAny } from "./list.names.store.ts";

/** The order of a list of members of a group or an organization, joined to `users`. */
export const orderOfJoined = (table: "group_members" | "organization_members", { sort }: ListQuery): ListOrder => ({
  sorts: { username: sql.ref("users.username_key"), joinedAt: sql.ref(`${table}.joined_at`) },
  defaultSort: "username",
  // The id comes from the table whose index is read: otherwise Postgres reads the index from its beginning for each page.
  id: sql.ref(sort?.endsWith("joinedAt") ? `${table}.user_id` : "users.user_id"),
});

/**
 * Returns a page of rows, joined to `users`, whose user has a name that begins with `search`, as in the list of users, or has it as id; `userId` is the
 * column of the user. Few such users are found first: Postgres would otherwise walk over all rows in the hope of meeting them soon. Where there are many,
 * a walk does meet them soon. It follows the names that match, because the order of all usernames may begin far from them, or the sort of the request.
 */
export async function pageOfNamed<TB extends keyof Tables, Row>(
  db: Db,
  realm: string,
  { all, userId }: { readonly all: SelectQueryBuilder<Tables, TB, Row>; readonly userId: string },
  order: ListOrder,
  query: ListQuery & { readonly search: string },
): Promise<Page<Row>> {
  const { search, sort } = query;
  const id = sql.ref(userId);
  const prefix = loginKey(search);
  const named = sql`n.realm_id = ${realm} and ${startsWith("n.key", prefix)}`;
  const ids = sql`select n.user_id from ${allNames} n where ${named}${isId(search) ? sql` union select ${search}::uuid` : sql``}`;
  const few = fewToSort(sort);
  const { rows } = await sql<{ users: number }>`select count(*)::int as users from (${ids} limit ${few + 1}) found`.execute(db);
  if (rows[0]!.users <= few) return pageOf(db, all.where(sql<boolean>`${id} = any(array(${ids}))`), order, query);
  const count = () => countUpTo(db, all.where(sql<boolean>`${id} in (${ids})`));
  if (sort === undefined && order.defaultSort === "username") {
    const belongs = all.clearSelect().select(sql`true`.as("there")).where(sql<boolean>`${id} = n.user_id`).limit(sql<number>`1`);
    const matches = db
      .selectFrom("users")
      .innerJoin(allNames.as("n"), (join) => join.onRef("n.user_id", "=", "users.user_id"))
      .select("n.user_id")
      .where("users.realm_id", "=", realm)
      .where(sql<boolean>`${named} and ${isFirstMatch(prefix)} and coalesce((${belongs}), false)`);
    // biome-ignore lint/suspicious/noExplicitAny: an aliased query no longer names its tables
    const page = await pageOf(db, matches as any, orderOfMatches, query, count);
    const found = (page.rows as { user_id: string }[]).map(({ user_id }) => user_id);
    const shown = (await all.select(id.as("__id")).where(sql<boolean>`${id} = any(${found}::uuid[])`).execute()) as (Row & {
      __id: string;
    })[];
    const byId = new Map(shown.map(({ __id, ...row }) => [__id, row as Row]));
    return { ...page, rows: found.flatMap((one) => byId.get(one) ?? []) };
  }
  const isNamed = sql<boolean>`coalesce((select ${matchesByAny(prefix)}), false)`;
  return pageOf(db, all.where(isNamed), order, query, count);
}

const orderOfMatches = listOrder("match", { match: "n.key" }, "n.user_id");
