import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { createOutbound, type Outbound, type OutboundOptions, type Resolve } from "./index.ts";

const toEnd: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of toEnd.splice(0).reverse()) await end();
});

async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  toEnd.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A real HTTP peer on loopback, and how many requests reached it. */
async function peer(answer: RequestListener, host?: string) {
  const requests: IncomingMessage[] = [];
  const server = createHttpServer((req, res) => {
    requests.push(req);
    answer(req, res);
  });
  const port = await listen(server, host);
  toEnd.push(() => server.closeAllConnections());
  return { requests, port, url: `http://127.0.0.1:${port}` };
}

function outboundWith(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = createOutbound({ allowedHosts: [], allowLoopbackHttp: false, ...options });
  toEnd.push(() => outbound.close());
  return outbound;
}

const development = () => outboundWith({ allowLoopbackHttp: true });
const ok: RequestListener = (_req, res) => res.end("hello");
// Less than the time after which a connection attempt gives up by itself: a test that waits for that has not kept its own limit.
const promptly = { timeout: 9_000 };
const failing = (reason: string) => expect.objectContaining({ name: "OutboundError", reason });

describe("reachable addresses", () => {
  test("in development the machine itself is called without TLS; the request arrives as it was meant", async () => {
    const { url, requests } = await peer((req, res) => {
      res.writeHead(201, { "content-type": "application/json" });
      req.pipe(res);
    });
    const answer = await development().fetch(`${url}/hook?x=1`, { method: "POST", headers: { "x-test": "yes" }, body: '{"a":1}' });
    expect(answer).toMatchObject({ status: 201, truncated: false });
    expect(answer.json()).toEqual({ a: 1 });
    expect(requests[0]).toMatchObject({ method: "POST", url: "/hook?x=1", headers: { "x-test": "yes", "content-length": "7" } });
  });

  test("otherwise loopback is refused in every spelling, and the peer hears nothing", async () => {
    const { port, requests } = await peer(ok, "0.0.0.0");
    const outbound = outboundWith();
    const hosts = [
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f.1",
      "0177.0.0.1",
      "localhost",
      "localhost.",
      "0.0.0.0",
      "[::1]",
      "[::]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "[::127.0.0.1]",
    ];
    for (const host of hosts) {
      await expect
        .soft(outbound.fetch(`http://${host}:${port}/`, { requireHttps: false }), host)
        .rejects.toEqual(failing("blocked_address"));
      await expect.soft(outbound.connect({ host, port }), host).rejects.toEqual(failing("blocked_address"));
    }
    expect(requests).toHaveLength(0);
  });

  test.each(["https://169.254.169.254/latest/meta-data", "https://10.0.0.1/", "https://[fd00::1]/", "https://[64:ff9b::a9fe:a9fe]/"])(
    "refuses %s",
    async (url) => {
      const outbound = development();
      await expect(outbound.fetch(url)).rejects.toEqual(failing("blocked_address"));
      expect(() => outbound.checkUrl(url)).toThrow(failing("blocked_address"));
    },
  );

  test("a name is refused when any of its addresses is, even beside good ones", async () => {
    const { port, requests } = await peer(ok);
    const resolve: Resolve = async () => [
      { address: "127.0.0.1", family: 4 },
      { address: "::ffff:10.0.0.7", family: 6 },
    ];
    const outbound = outboundWith({ allowedHosts: ["127.0.0.1"], resolve });
    await expect(outbound.fetch(`http://mixed.example:${port}/`, { requireHttps: false })).rejects.toEqual(failing("blocked_address"));
    expect(requests).toHaveLength(0);
  });

  test("a name that changes after it was checked gains nothing: the address is checked where it is dialled, with one DNS query", async () => {
    let reachedAt: string | undefined;
    const { port, requests } = await peer((req, res) => {
      reachedAt = req.socket.localAddress;
      res.end("hello");
    }, "0.0.0.0");
    // Stands for a public address; the second one stands for the inside.
    const answers = ["127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2"];
    let requested = 0;
    const resolve: Resolve = async () => [{ address: answers[requested++]!, family: 4 }];
    const outbound = outboundWith({ allowedHosts: ["127.0.0.1"], resolve });

    expect(await outbound.resolve("rebinding.example", port)).toEqual([{ address: "127.0.0.1", family: 4 }]);
    const url = `http://rebinding.example:${port}/`;
    expect((await outbound.fetch(url, { requireHttps: false, headers: { connection: "close" } })).text()).toBe("hello");
    expect(requested).toBe(2);
    expect(reachedAt).toBe("127.0.0.1");
    await expect(outbound.fetch(url, { requireHttps: false })).rejects.toEqual(failing("blocked_address"));
    await expect(outbound.connect({ host: "rebinding.example", port })).rejects.toEqual(failing("blocked_address"));
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["an address", "127.0.0.1"],
    ["a block", "127.0.0.0/30"],
    ["a name", "localhost"],
    ["a mapped address", "::ffff:127.0.0.1"],
  ])("the operator can allow %s", async (_name, entry) => {
    const { port } = await peer(ok);
    const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const outbound = outboundWith({ allowedHosts: [entry], resolve });
    expect((await outbound.fetch(`http://localhost:${port}/`, { requireHttps: false })).status).toBe(200);
  });

  test("a host allowed with a port is allowed on that port only", async () => {
    const { port } = await peer(ok);
    const other = await peer(ok);
    const outbound = outboundWith({ allowedHosts: [`127.0.0.1:${port}`] });
    expect((await outbound.fetch(`http://127.0.0.1:${port}/`, { requireHttps: false })).status).toBe(200);
    await expect(outbound.fetch(other.url, { requireHttps: false })).rejects.toEqual(failing("blocked_address"));
  });

  test("a named host is allowed under that name only", async () => {
    const { port } = await peer(ok);
    const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const outbound = outboundWith({ allowedHosts: ["hooks.internal"], resolve });
    expect((await outbound.fetch(`http://HOOKS.internal.:${port}/`, { requireHttps: false })).status).toBe(200);
    for (const host of ["other.internal", "sub.hooks.internal", "127.0.0.1"]) {
      await expect
        .soft(outbound.fetch(`http://${host}:${port}/`, { requireHttps: false }), host)
        .rejects.toEqual(failing("blocked_address"));
    }
  });

  test("a redirect inward is an answer, not an order", async () => {
    const inside = await peer(ok);
    const { url } = await peer((_req, res: ServerResponse) => res.writeHead(302, { location: `${inside.url}/secret` }).end());
    const answer = await development().fetch(url);
    expect(answer).toMatchObject({ status: 302, headers: { location: `${inside.url}/secret` } });
    expect(inside.requests).toHaveLength(0);
  });

  test("the guard serves libraries that take a lookup", async () => {
    const resolve: Resolve = async (host) => [{ address: host === "good.example" ? "8.8.8.8" : "10.0.0.1", family: 4 }];
    const lookup = outboundWith({ resolve }).lookup(25);
    const ask = (host: string) => new Promise((done) => lookup(host, { all: true }, (error, addresses) => done(error ?? addresses)));
    expect(await ask("good.example")).toEqual([{ address: "8.8.8.8", family: 4 }]);
    expect(await ask("bad.example")).toEqual(failing("blocked_address"));
    expect(await ask("fe80::1%eth0")).toEqual(failing("bad_url"));
  });
});

