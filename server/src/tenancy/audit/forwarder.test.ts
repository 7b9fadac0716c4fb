import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clock, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import { answers, type Behaviour, type Collector, collector, hangs, takes } from "../../testing/collector.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import { settled } from "../../testing/trail.ts";
import { purgeRealm } from "../realms/index.ts";
import { createForwarder, type Forwarder, forgetForwarder, type Turn } from "./forwarder.ts";
import { hasUnforwarded } from "./retention.store.ts";
import { httpReceiver, transports } from "./transports.ts";

let iam: Harness;
let receiver: Collector;
let forwarder: Forwarder;
let registry: Registry;
const lines: { level: string; message: string; [detail: string]: unknown }[] = [];
const ended: (() => Promise<void>)[] = [];
const TOKEN = "a-very-secret-token";
/** Short where no answer comes. */
let answerMs: number;

beforeAll(async () => {
  iam = await harness();
});
beforeEach(async () => {
  lines.length = 0;
  answerMs = 60_000;
  receiver = await collector();
  ended.push(receiver.close);
  registry = new Registry();
  forwarder = await beginning();
});
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
  clock.reset();
});
afterAll(() => iam?.close());

const log = {
  info: (details: object, message: string) => void lines.push({ level: "info", message, ...details }),
  warn: (details: object, message: string) => void lines.push({ level: "warn", message, ...details }),
  error: (details: object, message: string) => void lines.push({ level: "error", message, ...details }),
};

/** A node's forwarder, which runs on request only. */
function node(categories = ["AUTHN", "ADMIN"], into = new Registry(), timeoutMs = 60_000): Forwarder {
  const target = httpReceiver({ httpUrl: receiver.url, httpToken: TOKEN, timeoutMs });
  ended.push(() => target.outbound.close());
  const send = (events: Parameters<typeof transports.http.send>[1]) => transports.http.send({ ...target, timeoutMs: answerMs }, events);
  const made = createForwarder({ db: iam.core.db, log, registry: into, alone: false, categories, timeoutMs, send });
  ended.push(() => made.stop());
  return made;
}

/** A forwarder with a new cursor: what was there before is not its business. */
async function beginning(): Promise<Forwarder> {
  await forgetForwarder(iam.core.db, log);
  const made = node(["AUTHN", "ADMIN"], registry, 300);
  expect(await turn(made)).toBe("idle");
  lines.length = 0;
  return made;
}

async function turn(of = forwarder): Promise<Turn> {
  await settled(iam.core.db);
  return of.turn();
}

async function record(...details: string[]): Promise<void> {
  await iam.core.work.transact({ realm: "master", actor: systemActor("master"), sourceIp: null }, async (ctx) => {
    for (const detail of details) ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "things", detail });
  });
}
const details = () => receiver.batches.map(({ events }) => events.map(({ detail }) => detail));
const cursor = () =>
  iam.core.db.selectFrom("event_cursors").select(["locked_until", "last_error"]).where("name", "=", "forwarder").executeTakeFirstOrThrow();
const counted = async () =>
  Object.fromEntries(
    (await registry.getSingleMetric("svc_audit_forwarded_total")!.get()).values.map(({ labels, value }) => [labels.outcome, value]),
  );

