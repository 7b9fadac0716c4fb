import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { pathParams } from "../../platform/http/index.ts";
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
  app.get(
    "/health",
    { config, schema: { summary: "The health of the realm", tags, params, response: { 200: RealmHealth, 503: RealmHealth } } },
    async (req, reply) => {
      const health = await req.read((ctx) => readRealmHealth(ctx, realms, req.log));
      return reply.code(health.status === "UP" ? 200 : 503).send(health);
    },
  );

  app.get(
    "/endpoints",
    { config, schema: { summary: "The realm's addresses", tags, params, response: { 200: RealmEndpoints } } },
    async (req) => endpointsOf(baseUrl, req.params.realm),
  );

  app.get(
    "/metrics",
    {
      config: { permission: "view-events" },
      schema: {
        summary: "The activity of the realm, point by point",
        description: "Sign-ins, tokens, second factors and writes to the admin API, by the clock hour: for plots. At most 200 points.",
        operationId: "getRealmMetrics",
        tags,
        params,
        querystring: SeriesQuery,
        response: { 200: MetricsSeries },
      },
    },
    (req) => req.read((ctx) => readSeries(ctx, req.query)),
  );
};
