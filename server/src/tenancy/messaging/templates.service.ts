import { v5 } from "uuid";
import { AppError, defineErrors, type FieldError, invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { type ListQuery, type Page, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { expectState, expectVersion } from "../../platform/versions.ts";
import { imagesOf } from "../images/index.ts";
import { readSettings, type Settings } from "../settings/index.ts";
import { mailBrand } from "./brand.ts";
import { assertMayDirectMessages } from "./control.ts";
import { shippedTemplate, shippedTemplates, type TemplateText } from "./defaults.ts";
import { isPlaceholder } from "./placeholders.ts";
import { carriesSecret, entryOf, isTemplateKey, type TemplateKey, templateKeys } from "./templates.catalogue.ts";
import { canonicalLocale, localeChain } from "./templates.locale.ts";
import { type CompiledTemplate, compileTemplate, expectNeeds, isPageAddress, renderTemplate } from "./templates.render.ts";
import type { MessageTemplate, PreviewTemplate, RenderedTemplate, SaveTemplate } from "./templates.schema.ts";
import { countVariants, deleteTemplate, lockTemplate, type StoredTemplate, storedTemplates, upsertTemplate } from "./templates.store.ts";

const errors = defineErrors("messaging", {
  variant_not_found: [404, "There is no such message, or no variant of it in that language"],
  template_not_found: [404, "This realm does not override that template: the built-in text is already used"],
  too_many_languages: [409, "A template can have variants in at most 50 languages: remove one before you add another"],
});

const MAX_VARIANTS = 50;
/** The namespace of template ids. A template keeps its id, whether or not the realm has its own text. */
const TEMPLATE_IDS = "8f5cf9a2-4f0e-5d3b-9d0c-6b5f3d0f6a11";

type Variant = Omit<StoredTemplate, "version"> & { readonly isDefault: boolean; readonly version: number };

type VersionedTemplate = MessageTemplate & { readonly version: number };

/** Returns every message with its variants: the realm's own text if there is one, otherwise the default text. */
export async function readTemplates(ctx: ReadCtx, query: ListQuery): Promise<Page<MessageTemplate>> {
  const stored = await storedTemplates(ctx.tx, ctx.realm);
  const all = templateKeys.flatMap((key) => variantsOf(key, stored).map((variant) => toRecord(ctx.realm, variant)));
  return pageInMemory(all, templateList, query);
}

/** Without `sort`, the list has the order of the catalogue. */
const templateList: ShortList<MessageTemplate> = {
  sorts: { templateKey: ({ templateKey }) => templateKey },
  names: ({ templateKey }) => [templateKey],
  ids: ({ id }) => [id],
};

/** Returns one variant, in the form of the list. */
export async function readTemplate(ctx: ReadCtx, key: string, tag: string | undefined): Promise<VersionedTemplate> {
  const locale = variantOf(tag);
  const variants = isTemplateKey(key) ? variantsOf(key, await storedTemplates(ctx.tx, ctx.realm, key)) : [];
  const variant = variants.find((one) => one.locale === locale);
  if (!variant) throw errors.variant_not_found();
  return { ...toRecord(ctx.realm, variant), version: variant.version };
}

/** Changes a template at its own address, where it cannot become another one. */
export async function changeTemplate(ctx: Ctx, key: string, tag: string | undefined, input: SaveTemplate): Promise<VersionedTemplate> {
  refuseReadOnly({ templateKey: key, locale: variantOf(tag) ?? null }, input, ["templateKey", "locale"]);
  return saveTemplate(ctx, input);
}

/** Returns undefined if the tag is not a language. */
const variantOf = (tag: string | undefined): string | null | undefined => (tag ? (canonicalLocale(tag) ?? undefined) : null);

/** The escalation rule for a template: its text influences what users do with the link or code in it. */
function assertMayWrite(ctx: Ctx, key: TemplateKey): void {
  if (carriesSecret(key)) assertMayDirectMessages(ctx.actor);
}

/** Saves the realm's own text of one variant. Saving the default text removes the realm's own. */
export async function saveTemplate(ctx: Ctx, input: SaveTemplate): Promise<VersionedTemplate> {
  const key = keyOf(input.templateKey);
  assertMayWrite(ctx, key);
  const locale = localeOf(input.locale ?? null);
  const template = { templateKey: key, locale, enabled: input.enabled ?? true, ...textOf(input) };
  const { channel } = entryOf(key);
  refuseReadOnly({ channel }, input, ["channel"], `of ${key} is ${channel}`);
  checkTemplate(key, template);
  // The realm is held, so that the second of two new languages counts the first.
  await lockRealm(ctx.tx, ctx.realm);
  const current = await lockTemplate(ctx.tx, ctx.realm, key, locale);
  const shipped = shippedTemplate(key, locale);
  const id = idOf(ctx.realm, key, locale);
  refuseReadOnly({ id, realmId: ctx.realm, isDefault: current === null && shipped !== null }, input, ["id", "realmId", "isDefault"]);
  expectState(ctx, current?.version ?? (shipped === null ? null : 0));
  if (!current && (await countVariants(ctx.tx, ctx.realm, key)) >= MAX_VARIANTS) throw errors.too_many_languages();

  const isDefault = shipped !== null && template.enabled && sameText(shipped, template);
  if (isDefault) await deleteTemplate(ctx.tx, ctx.realm, key, locale);
  const version = isDefault ? 0 : await upsertTemplate(ctx.tx, ctx.realm, channel, id, template, ctx.now);
  audit(ctx, "ADMIN_UPDATE", id, key, locale);
  return { ...toRecord(ctx.realm, { ...template, isDefault, version }), version };
}

/** Returns to the default text. A language without a default text loses its variant. */
export async function removeTemplate(ctx: Ctx, key: string, tag: string | undefined): Promise<void> {
  const locale = variantOf(tag);
  const isKnown = isTemplateKey(key) && locale !== undefined;
  if (isKnown) assertMayWrite(ctx, key);
  const current = isKnown ? await lockTemplate(ctx.tx, ctx.realm, key, locale) : null;
  if (!isKnown || !current) throw errors.template_not_found();
  expectVersion(ctx, current.version);
  await deleteTemplate(ctx.tx, ctx.realm, key, locale);
  audit(ctx, "ADMIN_DELETE", idOf(ctx.realm, key, locale), key, locale);
}

/** Previews a saved template or a draft. It stores nothing. */
export async function previewTemplate(ctx: ReadCtx, baseUrl: string, input: PreviewTemplate): Promise<RenderedTemplate> {
  const key = keyOf(input.templateKey);
  const { settings } = await readSettings(ctx.tx, ctx.realm);
  const sample = checkSample(input.sample);
  const variants = variantsOf(key, await storedTemplates(ctx.tx, ctx.realm, key));
  const saved = pick(variants, [localeOf(input.locale ?? null)], settings.defaultLocale);
  const { subject = saved.subject, body = saved.body, html = saved.html } = input;
  // The saved plain part belongs to the saved body.
  const textBody = input.textBody !== undefined ? input.textBody : input.body === undefined && html === saved.html ? saved.textBody : null;
  const compiled = checkTemplate(key, { subject, body, html, textBody });
  const known = new Map([["realm", displayName(settings)], ...Object.entries(sample)]);
  const rendered = renderTemplate(
    compiled,
    (name) => known.get(name) ?? "",
    mailBrand(settings, await imagesOf(ctx.tx, ctx.realm), baseUrl),
  );
  return { subject: rendered.subject, body: rendered.html ?? rendered.text, text: rendered.text };
}

export const displayName = (settings: Settings): string => settings.displayName?.trim() || settings.realmId;

/** Returns the variant for these languages, or for the realm's own (`home`). Returns null if the message is turned off. */
export function templateFor(
  key: TemplateKey,
  stored: readonly StoredTemplate[],
  wishes: readonly (string | null | undefined)[],
  home: string,
): { readonly locale: string | null; readonly compiled: CompiledTemplate } | null {
  const variants = variantsOf(key, stored);
  if (!variants.some(({ locale, enabled }) => locale === null && enabled)) return null;
  const { locale, ...text } = pick(
    variants.filter(({ enabled }) => enabled),
    wishes,
    home,
  );
  // A text is checked when it is saved. Parts that only an older release accepted are left out, and the rest of the message is still sent.
  return { locale, compiled: compileTemplate(key, text, () => {}) };
}

/** Returns the variant of the first of these languages that has one. */
function pick(variants: readonly Variant[], wishes: readonly (string | null | undefined)[], home: string): Variant {
  // Built-in defaults are English; a realm's own default is in the realm's language.
  const english = variants.find(({ locale, isDefault }) => locale === null && (isDefault || home === "en"));
  for (const locale of localeChain([...wishes, home])) {
    const found = variants.find((variant) => variant.locale === locale) ?? (locale === "en" ? english : undefined);
    if (found) return found;
  }
  throw new Error("A template always has a variant for everybody");
}

/** Returns all variants, in order of their languages. The realm's own text replaces the default text. */
function variantsOf(key: TemplateKey, stored: readonly StoredTemplate[]): Variant[] {
  const own = stored.filter(({ templateKey }) => templateKey === key).map((template) => ({ ...template, isDefault: false }));
  const shipped = shippedTemplates
    .filter(({ templateKey, locale }) => templateKey === key && !own.some((template) => template.locale === locale))
    .map((template) => ({ ...template, enabled: true, isDefault: true, version: 0 }));
  return [...shipped, ...own].sort((a, b) => (a.locale ?? "").localeCompare(b.locale ?? "", "en"));
}

function toRecord(realm: string, { version: _version, ...variant }: Variant): MessageTemplate {
  return {
    id: idOf(realm, variant.templateKey, variant.locale),
    realmId: realm,
    channel: entryOf(variant.templateKey).channel,
    ...variant,
  };
}

const idOf = (realm: string, key: TemplateKey, locale: string | null): string =>
  v5([realm, key, entryOf(key).channel, locale ?? ""].join(" "), TEMPLATE_IDS);

const textOf = (input: SaveTemplate): TemplateText => ({
  subject: input.subject ?? null,
  body: input.body,
  textBody: input.textBody ?? null,
  html: input.html ?? false,
});

const sameText = (a: TemplateText, b: TemplateText): boolean =>
  a.subject === b.subject && a.body === b.body && a.textBody === b.textBody && a.html === b.html;

function keyOf(key: string): TemplateKey {
  if (isTemplateKey(key)) return key;
  const message = `templateKey must be one of: ${templateKeys.join(", ")}`;
  throw invalidFields([{ field: "templateKey", code: "enum", message }]);
}

function localeOf(tag: string | null): string | null {
  const locale = tag === null ? null : canonicalLocale(tag);
  if (tag !== null && locale === null)
    throw invalidFields([{ field: "locale", code: "format", message: "locale must be a language tag such as nl or pt-BR" }]);
  return locale;
}

// Tabs and line breaks are allowed in a text.
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** Reports all faults of a text at once. */
function checkTemplate(key: TemplateKey, template: TemplateText): CompiledTemplate {
  const { channel } = entryOf(key);
  const faults: FieldError[] = [];
  const fault = (field: string, message: string, code = "placeholder") => faults.push({ field, code, message: `${field}: ${message}` });
  if (channel === "EMAIL" && template.subject === null) fault("subject", "a mail needs one", "required");
  if (channel === "SMS" && template.subject !== null) fault("subject", "an SMS has no subject: leave it out", "channel");
  if (channel !== "EMAIL" && template.html) fault("html", "only mails can be HTML", "channel");
  if (!template.html && template.textBody !== null) fault("textBody", "textBody is only for an HTML body: leave it out", "channel");
  for (const field of ["body", "textBody"] as const)
    if (CONTROL.test(template[field] ?? "")) fault(field, "it holds control characters", "text");
  const compiled = compileTemplate(key, template, fault);
  if (faults.length === 0) expectNeeds(key, compiled, template.textBody !== null, fault);
  if (faults.length > 0) throw new AppError("messaging.template_invalid", 400, summary(faults), { errors: faults });
  return compiled;
}

const summary = (faults: readonly FieldError[]) =>
  faults.length === 1 ? faults[0]!.message : `The template has ${faults.length} faults: see errors`;

function checkSample(sample: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const faults = Object.keys(sample)
    .filter((name) => !isPlaceholder(name))
    .map((name) => ({ field: `sample.${name}`, code: "unknown", message: `sample.${name}: there is no placeholder of that name` }));
  if (sample.link !== undefined && sample.link !== "" && !isPageAddress(sample.link))
    faults.push({ field: "sample.link", code: "format", message: "sample.link must be an http or https address" });
  if (faults.length > 0) throw invalidFields(faults);
  return sample;
}

function audit(ctx: Ctx, type: "ADMIN_UPDATE" | "ADMIN_DELETE", id: string, key: TemplateKey, locale: string | null): void {
  ctx.audit({
    category: "ADMIN",
    type,
    resourceType: "messaging",
    resourceId: id,
    detail: `template ${key}${locale ? ` (${locale})` : ""}`,
  });
}
