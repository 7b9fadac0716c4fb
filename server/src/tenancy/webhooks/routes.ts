import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { CreateWebhook, Delivery, DeliveryQuery, RotatedSecret, RotateSecret, TestResult, UpdateWebhook, Webhook } from "./schema.ts";
import {
  createWebhook,
  readWebhook,
  recordTest,
  redeliver,
  removeWebhook,
  rotateSecret,
  saveWebhook,
  searchDeliveries,
  searchWebhooks,
  sendTest,
  type Tools,
} from "./service.ts";

const params = Type.Object({ realm: Type.String(), webhookId: Type.String() });
const deliveryParams = Type.Object({ realm: Type.String(), webhookId: Type.String(), deliveryId: Type.String() });
const config = { permission: "manage-realm" } as const;
const tags = ["Webhooks"];

/** Mounted under /admin/realms/:realm/webhooks. */
export const webhookRoutes: FastifyPluginAsyncTypebox<Tools> = async (app, tools) => {
  app.get(
    "/",
    { config, schema: { summary: "List webhooks", tags, querystring: ListQuery, response: { 200: Type.Array(Webhook) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchWebhooks(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    {
      config,
      schema: {
        summary: "Create a webhook",
        description: "From now on, events of the named types are sent to the address, signed with the secret if there is one.",
        tags,
        body: CreateWebhook,
        response: { 201: Webhook },
      },
    },
    async (req, reply) => {
      const webhook = await req.transact((ctx) => createWebhook(ctx, tools, req.body));
      return reply.code(201).header("etag", etag(webhook.version)).send(webhook);
    },
  );

  app.get(
    "/:webhookId",
    { config, schema: { summary: "Read a webhook", tags, params, response: { 200: Webhook } } },
    async (req, reply) => {
      const webhook = await req.read((ctx) => readWebhook(ctx, req.params.webhookId));
      reply.header("etag", etag(webhook.version));
      return webhook;
    },
  );

  app.put(
    "/:webhookId",
    {
      config,
      schema: {
        summary: "Update a webhook",
        description:
          "Deliveries that wait are sent to the new address, signed with the new secret. Another scheme, host or port without a new " +
          "secret clears the old one: deliveries are not signed then.",
        tags,
        params,
        body: UpdateWebhook,
        response: { 200: Webhook },
      },
    },
    async (req, reply) => {
      const webhook = await req.transact((ctx) => saveWebhook(ctx, tools, req.params.webhookId, req.body));
      reply.header("etag", etag(webhook.version));
      return webhook;
    },
  );

  app.delete(
    "/:webhookId",
    {
      config,
      schema: {
        summary: "Delete a webhook",
        description: "What waits for it is not sent any more.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeWebhook(ctx, req.params.webhookId));
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/:webhookId/rotate-secret",
    {
      config,
      schema: {
        operationId: "rotateWebhookSecret",
        summary: "Change a webhook's secret",
        description:
          "During the overlap `webhook-signature` holds a signature by each of the two secrets; `X-Webhook-Signature` is made with the new one at once.",
        tags,
        params,
        body: RotateSecret,
        response: { 200: RotatedSecret },
      },
    },
    async (req, reply) => {
      const webhook = await req.transact((ctx) => rotateSecret(ctx, tools, req.params.webhookId, req.body));
      reply.header("etag", etag(webhook.version));
      return webhook;
    },
  );

  app.post(
    "/:webhookId/test",
    {
      config,
      schema: {
        summary: "Send a test event to a webhook",
        description: "One signed event of the type `TEST`, at once, also while the webhook is disabled. It is not repeated and not kept.",
        tags,
        params,
        response: { 200: TestResult },
      },
    },
    async (req) => {
      const result = await req.read(async (ctx) => sendTest(ctx, tools, await readWebhook(ctx, req.params.webhookId)));
      await req.transact((ctx) => recordTest(ctx, req.params.webhookId, result));
      return result;
    },
  );

  app.get(
    "/:webhookId/deliveries",
    {
      config,
      schema: {
        summary: "List a webhook's deliveries",
        description: "Newest first. Delivered ones are kept for 7 days, dead ones for 30.",
        tags,
        params,
        querystring: DeliveryQuery,
        response: { 200: Type.Array(Delivery) },
      },
    },
    async (req, reply) => {
      const page = await req.read((ctx) => searchDeliveries(ctx, req.params.webhookId, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/:webhookId/deliveries/:deliveryId/redeliver",
    {
      config,
      schema: {
        summary: "Send a delivery again",
        description: "The same event with the same `webhook-id`, with all its retries before it.",
        tags,
        params: deliveryParams,
        response: { 202: Delivery },
      },
    },
    async (req, reply) => {
      const delivery = await req.transact((ctx) => redeliver(ctx, req.params.webhookId, req.params.deliveryId));
      return reply.code(202).send(delivery);
    },
  );
};
