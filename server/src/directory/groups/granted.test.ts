import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
/** Signed in all the time; what they may do comes by groups only. */
let member: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = realm.asMaster();
  member = await realm.as();
});
afterAll(() => iam?.close());

let made = 0;
const group = async (parentId: string | null = null): Promise<string> =>
  (await admin.post("/groups", { name: `group${made++}`, parentId })).body.groupId;
const role = async (permissions: string[] = [], compositeRoles: string[] = []): Promise<{ roleId: string; name: string }> => {
  const { body } = await admin.post("/roles", { name: `role${made++}`, compositeRoles });
  if (permissions.length > 0) await admin.put(`/admin-roles/${body.roleId}`, { permissions });
  return body;
};
const join = (groupId: string) => admin.put(`/groups/${groupId}/members/${member.userId}`);
const leave = (groupId: string) => admin.delete(`/groups/${groupId}/members/${member.userId}`);
const inheritRoles = async (on: boolean) => {
  const settings = (await admin.get("/settings")).body;
  expect((await admin.put("/settings", { ...settings, groups: { inheritRoles: on } })).status).toBe(200);
};
/** Tells whether view-users counts for them at this moment. */
const sees = async () => (await member.get("/users")).status === 200;

describe("a group's grants count on a member's next request", () => {
  test("from joining to leaving, from granting to withdrawing", async () => {
    const [groupId, { roleId, name }] = [await group(), await role(["view-users"])];
    expect((await admin.put(`/groups/${groupId}/roles/${roleId}`)).status).toBe(204);
    expect(await sees()).toBe(false);
    await join(groupId);
    expect(await sees()).toBe(true);
    await leave(groupId);
    expect(await sees()).toBe(false);
    await join(groupId);
    expect((await admin.delete(`/groups/${groupId}/roles/${roleId}`)).status).toBe(204);
    expect(await sees()).toBe(false);
    expect(await admin.post(`/groups/${groupId}/roles`, { name: name.toUpperCase() })).toMatchObject({
      status: 200,
      body: [{ roleId, name }],
    });
    expect(await sees()).toBe(true);
    expect((await admin.get(`/groups/${groupId}`)).body.roleNames).toEqual([name]);
    await admin.delete(`/groups/${groupId}`);
    expect(await sees()).toBe(false);
  });

  test("a deleted role is removed from the groups that granted it", async () => {
    const [groupId, { roleId }] = [await group(), await role(["view-users"])];
    await admin.post(`/groups/${groupId}/roles/${roleId}`);
    await join(groupId);
    expect(await sees()).toBe(true);
    expect((await admin.delete(`/roles/${roleId}`)).status).toBe(204);
    expect(await sees()).toBe(false);
    expect((await admin.get(`/groups/${groupId}/roles`)).body).toEqual([]);
    await leave(groupId);
  });

  test("also what the granted role includes", async () => {
    const inner = await role(["view-users"]);
    const outer = await role([], [(await role([], [inner.name])).name]);
    const groupId = await group();
    await admin.put(`/groups/${groupId}/roles/${outer.roleId}`);
    await join(groupId);
    expect(await sees()).toBe(true);
    await admin.put(`/roles/${outer.roleId}`, { name: outer.name, compositeRoles: [] });
    expect(await sees()).toBe(false);
    await leave(groupId);
  });

  test("the grants of the groups above count only where the realm says so, by the present tree", async () => {
    const top = await group();
    const below = await group(await group(top));
    const { roleId } = await role(["view-users"]);
    await admin.put(`/groups/${top}/roles/${roleId}`);
    await join(below);
    expect(await sees(), "off by default").toBe(false);
    await inheritRoles(true);
    expect(await sees()).toBe(true);
    const { name } = (await admin.get(`/groups/${below}`)).body;
    await admin.put(`/groups/${below}`, { name, parentId: null });
    expect(await sees(), "moved").toBe(false);
    await admin.put(`/groups/${below}`, { name, parentId: top });
    expect(await sees(), "and back").toBe(true);
    await inheritRoles(false);
    expect(await sees()).toBe(false);
    await leave(below);
    await join(top);
    expect(await sees(), "its own members always").toBe(true);
    await admin.delete(`/groups/${top}`);
  });
});

