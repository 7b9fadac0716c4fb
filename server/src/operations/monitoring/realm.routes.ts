import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { callRoute, pathParams, route } from "../../platform/http/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { endpointsOf, RealmEndpoints } from "./endpoints.ts";
import { readRealmHealth } from "./realm-health.ts";
import { RealmHealth } from "./schema.ts";
import { MetricsSeries, SeriesQuery } from "./series.schema.ts";
import { readSeries } from "./series.ts";

const tags = ["Monitoring"];
const params = pathParams();
const config = { permission: "any" } as const;

/** Mounted under /admin/realms/:realm. */
export const realmMonitoringRoutes: FastifyPluginAsyncTypebox<{ realms: RealmSnapshots; baseUrl: string }> = async (
  app,
  { realms, baseUrl },
) => {
  route(app, "GET", "/health", {
    config,
    summary: "Read the health of the realm",
    tags,
    params,
    response: { 200: RealmHealth, 503: RealmHealth },
    handler: async (req, reply) => {
      const health = await req.read((ctx) => readRealmHealth(ctx, realms, req.log));
      return reply.code(health.status === "UP" ? 200 : 503).send(health);
    },
  });

  route(app, "GET", "/endpoints", {
    config,
    summary: "Read the realm's addresses",
    tags,
    params,
    response: { 200: RealmEndpoints },
    handler: async (req) => endpointsOf(baseUrl, req.params.realm),
  });

  callRoute(app, "GET", "/metrics", {
    config: { permission: "view-events" },
    summary: "Read the activity of the realm over time",
    description: "Sign-ins, tokens, second factors and writes to the admin API, by the clock hour, for charts. At most 200 points.",
    operationId: "getRealmMetrics",
    tags,
    params,
    querystring: SeriesQuery,
    answer: MetricsSeries,
    read: (ctx, { query }) => readSeries(ctx, query),
  });
};
