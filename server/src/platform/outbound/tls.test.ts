import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { privateAuthority } from "../../testing/private-authority.ts";
import { createOutbound, type Outbound, type Resolve } from "./index.ts";

const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
const failing = (reason: string) => expect.objectContaining({ name: "OutboundError", reason });

let server: Server | undefined;
let port: number;
let ca: string;
const opened: Outbound[] = [];

beforeAll(async () => {
  const authority = await privateAuthority();
  ca = authority.ca;
  server = createServer(await authority.identity("hooks.internal"), (req, res) => res.end(`hello ${req.headers.host}`));
  const listening = server;
  await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
  port = (listening.address() as AddressInfo).port;
});
afterAll(async () => {
  for (const outbound of opened) await outbound.close();
  server?.close();
});

function outboundWith(authority?: string): Outbound {
  const outbound = createOutbound({ allowedHosts: ["127.0.0.1"], allowLoopbackHttp: false, resolve, ...(authority && { ca: authority }) });
  opened.push(outbound);
  return outbound;
}

describe("with a private authority", () => {
  test("a certificate by it is trusted, by name and by address", async () => {
    const outbound = outboundWith(ca);
    expect((await outbound.fetch(`https://hooks.internal:${port}/`)).text()).toBe(`hello hooks.internal:${port}`);
    expect((await outbound.fetch(`https://hooks.internal.:${port}/`)).status).toBe(200);
    expect((await outbound.fetch(`https://127.0.0.1:${port}/`)).status).toBe(200);
  });

  test("a certificate for another name is not, whatever Host header the caller sets", async () => {
    const outbound = outboundWith(ca);
    const headers = { host: "hooks.internal" };
    await expect(outbound.fetch(`https://other.internal:${port}/`)).rejects.toEqual(failing("tls"));
    await expect(outbound.fetch(`https://other.internal:${port}/`, { headers })).rejects.toEqual(failing("tls"));
  });

  test("a socket is handed out once the handshake is done, and the name can be given", async () => {
    const outbound = outboundWith(ca);
    for (const at of [
      { host: "hooks.internal" },
      { host: "127.0.0.1" },
      { host: "other.internal", servername: "hooks.internal" },
      { host: "other.internal", servername: "127.0.0.1" },
    ]) {
      const socket = await outbound.connect({ ...at, port, tls: true, alpn: ["http/1.1"] });
      expect(socket).toMatchObject({ authorized: true, alpnProtocol: "http/1.1", remoteAddress: "127.0.0.1" });
      socket.destroy();
    }
    await expect(outbound.connect({ host: "127.0.0.1", servername: "wrong.internal", port, tls: true })).rejects.toEqual(failing("tls"));
    await expect(outbound.connect({ host: "hooks.internal", servername: "127.0.0.9", port, tls: true })).rejects.toEqual(failing("tls"));
  });
});

test("without it the certificate is refused, also when the process is configured to trust every certificate", async () => {
  const outbound = outboundWith();
  await expect(outbound.fetch(`https://hooks.internal:${port}/`)).rejects.toEqual(failing("tls"));
  await expect(outbound.connect({ host: "127.0.0.1", port, tls: true })).rejects.toEqual(failing("tls"));
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  try {
    await expect(outbound.fetch(`https://hooks.internal:${port}/`)).rejects.toEqual(failing("tls"));
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
});

test("plain http to a TLS port is a broken conversation", async () => {
  const outbound = outboundWith(ca);
  // Node's TLS server hangs up on plain text.
  await expect(outbound.fetch(`http://127.0.0.1:${port}/`, { requireHttps: false })).rejects.toEqual(failing("connect"));
});
