import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

test("a username may have the form of an id, as those of other products have, and stays through writes and imports", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const username = randomUUID();
  const { body: user } = await admin.post("/users", { username });
  expect(await admin.put(`/users/${user.userId}`, { ...user, enabled: false })).toMatchObject({ status: 200, body: { username } });
  const row = { username, attributes: { department: "it" } };
  const { body } = await admin.post("/users/import?onConflict=update", JSON.stringify(row), {
    headers: { "content-type": "application/x-ndjson" },
  });
  expect(body).toMatchObject({ updated: 1, failed: 0 });
});

test("a client's role is that of the client with the id, also where another client is called by it", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const { body: victim } = await admin.post("/clients", { clientId: "victim" });
  const { body: namesake } = await admin.post("/clients", { clientId: victim.id });
  for (const { id } of [victim, namesake]) expect((await admin.post(`/clients/${id}/roles`, { name: "reader" })).status).toBe(201);
  const { userId } = await realm.user();
  expect((await admin.post(`/users/${userId}/roles`, { name: "reader", clientId: victim.id })).status).toBeLessThan(300);
  const { body: roles } = await admin.get(`/users/${userId}/roles`);
  expect(roles).toContainEqual(expect.objectContaining({ name: "reader", clientId: "victim" }));
});

test("a list by role or organization is that of the one with the id, also where another is called by it", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const { userId } = await realm.user();
  const { body: older } = await admin.post("/roles", { name: "older" });
  const { body: meant } = await admin.post("/roles", { name: "meant" });
  expect((await admin.put(`/roles/${older.roleId}`, { ...older, name: meant.roleId })).status).toBe(200);
  expect((await admin.post(`/users/${userId}/roles`, { name: "meant" })).status).toBeLessThan(300);
  const { body: organization } = await admin.post("/organizations", { name: "Meant" });
  expect((await admin.post("/organizations", { name: "Namesake", alias: organization.organizationId })).status).toBe(201);
  expect((await admin.put(`/organizations/${organization.organizationId}/members/${userId}`)).status).toBeLessThan(300);
  for (const filter of [`role=${meant.roleId}`, `organization=${organization.organizationId}`])
    expect((await admin.get(`/users?${filter}`)).body, filter).toMatchObject([{ userId }]);
});
