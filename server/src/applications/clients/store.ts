import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { isId, newId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import {
  type Db,
  deleteRows,
  findRow,
  insertReturning,
  nameStartsWith,
  nextVersion,
  type Tx,
  translating,
  updateReturning,
  updateRows,
} from "../../platform/db/index.ts";
import { listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { clientErrors } from "./errors.ts";
import type { ClientQuery, StoredClient } from "./schema.ts";
import type { SealedSecrets } from "./secrets.ts";
import { completeSettings } from "./settings.ts";

interface ClientsTable {
  realm_id: string;
  id: string;
  client_id: string;
  client_key: string;
  name: string | null;
  enabled: boolean;
  public_client: boolean;
  secret: string | null;
  previous_secret: string | null;
  previous_secret_until: number | null;
  settings: ColumnType<Partial<StoredClient>, string, string>;
  allowed_resources: ColumnType<string[], string | undefined, string>;
  registration_hash: string | null;
  previous_registration_hash: ColumnType<string | null, string | null | undefined, string | null>;
  created_at: number;
  updated_at: number;
  version: Generated<number>;
  token_epoch: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    clients: ClientsTable;
  }
}

/** A client row. Its secrets stay encrypted. */
export interface ClientRow {
  readonly realmId: string;
  readonly id: string;
  readonly clientId: string;
  readonly name: string | null;
  readonly enabled: boolean;
  readonly publicClient: boolean;
  /** The agent to which it belongs. Null if there is none. */
  readonly agentId: string | null;
  readonly stored: StoredClient;
  readonly allowedResources: readonly string[];
  readonly registrationHash: string | null;
  readonly previousRegistrationHash: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
  readonly sealed: SealedSecrets;
}

const columns = [
  "realm_id",
  "id",
  "client_id",
  "name",
  "enabled",
  "public_client",
  "secret",
  "previous_secret",
  "previous_secret_until",
  "settings",
  "allowed_resources",
  "registration_hash",
  "previous_registration_hash",
  "created_at",
  "updated_at",
  "version",
] as const;
/** Selects the agent to which a client belongs. */
export const agentId = sql<string | null>`(select a.id from agents a where a.realm_id = clients.realm_id and a.client_id = clients.id)`.as(
  "agent_id",
);
const selected = [...columns, agentId] as const;
export type ClientColumns = Pick<Selectable<ClientsTable>, (typeof columns)[number]> & { readonly agent_id: string | null };

const order = listOrder("clientId", { clientId: "client_key", createdAt: "created_at" }, "id");

const ofRealm = (db: Db, realm: string) => db.selectFrom("clients").select(selected).where("realm_id", "=", realm);

export async function listClients(db: Db, realm: string, query: ClientQuery): Promise<Page<ClientRow>> {
  const { search, enabled, publicClient } = query;
  const base = ofRealm(db, realm)
    .$if(enabled !== undefined, (q) => q.where("enabled", "=", enabled!))
    .$if(publicClient !== undefined, (q) => q.where("public_client", "=", publicClient!))
    .$if(search !== undefined && search !== "", (q) =>
      q.where((eb) =>
        eb.or([
          eb("client_key", "like", likePrefix(loginKey(search!))),
          nameStartsWith("name", search!),
          ...(isId(search!) ? [eb("id", "=", search!)] : []),
        ]),
      ),
    );
  return mapPage(await pageOf(db, base, order, query), toClient);
}

/** `isHeld`: until commit. Grants, tokens and roles refer to it, and being made they need not wait. */
export async function findClient(db: Db, realm: string, id: string, isHeld = false): Promise<ClientRow | null> {
  const found = ofRealm(db, realm).where("id", "=", id);
  const row = await found.$if(isHeld, (q) => q.forNoKeyUpdate()).executeTakeFirst();
  return row ? toClient(row) : null;
}

export async function findClients(db: Db, realm: string, ids: readonly string[]): Promise<ClientRow[]> {
  if (ids.length === 0) return [];
  const rows = await ofRealm(db, realm).where("id", "in", ids).execute();
  return rows.map(toClient);
}

export async function findClientByClientId(db: Db, realm: string, clientId: string): Promise<ClientRow | null> {
  const row = await findRow(db, "clients", selected, { realm_id: realm, client_id: clientId });
  return row ? toClient(row) : null;
}

export interface ClientState {
  readonly name: string | null;
  readonly enabled: boolean;
  readonly publicClient: boolean;
  readonly stored: StoredClient;
}

const columnsOf = (state: ClientState) => ({
  name: state.name,
  enabled: state.enabled,
  public_client: state.publicClient,
  settings: JSON.stringify(state.stored),
});

export async function insertClient(
  tx: Tx,
  realm: string,
  state: ClientState & { readonly clientId: string; readonly registrationHash: string | null },
  seal: (id: string) => string | null,
  now: number,
): Promise<ClientRow> {
  const id = newId();
  const row = {
    realm_id: realm,
    id,
    client_id: state.clientId,
    client_key: loginKey(state.clientId),
    ...columnsOf(state),
    secret: seal(id),
    registration_hash: state.registrationHash,
    created_at: now,
    updated_at: now,
    token_epoch: now,
  };
  const inserted = insertReturning(tx, "clients", row, selected);
  return toClient(await translating({ clients_client_id_taken: clientErrors.client_id_taken }, inserted));
}

export interface ClientChange {
  readonly state?: ClientState;
  readonly sealed?: SealedSecrets;
  readonly allowedResources?: readonly string[];
  /** True if its registration access token ends. */
  readonly endsRegistration?: boolean;
}

/** Updates a client. It is called even without a change, if something that belongs to the client changed, so that its ETag changes. */
export async function updateClient(tx: Tx, realm: string, id: string, change: ClientChange, now: number): Promise<ClientRow> {
  const changed = {
    ...(change.state && columnsOf(change.state)),
    // Its tokens from before it was disabled do not count again when it is enabled.
    ...(change.state?.enabled === false && { token_epoch: sql<number>`case when enabled then ${now}::bigint else token_epoch end` }),
    ...change.sealed,
    ...(change.allowedResources && { allowed_resources: JSON.stringify(change.allowedResources) }),
    ...(change.endsRegistration && { registration_hash: null, previous_registration_hash: null }),
    updated_at: now,
    version: nextVersion,
  };
  return toClient(await updateReturning(tx, "clients", { realm_id: realm, id }, changed, selected));
}

/**
 * Stores a new registration access token. The presented one works until the new one is used. If two requests found the client in the same
 * state, only one gets true. Locks the client until commit.
 */
export async function exchangeRegistrationHash(
  tx: Tx,
  { realmId, id, registrationHash }: ClientRow,
  presented: string,
  next: string,
): Promise<boolean> {
  if (registrationHash === null) return false;
  const key = { realm_id: realmId, id, registration_hash: registrationHash };
  return updateRows(tx, "clients", key, { registration_hash: next, previous_registration_hash: presented });
}

/** Ends the previous registration access token, because the current one was used. */
export async function forgetPreviousRegistrationHash(db: Db, { realmId, id, registrationHash }: ClientRow): Promise<void> {
  await db
    .updateTable("clients")
    .set({ previous_registration_hash: null })
    .where("realm_id", "=", realmId)
    .where("id", "=", id)
    .where("registration_hash", "=", registrationHash)
    .where("previous_registration_hash", "is not", null)
    .execute();
}

/** Deletes a client. Its roles, mappers, grants and tokens are deleted with it. */
export async function deleteClient(tx: Tx, realm: string, id: string): Promise<void> {
  await deleteRows(tx, "clients", { realm_id: realm, id });
}

/** Deletes former secrets after their overlap. */
export async function forgetPreviousClientSecrets(db: Db, now: number): Promise<void> {
  await sql`update clients set previous_secret = null, previous_secret_until = null where previous_secret_until <= ${now}`.execute(db);
}

export const toClient = (row: ClientColumns): ClientRow => ({
  realmId: row.realm_id,
  id: row.id,
  clientId: row.client_id,
  name: row.name,
  enabled: row.enabled,
  publicClient: row.public_client,
  agentId: row.agent_id,
  stored: completeSettings(row.settings, row.public_client),
  allowedResources: row.allowed_resources,
  registrationHash: row.registration_hash,
  previousRegistrationHash: row.previous_registration_hash,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
  sealed: { secret: row.secret, previous_secret: row.previous_secret, previous_secret_until: row.previous_secret_until },
});

const uses = (alias: string) => sql`(settings ->> 'browserFlow' = ${alias} or settings ->> 'directGrantFlow' = ${alias})`;

/** Returns some of the clients that override the flow of the realm. */
export async function clientsUsingFlow(db: Db, realm: string, alias: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ client_id: string }>`select client_id from clients
    where realm_id = ${realm} and ${uses(alias)} order by client_id limit ${limit}`.execute(db);
  return rows.map(({ client_id }) => client_id);
}

/** Renames a flow in the clients that use it. Their ETag changes. */
export async function renameFlowOfClients(tx: Tx, realm: string, from: string, to: string, now: number): Promise<void> {
  const renamed = (member: string) => sql`case when settings ->> ${sql.lit(member)} = ${from}
    then jsonb_build_object(${sql.lit(member)}, ${to}::text) else '{}'::jsonb end`;
  await sql`update clients set settings = settings || ${renamed("browserFlow")} || ${renamed("directGrantFlow")},
      updated_at = ${now}, version = version + 1
    where realm_id = ${realm} and ${uses(from)}`.execute(tx);
}
