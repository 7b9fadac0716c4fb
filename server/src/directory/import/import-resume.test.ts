import { once } from "node:events";
import { request } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, DAY, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { systemActor } from "../../platform/context.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { deleteOldImports, finishImport, holdImport } from "./imports.store.ts";
import { endAbandonedImports } from "./index.ts";

let iam: SharedHarness;
let port: number;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = iam.server.app.server.address() as { port: number });
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const line = (n: number) => `${JSON.stringify({ username: `user-${n}`, email: `user-${n}@example.com` })}\n`;
const lines = (count: number) => Array.from({ length: count }, (_, n) => line(n)).join("");
const send = (client: AdminClient, body: string, query: string) =>
  client.post(`/users/import?${query}`, body, { headers: { "content-type": "application/x-ndjson" } });

/** A real connection, so that it can break and be slow. */
function upload(realm: RealmUnderTest, client: AdminClient, query: string) {
  const { cookies } = client.browser;
  const outgoing = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: `/admin/realms/${realm.name}/users/import?${query}`,
    headers: {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "x-xsrf-token": cookies.get("XSRF-TOKEN")!,
      "content-type": "application/x-ndjson",
    },
  });
  return outgoing;
}

test("a body that is given up half-way ends its connection: nothing can follow on it", async () => {
  const realm = await iam.realm();
  const client = await realm.as("manage-users");
  const outgoing = upload(realm, client, "dryRun=true&importId=endless");
  outgoing.setHeader("content-type", "application/json");
  outgoing.write('{"this": "is no list",'); // and never ends
  const [answer] = await once(outgoing, "response");
  expect(answer).toMatchObject({ statusCode: 400, headers: { connection: "close" } });
  answer.resume();
  await once(answer, "close");
  outgoing.destroy();
});

/** Node's own, which is hidden unless it was started with --expose-gc. */
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

async function until<T>(ask: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    await sleep(20);
  }
}

test("a connection that breaks keeps what was committed; the same file goes on from there", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const outgoing = upload(realm, admin, "importId=broken");
  outgoing.on("error", () => {}); // we break it ourselves
  outgoing.write(lines(1_200));
  const progress = async () => (await admin.get("/users/import/broken")).body;
  await until(progress, (report) => report.rows === 1_000);
  expect(await progress()).toMatchObject({ status: "RUNNING", created: 1_000, finishedAt: null });
  expect(await send(admin, lines(1_300), "importId=broken"), "while it runs").toMatchObject({
    status: 409,
    body: { code: "import.running" },
  });
  outgoing.destroy();
  await until(progress, (report) => report.status !== "RUNNING");
  expect(await progress()).toMatchObject({ status: "INTERRUPTED", rows: 1_000, created: 1_000 });

  const again = await send(admin, lines(1_300), "importId=broken");
  expect(again.body).toMatchObject({ status: "COMPLETED", rows: 1_300, created: 1_300, failed: 0 });
  expect((await send(admin, lines(1_300), "importId=broken")).body, "all of it again").toMatchObject({
    rows: 1_300,
    created: 1_300,
    failed: 0,
  });
  const events = await realm.events("type=ADMIN_ACTION&resourceId=broken");
  expect(events.map(({ detail }) => detail)).toEqual([
    "import COMPLETED: 1300 rows, 1300 created, 0 updated, 0 skipped, 0 failed; repeated with the same importId, 1000 rows were done before",
    "import INTERRUPTED: 1000 rows, 1000 created, 0 updated, 0 skipped, 0 failed",
  ]);
});

onPostgres("another file under the same importId is refused and changes nothing", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  await send(admin, lines(3), "importId=mine");
  const before = (await admin.get("/users/import/mine")).body;
  for (const other of [line(7) + line(8) + line(9) + line(10), lines(2)])
    expect(await send(admin, other, "importId=mine")).toMatchObject({ status: 409, body: { code: "import.other_file" } });
  expect((await admin.get("/users/import/mine")).body).toMatchObject({ rows: before.rows, created: 3 });
  expect((await admin.get("/users?search=user-")).body).toHaveLength(3);
  expect((await send(admin, lines(4), "importId=mine")).body, "the same file, longer").toMatchObject({ rows: 4, created: 4 });
});

