import { type ColumnType, type Generated, sql } from "kysely";
import { DAY } from "../../kernel/clock.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { type Db, deleteRows, insertRow, nameStartsWith, nextVersion, type Tx, translating, updateRows } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { agentErrors } from "./errors.ts";
import type { Agent, AgentQuery, AgentStatus } from "./schema.ts";

type Written = ColumnType<number | null, number | null | undefined, number | null>;

interface AgentsTable {
  realm_id: string;
  id: string;
  name: string;
  description: string | null;
  owner_user_id: string | null;
  client_id: string | null;
  scopes: ColumnType<string[], string, string>;
  status: AgentStatus;
  created_at: number;
  activated_at: Written;
  expires_at: number | null;
  last_used_at: Written;
  last_reviewed_at: Written;
  review_due_at: Written;
  suspend_at: Written;
  reminded_at: Written;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    agents: AgentsTable;
  }
}

export interface AgentRow extends Agent {
  /** The client's `id`. */
  readonly client: string | null;
  readonly version: number;
}

const columns = [
  "realm_id as realmId",
  "id",
  "name",
  "description",
  "owner_user_id as ownerUserId",
  "client_id as client",
  "scopes",
  "status",
  "created_at as createdAt",
  "activated_at as activatedAt",
  "expires_at as expiresAt",
  "last_used_at as lastUsedAt",
  "last_reviewed_at as lastReviewedAt",
  "review_due_at as reviewDueAt",
  "version",
] as const;
/** The OAuth client id. */
const clientName = sql<string | null>`(select c.client_id from clients c where c.realm_id = agents.realm_id and c.id = agents.client_id)`;

const agents = (db: Db, realm: string) =>
  db.selectFrom("agents").select(columns).select(clientName.as("clientId")).where("realm_id", "=", realm);

const order = listOrder("name", { name: sql`lower(name)`, createdAt: "created_at" }, "id");

export async function listAgents(db: Db, realm: string, query: AgentQuery): Promise<Page<AgentRow>> {
  const { search, status, ownerUserId } = query;
  const base = agents(db, realm)
    .$if(status !== undefined, (q) => q.where("status", "=", status!))
    .$if(ownerUserId !== undefined, (q) => q.where("owner_user_id", "=", ownerUserId!))
    .$if(search !== undefined && search !== "", (q) =>
      q.where((eb) =>
        eb.or([nameStartsWith("name", search!), ...(isId(search!) ? [eb("id", "=", search!), eb("owner_user_id", "=", search!)] : [])]),
      ),
    );
  return pageOf(db, base, order, query);
}

const dueOrder = listOrder("reviewDueAt", { reviewDueAt: "review_due_at" }, "id");

/** Lists the agents that are due, the longest overdue first. */
export async function listDueAgents(db: Db, realm: string, query: ListQuery, now: number): Promise<Page<AgentRow>> {
  const base = agents(db, realm).where("status", "in", ["ACTIVE", "SUSPENDED"]).where("review_due_at", "<=", now);
  return pageOf(db, base, dueOrder, query);
}

/** More agents than any user owns. */
const MANY = 1_000;

export const agentsOfOwner = (db: Db, realm: string, userId: string): Promise<AgentRow[]> =>
  agents(db, realm).where("owner_user_id", "=", userId).orderBy(sql`lower(name)`).limit(MANY).execute();

/** `isHeld`: until commit, for a change. */
export async function findAgent(db: Db, realm: string, id: string, isHeld = false): Promise<AgentRow | null> {
  const found = agents(db, realm).where("id", "=", id);
  return (await found.$if(isHeld, (q) => q.forUpdate()).executeTakeFirst()) ?? null;
}

export type AgentState = Pick<AgentRow, "name" | "description" | "ownerUserId" | "client" | "scopes" | "expiresAt">;

const columnsOf = (state: AgentState) => ({
  name: state.name,
  description: state.description,
  owner_user_id: state.ownerUserId,
  client_id: state.client,
  scopes: JSON.stringify(state.scopes),
  expires_at: state.expiresAt,
});

const taken = { agents_name_taken: agentErrors.name_taken, agents_client_taken: agentErrors.client_taken };

export async function insertAgent(tx: Tx, realm: string, state: AgentState, now: number): Promise<string> {
  const id = newId();
  const row = { realm_id: realm, id, ...columnsOf(state), status: "CREATED" as const, created_at: now };
  await translating(taken, insertRow(tx, "agents", row));
  return id;
}

export interface AgentChange {
  readonly state?: AgentState;
  readonly status?: AgentStatus;
  readonly activatedAt?: number;
  readonly lastReviewedAt?: number;
  /** Set after a review or an activation. The reminder of the next review can then be sent again. */
  readonly review?: { readonly reviewDueAt: number; readonly suspendAt: number | null };
}

export async function updateAgent(tx: Tx, realm: string, id: string, change: AgentChange): Promise<void> {
  const { state, status, activatedAt, lastReviewedAt, review } = change;
  await translating(
    taken,
    updateRows(
      tx,
      "agents",
      { realm_id: realm, id },
      {
        ...(state && columnsOf(state)),
        ...(status && { status }),
        ...(activatedAt !== undefined && { activated_at: activatedAt }),
        ...(lastReviewedAt !== undefined && { last_reviewed_at: lastReviewedAt }),
        ...(review && { review_due_at: review.reviewDueAt, suspend_at: review.suspendAt, reminded_at: null }),
        version: nextVersion,
      },
    ),
  );
}

/**
 * Suspends the agents of an owner. Agents without an owner come first in the review, because they are due since they were activated.
 * Returns the ids of the agents that were active.
 */
