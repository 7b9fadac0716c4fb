import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { endExpiredSessions } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

describe("GET /sessions", () => {
  test("shows who is signed in, from where, and which session is the caller's own", async () => {
    const realm = await iam.realm();
    const { username, password, userId } = await realm.user();
    const browser = iam.browser();
    await browser.request("GET", `/realms/${realm.name}/login`);
    await browser.request("POST", `/realms/${realm.name}/login`, {
      form: { username, password, _csrf: browser.cookies.get("XSRF-TOKEN")!, rememberMe: "on" },
      headers: { "user-agent": "x".repeat(600) },
    });
    const auditor = await realm.as("view-events");
    const { body, headers } = await auditor.get("/sessions?sort=createdAt");
    expect(headers["x-total-count"]).toBe("2");
    const [theirs, own] = body;
    expect(theirs).toMatchObject({
      userId,
      username,
      realmId: realm.name,
      remembered: true,
      current: false,
      amr: ["pwd"],
      impersonator: null,
    });
    expect(theirs.expiresAt - theirs.createdAt).toBe(30 * DAY);
    expect(theirs.userAgent).toHaveLength(512);
    expect(theirs.sourceIp).toMatch(/^203\.0\.113\./);
    expect(own).toMatchObject({ username: auditor.username, current: true });
    expect(Object.keys(theirs).filter((member) => /token|hash/i.test(member))).toEqual([]);
    // For a caller from master, no session of the realm is the current one.
    expect((await realm.asMaster().get("/sessions")).body.map(({ current }: { current: boolean }) => current)).toEqual([false, false]);
  });

  test("finds by name, user and session, and takes LIKE's characters as they are", async () => {
    const realm = await iam.realm();
    for (const name of ["ada", "adam", "bob", "a_a"]) {
      const user = await realm.user(name);
      await iam.browser().signIn(realm.name, user.username, user.password);
    }
    const found = async (search: string) =>
      (await realm.asMaster().get(`/sessions?search=${encodeURIComponent(search)}`)).body
        .map(({ username }: { username: string }) => username)
        .sort();
    expect(await found("ada")).toEqual(["ada", "adam"]);
    expect(await found("ADA")).toEqual(["ada", "adam"]);
    expect(await found("a_")).toEqual(["a_a"]);
    expect(await found("%")).toEqual([]);
    const [{ userId }] = (await realm.asMaster().get("/users?search=bob")).body;
    await realm.asMaster().patch(`/users/${userId}`, { attributes: { firstName: "Röb", lastName: "Roy" } });
    expect(await found("RÖB ROY")).toEqual(["bob"]);
    expect(await found("roy")).toEqual(["bob"]);
    expect(await found("' or 1=1 --")).toEqual([]);
    const [bob] = (await realm.asMaster().get("/sessions?search=bob")).body;
    expect(await found(bob.userId)).toEqual(["bob"]);
    expect(await found(bob.id)).toEqual(["bob"]);
    expect(await found(newId())).toEqual([]);
  });

  test("leaves out what has expired, which is then deleted", async () => {
    const realm = await iam.realm();
    const rows = () => iam.core.db.selectFrom("sessions").select("session_id").where("realm_id", "=", realm.name).execute();
    const plain = await realm.user();
    await iam.browser().signIn(realm.name, plain.username, plain.password);
    clock.advance(20 * MINUTE);
    const auditor = await realm.as("view-events");
    clock.advance(11 * MINUTE);
    expect((await auditor.get("/sessions")).body).toMatchObject([{ username: auditor.username }]);
    expect(await rows()).toHaveLength(2);
    await iam.core.db
      .updateTable("sessions")
      .set({ expires_at: clock.now() + DAY })
      .where("realm_id", "=", "master")
      .execute();
    await endExpiredSessions(iam.core.work);
    expect(await rows()).toHaveLength(1);
  });
});