describe("/groups/{groupId}/roles", () => {
  test("takes PUT and POST alike, changes the group's version, and leaves an event each", async () => {
    const [groupId, a, b] = [await group(), await role(), await role()];
    const before = await admin.get(`/groups/${groupId}`);
    expect((await admin.put(`/groups/${groupId}/roles/${a.roleId}`)).status).toBe(204);
    expect((await admin.post(`/groups/${groupId}/roles/${b.roleId}`)).status).toBe(204);
    expect((await admin.put(`/groups/${groupId}/roles/${a.roleId}`)).status, "again").toBe(204);
    expect((await admin.get(`/groups/${groupId}/roles`)).body).toEqual(
      [a, b].map(({ roleId, name }) => ({ roleId, name, clientId: null })),
    );
    expect((await admin.get(`/groups/${groupId}`)).headers.etag).not.toBe(before.headers.etag);
    expect((await admin.delete(`/groups/${groupId}/roles/${a.roleId}`)).status).toBe(204);
    expect(await admin.delete(`/groups/${groupId}/roles/${a.roleId}`)).toMatchObject({ status: 404, body: { code: "groups.not_granted" } });
    expect((await realm.events(`type=ADMIN_UPDATE&resourceId=${groupId}`)).map(({ detail }) => detail)).toEqual([
      `roles -${a.name}`,
      `roles +${b.name}`,
      `roles +${a.name}`,
    ]);
  });

  test("answers an unknown role or group with 404, and a bad body with 400", async () => {
    const [groupId, { roleId }] = [await group(), await role()];
    for (const id of [newId(), "nonsense"]) {
      expect(await admin.put(`/groups/${groupId}/roles/${id}`)).toMatchObject({ status: 404, body: { code: "roles.not_found" } });
      expect(await admin.put(`/groups/${id}/roles/${roleId}`)).toMatchObject({ status: 404, body: { code: "groups.not_found" } });
      expect((await admin.delete(`/groups/${groupId}/roles/${id}`)).status).toBe(404);
      expect((await admin.get(`/groups/${id}/roles`)).status).toBe(404);
    }
    expect(await admin.post(`/groups/${groupId}/roles`, { name: "unheard of" })).toMatchObject({ status: 404 });
    for (const body of [{}, { name: 5 }, { name: "x", roleId }])
      expect((await admin.post(`/groups/${groupId}/roles`, body)).status).toBe(400);
  });
});

test("a user's roles are shown with every way by which the user comes by them", async () => {
  await inheritRoles(true);
  const { userId } = await realm.user();
  const inner = await role();
  const [direct, granted] = [await role([], [inner.name]), await role([], [inner.name])];
  const top = await group();
  const below = await group(top);
  await admin.put(`/groups/${top}/roles/${granted.roleId}`);
  await admin.put(`/groups/${below}/roles/${direct.roleId}`);
  await admin.put(`/groups/${below}/members/${userId}`);
  const assigned = await admin.post(`/users/${userId}/roles`, { name: direct.name });
  const { body } = await admin.get(`/users/${userId}/roles`);
  expect(assigned).toMatchObject({ status: 200, body });
  const nameOf = async (groupId: string) => (await admin.get(`/groups/${groupId}`)).body.name;
  const byDirect = { type: "direct", id: null, name: null };
  expect(body).toEqual([
    {
      roleId: inner.roleId,
      name: inner.name,
      clientId: null,
      direct: false,
      default: false,
      origins: [direct, granted].map(({ roleId, name }) => ({ type: "composite", id: roleId, name })),
    },
    {
      roleId: direct.roleId,
      name: direct.name,
      clientId: null,
      direct: true,
      default: false,
      origins: [byDirect, { type: "group", id: below, name: await nameOf(below) }],
    },
    {
      roleId: granted.roleId,
      name: granted.name,
      clientId: null,
      direct: false,
      default: false,
      origins: [{ type: "group", id: top, name: await nameOf(top) }],
    },
    { roleId: expect.any(String), name: "user", clientId: null, direct: true, default: true, origins: [byDirect] },
  ]);
  expect((await admin.get(`/users/${userId}`)).body.roles, "the record has what was given directly").toEqual([direct.name, "user"]);
  expect(await admin.delete(`/users/${userId}/roles/${granted.roleId}`), "not given here").toMatchObject({ status: 404 });
  await inheritRoles(false);
});

describe.runIf(testDatabase() === "postgres")("on a second node", () => {
  test("a group's grants count on the member's next request", async () => {
    const second = await iam.secondNode();
    const there = member.browser.elsewhere(second.server.app);
    const status = async () => (await there.get(`/admin/realms/${realm.name}/users`)).status;
    const [groupId, { roleId }] = [await group(), await role(["view-users"])];
    await admin.put(`/groups/${groupId}/roles/${roleId}`);
    expect(await status()).toBe(403);
    await join(groupId);
    expect(await status()).toBe(200);
    await leave(groupId);
    expect(await status()).toBe(403);
  });
});