describe("the forwarder", () => {
  test("posts what was recorded as one JSON array, as /events shows it, with the token, and each event once", async () => {
    const realm = await iam.realm();
    await realm.user("forwarded");
    expect(await turn()).toBe("sent");
    expect(await turn()).toBe("idle");
    const [batch, ...others] = receiver.batches;
    expect(others).toEqual([]);
    expect(batch).toMatchObject({
      method: "POST",
      path: "/audit",
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    });
    const stored = (await realm.events()).filter(({ category }) => category !== "SECURITY");
    const ofRealm = batch!.events.filter(({ realm: name }) => name === realm.name);
    expect(ofRealm).toEqual(stored.toReversed());
    expect(await counted()).toEqual({ success: batch!.events.length });
    expect(await cursor()).toEqual({ locked_until: 0, last_error: null });
  });

  test("gets the trail of a realm that was deleted before it was sent", async () => {
    await iam.server.jobs.stop();
    const realm = await iam.realm();
    await realm.user("leaver");
    expect((await realm.asMaster().browser.delete(`/admin/realms/${realm.name}`)).status).toBe(204);
    const purge = () => purgeRealm(iam.core.db, realm.name, hasUnforwarded);
    const left = async () =>
      (await iam.core.db.selectFrom("audit_events").select("event_id").where("realm_id", "=", realm.name).execute()).length;
    const recorded = await left();
    await expect(purge()).rejects.toThrow("wait to be forwarded");
    expect(await left()).toBe(recorded);
    expect(await turn()).toBe("sent");
    expect(receiver.batches[0]!.events.filter(({ realm: name }) => name === realm.name).length).toBeGreaterThan(0);
    await purge();
    expect(await left()).toBe(0);
  });

  onPostgres("skips the categories that are not configured, and sends the others", async () => {
    const security = node(["SECURITY"]);
    const realm = await iam.realm();
    expect(await turn(security)).toBe("sent");
    expect(receiver.batches).toEqual([]);
    await realm.asMaster().post("/keys/rotate");
    expect(await turn(security)).toBe("sent");
    expect(receiver.batches.flatMap(({ events }) => events.map(({ type }) => type))).toEqual(["KEY_ROTATED"]);
    expect(await turn(security)).toBe("idle");
  });

  test.each([
    ["refuses", answers(500), "answered 500"],
    ["rejects the token", answers(401), "answered 401"],
    ["redirects", answers(307, { location: "http://127.0.0.1:1/" }), "answered 307; redirects are not followed"],
    ["hangs", hangs, "127.0.0.1 did not answer in time."],
    [
      "breaks off",
      (response: { destroy(): unknown }) => void response.destroy(),
      "127.0.0.1 could not be reached, or broke off the conversation.",
    ],
    [
      "drips",
      (response: import("node:http").ServerResponse) => void response.writeHead(200).write("{"),
      "127.0.0.1 did not answer in time.",
    ],
  ])("keeps everything while the receiver %s, and sends it when that is over", async (_what, behaviour, reason) => {
    receiver.behave(behaviour, takes);
    await record("one", "two");
    if (reason.endsWith("in time.")) answerMs = 300;
    expect(await turn()).toBe("failed");
    answerMs = 60_000;
    expect((await cursor()).last_error).toBe(reason);
    await record("three");
    expect(await turn()).toBe("waiting");
    clock.advance(2 * SECOND);
    expect(await turn()).toBe("sent");
    expect(details()).toEqual([
      ["one", "two"],
      ["one", "two", "three"],
    ]);
    expect(receiver.batches[1]!.events.slice(0, 2).map(({ id }) => id)).toEqual(receiver.batches[0]!.events.map(({ id }) => id));
    expect(await cursor()).toEqual({ locked_until: 0, last_error: null });
    expect(await counted()).toEqual({ failure: 2, success: 3 });
  });

  test("takes an endless answer for what its status says", async () => {
    receiver.behave((response) => {
      response.writeHead(200);
      const more = () => response.write("x".repeat(65_536)) && setImmediate(more);
      response.on("drain", more);
      more();
    });
    await record("one");
    expect(await turn()).toBe("sent");
  });

  test("waits longer after each failure, up to a minute, and reports it in few words", async () => {
    receiver.behave(...Array.from({ length: 8 }, () => answers(500)));
    await record("one");
    const waits: number[] = [];
    for (let tries = 0; tries < 8; tries++) {
      expect(await turn()).toBe("failed");
      waits.push(Math.round(((await cursor()).locked_until - 10 * SECOND - clock.now()) / SECOND));
      clock.advance(72 * SECOND);
    }
    // A second, doubled each time, give or take a fifth; rounding here may add half a second.
    for (const [tries, wait] of waits.entries()) {
      const meant = Math.min(60, 2 ** tries);
      expect([tries, wait >= Math.floor(meant * 0.8) && wait <= Math.ceil(meant * 1.2)]).toEqual([tries, true]);
    }
    expect(await turn()).toBe("sent");
    const recorded = lines.map(({ level, message }) => `${level}: ${message}`);
    const failure = "warn: audit events could not be forwarded; they wait in the database and are tried again";
    // At first, and again after five minutes.
    expect(recorded).toEqual([failure, failure, "info: audit events are forwarded again"]);
    expect(JSON.stringify(lines)).not.toContain(TOKEN);
  });

  test("sends at most 500 events and a megabyte at once, and goes on at once when there is more", async () => {
    await record(...Array.from({ length: 750 }, (_, n) => `event ${n}`));
    expect([await turn(), await turn()]).toEqual(["more", "sent"]);
    expect(details().map((batch) => batch.length)).toEqual([500, 250]);
    expect(details().flat()).toEqual(Array.from({ length: 750 }, (_, n) => `event ${n}`));

    const large = "é".repeat(100_000);
    await record(...Array.from({ length: 12 }, () => large));
    expect([await turn(), await turn(), await turn()]).toEqual(["more", "more", "sent"]);
    expect(
      details()
        .slice(2)
        .map((batch) => batch.length),
    ).toEqual([5, 5, 2]);
  });

  test("halves what is too large for the receiver, and sends an event that never fits without its detail", async () => {
    const fits: Behaviour = (response, { events }) =>
      void response.writeHead(events.length > 2 || events.some(({ detail }) => String(detail).length > 100) ? 413 : 200).end();
    receiver.behave(...Array.from({ length: 20 }, () => fits));
    await record("one", "two", "three", "four", "five", "six", "x".repeat(101));
    const turns = [];
    do turns.push(await turn());
    while (turns.at(-1) === "more");
    expect(turns.at(-1)).toBe("sent");
    const taken = receiver.batches.flatMap(({ events }) => events).filter(({ id }) => receiver.taken.includes(id));
    const last = new Map(taken.map(({ id, detail }) => [id, detail]));
    expect([...last.values()]).toEqual([
      "one",
      "two",
      "three",
      "four",
      "five",
      "six",
      "(left out: the receiver refused the whole event as too large)",
    ]);
    expect(receiver.taken).toHaveLength(7);
    expect(lines).toMatchObject([{ level: "error", realm: "master", type: "ADMIN_ACTION", eventId: receiver.taken.at(-1) }]);
    // It has not forgotten that more would do.
    receiver.behave();
    await record(...Array.from({ length: 40 }, (_, n) => `later ${n}`));
    do turns.push(await turn());
    while (turns.at(-1) === "more");
    expect(receiver.batches.at(-1)!.events.length).toBeGreaterThan(8);
  });

  test("never skips an event that the receiver refuses for another reason than its size", async () => {
    receiver.behave(...Array.from({ length: 10 }, () => answers(413)));
    await record("one", "two");
    const turns = [await turn(), await turn(), await turn()];
    expect(turns).toEqual(["more", "more", "failed"]);
    receiver.behave();
    clock.advance(2 * SECOND);
    while ((await turn()) === "more");
    expect(receiver.taken).toHaveLength(2);
    expect(new Set(receiver.taken)).toEqual(new Set(receiver.batches[0]!.events.map(({ id }) => id)));
  });
});

