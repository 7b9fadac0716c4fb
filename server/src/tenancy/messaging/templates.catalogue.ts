import type { Channel } from "./driver.ts";
import { brandPlaceholders, type PlaceholderName } from "./placeholders.ts";

interface Entry {
  readonly channel: Channel;
  readonly placeholders: readonly PlaceholderName[];
  /** One of these must be in the text: without it the recipient can do nothing with the message. */
  readonly needs?: readonly PlaceholderName[];
}

/** All messages, with their channels and placeholders. */
export const catalogue = {
  "otp-sms": { channel: "SMS", placeholders: ["realm", "code", "ttl", "user"], needs: ["code"] },
  "otp-email": { channel: "EMAIL", placeholders: ["realm", "code", "ttl", "user"], needs: ["code"] },
  "magic-link-email": { channel: "EMAIL", placeholders: ["realm", "link", "ttl", "user"], needs: ["link"] },
  "push-approval": { channel: "PUSH", placeholders: ["realm", "ttl", "user"] },
  "verify-email": { channel: "EMAIL", placeholders: ["realm", "link", "code", "ttl", "user"], needs: ["link", "code"] },
  "change-email": { channel: "EMAIL", placeholders: ["realm", "link", "ttl", "user"], needs: ["link"] },
  "email-change-notice": { channel: "EMAIL", placeholders: ["realm", "user"] },
  "reset-password-email": { channel: "EMAIL", placeholders: ["realm", "link", "code", "ttl", "user"], needs: ["link", "code"] },
  "account-actions-email": { channel: "EMAIL", placeholders: ["realm", "link", "ttl", "user"], needs: ["link"] },
  "account-exists-email": { channel: "EMAIL", placeholders: ["realm", "link", "user"] },
  "invitation-email": { channel: "EMAIL", placeholders: ["realm", "organization", "link", "ttl", "user"], needs: ["link"] },
  "new-device-email": { channel: "EMAIL", placeholders: ["realm", "link", "user", "browser", "address", "time"] },
  "agent-review-email": { channel: "EMAIL", placeholders: ["realm", "agent", "link", "user"] },
} as const satisfies Record<string, Entry>;

export type TemplateKey = keyof typeof catalogue;
export const templateKeys = Object.keys(catalogue) as TemplateKey[];
export const isTemplateKey = (key: string): key is TemplateKey => Object.hasOwn(catalogue, key);
export const entryOf = (key: TemplateKey): Entry => catalogue[key];
/** Returns the placeholders of a message. Mails also have those of the brand. */
export function placeholdersOf(key: TemplateKey): readonly PlaceholderName[] {
  const { channel, placeholders } = entryOf(key);
  return channel === "EMAIL" ? [...placeholders, ...brandPlaceholders] : placeholders;
}
/** Tells whether the message can contain a secret that lets its reader act as the recipient. */
export const carriesSecret = (key: TemplateKey): boolean => entryOf(key).placeholders.some((name) => name === "link" || name === "code");