test("a list that broke can be mended and goes on", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const post = (body: string) => admin.post("/users/import?importId=list", body, { headers: { "content-type": "application/json" } });
  expect((await post('[{"username":"a"},{"username":"b"]')).body).toMatchObject({ status: "FAILED", rows: 1 });
  expect((await post('[{"username":"a"},{"username":"b"}]')).body).toMatchObject({
    status: "COMPLETED",
    rows: 2,
    created: 2,
    stopped: null,
  });
});

test("an import whose server died is ended in its name, and can be resumed", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const actor = { ...systemActor(realm.name), id: "019b76da-a800-7f3c-9d1e-3f5b7c9d1e3f", name: "gone" };
  const hold = (holder: string, importId = "dead") =>
    iam.core.work.transact({ realm: realm.name, actor, sourceIp: null }, (ctx) =>
      holdImport(ctx.tx, ctx.realm, importId, holder, actor, ctx.now),
    );
  const holder = newId();
  await hold(holder);
  await endAbandonedImports(iam.core);
  expect((await admin.get("/users/import/dead")).body.status, "it may still be alive").toBe("RUNNING");
  expect(await hold(newId())).toBeNull();

  clock.advance(2 * MINUTE);
  await endAbandonedImports(iam.core);
  expect((await admin.get("/users/import/dead")).body).toMatchObject({ status: "INTERRUPTED", rows: 0 });
  expect(await realm.events("type=ADMIN_ACTION&resourceId=dead")).toMatchObject([
    { actor: "gone", detail: expect.stringContaining("INTERRUPTED") },
  ]);
  const late = await iam.core.work.transact({ realm: realm.name, actor, sourceIp: null }, (ctx) =>
    finishImport(ctx.tx, ctx.realm, "dead", holder, "COMPLETED", null, ctx.now),
  );
  expect(late, "a late worker finds it taken").toBeNull();
  expect((await send(admin, lines(2), "importId=dead")).body).toMatchObject({ status: "COMPLETED", created: 2 });

  await hold(newId(), "silent");
  clock.advance(2 * MINUTE);
  expect((await send(admin, lines(3), "importId=silent&onConflict=skip")).body, "also before anybody noticed").toMatchObject({
    status: "COMPLETED",
    created: 1,
    skipped: 2,
  });
});

test("reports are kept for 30 days, and are those of their realm", async () => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  await send(await realm.admin(), lines(1), "importId=old");
  expect((await other.asMaster().get("/users/import/old")).status).toBe(404);
  expect((await realm.asMaster().get("/users/import/%00")).status).toBe(404);
  await deleteOldImports(iam.core.db, clock.now() + 29 * DAY);
  expect((await realm.asMaster().get("/users/import/old")).status).toBe(200);
  await deleteOldImports(iam.core.db, clock.now() + 31 * DAY);
  expect((await realm.asMaster().get("/users/import/old")).status).toBe(404);
});

onPostgres(
  "memory does not grow with the file",
  async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const ROWS = 15_000;
    // 60 MB in all; most rows are refused, so that the test measures the reading and not the database.
    const filler = "x".repeat(4_000);
    const row = (n: number) => `${JSON.stringify({ username: n % 15 ? "" : `flat-${n}`, attributes: { filler } })}\n`;
    const outgoing = upload(realm, admin, "");
    const answered = once(outgoing, "response");
    const held: number[] = [];
    const body = Readable.from(
      (function* () {
        for (let n = 0; n < ROWS; n += 500) {
          if (n % 2_500 === 0) {
            collectGarbage();
            const { heapUsed, external } = process.memoryUsage();
            held.push(heapUsed + external);
          }
          yield Array.from({ length: 500 }, (_, i) => row(n + i)).join("");
        }
      })(),
    );
    body.pipe(outgoing);
    const [response] = (await answered) as [Readable];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const report = JSON.parse(Buffer.concat(chunks).toString());
    expect(report).toMatchObject({ status: "COMPLETED", rows: ROWS, created: ROWS / 15, failed: (ROWS * 14) / 15, errorsTruncated: true });
    expect(Math.max(...held.slice(1)) - held[1]!, held.join(" ")).toBeLessThan(20 * 1024 * 1024);
  },
  90_000,
);
