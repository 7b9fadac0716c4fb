import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const SCHEMA = "gatehouse.realm/v1";
const PASSPHRASE = { headers: { "export-passphrase": "correct horse battery" } };
const ok = async (answer: Promise<Answer>) => {
  const { status, text, body } = await answer;
  expect(status, text).toBeLessThan(300);
  return body;
};

test("users travel with their ids, roles, groups and organizations; with sealed secrets they sign in by their passwords", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const { userId, username, password } = await realm.user("ada");
  const group = await ok(admin.post("/groups", { name: "Staff" }));
  await ok(admin.post(`/groups/${group.groupId}/members`, { userId }));
  const client = await ok(admin.post("/clients", { clientId: "app", publicClient: true, redirectUris: ["https://app.example.com/cb"] }));
  await ok(admin.post(`/clients/${client.id}/roles`, { name: "editor" }));
  await ok(admin.post(`/users/${userId}/roles`, { name: "editor", clientId: "app" }));
  const organization = await ok(admin.post("/organizations", { name: "Acme", alias: "acme" }));
  await ok(admin.put(`/organizations/${organization.organizationId}/members/${userId}`, { role: "owner" }));

  const plain = await admin.get("/export?users=true");
  expect(plain.status, plain.text).toBe(200);
  expect(plain.text).not.toMatch(/argon2|passwordHash|"credentials"/);
  const ada = plain.body.users.find((user: { username: string }) => user.username === "ada");
  expect(ada).toMatchObject({
    ...{ userId, roles: ["user"], groups: ["/Staff"], clientRoles: [{ clientId: "app", name: "editor" }] },
    organizations: [{ alias: "acme", role: "owner" }],
  });
  expect((await admin.get("/export?users=true")).text).toBe(plain.text);
  expect((await realm.events("type=REALM_EXPORTED"))[0]).toMatchObject({ detail: "with users" });

  const sealed = await admin.get("/export?users=true&secrets=sealed", PASSPHRASE);
  expect(sealed.text).not.toContain("argon2");
  const other = await iam.realm();
  const there = await other.admin();
  const foretold = await ok(there.post("/import?dryRun=true", sealed.body, PASSPHRASE));
  expect(foretold.users).toMatchObject({ rows: 2, created: 1, skipped: 1, failed: 0 });
  expect((await there.get("/users?search=ada")).body).toEqual([]);
  const done = await ok(there.post("/import", sealed.body, PASSPHRASE));
  expect(done.users).toMatchObject({ status: "COMPLETED", rows: 2, created: 1, skipped: 1, failed: 0 });
  expect(await iam.browser().trySignIn(other.name, username, password)).toMatchObject({ status: 303 });
  // The realm's own administrator was there, and has another id.
  const again = (await there.get("/export?users=true")).body.users.find((user: { username: string }) => user.username === "ada");
  expect(again).toEqual(ada);
  expect((await ok(there.post("/import", sealed.body, PASSPHRASE))).users).toMatchObject({ created: 0, updated: 0, skipped: 2 });
});

test("users come last, need manage-users, and bring nothing that their importer may not give; one bad row stops no other", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const misplaced = `{"schema":"${SCHEMA}","users":[{"username":"x"}],"roles":[]}`;
  const json = { headers: { "content-type": "application/json" } };
  expect(await admin.post("/import", misplaced, json)).toMatchObject({ status: 400, body: { code: "request.malformed" } });
  for (const body of ["", "[]", "{", '{"schema":', `{"schema":"${SCHEMA}","users":[{"username":"x"}`, `{"schema":"${SCHEMA}","users":[}}`])
    expect((await admin.post("/import", body, json)).status, body).toBe(400);

  const clerk = await realm.as("manage-realm", "manage-users");
  const lesser = await realm.as("manage-realm");
  const mighty = { schema: SCHEMA, users: [{ username: "eve", roles: ["admin"] }, { username: "mallory" }, { username: "" }] };
  expect(await lesser.post("/import", mighty)).toMatchObject({ status: 403, body: { code: "transfer.permissions" } });
  expect((await ok(lesser.post("/import?dryRun=true", mighty))).lacking).toEqual([{ section: "users", permission: "manage-users" }]);
  const { users } = await ok(clerk.post("/import", mighty));
  expect(users).toMatchObject({ created: 1, failed: 2, errors: [{ row: 1, code: "permissions.escalation" }, { row: 3 }] });
  await ok(admin.post("/groups", { name: "Bosses" }));
  const grouped = await ok(clerk.post("/import", { schema: SCHEMA, users: [{ username: "joe", groups: ["/Bosses"] }] }));
  expect(grouped.users).toMatchObject({ created: 0, failed: 1 });
  const faulty = {
    schema: SCHEMA,
    users: [
      { username: "a", groups: ["/None"] },
      { username: "b", organizations: [{ alias: "none" }] },
    ],
  };
  expect((await ok(admin.post("/import", faulty))).users).toMatchObject({ created: 0, failed: 2 });
  const { userId } = await realm.user("taken");
  const ids = {
    schema: SCHEMA,
    users: [
      { username: "fresh", userId },
      { username: "kept", userId: "0d9f1c7e-6b8a-4f7e-9c3d-2a1b0c9d8e7f" },
    ],
  };
  expect((await ok(admin.post("/import", ids))).users).toMatchObject({ created: 1, errors: [{ row: 1, code: "import.user_id_taken" }] });
  expect((await admin.get("/users?search=kept")).body).toMatchObject([{ userId: "0d9f1c7e-6b8a-4f7e-9c3d-2a1b0c9d8e7f" }]);
});
