import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import type { Registry } from "prom-client";
import Type from "typebox";
import type { Health } from "./health.ts";
import { HealthResponse, LivenessResponse, ReadinessResponse, ServerInfo, type Status } from "./schema.ts";

export interface MonitoringParts {
  readonly health: Health;
  readonly registry: Registry;
  readonly info: ServerInfo;
}

const tags = ["Monitoring"];
// Probes and scrapes come every few seconds: a log line for each would bury the others.
const logLevel = "warn";
const text = (description: string) => Type.String({ description });
/** Sets the status code of a probe. A caller that gets a 503 learns when to try again. */
function answerAs(reply: FastifyReply, status: Status): void {
  if (status === "UP") reply.code(200);
  else reply.code(503).header("retry-after", RETRY_SECONDS);
}
const RETRY_SECONDS = "2";

/** Mounted at the root. Anonymous: no cookie is read or set. */
export const monitoringRoutes: FastifyPluginAsyncTypebox<MonitoringParts> = async (app, { health, registry, info }) => {
  app.addHook("onRoute", (route) => {
    route.config = { ...route.config, servedAlways: true };
  });
  app.addHook("onRequest", async (_request, reply) => {
    reply.header("cache-control", "no-store");
  });

  app.get(
    "/monitoring/health",
    {
      logLevel,
      schema: { summary: "Health of the server and what it depends on", tags, response: { 200: HealthResponse, 503: HealthResponse } },
    },
    async (_request, reply) => {
      const found = await health.overall();
      answerAs(reply, found.status);
      return reply.send(found);
    },
  );

  app.get(
    "/monitoring/health/liveness",
    { logLevel, schema: { summary: "The liveness of the process", tags, response: { 200: LivenessResponse } } },
    async () => health.liveness(),
  );

  app.get(
    "/monitoring/health/readiness",
    {
      logLevel,
      schema: { summary: "The readiness for traffic", tags, response: { 200: ReadinessResponse, 503: ReadinessResponse } },
    },
    async (_request, reply) => {
      const found = await health.readiness();
      answerAs(reply, found.status);
      return reply.send(found);
    },
  );

  app.get(
    "/monitoring/info",
    { logLevel, schema: { summary: "The running build", tags, response: { 200: ServerInfo } } },
    async () => info,
  );

  app.get(
    "/monitoring/metrics",
    {
      logLevel,
      schema: {
        summary: "Metrics in the text exposition format",
        description: "The metrics of this node; `/admin/metrics/summary` adds up all nodes.",
        tags,
        produces: ["text/plain"],
        response: { 200: text("The metrics") },
      },
    },
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  );

  app.get(
    "/livez",
    {
      logLevel,
      schema: {
        summary: "Liveness in one word",
        tags,
        produces: ["text/plain"],
        response: { 200: text("Alive") },
      },
    },
    async (_request, reply) => reply.type("text/plain; charset=utf-8").send("ok"),
  );

  app.get(
    "/readyz",
    {
      logLevel,
      schema: {
        summary: "Readiness in one word",
        tags,
        produces: ["text/plain"],
        response: { 200: text("Ready"), 503: text("Not ready: shutting down, or without its database") },
      },
    },
    async (_request, reply) => {
      const { status } = await health.readiness();
      answerAs(reply, status);
      return reply.type("text/plain; charset=utf-8").send(status === "UP" ? "ok" : "not ready");
    },
  );
};