export async function suspendAgents(tx: Tx, realm: string, owner: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update agents set status = 'SUSPENDED', review_due_at = least(review_due_at, activated_at), version = version + 1
    where realm_id = ${realm} and owner_user_id = ${owner} and status = 'ACTIVE' returning id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Removes a deleted owner. Agents that were suspended before have no owner to attest them either. */
export async function forgetOwner(tx: Tx, realm: string, owner: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update agents set owner_user_id = null, review_due_at = least(review_due_at, activated_at), version = version + 1
    where realm_id = ${realm} and owner_user_id = ${owner}`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Unbinds the agent of a client that is about to be deleted. */
export async function unbindAgent(tx: Tx, realm: string, client: string): Promise<{ id: string; name: string; wasActive: boolean } | null> {
  const { rows } = await sql<{ id: string; name: string; wasActive: boolean }>`
    update agents set client_id = null, status = case when agents.status = 'ACTIVE' then 'SUSPENDED' else agents.status end, version = version + 1
    from (select id, status from agents where realm_id = ${realm} and client_id = ${client} for update) before
    where agents.realm_id = ${realm} and agents.id = before.id
    returning agents.id, agents.name, before.status = 'ACTIVE' as "wasActive"`.execute(tx);
  return rows[0] ?? null;
}

/** Returns some of the agents that list the scope. A revoked agent cannot be changed any more, and needs no scope. */
export async function agentsListing(db: Db, realm: string, scope: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from agents
    where realm_id = ${realm} and status <> 'REVOKED' and jsonb_exists(scopes, ${scope}) order by lower(name) limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}

export async function deleteAgent(tx: Tx, realm: string, id: string): Promise<void> {
  await deleteRows(tx, "agents", { realm_id: realm, id });
}

/** Moves the review dates of active agents to the realm's settings. Suspended agents keep theirs until they are attested or activated. */
export async function moveReviews(tx: Tx, realm: string, { reviewDays, suspendOverdueAfterDays }: Settings["agents"]): Promise<void> {
  const due = sql`greatest(activated_at, coalesce(last_reviewed_at, 0)) + ${reviewDays * DAY}::bigint`;
  const grace = suspendOverdueAfterDays === null ? null : suspendOverdueAfterDays * DAY;
  await sql`update agents set review_due_at = ${due}, suspend_at = ${due} + ${grace}::bigint
    where realm_id = ${realm} and status = 'ACTIVE'
      and (review_due_at, suspend_at) is distinct from (${due}, ${due} + ${grace}::bigint)`.execute(tx);
}

/** The batch size of the job that reminds owners. */
const BATCH = 100;

export interface DueAgent {
  readonly realm: string;
  readonly id: string;
}

export const agentsToRemind = async (db: Db, now: number): Promise<DueAgent[]> =>
  (
    await sql<DueAgent>`select realm_id as realm, id from agents where status = 'ACTIVE' and reminded_at is null and review_due_at <= ${now}
      order by review_due_at limit ${BATCH}`.execute(db)
  ).rows;

export const agentsToSuspend = async (db: Db, now: number): Promise<DueAgent[]> =>
  (
    await sql<DueAgent>`select realm_id as realm, id from agents where status = 'ACTIVE' and suspend_at is not null and suspend_at <= ${now}
      order by suspend_at limit ${BATCH}`.execute(db)
  ).rows;

/** Marks that the owner was reminded. Returns false if the agent was attested, suspended or reminded meanwhile. */
export async function markReminded(tx: Tx, { realm, id }: DueAgent, now: number): Promise<boolean> {
  const { numAffectedRows } = await sql`update agents set reminded_at = ${now}
    where realm_id = ${realm} and id = ${id} and status = 'ACTIVE' and reminded_at is null and review_due_at <= ${now}`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}

export interface AgentUse {
  readonly realm: string;
  /** The agent's id. */
  readonly agent: string;
  readonly at: number;
}

/**
 * Records the use of agents, every few seconds with the activity of clients. The rows are ordered, so that two nodes cannot deadlock.
 * Version and ETag do not change.
 */
export async function noteAgentUse(db: Db, uses: readonly AgentUse[]): Promise<void> {
  await sql`
    with used as (
      select a.realm_id, a.id, t.at from json_to_recordset(${JSON.stringify(uses)}::text::json) as t (realm text, agent uuid, at bigint)
      join agents a on a.realm_id = t.realm and a.id = t.agent order by a.realm_id, a.id for no key update of a
    )
    update agents set last_used_at = greatest(agents.last_used_at, used.at) from used
    where agents.realm_id = used.realm_id and agents.id = used.id`.execute(db);
}

/**
 * Reads the owner and locks them until commit: a request that disables the user at the same time then suspends the agents that this
 * transaction activates. Returns null if there is no such user.
 */
export async function holdOwner(tx: Tx, realm: string, userId: string): Promise<{ readonly enabled: boolean } | null> {
  const { rows } = await sql<{ enabled: boolean }>`
    select enabled from users where realm_id = ${realm} and user_id = ${userId} for share`.execute(tx);
  return rows[0] ?? null;
}

/** Finds the agent of a client, as pages name it, with its owner. */
export async function findShownAgent(
  db: Db,
  realm: string,
  id: string,
): Promise<{ readonly name: string; readonly owner: string | null } | null> {
  const { rows } = await sql<{ name: string; owner: string | null }>`
    select a.name, (select u.username from users u where u.realm_id = a.realm_id and u.user_id = a.owner_user_id) as owner
    from agents a where a.realm_id = ${realm} and a.id = ${id}`.execute(db);
  return rows[0] ?? null;
}
