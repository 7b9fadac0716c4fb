import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { callRoute, collectionRoutes, pathParams } from "../../platform/http/index.ts";
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
      description: "`search` takes the beginning of a name of the user, a user id or a session id.",
      query: ListQuery,
      run: (ctx, _params, query) => searchSessions(ctx, query),
    },
  });

  callRoute(app, "GET", "/:id", {
    config: { permission: "view-events" },
    summary: "Read a live session",
    tags,
    params: pathParams("id"),
    answer: Session,
    read: (ctx, { params }) => readSession(ctx, params.id),
  });

  callRoute(app, "DELETE", "/:id", {
    config: { permission: "manage-events" },
    summary: "Revoke a session",
    tags,
    params: pathParams("id"),
    done: "Revoked",
    transact: (ctx, { params }) => revokeSession(ctx, params.id),
  });
};