describe("https", () => {
  test("plain http is refused outside development, before a DNS query", async () => {
    const resolve: Resolve = () => Promise.reject(new Error("asked DNS"));
    const outbound = outboundWith({ allowedHosts: ["127.0.0.1", "internal"], resolve });
    await expect(outbound.fetch("http://internal/")).rejects.toEqual(failing("scheme"));
    expect(() => outbound.checkUrl("http://8.8.8.8/")).toThrow(failing("scheme"));
    expect(() => outbound.checkUrl("http://8.8.8.8/", { requireHttps: false })).not.toThrow();
  });

  test("in development plain http reaches loopback and nothing else, also when another caller may go further", async () => {
    const { port, requests } = await peer(ok);
    // Not loopback as far as the guard can know; it is only made to look like an allowed inside host.
    let address = "10.9.8.7";
    const outbound = outboundWith({ allowLoopbackHttp: true, allowedHosts: ["internal"], resolve: async () => [{ address, family: 4 }] });
    await expect(outbound.fetch(`http://internal:${port}/`)).rejects.toEqual(failing("scheme"));
    address = "127.0.0.1";
    expect((await outbound.fetch(`http://internal:${port}/`, { requireHttps: false })).status).toBe(200);
    // The connection just made is still open; a strict caller must not be handed it.
    address = "10.9.8.7";
    await expect(outbound.fetch(`http://internal:${port}/`)).rejects.toEqual(failing("scheme"));
    expect(requests).toHaveLength(1);
  });
});

