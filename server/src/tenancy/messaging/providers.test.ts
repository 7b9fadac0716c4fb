import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { headerOf, readMail } from "../../testing/mail-parts.ts";
import { type Listening, listenOnLoopback } from "../../testing/peer-sockets.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import type { AdminClient } from "../../testing/realm.ts";
import { type SmtpPeer, smtpPeer } from "../../testing/smtp-peer.ts";
import { findProvider } from "./index.ts";
import { secretPlace } from "./providers.store.ts";

const SECRET = "correct-horse-battery";
const at = "/messaging/providers";
const smtp = {
  channel: "EMAIL",
  driver: "smtp",
  enabled: true,
  fromAddress: "no-reply@example.com",
  fromName: "Acme",
  config: { host: "smtp.example.com", port: 587, username: "acme" },
  secret: SECRET,
};
const emailHttp = {
  channel: "EMAIL",
  driver: "http",
  fromAddress: "no-reply@example.com",
  config: { url: "https://mail.example.com/send" },
};
const smsHttp = { channel: "SMS", driver: "http", config: { url: "https://sms.example.com/send" } };

let iam: SharedHarness;
let mailbox: SmtpPeer;
let gateway: Listening;
let answer: { status: number; body: string };
const called: { headers: Record<string, unknown>; body: string }[] = [];

beforeAll(async () => {
  // Development mode, in which this machine may be called without TLS.
  iam = await sharedHarness({ GATEHOUSE_MODE: "development" });
  const identity = await (await privateAuthority()).identity("localhost");
  mailbox = await smtpPeer({ security: "none", identity, account: { username: "acme", password: SECRET } });
  const server: Server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    called.push({ headers: req.headers, body: Buffer.concat(chunks).toString() });
    res.writeHead(answer.status).end(answer.body);
  });
  gateway = await listenOnLoopback(server);
});
afterEach(() => {
  answer = { status: 200, body: "{}" };
});
afterAll(async () => {
  clock.reset();
  await mailbox?.close();
  await gateway?.close();
  await iam?.close();
});

const onThisMachine = () => ({ ...smtp, config: { host: "127.0.0.1", port: mailbox.port, username: "acme", security: "none" } });
const gatewayOnThisMachine = (secret = SECRET) => ({ ...smsHttp, config: { url: `http://127.0.0.1:${gateway.port}/send` }, secret });
const inRealm = async () => {
  const realm = await iam.realm();
  return { realm, admin: realm.asMaster() };
};

