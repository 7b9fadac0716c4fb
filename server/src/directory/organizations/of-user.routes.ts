import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { paged } from "../../platform/http/index.ts";
import { readUser } from "../users/index.ts";
import { listOrganizationsOfUser } from "./of-user.store.ts";
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
        params: Type.Object({ realm: Type.String(), userId: Type.String() }),
        querystring: MemberQuery,
        response: { 200: Type.Array(UserOrganization) },
      },
    },
    async (req, reply) => {
      const page = await req.read(async (ctx) => {
        const { userId } = await readUser(ctx, req.params.userId);
        return listOrganizationsOfUser(ctx.tx, ctx.realm, userId, req.query);
      });
      return paged(reply, page);
    },
  );
};