describe("limits", () => {
  test("a peer that never answers", async () => {
    const { url } = await peer(() => {});
    await expect(development().fetch(url, { timeoutMs: 100 })).rejects.toEqual(failing("timeout"));
  });

  test("a peer that accepts and never speaks TLS", promptly, async () => {
    const port = await listen(createTcpServer(() => {}));
    const outbound = development();
    await expect(outbound.fetch(`https://127.0.0.1:${port}/`, { timeoutMs: 100 })).rejects.toEqual(failing("timeout"));
    await expect(outbound.connect({ host: "127.0.0.1", port, tls: true, timeoutMs: 100 })).rejects.toEqual(failing("timeout"));
  });

  test("a name server that never answers", promptly, async () => {
    const outbound = outboundWith({ resolve: () => new Promise(() => {}) });
    await expect(outbound.fetch("https://silent.example/", { timeoutMs: 50 })).rejects.toEqual(failing("timeout"));
    await expect(outbound.connect({ host: "silent.example", port: 25, timeoutMs: 50 })).rejects.toEqual(failing("timeout"));
  });

  test("a peer that drips bytes for ever", async () => {
    const { url } = await peer((_req, res) => {
      const drip = setInterval(() => res.write("."), 10);
      res.on("close", () => clearInterval(drip));
    });
    await expect(development().fetch(url, { timeoutMs: 150 })).rejects.toEqual(failing("timeout"));
  });

  test("a peer that drips headers for ever", async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.write("HTTP/1.1 200 OK\r\n");
        const drip = setInterval(() => socket.write("x-a: b\r\n"), 10);
        socket.on("close", () => clearInterval(drip));
      }),
    );
    await expect(development().fetch(`http://127.0.0.1:${port}/`, { timeoutMs: 150 })).rejects.toEqual(failing("timeout"));
  });

  test("a peer with endless headers", async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.write(`HTTP/1.1 200 OK\r\n${`x-a: ${"b".repeat(1000)}\r\n`.repeat(100)}`);
      }),
    );
    await expect(development().fetch(`http://127.0.0.1:${port}/`)).rejects.toEqual(failing("too_large"));
  });

  test("a gigabyte: reading stops at the limit and the peer is hung up on", async () => {
    let sent = 0;
    const closed: Promise<void>[] = [];
    const { url } = await peer((_req, res) => {
      closed.push(new Promise((resolve) => res.on("close", resolve)));
      const block = Buffer.alloc(1024 ** 2);
      const more = () => {
        while (!res.destroyed && sent < 1024 ** 3) {
          sent += block.length;
          if (!res.write(block)) return void res.once("drain", more);
        }
        res.end();
      };
      more();
    });
    const outbound = development();
    await expect(outbound.fetch(url)).rejects.toEqual(failing("too_large"));
    await Promise.all(closed);
    const answer = await outbound.fetch(url, { overflow: "truncate", maxBytes: 1000 });
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body).toHaveLength(1000);
    await Promise.all(closed);
    // Sockets buffer some of it on both sides, and nothing near the gigabyte.
    expect(sent).toBeLessThan(64 * 1024 ** 2);
  });

  test("a body of exactly the limit is whole", async () => {
    const { url } = await peer((_req, res) => res.end("x".repeat(1000)));
    expect(await development().fetch(url, { maxBytes: 1000 })).toMatchObject({ truncated: false, body: { length: 1000 } });
    await expect(development().fetch(url, { maxBytes: 999 })).rejects.toEqual(failing("too_large"));
  });

  test("a compressed bomb is not unpacked beyond the limit; a compressed answer is readable", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 ** 2));
    expect(bomb.length).toBeLessThan(256 * 1024);
    const { url } = await peer((req, res) => {
      res.writeHead(200, { "content-encoding": "gzip" });
      res.end(req.url === "/bomb" ? bomb : req.method === "HEAD" ? undefined : gzipSync("packed"));
    });
    const outbound = development();
    const before = process.memoryUsage().arrayBuffers;
    await expect(outbound.fetch(`${url}/bomb`)).rejects.toEqual(failing("too_large"));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 ** 2);
    expect((await outbound.fetch(url)).text()).toBe("packed");
    expect((await outbound.fetch(url, { method: "HEAD" })).text()).toBe("");
  });

  test("the caller can give up, and hears its own reason", async () => {
    const controller = new AbortController();
    const { url } = await peer(() => controller.abort(new Error("shutting down")));
    const call = development().fetch(url, { signal: controller.signal });
    await expect(call).rejects.toThrow("shutting down");
  });
});

