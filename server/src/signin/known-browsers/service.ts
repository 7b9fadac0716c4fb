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
/** The interval at which the last sign-in is updated, so that an ordinary sign-in writes nothing. */
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
  /** The network address of the browser. */
  readonly address: string | null;
  readonly locale: string;
  /** The authenticators that the user passed, if they asked to trust the browser with a second factor. Null if they did not. */
  readonly trustedBy: readonly string[] | null;
}

export interface NotedBrowser {
  readonly id: string;
  /** The new value of the browser's cookie. Null if it is unchanged. */
  readonly cookie: string | null;
}

/**
 * Records the browser after a sign-in. Returns null if the realm has no use for it. A value that the browser sends is looked up but never
 * stored, because another host or person could have planted it. Each user gets their own value, and another one when trust begins.
 */
export async function noteBrowser(ctx: Ctx, parts: KnownBrowserParts, by: SignedInWith): Promise<NotedBrowser | null> {
  const { trustedDevices, newDeviceMail, bruteForce } = by.realm.settings;
  // Brute-force protection spares known browsers.
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
  // There is no notification for the first browser.
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

/** Notifies the user. A failed mail must not prevent the sign-in. */
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
    // The realm has disabled the mail, the address is invalid, or there were too many mails.
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    log.info({ realm: ctx.realm, code: error.code }, "no mail about a new device was sent");
  }
}

/** Forgets one of the user's browsers. Its sessions continue, because they are ended separately. */
export async function forgetBrowser(ctx: Ctx, id: string): Promise<void> {
  const trustedUntil = isId(id) ? await store.deleteBrowser(ctx.tx, ctx.realm, ctx.actor.id, id) : null;
  if (trustedUntil === null) throw browserErrors.not_found();
  if (trustedUntil > ctx.now) audit(ctx, "CREDENTIAL_REVOKED", { id: ctx.actor.id, username: ctx.actor.name });
}

/** Ends the trust on `user.password_changed` and `user.credentials_changed`, because it depended on the former credentials. */
export const endTrust = (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> =>
  store.distrustBrowsers(ctx.tx, ctx.realm, userId);

/**
 * Ends all trust on `settings.changed` when the realm disables it, and also when the realm enables it again: a sign-in that was in progress
 * may have stored trust meanwhile.
 */
export async function endAllTrust(
  ctx: Ctx,
  { before, settings }: { readonly before: Settings; readonly settings: Settings },
): Promise<void> {
  if (before.trustedDevices.enabled !== settings.trustedDevices.enabled) await store.distrustBrowsers(ctx.tx, ctx.realm);
}
