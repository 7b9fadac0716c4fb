import { DAY } from "../../kernel/clock.ts";
import { AppError, type FieldError, invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { LISTING } from "../../kernel/lists.ts";
import { type Ctx, type DomainEvents, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { readSettings, type Settings } from "../../tenancy/settings/index.ts";
import { inUse } from "../client-scopes/index.ts";
import * as clients from "../clients/index.ts";
import { agentErrors } from "./errors.ts";
import type { Agent, AgentQuery, AgentStatus, CreateAgent, UpdateAgent } from "./schema.ts";
import * as store from "./store.ts";

/** Returns when an agent that was activated or attested at `since` has to be reviewed, and when it is suspended without a review. */
function reviewTimes({ reviewDays, suspendOverdueAfterDays }: Settings["agents"], since: number) {
  const reviewDueAt = since + reviewDays * DAY;
  return { reviewDueAt, suspendAt: suspendOverdueAfterDays === null ? null : reviewDueAt + suspendOverdueAfterDays * DAY };
}

export interface AgentTools {
  readonly baseUrl: string;
}

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** A client was bound to an agent. Users consented to the client and not to an agent, so its grants and consents end. */
    "agent.bound": { readonly clientId: string };
  }
}

export type VersionedAgent = Agent & { readonly version: number };

/** Returns the agent for the admin API and its owner. */
export const shownAgent = ({ client: _client, ...agent }: store.AgentRow): VersionedAgent => agent;

const shownPage = ({ rows, ...page }: Page<store.AgentRow>): Page<VersionedAgent> => ({ ...page, rows: rows.map(shownAgent) });

export const searchAgents = async (ctx: ReadCtx, query: AgentQuery): Promise<Page<VersionedAgent>> =>
  shownPage(await store.listAgents(ctx.tx, ctx.realm, query));

/** Lists the agents that are due for review by their owner, or by an administrator if there is no owner. */
export const searchDueAgents = async (ctx: ReadCtx, query: ListQuery): Promise<Page<VersionedAgent>> =>
  shownPage(await store.listDueAgents(ctx.tx, ctx.realm, query, ctx.now));

async function agentOf(ctx: ReadCtx, id: string, isHeld: boolean): Promise<store.AgentRow> {
  const agent = isId(id) ? await store.findAgent(ctx.tx, ctx.realm, id, isHeld) : null;
  if (!agent) throw agentErrors.not_found();
  return agent;
}

export const readAgent = async (ctx: ReadCtx, id: string): Promise<VersionedAgent> => shownAgent(await agentOf(ctx, id, false));

/** For a change: held until commit. The version (`If-Match`) is checked last. */
export const takeAgent = (ctx: Ctx, id: string): Promise<store.AgentRow> => agentOf(ctx, id, true);

export async function createAgent(ctx: Ctx, tools: AgentTools, input: CreateAgent): Promise<VersionedAgent> {
  const client = await clientNamed(ctx, input.clientId ?? null);
  const state = await checked(ctx, input, client, []);
  if (client) await assertMayDirect(ctx, tools, client);
  const id = await store.insertAgent(ctx.tx, ctx.realm, state, ctx.now);
  if (client) await ctx.emit("agent.bound", { clientId: client.clientId });
  await recordConfigChange(ctx, "ADMIN_CREATE", "agents", id, state.name);
  return readAgent(ctx, id);
}

export async function saveAgent(ctx: Ctx, tools: AgentTools, id: string, input: UpdateAgent): Promise<VersionedAgent> {
  const current = await takeAgent(ctx, id);
  const client = await clientNamed(ctx, input.clientId ?? null);
  const state = await checked(ctx, input, client, current.scopes);
  // `lastUsedAt` and `reviewDueAt` may have changed since the client read them.
  refuseReadOnly(current, input, ["id", "realmId", "status", "createdAt", "activatedAt", "lastReviewedAt"]);
  await assertMayDirectAll(ctx, tools, current, client);
  expectVersion(ctx, current.version);
  if (current.status === "REVOKED") throw refusedIn(current.status);
  // Without its agent the client would stay usable, and nothing would mark it as an agent's.
  if (current.client !== null && state.client !== current.client) throw agentErrors.bound();
  if (current.status === "ACTIVE") await assertOwned(ctx, state.ownerUserId);
  await store.updateAgent(ctx.tx, ctx.realm, current.id, { state });
  if (client && current.client === null) await ctx.emit("agent.bound", { clientId: client.clientId });
  await recordConfigChange(ctx, "ADMIN_UPDATE", "agents", current.id, state.name);
  return readAgent(ctx, current.id);
}

