import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { expect, test } from "vitest";
import { answers, collector } from "../../src/testing/collector.ts";
import { postgresBin, startPostgres } from "../peers/index.mjs";
import { emptyPostgres, postgresUrl, type ServerProcess, startServer } from "./process.ts";
import type { Visitor } from "./visitor.ts";

const run = promisify(execFile);

test.skipIf(!postgresUrl)(
  "after pg_dump and a restore into a new cluster, forwarding goes on: nothing lost, nothing from before repeated",
  async () => {
    const receiver = await collector();
    const elsewhere = await startPostgres();
    /** The events that have not arrived, and those that should not have. */
    const amiss = async (admin: Visitor) => {
      const [due, either] = await forwardable(admin);
      const taken = new Set(receiver.taken);
      return [...due.filter((id) => !taken.has(id)), ...[...taken].filter((id) => !due.includes(id) && !either.includes(id))];
    };
    try {
      const { DATABASE_URL, GATEHOUSE_MASTER_KEY } = await emptyPostgres();
      const env = { GATEHOUSE_MASTER_KEY, GATEHOUSE_AUDIT_HTTP_URL: receiver.url };
      // A cluster that has been in use: its transactions have higher numbers than a new one's.
      await onDatabase(DATABASE_URL, "do $$ begin for i in 1..5000 loop perform pg_current_xact_id(); commit; end loop; end $$");
      let server = await startServer({ env: { ...env, DATABASE_URL } });
      const admin = await server.admin();
      await failToSignIn(server, "before");
      // At least once: a batch whose answer was late comes again.
      await expect.poll(() => amiss(admin)).toEqual([]);
      const before = new Set(receiver.taken);
      const takenBefore = receiver.taken.length;

      receiver.behave(...Array.from({ length: 100 }, () => answers(503)));
      await failToSignIn(server, "not sent");
      await server.stop();
      receiver.behave();

      const restored = elsewhere.url;
      const dump = join(server.folder, "dump.sql");
      await run(join(postgresBin()!, "pg_dump"), ["--dbname", DATABASE_URL, "--file", dump]);
      await run(join(postgresBin()!, "psql"), ["--dbname", restored, "--file", dump, "--quiet", "--set", "ON_ERROR_STOP=1"]);

      server = await startServer({ env: { ...env, DATABASE_URL: restored }, port: server.port });
      await failToSignIn(server, "new");
      const again = await server.admin();
      await expect.poll(() => amiss(again)).toEqual([]);
      expect(receiver.taken.filter((id) => before.has(id))).toHaveLength(takenBefore);
      const actors = receiver.batches.flatMap(({ events }) =>
        events.filter(({ id }) => receiver.taken.includes(id)).map(({ actor }) => actor),
      );
      expect(actors).toEqual(expect.arrayContaining(["before", "not sent", "new"]));
      await failToSignIn(server, "later");
      await expect.poll(() => amiss(again)).toEqual([]);
      await server.stop();
    } finally {
      await receiver.close();
      await elsewhere.stop();
    }
  },
);

async function onDatabase(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function failToSignIn(server: ServerProcess, name: string): Promise<void> {
  expect((await server.visitor().trySignIn("master", name, "wrong")).status).toBe(401);
}

/** The ids of the events to forward, and of those that may be: the realm's own creation may have come before there was a forwarder. */
async function forwardable(admin: Visitor): Promise<[due: string[], either: string[]]> {
  const { body } = await admin.get("/admin/realms/master/events?size=500");
  type Event = { id: string; category: string; resourceType: string | null };
  const open = (body.items as Event[]).filter(({ category }) => category !== "SECURITY");
  const ids = (isRealm: boolean) => open.filter(({ resourceType }) => (resourceType === "realms") === isRealm).map(({ id }) => id);
  return [ids(false), ids(true)];
}
