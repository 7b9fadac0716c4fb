import { type Generated, type Selectable, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import type { Vault } from "../../kernel/vault.ts";
import {
  type Db,
  deleteRows,
  findRow,
  insertReturning,
  nameStartsWith,
  nextVersion,
  type Tx,
  updateReturning,
} from "../../platform/db/index.ts";
import { type ListQuery, listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import type { Webhook } from "./schema.ts";
import { secretPlace } from "./secrets.ts";

interface WebhooksTable {
  realm_id: string;
  webhook_id: string;
  name: string;
  url: string;
  event_types: string;
  enabled: boolean;
  secret: string | null;
  previous_secret: string | null;
  previous_until: number | null;
  created_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    webhooks: WebhooksTable;
  }
}

/** A webhook in the service. Its secrets stay sealed until they sign. */
export interface WebhookRow extends Webhook {
  readonly version: number;
  readonly sealed: SealedSecrets;
}

export interface SealedSecrets {
  readonly secret: string | null;
  readonly previous_secret: string | null;
  readonly previous_until: number | null;
}

const columns = [
  "realm_id",
  "webhook_id",
  "name",
  "url",
  "event_types",
  "enabled",
  "secret",
  "previous_secret",
  "previous_until",
  "created_at",
  "version",
] as const;
type Columns = Pick<Selectable<WebhooksTable>, (typeof columns)[number]>;

// A realm has few webhooks, found by the primary key, so sorting needs no index.
const order = listOrder("name", { name: sql`lower(name)`, createdAt: "created_at" }, "webhook_id");

export async function listWebhooks(db: Db, realm: string, query: ListQuery, now: number): Promise<Page<WebhookRow>> {
  const { search } = query;
  const base = db
    .selectFrom("webhooks")
    .select(columns)
    .where("realm_id", "=", realm)
    .$if(search !== undefined && search !== "", (q) =>
      q.where((eb) => eb.or([nameStartsWith("name", search!), eb(sql`webhook_id::text`, "=", search!.toLowerCase())])),
    );
  return mapPage(await pageOf(db, base, order, query), (row) => toWebhook(row, now));
}

export async function findWebhook(db: Db, realm: string, webhookId: string, now: number): Promise<WebhookRow | null> {
  const row = await findRow(db, "webhooks", columns, { realm_id: realm, webhook_id: webhookId });
  return row ? toWebhook(row, now) : null;
}

export async function lockWebhook(tx: Tx, realm: string, webhookId: string, now: number): Promise<WebhookRow | null> {
  const row = await tx
    .selectFrom("webhooks")
    .select(columns)
    .where("realm_id", "=", realm)
    .where("webhook_id", "=", webhookId)
    // Deliveries refer to the webhook. This weaker lock does not block their creation.
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row ? toWebhook(row, now) : null;
}

export interface WebhookState {
  readonly name: string;
  readonly url: string;
  readonly eventTypes: string;
  readonly enabled: boolean;
}

export async function insertWebhook(
  tx: Tx,
  realm: string,
  state: WebhookState,
  seal: (webhookId: string) => string | null,
  now: number,
): Promise<WebhookRow> {
  const webhookId = newId();
  const { name, url, eventTypes: event_types, enabled } = state;
  const row = { realm_id: realm, webhook_id: webhookId, name, url, event_types, enabled, secret: seal(webhookId), created_at: now };
  return toWebhook(await insertReturning(tx, "webhooks", row, columns), now);
}

export async function updateWebhook(
  tx: Tx,
  realm: string,
  webhookId: string,
  change: Partial<WebhookState> & { readonly sealed?: SealedSecrets },
  now: number,
): Promise<WebhookRow> {
  const { name, url, eventTypes: event_types, enabled, sealed } = change;
  // Kysely leaves out undefined columns.
  const changed = { name, url, event_types, enabled, ...sealed, version: nextVersion };
  return toWebhook(await updateReturning(tx, "webhooks", { realm_id: realm, webhook_id: webhookId }, changed, columns), now);
}

/** Deletes a webhook, with its deliveries. */
export async function deleteWebhook(tx: Tx, realm: string, webhookId: string): Promise<void> {
  await deleteRows(tx, "webhooks", { realm_id: realm, webhook_id: webhookId });
}

/** Deletes previous secrets after their overlap. */
export async function forgetPreviousSecrets(db: Db, now: number): Promise<void> {
  await sql`update webhooks set previous_secret = null, previous_until = null where previous_until <= ${now}`.execute(db);
}

/** Returns the opened secrets, the current one first. The previous one is included only during its overlap. */
export function secretsOf(vault: Vault, realm: string, webhookId: string, sealed: SealedSecrets, now: number): string[] {
  const open = (column: "secret" | "previous_secret") =>
    sealed[column] === null ? [] : [vault.open(sealed[column], secretPlace(realm, webhookId, column))];
  const overlaps = sealed.previous_until !== null && sealed.previous_until > now;
  return [...open("secret"), ...(overlaps ? open("previous_secret") : [])];
}

const toWebhook = (row: Columns, now: number): WebhookRow => ({
  id: row.webhook_id,
  realmId: row.realm_id,
  name: row.name,
  url: row.url,
  secret: null,
  secretSet: row.secret !== null,
  eventTypes: row.event_types,
  enabled: row.enabled,
  createdAt: row.created_at,
  previousSecretUntil: row.previous_until !== null && row.previous_until > now ? row.previous_until : null,
  version: row.version,
  sealed: { secret: row.secret, previous_secret: row.previous_secret, previous_until: row.previous_until },
});
