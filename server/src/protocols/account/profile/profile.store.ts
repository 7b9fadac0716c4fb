import { sql } from "kysely";
import type { Db } from "../../../platform/db/index.ts";

/** Username and email address, where they are `sub` in tokens of this realm, or of one of its clients. */
export async function identifyingNames(db: Db, realm: string): Promise<string[]> {
  const { rows } = await sql<{ strategy: string }>`
    select distinct claim ->> 'strategy' as strategy
    from (
      select subject_claim as claim from realm_oidc where realm_id = ${realm}
      union all
      select settings -> 'subjectClaim' from clients where realm_id = ${realm}
    ) used where claim ->> 'strategy' in ('username', 'email')`.execute(db);
  return rows.map(({ strategy }) => strategy);
}
