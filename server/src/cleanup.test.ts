import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp } from "./cleanup.ts";
import { clock } from "./kernel/clock.ts";
import { type Harness, harness } from "./testing/harness.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
});
afterAll(() => iam?.close());

test("a step of the clean-up that fails is reported, and keeps no other from its work", async () => {
  const { db } = iam.core;
  await iam.server.jobs.stop();
  await sql`create function refuse_deletion() returns trigger language plpgsql as $$ begin raise exception 'not today'; end $$`.execute(db);
  await sql`create trigger refuse_deletion before delete on action_tokens execute function refuse_deletion()`.execute(db);
  await sql`insert into login_attempts (realm_id, kind, subject, failures, last_at, expires_at)
    values ('master', 'user:password', 'somebody', 1, 0, ${clock.now() - 1})`.execute(db);
  await expect(cleanUp(db)).rejects.toThrow(/1 of \d+ steps.*not today/);
  expect(await db.selectFrom("login_attempts").select("subject").where("subject", "=", "somebody").execute()).toEqual([]);
});
