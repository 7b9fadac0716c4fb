import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";

const uses = (alias: string) => sql`(settings ->> 'browserFlow' = ${alias} or settings ->> 'directGrantFlow' = ${alias})`;

/** Some of the clients that override the flow of the realm. */
export async function clientsUsingFlow(db: Db, realm: string, alias: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ client_id: string }>`select client_id from clients
    where realm_id = ${realm} and ${uses(alias)} order by client_id limit ${limit}`.execute(db);
  return rows.map(({ client_id }) => client_id);
}

/** Their ETag changes with it. */
export async function renameFlowOfClients(tx: Tx, realm: string, from: string, to: string, now: number): Promise<void> {
  const renamed = (member: string) => sql`case when settings ->> ${sql.lit(member)} = ${from}
    then jsonb_build_object(${sql.lit(member)}, ${to}::text) else '{}'::jsonb end`;
  await sql`update clients set settings = settings || ${renamed("browserFlow")} || ${renamed("directGrantFlow")},
      updated_at = ${now}, version = version + 1
    where realm_id = ${realm} and ${uses(from)}`.execute(tx);
}
