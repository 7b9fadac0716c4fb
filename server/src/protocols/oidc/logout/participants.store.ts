import { sql } from "kysely";
import type { Db, Tx } from "../../../platform/db/index.ts";
import type { ClientOfRealm } from "../../../signin/sessions/index.ts";

/** Returns the clients that have a back-channel logout URI. */
export async function withBackchannelUri(tx: Tx, clients: readonly ClientOfRealm[]): Promise<ClientOfRealm[]> {
  const { rows } = await sql<ClientOfRealm>`
    select c.realm_id as realm, c.client_id as "clientId"
    from json_to_recordset(${JSON.stringify(clients)}::text::json) as p (realm text, "clientId" text)
    join clients c on c.realm_id = p.realm and c.client_id = p."clientId"
    where c.enabled and c.settings ->> 'backchannelLogoutUri' is not null`.execute(tx);
  return rows;
}

/** The limit of frames: a page with more would not load. Other clients are notified by the back channel, or find their tokens refused. */
const MAX_FRAMES = 20;

/** Finds the clients of a session with a front-channel logout URI, the latest first. */
export async function frontchannelClients(db: Db, realm: string, sessionId: string) {
  const { rows } = await sql<{ clientId: string; name: string | null; uri: string; isSessionRequired: boolean }>`
    select c.client_id as "clientId", c.name, c.settings ->> 'frontchannelLogoutUri' as uri,
      coalesce((c.settings ->> 'frontchannelLogoutSessionRequired')::boolean, false) as "isSessionRequired"
    from session_participants p join clients c on c.realm_id = p.realm_id and c.client_id = p.client_id
    where p.realm_id = ${realm} and p.session_id = ${sessionId} and p.protocol = 'oidc'
      and c.enabled and c.settings ->> 'frontchannelLogoutUri' is not null
    order by p.joined_at desc, c.client_id limit ${MAX_FRAMES}`.execute(db);
  return rows;
}
