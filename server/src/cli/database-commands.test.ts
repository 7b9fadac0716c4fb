import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../test/peers/index.mjs";
import { type Place, place, type RunningServer } from "../testing/built-server.ts";
import { runHere } from "../testing/command-line.ts";
import { onPostgres } from "../testing/on-postgres.ts";
import { testDatabase } from "../testing/test-database.ts";

// Each command against a database: on Postgres in this process, but for a few that are run as users do, built and in their own process. Later
// tests find what earlier ones left.
const isPostgres = testDatabase() === "postgres";
let here: Place;
beforeAll(async () => {
  here = await place();
}, 300_000);
afterAll(() => here.remove());

const gatehouse = (args: readonly string[], env?: Record<string, string>) =>
  isPostgres ? runHere(here, args, env) : here.gatehouse(args, env);
const json = async (...args: string[]) => {
  const { code, out, err } = await gatehouse([...args, "--json"]);
  return { code, answer: JSON.parse(code === 0 || out !== "" ? out : err) };
};
const fileWith = (text: string): string => {
  const file = join(here.folder, "a-password");
  writeFileSync(file, `${text}\n`);
  return file;
};
const eventsOf = async (realm: string, password: string, server: RunningServer) => {
  const cookie = await signIn(server, realm, "admin", password);
  const answer = await fetch(`${server.url}/admin/realms/${realm}/events?size=100`, { headers: { cookie: cookie! } });
  return ((await answer.json()) as { items: { type: string; actor: string; resourceId: string; detail: string | null }[] }).items;
};

