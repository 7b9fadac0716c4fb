import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../kernel/ids.ts";
import { createOutbound, type Outbound } from "../../../platform/outbound/index.ts";
import { headerOf, readMail } from "../../../testing/mail-parts.ts";
import { type PrivateAuthority, privateAuthority } from "../../../testing/private-authority.ts";
import { type SmtpPeer, type SmtpPeerOptions, smtpPeer } from "../../../testing/smtp-peer.ts";
import type { Envelope, Provider } from "../driver.ts";
import { sendNow } from "../send.ts";
import { smtp } from "./smtp.ts";

const SECRET = "the password";
let authority: PrivateAuthority;
let outbound: Outbound;
const peers: SmtpPeer[] = [];
beforeAll(async () => {
  authority = await privateAuthority();
  outbound = createOutbound({
    allowedHosts: ["127.0.0.1"],
    allowLoopbackHttp: false,
    ca: authority.ca,
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
});
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});
afterAll(() => outbound?.close());

async function peerWith(options: Partial<SmtpPeerOptions> = {}): Promise<SmtpPeer> {
  const identity = await authority.identity("peer.internal");
  const peer = await smtpPeer({ security: "starttls", identity, account: { username: "acme", password: SECRET }, ...options });
  peers.push(peer);
  return peer;
}
const providerOf = (peer: SmtpPeer, config: object = {}, more: Partial<Provider> = {}): Provider => ({
  id: newId(),
  realm: "acme",
  version: 1,
  channel: "EMAIL",
  driver: "smtp",
  fromAddress: "no-reply@example.com",
  fromName: "Acme",
  config: { host: "peer.internal", port: peer.port, username: "acme", ...config },
  secret: SECRET,
  ...more,
});
const envelope = (more: Partial<Envelope> = {}): Envelope => ({
  id: newId(),
  to: "ada@example.com",
  subject: "Hello",
  text: "Hello",
  html: null,
  ...more,
});
const send = (provider: Provider, more: Partial<Envelope> = {}) =>
  sendNow(provider, envelope(more), { outbound, signal: new AbortController().signal }).catch((error: unknown) => error);

