import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { membershipsOf } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

async function acme(realm: RealmUnderTest) {
  const admin = realm.asMaster();
  const { organizationId } = (await admin.post("/organizations", { name: "Acme" })).body;
  const at = `/organizations/${organizationId}`;
  return {
    admin,
    organizationId,
    at,
    count: async () => (await admin.get(at)).body.memberCount as number,
    names: async (query = "") => (await admin.get(`${at}/members${query}`)).body.map(({ username }: { username: string }) => username),
  };
}

test("a user joins, changes roles and leaves; the count is right at each step", async () => {
  const realm = await iam.realm();
  const { admin, at, organizationId, count } = await acme(realm);
  const ada = (await admin.post("/users", { username: "ada", email: "ada@example.com" })).body;
  expect((await admin.put(`${at}/members/${ada.userId}`)).status).toBe(204);
  expect(await count()).toBe(1);
  const [member] = (await admin.get(`${at}/members`)).body;
  expect(member).toEqual({
    userId: ada.userId,
    username: "ada",
    email: "ada@example.com",
    enabled: true,
    role: "member",
    joinedAt: expect.any(Number),
    managed: false,
  });
  expect((await admin.put(`${at}/members/${ada.userId}`, { role: "owner" })).status).toBe(204);
  expect((await admin.get(`${at}/members`)).body).toEqual([{ ...member, role: "owner" }]);
  expect(await count()).toBe(1);
  expect(await membershipsOf(iam.core.db, realm.name, ada.userId)).toEqual([
    { organizationId, name: "Acme", alias: "acme", role: "owner", joinedAt: member.joinedAt },
  ]);
  expect((await admin.delete(`${at}/members/${ada.userId}`)).status).toBe(204);
  expect((await admin.delete(`${at}/members/${ada.userId}`)).body.code).toBe("organizations.not_a_member");
  expect(await count()).toBe(0);

  // The organization's events name no user; the user's name the organization.
  const about = async (query: string) => (await realm.events(query)).map(({ detail }) => detail).filter(Boolean);
  expect(await about(`resourceType=organizations&resourceId=${organizationId}`)).toEqual([
    "member removed",
    "member added (owner)",
    "member added (member)",
  ]);
  expect(await about(`resourceType=users&resourceId=${ada.userId}`)).toEqual([
    "organizations -acme",
    "organizations +acme (owner)",
    "organizations +acme (member)",
  ]);
});

test("what a change leaves out stays, and what GET says is a valid PUT", async () => {
  const realm = await iam.realm();
  const { admin, at } = await acme(realm);
  const { userId } = (await admin.post("/users", { username: "ada", email: "ada@example.com" })).body;
  const path = `${at}/members/${userId}`;
  const said = async (body?: object) => {
    const { status, text } = await admin.put(path, body);
    expect(status, text).toBe(204);
    const { role, managed } = (await admin.get(path)).body;
    return [role, managed];
  };
  expect(await said({ managed: true })).toEqual(["member", true]);
  expect(await said({ role: "owner" })).toEqual(["owner", true]);
  expect(await said({ managed: false })).toEqual(["owner", false]);
  expect(await said({ managed: true })).toEqual(["owner", true]);
  expect(await said()).toEqual(["owner", true]);
  const read = (await admin.get(path)).body;
  expect(await said(read)).toEqual(["owner", true]);
  for (const [field, value] of Object.entries({ userId: newId(), username: "eve", email: null, enabled: false, joinedAt: 1 }))
    expect((await admin.put(path, { ...read, [field]: value })).body.errors).toMatchObject([{ field, code: "read_only" }]);
  expect((await admin.delete(path)).status).toBe(204);
  expect(await said(read)).toEqual(["owner", true]);
});

