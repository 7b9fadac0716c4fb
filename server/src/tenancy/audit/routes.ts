import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Forwarder } from "./forwarder.ts";
import { AuditConfig, EventPage, EventQuery, EventTail, TailQuery } from "./schema.ts";
import { searchEvents } from "./service.ts";
import { tailEvents } from "./tail.service.ts";

/** Mounted under /admin/realms/:realm/events. */
export const eventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    {
      config: { permission: "view-events" },
      schema: {
        summary: "Search the audit trail",
        description: "Returns events, newest first.",
        tags: ["Events"],
        querystring: EventQuery,
        response: { 200: EventPage },
      },
    },
    async (req, reply) => {
      const { estimated, ...page } = await req.read((ctx) => searchEvents(ctx, req.query));
      if (estimated) reply.header("x-total-estimated", "true");
      return page;
    },
  );

  app.get(
    "/tail",
    {
      config: { permission: "view-events" },
      schema: {
        summary: "Follow the audit trail",
        description:
          "Returns the events since the last call. A call reads at most 2,000 events of the server, however long ago the last call was.",
        operationId: "tailEvents",
        tags: ["Events"],
        querystring: TailQuery,
        response: { 200: EventTail },
      },
    },
    (req) => req.read((ctx) => tailEvents(ctx, req.query)),
  );
};

/** Mounted under /admin/audit. */
export const auditConfigRoutes: FastifyPluginAsyncTypebox<{
  config: Omit<AuditConfig, "forwarder">;
  forwarder: Pick<Forwarder, "state"> | null;
}> = async (app, { config, forwarder }) => {
  app.get(
    "/config",
    {
      config: { permission: "view-events", masterOnly: true },
      schema: { summary: "Read how audit events are forwarded", tags: ["Events"], response: { 200: AuditConfig } },
    },
    async () => ({ ...config, forwarder: forwarder ? await forwarder.state() : null }),
  );
};
