import { type ColumnType, type Generated, sql } from "kysely";
import { type Db, deleteRows, nameStartsWith, nextVersion, type Tx, translating, updateRows } from "../../platform/db/index.ts";
import { type ListQuery, type Page, pageOf } from "../../platform/paging/index.ts";
import { authzErrors } from "./errors.ts";
import type { PolicyConfig, PolicyModel } from "./evaluator/index.ts";
import { byName, type Server } from "./store.ts";

export type EntryKind = "role" | "user" | "client" | "group" | "client-scope";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    authz_policies: {
      realm_id: string;
      client_id: string;
      name: string;
      type: PolicyModel["type"];
      logic: PolicyModel["logic"];
      decision_strategy: PolicyModel["decisionStrategy"];
      description: string | null;
      config: ColumnType<PolicyConfig, string, string>;
      created_at: number;
      version: Generated<number>;
    };
  }
}

export interface StoredEntry {
  /** Null for a user who was deleted. */
  readonly id: string | null;
  readonly required: boolean;
  readonly extendChildren: boolean;
}

export interface StoredPolicy extends Omit<PolicyModel, "entries"> {
  readonly description: string | null;
  readonly entries: readonly StoredEntry[];
  readonly createdAt: number;
  readonly version: number;
}
export type PolicyState = Omit<StoredPolicy, "createdAt" | "version">;

const entries = sql<StoredEntry[]>`coalesce((select json_agg(json_build_object('id', e.entry_id, 'required', e.required,
    'extendChildren', e.extend_children) order by e.position) from authz_policy_entries e
  where e.realm_id = authz_policies.realm_id and e.client_id = authz_policies.client_id and e.policy = authz_policies.name), '[]')`.as(
  "entries",
);
const select = [
  "name",
  "type",
  "logic",
  "decision_strategy as decisionStrategy",
  "description",
  "config",
  "created_at as createdAt",
  "version",
] as const;
const of = (db: Db, { realm, client }: Server) =>
  db
    .selectFrom("authz_policies")
    .select([...select, entries])
    .where("realm_id", "=", realm)
    .where("client_id", "=", client);

export function listPolicies(db: Db, server: Server, query: ListQuery & { readonly type?: string }): Promise<Page<StoredPolicy>> {
  const { search, type } = query;
  const base = of(db, server)
    .$if(Boolean(search), (q) => q.where(nameStartsWith("name", search!)))
    .$if(type !== undefined, (q) => q.where("type", "=", type as PolicyModel["type"]));
  return pageOf(db, base, byName, query);
}

export const findPolicy = async (db: Db, server: Server, name: string): Promise<StoredPolicy | null> =>
  (await of(db, server).where("name", "=", name).executeTakeFirst()) ?? null;

/** Returns the policies that each aggregate names, by its name, for the checks of cycles and depth. */
export async function aggregatesOf(db: Db, { realm, client }: Server): Promise<Map<string, readonly string[]>> {
  const { rows } = await sql<{ name: string; policies: string[] | null }>`select name, config -> 'policies' as policies from authz_policies
    where realm_id = ${realm} and client_id = ${client}`.execute(db);
  return new Map(rows.map(({ name, policies }) => [name, policies ?? []]));
}

export async function insertPolicy(tx: Tx, { realm, client }: Server, policy: PolicyState, now: number): Promise<void> {
  const row = { realm_id: realm, client_id: client, name: policy.name, type: policy.type, created_at: now };
  const insert = tx.insertInto("authz_policies").values({ ...row, ...columnsOf(policy) });
  await translating({ authz_policies_name_taken: authzErrors.policy_taken }, insert.execute());
  await insertEntries(tx, { realm, client }, policy);
}

const columnsOf = ({ logic, decisionStrategy, description, config }: PolicyState) => ({
  logic,
  decision_strategy: decisionStrategy,
  description,
  config: JSON.stringify(config),
});

