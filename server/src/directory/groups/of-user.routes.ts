import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, pathParams } from "../../platform/http/index.ts";
import { searchGroupsOfUser } from "./of-user.service.ts";
import { UserGroup, UserGroupQuery } from "./schema.ts";

/** Mounted under /admin/realms/:realm/users. */
export const userGroupRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/:userId/groups", {
    tags: ["Users"],
    params: pathParams("userId"),
    record: UserGroup,
    list: {
      config: { permission: "view-users" },
      summary: "List the groups of a user",
      description: "Returns the groups of which the user is a member, and the groups above them. `direct` distinguishes them.",
      query: UserGroupQuery,
      run: (ctx, { userId }, query) => searchGroupsOfUser(ctx, userId, query),
    },
  });
};
