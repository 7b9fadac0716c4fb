import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, noContent, noContentAnswer, pathParams } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { Session } from "./schema.ts";
import { readSession, revokeSession, searchSessions } from "./service.ts";

const tags = ["Sessions"];

/** Mounted under /admin/realms/:realm/sessions. */
export const sessionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/", {
    tags,
    record: Session,
    list: {
      config: { permission: "view-events" },
      summary: "List live sessions",
      description: "`search` takes a username, a user id or a session id.",
      query: ListQuery,
      run: (ctx, _params, query) => searchSessions(ctx, query),
    },
  });

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
    async (req, reply) => noContent(reply, await req.transact((ctx) => revokeSession(ctx, req.params.id))),
  );
};
