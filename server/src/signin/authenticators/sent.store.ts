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

/** The channel of a secret to the user. */
export interface Way {
  readonly channel: "EMAIL" | "SMS";
  readonly templateKey: OutgoingMessage["templateKey"];
  readonly lifetime: number;
  /** A link, which may be opened in another browser. */
  readonly isLink?: boolean;
  newSecret(): string;
  valuesOf(secret: string, at: StepContext): OutgoingMessage["values"];
}

/** The record of a sent secret. The secret cannot be derived from it. */
export interface Sent {
  /** Another one with each secret: a new one ends the one before. */
  readonly nonce: string;
  readonly mac: string;
  readonly sentAt: number;
  readonly expiresAt: number;
  readonly sends: number;
  /** The last message could not leave. Shown only where it reveals nothing about the account. */
  readonly failed: boolean;
  /** A link that was opened in this browser. */
  readonly confirmed?: boolean;
  /** Proves the secret to another browser, which is not told what it is bound to here. */
  readonly elsewhere?: string;
  /** The browser that asked for it, as another one shows it. */
  readonly askedBy?: { readonly userAgent: string | null; readonly sourceIp: string };
  /** Another browser, in which the link was opened, shows a code to be typed here. */
  readonly offered?: boolean;
}

const RESEND_AFTER = 30 * SECOND;
/** In one sign-in. Across them, the messaging counts by recipient. */
const MAX_SENDS = 5;

/** The address for users without one: the message is written like the others, and rolled back. */
export const NO_ADDRESS = { EMAIL: "nobody@nowhere.invalid", SMS: "+15550000000" } as const;

export const sentOf = ({ data }: StepContext): Sent | null => data as Sent | null;

/** The user's address; null: none. */
export function addressOf({ channel }: Way, user: SignInUser | null): string | null {
  const number = user?.attributes.phoneNumber;
  const address = channel === "EMAIL" ? user?.email : Array.isArray(number) ? number[0] : number;
  return typeof address === "string" && isRecipient(channel, address) ? address : null;
}

/** Before anything is proven every user counts as one with an address: a user who cannot be reached gets the same page. */
export const canReach =
  (way: Way) =>
  async ({ parts, realm, user, progress }: StepContext): Promise<boolean> =>
    (!isProven(progress) || addressOf(way, user) !== null) && parts.messages.canSend(parts.db, realm.realmId, way.channel);

/** Enough to recognise it; null while it would tell an anonymous caller that there is one. */
export function shownAddress(way: Way, { user, progress }: StepContext): string | null {
  const address = isProven(progress) ? addressOf(way, user) : null;
  return address === null ? null : maskRecipient(way.channel, address).replace("…", "•••");
}

/** Bound to the step of this sign-in, to the browser, and to the address that it went to. */
const macOf = (way: Way, { parts, realm, visitor, path, user }: StepContext, nonce: string, secret: string): string =>
  hmac(
    parts.vault.derive("signin.sent-secrets"),
    [realm.realmId, sha256(visitor.preSession), path, nonce, addressOf(way, user) ?? "", secret].join("\u0000"),
  );

/** Accepts only the secret that was sent last, until it expires. */
export const isSecret = (way: Way, at: StepContext, sent: Sent, typed: string): boolean =>
  safeEqual(sent.mac, macOf(way, at, sent.nonce, typed)) && addressOf(way, at.user) !== null && at.now < sent.expiresAt;

/** The same where the browser is another one than the sign-in's: bound to the step, to the secret that was sent last and to its address. */
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

/** Digits that stand for the secret: another browser shows them, and they are typed in the sign-in's own. They are stored nowhere. */
export const codeFor = (way: Way, at: Elsewhere, { nonce }: Sent, digits: number): string => {
  const number = Buffer.from(macElsewhere(way, at, nonce, CODE), "base64url").readUIntBE(0, 6) % 10 ** digits;
  return String(number).padStart(digits, "0");
};
/** No secret is as short. */
const CODE = "code";

/** Known to the server alone, which is enough: its content is in the sign-in's own row. */
const CONFIRMED = "confirmed";

/** The secret was brought back. It is used up, and what stays says to which address it went: another one is not confirmed by it. */
export const confirmed = (way: Way, at: StepContext, sent: Sent): Sent => ({
  ...sent,
  mac: macOf(way, at, sent.nonce, CONFIRMED),
  confirmed: true,
});

export const isConfirmed = (way: Way, at: StepContext, sent: Sent): boolean =>
  sent.confirmed === true && isSecret(way, at, sent, CONFIRMED);

/** A new secret is on its way. If it could not be sent, the one before stays as it is. */
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

/** Does the same work whether the user exists or not, so that the time does not reveal it. */
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
    // Users may change their number to one stranger's after the other, before any of them is proven. A new mail address is proven first.
    countsUser: way.channel === "SMS",
  };
  return trySend(ctx, at, message, address !== null);
}

/** False: the messaging refused it (turned off, too many for the recipient), which does not stop the sign-in. Unless `keeps`, it is taken back. */
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
    parts.log.info({ realm: ctx.realm, template: message.templateKey, reason: error.code }, "a message of a sign-in could not leave");
    return false;
  }
}

/** The user requests another one. */
/** After how many seconds another one can be asked for. */
export const resendWait = (at: StepContext): number => Math.max(0, Math.ceil(((sentOf(at)?.sentAt ?? 0) + RESEND_AFTER - at.now) / SECOND));

export function resend(way: Way, at: StepContext): Answer {
  const before = sentOf(at);
  if (before && at.now < before.sentAt + RESEND_AFTER)
    return { outcome: "again", problem: { title: "resendWaitTitle", text: "resendWaitText" } };
  if (before && before.sends >= MAX_SENDS) return { outcome: "again", problem: { title: "resendLimitTitle", text: "resendLimitText" } };
  return { outcome: "again", ...sendSecret(way, at) };
}

/** Tells whether the code that this names may be tried once more. */
export function mayTry({ parts, realm, visitor, progress }: StepContext, sent: string): Promise<boolean> {
  const origin = {
    realm: realm.realmId,
    actor: anonymousActor(realm.realmId, progress.login ?? ""),
    sourceIp: visitor.sourceIp,
    requestId: visitor.requestId,
  };
  return mayTryCode(parts.work, origin, sent);
}

/** There is nothing to try any more: another code has to be asked for. */
export const SPENT: Answer = { outcome: "again", problem: { title: "codeSpentTitle", text: "codeSpentText" } };
