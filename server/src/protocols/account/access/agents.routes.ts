import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { Agent, attestOwnAgent, readOwnAgents, suspendOwnAgent } from "../../../applications/agents/index.ts";
import { callRoute, pathParams, route, versioned } from "../../../platform/http/index.ts";
import { accountErrors } from "../errors.ts";

const params = pathParams("id");
const write = { impersonated: false } as const;

/** Refuses applications, even with the scope for everything else: only the user in person answers for their agents. */
function assertInPerson({ accessToken }: FastifyRequest): void {
  if (accessToken !== null) throw accountErrors.in_person();
}

/** Mounted under /realms/:realm/account/agents: the agents that a user answers for. */
export const ownAgentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  callRoute(app, "GET", "/", {
    config: { impersonated: true },
    operationId: "listAccountAgents",
    summary: "List the agents that you are responsible for",
    answer: Type.Array(Agent),
    read: async (ctx) => (await readOwnAgents(ctx)).map(({ version: _version, ...agent }) => agent),
  });

  route(app, "POST", "/:id/attest", {
    config: write,
    operationId: "attestAccountAgent",
    summary: "Confirm that one of your agents is still needed",
    description: "Moves `reviewDueAt`. Needs your own session.",
    params,
    response: { 200: Agent },
    handler: async (req, reply) => {
      assertInPerson(req);
      return versioned(reply, await req.transact((ctx) => attestOwnAgent(ctx, req.params.id)));
    },
  });

  route(app, "POST", "/:id/suspend", {
    config: write,
    operationId: "suspendAccountAgent",
    summary: "Suspend one of your agents",
    description: "Its tokens are not valid from the next request on. Only an administrator can activate it again.",
    params,
    response: { 200: Agent },
    handler: async (req, reply) => versioned(reply, await req.transact((ctx) => suspendOwnAgent(ctx, req.params.id))),
  });
};
