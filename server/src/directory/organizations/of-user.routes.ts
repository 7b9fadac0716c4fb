import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, pathParams } from "../../platform/http/index.ts";
import { searchOrganizationsOfUser } from "./of-user.service.ts";
import { MemberQuery, UserOrganization } from "./schema.ts";

/** Mounted under /admin/realms/:realm/users. */
export const userOrganizationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/:userId/organizations", {
    tags: ["Users"],
    params: pathParams("userId"),
    record: UserOrganization,
    list: {
      config: { permission: "view-users" },
      summary: "List the organizations of a user",
      description: "Memberships in organizations are always direct.",
      query: MemberQuery,
      run: (ctx, { userId }, query) => searchOrganizationsOfUser(ctx, userId, query),
    },
  });
};
