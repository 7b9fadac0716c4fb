import { sql } from "kysely";
import type { Tx } from "../../platform/db/index.ts";

interface ClientOfRealm {
  readonly realm: string;
  readonly clientId: string;
}

/** The service providers that take logout requests over SOAP, of several realms perhaps: like the snapshot's answer for each, in one statement. */
export async function withBackChannelLogout(tx: Tx, clients: readonly ClientOfRealm[]): Promise<ClientOfRealm[]> {
  const { rows } = await sql<ClientOfRealm>`
    select c.realm_id as realm, c.entity_id as "clientId"
    from json_to_recordset(${JSON.stringify(clients)}::text::json) as p (realm text, "clientId" text)
    join saml_clients c on c.realm_id = p.realm and c.entity_id = p."clientId"
    join realm_settings s on s.realm_id = c.realm_id
    where c.enabled
      and coalesce((c.settings #>> '{options,backChannelSloEnabled}')::boolean, (s.settings #>> '{saml,backChannelSloEnabled}')::boolean, false)
      and (c.settings ->> 'singleLogoutServiceUrl' is not null or c.settings #> '{options,sloEndpoints}' @> '[{"binding":"soap"}]')`.execute(
    tx,
  );
  return rows;
}
