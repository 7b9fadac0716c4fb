import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answers, type Collector, collector, hangs } from "../../src/testing/collector.ts";
import { freePort } from "../peers/index.mjs";
import { anyDatabase, emptyDatabase, emptyFolder, type ServerProcess, startServer } from "./process.ts";
import { must, type Visitor } from "./visitor.ts";

const KILLS = 2;
const CLIENTS = 3;
const USERS = "/admin/realms/master/users";

// The embedded database is killed in kill.test.ts and webhooks.test.ts.
describe("audit events are forwarded over kill -9:", () => {
  let receiver: Collector;
  beforeAll(async () => {
    receiver = await collector();
  });
  afterAll(() => receiver?.close());

  test("every event that was committed arrives, at least once, always with the same id", async () => {
    const place = {
      folder: emptyFolder(),
      port: await freePort(),
      env: { ...(await emptyDatabase(anyDatabase)), GATEHOUSE_AUDIT_HTTP_URL: receiver.url, GATEHOUSE_AUDIT_TIMEOUT_MS: "1000" },
    };
    let server: ServerProcess = await startServer(place);
    const admin = await server.admin();
    const acknowledged: string[] = [];
    for (let round = 0; round < KILLS; round++) {
      // It refuses, then does not answer: the blow falls between a commit and its acknowledgement.
      receiver.behave(answers(500), ...Array.from({ length: 10 }, () => hangs));
      const seen = receiver.batches.length;
      const killed = { yet: false };
      const clients = Array.from({ length: CLIENTS }, (_, client) => write(admin, `r${round}-c${client}`, acknowledged, killed));
      while (receiver.batches.length < seen + 2) await sleep(20);
      await sleep(Math.random() * 300);
      killed.yet = true;
      await server.kill();
      await Promise.all(clients);
      receiver.behave();
      server = await startServer(place);
    }
    const stored = await forwardable(admin);
    expect(stored.size).toBeGreaterThanOrEqual(acknowledged.length);
    const arrived = () => new Set(receiver.taken);
    await expect.poll(() => [...stored].filter((id) => !arrived().has(id)).length, { interval: 200 }).toBe(0);

    const bodies = new Map<string, string>();
    let repeated = 0;
    for (const event of receiver.batches.flatMap(({ events }) => events)) {
      const body = JSON.stringify(event);
      if (bodies.has(event.id)) repeated++;
      expect(bodies.get(event.id) ?? body).toBe(body);
      bodies.set(event.id, body);
    }
    console.log(
      `${KILLS} kills, ${acknowledged.length} writes acknowledged, ${stored.size} events stored, all arrived; ${repeated} came again`,
    );
    // A request that hung was sent again; otherwise the blows missed.
    expect(repeated).toBeGreaterThan(0);
    expect(await server.stop()).toMatchObject({ code: 0 });
  });
});

async function write(admin: Visitor, prefix: string, acknowledged: string[], killed: { yet: boolean }): Promise<void> {
  for (let n = 0; !killed.yet; n++) {
    try {
      acknowledged.push(must(await admin.post(USERS, { username: `${prefix}-${n}` }), 201).userId);
    } catch (error) {
      if (!killed.yet) throw error;
    }
  }
}

/** The ids of everything in the trail that is to be forwarded. The realm itself was created before there was a forwarder. */
async function forwardable(admin: Visitor): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let page = 0; ; page++) {
    const { items } = must(await admin.get(`/admin/realms/master/events?size=500&page=${page}`), 200);
    for (const { id, category, resourceType } of items) if (category !== "SECURITY" && resourceType !== "realms") ids.add(id);
    if (items.length < 500) return ids;
  }
}