test("membership gives no permission", async () => {
  const realm = await iam.realm();
  const { admin, at } = await acme(realm);
  const holder = await realm.as("manage-organizations");
  expect((await holder.put(`${at}/members/${holder.userId}`, { role: "admin" })).status).toBe(204);
  expect((await holder.get("/users")).status).toBe(403);
  expect((await admin.get(`/users/${holder.userId}`)).body.roles).toEqual(["holder0-role", "user"]);
});

test("members are searched, filtered by role, sorted and paged", async () => {
  const realm = await iam.realm();
  const { admin, at, names } = await acme(realm);
  for (const [username, role] of [
    ["zoe", "owner"],
    ["bob", "member"],
    ["ann", "member"],
  ] as const) {
    const attributes = { firstName: "Éva", lastName: `${username}son` };
    const { userId } = (await admin.post("/users", { username, email: `${username}.mail@example.com`, attributes })).body;
    await admin.put(`${at}/members/${userId}`, { role });
  }
  await admin.post("/users", { username: "bobby" });
  expect(await names()).toEqual(["ann", "bob", "zoe"]);
  expect(await names("?sort=-joinedAt")).toEqual(["ann", "bob", "zoe"]);
  expect(await names("?search=BOB")).toEqual(["bob"]);
  expect(await names("?search=zoe.mail")).toEqual(["zoe"]);
  expect(await names(`?search=${encodeURIComponent("ZOEson é")}`)).toEqual(["zoe"]);
  expect(await names(`?search=${encodeURIComponent("éva")}&sort=-joinedAt`), "each once").toEqual(["ann", "bob", "zoe"]);
  expect(await names("?role=member")).toEqual(["ann", "bob"]);
  const first = await admin.get(`${at}/members?size=2`);
  expect(first.headers["x-total-count"]).toBe("3");
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))![1]!;
  expect((await admin.browser.get(next)).body).toEqual([expect.objectContaining({ username: "zoe" })]);
});

test("refuses roles of another form, unknown users and unknown organizations", async () => {
  const realm = await iam.realm();
  const { admin, at, count } = await acme(realm);
  const { userId } = await realm.user();
  for (const role of ["", "Owner", "../x", "a b", "x".repeat(64), 1, null])
    expect((await admin.put(`${at}/members/${userId}`, { role })).status, String(role)).toBe(400);
  expect((await admin.put(`${at}/members/${userId}`, { rank: "x" })).status).toBe(400);
  expect((await admin.put(`${at}/members/${newId()}`)).body.code).toBe("users.not_found");
  expect((await admin.put(`${at}/members/nobody`)).body.code).toBe("users.not_found");
  const outsider = await (await iam.realm()).user();
  expect((await admin.put(`${at}/members/${outsider.userId}`)).body.code).toBe("users.not_found");
  expect((await admin.put(`/organizations/${newId()}/members/${userId}`)).body.code).toBe("organizations.not_found");
  expect(await count()).toBe(0);
});

test("the count stays right when many join at once, when users are deleted and when the organization goes", async () => {
  const realm = await iam.realm();
  const { admin, at, count } = await acme(realm);
  const users: string[] = [];
  for (let i = 0; i < 12; i++) users.push((await admin.post("/users", { username: `u${i}` })).body.userId);
  // Each twice: the second time nothing changes.
  const answers = await Promise.all([...users, ...users].map((userId) => admin.put(`${at}/members/${userId}`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
  expect(await count()).toBe(12);
  await Promise.all(users.slice(0, 4).map((userId) => admin.delete(`/users/${userId}`)));
  expect(await count()).toBe(8);
  await Promise.all(users.slice(4, 6).map((userId) => admin.delete(`${at}/members/${userId}`)));
  expect(await count()).toBe(6);
  expect((await admin.get("/organizations")).body[0].memberCount).toBe(6);
  expect((await admin.delete(at)).status).toBe(204);
  expect((await admin.get(`/users/${users[7]}`)).status).toBe(200);
  expect((await admin.get(`${at}/members`)).status).toBe(404);
});
