import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { parseTraceparent, startTracing, type TracingOptions, traceparent } from "./tracing.ts";

const toEnd: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of toEnd.splice(0).reverse()) await end();
});

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  status: { code?: number };
}

/** A real OTLP collector on loopback, as far as a sender can see. */
async function collector() {
  const received: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
  const state = { status: 200, hang: false };
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    received.push({ url: req.url, headers: req.headers, body: Buffer.concat(chunks).toString() });
    if (!state.hang) res.writeHead(state.status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  toEnd.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const spans = (): Span[] =>
    received.flatMap(({ body }) =>
      JSON.parse(body).resourceSpans.flatMap((r: { scopeSpans: { spans: Span[] }[] }) => r.scopeSpans.flatMap((s) => s.spans)),
    );
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, spans, state };
}

function traced(options: Partial<TracingOptions> = {}) {
  const lines: string[] = [];
  const app = Fastify({
    loggerInstance: pino({ level: "info" }, { write: (line: string) => void (line.includes('"working"') && lines.push(line)) }),
  });
  const tracing = startTracing({ serviceName: "gatehouse", version: "1.2.3", ...options });
  app.register(tracing.plugin);
  app.get("/realms/:realm/reset/:token", async (req) => {
    req.log.info("working");
    return { trace: req.trace };
  });
  app.get("/broken", async () => {
    throw new Error("broken");
  });
  toEnd.push(
    () => app.close(),
    () => tracing.shutdown(),
  );
  return { app, tracing, lines };
}

const parent = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const header = (flags = "01") => ({ traceparent: `00-${parent.traceId}-${parent.spanId}-${flags}` });

describe("without a collector", () => {
  test("a caller's trace is named in the log lines of its request, and handed on", async () => {
    const { app, lines, tracing } = traced();
    const answer = await app.inject({ url: "/realms/r/reset/t", headers: header() });
    expect(answer.json().trace).toEqual({ ...parent, parentSpanId: null, sampled: true });
    expect(traceparent(answer.json().trace)).toBe(header().traceparent);
    expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ msg: "working", traceId: parent.traceId })]);
    expect(tracing.stats()).toEqual({ exported: 0, dropped: 0, waiting: 0 });
  });

  test("a request without one gets none", async () => {
    const { app, lines } = traced();
    expect((await app.inject("/realms/r/reset/t")).json()).toEqual({ trace: null });
    expect(JSON.parse(lines[0]!)).not.toHaveProperty("traceId");
  });
});

test.each([
  undefined,
  "",
  "nonsense",
  ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
  "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
  "00-00000000000000000000000000000000-b7ad6b7169203331-01",
  "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
  "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n",
])("the traceparent %j is ignored", (value) => {
  expect(parseTraceparent(value)).toBeNull();
});