/** Deletes an agent and disables its client, which would otherwise stay usable without the mark of an agent. */
export async function removeAgent(ctx: Ctx, tools: AgentTools, id: string): Promise<void> {
  const current = await takeAgent(ctx, id);
  await assertMayDirectAll(ctx, tools, current, null);
  expectVersion(ctx, current.version);
  if (current.client !== null) await clients.disableClient(ctx, current.client, "its agent was deleted");
  await store.deleteAgent(ctx.tx, ctx.realm, current.id);
  await recordConfigChange(ctx, "ADMIN_DELETE", "agents", current.id, current.name);
}

/** The allowed transitions: CREATED → ACTIVE ⇄ SUSPENDED, any → REVOKED. Any other is a 409. */
const MOVES: Readonly<Record<Exclude<AgentStatus, "CREATED">, readonly AgentStatus[]>> = {
  ACTIVE: ["CREATED", "SUSPENDED"],
  SUSPENDED: ["ACTIVE"],
  REVOKED: ["CREATED", "ACTIVE", "SUSPENDED"],
};
const movesFrom = (status: AgentStatus) => Object.entries(MOVES).flatMap(([to, from]) => (from.includes(status) ? [to] : []));

function refusedIn(status: AgentStatus): AppError {
  const { code, status: answer } = agentErrors.state();
  const next = movesFrom(status);
  const moves = next.length > 0 ? `it can become ${next.join(" or ")}` : "it stays so";
  return new AppError(code, answer, `The agent is ${status}, which does not allow this; ${moves}`);
}

const EVENTS = { ACTIVE: "AGENT_ACTIVATED", SUSPENDED: "AGENT_SUSPENDED", REVOKED: "AGENT_REVOKED" } as const;

/** Changes the status. It takes effect on the next request of every node, because each token check reads whether the agent is active. */
export async function moveAgent(ctx: Ctx, agent: store.AgentRow, status: keyof typeof MOVES, detail = agent.name): Promise<VersionedAgent> {
  expectVersion(ctx, agent.version);
  if (!MOVES[status].includes(agent.status)) throw refusedIn(agent.status);
  const { settings } = await readSettings(ctx.tx, ctx.realm);
  const activated = { activatedAt: ctx.now, review: reviewTimes(settings.agents, ctx.now) };
  await store.updateAgent(ctx.tx, ctx.realm, agent.id, { status, ...(status === "ACTIVE" && activated) });
  await ctx.configChanged();
  ctx.audit({ category: "SECURITY", type: EVENTS[status], resourceType: "agents", resourceId: agent.id, detail });
  return readAgent(ctx, agent.id);
}

export async function activateAgent(ctx: Ctx, tools: AgentTools, id: string): Promise<VersionedAgent> {
  const agent = await takeAgent(ctx, id);
  await assertMayDirectAll(ctx, tools, agent, null);
  expectVersion(ctx, agent.version);
  if (!MOVES.ACTIVE.includes(agent.status)) throw refusedIn(agent.status);
  if (agent.client === null) throw agentErrors.no_client();
  if (agent.expiresAt !== null && agent.expiresAt <= ctx.now) throw agentErrors.expired();
  await assertOwned(ctx, agent.ownerUserId);
  return moveAgent(ctx, agent, "ACTIVE");
}

/** Refuses an agent without an enabled owner, because a user is responsible for every active agent. */
async function assertOwned(ctx: Ctx, ownerUserId: string | null): Promise<void> {
  const owner = ownerUserId === null ? null : await store.holdOwner(ctx.tx, ctx.realm, ownerUserId);
  if (!owner?.enabled) throw agentErrors.no_owner();
}

export const suspendAgent = async (ctx: Ctx, id: string): Promise<VersionedAgent> => moveAgent(ctx, await takeAgent(ctx, id), "SUSPENDED");
export const revokeAgent = async (ctx: Ctx, id: string): Promise<VersionedAgent> => moveAgent(ctx, await takeAgent(ctx, id), "REVOKED");

/** Records that its owner, or an administrator, confirms that the agent is still needed, with no more rights than needed. */
export async function attest(ctx: Ctx, agent: store.AgentRow): Promise<VersionedAgent> {
  expectVersion(ctx, agent.version);
  if (agent.status !== "ACTIVE" && agent.status !== "SUSPENDED") throw refusedIn(agent.status);
  const { settings } = await readSettings(ctx.tx, ctx.realm);
  const review = reviewTimes(settings.agents, ctx.now);
  await store.updateAgent(ctx.tx, ctx.realm, agent.id, { lastReviewedAt: ctx.now, review });
  ctx.audit({ category: "SECURITY", type: "AGENT_ATTESTED", resourceType: "agents", resourceId: agent.id, detail: agent.name });
  return readAgent(ctx, agent.id);
}

export const attestAgent = async (ctx: Ctx, id: string): Promise<VersionedAgent> => attest(ctx, await takeAgent(ctx, id));

/** Checks the escalation rule, because to bind, activate or edit an agent directs its client. */
async function assertMayDirect(ctx: Ctx, { baseUrl }: AgentTools, client: clients.ClientRow): Promise<void> {
  await clients.assertMayControlClient(ctx, client.id);
  clients.assertMayReachAdministrators(ctx, baseUrl, client);
}

