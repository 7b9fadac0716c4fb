import { type RawBuilder, sql } from "kysely";
import { startsWith } from "../../platform/db/index.ts";

// The kinds of names by which a search finds users.
export const LOGIN_NAME = 0;
export const FIRST_NAME = 1;
export const LAST_NAME = 2;

/** The expression of the index `users_by_first_name` or `users_by_last_name`: one name of a person, followed by the other. */
const personName = (first: string, second: string): RawBuilder<string> => {
  const [one, other] = [sql.lit(first), sql.lit(second)];
  return sql<string>`(name_key((users.attributes ->> ${one}) || coalesce(' ' || (users.attributes ->> ${other}), '')) collate "C")`;
};
const byFirstName = personName("firstName", "lastName");
const byLastName = personName("lastName", "firstName");

/** Every name of every user. It has no conditions of its own, so that Postgres merges the indexes in the order of the keys for any query. */
export const allNames = sql<{ realm_id: string; key: string; user_id: string; kind: number }>`(
  select login_names.realm_id, login_names.key, login_names.user_id, ${sql.lit(LOGIN_NAME)} as kind from login_names
  union all select users.realm_id, ${byFirstName}, users.user_id, ${sql.lit(FIRST_NAME)} from users
  union all select users.realm_id, ${byLastName}, users.user_id, ${sql.lit(LAST_NAME)} from users)`;

/**
 * Lists a user who matches by several names once, at the first of them. `coalesce` hides the comparison from Postgres, which would expect it to
 * leave a single row, and read all users for it; `offset` keeps Postgres from computing the names anew for each use.
 */
export function isFirstMatch(prefix: string): RawBuilder<boolean> {
  const keys = ["users.username_key", "users.email_key", "person.by_first", "person.by_last"];
  const matching = keys.map((key) => sql`case when ${startsWith(key, prefix)} then ${sql.ref(key)} end`);
  return sql<boolean>`coalesce((
    select (split_part(n.key, chr(1), 1), n.kind) = (own.first, case when own.first in (users.username_key, users.email_key)
      then ${sql.lit(LOGIN_NAME)} when own.first = own.by_first then ${sql.lit(FIRST_NAME)} else ${sql.lit(LAST_NAME)} end)
    from (select least(${sql.join(matching)}) as first, person.by_first
      from (select ${byFirstName} as by_first, ${byLastName} as by_last offset 0) person offset 0) own), false)`;
}

/** The first of the user's names that begins with the prefix; null if none does. */
export const firstMatch = (prefix: string): RawBuilder<string | null> =>
  sql<string | null>`(select min(own.key) from (values (users.username_key), (users.email_key), (${byFirstName}), (${byLastName})) own (key)
    where ${startsWith("own.key", prefix)})`;

const ownKeys = ["users.username_key", "users.email_key", byFirstName, byLastName];

export const matchesByAny = (prefix: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(
    ownKeys.map((key) => startsWith(key, prefix)),
    sql` or `,
  )})`;
