import type { IncomingHttpHeaders } from "node:http";
import { HOUR } from "../../../kernel/clock.ts";
import { parseObject } from "../../../kernel/json.ts";
import { type OutboundRequest, type OutboundResponse, retryAfterMs } from "../../../platform/outbound/index.ts";
import { type Delivery, MessageError, type MessageFailure } from "../driver.ts";

const MAX_ANSWER = 64 * 1024;

/** Sends one request, and reads at most the beginning of the answer. Redirects are answers, and are never followed. */
export const ask = ({ outbound, signal }: Delivery, url: string | URL, request: OutboundRequest): Promise<OutboundResponse> =>
  outbound.fetch(url, { ...request, signal, maxBytes: MAX_ANSWER, overflow: "truncate" });

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Returns the failure that a status means. A 404 more often results from a wrong URL than from a wrong message, so it does not end the message. */
export function failureOf(status: number): MessageFailure {
  if (status === 401 || status === 403 || status === 407) return "credentials";
  if (status === 429) return "throttled";
  return [400, 413, 415, 422].includes(status) ? "rejected" : "refused";
}

/**
 * Returns the error for an answer. Its cause contains the status and a code of the peer, but never the answer's text: the peer may repeat the request there,
 * and with it the secret, the recipient or a one-time code.
 */
export function refusal(failure: MessageFailure, status: number, headers: IncomingHttpHeaders, code = ""): MessageError {
  const cause = new Error(`the peer answered ${status}${/^[\w.-]{1,64}$/.test(code) ? ` ${code}` : ""}`);
  return new MessageError(failure, cause, retryAfterMs(headers["retry-after"], HOUR));
}

/** Parses the answer as an object. Anything else (HTML, a truncated answer, a list) becomes an object without members. */
export const membersOf = (answer: { text(): string }): Readonly<Record<string, unknown>> => parseObject(answer.text()) ?? {};

/** Returns the peer's id of the message if it is safe to log, otherwise our own. */
export const idOr = (own: string, ...theirs: unknown[]): string =>
  theirs.find((id): id is string => typeof id === "string" && /^[\x21-\x7e]{1,255}$/.test(id)) ?? own;