export async function updatePolicy(tx: Tx, { realm, client }: Server, policy: PolicyState): Promise<void> {
  await updateRows(
    tx,
    "authz_policies",
    { realm_id: realm, client_id: client, name: policy.name },
    { ...columnsOf(policy), version: nextVersion },
  );
  await sql`delete from authz_policy_entries where realm_id = ${realm} and client_id = ${client} and policy = ${policy.name}`.execute(tx);
  await insertEntries(tx, { realm, client }, policy);
}

async function insertEntries(tx: Tx, { realm, client }: Server, { name, type, entries: named }: PolicyState): Promise<void> {
  if (named.length === 0) return;
  await sql`insert into authz_policy_entries (realm_id, client_id, policy, position, kind, entry_id, required, extend_children)
    select ${realm}, ${client}, ${name}, e.position, ${type}, e.id, e.required, e.extend
    from unnest(${named.map(({ id }) => id)}::uuid[], ${named.map(({ required }) => required)}::boolean[],
      ${named.map(({ extendChildren }) => extendChildren)}::boolean[]) with ordinality e(id, required, extend, position)`.execute(tx);
}

export async function deletePolicy(tx: Tx, { realm, client }: Server, name: string): Promise<void> {
  await deleteRows(tx, "authz_policies", { realm_id: realm, client_id: client, name });
}

/** Returns aggregates and permissions that name the policy. */
export async function policyUsers(db: Db, { realm, client }: Server, name: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select p.name from authz_policies p where p.realm_id = ${realm} and p.client_id = ${client} and jsonb_exists(p.config -> 'policies', ${name})
    union all
    select p.name from authz_permissions p where p.realm_id = ${realm} and p.client_id = ${client} and ${name}::text = any(p.policies)
    order by 1 limit 11`.execute(db);
  return rows.map((row) => row.name);
}

const TABLES = {
  role: ["roles", "role_id"],
  client: ["clients", "id"],
  group: ["groups", "group_id"],
  "client-scope": ["client_scopes", "scope_id"],
  user: ["users", "user_id"],
} as const satisfies Record<EntryKind, readonly [string, string]>;

/** Locks entries until commit, so that they cannot be deleted. Returns those that exist. */
export async function shareEntries(tx: Tx, realm: string, kind: EntryKind, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return lockRows(tx, realm, kind, ids, "key share");
}

async function lockRows(tx: Tx, realm: string, kind: EntryKind, ids: readonly string[], strength: string): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const [table, column] = TABLES[kind];
  const { rows } = await sql<{ id: string }>`select ${sql.ref(column)} as id from ${sql.table(table)}
    where realm_id = ${realm} and ${sql.ref(column)} = any(${[...ids]}::uuid[]) order by 1 for ${sql.raw(strength)}`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns the policies, as `client/policy`, that name one of `ids`. Locks these ids first, so that no new policy names them before they are
 * deleted.
 */
export async function policiesNaming(tx: Tx, realm: string, kind: EntryKind, ids: readonly string[]): Promise<string[]> {
  await lockRows(tx, realm, kind, ids, "update");
  const { rows } = await sql<{ name: string }>`select distinct c.client_id || '/' || e.policy as name from authz_policy_entries e
    join clients c on c.realm_id = e.realm_id and c.id = e.client_id
    where e.realm_id = ${realm} and e.kind = ${kind} and e.entry_id = any(${[...ids]}::uuid[]) order by 1 limit 11`.execute(tx);
  return rows.map(({ name }) => name);
}

/** Removes the id of a deleted user from the entries. Returns the policies with their client. */
export async function forgetUserEntries(tx: Tx, realm: string, userId: string): Promise<{ client: string; policy: string }[]> {
  const { rows } = await sql<{ client: string; policy: string }>`update authz_policy_entries set entry_id = null
    where realm_id = ${realm} and kind = 'user' and entry_id = ${userId} returning client_id as client, policy`.execute(tx);
  return rows;
}
