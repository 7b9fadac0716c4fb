import { createHmac, randomBytes } from "node:crypto";
import { invalidFields } from "../../kernel/errors.ts";
import type { Place } from "../../kernel/vault.ts";

/** Standard Webhooks: a secret with this prefix is a key in base64. */
const PREFIX = "whsec_";

export const secretPlace = (realm: string, webhookId: string, column: "secret" | "previous_secret"): Place => ({
  realm,
  table: "webhooks",
  column,
  row: webhookId,
});

export const newSecret = (): string => PREFIX + randomBytes(32).toString("base64");

const BASE64 = /^[A-Za-z0-9+/]{2,}={0,2}$/;

/** Refuses a secret that would not be the key that its owner intends. The message does not repeat the secret. */
export function checkSecret(secret: string): void {
  if (!secret.startsWith(PREFIX) || BASE64.test(secret.slice(PREFIX.length))) return;
  const message = "secret: what follows whsec_ must be base64 (omit whsec_ to use a text as it is)";
  throw invalidFields([{ field: "secret", code: "format", message }]);
}

const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : Buffer.from(secret, "utf8");

/**
 * Returns the headers of one attempt, with signatures over the exact bytes of the body. The first secret is the current one; during a rotation a second one
 * signs too. Without a secret there is no signature.
 */
export function signatureHeaders(id: string, seconds: number, body: Uint8Array, secrets: readonly string[]): Record<string, string> {
  const named = { "webhook-id": id, "webhook-timestamp": String(seconds) };
  const [present] = secrets;
  if (present === undefined) return named;
  return {
    ...named,
    "webhook-signature": secrets.map((secret) => `v1,${standardSignature(id, seconds, body, secret)}`).join(" "),
    "X-Webhook-Signature": createHmac("sha256", keyOf(present)).update(body).digest("hex"),
  };
}

// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, "Signature scheme"
const standardSignature = (id: string, seconds: number, body: Uint8Array, secret: string): string =>
  createHmac("sha256", keyOf(secret)).update(`${id}.${seconds}.`).update(body).digest("base64");
