import { sql } from "kysely";
import type { Tx } from "../../../platform/db/index.ts";

/** Which of these clients want to be told that a session has ended. */
export async function clientsToTell(tx: Tx, realm: string, clientIds: readonly string[]): Promise<string[]> {
  if (clientIds.length === 0) return [];
  const { rows } = await sql<{ client_id: string }>`
    select c.client_id from clients c
    where c.realm_id = ${realm} and c.client_id in (select json_array_elements_text(${JSON.stringify(clientIds)}::text::json))
      and c.enabled and c.settings ->> 'backchannelLogoutUri' is not null`.execute(tx);
  return rows.map((row) => row.client_id);
}
