import { SECOND } from "../../kernel/clock.ts";
import { OutboundError, type OutboundReason } from "../../platform/outbound/index.ts";
import { type Delivery, type Envelope, MessageError, type MessageFailure, type Provider } from "./driver.ts";
import { driverOf } from "./drivers/index.ts";

/** The time limit of the whole attempt, up to the provider's answer. */
const TIMEOUT_MS = 10 * SECOND;

/** Sends one message immediately. Every failure is a MessageError, and only its cause contains details that the caller must not see. */
export async function sendNow(
  provider: Provider,
  envelope: Envelope,
  delivery: Delivery,
  timeoutMs = TIMEOUT_MS,
): Promise<{ readonly messageId: string }> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new MessageError("timeout")), timeoutMs);
  const signal = AbortSignal.any([delivery.signal, limit.signal]);
  try {
    return await driverOf(provider).send(provider, envelope, { ...delivery, signal });
  } catch (error) {
    if (error instanceof MessageError) throw error;
    if (signal.aborted) throw new MessageError("timeout", error);
    throw error instanceof OutboundError ? new MessageError(FAILURES[error.reason], error) : new MessageError("refused", error);
  } finally {
    clearTimeout(timer);
  }
}

const FAILURES: Record<OutboundReason, MessageFailure> = {
  blocked_address: "unreachable",
  bad_url: "unreachable",
  connect: "unreachable",
  dns: "unreachable",
  scheme: "insecure",
  timeout: "timeout",
  tls: "insecure",
  too_large: "refused",
};
