import { SECOND } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { hmac, randomToken, safeEqual, sha256 } from "../../kernel/vault.ts";
import { anonymousActor, type Ctx } from "../../platform/context.ts";
import { inSavepoint } from "../../platform/db/index.ts";
import { isRecipient, maskRecipient, type OutgoingMessage } from "../../tenancy/messaging/index.ts";
import { mayTryCode } from "../action-tokens/index.ts";
import type { Answer, Kept, StepContext } from "./authenticator.ts";
import { isProven } from "./progress.ts";
import { addresseeOf, type SignInUser } from "./user.store.ts";

/** The way in which a secret reaches the user. */
export interface Way {
  readonly channel: "EMAIL" | "SMS";
  readonly templateKey: OutgoingMessage["templateKey"];
  readonly lifetime: number;
  /** True for a link, which may be opened in another browser. */
  readonly isLink?: boolean;
  newSecret(): string;
  valuesOf(secret: string, at: StepContext): OutgoingMessage["values"];
}

/** The record of a sent secret. The secret cannot be derived from it. */
export interface Sent {
  /** Each secret has its own nonce, so a new secret ends the one before. */
  readonly nonce: string;
  readonly mac: string;
  readonly sentAt: number;
  readonly expiresAt: number;
  readonly sends: number;
  /** True if the last message could not be sent. Shown only if it reveals nothing about the account. */
  readonly failed: boolean;
  /** True if the link was opened and confirmed in this browser. */
  readonly confirmed?: boolean;
  /** The MAC that proves the secret in another browser, which does not have the pre-session to which `mac` is bound. */
  readonly elsewhere?: string;
  /** The browser that asked for the secret, for display in another one. */
  readonly askedBy?: { readonly userAgent: string | null; readonly sourceIp: string };
  /** True if another browser, in which the link was opened, shows a code to type here. */
  readonly offered?: boolean;
}

const RESEND_AFTER = 30 * SECOND;
/** The limit for one sign-in. Across sign-ins, messaging counts by recipient. */
const MAX_SENDS = 5;

/** The address for users without one. Their message is written like any other, and rolled back. */
export const NO_ADDRESS = { EMAIL: "nobody@nowhere.invalid", SMS: "+15550000000" } as const;

export const sentOf = ({ data }: StepContext): Sent | null => data as Sent | null;

/** Returns the user's address, or null if there is none. */
export function addressOf({ channel }: Way, user: SignInUser | null): string | null {
  const number = user?.attributes.phoneNumber;
  const address = channel === "EMAIL" ? user?.email : Array.isArray(number) ? number[0] : number;
  return typeof address === "string" && isRecipient(channel, address) ? address : null;
}

/** Tells whether a user can be reached. Before a proof everybody counts as reachable, so users without an address get the same page. */
export const canReach =
  (way: Way) =>
  async ({ parts, realm, user, progress }: StepContext): Promise<boolean> =>
    (!isProven(progress) || addressOf(way, user) !== null) && parts.messages.canSend(parts.db, realm.realmId, way.channel);

/** Returns enough of the address to recognise it. Returns null before a proof, because it would reveal that the account exists. */
export function shownAddress(way: Way, { user, progress }: StepContext): string | null {
  const address = isProven(progress) ? addressOf(way, user) : null;
  return address === null ? null : maskRecipient(way.channel, address).replace("…", "•••");
}

/** Returns the MAC of a secret, bound to the step of this sign-in, to the browser, and to the address that it went to. */
const macOf = (way: Way, { parts, realm, visitor, path, user }: StepContext, nonce: string, secret: string): string =>
  hmac(
    parts.vault.derive("signin.sent-secrets"),
    [realm.realmId, sha256(visitor.preSession), path, nonce, addressOf(way, user) ?? "", secret].join("\u0000"),
  );

/** Tells whether the secret is the one that was sent last, and has not expired. */
export const isSecret = (way: Way, at: StepContext, sent: Sent, typed: string): boolean =>
  safeEqual(sent.mac, macOf(way, at, sent.nonce, typed)) && addressOf(way, at.user) !== null && at.now < sent.expiresAt;

/** The context in another browser than the sign-in's. A MAC there is bound to the step, the last secret and its address. */
type Elsewhere = Pick<StepContext, "parts" | "realm" | "path" | "user">;
const macElsewhere = (way: Way, { parts, realm, path, user }: Elsewhere, nonce: string, what: string): string =>
  hmac(
    parts.vault.derive("signin.sent-secrets"),
    ["elsewhere", realm.realmId, path, nonce, addressOf(way, user) ?? "", what].join("\u0000"),
  );

export const isSecretElsewhere = (way: Way, at: Elsewhere & Pick<StepContext, "now">, sent: Sent, typed: string): boolean =>
  sent.elsewhere !== undefined &&
  safeEqual(sent.elsewhere, macElsewhere(way, at, sent.nonce, typed)) &&
  addressOf(way, at.user) !== null &&
  at.now < sent.expiresAt;

