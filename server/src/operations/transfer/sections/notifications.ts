import Type from "typebox";
import {
  openProviderSecret,
  readTemplates,
  removeProvider,
  removeTemplate,
  SaveTemplate,
  saveProvider,
  saveTemplate,
  searchProviders,
  UpsertProvider,
} from "../../../tenancy/messaging/index.ts";
import {
  CreateWebhook,
  createWebhook,
  openWebhookSecret,
  removeWebhook,
  saveWebhook,
  searchWebhooks,
} from "../../../tenancy/webhooks/index.ts";
import { bodyOf, type Entry, everyRow, Secret, type Section, without } from "../section.ts";

const permission = { read: "manage-realm", write: "manage-realm" } as const;

export const webhooks: Section = {
  name: "webhooks",
  tables: ["webhooks"],
  permission,
  schema: CreateWebhook,
  keyOf: (item) => String(item.name),
  repeats: true,
  defaults: () => ({ enabled: true }),
  read: async (ctx, { vault }) =>
    (await everyRow(ctx, searchWebhooks))
      .sort((one, other) => (one.url < other.url ? -1 : 1))
      .map((row) => ({
        key: row.name,
        id: row.id,
        item: {
          ...{ name: row.name, url: row.url, eventTypes: row.eventTypes, enabled: row.enabled },
          ...(row.sealed.secret !== null && { secret: new Secret(() => openWebhookSecret(vault, row)!) }),
        },
      })),
  create: async (ctx, { vault, webhookOutbound: outbound }, item) => (await createWebhook(ctx, { vault, outbound }, bodyOf(item))).id,
  async update(ctx, { vault, webhookOutbound: outbound }, { id }, item) {
    await saveWebhook(ctx, { vault, outbound }, id, bodyOf(item));
  },
  remove: (ctx, _tools, { id }) => removeWebhook(ctx, id),
};

const spot = (one: { readonly channel?: unknown; readonly driver?: unknown }) => `${one.channel}/${one.driver}`;

export const messagingProviders: Section = {
  name: "messagingProviders",
  tables: ["messaging_providers"],
  permission,
  schema: Type.Object(without(UpsertProvider.properties, "id", "realmId", "secretSet") as never, {
    additionalProperties: false,
    allOf: (UpsertProvider as unknown as { allOf: object[] }).allOf,
  }),
  keyOf: spot,
  defaults: () => ({ enabled: true, fromAddress: null, fromName: null, config: {} }),
  async read(ctx, { vault }) {
    const entries: Entry[] = [];
    for (const row of await everyRow(ctx, searchProviders)) {
      const secret = row.secretSet ? await openProviderSecret(ctx, vault, row.channel, row.driver) : null;
      const item = {
        ...without(row, "id", "realmId", "secret", "secretSet", "version"),
        ...(secret !== null && { secret: new Secret(() => secret) }),
      };
      entries.push({ key: spot(row), id: spot(row), item });
    }
    return entries;
  },
  async create(ctx, tools, item) {
    await saveProvider(ctx, bodyOf(item), tools);
    return spot(item);
  },
  async update(ctx, tools, _current, item) {
    await saveProvider(ctx, bodyOf(item), tools);
  },
  remove: (ctx, _tools, { item }) => removeProvider(ctx, String(item.channel), String(item.driver)),
};

const variant = (one: { readonly templateKey?: unknown; readonly locale?: unknown }) =>
  typeof one.locale === "string" ? `${one.templateKey}/${one.locale}` : String(one.templateKey);

/** The realm's own texts. Texts that ship are not exported. */
export const messageTemplates: Section = {
  name: "messageTemplates",
  tables: ["message_templates"],
  permission,
  schema: Type.Object(without(SaveTemplate.properties, "id", "realmId", "isDefault", "channel") as never, { additionalProperties: false }),
  keyOf: variant,
  ignoresCase: true,
  defaults: () => ({ locale: null, subject: null, textBody: null, html: false, enabled: true }),
  read: async (ctx) =>
    (await everyRow(ctx, readTemplates))
      .filter(({ isDefault }) => !isDefault)
      .map((row) => ({ key: variant(row), id: row.id, item: without(row, "id", "realmId", "channel", "isDefault") })),
  create: async (ctx, _tools, item) => (await saveTemplate(ctx, bodyOf(item))).id,
  async update(ctx, _tools, _current, item) {
    await saveTemplate(ctx, bodyOf(item));
  },
  remove: (ctx, _tools, { item }) =>
    removeTemplate(ctx, String(item.templateKey), typeof item.locale === "string" ? item.locale : undefined),
};
