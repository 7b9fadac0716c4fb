import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, pathParams, recordRoutes, versioned } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
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

const params = pathParams("webhookId");
const deliveryParams = pathParams("webhookId", "deliveryId");
const config = { permission: "manage-realm" } as const;
const tags = ["Webhooks"];

/** Mounted under /admin/realms/:realm/webhooks. */
export const webhookRoutes: FastifyPluginAsyncTypebox<Tools> = async (app, tools) => {
  collectionRoutes(app, "/", {
    tags,
    record: Webhook,
    list: { config, summary: "List webhooks", query: ListQuery, run: (ctx, _params, query) => searchWebhooks(ctx, query) },
    create: {
      config,
      summary: "Create a webhook",
      description: "From now on, events of the named types are sent to the address, signed with the secret if there is one.",
      body: CreateWebhook,
      id: ({ id }) => id,
      run: (ctx, _params, body) => createWebhook(ctx, tools, body),
    },
  });

  recordRoutes(app, "/:webhookId", {
    tags,
    params,
    record: Webhook,
    read: { config, summary: "Read a webhook", run: (ctx, { webhookId }) => readWebhook(ctx, webhookId) },
    replace: {
      config,
      summary: "Update a webhook",
      description:
        "Deliveries that wait are sent to the new address, signed with the new secret. Another scheme, host or port without a new " +
        "secret clears the old one: deliveries are not signed then.",
      body: UpdateWebhook,
      run: (ctx, { webhookId }, body) => saveWebhook(ctx, tools, webhookId, body),
    },
    remove: {
      config,
      summary: "Delete a webhook",
      description: "Messages that wait for it are not sent any more.",
      run: (ctx, { webhookId }) => removeWebhook(ctx, webhookId),
    },
  });

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
    async (req, reply) => versioned(reply, await req.transact((ctx) => rotateSecret(ctx, tools, req.params.webhookId, req.body))),
  );

  app.post(
    "/:webhookId/test",
    {
      config: { ...config, versioned: false },
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

  collectionRoutes(app, "/:webhookId/deliveries", {
    tags,
    params,
    record: Delivery,
    list: {
      config,
      summary: "List a webhook's deliveries",
      description: "Newest first. Delivered ones are kept for 7 days, dead ones for 30.",
      query: DeliveryQuery,
      run: (ctx, { webhookId }, query) => searchDeliveries(ctx, webhookId, query),
    },
  });

  app.post(
    "/:webhookId/deliveries/:deliveryId/redeliver",
    {
      config: { ...config, versioned: false },
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
