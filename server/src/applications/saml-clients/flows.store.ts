import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";

const uses = (alias: string) => sql`settings #>> '{options,browserFlow}' = ${alias}`;

/** Some of the SAML clients that use their own flow. */
export async function samlClientsUsingFlow(db: Db, realm: string, alias: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ entity_id: string }>`select entity_id from saml_clients
    where realm_id = ${realm} and ${uses(alias)} order by entity_id limit ${limit}`.execute(db);
  return rows.map(({ entity_id }) => entity_id);
}

/** Their ETag changes with it. */
export async function renameFlowOfSamlClients(tx: Tx, realm: string, from: string, to: string, now: number): Promise<void> {
  await sql`update saml_clients set settings = jsonb_set(settings, '{options,browserFlow}', to_jsonb(${to}::text)),
      updated_at = ${now}, version = version + 1
    where realm_id = ${realm} and ${uses(from)}`.execute(tx);
}
