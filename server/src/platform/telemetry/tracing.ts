import { randomBytes } from "node:crypto";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { clock, SECOND } from "../../kernel/clock.ts";

/** The trace of a request (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  /** Our own span if we record one, otherwise that of the caller. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly sampled: boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null if the caller sent no trace and none is recorded. */
    trace: TraceContext | null;
  }
}

export interface TracingOptions {
  /** The OTLP/HTTP base address (OTEL_EXPORTER_OTLP_ENDPOINT). Without it no span is recorded, kept or sent. */
  readonly endpoint?: string;
  readonly serviceName: string;
  readonly version: string;
  /** The most spans that wait. The other option limits those of one batch. */
  readonly maxWaiting?: number;
  readonly batchSize?: number;
  readonly log?: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

export interface Tracing {
  /** Reads `traceparent`, names the trace in the request's log lines, and records a span if there is an endpoint. */
  readonly plugin: FastifyPluginAsync;
  /** Sends the waiting spans. */
  flush(): Promise<void>;
  stats(): { exported: number; dropped: number; waiting: number };
  shutdown(): Promise<void>;
}

/** Returns the header that passes a request's trace on to a peer. */
export const traceparent = ({ traceId, spanId, sampled }: TraceContext): string => `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;

export function startTracing(options: TracingOptions): Tracing {
  const exporter = options.endpoint === undefined ? null : createExporter(options.endpoint, options);

  const plugin = fp(async (app) => {
    app.decorateRequest("trace", null);
    app.addHook("onRequest", (req, reply, done) => {
      const caller = parseTraceparent(req.headers.traceparent);
      req.trace = exporter ? ownSpan(caller) : caller;
      if (req.trace !== null) reply.log = req.log = req.log.child({ traceId: req.trace.traceId });
      done();
    });
    if (!exporter) return;
    app.addHook("onResponse", (req, reply, done) => {
      if (req.trace?.sampled) exporter.add(serverSpan(req, reply, req.trace));
      done();
    });
  });

  return {
    plugin,
    flush: async () => exporter?.flush(),
    stats: () => exporter?.stats() ?? { exported: 0, dropped: 0, waiting: 0 },
    shutdown: async () => exporter?.shutdown(),
  };
}

// W3C Trace Context §3.2: lower-case hex, nothing all zero, version ff is invalid, later versions may append fields.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Returns the caller's trace context. An invalid header counts as none (§4.3): the result is null. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | null {
  const match = typeof header === "string" ? TRACEPARENT.exec(header) : null;
  if (!match) return null;
  const [, version, traceId, spanId, flags, more] = match;
  if (version === "00" && more !== undefined) return null;
  return { traceId: traceId!, spanId: spanId!, parentSpanId: null, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

/** Returns the server's span. If there is a caller's span, it is a child of that one and follows its sampling decision. */
function ownSpan(caller: TraceContext | null): TraceContext {
  return {
    traceId: caller?.traceId ?? randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    parentSpanId: caller?.spanId ?? null,
    sampled: caller?.sampled ?? true,
  };
}

type Attribute = { key: string; value: { stringValue: string } | { intValue: number } };
type Span = Record<string, unknown>;

const text = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } });
const nanos = (ms: number): string => (BigInt(Math.round(ms * 1000)) * 1000n).toString();

/**
 * Describes a span by OpenTelemetry's conventions for HTTP servers. The route's template stands for the path, because real paths and queries contain tokens and
 * names of people. For the same reason there are no headers and no client address.
 */
function serverSpan(req: FastifyRequest, reply: FastifyReply, { traceId, spanId, parentSpanId }: TraceContext): Span {
  const route = req.routeOptions.url;
  const end = clock.now();
  const failed = reply.statusCode >= 500;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    name: route === undefined ? req.method : `${req.method} ${route}`,
    kind: 2, // SPAN_KIND_SERVER
    startTimeUnixNano: nanos(end - reply.elapsedTime),
    endTimeUnixNano: nanos(end),
    attributes: [
      text("http.request.method", req.method),
      ...(route === undefined ? [] : [text("http.route", route)]),
      { key: "http.response.status_code", value: { intValue: reply.statusCode } },
      text("url.scheme", req.protocol),
      text("gatehouse.request_id", req.id),
      ...(failed ? [text("error.type", String(reply.statusCode))] : []),
    ],
    status: failed ? { code: 2 } : {},
  };
}

const MAX_WAITING = 2048;
const BATCH = 512;
const FLUSH_EVERY = 5 * SECOND;
// The time that a shutdown waits for a collector, instead of the whole time limit of a call.
const LAST_WORDS = 2 * SECOND;

/** Exports batches over OTLP/HTTP JSON. Requests only append to an array. If the collector cannot keep up, spans are dropped and counted. */
function createExporter(endpoint: string, { serviceName, version, log, maxWaiting = MAX_WAITING, batchSize = BATCH }: TracingOptions) {
  const url = tracesUrl(endpoint);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  // The operator configured this peer. Collectors usually are in the internal network and use plain http. The connector is loaded here, so that a server that
  // sends no traces need not load it at the start.
  const outbound = import("../outbound/index.ts").then(({ createOutbound }) =>
    createOutbound({ allowedHosts: [`${url.hostname}:${port}`], allowLoopbackHttp: false }),
  );
  const resource = { attributes: [text("service.name", serviceName), text("service.version", version)] };
  let waiting: Span[] = [];
  let exported = 0;
  let dropped = 0;
  let reachable = true;
  let sending: Promise<void> | null = null;
  const stopping = new AbortController();

  const deliver = async (spans: Span[]): Promise<boolean> => {
    const scopeSpans = [{ scope: { name: "gatehouse", version }, spans }];
    const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] });
    try {
      const headers = { "content-type": "application/json" };
      const request = { method: "POST", headers, body, requireHttps: false, overflow: "truncate", signal: stopping.signal } as const;
      const { status } = await (await outbound).fetch(url, request);
      if (status >= 200 && status < 300) return true;
      report(false, `status ${status}`);
    } catch (error) {
      report(false, error instanceof Error ? error.message : "unknown");
    }
    return false;
  };

  /** Logs once per change, not once per batch. */
  const report = (now: boolean, reason?: string) => {
    if (now === reachable) return;
    reachable = now;
    if (now) log?.info({ component: "tracing", dropped }, "The trace collector accepts spans again");
    else log?.warn({ component: "tracing", reason }, "The trace collector does not accept spans; they are dropped until it does");
  };

  const drain = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize);
      if (!(await deliver(batch))) {
        dropped += batch.length;
        return;
      }
      exported += batch.length;
      report(true);
    }
  };

  /** Sends one batch at a time: a slow collector fills the bounded queue, never the network. */
  const flush = (): Promise<void> => {
    sending ??= drain().finally(() => {
      sending = null;
    });
    return sending;
  };

  const timer = setInterval(() => void flush(), FLUSH_EVERY);
  timer.unref();

  return {
    add(span: Span) {
      if (waiting.length >= maxWaiting) {
        dropped += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length >= batchSize && sending === null) void flush();
    },
    flush,
    stats: () => ({ exported, dropped, waiting: waiting.length }),
    async shutdown() {
      clearInterval(timer);
      const limit = setTimeout(() => stopping.abort(new Error("the server is shutting down")), LAST_WORDS);
      await flush();
      clearTimeout(limit);
      dropped += waiting.length;
      waiting = [];
      await (await outbound).close();
    },
  };
}

/** OTLP 1.x: `v1/traces` is appended to the base address. */
function tracesUrl(endpoint: string): URL {
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new TypeError(
      "OTEL_EXPORTER_OTLP_ENDPOINT must be the http or https address of an OTLP collector, such as http://localhost:4318",
    );
  }
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url;
}