/** Answers the session's cookie, or null when refused. */
async function signIn(server: RunningServer, realm: string, username: string, password: string): Promise<string | null> {
  const page = await fetch(`${server.url}/realms/${realm}/login`);
  const cookies = page.headers.getSetCookie().map((line) => line.split(";")[0]!);
  const _csrf = cookies.find((cookie) => cookie.startsWith("XSRF-TOKEN="))!.slice("XSRF-TOKEN=".length);
  const answer = await fetch(`${server.url}/realms/${realm}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: cookies.join("; ") },
    body: new URLSearchParams({ username, password, _csrf: decodeURIComponent(_csrf) }),
  });
  if (answer.status !== 303) return null;
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

const isSignedIn = async (server: RunningServer, cookie: string) =>
  (await fetch(`${server.url}/admin/realms/master/users`, { headers: { cookie } })).status === 200;

describe("before the first start", () => {
  test.skipIf(isPostgres)("a command does not make a database where there is none", async () => {
    const { code, out, err } = await here.gatehouse(["realm", "list"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("There is no database in");
    expect(existsSync(join(here.folder, "data"))).toBe(false);
  });

  test.runIf(isPostgres)("a command on an empty database says how to set it up", async () => {
    const { code, err } = await here.gatehouse(["realm", "list"]);
    expect(code).toBe(1);
    expect(err).toContain("gatehouse migrate up");
    expect((await json("migrate", "status")).answer.upToDate).toBe(false);
    expect((await gatehouse(["migrate", "status"])).code).toBe(1);
  });

  test("migrate up prepares it, and once is enough", async () => {
    const first = await json("migrate", "up");
    expect(first.code).toBe(0);
    expect(await json("migrate", "up")).toEqual({ code: 0, answer: { applied: [] } });
    const { code, answer } = await json("migrate", "status");
    expect({ code, upToDate: answer.upToDate }).toEqual({ code: 0, upToDate: true });
    expect(answer.migrations[0]).toMatchObject({ name: "0001_foundation", appliedAt: expect.any(String) });
  }, 120_000);
});

describe("after it", () => {
  let old: string;
  beforeAll(async () => {
    const server = await here.start({ GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD: "the first password" });
    old = (await signIn(server, "master", "admin", "the first password"))!;
    expect(await isSignedIn(server, old)).toBe(true);
    await server.kill("SIGTERM");
  }, 120_000);

  onPostgres(
    "admin reset-password lets in by the new password only, ends sessions, lifts the lock and leaves its event",
    async () => {
      const server = await here.start();
      for (let tries = 0; tries < 12; tries++) await signIn(server, "master", "admin", "wrong");
      expect(await signIn(server, "master", "admin", "the first password")).toBeNull();

      const { code, out } = await here.gatehouse(["admin", "reset-password", "--json"]);
      const answer = JSON.parse(out);
      expect({ code, answer }).toMatchObject({ code: 0, answer: { realm: "master", username: "admin", enabled: true } });

      expect(await isSignedIn(server, old)).toBe(false);
      expect(await signIn(server, "master", "admin", "the first password")).toBeNull();
      const events = await eventsOf("master", answer.password, server);
      expect(events).toContainEqual(expect.objectContaining({ type: "PASSWORD_RESET", actor: "cli", resourceId: answer.userId }));
      await server.kill("SIGTERM");
    },
    180_000,
  );

  onPostgres(
    "admin reset-password takes the password from a file or standard input, and then shows none",
    async () => {
      const fromFile = await gatehouse(["admin", "reset-password", "--password-file", fileWith("known to the caller")]);
      expect(fromFile).toMatchObject({ code: 0, err: "" });
      expect(fromFile.out).not.toContain("known");
      const fromStdin = await here.gatehouse(["admin", "reset-password", "--json", "--password-file", "-"], {}, "known to the caller\n");
      expect(JSON.parse(fromStdin.out)).not.toHaveProperty("password");
    },
    60_000,
  );

  onPostgres.each([
    [["admin", "reset-password"], 2, "only on a terminal or with --json"],
    [["admin", "reset-password", "--json", "--username", "nobody"], 1, "There is no user “nobody” in the realm master."],
    [["admin", "reset-password", "--json", "--realm", "nowhere"], 1, "There is no realm “nowhere”."],
    [["admin", "reset-password", "--password-file", "missing"], 1, "cannot be read (ENOENT)"],
    [["admin", "create", "--json"], 2, "--username=<name>"],
    [["admin", "create", "--json", "--username", " padded "], 1, "no space at either end"],
    [["realm", "create", "Upper", "--json"], 1, "a realm's name has 1 to 63 lower-case letters"],
    [["realm", "create", "admin", "--json"], 1, "a path of the server itself"],
    [["realm", "create"], 2, "needs <name>"],
    [["realm", "list", "--size", "0"], 1, "size"],
    [["realm", "list", "--page", "x"], 2, "--page takes a number"],
    [["key", "rotate", "nowhere"], 1, "There is no realm “nowhere”."],
  ])(
    "%j is refused with exit code %i",
    async (args, code, message) => {
      const outcome = await gatehouse(args);
      expect(outcome).toMatchObject({ code, out: "" });
      expect(args.includes("--json") ? JSON.parse(outcome.err).error.message : outcome.err).toContain(message);
    },
    60_000,
  );

  onPostgres(
    "a password against the policy changes nothing",
    async () => {
      const { code, err } = await gatehouse(["admin", "reset-password", "--password-file", fileWith("short")]);
      expect(code).toBe(1);
      expect(err).toContain("at least 8 characters");
    },
    60_000,
  );

  onPostgres(
    "a password that has leaked opens no realm",
    async () => {
      const { code, err } = await gatehouse(["realm", "create", "leaky", "--admin-password-file", fileWith("password123")]);
      expect(code).toBe(1);
      expect(err).toContain("known from data that leaked");
      expect((await json("realm", "list", "--search", "leaky")).answer.realms).toEqual([]);
    },
    60_000,
  );

  test("realms are created and listed, and a new administrator can sign in", async () => {
    const created = await json("realm", "create", "acme", "--display-name", "Acme");
    expect(created).toMatchObject({ code: 0, answer: { realm: "acme", displayName: "Acme", adminPassword: expect.any(String) } });
    const { answer } = await json("realm", "list", "--search", "ac");
    expect(answer).toMatchObject({ realms: [{ realm: "acme", displayName: "Acme" }], total: 1 });
    // Each command on the embedded database is a process that opens it.
    if (isPostgres) {
      expect((await gatehouse(["realm", "create", "acme", "--json"])).code).toBe(1);
      expect((await json("realm", "list", "--size", "1")).answer.realms).toHaveLength(1);
    }

    const ada = await json("admin", "create", "--realm", "acme", "--username", "ada");
    expect(ada).toMatchObject({ code: 0, answer: { username: "ada", roles: ["admin", "user"] } });
    const rotated = await json("key", "rotate", "acme");
    const server = await here.start();
    if (!isPostgres) {
      const refused = await here.gatehouse(["admin", "reset-password", "--json"]);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain("Stop the server, run this command again, then start the server.");
    }
    expect(await signIn(server, "acme", "ada", ada.answer.password)).not.toBeNull();
    const jwks = (await (await fetch(`${server.url}/realms/acme/jwks`)).json()) as { keys: { kid: string }[] };
    expect(jwks.keys.map(({ kid }) => kid)).toContain(rotated.answer.keyId);
    expect(jwks.keys).toHaveLength(6);
    const events = await eventsOf("acme", created.answer.adminPassword, server);
    expect(events).toContainEqual(expect.objectContaining({ type: "KEY_ROTATED", actor: "cli" }));
    await server.kill("SIGTERM");
  }, 180_000);

  test("doctor looks into the database", async () => {
    const { code, answer } = await json("doctor", "--port", String(await freePort()));
    const found = Object.fromEntries(answer.findings.map(({ check, severity }: { check: string; severity: string }) => [check, severity]));
    expect(found).toMatchObject({ database: "ok", migrations: "ok", "master key and database": "ok" });
    if (isPostgres) expect(found).toMatchObject({ "database clock": "ok", notifications: "ok" });
    expect(code).toBe(0);
    const wrong = await gatehouse(["doctor", "--json"], { GATEHOUSE_MASTER_KEY: Buffer.alloc(32, 9).toString("base64") });
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain("is not the one this database was written with");
  }, 60_000);
});

describe("key rewrap", () => {
  const next = Buffer.from("0123456789abcdef0123456789abcdef").toString("base64");
  const rewrap = (env: Record<string, string>) => gatehouse(["key", "rewrap", "--json"], env);

  onPostgres(
    "moves everything to the new key, after which the old one is not needed",
    async () => {
      const old = here.env.GATEHOUSE_MASTER_KEY!;
      const lost = await rewrap({ GATEHOUSE_MASTER_KEY: next });
      expect(lost.code).toBe(1);
      expect(lost.err).toContain("is not the one this database was written with");

      const both = { GATEHOUSE_MASTER_KEY: next, GATEHOUSE_MASTER_KEY_PREVIOUS: old };
      const done = await rewrap(both);
      expect(done).toMatchObject({ code: 0, err: "" });
      const { rewrapped, columns } = JSON.parse(done.out);
      // These are the keys of master, and those of acme before and after its rotation.
      expect(columns.filter((column: { rewrapped: number }) => column.rewrapped > 0)).toEqual([
        { column: "realm_keys.private_key", rewrapped: 3 },
        { column: "realm_key_companions.private_key", rewrapped: 3 },
        { column: "realm_companion_keys.private_key", rewrapped: 3 },
        { column: "lasting_keys.sealed", rewrapped: 2 },
        { column: "vault_canary.sealed", rewrapped: 1 },
      ]);
      expect(rewrapped).toBe(12);
      expect(JSON.parse((await rewrap(both)).out).rewrapped).toBe(0);
      expect((await rewrap({ GATEHOUSE_MASTER_KEY: next })).code).toBe(0);
      expect((await rewrap({ GATEHOUSE_MASTER_KEY: old })).code).toBe(1);
    },
    120_000,
  );
});
