import type { IncomingHttpHeaders } from "node:http";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { OutboundError, toOutboundError } from "./errors.ts";

export interface OutboundRequest {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The limit from the call to the last byte of the response. */
  readonly timeoutMs?: number;
  /** The limit of the decompressed body. */
  readonly maxBytes?: number;
  /** The treatment of a body beyond `maxBytes`: "error" refuses the response, "truncate" keeps its beginning, for callers who need only the status. */
  readonly overflow?: "error" | "truncate";
  readonly signal?: AbortSignal;
  /** False only for peers that an operator configured. In development, loopback may always be called without TLS. */
  readonly requireHttps?: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly truncated: boolean;
  text(): string;
  /** Parses the body. Throws a SyntaxError if it is not JSON. */
  json(): unknown;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/** Sends one request and reads one bounded response. Redirects are returned like any other response: the caller decides about following them. */
export async function send(dispatcher: Dispatcher, url: URL, peer: string, request: OutboundRequest): Promise<OutboundResponse> {
  const { maxBytes = MAX_BYTES, overflow = "error" } = request;
  request.signal?.throwIfAborted();
  const { status, headers, packed, isCut } = await exchange(dispatcher, url, peer, request);
  const isEmpty = request.method === "HEAD" || status === 204 || status === 304;
  const decode = isEmpty ? null : decoder(String(headers["content-encoding"] ?? ""));
  const unpacked = decode
    ? await unpack(packed, isCut, decode, maxBytes).catch((error) => Promise.reject(toOutboundError(error, peer)))
    : packed;
  const truncated = isCut || unpacked.length > maxBytes;
  if (truncated && overflow === "error") throw new OutboundError("too_large", peer);
  const body = unpacked.subarray(0, maxBytes);
  const text = () => body.toString("utf8");
  return { status, headers, body, truncated, text, json: () => JSON.parse(text()) as unknown };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it was received. */
  readonly packed: Buffer;
  /** True if the body was longer than what is read. */
  readonly isCut: boolean;
}

/** Sends the request by undici's handlers, because its response streams cost more than the data that they carry. */
function exchange(
  dispatcher: Dispatcher,
  url: URL,
  peer: string,
  { method = "GET", timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal, ...request }: OutboundRequest,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let connection: Dispatcher.DispatchController | undefined;
    let stopped: Error | undefined;
    let [status, size] = [0, 0];
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    // Before there is a connection, nothing can be aborted. `stopped` keeps a request from starting later.
    const stop = (reason: Error) => {
      stopped ??= reason;
      settle();
      reject(reason);
      connection?.abort(reason);
    };
    const finish = (isCut: boolean) => {
      settle();
      resolve({ status, headers, packed: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), isCut });
    };
    const onAbort = () => stop(signal?.reason);
    const timer = setTimeout(() => stop(new OutboundError("timeout", peer)), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        // An uncompressed response is requested, but some peers compress nevertheless.
        headers: { "accept-encoding": "identity", "user-agent": "Gatehouse", ...request.headers },
        body: request.body ?? null,
      },
      {
        onRequestStart(controller) {
          connection = controller;
          if (stopped) controller.abort(stopped);
        },
        onResponseStart(_controller, code, received) {
          [status, headers] = [code, received];
        },
        onResponseData(controller, chunk) {
          if (size > maxBytes) return;
          chunks.push(chunk);
          size += chunk.length;
          if (size <= maxBytes) return;
          finish(true);
          // The rest of the body is never read.
          controller.abort(new Error("read enough"));
        },
        onResponseEnd: () => finish(false),
        onResponseError(_controller, error) {
          settle();
          reject(stopped ?? toOutboundError(error, peer));
        },
      },
    );
  });
}

/** Decompresses slightly more than `maxBytes` at most, so that a bomb does not unfold. The end of a cut body is missing, which is no error. */
async function unpack(packed: Buffer, isCut: boolean, decode: Transform, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (unpacked: AsyncIterable<Buffer>) => {
    for await (const chunk of unpacked) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) throw new Error("read enough");
    }
  };
  await pipeline(Readable.from([packed]), decode, collect).catch((error) => {
    if (!isCut && size <= maxBytes) throw error;
  });
  return Buffer.concat(chunks);
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
