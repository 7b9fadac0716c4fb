import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { ServiceAccountSession } from "./activity.schema.ts";
import { searchServiceAccounts } from "./activity.ts";

/** Mounted under /admin/realms/:realm/sessions. */
export const serviceAccountSessionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/service-accounts", {
    tags: ["Sessions"],
    record: ServiceAccountSession,
    list: {
      config: { permission: "view-events" },
      summary: "List service-account sessions",
      description:
        "Returns the clients that hold unexpired tokens of the client credentials grant. Each node writes its counts every ten seconds. `search` accepts the beginning of an OAuth client id, or a client's id. To end a session, disable the client or revoke its tokens.",
      query: ListQuery,
      run: (ctx, _params, query) => searchServiceAccounts(ctx, query),
    },
  });
};
