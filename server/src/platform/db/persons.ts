import { type RawBuilder, sql } from "kysely";

/** The members of stored requests, sign-ins in progress and JWTs that can name a user, in lower case. Others name clients, scopes or texts. */
const personMembers: ReadonlySet<string> = new Set([
  ...["login_hint", "loginhint", "login", "username", "preferred_username", "upn"],
  ...["email", "mail", "nameid", "sub", "subject", "userid", "user_id", "accountid"],
]);
export const isPersonMember = (member: string): boolean => personMembers.has(member.toLowerCase());

/**
 * The ids and names to search for. An id is unique, so it names the user anywhere; a name counts only in a member that can name a user. Letter case makes no
 * difference.
 */
export interface PersonNames {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

const members = [...personMembers].map((member) => `@.key == "${member}"`).join(" || ");
const path = sql.lit(`$.** ? (@ == $ids[*] || (@.type() == "object" && exists (@.keyvalue() ? (${members}).value.** ? (@ == $names[*]))))`);

/** Tells whether a JSON column names a user. */
export function namesPersonIn(column: string, { ids, names }: PersonNames): RawBuilder<boolean> {
  const known = JSON.stringify({ ids, names }).toLowerCase();
  return sql<boolean>`jsonb_path_exists(lower(${sql.ref(column)}::text)::jsonb, ${path}::jsonpath, ${known}::text::jsonb, true)`;
}
