// The whole promise at once: every event reaches every subscriber, through failures of the receiver and the machine.
// GATEHOUSE_JOURNEY_EVENTS raises the number of events: 10000 takes some minutes on Postgres.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { BRIEFLY, builtServer } from "../../src/testing/built-server.ts";
import { privateAuthority } from "../../src/testing/private-authority.ts";
import { type Receiver, receiver } from "../../src/testing/receiver.ts";
import { freePort } from "../peers/index.mjs";
import { anyDatabase, emptyDatabase, emptyFolder, onBoth, startServer } from "./process.ts";
import { must, type Visitor } from "./visitor.ts";

const SUBSCRIPTIONS = 5;
const CLIENTS = 6;
const REALM = "/admin/realms/master";
const requested = Number(process.env.GATEHOUSE_JOURNEY_EVENTS ?? 0);
const TIMEOUT_MS = requested > 0 ? 3_600_000 : 600_000;

const open: Receiver[] = [];
afterAll(() => Promise.all(open.map((peer) => peer.close())));
const started = async (tls?: { key: string; cert: string }) => {
  const peer = await receiver(tls);
  open.push(peer);
  return peer;
};
const program = async () => [process.execPath, ...BRIEFLY, await builtServer(), "start"] as const;

/** The number of times that this receiver refuses this id: one to three. */
const refusals = (path: string, id: string): number => 1 + (createHash("sha256").update(`${path} ${id}`).digest()[0]! % 3);

describe.each(onBoth)("webhooks, on $kind", ({ kind, missing }) => {
  test.skipIf(missing)(
    "all events arrive at all subscribers, although each is refused at first and the server is killed",
    async () => {
      const count = requested || 40;
      // The embedded database recovers in the server's own process: also from a kill after a recovery.
      const shares = kind === "embedded" || requested ? [0.2, 0.6] : [0.4];
      const peer = await started();
      const attempts = new Map<string, number>();
      const accepted = new Map<string, number>();
      peer.answer = ({ path, body }, response) => {
        peer.received.length = 0; // thousands: only the counts are kept
        // The webhooks themselves are created, too.
        if (body.data.resourceType !== "roles") return void response.writeHead(204).end();
        const key = `${path} ${body.id}`;
        const tried = (attempts.get(key) ?? 0) + 1;
        attempts.set(key, tried);
        const takes = tried > refusals(path, body.id);
        if (takes) accepted.set(key, (accepted.get(key) ?? 0) + 1);
        response.writeHead(takes ? 200 : 503).end();
      };
      const place = {
        folder: emptyFolder(),
        port: await freePort(),
        command: await program(),
        env: { ...(await emptyDatabase(kind)), GATEHOUSE_MODE: "development", GATEHOUSE_WEBHOOK_RETRY_SECONDS: "1,1,1,1,1,1,1,1,1,1" },
      };
      let server = await startServer(place);
      const admin = await server.admin();
      for (let i = 0; i < SUBSCRIPTIONS; i++)
        must(await admin.post(`${REALM}/webhooks`, { name: `n${i}`, url: `${peer.url}/${i}`, eventTypes: "ADMIN_CREATE" }), 201);

      const began = performance.now();
      const writing = write(admin, count);
      const kills: string[] = [];
      for (const share of shares) {
        while (accepted.size < count * SUBSCRIPTIONS * share) await sleep(20);
        await server.kill();
        kills.push(`${accepted.size} arrived`);
        server = await startServer(place);
      }
      await writing;
      const events = await created(admin);
      const expected = events.flatMap((id) => Array.from({ length: SUBSCRIPTIONS }, (_, i) => `/${i} ${id}`));
      const wanted = new Set(expected);
      while (expected.some((key) => !accepted.has(key))) await sleep(100);
      const seconds = (performance.now() - began) / 1000;
      const total = [...attempts.values()].reduce((sum, tries) => sum + tries, 0);
      const twice = [...accepted.values()].filter((times) => times > 1).length;
      console.log(
        `${kind}: ${events.length} events × ${SUBSCRIPTIONS} = ${expected.length} deliveries, ${total} attempts in ${seconds.toFixed(1)} s ` +
          `(${Math.round(expected.length / seconds)} deliveries and ${Math.round(total / seconds)} attempts a second, restarts included); ` +
          `killed when ${kills.join(" and ")}; ${twice} arrived more than once`,
      );

      expect(events.length).toBeGreaterThanOrEqual(count);
      expect([...accepted.keys()].filter((key) => !wanted.has(key))).toEqual([]);
      const all = must(await admin.get(`${REALM}/events?type=ADMIN_CREATE&size=1`), 200).total;
      for (const { id } of must(await admin.get(`${REALM}/webhooks`), 200)) {
        const left = async (status: string) =>
          Number((await admin.get(`${REALM}/webhooks/${id}/deliveries?size=1&status=${status}`)).headers["x-total-count"]);
        // The last outcome may still be on its way into the table.
        while ((await left("PENDING")) > 0) await sleep(50);
        expect(await left("DEAD")).toBe(0);
        // No event became two deliveries. Above 10,000 totals are estimates.
        if (count < 9_000) expect(await left("DELIVERED")).toBeLessThanOrEqual(all);
      }
      expect(must(await admin.get(`${REALM}/events?type=WEBHOOK_DEAD`), 200).total).toBe(0);
      expect(await server.stop()).toMatchObject({ code: 0 });
    },
    TIMEOUT_MS,
  );
});

