import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { OutboundError, toOutboundError } from "./errors.ts";

export interface OutboundRequest {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** From the call to the last byte of the answer. */
  readonly timeoutMs?: number;
  /** Of the answer's body, unpacked. */
  readonly maxBytes?: number;
  /** Beyond `maxBytes`: "error" refuses the answer, "truncate" keeps its beginning, for callers who need only the status. */
  readonly overflow?: "error" | "truncate";
  readonly signal?: AbortSignal;
  /** False only for peers that an operator configured. Loopback may always be plain in development. */
  readonly requireHttps?: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly truncated: boolean;
  text(): string;
  /** Throws a SyntaxError on anything but JSON. */
  json(): unknown;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/** Sends one request and reads one bounded answer. Redirects are answers like any other: following them is the caller's decision. */
export async function send(dispatcher: Dispatcher, url: URL, peer: string, request: OutboundRequest): Promise<OutboundResponse> {
  const { method = "GET", timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, overflow = "error" } = request;
  request.signal?.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new OutboundError("timeout", peer)), timeoutMs);
  const { signal } = limit;
  // By a listener: `AbortSignal.any` costs four times as much.
  const abort = () => limit.abort(request.signal?.reason);
  request.signal?.addEventListener("abort", abort, { once: true });
  try {
    const requested = dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      // Asked for plainly; some peers compress all the same, see below.
      headers: { "accept-encoding": "identity", "user-agent": "Gatehouse", ...request.headers },
      body: request.body ?? null,
      signal,
    });
    const answer = await orAborted(requested, signal);
    const empty = method === "HEAD" || answer.statusCode === 204 || answer.statusCode === 304;
    const { body, truncated } = await read(answer.body, empty ? "" : String(answer.headers["content-encoding"] ?? ""), maxBytes);
    if (truncated && overflow === "error") throw new OutboundError("too_large", peer);
    const text = () => body.toString("utf8");
    return { status: answer.statusCode, headers: answer.headers, body, truncated, text, json: () => JSON.parse(text()) as unknown };
  } catch (error) {
    throw signal.aborted ? signal.reason : toOutboundError(error, peer);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", abort);
  }
}

/** undici heeds a signal only once the request has a connection; the caller is not kept waiting for one that never comes. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Reads until the end or until `maxBytes` are passed; then the connection is destroyed and the rest never read. */
async function read(source: Readable, encoding: string, maxBytes: number): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (unpacked: AsyncIterable<Buffer>) => {
    for await (const chunk of unpacked) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) throw new Error("read enough");
    }
  };
  try {
    // The limit counts what comes out of the decoder, and the decoder only runs as fast as we read: a bomb stays packed.
    const decode = decoder(encoding);
    await (decode ? pipeline(source, decode, collect) : collect(source));
  } catch (error) {
    // Destroying the decoder may emit an error, which is irrelevant: enough was read.
    if (size <= maxBytes) throw error;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes };
}

function decoder(encoding: string) {
  switch (encoding.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return null;
  }
}