describe("several nodes", () => {
  test("send one at a time; the second leaves the batch alone", async () => {
    const other = node();
    await record("one");
    let answer: () => void = () => {};
    receiver.behave((response) => {
      answer = () => void response.writeHead(200).end();
    });
    const first = turn();
    await receiver.until(1);
    expect(await turn(other)).toBe("elsewhere");
    answer();
    expect(await first).toBe("sent");
    await record("two");
    expect(await turn(other)).toBe("sent");
    expect(details()).toEqual([["one"], ["two"]]);
  });

  test("that look at the same moment do not send the same batch", async () => {
    const others = [node(), node()];
    for (let round = 1; round <= 3; round++) {
      await record(`round ${round}`);
      const turns = await Promise.all([turn(), ...others.map(turn)]);
      expect(turns.filter((outcome) => outcome === "sent")).toHaveLength(1);
      expect(details()).toHaveLength(round);
    }
  });

  test("leave it to the one that is waiting to try again, and take over when its hold has lapsed", async () => {
    const other = node();
    receiver.behave(answers(500));
    await record("one");
    expect(await turn()).toBe("failed");
    clock.advance(10 * SECOND);
    expect(await turn(other)).toBe("elsewhere");
    clock.advance(5 * SECOND);
    expect(await turn(other)).toBe("sent");
    expect(details()).toEqual([["one"], ["one"]]);
    expect(await turn()).toBe("idle");
  });

  test("do not move the cursor for one that has lost its hold, and send again what it sent", async () => {
    const other = node();
    await record("one");
    let answer: () => void = () => {};
    receiver.behave((response) => {
      answer = () => void response.writeHead(200).end();
    }, answers(500));
    const late = turn();
    await receiver.until(1);
    clock.advance(MINUTE);
    expect(await turn(other)).toBe("failed");
    answer();
    expect(await late).toBe("elsewhere");
    clock.advance(2 * SECOND);
    expect(await turn(other)).toBe("sent");
    expect(details()).toEqual([["one"], ["one"], ["one"]]);
    expect(new Set(receiver.batches.flatMap(({ events }) => events.map(({ id }) => id))).size).toBe(1);
  });

  test("go on at once after a crash where no other node can have been at it", async () => {
    await record("one");
    await iam.core.db
      .updateTable("event_cursors")
      .set({ locked_until: clock.now() + HOUR })
      .where("name", "=", "forwarder")
      .execute();
    expect(await turn()).toBe("elsewhere");
    const target = httpReceiver({ httpUrl: receiver.url, httpToken: null, timeoutMs: 60_000 });
    ended.push(() => target.outbound.close());
    const send = (events: Parameters<typeof transports.http.send>[1]) => transports.http.send(target, events);
    const again = createForwarder({
      db: iam.core.db,
      log,
      registry: new Registry(),
      alone: true,
      categories: ["ADMIN"],
      timeoutMs: 60_000,
      send,
    });
    ended.push(() => again.stop());
    await again.start();
    await receiver.until(1);
    expect(details()).toEqual([["one"]]);
  });

  test("let go when they stop", async () => {
    const other = node();
    receiver.behave(answers(500));
    await record("one");
    expect(await turn()).toBe("failed");
    await forwarder.stop();
    expect(await turn(other)).toBe("sent");
  });
});
