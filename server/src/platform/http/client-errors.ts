import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionError } from "fastify";
import { SECOND } from "../../kernel/clock.ts";
import { AppError, malformed } from "../../kernel/errors.ts";
import { problemOf } from "./problem.ts";

/** The time limits for sending a request. A slow sender would otherwise hold its connection for ever. */
export const REQUEST_TIMEOUTS = {
  /** The limit for the whole request, body included. */
  requestTimeout: 60 * SECOND,
  /** Idle time of the socket: a stalled body, or a response that is not read. */
  connectionTimeout: 300 * SECOND,
  http: { headersTimeout: 20 * SECOND, connectionsCheckingInterval: 5 * SECOND },
};

const streaming = new WeakSet<Socket>();

/**
 * Allows a body to take as long as it likes, as long as data keeps coming. Node has one limit for all requests, but it only reports a request that exceeds it,
 * and leaves the connection to us.
 */
export function allowSlowBody({ socket }: IncomingMessage, body: NodeJS.ReadableStream): void {
  streaming.add(socket);
  body.once("close", () => streaming.delete(socket));
}

const errorOf = ({ code }: ConnectionError): AppError => {
  switch (code as string) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new AppError("request.timeout", 408, "The request took too long to arrive; send it again");
    case "HPE_HEADER_OVERFLOW":
      return new AppError("request.headers_too_large", 431, "The headers are larger than 16 KiB together: send fewer or shorter cookies");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new AppError("request.too_large", 413, "The extensions of the chunks are larger than accepted");
    default:
      return malformed("This is not a valid HTTP request");
  }
};

/** Answers errors that occur before there is a request. `defaultHeaders` are the headers of every response, names and values in turn. */
export const answerClientError = (defaultHeaders: readonly string[]) => (cause: ConnectionError, socket: Socket) => {
  if (cause.code === "ERR_HTTP_REQUEST_TIMEOUT" && streaming.has(socket)) return;
  // If a response has begun, a second one would be read as part of it.
  const begun = (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
  if (socket.writable && cause.code !== "ECONNRESET" && !begun?.headersSent) {
    const error = errorOf(cause);
    const requestId = randomUUID();
    const problem = problemOf(error, requestId);
    const body = JSON.stringify(problem);
    const headers = [
      ...["content-type", "application/problem+json; charset=utf-8", "content-length", String(Buffer.byteLength(body))],
      ...["cache-control", "no-store", "x-request-id", requestId, "connection", "close", ...defaultHeaders],
    ];
    const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
    socket.write([`HTTP/1.1 ${error.status} ${problem.title}`, ...lines, "", body].join("\r\n"));
  }
  socket.destroy();
};
