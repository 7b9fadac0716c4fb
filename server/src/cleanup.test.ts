import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp } from "./cleanup.ts";
import { clock, MINUTE, SECOND } from "./kernel/clock.ts";
import { type Harness, harness } from "./testing/harness.ts";
import { dpopKey } from "./testing/proof.ts";

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
    values ('master', 'user:password', 'somebody', 1, 0, ${clock.now() - 10 * MINUTE})`.execute(db);
  await expect(cleanUp(db)).rejects.toThrow(/1 of \d+ steps.*not today/);
  expect(await db.selectFrom("login_attempts").select("subject").where("subject", "=", "somebody").execute()).toEqual([]);
  await sql`drop trigger refuse_deletion on action_tokens`.execute(db);
});

test("no statement of the clean-up deletes more than a batch", async () => {
  const { db } = iam.core;
  await iam.server.jobs.stop();
  const tables = ["metric_hours", "metric_hours_of_all"];
  await sql`create function refuse_many() returns trigger language plpgsql as $$ begin
    if (select count(*) from gone) > 5000 then raise exception 'too many at once'; end if; return null; end $$`.execute(db);
  for (const table of tables)
    await sql`create trigger refuse_many after delete on ${sql.table(table)} referencing old table as gone execute function refuse_many()`.execute(
      db,
    );
  await sql`insert into metric_hours (realm_id, hour, metric, count) select 'master', n, 'login', 1 from generate_series(1, 5001) n`.execute(
    db,
  );
  await cleanUp(db);
  const { rows } = await sql<{ left: number }>`select count(*)::int as left from metric_hours where hour <= 5001`.execute(db);
  expect(rows[0]!.left).toBe(0);
  for (const table of tables) await sql`drop trigger refuse_many on ${sql.table(table)}`.execute(db);
});

test("a node whose clock is ahead deletes nothing that the others still need to refuse a proof or a token", async () => {
  const realm = await iam.realm();
  const { body: client } = await realm.asMaster().post("/clients", { clientId: "machine", grantTypes: ["client_credentials"] });
  const url = `${iam.config.baseUrl}/realms/${realm.name}/token`;
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    iam.browser().request("POST", `/realms/${realm.name}${path}`, {
      form: { client_id: "machine", client_secret: client.secret, ...form },
      headers,
      csrf: false,
    });
  const cleanUpAhead = async () => {
    clock.advance(90 * SECOND);
    await cleanUp(iam.core.db);
    clock.advance(-90 * SECOND);
  };
  await iam.server.jobs.stop();

  const withProof = { dpop: dpopKey()("POST", url) };
  const token = () => post("/token", { grant_type: "client_credentials" }, withProof);
  expect((await token()).status).toBe(200);
  clock.advance(4 * MINUTE);
  await cleanUpAhead();
  expect(await token()).toMatchObject({ status: 400, body: { error: "invalid_dpop_proof" } });

  const { body: issued } = await post("/token", { grant_type: "client_credentials" });
  expect((await post("/revoke", { token: issued.access_token })).status).toBe(200);
  clock.advance((issued.expires_in - 30) * SECOND);
  await cleanUpAhead();
  expect((await post("/introspect", { token: issued.access_token })).body).toEqual({ active: false });
  clock.reset();
});
