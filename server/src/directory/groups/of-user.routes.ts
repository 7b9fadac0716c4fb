import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { paged, pathParams } from "../../platform/http/index.ts";
import { searchGroupsOfUser } from "./of-user.service.ts";
import { UserGroup, UserGroupQuery } from "./schema.ts";

/** Mounted under /admin/realms/:realm/users. */
export const userGroupRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/:userId/groups",
    {
      config: { permission: "view-users" },
      schema: {
        summary: "List the groups of a user",
        description: "Those the user is a member of, and those above them: `direct` says which.",
        tags: ["Users"],
        params: pathParams("userId"),
        querystring: UserGroupQuery,
        response: { 200: Type.Array(UserGroup) },
      },
    },
    async (req, reply) => {
      return paged(reply, await req.read((ctx) => searchGroupsOfUser(ctx, req.params.userId, req.query)));
    },
  );
};
