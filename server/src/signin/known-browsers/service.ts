import type { Logger } from "pino";
import { DAY } from "../../kernel/clock.ts";
import { AppError, defineErrors } from "../../kernel/errors.ts";
import { isId, NO_ID } from "../../kernel/ids.ts";
import { cut } from "../../kernel/text.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Messages, MessageUser } from "../../tenancy/messaging/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import {
  deleteBrowser,
  distrustBrowsers,
  findBrowser,
  insertBrowser,
  keepNewestBrowsers,
  type SeenBrowser,
  touchBrowser,
} from "./store.ts";

export const browserErrors = defineErrors("browsers", { not_found: [404, "You have no such browser"] });

/** As long as the cookie. */
const KNOWN_FOR = 365 * DAY;
/** Sign-ins close to each other are one: an ordinary one writes nothing here. */
const TOUCH_EVERY = DAY;
const MAX_BROWSERS = 50;
const MAIL_LIFETIME = DAY;
const DETAIL = "trusted-browser";

export interface KnownBrowserParts {
  readonly messages: Messages;
  readonly baseUrl: string;
  readonly log: Logger;
}

export interface SignedInWith {
  readonly realm: RealmSnapshot;
  readonly user: MessageUser;
  /** The value of the browser's cookie. */
  readonly token: string | null;
  readonly userAgent: string | null;
  readonly locale: string;
  /** They asked for it, with a second factor. */
  readonly trust: boolean;
}

/** After a sign-in. Returns the new value of the browser's cookie; null: unchanged. */
export async function noteBrowser(ctx: Ctx, parts: KnownBrowserParts, by: SignedInWith): Promise<string | null> {
  const { trustedDevices, newDeviceMail, bruteForce } = by.realm.settings;
  // Brute-force protection spares the browsers that are known.
  if (!trustedDevices.enabled && !newDeviceMail && !bruteForce.enabled) return null;
  const token = by.token !== null && /^[\w-]{43}$/.test(by.token) ? by.token : null;
  const trusts = by.trust && trustedDevices.enabled;
  const known = token === null ? null : await findBrowser(ctx.tx, ctx.realm, by.user.id, sha256(token), ctx.now);
  if (known && !trusts && ctx.now - known.lastSeenAt < TOUCH_EVERY) return null;
  const kept = token ?? randomToken();
  const seen: SeenBrowser = {
    userId: by.user.id,
    tokenHash: sha256(kept),
    userAgent: by.userAgent === null ? null : cut(by.userAgent, 512),
    trustedUntil: trusts ? ctx.now + trustedDevices.days * DAY : 0,
    expiresAt: ctx.now + KNOWN_FOR,
  };
  if (known) await touchBrowser(ctx.tx, ctx.realm, known.id, seen, ctx.now);
  // No notification for the first browser.
  else if (await insertBrowser(ctx.tx, ctx.realm, seen, ctx.now)) {
    await keepNewestBrowsers(ctx.tx, ctx.realm, by.user.id, MAX_BROWSERS);
    if (newDeviceMail) await notifyNewBrowser(ctx, parts, by);
  }
  if (trusts) audit(ctx, "CREDENTIAL_ADDED", by.user);
  return kept;
}

const audit = (ctx: Ctx, type: "CREDENTIAL_ADDED" | "CREDENTIAL_REVOKED", { id, username }: Pick<MessageUser, "id" | "username">) =>
  ctx.audit({ category: "SECURITY", type, resourceType: "users", resourceId: id, detail: DETAIL, actor: { id, name: username } });

/** A failed mail must not prevent the sign-in. */
async function notifyNewBrowser(ctx: Ctx, { messages, baseUrl, log }: KnownBrowserParts, { user, locale }: SignedInWith): Promise<void> {
  if (user.email === null || !(await messages.canSend(ctx.tx, ctx.realm, "EMAIL"))) return;
  try {
    await messages.send(ctx, {
      templateKey: "new-device-email",
      to: user.email,
      user,
      locale,
      values: { link: `${baseUrl}/realms/${ctx.realm}/login` },
      expiresAt: ctx.now + MAIL_LIFETIME,
    });
  } catch (error) {
    // The realm has turned it off, the address is none, or there were too many.
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    log.info({ realm: ctx.realm, code: error.code }, "no mail about a new device was sent");
  }
}

/** Whether no second factor has to be asked for in this browser. */
export async function isTrusted(
  db: Db,
  { realmId, settings }: RealmSnapshot,
  userId: string,
  token: string | null,
  now: number,
): Promise<boolean> {
  if (token === null || !settings.trustedDevices.enabled) return false;
  const browser = await findBrowser(db, realmId, userId, sha256(token), now);
  return browser !== null && browser.trustedUntil > now;
}

/** The id of the browser, if the user has signed in with it before. */
export async function knownBrowser(
  db: Db,
  realm: string,
  userId: string | null,
  token: string | null,
  now: number,
): Promise<string | null> {
  if (token === null) return null;
  return (await findBrowser(db, realm, userId ?? NO_ID, sha256(token), now))?.id ?? null;
}

/** Forgets one of the user's browsers. Its sessions continue; they are ended separately. */
export async function forgetBrowser(ctx: Ctx, id: string): Promise<void> {
  const trustedUntil = isId(id) ? await deleteBrowser(ctx.tx, ctx.realm, ctx.actor.id, id) : null;
  if (trustedUntil === null) throw browserErrors.not_found();
  if (trustedUntil > ctx.now) audit(ctx, "CREDENTIAL_REVOKED", { id: ctx.actor.id, username: ctx.actor.name });
}

/** `user.password_changed`, `user.credentials_changed`: what was trusted was so because of what they had then. */
export const endTrust = (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> => distrustBrowsers(ctx.tx, ctx.realm, userId);

/**
 * `settings.changed`: trust ends when the realm turns it off. When it is turned on again, too: a sign-in that was under way when it was
 * turned off may have been given some.
 */
export async function endAllTrust(
  ctx: Ctx,
  { before, settings }: { readonly before: Settings; readonly settings: Settings },
): Promise<void> {
  if (before.trustedDevices.enabled !== settings.trustedDevices.enabled) await distrustBrowsers(ctx.tx, ctx.realm);
}
