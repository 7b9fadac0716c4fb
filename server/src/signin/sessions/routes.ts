import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { noContent, noContentAnswer, paged, pathParams } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { Session } from "./schema.ts";
import { readSession, revokeSession, searchSessions } from "./service.ts";

const tags = ["Sessions"];

/** Mounted under /admin/realms/:realm/sessions. */
export const sessionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    {
      config: { permission: "view-events" },
      schema: {
        summary: "List live sessions",
        description: "`search` takes a username, a user id or a session id.",
        tags,
        querystring: ListQuery,
        response: { 200: Type.Array(Session) },
      },
    },
    async (req, reply) => paged(reply, await req.read((ctx) => searchSessions(ctx, req.query))),
  );

  app.get(
    "/:id",
    {
      config: { permission: "view-events" },
      schema: { summary: "Read a live session", tags, params: pathParams("id"), response: { 200: Session } },
    },
    (req) => req.read((ctx) => readSession(ctx, req.params.id)),
  );

  app.delete(
    "/:id",
    {
      config: { permission: "manage-events" },
      schema: {
        summary: "Revoke a session",
        tags,
        params: pathParams("id"),
        response: noContentAnswer("Revoked"),
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => revokeSession(ctx, req.params.id));
      return noContent(reply);
    },
  );
};
