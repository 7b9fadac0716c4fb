import { isIP } from "node:net";
import { invalidFields } from "../../kernel/errors.ts";
import { isObject } from "../../kernel/json.ts";
import { type Locale, ownTextFaults, safeCustomCss, shippedTexts } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { expectVersion } from "../../platform/versions.ts";
import { assertHolds } from "../permissions/index.ts";
import type { Settings, UpdateSettings } from "./schema.ts";
import {
  defaultSettings,
  insertSettings,
  lockSettings,
  readSettings,
  settingsErrors,
  updateSettings,
  type VersionedSettings,
  withDefaults,
} from "./store.ts";
import { checkUserProfile } from "./user-profile.ts";

export { readSettings, type VersionedSettings } from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    "settings.changed": { readonly before: Settings; readonly settings: Settings };
  }
}

/** Replaces the settings of a realm. `baseUrl` is the address at which it is served. */
export async function saveSettings(ctx: Ctx, input: UpdateSettings, baseUrl: string): Promise<VersionedSettings> {
  refuseReadOnly({ realmId: ctx.realm }, input, ["realmId"]);
  const settings = withDefaults(ctx.realm, input);
  checkBetweenMembers(settings);
  checkPasskeyDomain(settings, baseUrl);
  const stored = await lockSettings(ctx.tx, ctx.realm);
  if (!stored) throw settingsErrors.not_found();
  expectVersion(ctx, stored.version);
  const before = withDefaults(ctx.realm, stored.settings);
  assertMayForget(ctx, before, settings);
  const version = await updateSettings(ctx.tx, ctx.realm, withoutDefaults(ctx.realm, settings));
  await ctx.emit("settings.changed", { before, settings });
  await ctx.configChanged();
  const detail = changedMembers(before, settings);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "settings", resourceId: ctx.realm, detail });
  return { settings, version };
}

/** Requires `realm-admin` for a shorter retention, because it deletes evidence, including that of the caller's own actions. */
function assertMayForget({ actor }: Ctx, { audit: before }: Settings, { audit: { retentionDays } }: Settings): void {
  if (retentionDays !== null && retentionDays < (before.retentionDays ?? Number.POSITIVE_INFINITY)) assertHolds(actor, ["realm-admin"]);
}

const SHOWN_MEMBERS = 30;

/** Returns the names of the changed members for the audit trail, without their values. Returns null if none changed. */
function changedMembers(before: Settings, after: Settings): string | null {
  const names = [...new Set([...pathsIn(difference(after, before)), ...pathsIn(difference(before, after))])].sort();
  const more = names.length - SHOWN_MEMBERS;
  return [...names.slice(0, SHOWN_MEMBERS), ...(more > 0 ? [`and ${more} more`] : [])].join(", ") || null;
}

const pathsIn = (members: object): string[] =>
  Object.entries(members).flatMap(([name, member]) => (isObject(member) ? pathsIn(member).map((path) => `${name}.${path}`) : [name]));

/** Saves the display name for the list of realms, which shows and changes this one member. */
export async function saveDisplayName(
  ctx: Ctx,
  realm: string,
  displayName: string | null,
  check: (version: number) => void,
): Promise<void> {
  const stored = await lockSettings(ctx.tx, realm);
  if (!stored) throw settingsErrors.not_found();
  check(stored.version);
  await updateSettings(ctx.tx, realm, withoutDefaults(realm, { ...withDefaults(realm, stored.settings), displayName }));
  await ctx.configChanged(realm);
}

/** Sets the logo that pages show, for the images of the brand. With `instead`, it does so only if that logo was shown. */
export async function pointLogoAt(ctx: Ctx, logoUrl: string | null, instead?: string): Promise<void> {
  const stored = await lockSettings(ctx.tx, ctx.realm);
  if (!stored) throw settingsErrors.not_found();
  const settings = withDefaults(ctx.realm, stored.settings);
  if (settings.logoUrl === logoUrl || (instead !== undefined && settings.logoUrl !== instead)) return;
  await updateSettings(ctx.tx, ctx.realm, withoutDefaults(ctx.realm, { ...settings, logoUrl }));
}