test("a traceparent of a later version is read as far as it is known", () => {
  expect(parseTraceparent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more")).toMatchObject({ ...parent, sampled: false });
});

describe("with a collector", () => {
  test("a span arrives with trace, parent, method, route and status, and without anything secret", async () => {
    const { endpoint, received, spans } = await collector();
    const { app, tracing, lines } = traced({ endpoint: `${endpoint}/` });
    const secrets = { ...header(), authorization: "Bearer hunter2", cookie: "session=hunter2" };
    const answer = await app.inject({ url: "/realms/acme/reset/hunter2?code=hunter2", headers: secrets, remoteAddress: "192.0.2.77" });
    await tracing.flush();

    expect(received).toMatchObject([{ url: "/v1/traces", headers: { "content-type": "application/json" } }]);
    const [span] = spans();
    expect(span).toMatchObject({
      traceId: parent.traceId,
      parentSpanId: parent.spanId,
      name: "GET /realms/:realm/reset/:token",
      kind: 2,
      status: {},
    });
    expect(span?.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(span?.spanId).not.toBe(parent.spanId);
    expect(span?.spanId).toBe(answer.json().trace.spanId);
    expect(BigInt(span!.endTimeUnixNano)).toBeGreaterThan(BigInt(span!.startTimeUnixNano));
    expect(span?.attributes).toEqual(
      expect.arrayContaining([
        { key: "http.request.method", value: { stringValue: "GET" } },
        { key: "http.route", value: { stringValue: "/realms/:realm/reset/:token" } },
        { key: "http.response.status_code", value: { intValue: 200 } },
      ]),
    );
    expect(JSON.parse(received[0]!.body).resourceSpans[0].resource.attributes).toEqual([
      { key: "service.name", value: { stringValue: "gatehouse" } },
      { key: "service.version", value: { stringValue: "1.2.3" } },
    ]);
    for (const secret of ["hunter2", "acme", "192.0.2.77", "code="]) expect(received[0]!.body).not.toContain(secret);
    expect(JSON.parse(lines[0]!)).toMatchObject({ traceId: parent.traceId });
    expect(tracing.stats()).toEqual({ exported: 1, dropped: 0, waiting: 0 });
  });

  test("a request without a trace starts one; a server error is marked; an unknown path stays unnamed", async () => {
    const { endpoint, spans } = await collector();
    const { app, tracing } = traced({ endpoint });
    await app.inject("/broken");
    await app.inject("/nowhere/hunter2");
    await tracing.shutdown();
    const [broken, nowhere] = spans();
    expect(broken).toMatchObject({ name: "GET /broken", status: { code: 2 } });
    expect(broken?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(broken).not.toHaveProperty("parentSpanId");
    expect(nowhere?.traceId).not.toBe(broken?.traceId);
    expect(nowhere).toMatchObject({ name: "GET", status: {} });
    expect(JSON.stringify(nowhere)).not.toContain("hunter2");
  });

  test("a trace that the caller does not sample is not sent", async () => {
    const { endpoint, received } = await collector();
    const { app, tracing } = traced({ endpoint });
    await app.inject({ url: "/broken", headers: header("00") });
    await tracing.flush();
    expect(received).toHaveLength(0);
  });

  // Less than the time limit of one call: a shutdown that waits for that would fail here.
  test("a collector that hangs blocks neither requests nor the shutdown: the queue is bounded and the rest is counted", {
    timeout: 9_000,
  }, async () => {
    const peer = await collector();
    peer.state.hang = true;
    const { app, tracing } = traced({ endpoint: peer.endpoint, maxWaiting: 20, batchSize: 5 });
    for (let i = 0; i < 40; i++) expect((await app.inject("/broken")).statusCode).toBe(500);
    const { waiting, dropped } = tracing.stats();
    expect(waiting).toBe(20);
    // One batch is being sent to the collector.
    expect(dropped).toBe(40 - 20 - 5);
    await expect.poll(() => peer.received.length).toBe(1);
    await tracing.shutdown();
    expect(tracing.stats()).toEqual({ exported: 0, dropped: 40, waiting: 0 });
  });

  test("a collector that refuses, or is unreachable, is reported once; spans flow again when it is back", async () => {
    const peer = await collector();
    const logged: string[] = [];
    const log = { info: () => void logged.push("info"), warn: () => void logged.push("warn") };
    const { app, tracing } = traced({ endpoint: peer.endpoint, log });
    for (const status of [503, 400, 200, 200]) {
      peer.state.status = status;
      await app.inject("/broken");
      await tracing.flush();
    }
    expect(logged).toEqual(["warn", "info"]);
    expect(tracing.stats()).toEqual({ exported: 2, dropped: 2, waiting: 0 });

    const unreachable = traced({ endpoint: "http://127.0.0.1:1", log });
    await unreachable.app.inject("/broken");
    await unreachable.tracing.flush();
    expect(unreachable.tracing.stats()).toEqual({ exported: 0, dropped: 1, waiting: 0 });
  });

  test.each(["", "collector:4318", "ftp://collector", "nonsense"])("the address %j stops the start with a clear message", (endpoint) => {
    expect(() => startTracing({ endpoint, serviceName: "x", version: "1" })).toThrow("OTEL_EXPORTER_OTLP_ENDPOINT");
  });
});
