import { type RawBuilder, sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { startsWith } from "../../platform/db/index.ts";

/** The ids of the users who sign in by a name that begins so, or who have that id. For lists of users that belong to something. */
export const usersNamed = (realm: string, search: string): RawBuilder<string> =>
  sql<string>`(select n.user_id from login_names n where n.realm_id = ${realm} and ${startsWith("n.key", loginKey(search))}
    ${isId(search) ? sql`union select ${search}::uuid` : sql``})`;
