import { type RawBuilder, sql } from "kysely";

type Operand = string | RawBuilder<unknown>;

/** The row `c` of a client whose tokens count. A caller that joins it laterally adds `limit 1`, others may add conditions. */
export const liveClient = (realm: Operand, clientId: Operand): RawBuilder<unknown> =>
  sql`select c.id from clients c where c.realm_id = ${realm} and c.client_id = ${clientId} and c.enabled`;
