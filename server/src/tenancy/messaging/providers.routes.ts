import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { MINUTE } from "../../kernel/clock.ts";
import { collectionRoutes, created, pathParams, recordRoutes, route, versioned } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { type RateLimiter, rateLimited } from "../../platform/rate-limit/index.ts";
import { MessagingProvider, TestMessage, TestResult, UpsertProvider } from "./providers.schema.ts";
import { changeProvider, type ProviderParts, readProvider, removeProvider, saveProvider, searchProviders } from "./providers.service.ts";
import { providerForTest, recordTest, sendTestMessage } from "./test-messages.ts";

const tags = ["Messaging"];
const config = { permission: "manage-realm" } as const;
const params = pathParams("channel", "driver");

/** Mounted under /admin/realms/:realm/messaging/providers. */
export const providerRoutes: FastifyPluginAsyncTypebox<ProviderParts & { limiter: RateLimiter }> = async (app, parts) => {
  // The limit allows tests of a configuration, but no abuse.
  const limit = rateLimited(parts.limiter, {
    name: "messaging-test",
    key: (req) => `messaging-test:${req.realmId}`,
    rule: { limit: 10, windowMs: MINUTE },
  });

  collectionRoutes(app, "/", {
    tags,
    record: MessagingProvider,
    list: { config, summary: "List the messaging providers", query: ListQuery, run: (ctx, _params, query) => searchProviders(ctx, query) },
  });

  route(app, "PUT", "/", {
    config: { ...config, writesRecord: true },
    summary: "Configure a messaging provider",
    description:
      "Creates or replaces the provider of this channel and driver. One provider of each channel can be enabled. " +
      "The secret is write-only: if omitted, the stored one is kept. It is removed if it is null, or if scheme, host or port change without a new secret. " +
      "Needs `realm-admin`, because a caller that decides how mail is sent can read every password reset.",
    tags,
    body: UpsertProvider,
    response: { 200: MessagingProvider, 201: MessagingProvider },
    handler: async (req, reply) => {
      const { provider, created: isNew } = await req.transact((ctx) => saveProvider(ctx, req.body, parts));
      return isNew ? created(reply, [provider.channel, provider.driver], provider) : versioned(reply, provider);
    },
  });

  recordRoutes(app, "/:channel/:driver", {
    tags,
    params,
    record: MessagingProvider,
    read: { config, summary: "Read a messaging provider", run: (ctx, { channel, driver }) => readProvider(ctx, channel, driver) },
    replace: {
      config,
      summary: "Change a messaging provider",
      description: "Needs `realm-admin`, like every change of the way messages are sent.",
      body: UpsertProvider,
      run: (ctx, { channel, driver }, body) => changeProvider(ctx, channel, driver, body, parts),
      // PUT is a route of the collection, with channel and driver in its body.
      methods: ["PATCH"],
    },
    remove: {
      config,
      summary: "Delete a messaging provider",
      description: "Needs `realm-admin`, like every change of the way messages are sent.",
      run: (ctx, { channel, driver }) => removeProvider(ctx, channel, driver),
    },
  });

  route(app, "POST", "/:channel/test", {
    config: { ...config, versioned: false },
    preHandler: limit,
    summary: "Send a test message",
    description:
      "Sends a fixed text through the enabled provider of the channel, immediately. Nothing is stored except an event, " +
      "which shows only a part of the recipient. A realm can send ten test messages in a minute.",
    tags,
    params: pathParams("channel"),
    body: TestMessage,
    response: { 200: TestResult },
    handler: async (req) => {
      const { to } = req.body;
      const provider = await req.read((ctx) => providerForTest(ctx, parts.vault, req.params.channel, to));
      const result = await sendTestMessage(provider, to, parts.outbound, req.log);
      await req.transact((ctx) => recordTest(ctx, provider, to, result));
      return result;
    },
  });
};
