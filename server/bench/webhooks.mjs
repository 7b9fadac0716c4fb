// node bench/webhooks.mjs [--events 10000] [--subscriptions 5]: measures how fast committed events reach their subscribers, on Postgres.
// Needs a build. test/journeys/webhooks.test.ts measures refusals and kills, with GATEHOUSE_JOURNEY_EVENTS=10000.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { Pool } from "undici";
import { startPostgres } from "../test/peers/index.mjs";
import { cpuMs, postgresCpu, startAssistant, startServer } from "./processes.mjs";
import { Browser } from "./seed.mjs";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "10000" },
    subscriptions: { type: "string", default: "5" },
    main: { type: "string", default: fileURLToPath(new URL("../dist/main.js", import.meta.url)) },
  },
});
const [events, subscriptions] = [Number(values.events), Number(values.subscriptions)];
const REALM = "/admin/realms/master";

const postgres = await startPostgres();
const folder = await mkdtemp(join(tmpdir(), "gatehouse-bench-"));
const receiver = await startAssistant("webhooks-receiver.mjs");
const client = new pg.Client({ connectionString: postgres.url });
await client.connect();
const { rows: backend } = await client.query("select pg_backend_pid() as pid");
const dbCpu = postgresCpu(backend[0].pid);
const server = await startServer({
  main: values.main,
  dataDir: folder,
  databaseUrl: postgres.url,
  masterKey: randomBytes(32).toString("base64"),
  env: { GATEHOUSE_MODE: "development" },
});
try {
  const pool = new Pool(server.origin, { connections: 1 });
  const admin = new Browser(pool);
  await admin.signIn("master", "admin");
  const { port } = await receiver.ask({});
  for (let i = 0; i < subscriptions; i++) {
    const hook = { name: `n${i}`, url: `http://127.0.0.1:${port}/${i}`, eventTypes: "LOGIN_FAILURE", secret: "bench" };
    await admin.send("POST", `${REALM}/webhooks`, 201, { json: hook });
  }
  await pool.close();

  const [began, cpu, dbBefore] = [performance.now(), cpuMs(server.pid), dbCpu()];
  await client.query(
    `insert into audit_events (realm_id, event_id, ts, category, type, actor, outcome)
     select 'master', gen_random_uuid(), $1::bigint + i, 'AUTHN', 'LOGIN_FAILURE', 'ada', 'FAILURE' from generate_series(1, $2::int) i`,
    [Date.now(), events],
  );
  const expected = events * subscriptions;
  for (;;) {
    const { rows } = await client.query("select count(*)::int as open from webhook_deliveries where status <> 'DELIVERED'");
    if ((await receiver.ask({})).count >= expected && rows[0].open === 0) break;
    await sleep(1_000);
  }
  const seconds = (performance.now() - began) / 1000;
  const each = (/** @type {number | null} */ from, /** @type {number | null} */ to) =>
    from === null || to === null ? "–" : `${((to - from) / expected).toFixed(3)} ms`;
  const { count } = await receiver.ask({});
  console.log(
    [
      `${events} events × ${subscriptions} subscriptions = ${expected} deliveries (${count} requests) in ${seconds.toFixed(1)} s: ${Math.round(expected / seconds)} a second`,
      `CPU for each: server ${each(cpu, cpuMs(server.pid))}, Postgres ${each(dbBefore, dbCpu())}`,
    ].join("\n"),
  );
} finally {
  await server.stop();
  await receiver.stop();
  await client.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