describe("configuring", () => {
  test("a fresh realm has none, and says so where one is needed", async () => {
    const { admin } = await inRealm();
    expect(await admin.get(at)).toMatchObject({ status: 200, body: [], headers: { "x-total-count": "0" } });
    expect(await admin.post(`${at}/EMAIL/test`, { to: "ada@example.com" })).toMatchObject({
      status: 409,
      body: { code: "messaging.no_provider", detail: expect.stringContaining("configure one") },
    });
  });

  test("creates with 201, replaces with 200, and leaves an event each", async () => {
    const { realm, admin } = await inRealm();
    const created = await admin.put(at, smtp);
    expect(created).toMatchObject({ status: 201, headers: { etag: expect.stringMatching(/^"1[."]/) } });
    expect(created.body).toEqual({ ...smtp, id: expect.any(String), realmId: realm.name, secret: null, secretSet: true });
    const replaced = await admin.put(at, { ...smtp, fromName: null, config: { host: "relay.example.com" }, secret: null });
    expect(replaced).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^"2[."]/) } });
    expect(replaced.body).toEqual({ ...created.body, fromName: null, config: { host: "relay.example.com" }, secretSet: false });
    expect(await admin.get(at)).toMatchObject({ status: 200, body: [replaced.body], headers: { "x-total-count": "1" } });
    expect(await admin.get(`${at}/EMAIL/smtp`)).toMatchObject({
      status: 200,
      body: replaced.body,
      headers: { etag: expect.stringMatching(/^"2[."]/) },
    });
    const about = { resourceType: "messaging", resourceId: created.body.id, detail: "provider EMAIL/smtp", actor: admin.username };
    expect(await realm.events("type=ADMIN_CREATE&resourceType=messaging")).toMatchObject([about]);
    expect(await realm.events("type=ADMIN_UPDATE&resourceType=messaging")).toMatchObject([about]);
  });

  test("takes back what it showed, and nothing changes by it", async () => {
    const { admin } = await inRealm();
    const { body } = await admin.put(at, smtp);
    expect(await admin.put(at, body)).toMatchObject({ status: 200, body });
    expect(await admin.put(at, { ...body, id: "01900000-0000-7000-8000-000000000000" })).toMatchObject(refusedFor("id"));
    expect(await admin.put(at, { ...body, realmId: "master" })).toMatchObject(refusedFor("realmId"));
    await admin.put(at, { ...body, secret: null, secretSet: false });
    expect(await admin.put(at, { ...body, secretSet: true })).toMatchObject(refusedFor("secretSet"));
  });

  test("keeps the secret that is left out, replaces the one that is sent, and removes it for null", async () => {
    const { realm, admin } = await inRealm();
    const { secret: _, ...withoutSecret } = smtp;
    const secretNow = async () => (await findProvider(iam.core.db, iam.core.vault, realm.name, "EMAIL"))?.secret;
    await admin.put(at, smtp);
    expect((await admin.put(at, { ...withoutSecret, fromName: "Acme 2" })).body).toMatchObject({ fromName: "Acme 2", secretSet: true });
    expect(await secretNow()).toBe(SECRET);
    await admin.put(at, { ...smtp, secret: "another" });
    expect(await secretNow()).toBe("another");
    expect((await admin.put(at, { ...smtp, secret: null })).body.secretSet).toBe(false);
    expect(await secretNow()).toBeNull();
  });

  test.each([
    ["another host", { ...smtp, config: { ...smtp.config, host: "smtp.evil.example" } }],
    ["another port", { ...smtp, config: { ...smtp.config, port: 2525 } }],
    ["another protection", { ...smtp, config: { ...smtp.config, security: "tls" } }],
    ["another port, by default", { ...smtp, config: { host: "smtp.example.com", username: "acme", security: "tls" } }],
  ])("%s clears the secret, unless the request brings it", async (_, moved) => {
    const { realm, admin } = await inRealm();
    const secretNow = async () => (await findProvider(iam.core.db, iam.core.vault, realm.name, "EMAIL"))?.secret;
    const { body } = await admin.put(at, smtp);
    expect((await admin.put(at, { ...body, config: { ...smtp.config, host: "SMTP.example.com" } })).body.secretSet).toBe(true);
    // As it was read, with the new address.
    expect((await admin.put(at, { ...body, config: moved.config })).body.secretSet).toBe(false);
    expect(await secretNow()).toBeNull();
    await admin.put(at, smtp);
    const { secret: _secret, ...leftOut } = moved;
    expect((await admin.put(at, leftOut)).body.secretSet).toBe(false);
    expect((await admin.put(at, moved)).body.secretSet).toBe(true);
    expect(await secretNow()).toBe(SECRET);
  });

  test("a stored secret stays with its address, for every driver", async () => {
    const { admin } = await inRealm();
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    const drivers = [
      [{ ...emailHttp, secret: SECRET }, { url: "https://evil.example/send" }],
      [{ ...smsHttp, secret: SECRET }, { url: "https://sms.example.com:8443/send" }],
      [
        { channel: "SMS", driver: "twilio", fromAddress: "+31612345678", config: { accountSid: "AC1" }, secret: SECRET },
        { accountSid: "AC1", baseUrl: "https://evil.example" },
      ],
      [
        { channel: "PUSH", driver: "apns", config: { keyId: "ABCDE12345", teamId: "ABCDE12345", topic: "com.example.app" }, secret: key },
        { keyId: "ABCDE12345", teamId: "ABCDE12345", topic: "com.example.app", baseUrl: "https://evil.example" },
      ],
    ] as const;
    for (const [provider, config] of drivers) {
      const saved = await admin.put(at, { ...provider, enabled: false });
      expect(saved, provider.driver).toMatchObject({ status: 201, body: { secretSet: true } });
      expect((await admin.put(at, saved.body)).body.secretSet, provider.driver).toBe(true);
      expect((await admin.put(at, { ...saved.body, config })).body.secretSet, provider.driver).toBe(false);
    }
  });

  test("changes only what the caller saw", async () => {
    const { admin } = await inRealm();
    const { headers } = await admin.put(at, smtp);
    const seen = { headers: { "if-match": String(headers.etag) } };
    expect((await admin.put(at, smtp, seen)).status).toBe(200);
    expect((await admin.put(at, smtp, seen)).status).toBe(412);
    expect((await admin.delete(`${at}/EMAIL/smtp`, seen)).status).toBe(412);
    expect((await admin.put(at, smsHttp, { headers: { "if-match": '"1"' } })).status).toBe(412);
    expect((await admin.get(at)).body).toHaveLength(1);
  });

  test("an omitted enabled is true, for a new provider and for another; PATCH keeps it", async () => {
    const { admin } = await inRealm();
    expect((await admin.put(at, emailHttp)).body.enabled).toBe(true);
    await admin.put(at, { ...emailHttp, enabled: false });
    expect((await admin.patch(`${at}/EMAIL/http`, { fromName: "Acme" })).body.enabled).toBe(false);
    expect((await admin.put(at, emailHttp)).body.enabled, "its default").toBe(true);
  });

  test("lists by channel, searches and pages", async () => {
    const { admin } = await inRealm();
    for (const provider of [smtp, { ...emailHttp, enabled: false }, smsHttp]) expect((await admin.put(at, provider)).status).toBe(201);
    const keys = async (query: string) =>
      (await admin.get(`${at}${query}`)).body.map(({ channel, driver }: { channel: string; driver: string }) => `${channel}/${driver}`);
    expect(await keys("")).toEqual(["EMAIL/smtp", "EMAIL/http", "SMS/http"]);
    expect(await keys("?search=ht&sort=-channel")).toEqual(["SMS/http", "EMAIL/http"]);
    expect(await keys("?search=em")).toEqual(["EMAIL/smtp", "EMAIL/http"]);
    expect(await keys("?search=%25")).toEqual([]);
    expect(await admin.get(`${at}?size=1&page=1`)).toMatchObject({ body: [{ driver: "http" }], headers: { "x-total-count": "3" } });
    expect(await keys("?page=9")).toEqual([]);
  });

  test("deletes, once, and only what is the realm's own", async () => {
    const { realm, admin } = await inRealm();
    const other = await iam.realm();
    await other.asMaster().put(at, smtp);
    for (const path of ["/EMAIL/smtp", "/EMAIL/nothing", "/email/smtp", "/FAX/smtp", "/EMAIL/%27", "/EMAIL/__proto__", "/PUSH/smtp"])
      expect((await admin.delete(`${at}${path}`)).status, path).toBe(404);
    const { id } = (await admin.put(at, smtp)).body;
    expect((await admin.delete(`${at}/EMAIL/smtp`)).status).toBe(204);
    expect((await admin.get(`${at}/EMAIL/smtp`)).status).toBe(404);
    expect((await admin.delete(`${at}/EMAIL/smtp`)).status).toBe(404);
    expect((await other.asMaster().get(at)).body).toHaveLength(1);
    expect(await realm.events("type=ADMIN_DELETE&resourceType=messaging")).toMatchObject([
      { resourceId: id, detail: "provider EMAIL/smtp" },
    ]);
  });
});

