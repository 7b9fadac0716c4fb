import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const importing = (client: AdminClient, rows: unknown, query = "onConflict=update") =>
  client.post(`/users/import?${query}`, JSON.stringify(rows), { headers: { "content-type": "application/json" } });
const find = async (realm: RealmUnderTest, username: string) =>
  (await realm.asMaster().get(`/users?search=${username}`)).body.find((user: { username: string }) => user.username === username);

test("changes what the row names and keeps the rest", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const attributes = { team: "a" };
  await admin.post("/users", { username: "ada", email: "ada@example.com", emailVerified: true, attributes, roles: ["auditor"] });
  const before = await find(realm, "ada");
  expect((await importing(admin, [{ username: "ada", enabled: false }])).body).toMatchObject({ updated: 1, created: 0, failed: 0 });
  expect(await find(realm, "ada")).toEqual({ ...before, enabled: false });

  const row = { username: "Ada", email: "new@example.com", attributes: { team: "b" }, roles: ["user"], createdAt: 5 };
  expect((await importing(admin, [row, { username: "bob" }])).body).toMatchObject({ updated: 1, created: 1 });
  expect(await find(realm, "Ada")).toEqual({
    ...before,
    username: "Ada",
    email: "new@example.com",
    emailVerified: false,
    enabled: false,
    attributes: { team: "b" },
    roles: ["user"],
  });
});

test("keeps a lock unless the row names it, and locks and unlocks as an administrator does", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const { userId, username, password } = await realm.user("ada");
  const locked = async () => (await find(realm, "ada")).locked;
  const update = async (row: object) => expect((await importing(admin, [{ username: "ada", ...row }])).body).toMatchObject({ updated: 1 });
  await iam.browser().signIn(realm.name, username, password);
  await update({ locked: true });
  expect(await locked()).toBe(true);
  expect((await admin.get("/sessions?size=1000")).body.filter((session: { userId: string }) => session.userId === userId)).toEqual([]);
  await update({ enabled: true, attributes: { n: "1" } });
  expect(await locked()).toBe(true);
  expect((await iam.browser().trySignIn(realm.name, username, password)).status).toBe(401);
  const csv = { headers: { "content-type": "text/csv" } };
  const file = "username,locked\nada,no\nbob,yes\n";
  expect((await admin.post("/users/import?onConflict=update", file, csv)).body).toMatchObject({ updated: 1, created: 1 });
  expect([await locked(), (await find(realm, "bob")).locked]).toEqual([false, true]);
  await iam.browser().signIn(realm.name, username, password);
  const events = await realm.events(`category=SECURITY&resourceId=${userId}`);
  expect(events.map(({ type }) => type).filter((type) => type.includes("LOCKED"))).toEqual(["USER_UNLOCKED", "USER_LOCKED"]);
  // One who cannot change an administrator cannot unlock one.
  await admin.post("/users", { username: "chief", roles: ["admin"] });
  await update({ username: "chief", locked: true });
  const helper = await realm.as("manage-users");
  expect((await importing(helper, [{ username: "chief", locked: false }])).body).toMatchObject({
    errors: [{ code: "permissions.escalation" }],
  });
  expect((await find(realm, "chief")).locked).toBe(true);
});

test("a lock of a row stays where a temporary one would lapse", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  await admin.patch("/settings", { bruteForce: { maxFailures: 3 } });
  await realm.user("ada");
  for (let i = 0; i < 3; i++) await iam.browser().trySignIn(realm.name, "ada", "not the password");
  expect((await find(realm, "ada")).locked).toBe(true);
  expect((await importing(admin, [{ username: "ada", locked: true }])).body).toMatchObject({ updated: 1 });
  expect((await admin.get("/export?users=true")).body.users).toContainEqual(expect.objectContaining({ username: "ada", locked: true }));
});

test("takes the row's word for a new address, and null for none", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  await admin.post("/users", { username: "ada", email: "ada@example.com", emailVerified: true });
  await importing(admin, [{ username: "ada", email: "new@example.com", emailVerified: true }]);
  expect(await find(realm, "ada")).toMatchObject({ email: "new@example.com", emailVerified: true });
  await importing(admin, [{ username: "ada", email: null }]);
  expect(await find(realm, "ada")).toMatchObject({ email: null, emailVerified: false });
});

test("a user is known by the username: an address that is another's is refused, and nothing of the row is kept", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  await admin.post("/users", { username: "ada", email: "ada@example.com" });
  await admin.post("/users", { username: "bob", email: "bob@example.com" });
  const { body } = await importing(admin, [
    { username: "ada", email: "bob@example.com", enabled: false },
    { username: "newcomer", email: "bob@example.com" },
    { username: "bob@example.com", enabled: false },
    { username: "bob", attributes: { seen: "yes" } },
  ]);
  expect(body).toMatchObject({ updated: 1, failed: 3 });
  expect(body.errors.map(({ row, code }: { row: number; code: string }) => [row, code])).toEqual([
    [1, "users.login_name_taken"],
    [2, "users.login_name_taken"],
    [3, "users.login_name_taken"],
  ]);
  expect(await find(realm, "ada")).toMatchObject({ enabled: true, email: "ada@example.com" });
  expect(await find(realm, "bob")).toMatchObject({ enabled: true, attributes: { seen: "yes" } });
});

test("a row of the same file is found again, too", async () => {
  const realm = await iam.realm();
  const { body } = await importing(realm.asMaster(), [{ username: "ada" }, { username: "ada", attributes: { n: "2" } }]);
  expect(body).toMatchObject({ created: 1, updated: 1 });
  expect(await find(realm, "ada")).toMatchObject({ attributes: { n: "2" } });
});

