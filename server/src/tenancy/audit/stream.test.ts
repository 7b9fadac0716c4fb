import { sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import { inTransaction } from "../../platform/db/index.ts";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";
import { settled } from "../../testing/trail.ts";
import { createForwarderCursor, findForwarderCursor, forwarderLag, removeForwarderCursor } from "./lease.store.ts";
import { lockCursor, moveCursor, type Position, readStream } from "./stream.store.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
  // It reads the same trail with its own cursor, which this file moves about.
  await iam.server.webhooks.stop();
});
beforeEach(async () => {
  await removeForwarderCursor(iam.core.db);
  await settled(iam.core.db);
  await createForwarderCursor(iam.core.db);
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const record = (...details: string[]) =>
  iam.core.work.transact({ realm: "master", actor: systemActor("master"), sourceIp: null }, async (ctx) => {
    for (const detail of details) ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "things", detail });
  });
/** Reads on from the cursor as a reader does it, a few at a time, until there is nothing more. */
const readOn = async (limit = 2, isReady = settled): Promise<string[]> => {
  await isReady(iam.core.db);
  const seen: string[] = [];
  for (;;) {
    const read = await inTransaction(iam.core.db, async (tx) => {
      const events = await readStream(tx, (await lockCursor(tx, "forwarder"))!, limit);
      if (events.length > 0) await moveCursor(tx, "forwarder", events.at(-1)!.position, 0);
      return events;
    });
    if (read.length === 0) return seen;
    seen.push(...read.map(({ event }) => event.detail ?? event.type));
  }
};
const place = async (): Promise<Position> => (await findForwarderCursor(iam.core.db))!.position;

describe("reading in commit order", () => {
  test("delivers each event once, those of one transaction in their order", async () => {
    await record("a", "b", "c");
    await record("d");
    expect(await readOn()).toEqual(["a", "b", "c", "d"]);
    expect(await readOn()).toEqual([]);
    await record("e");
    expect(await readOn()).toEqual(["e"]);
  });

  test.skipIf(testDatabase() !== "postgres")("waits for a transaction that is still open, and misses no late commit", async () => {
    const late = new pg.Client({ connectionString: iam.config.databaseUrl! });
    await late.connect();
    try {
      await late.query("begin");
      await late.query(
        `insert into audit_events (realm_id, event_id, ts, category, type, actor, outcome, detail)
         values ('master', gen_random_uuid(), 0, 'ADMIN', 'ADMIN_ACTION', 'late', 'SUCCESS', 'late')`,
      );
      await record("early");
      await record("early too");
      expect(await readOn(2, async () => {})).toEqual([]);
      expect((await forwarderLag(iam.core.db, 0)).waiting).toBe(2);
      await late.query("commit");
      expect(await readOn()).toEqual(["late", "early", "early too"]);
    } finally {
      await late.end();
    }
  });

  test.skipIf(testDatabase() !== "postgres")("a new cursor begins before transactions that are open, not after them", async () => {
    const open = new pg.Client({ connectionString: iam.config.databaseUrl! });
    await open.connect();
    try {
      await open.query("begin");
      await open.query(
        `insert into audit_events (realm_id, event_id, ts, category, type, actor, outcome, detail)
         values ('master', gen_random_uuid(), 0, 'ADMIN', 'ADMIN_ACTION', 'open', 'SUCCESS', 'open')`,
      );
      await record("before");
      await removeForwarderCursor(iam.core.db);
      await createForwarderCursor(iam.core.db);
      await open.query("commit");
      expect(await readOn()).toContain("open");
    } finally {
      await open.end();
    }
  });
});

describe("after a restore into another cluster, whose transactions have lower numbers,", () => {
  const FAR = 10n ** 15n;
  /** Puts the trail and the cursor into the state that a dump of a busy cluster leaves in a new one. */
  const restored = (...rows: { xid: bigint; ts: number; detail: string }[]) =>
    inTransaction(iam.core.db, async (tx) => {
      for (const { xid, ts, detail } of rows)
        await sql`
          insert into audit_events (realm_id, event_id, ts, category, type, actor, outcome, detail, xid)
          values ('restored', gen_random_uuid(), ${ts}, 'ADMIN', 'ADMIN_ACTION', 'x', 'SUCCESS', ${detail}, ${String(xid)}::text::xid8)`.execute(
          tx,
        );
    });
  const cursorAt = (xid: bigint) =>
    sql`update event_cursors set xid = ${String(xid)}::text::xid8, event_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff', floor_ts = 0
      where name = 'forwarder'`.execute(iam.core.db);
  const forgetRestored = () =>
    inTransaction(iam.core.db, async (tx) => {
      await sql`select set_config('gatehouse.maintenance', 'retention', true)`.execute(tx);
      await sql`delete from audit_events where realm_id = 'restored'`.execute(tx);
    });
  beforeEach(forgetRestored);
  afterAll(async () => {
    if (iam) await forgetRestored();
  });

  test("unsent events come first, then new ones, and none comes twice", async () => {
    const dumped = clock.now();
    await restored(
      { xid: FAR, ts: dumped - 3, detail: "sent before" },
      { xid: FAR + 1n, ts: dumped - 2, detail: "sent last" },
      { xid: FAR + 2n, ts: dumped - 1, detail: "not sent" },
      { xid: FAR + 3n, ts: dumped, detail: "not sent either" },
    );
    await cursorAt(FAR + 1n);
    clock.advance(MINUTE);
    await record("new, before anybody looked");
    expect(await readOn(1)).toEqual(["not sent", "not sent either", "new, before anybody looked"]);
    await record("new");
    expect(await readOn(1)).toEqual(["new"]);
    expect(await place()).toMatchObject({ floorTs: dumped + 1 });
    expect(BigInt((await place()).xid)).toBeLessThan(FAR);
  });

  test("numbers are compared as numbers, however many digits they have", async () => {
    const ts = clock.now();
    await restored({ xid: FAR, ts, detail: "second" }, { xid: FAR - 1n, ts, detail: "first" }, { xid: FAR + 1n, ts, detail: "third" });
    await cursorAt(FAR - 10n);
    expect((await readOn(1)).slice(0, 3)).toEqual(["first", "second", "third"]);
  });

  test("restored events are not delivered again when the numbers come to theirs", async () => {
    // It comes after the events of the other tests.
    clock.advance(5 * MINUTE);
    const dumped = clock.now();
    await restored({ xid: FAR, ts: dumped, detail: "sent before" });
    await cursorAt(FAR);
    clock.advance(MINUTE);
    expect(await readOn()).toEqual([]);
    // A restored row looks like this once the cluster has reached its number.
    await restored({ xid: BigInt((await place()).xid), ts: dumped - 1, detail: "its number has come" });
    await record("new");
    expect(await readOn()).toEqual(["new"]);
    expect((await forwarderLag(iam.core.db, 0)).waiting).toBe(0);
  });

  test("a cursor that is ahead with nothing restored goes on from now", async () => {
    await cursorAt(FAR);
    expect(await readOn()).toEqual([]);
    await record("new");
    expect(await readOn()).toEqual(["new"]);
  });
});
