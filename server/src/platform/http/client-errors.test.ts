import { type AddressInfo, connect } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SECOND } from "../../kernel/clock.ts";
import { type App, allowSlowBody, createServer } from "./index.ts";

const LIMIT = SECOND;

let app: App;
let port: number;
beforeAll(async () => {
  app = createServer({ logger: pino({ level: "silent" }), trustProxy: false, secure: true });
  app.post("/things", async ({ body }) => body);
  app.post("/refused", { onRequest: async (_request, reply) => reply.code(401).send({ no: true }) }, async () => ({}));
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (request, payload, done) => {
      allowSlowBody(request.raw, payload);
      done(null, payload);
    });
    scope.post("/stream", async ({ body }) => {
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
      return { bytes };
    });
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  // The limits of a test; that a server has some is seen below.
  expect([app.server.requestTimeout, app.server.headersTimeout, app.server.timeout]).toEqual([60_000, 20_000, 300_000]);
  app.server.requestTimeout = LIMIT;
  app.server.headersTimeout = LIMIT;
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => app?.close());

/** Sends what is given, then a byte each tenth of a second until `bytes` are sent or the connection ends; returns the answer. */
async function drip(head: string, bytes: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}); // the server may hang up on us while we write
  let answer = "";
  socket.setEncoding("utf8").on("data", (text) => {
    answer += text;
  });
  socket.write(head);
  let sent = 0;
  const dripping = setInterval(() => {
    if (sent++ < bytes) socket.write("x");
    else clearInterval(dripping);
  }, 100);
  // Not `once`: it fails with the error that is expected here.
  await new Promise((resolve) => socket.on("close", resolve));
  clearInterval(dripping);
  return answer;
}
const post = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n`;

const problemIn = (answer: string) => {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { head, problem: JSON.parse(body) };
};

// At once: the server looks for what is late every few seconds.
test.concurrent("a body that does not end is a 408, and so are headers", async () => {
  const answers = await Promise.all([drip(post("/things", 10_000), 10_000), drip("POST /things HTTP/1.1\r\nhost: ", 10_000)]);
  for (const answer of answers) {
    const { head, problem } = problemIn(answer);
    expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(head).toContain("\r\ncontent-type: application/problem+json; charset=utf-8\r\n");
    expect(head).toContain("\r\nconnection: close\r\n");
    expect(head).toContain("\r\nstrict-transport-security: ");
    expect(problem).toMatchObject({ status: 408, code: "request.timeout", title: "Request Timeout" });
    expect(head).toContain(`\r\nx-request-id: ${problem.requestId}`);
  }
});

test.concurrent("an unread body of a refused request ends all the same", async () => {
  const answer = await drip(post("/refused", 10_000).replace("connection: close\r\n", ""), 10_000);
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});

test.concurrent("a body that is streamed takes as long as it comes", async () => {
  const bytes = (7 * SECOND) / 100;
  const answer = await drip(post("/stream", bytes), bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain(`{"bytes":${bytes}}`);
});

test.each([
  ["headers that are too large", `GET / HTTP/1.1\r\nhost: a\r\ncookie: ${"x".repeat(20_000)}\r\n\r\n`, 431, "request.headers_too_large"],
  ["no HTTP", "hello\r\n\r\n", 400, "request.malformed"],
  ["two hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\nconnection: close\r\n\r\n", 400, "request.malformed"],
  ["no host", "GET / HTTP/1.1\r\nconnection: close\r\n\r\n", 400, "request.malformed"],
  ["a host that is none", "GET / HTTP/1.1\r\nhost: a/b\r\nconnection: close\r\n\r\n", 400, "request.malformed"],
])("%s: a problem+json", async (_, sent, status, code) => {
  const { head, problem } = problemIn(await drip(sent, 0));
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain("application/problem+json");
  expect(problem).toMatchObject({ status, code, requestId: expect.any(String) });
});

test.each([
  ["an IPv6 address with a port", "GET / HTTP/1.1\r\nhost: [::1]:8080\r\nconnection: close\r\n\r\n"],
  ["no host, by HTTP/1.0", "GET / HTTP/1.0\r\n\r\n"],
])("%s: served", async (_, sent) => {
  expect((await drip(sent, 0)).split("\r\n", 1)[0]).toBe("HTTP/1.1 404 Not Found");
});
