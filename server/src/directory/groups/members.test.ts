import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { scimClient } from "../../testing/scim.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("manage-organizations", "view-users");
});
afterAll(() => iam?.close());

let made = 0;
const group = async (): Promise<string> => (await admin.post("/groups", { name: `group${made++}` })).body.groupId;
const person = async (username = `person${made++}`): Promise<string> => {
  const answer = await realm.asMaster().post("/users", { username, email: `${username}@example.com` });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.userId;
};
const countOf = async (groupId: string) => (await admin.get(`/groups/${groupId}`)).body.memberCount;

describe("/groups/{groupId}/members", () => {
  test("takes what GET returned as a PUT, and refuses another member or role", async () => {
    const [groupId, a, b] = [await group(), await person(), await person()];
    const { roleId } = (await realm.asMaster().post("/roles", { name: `role${made++}` })).body;
    for (const [path, other] of [
      [`/groups/${groupId}/members/${a}`, { userId: b }],
      [`/groups/${groupId}/roles/${roleId}`, { name: "other" }],
    ] as const) {
      expect((await admin.put(path)).status, path).toBe(204);
      const { body: shown } = await admin.get(path);
      for (const sent of [shown, {}, undefined]) expect((await admin.put(path, sent)).status, path).toBe(204);
      const [field] = Object.keys(other);
      const refusal = { status: 400, body: { errors: [{ field, code: "read_only" }] } };
      expect(await admin.put(path, { ...shown, ...other }), path).toMatchObject(refusal);
      expect((await admin.put(path, { ...shown, unheardOf: 1 })).status, path).toBe(400);
      expect((await admin.delete(path)).status).toBe(204);
      expect(await admin.put(path, { ...shown, ...other }), path).toMatchObject(refusal);
      expect((await admin.get(path)).status, "nothing was changed").toBe(404);
      expect((await admin.put(path, shown)).status, "the removal is undone").toBe(204);
    }
  });

  test("takes PUT and POST alike, once and again, and DELETE once", async () => {
    const [groupId, a, b, c] = [await group(), await person(), await person(), await person()];
    const at = `/groups/${groupId}/members`;
    expect((await admin.put(`${at}/${a}`)).status).toBe(204);
    expect((await admin.post(`${at}/${b}`)).status).toBe(204);
    const joined = await admin.post(at, { userId: c });
    const { username, email } = (await admin.get(`/users/${c}`)).body;
    expect(joined.body).toEqual({ userId: c, username, email, enabled: true, joinedAt: expect.any(Number) });
    expect(joined.status).toBe(201);
    expect(await admin.post(at, { userId: c.toUpperCase() }), "again").toMatchObject({ status: 200, body: joined.body });
    for (const again of [await admin.put(`${at}/${a}`), await admin.post(`${at}/${a}`)]) expect(again.status).toBe(204);
    expect(await countOf(groupId)).toBe(3);
    expect((await admin.delete(`${at}/${b}`)).status).toBe(204);
    expect(await admin.delete(`${at}/${b}`)).toMatchObject({ status: 404, body: { code: "groups.not_member" } });
    expect(await countOf(groupId)).toBe(2);
    expect((await realm.events(`type=ADMIN_UPDATE&resourceType=groups&resourceId=${groupId}`)).map(({ detail }) => detail)).toEqual([
      `members -${b}`,
      `members +${c}`,
      `members +${b}`,
      `members +${a}`,
    ]);
  });

  test("lists by name and by time of joining, searches, and says how many", async () => {
    const groupId = await group();
    const at = `/groups/${groupId}/members`;
    for (const username of ["list-b", "list-c", "list-a"]) await admin.put(`${at}/${await person(username)}`);
    const names = async (query = "") => (await admin.get(`${at}${query}`)).body.map(({ username }: { username: string }) => username);
    expect(await names()).toEqual(["list-a", "list-b", "list-c"]);
    expect(await names("?sort=joinedAt")).toEqual(["list-b", "list-c", "list-a"]);
    expect(await names("?sort=-username&size=1")).toEqual(["list-c"]);
    expect(await names("?search=LIST-B")).toEqual(["list-b"]);
    expect(await names("?search=holder"), "who is no member").toEqual([]);
    const attributes = { firstName: "Zoë", lastName: "Van Dam" };
    await admin.put(`${at}/${(await realm.asMaster().post("/users", { username: "list-z", attributes })).body.userId}`);
    for (const search of ["ZOË", "zoë van", "van dam", "Van Dam zo"])
      expect(await names(`?search=${encodeURIComponent(search)}`), search).toEqual(["list-z"]);
    expect(await names("?search=dam")).toEqual([]);
    await admin.delete(`${at}/${(await admin.get("/users?search=list-z")).body[0].userId}`);
    const page = await admin.get(`${at}?size=2`);
    expect(page.headers["x-total-count"]).toBe("3");
    const next = /<\/admin\/realms\/[^/]+([^>]*)>; rel="next"/.exec(String(page.headers.link))?.[1];
    expect((await admin.get(next!)).body).toMatchObject([{ username: "list-c" }]);
    expect((await admin.get(`${at}?sort=email`)).status).toBe(400);
  });

  test("a page of twenty thousand new members takes less time than reading all of them", async () => {
    const groupId = await group();
    // They are inserted without the server, which would take longer than the test.
    const { db } = iam.core;
    await sql`insert into users (realm_id, user_id, username, username_key, created_at)
      select ${realm.name}, gen_random_uuid(), 'new' || n, 'new' || n, ${clock.now()}::bigint from generate_series(1, 20000) n`.execute(db);
    await sql`analyze users`.execute(db);
    // Postgres has no statistics of the memberships yet, as in the first minute after an import.
    await sql`insert into group_members (realm_id, group_id, user_id, joined_at)
      select realm_id, ${groupId}::uuid, user_id, created_at from users where realm_id = ${realm.name} and username like 'new%'`.execute(
      db,
    );
    const scim = await scimClient(iam, realm);
    const timeOf = async (count: (answer: { body: unknown }) => number, read: () => Promise<{ status: number; body: unknown }>) => {
      const start = performance.now();
      const answer = await read();
      expect([answer.status, count(answer)]).toEqual([200, expect.any(Number)]);
      return { ms: performance.now() - start, found: count(answer) };
    };
    const all = await timeOf(
      ({ body }) => (body as { members: unknown[] }).members.length,
      () => scim.get(`/Groups/${groupId}`),
    );
    expect(all.found).toBe(20_000);
    for (const query of ["?size=10", "?size=10&page=5", "?size=10&sort=-username"]) {
      const page = await timeOf(
        ({ body }) => (body as unknown[]).length,
        () => admin.get(`/groups/${groupId}/members${query}`),
      );
      expect(page.found, query).toBe(10);
      expect(page.ms, query).toBeLessThan(all.ms * 2);
    }
  });

  test("are users and groups of this realm; anything else is a 404, and a bad body a 400", async () => {
    const [groupId, userId] = [await group(), await person()];
    const other = await iam.realm();
    const outsider = (await other.user()).userId;
    for (const id of [newId(), "nonsense", outsider]) {
      expect(await admin.put(`/groups/${groupId}/members/${id}`)).toMatchObject({ status: 404, body: { code: "users.not_found" } });
      expect(await admin.post(`/groups/${groupId}/members`, { userId: id })).toMatchObject({ status: 404 });
      expect((await admin.delete(`/groups/${groupId}/members/${id}`)).status).toBe(404);
      expect(await admin.put(`/groups/${id}/members/${userId}`)).toMatchObject({ status: 404, body: { code: "groups.not_found" } });
      expect((await admin.get(`/groups/${id}/members`)).status).toBe(404);
    }
    for (const body of [{}, { userId: 5 }, { userId, role: "owner" }])
      expect((await admin.post(`/groups/${groupId}/members`, body)).status).toBe(400);
    expect(await countOf(groupId)).toBe(0);
  });
});

