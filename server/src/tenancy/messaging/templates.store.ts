import type { ColumnType, Selectable } from "kysely";
import { type Db, deleteRows, findRow, type Tx } from "../../platform/db/index.ts";
import type { TemplateText } from "./defaults.ts";
import type { TemplateKey } from "./templates.catalogue.ts";

interface MessageTemplatesTable {
  realm_id: string;
  template_key: TemplateKey;
  channel: string;
  /** Empty for the variant of users whose language has none. */
  locale: string;
  template_id: string;
  subject: string | null;
  body: string;
  text_body: string | null;
  html: boolean;
  enabled: boolean;
  updated_at: number;
  version: ColumnType<number, number | undefined, number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    message_templates: MessageTemplatesTable;
  }
}

/** A template that the realm has changed. */
export interface StoredTemplate extends TemplateText {
  readonly templateKey: TemplateKey;
  readonly locale: string | null;
  readonly enabled: boolean;
  readonly version: number;
}

const columns = ["template_key", "locale", "subject", "body", "text_body", "html", "enabled", "version"] as const;

export async function storedTemplates(db: Db, realm: string, key?: TemplateKey): Promise<StoredTemplate[]> {
  const rows = await db
    .selectFrom("message_templates")
    .select(columns)
    .where("realm_id", "=", realm)
    .$if(key !== undefined, (q) => q.where("template_key", "=", key!))
    .orderBy("template_key")
    .orderBy("locale")
    .execute();
  return rows.map(toTemplate);
}

/** Locks the template until commit, so that two who save it take turns. */
export async function lockTemplate(tx: Tx, realm: string, key: TemplateKey, locale: string | null): Promise<StoredTemplate | null> {
  const row = await findRow(tx, "message_templates", columns, { realm_id: realm, template_key: key, locale: locale ?? "" }, "update");
  return row ? toTemplate(row) : null;
}

export async function upsertTemplate(
  tx: Tx,
  realm: string,
  channel: string,
  id: string,
  template: Omit<StoredTemplate, "version">,
  now: number,
): Promise<number> {
  const text = {
    subject: template.subject,
    body: template.body,
    text_body: template.textBody,
    html: template.html,
    enabled: template.enabled,
    updated_at: now,
  };
  const row = await tx
    .insertInto("message_templates")
    .values({ realm_id: realm, template_key: template.templateKey, channel, locale: template.locale ?? "", template_id: id, ...text })
    .onConflict((conflict) =>
      conflict
        .columns(["realm_id", "template_key", "channel", "locale"])
        .doUpdateSet((eb) => ({ ...text, version: eb("message_templates.version", "+", 1) })),
    )
    .returning("version")
    .executeTakeFirstOrThrow();
  return row.version;
}

export async function deleteTemplate(tx: Tx, realm: string, key: TemplateKey, locale: string | null): Promise<void> {
  await deleteRows(tx, "message_templates", { realm_id: realm, template_key: key, locale: locale ?? "" });
}

export async function countVariants(tx: Tx, realm: string, key: TemplateKey): Promise<number> {
  const { count } = await tx
    .selectFrom("message_templates")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("realm_id", "=", realm)
    .where("template_key", "=", key)
    .executeTakeFirstOrThrow();
  return count;
}

const toTemplate = (row: Pick<Selectable<MessageTemplatesTable>, (typeof columns)[number]>): StoredTemplate => ({
  templateKey: row.template_key,
  locale: row.locale === "" ? null : row.locale,
  subject: row.subject,
  body: row.body,
  textBody: row.text_body,
  html: row.html,
  enabled: row.enabled,
  version: row.version,
});
