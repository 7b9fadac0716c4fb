import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { noContent, noContentAnswer, paged, pathParams } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { logOutUser, revokeSessionsOfUser, searchSessionsOfUser } from "./of-user.service.ts";
import { Session } from "./schema.ts";

const tags = ["Users"];
const params = pathParams("userId");
const write = { permission: "manage-users", versioned: false } as const;

/** Mounted under /admin/realms/:realm/users. */
export const userSessionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/:userId/sessions",
    {
      config: { permission: "view-users" },
      schema: {
        summary: "List a user's live sessions",
        tags,
        params,
        querystring: ListQuery,
        response: { 200: Type.Array(Session) },
      },
    },
    async (req, reply) => {
      const page = await req.read((ctx) => searchSessionsOfUser(ctx, req.params.userId, req.query));
      return paged(reply, page);
    },
  );

  app.delete(
    "/:userId/sessions",
    {
      config: write,
      schema: {
        summary: "End all sessions of a user",
        description:
          "Ends the grants of those sessions, and sends back-channel logout to the clients that took part. Offline access goes on: " +
          "`POST …/logout` ends that, too.",
        tags,
        params,
        response: noContentAnswer("Ended"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => revokeSessionsOfUser(ctx, req.params.userId))),
  );

  app.post(
    "/:userId/logout",
    {
      config: write,
      schema: {
        summary: "Sign a user out everywhere",
        description: "Ends all sessions, as `DELETE …/sessions` does, and every grant that lives without one (`offline_access`).",
        tags,
        params,
        response: noContentAnswer("Signed out"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => logOutUser(ctx, req.params.userId))),
  );
};