describe("one enabled provider for each channel", () => {
  test("a second is refused, by name of the first, until that one is disabled", async () => {
    const { admin } = await inRealm();
    await admin.put(at, smtp);
    expect(await admin.put(at, emailHttp)).toMatchObject({
      status: 409,
      body: { code: "messaging.channel_taken", detail: expect.stringContaining("provider smtp") },
    });
    expect((await admin.put(at, { ...emailHttp, enabled: false })).status).toBe(201);
    expect((await admin.put(at, smsHttp)).status).toBe(201);
    expect((await admin.put(at, { ...emailHttp, enabled: true })).status).toBe(409);
    expect((await admin.put(at, { ...smtp, enabled: false })).status).toBe(200);
    expect((await admin.put(at, { ...emailHttp, enabled: true })).status).toBe(200);
  });

  test("one of two that are enabled at once wins; the other is a 409 and leaves no event", async () => {
    const { realm } = await inRealm();
    const admin = realm.asMaster();
    const answers = await Promise.all([smtp, emailHttp, smtp, emailHttp].map((provider) => admin.put(at, provider)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 201, 409, 409]);
    const enabled = (await admin.get(at)).body.filter((provider: { enabled: boolean }) => provider.enabled);
    expect(enabled).toHaveLength(1);
    expect(await realm.events("resourceType=messaging")).toHaveLength(2);
  });

  test("the database enforces it for every writer", async () => {
    const { realm, admin } = await inRealm();
    await admin.put(at, smtp);
    await admin.put(at, { ...emailHttp, enabled: false });
    await expect(
      sql`update messaging_providers set enabled = true where realm_id = ${realm.name} and driver = 'http'`.execute(iam.core.db),
    ).rejects.toThrow(/messaging_providers_one_enabled/);
  });
});

