import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { agentErrors } from "./errors.ts";
import { attest, moveAgent, shownAgent, takeAgent, type VersionedAgent } from "./service.ts";
import { type AgentRow, agentsOfOwner, forgetOwner, moveReviews, suspendAgents, unbindAgent } from "./store.ts";

// Owners see, attest and suspend their agents. They never activate or widen one: that takes an administrator.

export const readOwnAgents = async ({ tx, realm, actor }: ReadCtx): Promise<VersionedAgent[]> =>
  (await agentsOfOwner(tx, realm, actor.id)).map(shownAgent);

async function takeOwnAgent(ctx: Ctx, id: string): Promise<AgentRow> {
  const agent = await takeAgent(ctx, id);
  if (agent.ownerUserId !== ctx.actor.id) throw agentErrors.not_found();
  return agent;
}

export const attestOwnAgent = async (ctx: Ctx, id: string): Promise<VersionedAgent> => attest(ctx, await takeOwnAgent(ctx, id));
export const suspendOwnAgent = async (ctx: Ctx, id: string): Promise<VersionedAgent> =>
  moveAgent(ctx, await takeOwnAgent(ctx, id), "SUSPENDED", "by its owner");

async function suspendAll(ctx: Ctx, userId: string, detail: string): Promise<void> {
  const suspended = await suspendAgents(ctx.tx, ctx.realm, userId);
  for (const id of suspended) ctx.audit({ category: "SECURITY", type: "AGENT_SUSPENDED", resourceType: "agents", resourceId: id, detail });
  if (suspended.length > 0) await ctx.configChanged();
}

/** `user.disabled`: no user answers for their agents. */
export const suspendAgentsOf = (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> =>
  suspendAll(ctx, userId, "its owner was disabled");

/** `user.deleted` and `user.erased`: the agents forget their owner. */
export async function orphanAgentsOf(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  await suspendAll(ctx, userId, "its owner was deleted");
  await forgetOwner(ctx.tx, ctx.realm, userId);
}

/** `client.deleting`: the agent waits for another client, and for an administrator who activates it again. */
export async function loseClient(ctx: Ctx, { id: client }: { readonly id: string }): Promise<void> {
  const agent = await unbindAgent(ctx.tx, ctx.realm, client);
  if (agent?.wasActive) {
    const detail = "its client was deleted";
    ctx.audit({ category: "SECURITY", type: "AGENT_SUSPENDED", resourceType: "agents", resourceId: agent.id, detail });
  }
}

/** `settings.changed` */
export async function moveReviewDates(
  ctx: Ctx,
  { before, settings }: { readonly before: Settings; readonly settings: Settings },
): Promise<void> {
  if (JSON.stringify(before.agents) !== JSON.stringify(settings.agents)) await moveReviews(ctx.tx, ctx.realm, settings.agents);
}