/** Roles, until there are `count` that the server has acknowledged; what a kill interrupts is tried again under another name. */
async function write(admin: Visitor, count: number): Promise<void> {
  let acknowledged = 0;
  const one = async (name: string) => {
    try {
      must(await admin.post(`${REALM}/roles`, { name }), 201);
      acknowledged += 1;
    } catch (error) {
      if (!["ECONNREFUSED", "ECONNRESET"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      await sleep(50);
    }
  };
  const client = async (_: unknown, number: number) => {
    for (let n = 0; acknowledged < count; n++) await one(`role-${number}-${n}`);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** The ids of all events with a subscription. */
async function created(admin: Visitor): Promise<string[]> {
  const ids = new Set<string>();
  // Beyond 10,000 rows no page is served: further back by time.
  for (let to = ""; ; ) {
    const { items } = must(await admin.get(`${REALM}/events?type=ADMIN_CREATE&resourceType=roles&size=500${to}`), 200);
    for (const { id } of items) ids.add(id);
    if (items.length < 500) return [...ids];
    to = `&to=${Date.parse(items.at(-1).ts) + 1}`;
  }
}

test("a receiver with a certificate by a private authority is trusted once NODE_EXTRA_CA_CERTS names it", async () => {
  const authority = await privateAuthority();
  const peer = await started(await authority.identity("hooks.internal"));
  const folder = emptyFolder();
  const ca = join(folder, "company-ca.pem");
  writeFileSync(ca, authority.ca);
  const env = {
    ...(await emptyDatabase(anyDatabase)),
    GATEHOUSE_MODE: "production",
    GATEHOUSE_ALLOWED_HOSTS: `127.0.0.1:${peer.port}`,
    GATEHOUSE_BASE_URL: "http://localhost:8080",
  };
  const command = await program();
  const trusting = await startServer({ folder, command, env: { ...env, NODE_EXTRA_CA_CERTS: ca } });
  const admin = await trusting.admin();
  const { id } = must(await admin.post(`${REALM}/webhooks`, { name: "a", url: `${peer.url}/in`, eventTypes: "ADMIN_CREATE" }), 201);
  expect(must(await admin.post(`${REALM}/webhooks/${id}/test`), 200)).toMatchObject({ delivered: true, status: 204 });
  must(await admin.post(`${REALM}/roles`, { name: "notified" }), 201);
  expect((await peer.until(3)).map(({ body }) => body.type).sort()).toEqual(["ADMIN_CREATE", "ADMIN_CREATE", "TEST"]);
  await trusting.stop();

  const other = await startServer({ folder, command, env });
  const again = await other.admin();
  expect(must(await again.post(`${REALM}/webhooks/${id}/test`), 200)).toMatchObject({
    delivered: false,
    error: expect.stringContaining("no certificate that this server trusts"),
  });
  await other.stop();
});
