import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { paged } from "../../platform/http/index.ts";
import { readUser } from "../users/index.ts";
import { listGroupsOfUser } from "./of-user.store.ts";
import { UserGroup, UserGroupQuery } from "./schema.ts";

/** Mounted under /admin/realms/:realm/users. */
export const userGroupRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/:userId/groups",
    {
      config: { permission: "view-users" },
      schema: {
        summary: "List the groups of a user",
        description: "Those the user is a member of, and those above them: `direct` tells which.",
        tags: ["Users"],
        params: Type.Object({ realm: Type.String(), userId: Type.String() }),
        querystring: UserGroupQuery,
        response: { 200: Type.Array(UserGroup) },
      },
    },
    async (req, reply) => {
      const page = await req.read(async (ctx) => {
        const { userId } = await readUser(ctx, req.params.userId);
        return listGroupsOfUser(ctx.tx, ctx.realm, userId, req.query);
      });
      return paged(reply, page);
    },
  );
};