describe("DELETE /sessions/{id}", () => {
  test("ends the session at its next request and writes two events, for the request and for its effect", async () => {
    const realm = await iam.realm();
    const victim = await realm.as("view-users");
    const guard = await realm.as("manage-events", "view-users");
    const [session] = (await realm.asMaster().get(`/sessions?search=${victim.userId}`)).body;
    expect((await victim.get("/users")).status).toBe(200);
    expect((await guard.delete(`/sessions/${session.id}`)).status).toBe(204);
    expect((await victim.get("/users")).status).toBe(401);
    expect(await realm.events(`type=ADMIN_DELETE&actor=${guard.username}`)).toMatchObject([
      { resourceType: "sessions", resourceId: session.id },
    ]);
    expect(await realm.events("type=SESSION_REVOKED")).toMatchObject([
      { category: "SECURITY", resourceId: victim.userId, detail: session.id },
    ]);
    expect((await guard.delete(`/sessions/${session.id}`)).status).toBe(404);
    expect(await realm.events("type=SESSION_REVOKED")).toHaveLength(1);
  });

  test("does not reach into another realm, even for a caller with every permission", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const theirs = await two.as("view-users");
    const [session] = (await two.asMaster().get("/sessions")).body;
    expect((await (await one.admin()).delete(`/sessions/${session.id}`)).status).toBe(404);
    expect((await one.asMaster().delete(`/sessions/${session.id}`)).status).toBe(404);
    expect((await theirs.get("/users")).status).toBe(200);
    expect(await one.events("type=SESSION_REVOKED")).toEqual([]);
  });

  test("only one of two concurrent requests succeeds", async () => {
    const realm = await iam.realm();
    const victim = await realm.as("view-users");
    const [session] = (await realm.asMaster().get(`/sessions?search=${victim.userId}`)).body;
    const answers = await Promise.all([1, 2, 3].map(() => realm.asMaster().delete(`/sessions/${session.id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    expect(await realm.events("type=SESSION_REVOKED")).toHaveLength(1);
  });
});

describe("lists", () => {
  const ROWS = 1_000;
  let realm: RealmUnderTest;
  beforeAll(async () => {
    realm = await iam.realm();
    const { userId } = await realm.user();
    const now = clock.now();
    // The rows are like those of the server: an id at the time of its row. Many share a millisecond, so only the id distinguishes them.
    const ids = Array.from({ length: ROWS }, () => newId());
    const row = (n: number) => ({
      realm_id: realm.name,
      session_id: ids[n]!,
      token_hash: `row-${n}`,
      user_id: userId,
      created_at: now + Math.floor((n * 3) / ROWS),
      auth_time: now,
      last_seen_at: now,
      expires_at: now + DAY,
      absolute_expiry: now + DAY,
      remembered: false,
      acr: null, // as an older release stored them
      amr: "[]",
      impersonator: null,
      source_ip: null,
      user_agent: null,
    });
    await iam.core.db
      .insertInto("sessions")
      .values(Array.from({ length: ROWS }, (_, n) => row(n)))
      .execute();
  });

  /** Returns a link of the header, in the form of RFC 8288 that we use. */
  const linkOf = ({ headers }: Answer, rel: string) =>
    String(headers.link ?? "")
      .split(", ")
      .map((link) => /^<([^<>]+)>; rel="([a-z]+)"$/.exec(link)!)
      .find(([, , name]) => name === rel)?.[1];

  test("shows the level of a sign-in, also of sessions that have none stored", async () => {
    const { body } = await realm.asMaster().get("/sessions?size=1000");
    expect(new Set(body.map(({ acr }: { acr: string }) => acr))).toEqual(new Set(["1"]));
  });

  test.each(["lastSeenAt", "-lastSeenAt", "createdAt", "-createdAt"])(
    "by sort=%s every row is seen once, however equal they are",
    async (sort) => {
      const seen: { id: string; createdAt: number }[] = [];
      let next: string | undefined = `/admin/realms/${realm.name}/sessions?sort=${sort}&size=90`;
      while (next !== undefined) {
        const answer: Answer = await realm.asMaster().browser.get(next);
        expect(answer.status).toBe(200);
        expect(answer.headers["x-total-count"]).toBe(String(ROWS));
        seen.push(...answer.body);
        next = linkOf(answer, "next");
      }
      expect(seen).toHaveLength(ROWS);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(ROWS);
      if (sort.endsWith("createdAt")) {
        const times = seen.map(({ createdAt }) => createdAt);
        const sorted = [...times].sort((a, b) => (sort.startsWith("-") ? b - a : a - b));
        expect(times).toEqual(sorted);
      }
    },
  );

  test("pages by number show the same rows as the cursor does, with links that can be followed", async () => {
    const boss = realm.asMaster();
    const first = await boss.get("/sessions?size=100&search=&sort=createdAt");
    const byCursor = await boss.browser.get(linkOf(first, "next")!);
    const byNumber = await boss.get("/sessions?size=100&page=1&sort=createdAt");
    expect(byCursor.body).toEqual(byNumber.body);
    expect(linkOf(first, "prev")).toBeUndefined();
    expect((await boss.browser.get(linkOf(byNumber, "prev")!)).body).toEqual(first.body);
    expect((await boss.browser.get(linkOf(byCursor, "first")!)).body).toEqual(first.body);
    const last = await boss.get("/sessions?size=100&page=9&sort=createdAt");
    expect([last.body.length, linkOf(last, "next")]).toEqual([100, undefined]);
    expect((await boss.get("/sessions?size=100&page=10")).body).toEqual([]);
  });

  const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");
  test.each([
    ["no base64", "%%%"],
    ["no JSON", Buffer.from("nonsense").toString("base64url")],
    ["of another sort", cursor("createdAt", 1, newId())],
    ["text where a number is kept", cursor("-lastSeenAt", "x", newId())],
    ["a number beyond all", cursor("-lastSeenAt", 1e300, newId())],
    ["half a number", cursor("-lastSeenAt", 1.5, newId())],
    ["no id", cursor("-lastSeenAt", 1, "x")],
    ["SQL", cursor("-lastSeenAt", "1) or (1=1", "' or 1=1 --")],
    ["NUL", cursor("-lastSeenAt", "\u0000", newId())],
    ["an object", cursor("-lastSeenAt", {}, newId())],
    ["null", "bnVsbA"],
    ["nothing", ""],
    ["too long", "x".repeat(3000)],
  ])("a cursor that is not ours (%s) is a 400 that names it", async (_, text) => {
    const answer = await realm.asMaster().get(`/sessions?cursor=${encodeURIComponent(text)}`);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "cursor" }] } });
  });

  test.each([
    ["page=101&size=100", "page", "list.too_deep"],
    ["page=11&size=1000", "page", "list.too_deep"],
    ["page=-1", "page", "request.invalid"],
    ["page=x", "page", "request.invalid"],
    ["page=1.5", "page", "request.invalid"],
    ["page=1&page=2", "page", "request.invalid"],
    ["size=0", "size", "request.invalid"],
    ["size=1001", "size", "request.invalid"],
    ["sort=username", "sort", "request.invalid"],
    ["sort=constructor", "sort", "request.invalid"],
    ["sort=__proto__", "sort", "request.invalid"],
    ["sort=--createdAt", "sort", "request.invalid"],
    ["sort=", "sort", "request.invalid"],
    ["search=%00", "search", "request.invalid"],
    ["colour=red", "colour", "request.invalid"],
  ])("?%s is a 400 that names %s", async (query, field, code) => {
    expect(await realm.asMaster().get(`/sessions?${query}`)).toMatchObject({ status: 400, body: { code, errors: [{ field }] } });
  });

  test("page × size may reach 10,000", async () => {
    expect((await realm.asMaster().get("/sessions?page=10&size=1000")).status).toBe(200);
  });
});