/** Handles `realm.created`. */
export async function seedSettings(ctx: Ctx, seed: { readonly realm: string; readonly displayName: string | null }): Promise<void> {
  await insertSettings(ctx.tx, seed.realm, seed.displayName === null ? {} : { displayName: seed.displayName });
}

function checkBetweenMembers(settings: Settings): void {
  const { passwordPolicy: policy } = settings;
  if (policy.minLength > policy.maxLength) {
    throw invalidFields([
      { field: "passwordPolicy.minLength", code: "range", message: "passwordPolicy.minLength may not exceed maxLength" },
    ]);
  }
  const { signAssertion, signResponse } = settings.saml;
  if (!signAssertion && !signResponse) {
    const message = "saml.signResponse must be true where saml.signAssertion is false: an assertion without any signature proves nothing";
    throw invalidFields([{ field: "saml.signResponse", code: "unsigned", message }]);
  }
  checkUserProfile(settings.userProfile);
  checkBranding(settings);
  checkTexts(settings);
}

/** The limit on the length of all texts, because every realm in use has them in memory. */
const MOST_LETTERS = 200_000;
const SHOWN_FAULTS = 20;

export function checkTexts({ texts }: Pick<Settings, "texts">): void {
  const faults = ownTextFaults(texts).slice(0, SHOWN_FAULTS);
  if (faults.length > 0)
    throw invalidFields(
      faults.map(({ path, message }) => ({ field: `texts.${path}`, code: "text", message: `texts.${path}: ${message}` })),
    );
  if (JSON.stringify(texts).length > MOST_LETTERS)
    throw invalidFields([{ field: "texts", code: "size", message: `texts may hold ${MOST_LETTERS} characters` }]);
}

/** Returns every text of the pages in a language: the default text, and the realm's own. */
export async function readTexts(db: Db, realm: string, locale: Locale) {
  const { settings } = await readSettings(db, realm);
  const own = settings.texts[locale] ?? {};
  return Object.entries(shippedTexts(locale)).map(([name, shipped]) => ({ name, shipped, own: own[name] ?? null }));
}

/** Refuses a domain for which every sign-in by passkey would fail: browsers require the page to be in it, and refuse top-level domains. */
function checkPasskeyDomain({ passkeys: { rpId } }: Settings, baseUrl: string): void {
  const { hostname } = new URL(baseUrl);
  if (rpId === null || rpId === hostname) return;
  const isParent = rpId.includes(".") && hostname.endsWith(`.${rpId}`) && isIP(hostname) === 0;
  if (isParent) return;
  const message = `passkeys.rpId must be ${hostname}, which is the host of this server's address, or a domain that it is in`;
  throw invalidFields([{ field: "passkeys.rpId", code: "domain", message }]);
}

/** Checks rules of the branding beyond the schema. `at` is the path in the request. */
export function checkBranding({ logoUrl, customCss }: Pick<Settings, "logoUrl" | "customCss">, at = ""): void {
  if (logoUrl?.startsWith("https:") && !URL.canParse(logoUrl))
    throw invalidFields([{ field: `${at}logoUrl`, code: "format", message: `${at}logoUrl is not a valid address` }]);
  const css = customCss === null ? null : safeCustomCss(customCss);
  if (css && !css.ok) throw invalidFields([{ field: `${at}customCss`, code: "css", message: css.reason }]);
}

/** Returns the settings that differ from the defaults. Only they are stored, so that better defaults of a later release also reach old realms. */
function withoutDefaults(realm: string, settings: Settings): Record<string, unknown> {
  return difference(settings, defaultSettings(realm));
}

function difference(value: object, plain: object): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const usual = (plain as Record<string, unknown>)[name];
    const nested = isObject(member) ? difference(member, isObject(usual) ? usual : {}) : null;
    // A list is one value, so it is stored completely.
    if (nested ? Object.keys(nested).length > 0 : JSON.stringify(member) !== JSON.stringify(usual)) stored[name] = nested ?? member;
  }
  return stored;
}