describe("failures", () => {
  test("no process listens", async () => {
    const { port } = await peer(ok);
    for (const end of toEnd.splice(0).reverse()) await end();
    await expect(development().fetch(`http://127.0.0.1:${port}/`)).rejects.toEqual(failing("connect"));
  });

  test("the name does not exist", async () => {
    await expect(outboundWith({ resolve: async () => [] }).fetch("https://nowhere.example/")).rejects.toEqual(failing("dns"));
    const resolve: Resolve = () => Promise.reject(new Error("ENOTFOUND"));
    await expect(outboundWith({ resolve }).fetch("https://nowhere.example/")).rejects.toEqual(failing("dns"));
  });

  test("a name that leads inside cannot be told from one that does not exist, neither by the words nor by the time", async () => {
    const refused = async (host: string) => {
      const began = performance.now();
      const error: Error = await outboundWith({})
        .fetch(`https://${host}/`)
        .then(
          () => expect.unreachable(),
          (thrown) => thrown,
        );
      return [error.message.replace(host, ""), performance.now() - began >= 195] as const;
    };
    const [inside, unknown] = await Promise.all(["localhost", "nowhere.invalid"].map(refused));
    expect(inside).toEqual([expect.stringContaining("could not be found, or is not a public address"), true]);
    expect(unknown).toEqual(inside);
  });

  test("the peer breaks off in the middle, or sends a broken archive", async () => {
    const { url } = await peer((req, res) => {
      if (req.url === "/archive") return void res.writeHead(200, { "content-encoding": "gzip" }).end("not gzip");
      res.writeHead(200, { "content-length": "100" });
      res.write("half");
      setImmediate(() => res.destroy());
    });
    const outbound = development();
    await expect(outbound.fetch(url)).rejects.toEqual(failing("connect"));
    await expect(outbound.fetch(`${url}/archive`)).rejects.toEqual(failing("connect"));
  });

  test("a header that would split the request is refused", async () => {
    const { url, requests } = await peer(ok);
    await expect(development().fetch(url, { headers: { "x-a": "b\r\nx-evil: yes" } })).rejects.toEqual(failing("bad_url"));
    expect(requests).toHaveLength(0);
  });

  test("closing waits for the pending answer, not for abandoned connections, and then refuses", promptly, async () => {
    const hungUp: Promise<unknown>[] = [];
    const silent = await listen(createTcpServer((socket) => hungUp.push(once(socket.resume(), "close"))));
    const outbound = development();
    let close: Promise<void> | undefined;
    const { url } = await peer((_req, res) => {
      close = outbound.close();
      setImmediate(() => res.end("last words"));
    });
    await expect(outbound.fetch(`https://127.0.0.1:${silent}/`, { timeoutMs: 50 })).rejects.toEqual(failing("timeout"));
    expect((await outbound.fetch(url)).text()).toBe("last words");
    await close;
    await Promise.all(hungUp);
    expect(hungUp).toHaveLength(1);
    await expect(outbound.fetch(url)).rejects.toEqual(failing("connect"));
  });

  test("messages carry neither the query nor headers", async () => {
    const { url } = await peer(() => {});
    const headers = { authorization: "Bearer hunter2" };
    const error = await development()
      .fetch(`${url}/?key=hunter2`, { headers, timeoutMs: 50 })
      .catch((e: Error) => e);
    expect(error).toBeInstanceOf(Error);
    expect(JSON.stringify([String(error), error])).not.toContain("hunter2");
  });
});