test("a user who is disabled is signed out, and a new password ends the old one's sessions", async () => {
  const realm = await iam.realm();
  const [disabled, renewed] = [await realm.user("disabled"), await realm.user("renewed")];
  for (const { username, password } of [disabled, renewed]) await iam.browser().signIn(realm.name, username, password);
  const sessionsOf = async (userId: string) =>
    (await realm.asMaster().get("/sessions?size=1000")).body.filter((session: { userId: string }) => session.userId === userId);
  expect(await sessionsOf(disabled.userId)).toHaveLength(1);
  expect(await sessionsOf(renewed.userId)).toHaveLength(1);
  const rows = [
    { username: "disabled", enabled: false },
    { username: "renewed", password: "something else entirely" },
  ];
  expect((await importing(realm.asMaster(), rows)).body).toMatchObject({ updated: 2 });
  expect(await sessionsOf(disabled.userId)).toEqual([]);
  expect(await sessionsOf(renewed.userId)).toEqual([]);
  await iam.browser().signIn(realm.name, "renewed", "something else entirely");
  expect(await realm.events(`type=PASSWORD_RESET&resourceId=${renewed.userId}`)).toHaveLength(2);
  expect(await realm.events(`type=ADMIN_UPDATE&resourceId=${disabled.userId}`)).toEqual([]);
});

test("the escalation rule holds for every row: for a given role, for control of an administrator, and for one's own account", async () => {
  const realm = await iam.realm();
  const helper = await realm.as("manage-users");
  const auditor = await realm.as("view-events");
  const { body } = await importing(helper, [
    { username: "newcomer", roles: ["admin"] },
    { username: "promoted" },
    { username: "promoted", roles: ["admin"] },
    { username: "admin", password: "mine from now on" },
    { username: auditor.username, email: "mine@example.com" },
    { username: helper.username, enabled: false },
    { username: "fine", roles: ["user"] },
  ]);
  expect(body).toMatchObject({ created: 2, updated: 0, failed: 5 });
  expect(body.errors.map(({ row, code }: { row: number; code: string }) => [row, code])).toEqual([
    [1, "permissions.escalation"],
    [3, "permissions.escalation"],
    [4, "permissions.escalation"],
    [5, "permissions.escalation"],
    [6, "users.self"],
  ]);
  expect(await find(realm, "newcomer")).toBeUndefined();
  expect(await find(realm, "promoted")).toMatchObject({ roles: ["user"] });
  await iam.browser().signIn(realm.name, "admin", realm.adminPassword);
});

test("the last administrator stays one", async () => {
  const realm = await iam.realm();
  const { body } = await importing(realm.asMaster(), [
    { username: "admin", enabled: false },
    { username: "admin", roles: [] },
    { username: "x" },
  ]);
  expect(body).toMatchObject({ created: 1, failed: 2, errors: [{ code: "roles.last_realm_admin" }, { code: "roles.last_realm_admin" }] });
  expect(await find(realm, "admin")).toMatchObject({ enabled: true, roles: ["admin", "user"] });
});

test("who gets or loses admin permissions is in the trail, for new users and for users who are there", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  await admin.post("/users", { username: "raised" });
  await admin.post("/users", { username: "lowered", roles: ["user", "admin"] });
  await admin.post("/users", { username: "same", roles: ["user", "admin"] });
  const lead = (await admin.post("/roles", { name: "lead", compositeRoles: ["auditor"] })).body;
  expect(lead.name).toBe("lead");
  await admin.post("/roles", { name: "plain" });
  for (const [name, role] of [
    ["chiefs", "admin"],
    ["others", "plain"],
  ]) {
    const { groupId } = (await admin.post("/groups", { name })).body;
    expect((await admin.post(`/groups/${groupId}/roles`, { name: role })).status).toBeLessThan(300);
  }
  const rows = [
    { username: "raised", roles: ["user", "admin"], attributes: { n: "1" } },
    { username: "lowered", roles: ["user"] },
    { username: "same", roles: ["admin", "user"], attributes: { n: "1" } },
    { username: "new-admin", roles: ["user", "admin", "lead", "plain"] },
    { username: "new-chief", groups: ["/others", "/chiefs"] },
    { username: "new-plain", roles: ["user", "plain"], groups: ["/others"] },
  ];
  expect((await importing(admin, rows, "onConflict=update&importId=staff")).body).toMatchObject({ created: 3, updated: 3 });
  const told = async (username: string) => {
    const { userId } = await find(realm, username);
    const events = await realm.events(`category=ADMIN&resourceType=users&resourceId=${userId}`);
    return events.map(({ type, detail }) => `${type} ${detail}`);
  };
  expect(await told("raised")).toEqual(["ADMIN_UPDATE attributes, roles +admin", "ADMIN_CREATE null"]);
  expect(await told("lowered")).toEqual(["ADMIN_UPDATE roles -admin", "ADMIN_CREATE roles +admin"]);
  expect(await told("same")).toEqual(["ADMIN_CREATE roles +admin"]);
  expect(await told("new-admin")).toEqual(["ADMIN_CREATE roles +admin +lead"]);
  expect(await told("new-chief")).toEqual(["ADMIN_CREATE groups +/chiefs"]);
  expect(await told("new-plain")).toEqual([]);
  expect(await realm.events("type=ADMIN_ACTION&resourceId=staff")).toHaveLength(1);
});
