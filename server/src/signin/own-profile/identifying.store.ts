import { sql } from "kysely";
import { findAttributeUses } from "../../applications/attribute-uses/index.ts";
import { suppliedMembers } from "../../federation/index.ts";
import type { Db } from "../../platform/db/index.ts";

/** Returns username and email address, if they are `sub` in tokens of this realm, or of one of its clients. */
async function identifyingNames(db: Db, realm: string): Promise<string[]> {
  const { rows } = await sql<{ strategy: string }>`
    select distinct claim ->> 'strategy' as strategy
    from (
      select subject_claim as claim from realm_oidc where realm_id = ${realm}
      union all
      select settings -> 'subjectClaim' from clients where realm_id = ${realm}
    ) used where claim ->> 'strategy' in ('username', 'email')`.execute(db);
  return rows.map(({ strategy }) => strategy);
}

/** Returns the members by which others know users or decide about them. Users who chose these freely could pose as another. */
export async function identifyingMembers(db: Db, realm: string): Promise<ReadonlySet<string>> {
  const uses = await findAttributeUses(db, realm);
  return new Set([...(await identifyingNames(db, realm)), ...uses.map(({ attribute }) => attribute)]);
}

/**
 * Returns the members that this user may not change, whatever the realm allows: the identifying ones, and those that a scheme such as eIDAS
 * has supplied.
 */
export async function fixedMembersOf(db: Db, realm: string, userId: string): Promise<ReadonlySet<string>> {
  return new Set([...(await identifyingMembers(db, realm)), ...(await suppliedMembers(db, realm, userId))]);
}
