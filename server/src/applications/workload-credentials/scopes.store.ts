import { sql } from "kysely";
import type { Db } from "../../platform/db/index.ts";

/** Returns some of the credentials that list the scope. */
export async function credentialsListing(db: Db, realm: string, scope: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from workload_credentials
    where realm_id = ${realm} and ${scope} = any(string_to_array(scopes, ' ')) order by lower(name) limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}
