import { invalidFields } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import { type Envelope, MessageError, type Provider } from "./driver.ts";
import { providerErrors } from "./errors.ts";
import type { TestResult } from "./providers.schema.ts";
import { isChannel } from "./providers.service.ts";
import { findProvider } from "./providers.store.ts";
import { isRecipient, maskRecipient, recipientForm } from "./recipients.ts";
import { sendNow } from "./send.ts";

/** Returns the enabled provider of the channel, after checking that the recipient fits the channel. */
export async function providerForTest(ctx: ReadCtx, vault: Vault, channel: string, to: string): Promise<Provider> {
  if (!isChannel(channel)) throw providerErrors.provider_not_found();
  if (!isRecipient(channel, to)) throw invalidFields([{ field: "to", code: "format", message: `to must be ${recipientForm[channel]}` }]);
  const provider = await findProvider(ctx.tx, vault, ctx.realm, channel);
  if (!provider) throw providerErrors.no_provider();
  return provider;
}

/** The text is fixed, so that a test cannot send the caller's own words. */
const testEnvelope = (realm: string, to: string): Envelope => ({
  id: newId(),
  to,
  subject: "Test message",
  text: `This is a test message of the realm ${realm}. If you did not expect it, you can ignore it.`,
  html: null,
});

interface Log {
  warn(details: object, message: string): void;
}

export async function sendTestMessage(
  provider: Provider,
  to: string,
  outbound: Outbound,
  log: Log,
): Promise<TestResult & { failure?: string }> {
  try {
    const { messageId } = await sendNow(provider, testEnvelope(provider.realm, to), { outbound, signal: new AbortController().signal });
    return { sent: true, messageId };
  } catch (error) {
    if (!(error instanceof MessageError)) throw error;
    const { realm, channel, driver } = provider;
    log.warn({ err: error.cause, failure: error.failure, realm, channel, driver }, "a test message could not be sent");
    return { sent: false, error: error.message, failure: error.failure };
  }
}

/** Records that there was a test, by whom, and its result. Nothing else of it is stored. */
export async function recordTest(
  ctx: Ctx,
  { id, channel, driver }: Provider,
  to: string,
  { sent, failure }: { sent: boolean; failure?: string },
) {
  const detail = `send test ${channel}/${driver} to ${maskRecipient(channel, to)}${failure === undefined ? "" : `: ${failure}`}`;
  ctx.audit({
    category: "ADMIN",
    type: "ADMIN_ACTION",
    resourceType: "messaging",
    resourceId: id,
    outcome: sent ? "SUCCESS" : "FAILURE",
    detail,
  });
}
