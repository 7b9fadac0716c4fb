import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { MINUTE } from "../../kernel/clock.ts";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { type RateLimiter, rateLimited } from "../../platform/rate-limit/index.ts";
import { MessagingProvider, TestMessage, TestResult, UpsertProvider } from "./providers.schema.ts";
import { type ProviderParts, readProvider, removeProvider, saveProvider, searchProviders } from "./providers.service.ts";
import { providerForTest, recordTest, sendTestMessage } from "./test-messages.ts";

const tags = ["Messaging"];
const config = { permission: "manage-realm" } as const;
const params = Type.Object({ realm: Type.String(), channel: Type.String(), driver: Type.String() });

/** Mounted under /admin/realms/:realm/messaging/providers. */
export const providerRoutes: FastifyPluginAsyncTypebox<ProviderParts & { limiter: RateLimiter }> = async (app, parts) => {
  // Enough to get a configuration right, too little to bother anybody with.
  const limit = rateLimited(parts.limiter, {
    name: "messaging-test",
    key: (req) => `messaging-test:${req.realmId}`,
    rule: { limit: 10, windowMs: MINUTE },
  });

  app.get(
    "/",
    {
      config,
      schema: { summary: "List the messaging providers", tags, querystring: ListQuery, response: { 200: Type.Array(MessagingProvider) } },
    },
    async (req, reply) => {
      const page = await req.read((ctx) => searchProviders(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.put(
    "/",
    {
      config,
      schema: {
        summary: "Configure a messaging provider",
        description:
          "Creates or replaces the provider of this channel and driver. Of each channel one provider can be enabled. " +
          "The secret is write-only: left out it is kept, null removes it, and so does another scheme, host or port without a new secret. " +
          "Needs `realm-admin`: a caller that decides how mail leaves can read every password reset.",
        tags,
        body: UpsertProvider,
        response: { 200: MessagingProvider, 201: MessagingProvider },
      },
    },
    async (req, reply) => {
      const { provider, created } = await req.transact((ctx) => saveProvider(ctx, req.body, parts));
      return reply
        .code(created ? 201 : 200)
        .header("etag", etag(provider.version))
        .send(provider);
    },
  );

  app.get(
    "/:channel/:driver",
    { config, schema: { summary: "Read a messaging provider", tags, params, response: { 200: MessagingProvider } } },
    async (req, reply) => {
      const provider = await req.read((ctx) => readProvider(ctx, req.params.channel, req.params.driver));
      reply.header("etag", etag(provider.version));
      return provider;
    },
  );

  app.delete(
    "/:channel/:driver",
    {
      config,
      schema: {
        summary: "Delete a messaging provider",
        description: "Needs `realm-admin`, like every change of how messages leave.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeProvider(ctx, req.params.channel, req.params.driver));
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/:channel/test",
    {
      config,
      preHandler: limit,
      schema: {
        summary: "Send a test message",
        description:
          "Sends a fixed text through the enabled provider of the channel, for real and at once. Nothing is kept but an event, " +
          "which shows the recipient only in part. A realm may send ten in a minute.",
        tags,
        params: Type.Object({ realm: Type.String(), channel: Type.String() }),
        body: TestMessage,
        response: { 200: TestResult },
      },
    },
    async (req) => {
      const { to } = req.body;
      const provider = await req.read((ctx) => providerForTest(ctx, parts.vault, req.params.channel, to));
      const result = await sendTestMessage(provider, to, parts.outbound, req.log);
      await req.transact((ctx) => recordTest(ctx, provider, to, result));
      return result;
    },
  );
};