const refusedFor = (...fields: string[]) => ({
  status: 400,
  body: { errors: expect.arrayContaining(fields.map((field) => expect.objectContaining({ field }))) },
});

describe("bad input is a 400 that names the field", () => {
  const crlf = "x\r\nBcc: evil@example.org";
  const cases: [string, string, object][] = [
    ["no channel", "channel", { ...smtp, channel: undefined }],
    ["no driver", "driver", { ...smtp, driver: undefined }],
    ["an unknown channel", "channel", { ...smtp, channel: "FAX" }],
    ["an unknown driver", "driver", { ...smtp, driver: "sendmail" }],
    ["a driver of another channel", "driver", { ...smtp, driver: "fcm" }],
    ["an inherited name for a driver", "driver", { ...smtp, driver: "constructor" }],
    ["an unknown member", "extra", { ...smtp, extra: 1 }],
    ["enabled as text", "enabled", { ...smtp, enabled: "true" }],
    ["config as text", "config", { ...smtp, config: "smtp.example.com" }],
    ["no config", "config", { ...smtp, config: undefined }],
    ["config without a host", "config.host", { ...smtp, config: { port: 587, username: "acme" } }],
    ["an unknown member of config", "config.password", { ...smtp, config: { ...smtp.config, password: "x" } }],
    ["a member of another driver's config", "config.url", { ...smtp, config: { ...smtp.config, url: "https://example.com" } }],
    ["a port as text", "config.port", { ...smtp, config: { ...smtp.config, port: "587" } }],
    ["a port out of range", "config.port", { ...smtp, config: { ...smtp.config, port: 70_000 } }],
    ["unknown security", "config.security", { ...smtp, config: { ...smtp.config, security: "ssl" } }],
    ["no encryption on the Internet", "config.security", { ...smtp, config: { ...smtp.config, host: "8.8.8.8", security: "none" } }],
    ["a host with a port", "config.host", { ...smtp, config: { ...smtp.config, host: "smtp.example.com:25" } }],
    ["a host with a path", "config.host", { ...smtp, config: { ...smtp.config, host: "smtp.example.com/x" } }],
    ["CRLF in the host", "config.host", { ...smtp, config: { ...smtp.config, host: crlf } }],
    ["CRLF in the username", "config.username", { ...smtp, config: { ...smtp.config, username: crlf } }],
    ["a metadata address", "config.host", { ...smtp, config: { ...smtp.config, host: "169.254.169.254" } }],
    ["the same, mapped", "config.host", { ...smtp, config: { ...smtp.config, host: "::ffff:169.254.169.254" } }],
    ["the same, as a number", "config.host", { ...smtp, config: { ...smtp.config, host: "0xa9fea9fe" } }],
    ["a password without a username", "config.username", { ...smtp, config: { host: "smtp.example.com" } }],
    ["a secret with a line break", "secret", { ...smtp, secret: "one\r\ntwo" }],
    ["an empty secret", "secret", { ...smtp, secret: "" }],
    ["a secret that is too long", "secret", { ...smtp, secret: "x".repeat(16_385) }],
    ["CRLF in the sender's address", "fromAddress", { ...smtp, fromAddress: `no-reply@example.com\r\nBcc: evil@example.org` }],
    ["CRLF in the sender's name", "fromName", { ...smtp, fromName: crlf }],
    ["a control character in the sender's name", "fromName", { ...smtp, fromName: "Acme\u0007" }],
    ["two senders", "fromAddress", { ...smtp, fromAddress: "a@example.com, b@example.com" }],
    ["a sender with a name", "fromAddress", { ...smtp, fromAddress: "Acme <a@example.com>" }],
    ["no email address", "fromAddress", { ...smtp, fromAddress: "example.com" }],
    ["no sender at all", "fromAddress", { ...smtp, fromAddress: null }],
    ["a text sender of twelve characters", "fromAddress", { ...smsHttp, fromAddress: "Acmeincorpor" }],
    ["a text sender with brackets", "fromAddress", { ...smsHttp, fromAddress: "<script>" }],
    ["a URL without https", "config.url", { ...emailHttp, config: { url: "ftp://example.com" } }],
    ["a URL with a password", "config.url", { ...emailHttp, config: { url: "https://me:you@example.com/" } }],
    ["a URL that is none", "config.url", { ...emailHttp, config: { url: "example.com" } }],
    ["a URL with a line break", "config.url", { ...emailHttp, config: { url: "https://example.com/\r\nx" } }],
    ["a URL inward", "config.url", { ...emailHttp, config: { url: "https://10.0.0.1/" } }],
    ["a body that is no JSON", "config.body", { ...smsHttp, config: { ...smsHttp.config, body: '{"to": {{to}}}' } }],
    ["an unknown placeholder", "config.body", { ...smsHttp, config: { ...smsHttp.config, body: '{"to": "{{secret}}"}' } }],
    ["CRLF in a form", "config.body", { ...smsHttp, config: { ...smsHttp.config, contentType: "form", body: "to={{to}}\r\n" } }],
    ["CRLF in a header", "config.headers.X-A", { ...smsHttp, config: { ...smsHttp.config, headers: { "X-A": crlf } } }],
    ["CRLF in a header's name", "config.headers", { ...smsHttp, config: { ...smsHttp.config, headers: { "X-A\r\nX-B": "1" } } }],
    ["a header of ours", "config.headers.Host", { ...smsHttp, config: { ...smsHttp.config, headers: { Host: "inside" } } }],
    [
      "a secret in a header",
      "config.headers.Authorization",
      { ...smsHttp, config: { ...smsHttp.config, headers: { Authorization: "x" } } },
    ],
    [
      "two places for the secret",
      "config.secretHeader",
      { ...smsHttp, config: { ...smsHttp.config, authorization: "Token", secretHeader: "X-Key" } },
    ],
    ["a secret that no header can hold", "secret", { ...smsHttp, secret: "ключ" }],
    ["no sender for twilio", "fromAddress", { channel: "SMS", driver: "twilio", config: { accountSid: "AC1" }, secret: "x" }],
    ["no secret for twilio", "secret", { channel: "SMS", driver: "twilio", fromAddress: "+31201234567", config: { accountSid: "AC1" } }],
    ["an account with a slash", "config.accountSid", { channel: "SMS", driver: "twilio", config: { accountSid: "AC1/../x" }, secret: "x" }],
    ["no service account", "secret", { channel: "PUSH", driver: "fcm", secret: "{}" }],
    ["a service account that is no JSON", "secret", { channel: "PUSH", driver: "fcm", secret: "nonsense" }],
    [
      "a key that is none",
      "secret",
      { channel: "PUSH", driver: "apns", config: { keyId: "ABCDEFGHIJ", teamId: "ABCDEFGHIJ", topic: "x" }, secret: "x" },
    ],
    [
      "a key's name of nine",
      "config.keyId",
      { channel: "PUSH", driver: "apns", config: { keyId: "ABCDEFGHI", teamId: "ABCDEFGHIJ", topic: "x" } },
    ],
  ];

  let admin: AdminClient;
  beforeAll(async () => {
    admin = await (await iam.realm()).as("realm-admin");
  });

  test.each(cases)("%s: %s", async (_what, field, body) => {
    const answered = await admin.put(at, body);
    expect(answered, answered.text).toMatchObject(refusedFor(field));
    const { secret } = body as { secret?: string };
    if (secret && secret.length > 2) expect(answered.text).not.toContain(secret);
  });

  test("and nothing of it is kept", async () => {
    expect((await admin.get(at)).body).toEqual([]);
  });

  test("a megabyte of config is refused whole", async () => {
    const huge = { ...smsHttp, config: { ...smsHttp.config, body: `{"to": "{{to}}${"x".repeat(900_000)}"}` } };
    expect(await admin.put(at, huge)).toMatchObject(refusedFor("config.body"));
    expect((await admin.put(at, { ...huge, config: { ...huge.config, body: "x".repeat(2_000_000) } })).status).toBe(413);
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_x, i) => [`m${i}`, i]));
    const answered = await admin.put(at, { ...smtp, config: { ...smtp.config, ...many } });
    expect(answered.status).toBe(400);
    expect(answered.text.length).toBeLessThan(100_000);
  });

  test("the recipient of a test must be one of its channel", async () => {
    const { admin: own } = await inRealm();
    await own.put(at, onThisMachine());
    const before = mailbox.connections();
    for (const to of [
      "",
      "ada",
      "ada@example.com\r\nBcc: x@example.org",
      "ada@example.com,eve@example.com",
      "Ada <ada@example.com>",
      "+31612345678",
    ])
      expect(await own.post(`${at}/EMAIL/test`, { to }), to).toMatchObject(refusedFor("to"));
    for (const body of [{}, { to: 1 }, { to: ["ada@example.com"] }, { to: "ada@example.com", subject: "Buy now" }])
      expect((await own.post(`${at}/EMAIL/test`, body)).status).toBe(400);
    for (const channel of ["email", "FAX", "constructor"])
      expect((await own.post(`${at}/${channel}/test`, { to: "ada@example.com" })).status, channel).toBe(404);
    expect(mailbox.connections()).toBe(before);
  });
});

