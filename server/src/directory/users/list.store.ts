import { sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Db } from "../../platform/db/index.ts";
import { estimate, type ListOrder, type ListQuery, type Page, pageOf } from "../../platform/http/index.ts";
import { completeUsers, type PlainUser, plainUsers, type UserRow } from "./store.ts";

const order: ListOrder = {
  sorts: { username: sql.ref("users.username_key"), email: sql`coalesce(users.email_key, '')`, createdAt: sql.ref("users.created_at") },
  defaultSort: "username",
  id: sql.ref("users.user_id"),
};

/** A search without a sort comes in the order of the names that match: that is the order of the index it reads. */
const orderOfMatches: ListOrder = { sorts: { match: sql.ref("n.key") }, defaultSort: "match", id: sql.ref("n.user_id") };

export async function listUsers(db: Db, realm: string, query: ListQuery, now: number): Promise<Page<UserRow>> {
  const page = await pageOfUsers(db, realm, query);
  return { ...page, rows: await completeUsers(db, realm, page.rows, now) };
}

function pageOfUsers(db: Db, realm: string, query: ListQuery): Promise<Page<PlainUser>> {
  const { search = "" } = query;
  const all = plainUsers(db).where("users.realm_id", "=", realm);
  if (search === "") return pageOf(db, all, order, query);
  const prefix = loginKey(search);
  const count = () => countMatches(db, realm, prefix);
  if (isId(search)) {
    const ids = sql<string>`(select ${search}::uuid union all ${named(db, realm, prefix).select("n.user_id")})`;
    return pageOf(db, all.where("users.user_id", "in", ids), order, query);
  }
  if (query.sort !== undefined)
    return pageOf(db, all.where("users.user_id", "in", named(db, realm, prefix).select("n.user_id")), order, query, count);
  // Whoever matches by both names is shown once, at the first of them.
  const first = sql`least(users.username_key, users.email_key)`;
  const matches = plainUsers(db)
    .innerJoin("login_names as n", (join) => join.onRef("n.realm_id", "=", "users.realm_id").onRef("n.user_id", "=", "users.user_id"))
    .where("n.realm_id", "=", realm)
    .where(startsWith("n.key", prefix))
    .where(sql<boolean>`(n.key = ${first} or not ${startsWith(first, prefix)})`);
  // biome-ignore lint/suspicious/noExplicitAny: an aliased query no longer names its tables
  return pageOf(db, matches as any, orderOfMatches, query, count) as Promise<Page<PlainUser>>;
}

const named = (db: Db, realm: string, prefix: string) =>
  db.selectFrom("login_names as n").where("n.realm_id", "=", realm).where(startsWith("n.key", prefix));

/** The last character there is, which no name holds: between a prefix and the prefix with it lies what starts with it. */
const LAST = "\u{10FFFF}";

/** As a range, because the columns are in byte order and a kept plan cannot use an index for `like $1`. */
const startsWith = (column: string | ReturnType<typeof sql>, prefix: string) => {
  const key = typeof column === "string" ? sql.ref(column) : column;
  return sql<boolean>`(${key} >= ${prefix} and ${key} < ${prefix + LAST})`;
};

const EXACT_TOTAL = 10_000;

/** Reads names only, from their index; a user has two at most. */
async function countMatches(db: Db, realm: string, prefix: string): Promise<{ total: number; estimated: boolean }> {
  const names = named(db, realm, prefix)
    .select("n.user_id")
    .limit(2 * (EXACT_TOTAL + 1));
  const owners = db.selectFrom(names.as("names")).select("names.user_id").distinct();
  const { total } = await db
    .selectFrom(owners.as("owners"))
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  if (total <= EXACT_TOTAL) return { total, estimated: false };
  const either = sql<boolean>`(${startsWith("users.username_key", prefix)} or ${startsWith("users.email_key", prefix)})`;
  const rows = db.selectFrom("users").select("users.user_id").where("users.realm_id", "=", realm).where(either);
  return { total: Math.max(total, await estimate(rows)), estimated: true };
}
