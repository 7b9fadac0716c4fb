import { clock, HOUR, SECOND } from "../../kernel/clock.ts";
import { hmac, safeEqual, type Vault } from "../../kernel/vault.ts";
import type { MessageView, PageFrame } from "../../pages/index.ts";

/** A message that was shown. */
export interface ShownMessage {
  readonly status: number;
  readonly view: Omit<MessageView, keyof PageFrame>;
}

/**
 * Signed copies of messages. The answer to a form has no address, but its copy has one: it shows the same message in another language and
 * does nothing else.
 */
export interface MessageCopies {
  /** Returns null if the copy is too long for an address. */
  sign(message: ShownMessage, browser: string): string | null;
  /** Returns null if none of these browsers was shown the message within the hour. */
  read(text: string, browsers: readonly string[]): ShownMessage | null;
}

export const messagePath = (realm: string): string => `/realms/${realm}/message`;

/** With this length, the address stays below the limits of browsers and proxies. */
export const MAX_COPY = 2048;

export function createMessageCopies(vault: Pick<Vault, "derive">): MessageCopies {
  const key = vault.derive("message-copies");
  const signed = (content: string, browser: string) => hmac(key, `${content}.${browser}`);
  return {
    sign(message, browser) {
      const content = Buffer.from(JSON.stringify({ ...message, at: clock.now() })).toString("base64url");
      const text = `${content}.${signed(content, browser)}`;
      return text.length > MAX_COPY ? null : text;
    },
    read(text, browsers) {
      const [content = "", signature = "", ...rest] = text.split(".");
      if (rest.length > 0 || !browsers.some((browser) => safeEqual(signature, signed(content, browser)))) return null;
      const { at, status, view } = JSON.parse(Buffer.from(content, "base64url").toString()) as ShownMessage & { readonly at: number };
      const age = clock.now() - at;
      if (age > HOUR) return null;
      const { retryAfterSeconds: seconds } = view;
      return { status, view: { ...view, ...(seconds !== undefined && { retryAfterSeconds: waitLeft(seconds, age) }) } };
    },
  };
}

const waitLeft = (seconds: number, age: number): number => Math.max(1, seconds - Math.floor(age / SECOND));
