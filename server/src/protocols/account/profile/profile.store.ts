import { sql } from "kysely";
import type { Db } from "../../../platform/db/index.ts";

interface Subject {
  strategy: string;
  attribute: string | null;
}

/** The members of a user that are `sub` in tokens of this realm, or of one of its clients. */
export async function identifyingMembers(db: Db, realm: string): Promise<Set<string>> {
  const { rows } = await sql<Subject>`
    select distinct claim ->> 'strategy' as strategy, claim ->> 'attribute' as attribute
    from (
      select subject_claim as claim from realm_oidc where realm_id = ${realm}
      union all
      select settings -> 'subjectClaim' from clients where realm_id = ${realm}
    ) used where claim ->> 'strategy' in ('username', 'email', 'attribute')`.execute(db);
  return new Set(rows.map(({ strategy, attribute }) => (strategy === "attribute" ? String(attribute) : strategy)));
}
