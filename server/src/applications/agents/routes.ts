import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Ctx } from "../../platform/context.ts";
import { collectionRoutes, crudRoutes, pathParams, route, versioned } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { Agent, AgentQuery, CreateAgent, UpdateAgent } from "./schema.ts";
import * as service from "./service.ts";

const tags = ["Agents"];
const params = pathParams("id");
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;

/** Mounted under /admin/realms/:realm/agents. */
export const agentRoutes: FastifyPluginAsyncTypebox<service.AgentTools> = async (app, tools) => {
  crudRoutes(app, ["/", "/:id"], {
    ...{ tags, names: ["an agent", "agents"], readers: read, writers: write },
    itemParams: params,
    record: Agent,
    list: { query: AgentQuery, run: (ctx, _params, query) => service.searchAgents(ctx, query) },
    create: {
      description:
        "Its client gets no tokens until the agent is activated, and then tokens with `nhi` and `agent_id`. Needs every " +
        "permission of the client's service account.",
      body: CreateAgent,
      id: ({ id }) => id,
      run: (ctx, _params, body) => service.createAgent(ctx, tools, body),
    },
    read: { run: (ctx, { id }) => service.readAgent(ctx, id) },
    replace: {
      description: "An agent keeps the client that it is bound to. Needs every permission of the client's service account.",
      body: UpdateAgent,
      run: (ctx, { id }, body) => service.saveAgent(ctx, tools, id, body),
    },
    remove: {
      description: "Disables its client, which would otherwise get tokens that no longer name the agent.",
      run: (ctx, { id }) => service.removeAgent(ctx, tools, id),
    },
  });

  collectionRoutes(app, "/owner-review", {
    tags,
    record: Agent,
    list: {
      config: read,
      operationId: "listAgentsToReview",
      summary: "List agents whose review is due",
      description:
        "The longest overdue comes first. The review of an agent that lost its owner is due immediately. `reviewDueAt` follows from the realm setting `agents.reviewDays`.",
      query: ListQuery,
      run: (ctx, _params, query) => service.searchDueAgents(ctx, query),
    },
  });

  const action = (name: string, summary: string, description: string, run: (ctx: Ctx, id: string) => Promise<service.VersionedAgent>) =>
    route(app, "POST", `/:id/${name}`, {
      config: { ...write, versioned: true },
      summary,
      description,
      tags,
      params,
      response: { 200: Agent },
      handler: async (req, reply) => versioned(reply, await req.transact((ctx) => run(ctx, req.params.id))),
    });
  action(
    "activate",
    "Activate an agent",
    "The agent needs a client and an enabled owner. Needs every permission of the client's service account. Tokens from before a suspension are valid again until they expire.",
    (ctx, id) => service.activateAgent(ctx, tools, id),
  );
  action(
    "suspend",
    "Suspend an active agent",
    "Its client gets no tokens, and its existing tokens are not valid from the next request on.",
    service.suspendAgent,
  );
  action("revoke", "Revoke an agent permanently", "A revoked agent cannot be changed, only deleted.", service.revokeAgent);
  action("attest", "Attest that an agent is still needed", "Moves `reviewDueAt`.", service.attestAgent);
};
