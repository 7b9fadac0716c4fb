import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { paged, route } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { MetricsSummary } from "./schema.ts";
import { summarize } from "./summary.ts";

/** Mounted under /admin/metrics. */
export const metricsSummaryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  route(app, "GET", "/summary", {
    config: { permission: "view-events", masterOnly: true },
    summary: "Read the server's activity, in total and per realm",
    description: "Adds up all nodes. The totals are of all realms; the list of realms is paged like other lists.",
    tags: ["Monitoring"],
    querystring: ListQuery,
    response: { 200: MetricsSummary },
    handler: async (req, reply) => {
      const { page, summary } = await req.read((ctx) => summarize(ctx, req.query));
      paged(reply, page);
      return summary;
    },
  });
};
