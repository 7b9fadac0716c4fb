import { isMailAddress } from "../../kernel/text.ts";
import type { Channel } from "./driver.ts";

/** Tells whether a text is a number in E.164 form: a plus sign, and a country code and number of at most 15 digits. */
export const isPhoneNumber = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text);

/** Tells whether a text can be the sender of text messages: a number, a short code, or a name of up to 11 characters. */
export const isTextSender = (text: string): boolean =>
  isPhoneNumber(text) || /^\d{3,8}$/.test(text) || (/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,9}[A-Za-z0-9]$/.test(text) && /[A-Za-z]/.test(text));

/** Tokens of FCM and APNs consist of such characters only. Other characters could change the path or body of a request. */
export const isDeviceToken = (text: string): boolean => /^[A-Za-z0-9_:.-]{1,4096}$/.test(text);

const isRecipientOf: Record<Channel, (text: string) => boolean> = { EMAIL: isMailAddress, SMS: isPhoneNumber, PUSH: isDeviceToken };

export const isRecipient = (channel: Channel, to: string): boolean => isRecipientOf[channel](to);

/** The format of a channel's recipients, for error messages. */
export const recipientForm: Record<Channel, string> = {
  EMAIL: "one email address, such as ada@example.com",
  SMS: "a telephone number in international form, such as +31612345678",
  PUSH: "a device token",
};

/** Returns enough of a recipient to recognize it, but not enough to send to it. */
export function maskRecipient(channel: Channel, to: string): string {
  if (channel === "EMAIL") return `${[...to][0]}…${to.slice(to.lastIndexOf("@"))}`;
  return channel === "SMS" ? `${to.slice(0, 3)}…${to.slice(-2)}` : "a device";
}

/** Replaces every character that could begin a new header by a space, for a subject or a name. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
