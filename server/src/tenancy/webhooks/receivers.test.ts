// Receivers that hang, lie, stall, redirect inward or never end, and names that lead elsewhere: none of them harms us or each other.
import { sql } from "kysely";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { inTransaction } from "../../platform/db/index.ts";
import { createOutbound, type Outbound, type OutboundOptions } from "../../platform/outbound/index.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { accept, deliverAll, type Receiver, receiver } from "../../testing/receiver.ts";
import { type Claim, claimDeliveries, dueWebhooks, storeOutcomes } from "./claims.store.ts";
import { createWebhookSender, type WebhookSender, webhookBacklog } from "./index.ts";
import { outcomeOf } from "./schedule.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development" });
  // Each test sends with its own sender.
  await iam.server.webhooks.stop();
  await iam.server.jobs.stop();
});
const toEnd: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  clock.reset();
  for (const end of toEnd.splice(0).reverse()) await end();
  await sql`delete from webhooks`.execute(iam.core.db);
});
afterAll(() => iam?.close());

async function peer(tls?: { key: string; cert: string }): Promise<Receiver> {
  const made = await receiver(tls);
  toEnd.push(made.close);
  return made;
}

function senderWith(
  options: Partial<OutboundOptions> & { alone?: boolean; waits?: number[]; timeoutMs?: number; shutdownMs?: number } = {},
): WebhookSender {
  const { alone = false, waits = [SECOND], timeoutMs = 10 * SECOND, shutdownMs = 100, ...given } = options;
  const outbound: Outbound = createOutbound({ allowedHosts: [], allowLoopbackHttp: true, connections: 128, ...given });
  const { db, work, vault } = iam.core;
  const log = pino({ level: "silent" });
  const sender = createWebhookSender({ db, work, vault, log, outbound, registry: new Registry(), waits, timeoutMs, shutdownMs, alone });
  toEnd.push(() => outbound.close());
  toEnd.push(() => sender.stop());
  return sender;
}

/** A webhook put into the table as it is: addresses that no route would take. */
async function hooked(realm: RealmUnderTest, url: string): Promise<string> {
  const id = newId();
  const row = {
    realm_id: realm.name,
    webhook_id: id,
    name: "a",
    url,
    event_types: "LOGIN_FAILURE",
    enabled: true,
    created_at: clock.now(),
  };
  await iam.core.db.insertInto("webhooks").values(row).execute();
  return id;
}

const happen = async (realm: RealmUnderTest, count = 1) => {
  for (let i = 0; i < count; i++) await iam.browser().trySignIn(realm.name, `n${i}`, "wrong");
};
const rowsOf = (id: string) =>
  iam.core.db
    .selectFrom("webhook_deliveries")
    .select(["delivery_id", "status", "attempts", "answer_status", "answer", "error", "locked_until"])
    .where("webhook_id", "=", id)
    .orderBy("delivery_id")
    .execute();

/** One event to one address; answers its delivery. */
async function deliveredTo(url: string, options?: Parameters<typeof senderWith>[0]) {
  const realm = await iam.realm();
  const id = await hooked(realm, url);
  const sender = senderWith(options);
  await happen(realm);
  await deliverAll(iam.core.db, sender);
  return (await rowsOf(id))[0]!;
}

