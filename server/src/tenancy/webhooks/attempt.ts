import { DAY, SECOND } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { type Outbound, OutboundError, retryAfterMs } from "../../platform/outbound/index.ts";
import type { AuditEvent } from "../../platform/unit-of-work.ts";
import { type AuditEventRecord, toEventRecord } from "../audit/index.ts";
import { signatureHeaders } from "./secrets.ts";

/** One request to a receiver, and its result. */
export interface Attempt {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly answer: string | null;
  readonly error: string | null;
  readonly latencyMs: number;
  /** True if the receiver did not answer in time. More requests to it would only occupy more connections. */
  readonly timedOut: boolean;
  /** The delay that the receiver requested, in milliseconds. */
  readonly retryAfterMs: number;
}

export interface Message {
  readonly id: string;
  readonly url: string;
  readonly body: Buffer;
  readonly secrets: readonly string[];
}

export const ATTEMPT_MS = 10 * SECOND;
/** The number of bytes that are read, so that a connection with a short answer can be used again. Only the beginning is stored. */
const READ_BYTES = 16 * 1024;
const KEPT_CHARACTERS = 1024;

/** Returns the body. It is made from the event alone, so every attempt sends the same bytes. */
export const bodyOf = (record: Omit<AuditEventRecord, "type"> & { readonly type: string }): Buffer =>
  Buffer.from(JSON.stringify({ id: record.id, type: record.type, ts: record.ts, realm: record.realm, data: record }));

export const messageOf = (event: AuditEvent, url: string, secrets: readonly string[]): Message => ({
  id: event.id,
  url,
  body: bodyOf(toEventRecord(event)),
  secrets,
});

/** Sends a message. Throws only the reason of `signal`. */
export async function send(
  outbound: Outbound,
  message: Message,
  now: number,
  timeoutMs = ATTEMPT_MS,
  signal?: AbortSignal,
): Promise<Attempt> {
  const began = performance.now();
  const latency = () => Math.round(performance.now() - began);
  try {
    const { status, body, headers } = await outbound.fetch(message.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...signatureHeaders(message.id, Math.floor(now / SECOND), message.body, message.secrets),
      },
      body: message.body,
      timeoutMs,
      maxBytes: READ_BYTES,
      overflow: "truncate",
      ...(signal && { signal }),
    });
    const delivered = status >= 200 && status < 300;
    return {
      delivered,
      status,
      answer: excerpt(body),
      error: delivered ? null : refusal(status),
      latencyMs: latency(),
      timedOut: false,
      retryAfterMs: retryAfterMs(headers["retry-after"], DAY) ?? 0,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const failed = { delivered: false, status: null, answer: null, latencyMs: latency(), retryAfterMs: 0 };
    return { ...failed, error: error.message, timedOut: error.reason === "timeout" };
  }
}

const refusal = (status: number): string =>
  status >= 300 && status < 400
    ? `The receiver answered ${status}: redirects are not followed. Please give the address it leads to.`
    : `The receiver answered ${status}; only a 2xx status means that it took the event.`;

/** Returns the beginning of the receiver's response in a form that can be stored and shown: Postgres refuses NUL, and invalid UTF-8 has become U+FFFD. */
const excerpt = (body: Buffer): string | null => {
  const text = body
    .subarray(0, 4 * KEPT_CHARACTERS)
    .toString("utf8")
    .replaceAll("\u0000", "\ufffd");
  return text === "" ? null : cut(text, KEPT_CHARACTERS);
};
