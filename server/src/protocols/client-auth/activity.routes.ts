import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { paged } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { ServiceAccountSession } from "./activity.schema.ts";
import { searchServiceAccounts } from "./activity.ts";

/** Mounted under /admin/realms/:realm/sessions. */
export const serviceAccountSessionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/service-accounts",
    {
      config: { permission: "view-events" },
      schema: {
        summary: "List service-account sessions",
        description:
          "Clients that hold unexpired tokens of the client credentials grant; each node writes its counts every ten seconds. `search` takes the beginning of an OAuth client id, or a client's id. To end one, disable the client or revoke its tokens.",
        tags: ["Sessions"],
        querystring: ListQuery,
        response: { 200: Type.Array(ServiceAccountSession) },
      },
    },
    async (req, reply) => paged(reply, await req.read((ctx) => searchServiceAccounts(ctx, req.query))),
  );
};