describe("addresses", () => {
  test("a name that was public when it was checked and is loopback when it is called", async () => {
    const inside = await peer();
    const answers = ["93.184.216.34", "127.0.0.1"];
    const resolve = async () => [{ address: answers.shift() ?? "127.0.0.1", family: 4 }];
    const outbound = createOutbound({ allowedHosts: [], allowLoopbackHttp: false, resolve });
    toEnd.push(() => outbound.close());
    expect(await outbound.resolve("rebind.example", 443)).toMatchObject([{ address: "93.184.216.34" }]);
    const delivery = await deliveredTo(`https://rebind.example:${inside.port}/`, { allowLoopbackHttp: false, resolve });
    expect(delivery).toMatchObject({ status: "PENDING", attempts: 1, error: expect.stringContaining("not a public address") });
    expect(inside.received).toEqual([]);
  });

  const UNKNOWN =
    "could not be found, or is not a public address. Please check the spelling. An operator can allow it with GATEHOUSE_ALLOWED_HOSTS.";
  test.each([
    ["no address", ""],
    ["an IPv4-mapped address", "::ffff:127.0.0.1"],
    ["the metadata service", "169.254.169.254"],
    ["a private network", "10.1.2.3"],
    ["link-local", "fe80::1"],
  ])("a name that leads to %s: the report is the same", async (_what, address) => {
    const resolve = async () => (address === "" ? [] : [{ address, family: address.includes(":") ? 6 : 4 }]);
    const delivery = await deliveredTo("https://hooks.example/", { allowLoopbackHttp: false, resolve });
    expect(delivery).toMatchObject({ status: "PENDING", error: `hooks.example ${UNKNOWN}` });
  });

  test("plain http where a name turns out not to be this machine", async () => {
    const resolve = async () => [{ address: "93.184.216.34", family: 4 }];
    expect(await deliveredTo("http://localhost/", { resolve })).toMatchObject({ error: expect.stringContaining("https") });
  });

  test("a redirect, inward or anywhere, is a failure and is not followed", async () => {
    const [outside, inside] = [await peer(), await peer()];
    outside.answer = (_request, response) => void response.writeHead(302, { location: inside.url }).end();
    expect(await deliveredTo(outside.url)).toMatchObject({
      status: "PENDING",
      answer_status: 302,
      error: expect.stringContaining("redirects are not followed"),
    });
    expect(inside.received).toEqual([]);
  });

  test("a private authority is trusted where it is configured, and only there", async () => {
    const authority = await privateAuthority();
    const hooks = await peer(await authority.identity("hooks.internal"));
    const here = { allowLoopbackHttp: false, allowedHosts: ["hooks.internal"], resolve: async () => [{ address: "127.0.0.1", family: 4 }] };
    const url = `https://hooks.internal:${hooks.port}/in`;
    expect(await deliveredTo(url, { ...here, ca: authority.ca })).toMatchObject({ status: "DELIVERED", answer_status: 204 });
    expect(await deliveredTo(url, here)).toMatchObject({ status: "PENDING", error: expect.stringContaining("certificate") });
    expect(hooks.received).toHaveLength(1);
  });
});

describe("answers", () => {
  test("that never end are cut off, and a 2xx counts", async () => {
    const endless = await peer();
    let hungUp: Promise<unknown> | undefined;
    endless.answer = (_request, response) => {
      hungUp = new Promise((done) => response.on("close", done));
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write("a".repeat(64 * 1024)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    };
    const delivery = await deliveredTo(endless.url);
    expect(delivery).toMatchObject({ status: "DELIVERED", answer_status: 200 });
    expect(delivery.answer).toBe("a".repeat(1024));
    await hungUp;
  });

  test("that are no text are made fit to be stored", async () => {
    const odd = await peer();
    odd.answer = (_request, response) => void response.writeHead(500).end(Buffer.from([0x61, 0, 0xff, 0xfe, 0xed, 0xa0, 0x80, 0x62]));
    const delivery = await deliveredTo(odd.url);
    expect(delivery.answer).toMatch(/^a\ufffd+b$/);
  });

  test("that never come end by the time limit, and are reported without details", async () => {
    const silent = await peer();
    silent.answer = () => {};
    expect(await deliveredTo(silent.url, { timeoutMs: 300 })).toMatchObject({
      status: "PENDING",
      attempts: 1,
      answer_status: null,
      error: "127.0.0.1 did not answer in time.",
    });
  });
});

describe("one receiver does not delay another", () => {
  const EVENTS = 12;
  const patiently = { timeout: 90 * SECOND };

  test("a receiver that hangs gets a few at once and then one, while another gets everything", async () => {
    const realm = await iam.realm();
    const [silent, quick] = [await peer(), await peer()];
    silent.answer = () => {};
    await hooked(realm, silent.url);
    const id = await hooked(realm, quick.url);
    // Neither is given up before the other is done.
    const sender = senderWith({ timeoutMs: MINUTE });
    await happen(realm, EVENTS);
    await sender.start();
    await quick.until(EVENTS);
    await vi.waitFor(async () => expect((await rowsOf(id)).filter(({ status }) => status === "DELIVERED")).toHaveLength(EVENTS), patiently);
    expect(silent.received.length).toBeLessThanOrEqual(2);
  });

  test("not even where both share a host and its path is all that differs", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const shared = await peer();
    shared.answer = (request, response) => (request.path === "/hangs" ? undefined : accept(request, response));
    for (let i = 0; i < 10; i++) await hooked(one, `${shared.url}/hangs`);
    await hooked(two, `${shared.url}/quick`);
    const sender = senderWith({ timeoutMs: MINUTE });
    await happen(one, 2);
    await happen(two, EVENTS);
    await sender.start();
    await vi.waitFor(() => expect(shared.received.filter(({ path }) => path === "/quick")).toHaveLength(EVENTS), patiently);
  });
});

