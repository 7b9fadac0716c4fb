import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { callRoute, collectionRoutes, pathParams } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { logOutUser, revokeSessionsOfUser, searchSessionsOfUser } from "./of-user.service.ts";
import { Session } from "./schema.ts";

const tags = ["Users"];
const params = pathParams("userId");
const write = { permission: "manage-users", versioned: false } as const;

/** Mounted under /admin/realms/:realm/users. */
export const userSessionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/:userId/sessions", {
    tags,
    params,
    record: Session,
    list: {
      config: { permission: "view-users" },
      summary: "List a user's live sessions",
      query: ListQuery,
      run: (ctx, { userId }, query) => searchSessionsOfUser(ctx, userId, query),
    },
  });

  callRoute(app, "DELETE", "/:userId/sessions", {
    config: write,
    summary: "End all sessions of a user",
    description:
      "Ends the grants of those sessions, and sends back-channel logout to the clients that took part. Offline access continues; " +
      "`POST …/logout` ends it, too.",
    tags,
    params,
    done: "Ended",
    transact: (ctx, { params }) => revokeSessionsOfUser(ctx, params.userId),
  });

  callRoute(app, "POST", "/:userId/logout", {
    config: write,
    summary: "Sign a user out everywhere",
    description: "Ends all sessions, as `DELETE …/sessions` does, and every grant without a session (`offline_access`).",
    tags,
    params,
    done: "Signed out",
    transact: (ctx, { params }) => logOutUser(ctx, params.userId),
  });
};
