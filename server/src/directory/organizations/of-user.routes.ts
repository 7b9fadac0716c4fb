import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { paged, pathParams } from "../../platform/http/index.ts";
import { searchOrganizationsOfUser } from "./of-user.service.ts";
import { MemberQuery, UserOrganization } from "./schema.ts";

/** Mounted under /admin/realms/:realm/users. */
export const userOrganizationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/:userId/organizations",
    {
      config: { permission: "view-users" },
      schema: {
        summary: "List the organizations of a user",
        description: "Memberships in organizations are always direct.",
        tags: ["Users"],
        params: pathParams("userId"),
        querystring: MemberQuery,
        response: { 200: Type.Array(UserOrganization) },
      },
    },
    async (req, reply) => {
      return paged(reply, await req.read((ctx) => searchOrganizationsOfUser(ctx, req.params.userId, req.query)));
    },
  );
};