describe("memberCount", () => {
  test("is right after joins and leaves at once, and when users are deleted", async () => {
    const [one, two] = [await group(), await group()];
    const people = await Promise.all(Array.from({ length: 12 }, () => person()));
    const join = (groupId: string, userId: string) => admin.put(`/groups/${groupId}/members/${userId}`);
    await Promise.all(people.flatMap((userId) => [join(one, userId), join(two, userId), join(one, userId)]));
    expect([await countOf(one), await countOf(two)]).toEqual([12, 12]);
    const [gone, left, ...rest] = people as [string, string, ...string[]];
    await Promise.all([
      realm.asMaster().delete(`/users/${gone}`),
      admin.delete(`/groups/${one}/members/${left}`),
      admin.delete(`/groups/${one}/members/${left}`),
      ...rest.slice(0, 3).map((userId) => admin.delete(`/groups/${two}/members/${userId}`)),
    ]);
    expect([await countOf(one), await countOf(two)]).toEqual([10, 8]);
    expect((await admin.get(`/groups/${one}/members`)).body).toHaveLength(10);
  });

  test("a user who joins while the group is deleted is in it and out again, or never in", async () => {
    for (let round = 0; round < 4; round++) {
      const [groupId, userId] = [await group(), await person()];
      const [joined, deleted] = await Promise.all([admin.put(`/groups/${groupId}/members/${userId}`), admin.delete(`/groups/${groupId}`)]);
      expect([204, 404]).toContain(joined.status);
      expect(deleted.status).toBe(204);
      expect((await admin.get(`/users/${userId}`)).status).toBe(200);
    }
  });
});
