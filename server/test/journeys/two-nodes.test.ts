import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BRIEFLY } from "../../src/testing/built-server.ts";
import { emptyPostgres, MAIN, postgresUrl, type ServerProcess, startServer } from "./process.ts";
import { must, type Visitor } from "./visitor.ts";

const SECOND = 1000;
const PASSWORD = "a password of somebody";

const delays: number[] = [];

/** So many answers come within a second from a node that is not short of CPU. */
const ANSWERS = 20;

/** The requirement itself: a change on one node is known to the other within a second, or within some answers where those take longer. */
async function withinASecond(what: string, seen: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  for (let answers = 1; !(await seen()); answers++) {
    if (performance.now() - began > SECOND && answers > ANSWERS) throw new Error(`${what}: the other node did not see it within a second`);
    await sleep(10);
  }
  delays.push(Math.round(performance.now() - began));
}

describe.skipIf(!postgresUrl)("two nodes on one Postgres are one server:", () => {
  let database: { DATABASE_URL: string };
  let a: ServerProcess;
  let b: ServerProcess;
  let admin: Visitor;
  let realms = 0;

  beforeAll(async () => {
    const env = await emptyPostgres();
    database = env;
    a = await startServer({ env });
    b = await startServer({ env });
    admin = await a.admin();
  });
  afterAll(() => console.log(`the other node saw ${delays.length} changes after ${delays.join(", ")} ms`));

  /** A realm that both nodes have in their caches. */
  async function knownRealm(): Promise<string> {
    const realm = `r${realms++}`;
    // Asked before: that there is none may be kept in a cache, too.
    must(await b.visitor().get(`/realms/${realm}/login`), 404);
    must(await admin.post("/admin/realms", { realm, adminPassword: PASSWORD }), 201);
    await withinASecond("a new realm", async () => (await b.visitor().get(`/realms/${realm}/login`)).status === 200);
    return realm;
  }

  async function userOf(realm: string, username: string): Promise<string> {
    const { userId } = must(await admin.post(`/admin/realms/${realm}/users`, { username }), 201);
    must(await admin.put(`/admin/realms/${realm}/users/${userId}/password`, { newPassword: PASSWORD }), 204);
    return userId;
  }

  test("a session begun on one works on the other, and so does its CSRF token", async () => {
    const realm = await knownRealm();
    const there = admin.at(b);
    const { userId } = must(await there.post(`/admin/realms/${realm}/users`, { username: "ada" }), 201);
    expect(must(await admin.get(`/admin/realms/${realm}/users/${userId}`), 200)).toMatchObject({ username: "ada" });

    // The page of one, sent to the other: how a load balancer deals it.
    const visitor = a.visitor();
    await visitor.get(`/realms/${realm}/login`);
    const form = { username: "admin", password: PASSWORD, _csrf: visitor.cookies.get("XSRF-TOKEN")! };
    must(await visitor.at(b).request("POST", `/realms/${realm}/login`, { form }), 303);
    must(await visitor.get(`/admin/realms/${realm}/users`), 200);
  });

  test("a change of roles and of permissions", async () => {
    const realm = await knownRealm();
    const userId = await userOf(realm, "grace");
    const grace = b.visitor();
    await grace.signIn(realm, "grace", PASSWORD);
    const mayRead = async () => (await grace.get(`/admin/realms/${realm}/users`)).status === 200;
    expect(await mayRead()).toBe(false);

    const at = `/admin/realms/${realm}`;
    const { roleId } = must(await admin.post(`${at}/roles`, { name: "readers" }), 201);
    must(await admin.put(`${at}/admin-roles/${roleId}`, { permissions: ["view-users"] }), 200);
    must(await admin.post(`${at}/users/${userId}/roles`, { name: "readers" }), 200);
    await withinASecond("a role given", mayRead);
    must(await admin.put(`${at}/admin-roles/${roleId}`, { permissions: [] }), 200);
    await withinASecond("a permission taken from a role", async () => !(await mayRead()));
    must(await admin.put(`${at}/admin-roles/${roleId}`, { permissions: ["view-users"] }), 200);
    await withinASecond("a permission given to a role", mayRead);
    must(await admin.delete(`${at}/users/${userId}/roles/${roleId}`), 204);
    await withinASecond("a role taken", async () => !(await mayRead()));
  });

  test("a revoked session and a disabled user", async () => {
    const realm = await knownRealm();
    const userId = await userOf(realm, "alan");
    const signedIn = async () => {
      const alan = b.visitor();
      await alan.signIn(realm, "alan", PASSWORD);
      return { alan, isStranger: async () => (await alan.get(`/admin/realms/${realm}/users`)).status === 401 };
    };
    const first = await signedIn();
    expect(await first.isStranger()).toBe(false);
    const [session] = must(await admin.get(`/admin/realms/${realm}/sessions?search=alan`), 200);
    must(await admin.delete(`/admin/realms/${realm}/sessions/${session.id}`), 204);
    await withinASecond("a revoked session", first.isStranger);

    const second = await signedIn();
    const user = must(await admin.get(`/admin/realms/${realm}/users/${userId}`), 200);
    must(await admin.put(`/admin/realms/${realm}/users/${userId}`, { ...user, enabled: false }), 200);
    await withinASecond("a disabled user", second.isStranger);
  });

  test("a rotated key and changed settings, in both directions", async () => {
    const realm = await knownRealm();
    for (const [here, there] of [
      [admin.at(a), b],
      [admin.at(b), a],
    ] as const) {
      const jwks = async () => must(await there.visitor().get(`/realms/${realm}/jwks`), 200).keys.map(({ kid }: { kid: string }) => kid);
      await jwks();
      const { keyId } = must(await here.post(`/admin/realms/${realm}/keys/rotate`), 201);
      await withinASecond("a rotated key", async () => (await jwks()).includes(keyId));

      const welcomeText = `Welcome, says ${here.url}`;
      const settings = must(await here.get(`/admin/realms/${realm}/settings`), 200);
      must(await here.put(`/admin/realms/${realm}/settings`, { ...settings, welcomeText }), 200);
      await withinASecond("changed settings", async () => (await there.visitor().get(`/realms/${realm}/login`)).text.includes(welcomeText));
    }
  });

  test("a deleted realm is a 404, and its name becomes free", async () => {
    const realm = await knownRealm();
    must(await admin.delete(`/admin/realms/${realm}`), 204);
    for (const path of [`/realms/${realm}/login`, `/realms/${realm}/jwks`])
      await withinASecond(`a deleted realm (${path.split("/").at(-1)})`, async () => (await b.visitor().get(path)).status === 404);
    await expect.poll(async () => (await admin.at(b).post("/admin/realms", { realm, adminPassword: PASSWORD })).status).toBe(201);
    await withinASecond("a realm made anew", async () => (await a.visitor().get(`/realms/${realm}/login`)).status === 200);
  });

  test("failed attempts count together: a lock brought about on both holds on both", async () => {
    const realm = await knownRealm();
    await userOf(realm, "eve");
    const settings = must(await admin.get(`/admin/realms/${realm}/settings`), 200);
    const bruteForce = { ...settings.bruteForce, maxFailures: 4 };
    must(await admin.put(`/admin/realms/${realm}/settings`, { ...settings, bruteForce, welcomeText: "strict" }), 200);
    await withinASecond("the strict rule", async () => (await b.visitor().get(`/realms/${realm}/login`)).text.includes("strict"));

    for (const node of [a, b, a, b]) expect((await node.visitor().trySignIn(realm, "eve", "wrong")).status).toBe(401);
    for (const node of [a, b]) expect((await node.visitor().trySignIn(realm, "eve", PASSWORD)).status).toBe(429);
  });

  test("every job is taken once", async () => {
    const JOBS = 300;
    const client = new pg.Client({ connectionString: database.DATABASE_URL });
    await client.connect();
    try {
      // The database itself keeps the tally: a claim is what raises `attempts`.
      await client.query(`
        create table claims (job_id text, node int);
        create function tally() returns trigger language plpgsql as
          $$ begin insert into claims values (new.job_id::text, pg_backend_pid()); return null; end $$;
        create trigger tally after update on jobs for each row when (new.attempts > old.attempts and new.dedupe_key like 'tally-%')
          execute function tally()`);
      // Purging a realm that is not there is a job like any other, and does no harm.
      await client.query(`
        insert into jobs (job_id, kind, payload, dedupe_key, run_at, created_at)
        select gen_random_uuid()::text::uuid, 'realms.purge', '{"realm":"never-was"}', 'tally-' || n, 0, 0 from generate_series(1, ${JOBS}) n`);
      const waiting = async () => (await client.query("select count(*)::int as n from jobs where dedupe_key like 'tally-%'")).rows[0].n;
      await expect.poll(waiting, { interval: 100 }).toBe(0);
      const { rows } = await client.query("select count(*)::int as claims, count(distinct job_id)::int as jobs from claims");
      expect(rows[0]).toEqual({ claims: JOBS, jobs: JOBS });
    } finally {
      await client.end();
    }
  });

  test("a node whose clock is minutes ahead takes no work that another holds", async () => {
    const env = await emptyPostgres();
    const ahead = "const now = Date.now; Date.now = () => now() + 300_000;";
    const c = await startServer({
      env,
      command: [process.execPath, ...BRIEFLY, "--import", `data:text/javascript,${ahead}`, MAIN, "start"],
    });
    const client = new pg.Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    try {
      // Each look takes what is due at once, the first one first.
      await client.query(`
        insert into jobs (job_id, kind, payload, dedupe_key, run_at, locked_until, created_at)
        select gen_random_uuid(), 'realms.purge', '{"realm":"never-was"}', 'skew-' || n, n,
          case n when 1 then extract(epoch from now()) * 1000 + 60000 else 0 end, 0 from generate_series(1, 2) n`);
      const left = async () =>
        (await client.query("select dedupe_key as job, attempts from jobs where dedupe_key like 'skew-%' order by dedupe_key")).rows;
      await expect.poll(left, { interval: 50 }).toEqual([{ job: "skew-1", attempts: 0 }]);
      await client.query("update jobs set locked_until = 0 where dedupe_key = 'skew-1'");
      await expect.poll(left, { interval: 50 }).toEqual([]);
      expect(c.out() + c.err()).toContain("the clocks of this node and the database differ");
    } finally {
      await client.end();
    }
  });
});
