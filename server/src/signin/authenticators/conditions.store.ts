import { sql } from "kysely";
import { loginKey } from "../../kernel/text.ts";
import type { Db } from "../../platform/db/index.ts";

/** Tells whether the user has one of the realm roles: directly, by a group, or inside another role. */
export async function hasRole(db: Db, realm: string, userId: string, roles: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from user_effective_roles e join roles r on r.realm_id = e.realm_id and r.role_id = e.role_id
      where e.realm_id = ${realm} and e.user_id = ${userId} and r.client_id is null
        and r.name_key = any(${roles.map(loginKey)}::text[])) as found`.execute(db);
  return rows[0]?.found ?? false;
}
