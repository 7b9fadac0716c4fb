import { afterAll, beforeAll, expect, test } from "vitest";
import { createMailbox } from "../../tenancy/messaging/index.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { submit, walk } from "../../testing/relying-party.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development", GATEHOUSE_HOST: "127.0.0.1" });
});
afterAll(() => iam?.close());

const here = { host: "localhost:8080" };
const look = (realm: string, { headers = here as Record<string, string>, remoteAddress = "127.0.0.1" } = {}) =>
  iam.server.app.inject({ url: `/realms/${realm}/mailbox`, headers: { accept: "text/html", ...headers }, remoteAddress });

test("in development, registration can be tried without a mail provider: the code is in the mailbox, and another one after a while", async () => {
  const realm = await iam.realm();
  await realm.asMaster().put("/settings", { registration: { enabled: true, verifyEmail: true } });
  const base = iam.config.baseUrl;
  const browser = iam.browser();
  const register = (await walk(browser, base, `/realms/${realm.name}/register`)).page;
  const grace = { username: "grace", email: "grace@example.com", firstName: "Grace", lastName: "Hopper" };
  const waiting = await submit(browser, base, register, { ...grace, newPassword: "a quiet and long sentence" });
  await expect.poll(async () => (await look(realm.name)).body).toContain("grace@example.com");
  const code = /\b(\d{6})\b/.exec((await look(realm.name)).body)?.[1];

  const tooSoon = await submit(browser, base, waiting.page, { resend: "true" });
  expect([tooSoon.page.status, tooSoon.page.text]).toEqual([429, expect.stringContaining("We just sent an email")]);
  const [back] = /\/realms\/[^"]*\/register\?[^"]*from=[^"]*/.exec(waiting.page.text)!;
  expect((await browser.get(back.replaceAll("&amp;", "&"))).text).toContain('value="grace@example.com"');
  const stranger = await iam.browser().get(back.replaceAll("&amp;", "&"));
  expect([stranger.status, stranger.text.includes("grace@example.com")]).toEqual([200, false]);

  await submit(browser, base, waiting.page, { code: code! });
  expect(browser.cookies.has(`gh_${realm.name}`)).toBe(true);
});

test("only a browser on this machine that asks for this machine gets the mailbox", async () => {
  const realm = await iam.realm();
  expect((await look(realm.name)).statusCode).toBe(200);
  expect((await look(realm.name, { headers: { host: "127.0.0.1:8080" } })).statusCode).toBe(200);
  const others = [
    { remoteAddress: "203.0.113.7" },
    { headers: { host: "gatehouse.example" } },
    { headers: { host: "localhost.evil.example" } },
    { headers: { ...here, "x-forwarded-for": "203.0.113.7" } },
    { headers: { ...here, forwarded: "for=203.0.113.7" } },
  ];
  for (const other of others) expect((await look(realm.name, other)).statusCode, JSON.stringify(other)).toBe(404);
});

test("only a server for development on this machine has a mailbox", () => {
  const local = { mode: "development", host: "127.0.0.1", baseUrl: "http://localhost:8080" };
  expect(createMailbox(local)).not.toBeNull();
  for (const other of [{ mode: "production" }, { host: "0.0.0.0" }, { host: "::" }, { baseUrl: "https://id.example.com" }])
    expect(createMailbox({ ...local, ...other }), JSON.stringify(other)).toBeNull();
});
