// Webhooks: the subscriptions to a realm's events, and every delivery of an event to a subscriber. Owns `webhooks`, `webhook_intervals` and
// `webhook_deliveries`.
// Deliveries are made from committed events (fan-out.ts) and sent at least once (dispatch.ts); a request never waits for either.
export { deleteEndedDeliveries, webhookBacklog } from "./deliveries.store.ts";
export { forgetAnswers } from "./erasure.store.ts";
export { deletePassedIntervals } from "./intervals.store.ts";
export { PLACES as WEBHOOKS_AT_ONCE } from "./lanes.ts";
export { webhookRoutes } from "./routes.ts";
export { CreateWebhook } from "./schema.ts";
export { signatureHeaders } from "./secrets.ts";
export { createWebhookSender, type WebhookSender } from "./sender.ts";
export { createWebhook, openWebhookSecret, removeWebhook, saveWebhook, searchWebhooks } from "./service.ts";
export { forgetPreviousSecrets } from "./store.ts";
