import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { callRoute, paged, pathParams, route } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { LinkedAccount } from "./links.schema.ts";
import { readLink, readLinks, removeLink } from "./links.service.ts";

const tags = ["Users"];
const list: ShortList<LinkedAccount> = {
  sorts: { alias: ({ alias }) => alias, linkedAt: ({ linkedAt }) => linkedAt },
  names: ({ alias, username }) => [alias, username],
  ids: ({ subject }) => [subject],
};

/** Mounted under /admin/realms/:realm/users. */
export const userLinkRoutes: FastifyPluginAsyncTypebox = async (app) => {
  route(app, "GET", "/:userId/linked-accounts", {
    config: { permission: "view-users" },
    summary: "List the accounts of a user at identity providers",
    tags,
    params: pathParams("userId"),
    querystring: ListQuery,
    response: { 200: Type.Array(LinkedAccount) },
    handler: async (req, reply) => paged(reply, pageInMemory(await req.read((ctx) => readLinks(ctx, req.params.userId)), list, req.query)),
  });

  callRoute(app, "GET", "/:userId/linked-accounts/:alias", {
    config: { permission: "view-users" },
    summary: "Read the account of a user at an identity provider",
    tags,
    params: pathParams("userId", "alias"),
    answer: LinkedAccount,
    read: (ctx, { params }) => readLink(ctx, params.userId, params.alias),
  });

  callRoute(app, "DELETE", "/:userId/linked-accounts/:alias", {
    config: { permission: "manage-users", versioned: true },
    summary: "Unlink a user from an identity provider",
    description:
      "Needs every permission of the user. The last way to sign in cannot be removed: set a password first. A user of this directory " +
      "becomes a local user, without a password until one is set.",
    tags,
    params: pathParams("userId", "alias"),
    done: "Unlinked",
    transact: (ctx, { params }) => removeLink(ctx, params.userId, params.alias),
  });
};