describe("a claim", () => {
  test("an attempt after its lease cannot overwrite the next one's outcome", async () => {
    const realm = await iam.realm();
    const id = await hooked(realm, "https://nobody.invalid/");
    await happen(realm);
    const { db } = iam.core;
    // Made by a sender that has stopped: nothing is sent.
    const maker = senderWith({ resolve: async () => [] });
    await deliverAll(iam.core.db, maker);
    clock.advance(MINUTE);
    const take = async () => (await claimDeliveries(db, [{ webhook: id, places: 8 }], clock.now(), MINUTE))[0] as Claim;
    const slow = await take();
    expect(slow.attempts).toBe(1);
    expect(await take()).toBeUndefined();
    clock.advance(MINUTE);
    const next = await take();
    expect(next.delivery_id).toBe(slow.delivery_id);
    const attempt = { delivered: false, status: 500, answer: null, error: "late", latencyMs: 1, timedOut: false, retryAfterMs: 0 };
    const store = (claim: Claim, delivered: boolean) =>
      inTransaction(db, (tx) => storeOutcomes(tx, [outcomeOf(claim, { ...attempt, delivered }, [SECOND, SECOND], clock.now())]));
    expect((await store(slow, false)).size).toBe(0);
    expect((await store(next, true)).size).toBe(1);
    expect((await store(slow, false)).size).toBe(0);
    expect(await rowsOf(id)).toMatchObject([{ status: "DELIVERED", attempts: 2 }]);
  });

  test("is given back by a node that stops before the receiver has answered", async () => {
    const realm = await iam.realm();
    const silent = await peer();
    silent.answer = () => {};
    const id = await hooked(realm, silent.url);
    await happen(realm);
    const sender = senderWith({ timeoutMs: MINUTE });
    await sender.start();
    sender.wake();
    await silent.until(1);
    expect((await rowsOf(id))[0]!.locked_until).toBeGreaterThan(0);
    await sender.stop();
    expect(await rowsOf(id)).toMatchObject([{ status: "PENDING", attempts: 0, locked_until: 0 }]);
    silent.answer = accept;
    await deliverAll(iam.core.db, senderWith());
    expect(await rowsOf(id)).toMatchObject([{ status: "DELIVERED", attempts: 1 }]);
    expect(new Set(silent.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  test("is given back at the next start where no other node can hold it", async () => {
    const realm = await iam.realm();
    const id = await hooked(realm, "https://nobody.invalid/");
    await happen(realm);
    await deliverAll(iam.core.db, senderWith({ resolve: async () => [] }));
    clock.advance(MINUTE);
    const [claim] = await claimDeliveries(iam.core.db, [{ webhook: id, places: 8 }], clock.now(), MINUTE);
    const lock = async () => (await rowsOf(id))[0]!.locked_until;
    await senderWith({ alone: false }).start();
    expect(await lock()).toBe(claim!.locked_until);
    await senderWith({ alone: true, resolve: () => new Promise(() => {}) }).start();
    expect(await lock()).toBe(0);
  });

  test("passes over webhooks that have nothing due, and goes round all of them, also those disabled by now", async () => {
    const realm = await iam.realm();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await hooked(realm, "https://nobody.invalid/"));
    await happen(realm);
    await deliverAll(iam.core.db, senderWith({ resolve: async () => [] }));
    const due = (after: string, limit: number) => dueWebhooks(iam.core.db, after, limit, clock.now());
    const zero = "00000000-0000-0000-0000-000000000000";
    expect(await due(zero, 10)).toEqual([]);
    clock.advance(MINUTE);
    expect(await due(zero, 3)).toEqual(ids.slice(0, 3));
    expect(await due(ids[2]!, 3)).toEqual(ids.slice(3));
    await iam.core.db.updateTable("webhooks").set({ enabled: false }).where("webhook_id", "=", ids[1]!).execute();
    expect(await due(zero, 10)).toEqual(ids);
    expect(await webhookBacklog(iam.core.db, clock.now())).toMatchObject({ waiting: 5 });
    expect((await webhookBacklog(iam.core.db, clock.now())).oldestMs).toBeGreaterThan(30 * SECOND);
    const metrics = (await iam.browser().get("/monitoring/metrics")).text;
    expect(metrics).toContain("\nsvc_webhook_deliveries_waiting 5\n");
    expect(Number(/\nsvc_webhook_deliveries_oldest_waiting_seconds ([\d.]+)/.exec(metrics)?.[1])).toBeGreaterThan(30);
  });
});
