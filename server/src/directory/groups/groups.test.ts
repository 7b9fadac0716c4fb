import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("manage-organizations", "view-users");
});
afterAll(() => iam?.close());

const ifMatch = (tag: unknown) => ({ headers: { "if-match": String(tag) } });
type Listed = { name: string; groupId: string; parentId: string | null };
const names = (groups: Listed[]) => groups.map(({ name }) => name);

let made = 0;
const make = async (parentId: string | null = null, name = `made${made++}`): Promise<Listed> => {
  const answer = await admin.post("/groups", { name, parentId });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const move = (group: Listed, parent: Listed | null) =>
  admin.put(`/groups/${group.groupId}`, { name: group.name, parentId: parent?.groupId ?? null });
const parentOf = async ({ groupId }: Listed) => (await admin.get(`/groups/${groupId}`)).body.parentId;

/** The rows that the table of ancestors must hold, worked out from the parents. */
async function expectAncestorsToFit(): Promise<void> {
  const { rows } = await sql<{ wrong: number }>`
    with recursive above (group_id, ancestor_id) as (
      select group_id, parent_id from groups where realm_id = ${realm.name} and parent_id is not null
      union
      select a.group_id, g.parent_id from above a join groups g on g.realm_id = ${realm.name} and g.group_id = a.ancestor_id
      where g.parent_id is not null
    ), kept as (select group_id, ancestor_id from group_ancestors where realm_id = ${realm.name})
    select ((select count(*) from (select * from above except select * from kept) missing)
      + (select count(*) from (select * from kept except select * from above) extra))::int as wrong`.execute(iam.core.db);
  expect(rows[0]!.wrong).toBe(0);
}

describe("/groups", () => {
  test("creates, reads, lists, updates and deletes, each with its event", async () => {
    const created = await admin.post("/groups", { name: "Sales", description: "They sell" });
    expect(created).toMatchObject({ status: 201, headers: { etag: '"1"' } });
    expect(created.body).toEqual({
      realmId: realm.name,
      groupId: expect.any(String),
      name: "Sales",
      description: "They sell",
      parentId: null,
      path: "/Sales",
      memberCount: 0,
      roleNames: [],
      createdAt: expect.any(Number),
    });
    const path = `/groups/${created.body.groupId}`;
    const read = await admin.get(path);
    expect(read).toMatchObject({ status: 200, body: created.body });
    expect((await admin.put(path, read.body)).body, "what GET says is a valid PUT").toEqual(read.body);
    expect((await admin.put(path, { name: "sales" })).body).toEqual({ ...read.body, name: "sales", path: "/sales", description: null });
    expect((await admin.put(path, read.body, ifMatch(read.headers.etag))).status).toBe(412);
    expect((await admin.delete(path, ifMatch(read.headers.etag))).status).toBe(412);
    expect((await admin.delete(path)).status).toBe(204);
    for (const again of [admin.get(path), admin.delete(path), admin.put(path, { name: "x" })])
      expect(await again).toMatchObject({ status: 404, body: { code: "groups.not_found" } });
    expect((await admin.get("/groups/nonsense")).status).toBe(404);
    const recorded = (await realm.events(`resourceType=groups&resourceId=${created.body.groupId}`)).map(({ type }) => type);
    expect(recorded).toEqual(["ADMIN_DELETE", "ADMIN_UPDATE", "ADMIN_UPDATE", "ADMIN_CREATE"]);
  });

  test("says by the path which of several groups with one name it is, in lists and after a move", async () => {
    const [north, south] = [await make(null, "North"), await make(null, "South / West")];
    const twins = [await make(north.groupId, "Twin"), await make(south.groupId, "Twin")];
    const paths = async () => (await admin.get("/groups?search=twin")).body.map(({ path }: { path: string }) => path);
    expect((await paths()).sort()).toEqual(["/North/Twin", "/South ~/ West/Twin"]);
    expect((await move(south, north)).body.path).toBe("/North/South ~/ West");
    expect((await admin.get(`/groups/${twins[1]!.groupId}`)).body.path).toBe("/North/South ~/ West/Twin");
  });

  test("lists by parent, name, id and age, page by page", async () => {
    const top = await make(null, "Top of the list");
    for (const name of ["beta", "Alpha", "gamma", "alpine"]) await make(top.groupId, name);
    const below = `parentId=${top.groupId}`;
    expect(names((await admin.get(`/groups?${below}`)).body)).toEqual(["Alpha", "alpine", "beta", "gamma"]);
    expect(names((await admin.get(`/groups?${below}&sort=-createdAt`)).body)).toEqual(["alpine", "gamma", "Alpha", "beta"]);
    expect(names((await admin.get(`/groups?${below}&search=ALP`)).body)).toEqual(["Alpha", "alpine"]);
    expect(names((await admin.get(`/groups?search=${top.groupId.toUpperCase()}`)).body)).toEqual([top.name]);
    const first = await admin.get(`/groups?${below}&size=3`);
    expect(first.headers["x-total-count"]).toBe("4");
    const next = /<\/admin\/realms\/[^/]+([^>]*)>; rel="next"/.exec(String(first.headers.link))?.[1];
    expect(names((await admin.get(next!)).body)).toEqual(["gamma"]);
    const roots = (await admin.get("/groups?parentId=&size=1000")).body;
    expect(names(roots)).toContain(top.name);
    expect(roots.every(({ parentId }: Listed) => parentId === null)).toBe(true);
    expect((await admin.get(`/groups?parentId=${newId()}`)).body).toEqual([]);
    for (const [query, field] of [
      ["parentId=top", "parentId"],
      ["sort=members", "sort"],
      ["search=%00", "search"],
    ])
      expect(await admin.get(`/groups?${query}`)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  test.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: " a" }, "name"],
    [{ name: "a\u0000b" }, "name"],
    [{ name: "a\u202eb" }, "name"],
    [{ name: "x".repeat(256) }, "name"],
    [{ name: ["a"] }, "name"],
    [{ name: "ok", parentId: 5 }, "parentId"],
    [{ name: "ok", parentId: "nonsense" }, "parentId"],
    [{ name: "ok", parentId: newId() }, "parentId"],
    [{ name: "ok", description: "x".repeat(1001) }, "description"],
    [{ name: "ok", unheard: true }, "unheard"],
  ])("refuses %j and names the member", async (body, field) => {
    const { groupId } = await make();
    for (const answer of [await admin.post("/groups", body), await admin.put(`/groups/${groupId}`, body)])
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  test("takes a name for what it is", async () => {
    for (const name of ["../../etc", "a/b", "<b>", "%00", "__proto__", "شمال"]) expect((await make(null, name)).name).toBe(name);
  });

  test.each([
    ["realmId", "other"],
    ["groupId", newId()],
    ["createdAt", 5],
    ["roleNames", ["admin"]],
  ])("refuses to change %s", async (field, value) => {
    const group = await make();
    const answer = await admin.put(`/groups/${group.groupId}`, { ...group, [field]: value });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field, code: "read_only" }] } });
  });

  test("takes a group as it was read, also when somebody has joined since", async () => {
    const group = await make();
    const { userId } = await realm.user();
    expect((await admin.put(`/groups/${group.groupId}/members/${userId}`)).status).toBe(204);
    expect(await admin.put(`/groups/${group.groupId}`, group)).toMatchObject({ status: 200, body: { memberCount: 1 } });
  });

  test("a name is taken beside its siblings, in every letter case and Unicode form, and nowhere else", async () => {
    const [left, right] = [await make(), await make()];
    const taken = { status: 409, body: { code: "groups.name_taken" } };
    await make(left.groupId, "Zoë");
    const elsewhere = await make(right.groupId, "ZOE\u0308");
    for (const name of ["zoë", "ZOE\u0308", "ＺＯË"])
      expect(await admin.post("/groups", { name, parentId: left.groupId })).toMatchObject(taken);
    expect(await move(elsewhere, left), "by a move").toMatchObject(taken);
    expect(await parentOf(elsewhere)).toBe(right.groupId);
    const race = await Promise.all(["Race", "RACE", "race"].map((name) => admin.post("/groups", { name })));
    expect(race.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe("the tree", () => {
  test("moves a group with all below it; by PATCH the parent stays, null is the top", async () => {
    const [a, b] = [await make(), await make()];
    const c = await make(a.groupId);
    const d = await make(c.groupId);
    expect(await move(c, b)).toMatchObject({ status: 200, body: { parentId: b.groupId } });
    await expectAncestorsToFit();
    expect((await admin.patch(`/groups/${c.groupId}`, { name: c.name })).body.parentId).toBe(b.groupId);
    expect(await parentOf(d)).toBe(c.groupId);
    expect((await move(c, null)).body.parentId).toBeNull();
    await expectAncestorsToFit();
    expect((await realm.events(`type=ADMIN_UPDATE&resourceId=${c.groupId}`)).map(({ detail }) => detail)).toEqual([
      "moved to the top",
      null,
      `moved below ${b.groupId}`,
    ]);
  });

  test("never closes a circle: not below itself, its child or its grandchild", async () => {
    const a = await make();
    const b = await make(a.groupId);
    const c = await make(b.groupId);
    for (const target of [a, b, c]) expect(await move(a, target)).toMatchObject({ status: 409, body: { code: "groups.cycle" } });
    expect(await parentOf(a)).toBeNull();
  });

  test("not even when two moves at once would each be fine alone", async () => {
    for (let round = 0; round < 6; round++) {
      const [a, b] = [await make(), await make()];
      const [a2, b2] = [await make(a.groupId), await make(b.groupId)];
      const answers = await Promise.all([move(a, b2), move(b, a2)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
    await expectAncestorsToFit();
  });

  test("a group made while another moves or deletes its parent hangs where that is, or nowhere", async () => {
    for (let round = 0; round < 4; round++) {
      const [top, parent] = [await make(), await make()];
      const [born] = await Promise.all([admin.post("/groups", { name: "born", parentId: parent.groupId }), move(parent, top)]);
      expect(born.status).toBe(201);
      const [orphan] = await Promise.all([
        admin.post("/groups", { name: "orphan", parentId: parent.groupId }),
        admin.delete(`/groups/${top.groupId}`),
      ]);
      expect([201, 400]).toContain(orphan.status);
      expect((await admin.get(`/groups/${born.body.groupId}`)).status).toBe(404);
    }
    await expectAncestorsToFit();
  });

  onPostgres("is at most 50 deep, by create and by move", async () => {
    const chain: Listed[] = [];
    for (let depth = 0; depth < 50; depth++) chain.push(await make(chain.at(-1)?.groupId ?? null));
    const tooDeep = { status: 409, body: { code: "groups.too_deep" } };
    expect(await admin.post("/groups", { name: "deeper", parentId: chain[49]!.groupId })).toMatchObject(tooDeep);
    const pair = await make();
    await make(pair.groupId);
    expect(await move(pair, chain[48]!)).toMatchObject(tooDeep);
    expect((await move(pair, chain[47]!)).status).toBe(200);
  });

  test("loses the groups below a deleted group, but none of its members", async () => {
    const a = await make();
    const b = await make(a.groupId);
    const c = await make(b.groupId);
    const { userId } = await realm.user();
    for (const { groupId } of [a, c]) expect((await admin.put(`/groups/${groupId}/members/${userId}`)).status).toBe(204);
    expect((await admin.delete(`/groups/${a.groupId}`)).status).toBe(204);
    for (const { groupId } of [a, b, c]) expect((await admin.get(`/groups/${groupId}`)).status).toBe(404);
    expect((await admin.get(`/users/${userId}`)).status).toBe(200);
    expect(await realm.events(`type=ADMIN_DELETE&resourceId=${a.groupId}`)).toMatchObject([
      { detail: `${a.name}, with 2 groups below it` },
    ]);
    const { rows } =
      await sql`select 1 from group_member_counts where group_id = any(${[a, b, c].map(({ groupId }) => groupId)}::uuid[])`.execute(
        iam.core.db,
      );
    expect(rows).toEqual([]);
  });
});
