import { SECOND } from "../../kernel/clock.ts";
import { invalidFields } from "../../kernel/errors.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { secretChange } from "../../kernel/stored-secret.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { type Outbound, receiverFaults } from "../../platform/outbound/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { bodyOf, send } from "./attempt.ts";
import { listDeliveries, resetDelivery } from "./deliveries.store.ts";
import { webhookErrors } from "./errors.ts";
import { readEventTypes } from "./event-types.ts";
import type { CreateWebhook, Delivery, DeliveryQuery, RotatedSecret, RotateSecret, TestResult, UpdateWebhook } from "./schema.ts";
import { checkSecret, newSecret, secretPlace } from "./secrets.ts";
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  type SealedSecrets,
  secretsOf,
  updateWebhook,
  type WebhookRow,
} from "./store.ts";

/** The service's dependencies besides the unit of work. */
export interface Tools {
  readonly vault: Vault;
  readonly outbound: Outbound;
}

export const searchWebhooks = (ctx: ReadCtx, query: ListQuery): Promise<Page<WebhookRow>> =>
  listWebhooks(ctx.tx, ctx.realm, query, ctx.now);

export async function readWebhook(ctx: ReadCtx, webhookId: string): Promise<WebhookRow> {
  const webhook = isId(webhookId) ? await findWebhook(ctx.tx, ctx.realm, webhookId, ctx.now) : null;
  if (!webhook) throw webhookErrors.not_found();
  return webhook;
}

/** Returns the secret that signs a webhook's deliveries, or null if it has none. */
export const openWebhookSecret = (vault: Vault, { realmId, id, sealed }: WebhookRow): string | null =>
  sealed.secret === null ? null : vault.open(sealed.secret, secretPlace(realmId, id, "secret"));

/** Locks a webhook until commit, for a change. The caller checks the version (`If-Match`) last. */
async function takeWebhook(ctx: Ctx, webhookId: string): Promise<WebhookRow> {
  const webhook = isId(webhookId) ? await lockWebhook(ctx.tx, ctx.realm, webhookId, ctx.now) : null;
  if (!webhook) throw webhookErrors.not_found();
  return webhook;
}

export async function createWebhook(ctx: Ctx, tools: Tools, input: CreateWebhook): Promise<WebhookRow> {
  const { secret = null } = input;
  const state = { name: input.name, ...checked(tools, input), enabled: input.enabled ?? true };
  const seal = (id: string) => (secret === null ? null : tools.vault.seal(secret, secretPlace(ctx.realm, id, "secret")));
  const webhook = await insertWebhook(ctx.tx, ctx.realm, state, seal, ctx.now);
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "webhooks", resourceId: webhook.id });
  return webhook;
}

export async function saveWebhook(ctx: Ctx, tools: Tools, webhookId: string, input: UpdateWebhook): Promise<WebhookRow> {
  const state = { name: input.name, ...checked(tools, input), enabled: input.enabled };
  const current = await takeWebhook(ctx, webhookId);
  refuseReadOnly(current, input, ["id", "realmId", "createdAt", "previousSecretUntil"]);
  const sealed = changedSecret(ctx, tools, current, input);
  expectVersion(ctx, current.version);
  const webhook = await updateWebhook(ctx.tx, ctx.realm, current.id, { ...state, ...(sealed && { sealed }) }, ctx.now);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "webhooks", resourceId: current.id });
  return webhook;
}

export async function removeWebhook(ctx: Ctx, webhookId: string): Promise<void> {
  const webhook = await takeWebhook(ctx, webhookId);
  expectVersion(ctx, webhook.version);
  await deleteWebhook(ctx.tx, ctx.realm, webhook.id);
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "webhooks", resourceId: webhook.id });
}

