import { isMailAddress } from "../../kernel/text.ts";
import type { Channel } from "./driver.ts";

/** E.164: a plus, the country, at most 15 digits. */
export const isPhoneNumber = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text);

/** The sender of a text message: a number, a short code, or a name of up to 11 characters. */
export const isTextSender = (text: string): boolean =>
  isPhoneNumber(text) || /^\d{3,8}$/.test(text) || (/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,9}[A-Za-z0-9]$/.test(text) && /[A-Za-z]/.test(text));

/** FCM and APNs hand out tokens of such characters only; other characters could change the path or body. */
export const isDeviceToken = (text: string): boolean => /^[A-Za-z0-9_:.-]{1,4096}$/.test(text);

const isRecipientOf: Record<Channel, (text: string) => boolean> = { EMAIL: isMailAddress, SMS: isPhoneNumber, PUSH: isDeviceToken };

export const isRecipient = (channel: Channel, to: string): boolean => isRecipientOf[channel](to);

/** The format of a channel's recipients, for error messages. */
export const recipientForm: Record<Channel, string> = {
  EMAIL: "one email address, such as ada@example.com",
  SMS: "a telephone number in international form, such as +31612345678",
  PUSH: "a device token",
};

/** Enough to recognise whom a message went to, and not enough to reach them. */
export function maskRecipient(channel: Channel, to: string): string {
  if (channel === "EMAIL") return `${[...to][0]}…${to.slice(to.lastIndexOf("@"))}`;
  return channel === "SMS" ? `${to.slice(0, 3)}…${to.slice(-2)}` : "a device";
}

/** For a subject or a name: a character that could begin a new header becomes a space. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