describe("a test message", () => {
  test("is sent, and leaves only an event that hides the recipient", async () => {
    const { realm, admin } = await inRealm();
    const { id } = (await admin.put(at, onThisMachine())).body;
    const rows = async () => {
      const { rows: tables } = await sql<{ name: string }>`
        select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(
        iam.core.db,
      );
      const counts = [];
      for (const { name } of tables.filter(({ name }) => !/^(audit_events|metric|login_|sessions|jobs)/.test(name)))
        counts.push([name, (await sql<{ n: number }>`select count(*)::int as n from ${sql.table(name)}`.execute(iam.core.db)).rows[0]!.n]);
      return counts;
    };
    const before = await rows();
    const sent = await admin.post(`${at}/EMAIL/test`, { to: "ada.lovelace@example.com" });
    expect(sent).toMatchObject({ status: 200, body: { sent: true, messageId: expect.stringMatching(/^<.+@example\.com>$/) } });
    expect(Object.keys(sent.body)).toEqual(["sent", "messageId"]);
    const mail = mailbox.mails.at(-1)!;
    expect(mail).toMatchObject({ recipients: ["ada.lovelace@example.com"], from: "no-reply@example.com", user: "acme" });
    expect(readMail(mail.raw).text).toContain(realm.name);
    expect(headerOf(readMail(mail.raw), "message-id")).toBe(sent.body.messageId);
    expect(await rows()).toEqual(before);
    expect(await realm.events("type=ADMIN_ACTION&resourceType=messaging")).toMatchObject([
      { resourceId: id, outcome: "SUCCESS", detail: "send test EMAIL/smtp to a…@example.com" },
    ]);
    expect(iam.output.join("")).not.toContain("ada.lovelace");
  });

  test("that fails is answered coarsely, with an event, and the log has the reason", async () => {
    const { realm, admin } = await inRealm();
    const wrong = "not-the-password-at-all";
    await admin.put(at, { ...onThisMachine(), secret: wrong });
    const lines = iam.output.length;
    const answered = await admin.post(`${at}/EMAIL/test`, { to: "grace.hopper@example.com" });
    expect(answered.body).toEqual({ sent: false, error: "The provider did not accept the credentials." });
    expect(await realm.events("type=ADMIN_ACTION&resourceType=messaging")).toMatchObject([
      { outcome: "FAILURE", detail: "send test EMAIL/smtp to g…@example.com: credentials" },
    ]);
    const recorded = iam.output.slice(lines).join("");
    expect(recorded).toContain("535");
    for (const hidden of [wrong, Buffer.from(wrong).toString("base64"), "grace.hopper"]) expect(recorded).not.toContain(hidden);
  });

  test("does not say what the network inside looks like", async () => {
    const { admin } = await inRealm();
    await admin.put(at, { ...gatewayOnThisMachine(), config: { url: "http://127.0.0.1:1/" } });
    expect((await admin.post(`${at}/SMS/test`, { to: "+31612345678" })).body).toEqual({
      sent: false,
      error: "The provider could not be reached.",
    });
    await admin.put(at, gatewayOnThisMachine());
    answer = { status: 500, body: "internal: db at 10.0.0.7 refused" };
    const answered = await admin.post(`${at}/SMS/test`, { to: "+31612345678" });
    expect(answered.body).toEqual({ sent: false, error: "The provider answered with an error." });
    expect(iam.output.join("")).not.toContain("10.0.0.7");
  });

  test("goes through the enabled provider, not through another", async () => {
    const { admin } = await inRealm();
    await admin.put(at, { ...onThisMachine(), enabled: false });
    expect((await admin.post(`${at}/EMAIL/test`, { to: "ada@example.com" })).status).toBe(409);
    const { config, secret } = gatewayOnThisMachine();
    await admin.put(at, { ...emailHttp, config, secret });
    const [mails, calls] = [mailbox.mails.length, called.length];
    expect((await admin.post(`${at}/EMAIL/test`, { to: "ada@example.com" })).body.sent).toBe(true);
    expect(mailbox.mails).toHaveLength(mails);
    expect(called).toHaveLength(calls + 1);
    expect(called.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test("is limited to ten in a minute for each realm", async () => {
    const { admin } = await inRealm();
    const { admin: elsewhere } = await inRealm();
    for (const one of [admin, elsewhere]) await one.put(at, gatewayOnThisMachine());
    const test = (one: AdminClient) => one.post(`${at}/SMS/test`, { to: "+31612345678" });
    for (let i = 0; i < 10; i++) expect((await test(admin)).status).toBe(200);
    const calls = called.length;
    const refused = await test(admin);
    expect(refused).toMatchObject({
      status: 429,
      body: { code: "rate.limited" },
      headers: { "retry-after": expect.stringMatching(/^\d+$/) },
    });
    expect(called).toHaveLength(calls);
    expect((await test(elsewhere)).status).toBe(200);
    clock.advance(MINUTE);
    expect((await test(admin)).status).toBe(200);
    clock.reset();
  });
});

describe("the secret", () => {
  test("is in no answer, event, log line or column", async () => {
    const { realm, admin } = await inRealm();
    const secret = "a-secret-that-nobody-may-read";
    const body = { ...gatewayOnThisMachine(secret) };
    const answers = [await admin.put(at, body), await admin.put(at, body), await admin.get(at), await admin.get(`${at}/SMS/http`)];
    answers.push(await admin.put(at, { ...body, config: { nothing: 1 } }), await admin.post(`${at}/SMS/test`, { to: "+31612345678" }));
    expect(called.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    answers.push(await admin.delete(`${at}/SMS/nothing`));
    const { rows } = await sql<{ row: string; secret: string; id: string }>`
      select messaging_providers::text as row, secret, provider_id::text as id from messaging_providers where realm_id = ${realm.name}`.execute(
      iam.core.db,
    );
    const [{ secret: sealed, id, row }] = rows as [(typeof rows)[number]];
    expect(iam.core.vault.open(sealed, secretPlace(realm.name, id))).toBe(secret);
    expect(() => iam.core.vault.open(sealed, secretPlace("master", id))).toThrow();
    const shown = [...answers.map(({ text }) => text), JSON.stringify(await realm.events()), iam.output.join("")].join("\n");
    for (const text of [shown, row]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString("base64"));
    }
    expect(shown).not.toContain(sealed);
  });
});
