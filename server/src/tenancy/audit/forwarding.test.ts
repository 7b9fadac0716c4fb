import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import { answers, type Collector, collector, hangs } from "../../testing/collector.ts";
import { type Harness, harness, MASTER_PASSWORD, testDatabase } from "../../testing/harness.ts";

// The forwarder as the server runs it, by itself; forwarder.test.ts takes it step by step.
let receiver: Collector;
let iam: Harness;
const TOKEN = "token-of-the-receiver";
beforeAll(async () => {
  receiver = await collector();
  iam = await harness({
    GATEHOUSE_AUDIT_HTTP_URL: `${receiver.url.replace("//", "//user:pass@")}?apikey=hidden&index=main`,
    GATEHOUSE_AUDIT_HTTP_TOKEN: TOKEN,
    GATEHOUSE_AUDIT_CATEGORIES: "AUTHN,ADMIN,SECURITY",
    GATEHOUSE_AUDIT_TIMEOUT_MS: "60000",
  });
});
afterEach(() => clock.reset());
afterAll(async () => {
  await receiver?.close();
  await iam?.close();
});

const config = async () => {
  const master = iam.browser();
  await master.signIn("master", "admin", MASTER_PASSWORD);
  return (await master.get("/admin/audit/config")).body;
};

test("recorded events arrive without a request", async () => {
  const realm = await iam.realm();
  await realm.user("ada");
  const stored = await realm.events();
  const arrived = () => receiver.batches.flatMap(({ events }) => events).filter((event) => event.realm === realm.name);
  await expect.poll(() => arrived().length).toBe(stored.length);
  expect(arrived()).toEqual(stored.toReversed());
});

test("GET /admin/audit/config says how it is, without a secret", async () => {
  await expect.poll(async () => (await config()).forwarder.lastMovedAt).not.toBeNull();
  expect(await config()).toEqual({
    enabled: true,
    transports: ["stdout", "http"],
    httpUrl: `${receiver.url}?apikey=***&index=main`,
    httpConfigured: true,
    authConfigured: true,
    categories: ["AUTHN", "ADMIN", "SECURITY"],
    timeoutMs: 60_000,
    forwarder: { lastMovedAt: expect.stringMatching(/^\d{4}-.*Z$/), lagSeconds: expect.any(Number), lastError: null },
  });
});

test("a receiver that hangs or refuses delays no sign-in, and the metrics and the config say so", async () => {
  const realm = await iam.realm();
  await expect.poll(async () => (await iam.server.forwarder!.lag()).waiting).toBe(0);
  let answer: (() => void) | undefined;
  receiver.behave(
    (response) => {
      answer = () => void response.writeHead(500).end();
      hangs(response, receiver.batches.at(-1)!);
    },
    answers(503),
    answers(503),
    answers(503),
    answers(503),
    answers(503),
  );
  const requests = receiver.batches.length;
  await iam.browser().trySignIn(realm.name, "admin", "wrong");
  await receiver.until(requests + 1);
  // The request to the receiver is in progress until we release it: each of these was answered meanwhile.
  for (let n = 0; n < 5; n++) await iam.browser().signIn(realm.name, "admin", realm.adminPassword);
  expect(receiver.batches.length).toBe(requests + 1);
  answer!();
  await expect.poll(async () => (await config()).forwarder.lastError).toMatch(/^answered 50[03]$/);
  clock.advance(10 * SECOND);
  expect((await config()).forwarder.lagSeconds).toBeGreaterThanOrEqual(9);
  const scraped = (await iam.browser().get("/monitoring/metrics")).text;
  expect(scraped).toMatch(/^svc_audit_forwarded_total\{outcome="failure"\} [1-9]/m);
  expect(scraped).toMatch(/^svc_audit_forwarder_waiting [1-9]/m);
  expect(scraped).toMatch(/^svc_audit_forwarder_oldest_waiting_seconds [1-9]/m);
  receiver.behave();
  clock.advance(90 * SECOND);
  await expect.poll(async () => (await iam.server.forwarder!.lag()).waiting).toBe(0);
  const seen = new Set(receiver.taken);
  for (const { id } of await realm.events()) expect(seen).toContain(id);
  expect(iam.output.join("")).not.toMatch(new RegExp(`${TOKEN}|user:pass|hidden`));
});

test.skipIf(testDatabase() !== "postgres")("two nodes send every event once, and the remaining node goes on", async () => {
  const second = await iam.secondNode();
  const realm = await iam.realm();
  for (let n = 0; n < 20; n++) await iam.browser().trySignIn(realm.name, `nobody-${n}`, "wrong");
  await expect.poll(async () => (await second.server.forwarder!.lag()).waiting).toBe(0);
  const ids = receiver.taken.filter((id) => id !== "");
  expect(new Set(ids).size).toBe(ids.length);
  await iam.server.forwarder!.stop();
  const before = receiver.taken.length;
  await iam.browser().trySignIn(realm.name, "nobody", "wrong");
  await expect.poll(() => receiver.taken.length).toBeGreaterThan(before);
  await iam.server.forwarder!.start();
});
