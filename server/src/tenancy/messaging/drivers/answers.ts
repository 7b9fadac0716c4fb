import type { IncomingHttpHeaders } from "node:http";
import { HOUR } from "../../../kernel/clock.ts";
import { type OutboundRequest, type OutboundResponse, retryAfterMs } from "../../../platform/outbound/index.ts";
import { type Delivery, MessageError, type MessageFailure } from "../driver.ts";

const MAX_ANSWER = 64 * 1024;

/** One request, one answer of which at most the beginning is read. Redirects are answers: they are never followed. */
export const ask = ({ outbound, signal }: Delivery, url: string | URL, request: OutboundRequest): Promise<OutboundResponse> =>
  outbound.fetch(url, { ...request, signal, maxBytes: MAX_ANSWER, overflow: "truncate" });

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The failure by the status alone. A 404 is more often a wrong URL than a wrong message, so it does not end a message. */
export function failureOf(status: number): MessageFailure {
  if (status === 401 || status === 403 || status === 407) return "credentials";
  if (status === 429) return "throttled";
  return [400, 413, 415, 422].includes(status) ? "rejected" : "refused";
}

/**
 * The error of an answer. Its cause names the status and a code of the peer's, never the answer's own words: a peer may repeat
 * the request in them, and with it the secret, the recipient or a one-time code.
 */
export function refusal(failure: MessageFailure, status: number, headers: IncomingHttpHeaders, code = ""): MessageError {
  const cause = new Error(`the peer answered ${status}${/^[\w.-]{1,64}$/.test(code) ? ` ${code}` : ""}`);
  return new MessageError(failure, cause, retryAfterMs(headers["retry-after"], HOUR));
}

/** The answer as an object; anything else (HTML, a cut answer, a list) is one without members. */
export function membersOf(answer: { text(): string }): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(answer.text());
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    // Not JSON: the status has to do.
    return {};
  }
}

/** The peer's id of the message, if it is safe to log. */
export const idOr = (own: string, ...theirs: unknown[]): string =>
  theirs.find((id): id is string => typeof id === "string" && /^[\x21-\x7e]{1,255}$/.test(id)) ?? own;
