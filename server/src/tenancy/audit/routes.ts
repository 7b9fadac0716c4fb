import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { callRoute, route } from "../../platform/http/index.ts";
import type { Forwarder } from "./forwarder.ts";
import { AuditConfig, EventPage, EventQuery, EventTail, TailQuery } from "./schema.ts";
import { searchEvents } from "./service.ts";
import { tailEvents } from "./tail.service.ts";

/** Mounted under /admin/realms/:realm/events. */
export const eventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  route(app, "GET", "/", {
    config: { permission: "view-events" },
    summary: "Search the audit trail",
    description: "Returns events, newest first.",
    tags: ["Events"],
    querystring: EventQuery,
    response: { 200: EventPage },
    handler: async (req, reply) => {
      const { estimated, ...page } = await req.read((ctx) => searchEvents(ctx, req.query));
      if (estimated) reply.header("x-total-estimated", "true");
      return page;
    },
  });

  callRoute(app, "GET", "/tail", {
    config: { permission: "view-events" },
    summary: "Follow the audit trail",
    description:
      "Returns the events since the last call. A call reads at most 2,000 events of the server, however long ago the last call was.",
    operationId: "tailEvents",
    tags: ["Events"],
    querystring: TailQuery,
    answer: EventTail,
    read: (ctx, { query }) => tailEvents(ctx, query),
  });
};

/** Mounted under /admin/audit. */
export const auditConfigRoutes: FastifyPluginAsyncTypebox<{
  config: Omit<AuditConfig, "forwarder">;
  forwarder: Pick<Forwarder, "state"> | null;
}> = async (app, { config, forwarder }) => {
  route(app, "GET", "/config", {
    config: { permission: "view-events", masterOnly: true },
    summary: "Read how audit events are forwarded",
    tags: ["Events"],
    response: { 200: AuditConfig },
    handler: async () => ({ ...config, forwarder: forwarder ? await forwarder.state() : null }),
  });
};