/**
 * Returns digits that stand for the secret: another browser shows them, and the user types them in the sign-in's own browser. They are
 * stored nowhere.
 */
export const codeFor = (way: Way, at: Elsewhere, { nonce }: Sent, digits: number): string => {
  const number = Buffer.from(macElsewhere(way, at, nonce, CODE), "base64url").readUIntBE(0, 6) % 10 ** digits;
  return String(number).padStart(digits, "0");
};
/** Takes the place of the secret in the MAC. No secret is this short. */
const CODE = "code";

/** Takes the place of a confirmed secret. It need not be secret: the MAC needs the server's key, and is in the sign-in's own row. */
const CONFIRMED = "confirmed";

/** Uses up a secret that was brought back. The new MAC still names the address that it went to, so no other address is confirmed by it. */
export const confirmed = (way: Way, at: StepContext, sent: Sent): Sent => ({
  ...sent,
  mac: macOf(way, at, sent.nonce, CONFIRMED),
  confirmed: true,
});

export const isConfirmed = (way: Way, at: StepContext, sent: Sent): boolean =>
  sent.confirmed === true && isSecret(way, at, sent, CONFIRMED);

/** Sends a new secret. If it cannot be sent, the one before stays valid. */
export function sendSecret(way: Way, at: StepContext): Kept {
  const before = sentOf(at);
  const secret = way.newSecret();
  const nonce = randomToken();
  const made: Sent = {
    ...{ nonce, mac: macOf(way, at, nonce, secret), sentAt: at.now, expiresAt: at.now + way.lifetime },
    ...(way.isLink && {
      elsewhere: macElsewhere(way, at, nonce, secret),
      askedBy: { userAgent: at.visitor.userAgent, sourceIp: at.visitor.sourceIp },
    }),
    ...{ sends: (before?.sends ?? 0) + 1, failed: false },
  };
  return {
    data: { ...made },
    commit: async (ctx) => ((await leaves(ctx, way, at, secret)) ? undefined : { ...made, ...before, ...counted(made), failed: true }),
  };
}

const counted = ({ sentAt, sends }: Sent) => ({ sentAt, sends });

/** Tells whether the message was sent. Does the same work whether the user exists or not, so that the time does not reveal it. */
function leaves(ctx: Ctx, way: Way, at: StepContext, secret: string): Promise<boolean> {
  const { user, visitor } = at;
  const address = addressOf(way, user);
  const message: OutgoingMessage = {
    templateKey: way.templateKey,
    to: address ?? NO_ADDRESS[way.channel],
    user: user && addresseeOf(user),
    locale: visitor.locale,
    values: { ...way.valuesOf(secret, at), ttlSeconds: way.lifetime / SECOND },
    expiresAt: ctx.now + way.lifetime,
    // The user may change their number to those of many strangers, because a number is not proven first. A new mail address is.
    countsUser: way.channel === "SMS",
  };
  return trySend(ctx, at, message, address !== null);
}

/**
 * Sends a message. Returns false if messaging refused it (disabled, or too many for the recipient), which does not stop the sign-in. Rolls
 * it back unless `keeps`.
 */
export async function trySend(ctx: Ctx, { parts }: StepContext, message: OutgoingMessage, keeps = true): Promise<boolean> {
  try {
    await inSavepoint(
      ctx.tx,
      () => parts.messages.send(ctx, message),
      () => keeps,
    );
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || !error.code.startsWith("messaging.")) throw error;
    parts.log.info({ realm: ctx.realm, template: message.templateKey, reason: error.code }, "a message of a sign-in could not be sent");
    return false;
  }
}

/** Returns after how many seconds the user can ask for another secret. */
export const resendWait = (at: StepContext): number => Math.max(0, Math.ceil(((sentOf(at)?.sentAt ?? 0) + RESEND_AFTER - at.now) / SECOND));

export function resend(way: Way, at: StepContext): Answer {
  const before = sentOf(at);
  if (before && at.now < before.sentAt + RESEND_AFTER)
    return { outcome: "again", problem: { title: "resendWaitTitle", text: "resendWaitText" } };
  if (before && before.sends >= MAX_SENDS) return { outcome: "again", problem: { title: "resendLimitTitle", text: "resendLimitText" } };
  return { outcome: "again", ...sendSecret(way, at) };
}

/** Tells whether the code that `sent` identifies may be tried once more. */
export function mayTry({ parts, realm, visitor, progress }: StepContext, sent: string): Promise<boolean> {
  const origin = {
    realm: realm.realmId,
    actor: anonymousActor(realm.realmId, progress.login ?? ""),
    sourceIp: visitor.sourceIp,
    requestId: visitor.requestId,
  };
  return mayTryCode(parts.work, origin, sent);
}

/** The code has no tries left, so the user has to ask for another one. */
export const SPENT: Answer = { outcome: "again", problem: { title: "codeSpentTitle", text: "codeSpentText" } };
