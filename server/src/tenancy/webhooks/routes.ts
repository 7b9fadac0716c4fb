import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, pathParams, recordRoutes, route, versioned } from "../../platform/http/index.ts";
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
      description: "Events of the named types are sent to the address, signed with the secret if there is one.",
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
        "Pending deliveries are sent to the new address, signed with the new secret. Another scheme, host or port without a new " +
        "secret clears the old one, so deliveries are no longer signed.",
      body: UpdateWebhook,
      run: (ctx, { webhookId }, body) => saveWebhook(ctx, tools, webhookId, body),
    },
    remove: {
      config,
      summary: "Delete a webhook",
      description: "Pending deliveries are no longer sent.",
      run: (ctx, { webhookId }) => removeWebhook(ctx, webhookId),
    },
  });

  route(app, "POST", "/:webhookId/rotate-secret", {
    config,
    operationId: "rotateWebhookSecret",
    summary: "Change a webhook's secret",
    description:
      "During the overlap `webhook-signature` contains a signature by each of the two secrets; `X-Webhook-Signature` uses the new one immediately.",
    tags,
    params,
    body: RotateSecret,
    response: { 200: RotatedSecret },
    handler: async (req, reply) => versioned(reply, await req.transact((ctx) => rotateSecret(ctx, tools, req.params.webhookId, req.body))),
  });

  route(app, "POST", "/:webhookId/test", {
    config: { ...config, versioned: false },
    summary: "Send a test event to a webhook",
    description:
      "Sends one signed event of the type `TEST` immediately, even if the webhook is disabled. It is neither repeated nor stored.",
    tags,
    params,
    response: { 200: TestResult },
    handler: async (req) => {
      const result = await req.read(async (ctx) => sendTest(ctx, tools, await readWebhook(ctx, req.params.webhookId)));
      await req.transact((ctx) => recordTest(ctx, req.params.webhookId, result));
      return result;
    },
  });

  collectionRoutes(app, "/:webhookId/deliveries", {
    tags,
    params,
    record: Delivery,
    list: {
      config,
      summary: "List a webhook's deliveries",
      description: "Lists deliveries, newest first. Delivered ones are kept for 7 days, dead ones for 30.",
      query: DeliveryQuery,
      run: (ctx, { webhookId }, query) => searchDeliveries(ctx, webhookId, query),
    },
  });

  route(app, "POST", "/:webhookId/deliveries/:deliveryId/redeliver", {
    config: { ...config, versioned: false },
    summary: "Send a delivery again",
    description: "Sends the same event with the same `webhook-id` again, with the full schedule of retries.",
    tags,
    params: deliveryParams,
    response: { 202: Delivery },
    handler: async (req, reply) => {
      const delivery = await req.transact((ctx) => redeliver(ctx, req.params.webhookId, req.params.deliveryId));
      return reply.code(202).send(delivery);
    },
  });
};