describe("encryption", () => {
  test("is encrypted by STARTTLS before the password is sent", async () => {
    const peer = await peerWith();
    await send(providerOf(peer));
    expect(peer.mails).toMatchObject([{ secure: true, user: "acme" }]);
    expect(peer.logins).toEqual([{ password: SECRET, secure: true }]);
  });

  test("is not done without where the server offers none: nothing is sent", async () => {
    const peer = await peerWith({ security: "none" });
    expect(await send(providerOf(peer))).toMatchObject({ failure: "insecure" });
    expect(await send(providerOf(peer, { security: "tls" }))).toMatchObject({ failure: "insecure" });
    expect([peer.mails, peer.logins]).toEqual([[], []]);
  });

  test("needs a certificate for the name that was configured", async () => {
    for (const security of ["starttls", "tls"] as const) {
      const peer = await peerWith({ security });
      expect(await send(providerOf(peer, { host: "other.internal", security })), security).toMatchObject({ failure: "insecure" });
      expect([peer.mails, peer.logins]).toEqual([[], []]);
      await send(providerOf(peer, { host: "127.0.0.1", security }));
      expect(peer.mails, "an address in the certificate is as good as a name").toHaveLength(1);
    }
  });

  test("also when the process is configured to trust every certificate", async () => {
    const peer = await peerWith();
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      expect(await send(providerOf(peer, { host: "other.internal" }))).toMatchObject({ failure: "insecure" });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  test("can be left out towards a relay that an operator allowed", async () => {
    const peer = await peerWith({ security: "none" });
    await send(providerOf(peer, { security: "none" }));
    expect(peer.mails).toMatchObject([{ secure: false, user: "acme" }]);
  });

  test("cannot be left out towards the Internet", () => {
    const provider = { ...providerOf({ port: 25 } as SmtpPeer), config: { host: "2606:4700:4700::1111", security: "none" }, secret: null };
    expect(smtp.check?.(provider, outbound)).toMatchObject([{ field: "config.security" }]);
  });
});

describe("credentials", () => {
  test("that were given are used, whether the server asks for them or not", async () => {
    const peer = await smtpPeer({ security: "starttls", identity: await authority.identity("peer.internal") });
    peers.push(peer);
    expect(await send(providerOf(peer))).toMatchObject({ failure: expect.stringMatching(/credentials|refused/) });
    expect(peer.mails).toEqual([]);
    const { username: _name, ...config } = providerOf(peer).config as { username: string };
    await send({ ...providerOf(peer), config, secret: null });
    expect(peer.mails).toMatchObject([{ user: null }]);
  });

  test("that are missing are not tried without", async () => {
    const peer = await peerWith();
    expect(await send(providerOf(peer, {}, { secret: null }))).toMatchObject({ failure: "credentials" });
    expect(peer.connections()).toBe(0);
  });

  test("may hold every character", async () => {
    const password = 'pässwörd = "quoted" 漢字 \' \\ %';
    const peer = await peerWith({ account: { username: "zoë@example.com", password } });
    await send(providerOf(peer, { username: "zoë@example.com" }, { secret: password }));
    expect(peer.mails).toHaveLength(1);
  });
});

describe("the mail", () => {
  test("carries what keeps machines from answering, and reveals nothing of this one", async () => {
    const peer = await peerWith();
    const id = newId();
    const sent = await send(providerOf(peer, {}, { fromName: 'Acmé "Shop", Inc.' }), { id, html: "<p>Hello</p>" });
    expect(sent).toEqual({ messageId: `<${id}@example.com>` });
    const [{ raw, greetedAs }] = peer.mails as [SmtpPeer["mails"][number]];
    const mail = readMail(raw);
    expect(headerOf(mail, "auto-submitted")).toBe("auto-generated");
    expect(headerOf(mail, "to")).toBe("ada@example.com");
    expect(headerOf(mail, "from")).toMatch(/no-reply@example\.com>$/);
    expect(greetedAs).toBe("example.com");
    expect(mail.headers.map(([name]) => name).sort()).toEqual([
      "auto-submitted",
      "content-type",
      "date",
      "from",
      "message-id",
      "mime-version",
      "subject",
      "to",
      "x-auto-response-suppress",
    ]);
    expect(mail).toMatchObject({ text: "Hello", html: "<p>Hello</p>" });
  });

  test("goes to addresses of every script", async () => {
    const peer = await peerWith();
    await send(providerOf(peer, {}, { fromAddress: "no-reply@münchen.example" }), { to: "zoë@exämple.com" });
    // The peer reads the names of domains back into letters; on the wire they are ASCII, so that only a name before the @ that
    // needs it asks for SMTPUTF8.
    expect(peer.mails).toMatchObject([{ recipients: ["zoë@exämple.com"], from: "no-reply@münchen.example", utf8: true }]);
    await send(providerOf(peer), { to: "zoe@exämple.com" });
    expect(peer.mails[1]).toMatchObject({ recipients: ["zoe@exämple.com"], utf8: false });
    expect(headerOf(readMail(peer.mails[1]!.raw), "to")).toBe("zoe@xn--exmple-cua.com");
    expect(headerOf(readMail(peer.mails[0]!.raw), "message-id")).toMatch(/@xn--mnchen-3ya\.example>$/);
  });

  test("reads no file and no URL, whatever the text looks like", async () => {
    const peer = await peerWith();
    await send(providerOf(peer), { text: "file:///etc/passwd", html: '<img src="file:///etc/passwd"><img src="http://127.0.0.1/">' });
    expect(readMail(peer.mails[0]!.raw)).toMatchObject({ text: "file:///etc/passwd", html: expect.stringContaining("file:///etc/passwd") });
  });
});

test.each([
  ["AUTH", 535, "credentials"],
  ["AUTH", 454, "refused"],
  ["MAIL", 530, "credentials"],
  ["MAIL", 550, "rejected"],
  ["MAIL", 421, "throttled"],
  ["RCPT", 550, "recipient"],
  ["RCPT", 553, "recipient"],
  ["RCPT", 450, "throttled"],
  ["RCPT", 451, "refused"],
  ["RCPT", 452, "throttled"],
  ["DATA", 554, "rejected"],
  ["DATA", 552, "rejected"],
  ["DATA", 451, "refused"],
] as const)("%s answered with %i is: %s", async (command, code, failure) => {
  const peer = await peerWith({ reply: (at) => (at === command ? { code, text: "because" } : null) });
  expect(await send(providerOf(peer))).toMatchObject({ failure });
});