/** Sets a new secret. The previous one signs too until the overlap ends. */
export async function rotateSecret(
  ctx: Ctx,
  { vault }: Tools,
  webhookId: string,
  body: RotateSecret,
): Promise<Omit<WebhookRow, "secret"> & RotatedSecret> {
  const input = body ?? {};
  if (input.secret !== undefined) checkSecret(input.secret);
  const current = await takeWebhook(ctx, webhookId);
  expectVersion(ctx, current.version);
  const secret = input.secret ?? newSecret();
  const overlap = (input.overlapSeconds ?? 0) * SECOND;
  const place = (column: "secret" | "previous_secret") => secretPlace(ctx.realm, current.id, column);
  const before = overlap > 0 && current.sealed.secret !== null ? vault.open(current.sealed.secret, place("secret")) : null;
  const sealed: SealedSecrets = {
    secret: vault.seal(secret, place("secret")),
    previous_secret: before === null ? null : vault.seal(before, place("previous_secret")),
    previous_until: before === null ? null : ctx.now + overlap,
  };
  const webhook = await updateWebhook(ctx.tx, ctx.realm, current.id, { sealed }, ctx.now);
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "webhooks", resourceId: current.id, detail: "rotate secret" });
  return { ...webhook, secret: input.secret === undefined ? secret : null };
}

/** Sends one signed event of the type TEST immediately, whether or not the webhook is enabled. Only an audit event records it. */
export async function sendTest(ctx: ReadCtx, { vault, outbound }: Tools, webhook: WebhookRow): Promise<TestResult> {
  const record = {
    id: newId(),
    ts: new Date(ctx.now).toISOString(),
    kind: "audit" as const,
    category: "ADMIN" as const,
    type: "TEST",
    realm: ctx.realm,
    actor: ctx.actor.name,
    actorKind: ctx.actor.kind,
    sourceIp: null,
    resourceType: "webhooks",
    resourceId: webhook.id,
    outcome: "SUCCESS" as const,
    detail: "This event was sent to try the webhook. Nothing has happened.",
    impersonator: ctx.actor.impersonator?.name ?? null,
    requestId: null,
  };
  const secrets = secretsOf(vault, ctx.realm, webhook.id, webhook.sealed, ctx.now);
  const attempt = await send(outbound, { id: record.id, url: webhook.url, body: bodyOf(record), secrets }, ctx.now);
  const { delivered, status, latencyMs, error, answer } = attempt;
  return { delivered, status, latencyMs, ...(error !== null && { error }), ...(answer !== null && { answer }) };
}

export async function recordTest(ctx: Ctx, webhookId: string, { delivered }: TestResult): Promise<void> {
  const outcome = delivered ? "SUCCESS" : "FAILURE";
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "webhooks", resourceId: webhookId, outcome, detail: "send test" });
}

export async function searchDeliveries(ctx: ReadCtx, webhookId: string, query: DeliveryQuery): Promise<Page<Delivery>> {
  const webhook = await readWebhook(ctx, webhookId);
  return listDeliveries(ctx.tx, ctx.realm, webhook.id, query);
}

/** Restarts a delivery with the same event and the same id. */
export async function redeliver(ctx: Ctx, webhookId: string, deliveryId: string): Promise<Delivery> {
  const webhook = await readWebhook(ctx, webhookId);
  const reset = isId(deliveryId) ? await resetDelivery(ctx.tx, ctx.realm, webhook.id, deliveryId, ctx.now) : null;
  if (!reset) throw webhookErrors.delivery_not_found();
  if (!reset.eventKept) throw webhookErrors.event_gone();
  const detail = `redeliver ${reset.delivery.id}`;
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "webhooks", resourceId: webhook.id, detail });
  return reset.delivery;
}

/** Validates the input of create and update. */
function checked({ outbound }: Tools, input: { readonly url: string; readonly eventTypes: string; readonly secret?: string | null }) {
  const faults = receiverFaults(outbound, "url", input.url);
  if (faults.length > 0) throw invalidFields(faults);
  if (typeof input.secret === "string") checkSecret(input.secret);
  return { url: input.url, eventTypes: readEventTypes(input.eventTypes) };
}

/** Returns null if the secrets stay unchanged. */
function changedSecret(ctx: Ctx, { vault }: Tools, current: WebhookRow, input: UpdateWebhook): SealedSecrets | null {
  const none = { secret: null, previous_secret: null, previous_until: null };
  const change = secretChange(input, [current.url], [input.url]);
  if (change === "replaced") return { ...none, secret: vault.seal(input.secret!, secretPlace(ctx.realm, current.id, "secret")) };
  if (input.secret !== null || input.secretSet === true)
    refuseReadOnly(current, { secretSet: input.secretSet }, ["secretSet"], "follows from the secret: send a secret, or null to clear it");
  return change === "cleared" ? none : null;
}