async function assertMayDirectAll(
  ctx: Ctx,
  tools: AgentTools,
  { client: bound }: store.AgentRow,
  next: clients.ClientRow | null,
): Promise<void> {
  if (bound !== null) await assertMayDirect(ctx, tools, await clients.readClient(ctx, bound));
  if (next !== null && next.id !== bound) await assertMayDirect(ctx, tools, next);
}

async function clientNamed(ctx: Ctx, clientId: string | null): Promise<clients.ClientRow | null> {
  if (clientId === null) return null;
  const client = await clients.findClientByClientId(ctx.tx, ctx.realm, clientId);
  if (!client) throw invalidFields([{ field: "clientId", code: "unknown", message: "clientId: there is no client with this client id" }]);
  return client;
}

/** Returns the complete state of the agent in a request, after its rules were checked. */
async function checked(
  ctx: Ctx,
  input: CreateAgent | UpdateAgent,
  client: clients.ClientRow | null,
  scopesBefore: readonly string[],
): Promise<store.AgentState> {
  const { name, description = null, ownerUserId = null, scopes = [], expiresAt = null } = input;
  const errors: FieldError[] = [...(await clients.unknownScopes(ctx, scopes, scopesBefore))];
  if (client?.publicClient)
    errors.push({ field: "clientId", code: "public", message: "clientId is a public client, which cannot authenticate as the agent" });
  if (ownerUserId !== null && !(await store.holdOwner(ctx.tx, ctx.realm, ownerUserId)))
    errors.push({ field: "ownerUserId", code: "unknown", message: "ownerUserId: there is no such user in this realm" });
  if (errors.length > 0) throw invalidFields(errors);
  return { name, description, ownerUserId, scopes, expiresAt, client: client?.id ?? null };
}

// Owners see, attest and suspend their agents. Only administrators activate one or give it more rights.

export const readOwnAgents = async ({ tx, realm, actor }: ReadCtx): Promise<VersionedAgent[]> =>
  (await store.agentsOfOwner(tx, realm, actor.id)).map(shownAgent);

async function takeOwnAgent(ctx: Ctx, id: string): Promise<store.AgentRow> {
  const agent = await takeAgent(ctx, id);
  if (agent.ownerUserId !== ctx.actor.id) throw agentErrors.not_found();
  return agent;
}

export const attestOwnAgent = async (ctx: Ctx, id: string): Promise<VersionedAgent> => attest(ctx, await takeOwnAgent(ctx, id));
export const suspendOwnAgent = async (ctx: Ctx, id: string): Promise<VersionedAgent> =>
  moveAgent(ctx, await takeOwnAgent(ctx, id), "SUSPENDED", "by its owner");

async function suspendAll(ctx: Ctx, userId: string, detail: string): Promise<void> {
  const suspended = await store.suspendAgents(ctx.tx, ctx.realm, userId);
  for (const id of suspended) ctx.audit({ category: "SECURITY", type: "AGENT_SUSPENDED", resourceType: "agents", resourceId: id, detail });
  if (suspended.length > 0) await ctx.configChanged();
}

/** Suspends the agents of a user on `user.disabled`, because they have no responsible owner any more. */
export const suspendAgentsOf = (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> =>
  suspendAll(ctx, userId, "its owner was disabled");

/** Suspends the agents of a user on `user.deleted` and `user.erased`, and removes them as the owner. */
export async function orphanAgentsOf(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  await suspendAll(ctx, userId, "its owner was deleted");
  await store.forgetOwner(ctx.tx, ctx.realm, userId);
}

/** Unbinds the agent of a client on `client.deleting`. It waits for another client, and for an administrator who activates it again. */
export async function loseClient(ctx: Ctx, { id: client }: { readonly id: string }): Promise<void> {
  const agent = await store.unbindAgent(ctx.tx, ctx.realm, client);
  if (agent?.wasActive) {
    const detail = "its client was deleted";
    ctx.audit({ category: "SECURITY", type: "AGENT_SUSPENDED", resourceType: "agents", resourceId: agent.id, detail });
  }
}

/** Refuses on `client_scope.deleting` to delete a scope that agents list. */
export async function keepListedByAgents(ctx: Ctx, { name }: DomainEvents["client_scope.deleting"]): Promise<void> {
  const listing = await store.agentsListing(ctx.tx, ctx.realm, name, LISTING);
  if (listing.length > 0) throw inUse("Agents", listing);
}

/** Moves the review dates on `settings.changed`. */
export async function moveReviewDates(
  ctx: Ctx,
  { before, settings }: { readonly before: Settings; readonly settings: Settings },
): Promise<void> {
  if (JSON.stringify(before.agents) !== JSON.stringify(settings.agents)) await store.moveReviews(ctx.tx, ctx.realm, settings.agents);
}
