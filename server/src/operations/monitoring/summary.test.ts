import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askedQueries } from "../../testing/asked-queries.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import { countPerRealm } from "./summary.store.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

test.runIf(testDatabase() === "postgres")(
  "counts the sessions of a realm that has none without reading those of a realm that has many",
  async () => {
    const [crowd, quiet] = [await iam.realm(), await iam.realm()];
    const { db } = iam.core;
    const { userId } = await crowd.user();
    await sql`insert into sessions (realm_id, session_id, token_hash, user_id, created_at, auth_time, last_seen_at, expires_at, absolute_expiry)
    select ${crowd.name}, gen_random_uuid(), 'crowd-' || n, ${userId}, n, n, n, 9e15::bigint, 9e15::bigint from generate_series(1, 100000) n`.execute(
      db,
    );
    await sql`analyze sessions`.execute(db);
    const { watched, plans } = askedQueries(db);
    const counts = await countPerRealm(watched, [crowd.name, quiet.name], 0);
    expect(counts.get(crowd.name)?.activeSessions).toBeGreaterThan(10_000);
    expect(counts.get(quiet.name)?.activeSessions).toBe(0);
    expect((await plans())[0]).not.toMatch(/Seq Scan on sessions/);
  },
);
