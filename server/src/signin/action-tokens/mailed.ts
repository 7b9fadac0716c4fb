import { randomInt } from "node:crypto";
import { MINUTE, SECOND } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { hmac, safeEqual, type Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import { inSavepoint } from "../../platform/db/index.ts";
import type { Messages, MessageUser, TemplateKey } from "../../tenancy/messaging/index.ts";
import { dropTokensOf, newActionToken, storeToken, type TokenKind, tokenHash } from "./store.ts";

/** Until then no other mail is sent for the same step. */
const RESEND_AFTER = 30 * SECOND;

/** The data of the page that waits for the code. The code cannot be derived from it. */
export interface Mailed {
  readonly tokenHash: string;
  readonly codeMac: string;
  readonly sentAt: number;
  /** The reason why no mail was sent, if the page may show it. */
  readonly failure: "limited" | "unavailable" | null;
}

export interface MailParts {
  readonly messages: Messages;
  readonly vault: Vault;
  readonly baseUrl: string;
}

interface LinkMail {
  readonly kind: TokenKind;
  readonly templateKey: TemplateKey;
  /** See `OutgoingMessage`. */
  readonly countedAs?: TemplateKey;
  readonly countsUser?: boolean;
  readonly to: string;
  /** Null for an address that has no account yet. */
  readonly user: MessageUser | null;
  readonly locale: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly minutes: number;
  /** The path of the linked page, below the realm. The token is appended. */
  readonly path: string;
  /** False if the mail is written like the others and rolled back, so that the time does not reveal who gets none. No code fits then. */
  readonly keeps: boolean;
  /** True if it replaces every other token of this kind of the user, once its mail can be sent. */
  readonly isOnlyOne?: boolean;
  /** True if the token stays when its mail cannot be sent, to be mailed again. No code fits until then. */
  readonly keepsUnsent?: boolean;
}

const codeKey = (vault: Vault) => vault.derive("signin.mailed-codes");
const macOf = (vault: Vault, hash: string, code: string) => hmac(codeKey(vault), `${hash}\u0000${code}`);
const newCode = () => String(randomInt(1_000_000)).padStart(6, "0");

/**
 * Sends a mail with a link that works in any browser and a code that works on the page that asked for it. The first use consumes the other.
 * If it cannot be sent, only the reason is kept.
 */
export async function mailLink(ctx: Ctx, { messages, vault, baseUrl }: MailParts, mail: LinkMail): Promise<Mailed> {
  const token = newActionToken();
  const code = newCode();
  const hash = tokenHash(token);
  const { templateKey, countedAs = templateKey, countsUser = false, to, user, locale, kind, data, minutes, keeps, keepsUnsent } = mail;
  const expiresAt = ctx.now + minutes * MINUTE;
  const link = `${baseUrl}/realms/${ctx.realm}/${mail.path}/${token}`;
  const values = { link, code, ttlSeconds: minutes * 60 };
  const store = async () => {
    if (mail.isOnlyOne && user) await dropTokensOf(ctx, kind, user.id);
    await storeToken(ctx, { kind, userId: user?.id ?? null, data, expiresAt, token });
  };
  const write = async () => {
    const message = { templateKey, countedAs, countsUser, to, user, locale, values, expiresAt };
    const failure = await messages.send(ctx, message).then(() => null, failureOf);
    await store();
    return failure;
  };
  const failure = await inSavepoint(ctx.tx, write, (failed) => keeps && failed === null);
  if (failure !== null && keepsUnsent) await inSavepoint(ctx.tx, store, () => keeps);
  const fits = keeps && failure === null;
  return { tokenHash: hash, codeMac: macOf(vault, hash, fits ? code : newActionToken()), sentAt: ctx.now, failure };
}

/** Tells whether the typed code is the mailed one. Spaces and dashes are ignored. */
export const isMailedCode = (vault: Vault, { tokenHash: hash, codeMac }: Mailed, typed: string): boolean =>
  safeEqual(codeMac, macOf(vault, hash, typed.replace(/[\s-]/g, "")));

/** Returns after how many seconds the user can ask for another mail. */
export const resendWait = ({ sentAt }: Pick<Mailed, "sentAt">, now: number): number =>
  Math.max(0, Math.ceil((sentAt + RESEND_AFTER - now) / SECOND));

export const mayResend = ({ sentAt }: Mailed, now: number): boolean => now >= sentAt + RESEND_AFTER;

/** Returns the reason for the page if messaging refused the mail. Any other error is rethrown. */
export function failureOf(error: unknown): "limited" | "unavailable" {
  if (error instanceof AppError && error.code === "messaging.too_many") return "limited";
  if (error instanceof AppError && error.code.startsWith("messaging.")) return "unavailable";
  throw error;
}
