import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import { pathParams, route, versioned } from "../../platform/http/index.ts";
import { AddRequiredAction, ReplaceRequiredActions, RequiredActions } from "./required-actions.schema.ts";
import { readRequiredActions, requireAction, setRequiredActions, type VersionedActions } from "./required-actions.service.ts";

const tags = ["Users"];
const params = pathParams("userId");
const response = { 200: RequiredActions };
const write = { permission: "manage-users" } as const;

/** Mounted under /admin/realms/:realm/users. */
export const requiredActionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  route(app, "GET", "/:userId/required-actions", {
    config: { permission: "view-users" },
    summary: "List a user's required actions",
    description: "Not paged: there are few, and their order matters.",
    tags,
    params,
    response,
    handler: async (req, reply) => answer(reply, await req.read((ctx) => readRequiredActions(ctx, req.params.userId))),
  });

  route(app, "PUT", "/:userId/required-actions", {
    config: { ...write, writesRecord: true },
    summary: "Replace a user's required actions",
    tags,
    params,
    body: ReplaceRequiredActions,
    response,
    handler: async (req, reply) => {
      const actions = "requiredActions" in req.body ? req.body.requiredActions : req.body;
      return answer(reply, await req.transact((ctx) => setRequiredActions(ctx, req.params.userId, actions)));
    },
  });

  route(app, "POST", "/:userId/required-actions", {
    config: write,
    summary: "Add a required action to a user",
    tags,
    params,
    body: AddRequiredAction,
    response,
    handler: async (req, reply) => answer(reply, await req.transact((ctx) => requireAction(ctx, req.params.userId, req.body.action))),
  });
};

function answer(reply: FastifyReply, { actions, version }: VersionedActions) {
  return versioned(reply, actions, version);
}
