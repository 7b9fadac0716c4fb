import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import type { Registry } from "prom-client";
import Type from "typebox";
import { route } from "../../platform/http/index.ts";
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

  route(app, "GET", "/monitoring/health", {
    logLevel,
    summary: "Read the health of the server and of the systems that it depends on",
    tags,
    response: { 200: HealthResponse, 503: HealthResponse },
    handler: async (_request, reply) => {
      const found = await health.overall();
      answerAs(reply, found.status);
      return reply.send(found);
    },
  });

  route(app, "GET", "/monitoring/health/liveness", {
    logLevel,
    summary: "Read whether the process is alive",
    tags,
    response: { 200: LivenessResponse },
    handler: async () => health.liveness(),
  });

  route(app, "GET", "/monitoring/health/readiness", {
    logLevel,
    summary: "Read whether the server is ready for traffic",
    tags,
    response: { 200: ReadinessResponse, 503: ReadinessResponse },
    handler: async (_request, reply) => {
      const found = await health.readiness();
      answerAs(reply, found.status);
      return reply.send(found);
    },
  });

  route(app, "GET", "/monitoring/info", {
    logLevel,
    summary: "Read the version of the running build",
    tags,
    response: { 200: ServerInfo },
    handler: async () => info,
  });

  route(app, "GET", "/monitoring/metrics", {
    logLevel,
    summary: "Read the metrics in the text exposition format",
    description: "The metrics of this node; `/admin/metrics/summary` adds up all nodes.",
    tags,
    produces: ["text/plain"],
    response: { 200: text("The metrics") },
    handler: async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  });

  route(app, "GET", "/livez", {
    logLevel,
    summary: "Read the liveness in one word",
    tags,
    produces: ["text/plain"],
    response: { 200: text("Alive") },
    handler: async (_request, reply) => reply.type("text/plain; charset=utf-8").send("ok"),
  });

  route(app, "GET", "/readyz", {
    logLevel,
    summary: "Read the readiness in one word",
    tags,
    produces: ["text/plain"],
    response: { 200: text("Ready"), 503: text("Not ready: shutting down, or without its database") },
    handler: async (_request, reply) => {
      const { status } = await health.readiness();
      answerAs(reply, status);
      return reply.type("text/plain; charset=utf-8").send(status === "UP" ? "ok" : "not ready");
    },
  });
};
