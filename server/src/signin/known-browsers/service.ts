import type { Logger } from "pino";
import { DAY } from "../../kernel/clock.ts";
import { AppError, defineErrors } from "../../kernel/errors.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { cut } from "../../kernel/text.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import { browserName } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Places } from "../../platform/places.ts";
import type { Messages, MessageUser } from "../../tenancy/messaging/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import * as store from "./store.ts";

const browserErrors = defineErrors("browsers", { not_found: [404, "You have no such browser"] });

/** The lifetime of the cookie. */
const KNOWN_FOR = 365 * DAY;
/** Sign-ins close to each other are one: an ordinary one writes nothing here. */
const TOUCH_EVERY = DAY;
const MAX_BROWSERS = 50;
const MAIL_LIFETIME = DAY;
const DETAIL = "trusted-browser";

export interface KnownBrowserParts {
  readonly messages: Messages;
  readonly places: Places;
  readonly baseUrl: string;
  readonly log: Logger;
}

export interface SignedInWith {
  readonly realm: RealmSnapshot;
  readonly user: MessageUser;
  /** The value of the browser's cookie. */
  readonly token: string | null;
  readonly userAgent: string | null;
  /** The network address that the browser came from. */
  readonly address: string | null;
  readonly locale: string;
  /** They asked to trust it, with a second factor: the authenticators that they passed. Null: they did not. */
  readonly trustedBy: readonly string[] | null;
}

export interface NotedBrowser {
  readonly id: string;
  /** The new value of the browser's cookie; null: unchanged. */
  readonly cookie: string | null;
}

/**
 * After a sign-in; null: the realm has no use for it. A value that the browser brings is looked up but never stored: another host or person could
 * have planted it. Each user gets their own, and another one when trust begins.
 */
export async function noteBrowser(ctx: Ctx, parts: KnownBrowserParts, by: SignedInWith): Promise<NotedBrowser | null> {
  const { trustedDevices, newDeviceMail, bruteForce } = by.realm.settings;
  // Brute-force protection spares the browsers that are known.
  if (!trustedDevices.enabled && !newDeviceMail && !bruteForce.enabled) return null;
  const trusts = by.trustedBy !== null && trustedDevices.enabled;
  const known = await store.findBrowser(ctx.tx, ctx.realm, by.user.id, store.hashesIn(by.token), ctx.now);
  if (known && !trusts && ctx.now - known.lastSeenAt < TOUCH_EVERY) return { id: known.id, cookie: null };
  const value = known && !trusts ? store.valuesIn(by.token).find((each) => sha256(each) === known.tokenHash)! : randomToken();
  const id = known?.id ?? newId();
  const seen: store.SeenBrowser = {
    userId: by.user.id,
    tokenHash: sha256(value),
    userAgent: by.userAgent === null ? null : cut(by.userAgent, 512),
    trust: trusts ? { until: ctx.now + trustedDevices.days * DAY, by: by.trustedBy } : null,
    expiresAt: ctx.now + KNOWN_FOR,
  };
  if (known) await store.touchBrowser(ctx.tx, ctx.realm, id, seen, ctx.now);
  // No notification for the first browser.
  else if (await store.insertBrowser(ctx.tx, ctx.realm, id, seen, ctx.now)) {
    await store.keepNewestBrowsers(ctx.tx, ctx.realm, by.user.id, MAX_BROWSERS);
    if (newDeviceMail) await notifyNewBrowser(ctx, parts, by);
  }
  if (trusts) audit(ctx, "CREDENTIAL_ADDED", by.user);
  const others = store.valuesIn(by.token).filter((each) => each !== value && sha256(each) !== known?.tokenHash);
  return { id, cookie: [value, ...others].slice(0, store.MAX_VALUES).join(".") };
}

const audit = (ctx: Ctx, type: "CREDENTIAL_ADDED" | "CREDENTIAL_REVOKED", { id, username }: Pick<MessageUser, "id" | "username">) =>
  ctx.audit({ category: "SECURITY", type, resourceType: "users", resourceId: id, detail: DETAIL, actor: { id, name: username } });

/** A failed mail must not prevent the sign-in. */
async function notifyNewBrowser(
  ctx: Ctx,
  { messages, places, baseUrl, log }: KnownBrowserParts,
  { user, userAgent, address, locale }: SignedInWith,
): Promise<void> {
  if (user.email === null || !(await messages.canSend(ctx.tx, ctx.realm, "EMAIL"))) return;
  try {
    await messages.send(ctx, {
      templateKey: "new-device-email",
      to: user.email,
      user,
      locale,
      values: {
        link: `${baseUrl}/realms/${ctx.realm}/account/`,
        browser: userAgent === null ? "?" : browserName(userAgent),
        address: address === null ? "?" : places.beside(address, locale),
        at: ctx.now,
      },
      expiresAt: ctx.now + MAIL_LIFETIME,
    });
  } catch (error) {
    // The realm has turned it off, the address is none, or there were too many.
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    log.info({ realm: ctx.realm, code: error.code }, "no mail about a new device was sent");
  }
}

/** Forgets one of the user's browsers. Its sessions continue; they are ended separately. */
export async function forgetBrowser(ctx: Ctx, id: string): Promise<void> {
  const trustedUntil = isId(id) ? await store.deleteBrowser(ctx.tx, ctx.realm, ctx.actor.id, id) : null;
  if (trustedUntil === null) throw browserErrors.not_found();
  if (trustedUntil > ctx.now) audit(ctx, "CREDENTIAL_REVOKED", { id: ctx.actor.id, username: ctx.actor.name });
}

/** `user.password_changed`, `user.credentials_changed`: the trust rested on the credentials of that time. */
export const endTrust = (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> =>
  store.distrustBrowsers(ctx.tx, ctx.realm, userId);

/**
 * `settings.changed`: trust ends when the realm turns it off. When it is turned on again, too: a sign-in that was under way when it was
 * turned off may have been given some.
 */
export async function endAllTrust(
  ctx: Ctx,
  { before, settings }: { readonly before: Settings; readonly settings: Settings },
): Promise<void> {
  if (before.trustedDevices.enabled !== settings.trustedDevices.enabled) await store.distrustBrowsers(ctx.tx, ctx.realm);
}
