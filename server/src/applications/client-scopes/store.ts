import { type Generated, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import {
  type Db,
  deleteRows,
  insertReturning,
  nameStartsWith,
  nextVersion,
  type Tx,
  translating,
  updateReturning,
} from "../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import { scopeErrors } from "./errors.ts";
import type { ClientScope } from "./schema.ts";

interface ClientScopesTable {
  realm_id: string;
  scope_id: string;
  name: string;
  description: string | null;
  consent_text: string | null;
  assignment: ClientScope["assignment"];
  built_in: Generated<boolean>;
  created_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    client_scopes: ClientScopesTable;
  }
}

export interface ClientScopeRow extends ClientScope {
  readonly version: number;
}

type ScopeState = Pick<ClientScope, "description" | "consentText" | "assignment">;

const claims = sql<ClientScope["claims"]>`coalesce((
  select json_agg(json_build_object('claimId', m.claim_id, 'name', m.name) order by m.name_key)
  from client_scope_claims a join claim_mappers m on m.realm_id = a.realm_id and m.claim_id = a.claim_id
  where a.realm_id = client_scopes.realm_id and a.scope_id = client_scopes.scope_id), '[]')`.as("claims");
const columns = [
  "realm_id as realmId",
  "scope_id as scopeId",
  "name",
  "description",
  "consent_text as consentText",
  "assignment",
  "built_in as builtIn",
  claims,
  "created_at as createdAt",
  "version",
] as const;

const order = listOrder("name", { name: "name", createdAt: "created_at" }, "scope_id");

const ofRealm = (db: Db, realm: string) => db.selectFrom("client_scopes").select(columns).where("realm_id", "=", realm);

export async function listScopes(db: Db, realm: string, query: ListQuery): Promise<Page<ClientScopeRow>> {
  const { search } = query;
  const base = ofRealm(db, realm).$if(search !== undefined && search !== "", (q) =>
    q.where((eb) => eb.or([nameStartsWith("name", search!), eb(sql`scope_id::text`, "=", search!.toLowerCase())])),
  );
  return pageOf(db, base, order, query);
}

/** `isHeld`: until commit, for a change. */
export async function findScope(db: Db, realm: string, scopeId: string, isHeld = false): Promise<ClientScopeRow | null> {
  const found = ofRealm(db, realm).where("scope_id", "=", scopeId);
  return (await found.$if(isHeld, (q) => q.forUpdate()).executeTakeFirst()) ?? null;
}

/** Returns the existing scopes among `names`, and locks them against deletion until commit, for clients that will list them. */
export async function shareScopes(tx: Tx, realm: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from client_scopes
    where realm_id = ${realm} and name = any(${[...names]}::text[]) for key share`.execute(tx);
  return rows.map(({ name }) => name);
}

const columnsOf = ({ description, consentText, assignment }: ScopeState) => ({ description, consent_text: consentText, assignment });

export async function insertScope(tx: Tx, realm: string, name: string, state: ScopeState, now: number): Promise<ClientScopeRow> {
  const row = { realm_id: realm, scope_id: newId(), name, ...columnsOf(state), created_at: now };
  return translating({ client_scopes_name_taken: scopeErrors.name_taken }, insertReturning(tx, "client_scopes", row, columns));
}

export async function updateScope(tx: Tx, realm: string, scopeId: string, state?: ScopeState): Promise<ClientScopeRow> {
  const change = { ...(state && columnsOf(state)), version: nextVersion };
  return updateReturning(tx, "client_scopes", { realm_id: realm, scope_id: scopeId }, change, columns);
}

export async function deleteScope(tx: Tx, realm: string, scopeId: string): Promise<void> {
  await deleteRows(tx, "client_scopes", { realm_id: realm, scope_id: scopeId });
}

/** Returns some of the clients that list the scope. */
export async function clientsListing(db: Db, realm: string, scope: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ client_id: string }>`select client_id from clients
    where realm_id = ${realm} and (jsonb_exists(settings -> 'scopes', ${scope}) or jsonb_exists(settings -> 'resourceScopes', ${scope})) order by client_id limit ${limit}`.execute(
    db,
  );
  return rows.map(({ client_id }) => client_id);
}

/** Attaches a claim. Returns true if it was not attached before. */
export async function attachClaim(tx: Tx, realm: string, scopeId: string, claimId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("client_scope_claims")
    .values({ realm_id: realm, scope_id: scopeId, claim_id: claimId })
    .onConflict((clash) => clash.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Detaches a claim. Returns true if it was attached. */
export async function detachClaim(tx: Tx, realm: string, scopeId: string, claimId: string): Promise<boolean> {
  return deleteRows(tx, "client_scope_claims", { realm_id: realm, scope_id: scopeId, claim_id: claimId });
}
