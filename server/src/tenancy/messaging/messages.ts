import { HOUR, MINUTE } from "../../kernel/clock.ts";
import { AppError, defineErrors } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { hmac, type Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { enqueue, sealPlace } from "../../platform/jobs/index.ts";
import { imagesOf } from "../images/index.ts";
import { readSettings, type Settings } from "../settings/index.ts";
import { mailBrand, NO_BRAND } from "./brand.ts";
import type { Channels } from "./channels.store.ts";
import type { Channel, Provider } from "./driver.ts";
import { takeFromLimit, tooMany } from "./limits.store.ts";
import type { Mailbox } from "./mailbox.ts";
import type { SealedMessage } from "./messages.delivery.ts";
import type { MessageMetrics } from "./messages.metrics.ts";
import { findProvider } from "./providers.store.ts";
import { findPushToken } from "./push-tokens.store.ts";
import { isRecipient, recipientForm } from "./recipients.ts";
import { entryOf, type TemplateKey } from "./templates.catalogue.ts";
import { isPageAddress, type MessageUser, renderTemplate, timeText, ttlText, valuesOf } from "./templates.render.ts";
import { displayName, templateFor } from "./templates.service.ts";
import { storedTemplates } from "./templates.store.ts";

export const MESSAGE_JOB = "message.send";
/** Together with the waits of messages.delivery.ts, attempts last more than half a day, unless the message expires earlier. */
const MAX_ATTEMPTS = 14;

export interface OutgoingMessage {
  readonly templateKey: TemplateKey;
  /** An email address, a telephone number, or for PUSH the id of a push token of this user. */
  readonly to: string;
  /** Null if there is no account yet. A mail to an address that the user has not confirmed greets them by the address. */
  readonly user: MessageUser | null;
  /** The language of the page that requested the message, if there was one; otherwise the user's own language. */
  readonly locale?: string | null;
  readonly values: {
    readonly code?: string;
    readonly link?: string;
    readonly ttlSeconds?: number;
    readonly organization?: string;
    readonly agent?: string;
    readonly browser?: string;
    readonly address?: string;
    /** Epoch milliseconds. */
    readonly at?: number;
  };
  /** PUSH: data for the app. */
  readonly data?: Readonly<Record<string, string>>;
  /** Epoch milliseconds. Nothing is sent after this time. */
  readonly expiresAt: number;
  /** The template that the message counts as for its recipient. Default: its own. */
  readonly countedAs?: TemplateKey;
  /** True to count the message for the user as well: the user named the recipient, and could name one stranger after another. */
  readonly countsUser?: boolean;
}

export interface Messages {
  /** Tells whether messages of this channel can be sent. Pages offer one only if they can. */
  canSend(db: Db, realm: string, channel: Channel): Promise<boolean>;
  /** Tells the same from a cache, for pages. It must not be called in a transaction, which may have changed the result. */
  offers(realm: string, channel: Channel): Promise<boolean>;
  /**
   * Puts a message into the transaction: it leaves only after a commit. Returns its id. Throws 409 if the message could never leave, and 429 if there were too
   * many.
   */
  send(ctx: Ctx, message: OutgoingMessage): Promise<string>;
  /** Counts a message that the realm has turned off as if it had left, so that the limits do not reveal whom it was for. */
  count(ctx: Ctx, message: Counted): Promise<void>;
}

type Counted = Pick<OutgoingMessage, "templateKey" | "to" | "user" | "countedAs" | "countsUser">;

const errors = defineErrors("messaging", {
  no_device: [409, "This device is not registered with the provider that sends push messages: register it again"],
  expired: [409, "The message would have expired before it could be sent"],
});

const noProvider = (channel: Channel) =>
  new AppError(
    "messaging.no_provider",
    409,
    `This realm cannot send messages by ${channel} yet: an administrator has to configure and enable a provider for that channel`,
  );
const templateDisabled = (key: TemplateKey) =>
  new AppError(
    "messaging.template_disabled",
    409,
    `This realm has turned the message “${key}” off: an administrator can enable its template`,
  );
const badRecipient = (channel: Channel) =>
  new AppError("messaging.bad_recipient", 409, `The message cannot be addressed: a recipient of ${channel} is ${recipientForm[channel]}`);

interface Parts {
  readonly baseUrl: string;
  readonly vault: Vault;
  readonly metrics: MessageMetrics;
  readonly channels: Channels;
  /** Keeps the mail of realms that have no provider; null if there is no mailbox. */
  readonly mailbox: Mailbox | null;
}

export function createMessages({ baseUrl, vault, metrics, channels, mailbox }: Parts): Messages {
  const marks = messageMarks(vault);
  const keeps = (channel: Channel) => mailbox !== null && channel === mailbox.channel;

  /**
   * Applies the limits, the recipient's first: too many messages to one address must not use up the limit of the realm. Each template has its own limit: mails
   * that anyone can request for an address must not use up those that its owner needs to sign in.
   */
  const takeLimits = async (ctx: Ctx, channel: Channel, message: Counted, { messaging }: Settings) => {
    const { to, user, templateKey, countedAs = templateKey, countsUser = false } = message;
    const { maxPerRecipient, recipientMinutes, maxPerHour } = messaging;
    const recipient = marks.recipient(ctx.realm, channel, to);
    const rules: (readonly ["recipient" | "user" | "realm", string, number, number])[] = [
      ["recipient", limitOf(recipient, countedAs), maxPerRecipient, recipientMinutes * MINUTE],
    ];
    // Without a user the same statement runs, so that the response time does not reveal whether there is one.
    if (countsUser)
      rules.push(["user", limitOf(marks.user(ctx.realm, user?.id ?? ""), countedAs), maxPerRecipient, recipientMinutes * MINUTE]);
    rules.push(["realm", `realm:${channel}`, maxPerHour, HOUR]);
    for (const [whose, subject, limit, windowMs] of rules) {
      const wait = await takeFromLimit(ctx.tx, ctx.realm, subject, { limit, windowMs }, ctx.now);
      if (wait === 0) continue;
      metrics.count(channel, "limited");
      throw tooMany(wait, whose);
    }
  };

  return {
    canSend: async (db, realm, channel) => keeps(channel) || (await findProvider(db, vault, realm, channel)) !== null,
    offers: async (realm, channel) => keeps(channel) || ((await channels.get(realm))?.channels.has(channel) ?? false),
    async send(ctx, message) {
      const { templateKey, to, user, expiresAt } = message;
      const { channel } = entryOf(templateKey);
      if (message.values.link !== undefined && !isPageAddress(message.values.link))
        throw new Error(`The link of a ${templateKey} must be an http or https address`);
      if (expiresAt <= ctx.now) throw errors.expired();
      const provider = await findProvider(ctx.tx, vault, ctx.realm, channel);
      if (!provider && !keeps(channel)) throw noProvider(channel);
      await checkRecipient(ctx, channel, message, provider);
      if (!provider) mailbox?.expect(ctx.realm);
      const { settings } = await readSettings(ctx.tx, ctx.realm);
      const stored = await storedTemplates(ctx.tx, ctx.realm, templateKey);
      const template = templateFor(templateKey, stored, [message.locale, localeOf(user)], settings.defaultLocale);
      if (!template) throw templateDisabled(templateKey);

      const { ttlSeconds, at, ...given } = message.values;
      const ttl = ttlSeconds === undefined ? undefined : ttlText(ttlSeconds, template.locale ?? "en");
      const time = at === undefined ? undefined : timeText(at, template.locale ?? "en", user);
      // An unconfirmed address may belong to a stranger, who must not receive what the user wrote.
      const greeted = user === null || isUnconfirmed(channel, to, user) ? unknownUserAt(channel, to) : user;
      const facts = { ...given, realm: displayName(settings), user: greeted, ttl, time };
      const brand = channel === "EMAIL" ? mailBrand(settings, await imagesOf(ctx.tx, ctx.realm), baseUrl) : NO_BRAND;
      const sealed: SealedMessage = {
        channel,
        to,
        userId: user?.id ?? null,
        ...renderTemplate(template.compiled, valuesOf(facts), brand),
        ...(message.data && { data: message.data }),
        expiresAt,
        askedAt: ctx.now,
      };
      // Limits come after the other work, so that the response time does not reveal whose limit is reached.
      await takeLimits(ctx, channel, message, settings);
      const id = newId();
      await enqueue(
        ctx.tx,
        {
          id,
          kind: MESSAGE_JOB,
          realm: ctx.realm,
          payload: { channel, to: marks.recipient(ctx.realm, channel, to), ...(user && { user: marks.user(ctx.realm, user.id) }) },
          sealed: vault.seal(JSON.stringify(sealed), sealPlace(ctx.realm, id)),
          runAt: ctx.now,
          maxAttempts: MAX_ATTEMPTS,
        },
        ctx.now,
      );
      return id;
    },
    count: async (ctx, message) =>
      takeLimits(ctx, entryOf(message.templateKey).channel, message, (await readSettings(ctx.tx, ctx.realm)).settings),
  };
}

/** Checks that a push message goes to a device of the user that the realm's provider can reach, and any other message to one well-formed address. */
async function checkRecipient(ctx: Ctx, channel: Channel, { to, user }: OutgoingMessage, provider: Provider | null): Promise<void> {
  if (channel !== "PUSH") {
    if (!isRecipient(channel, to)) throw badRecipient(channel);
    return;
  }
  const device = user && (await findPushToken(ctx.tx, ctx.realm, to, user.id));
  if (!device || device.driver !== provider?.driver) throw errors.no_device();
}

function localeOf(user: MessageUser | null): string | null {
  const locale = user && Object.hasOwn(user.attributes, "locale") ? user.attributes.locale : null;
  return typeof locale === "string" ? locale : null;
}

const isUnconfirmed = (channel: Channel, to: string, { email, emailVerified }: MessageUser): boolean =>
  channel === "EMAIL" && !(emailVerified && email !== null && loginKey(email) === loginKey(to));

/** Describes a recipient without an account, of whom only the address is known. */
const unknownUserAt = (channel: Channel, to: string): MessageUser => ({
  id: "",
  username: to,
  email: channel === "EMAIL" ? to : null,
  emailVerified: false,
  attributes: {},
});

/** Returns the subject of a limit for a recipient, made of the recipient's mark. */
export const limitOf = (mark: string, templateKey: TemplateKey): string => `${mark}:${templateKey}`;

/** Returns keyed hashes of recipients. They find messages again without storing the address. */
export function messageMarks(vault: Vault) {
  const key = vault.derive("messaging.limits");
  const mark = (...parts: string[]) => hmac(key, parts.join("\u0000"));
  return {
    recipient: (realm: string, channel: Channel, to: string) => mark("recipient", realm, channel, mailbox(channel, to)),
    user: (realm: string, userId: string) => mark("user", realm, userId),
  };
}

/** Returns one form of an address for all its spellings: without regard to letter case and plus addressing. */
function mailbox(channel: Channel, to: string): string {
  if (channel !== "EMAIL") return to;
  const at = to.lastIndexOf("@");
  return loginKey(`${to.slice(0, at).replace(/(?<=.)\+.*/, "")}@${to.slice(at + 1)}`);
}
