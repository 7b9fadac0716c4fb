import { type RawBuilder, sql } from "kysely";
import { type Tx, translating } from "../../platform/db/index.ts";
import type { Connection } from "./call.ts";
import { scimErrors } from "./errors.ts";
import type { Sql } from "./listing/conditions.store.ts";

interface ExternalId {
  realm_id: string;
  connection: string;
  external_id: string;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    scim_user_ids: ExternalId & { user_id: string };
    scim_group_ids: ExternalId & { group_id: string };
    scim_organization_user_ids: ExternalId & { organization_id: string; user_id: string };
    scim_organization_group_ids: ExternalId & { organization_id: string; group_id: string };
  }
}

type Kind = "user" | "group";
type Key = Pick<Connection, "realm" | "name" | "organizationId">;

/** Returns the table of `externalId`s for tokens of this connection, which belong to the realm or to one organization. */
function idsOf(kind: Kind, { realm, name, organizationId }: Key) {
  const owner = organizationId === null ? "scim" : "scim_organization";
  const columns = { realm_id: realm, ...(organizationId !== null && { organization_id: organizationId }), connection: name };
  return {
    table: sql.table(`${owner}_${kind}_ids`),
    taken: `${owner}_${kind}_ids_taken`,
    id: sql.ref(`${kind}_id`),
    columns,
    where: sql.join(
      Object.entries(columns).map(([column, value]) => sql`x.${sql.ref(column)} = ${value}`),
      sql` and `,
    ),
  };
}

/** Returns the SQL for the `externalId` of the user or group with the id `row`. */
export function externalIdOf(kind: Kind, connection: Key, row: RawBuilder<unknown>): RawBuilder<string | null> {
  const { table, where, id } = idsOf(kind, connection);
  return sql<string | null>`(select x.external_id from ${table} x where ${where} and x.${id} = ${row})`;
}

export function hasExternalId(kind: Kind, connection: Key, row: RawBuilder<unknown>, externalId: string): Sql {
  const { table, where, id } = idsOf(kind, connection);
  return sql<boolean>`${row} = any(array(select x.${id} from ${table} x where ${where} and x.external_id = ${externalId}))`;
}

/** Stores an `externalId`. If another user or group of the connection has it, the constraint makes a 409. */
export async function saveExternalId(tx: Tx, kind: Kind, connection: Key, rowId: string, externalId: string | null): Promise<void> {
  const { table, taken, where, id, columns } = idsOf(kind, connection);
  if (externalId === null) {
    await sql`delete from ${table} x where ${where} and x.${id} = ${rowId}::uuid`.execute(tx);
    return;
  }
  const key = sql.join([...Object.keys(columns).map((column) => sql.ref(column)), id]);
  await translating(
    { [taken]: scimErrors.external_id_taken },
    sql`insert into ${table} (${key}, external_id) values (${sql.join([...Object.values(columns), rowId, externalId])})
      on conflict (${key}) do update set external_id = excluded.external_id`.execute(tx),
  );
}
