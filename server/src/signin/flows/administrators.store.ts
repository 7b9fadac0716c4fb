import { sql } from "kysely";
import { realmAdmins } from "../../directory/roles/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { type SignInUser, type SignInUserRow, signInUserColumns, toSignInUser } from "../sessions/index.ts";

/** An administrator with what they have for signing in. */
export interface Equipped {
  readonly user: Pick<SignInUser, "email" | "attributes" | "credentials">;
  /** An enabled identity provider has an account of theirs. */
  readonly isLinked: boolean;
}

/** The enabled, unlocked holders of realm-admin. */
export async function equippedAdministrators(db: Db, realm: string, now: number): Promise<Equipped[]> {
  const { rows } = await sql<SignInUserRow & { isLinked: boolean }>`
    select ${signInUserColumns(now)}, exists (
      select 1 from identity_links l
      join identity_providers p on p.realm_id = l.realm_id and p.provider_id = l.provider_id and p.enabled
      where l.realm_id = u.realm_id and l.user_id = u.user_id) as "isLinked"
    from users u where u.realm_id = ${realm} and u.user_id = any(${await realmAdmins(db, realm)})`.execute(db);
  return rows.map((row) => ({ user: toSignInUser(row), isLinked: row.isLinked }));
}
