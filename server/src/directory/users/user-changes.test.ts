import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const create = async (realm: RealmUnderTest, body: object) => (await realm.asMaster().post("/users", body)).body;
const ifMatch = (tag: unknown) => ({ headers: { "if-match": String(tag) } });

describe("PUT /users/{userId}", () => {
  test("GET's answer is a valid PUT that changes nothing", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users", "view-users");
    const body = {
      username: "Ada",
      email: "Ada@example.com",
      emailVerified: true,
      attributes: { locale: "nl", tags: ["a", "b"] },
      roles: ["user"],
    };
    const { userId } = await create(realm, body);
    const read = await admin.get(`/users/${userId}`);
    expect(read.body).toMatchObject({ ...body, userId, realmId: realm.name, enabled: true, locked: false, mfaEnabled: false });
    expect((await admin.put(`/users/${userId}`, read.body)).body).toEqual(read.body);
    expect((await admin.get(`/users/${userId}`)).body).toEqual(read.body);
    expect(await realm.events(`type=ADMIN_UPDATE&resourceId=${userId}`)).toMatchObject([{ actor: admin.username, resourceType: "users" }]);
  });

  test("records in the trail what was changed, and which roles, but nothing of the person", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const { userId } = await create(realm, { username: "ada", email: "ada@example.com" });
    const change = (body: object) => admin.patch(`/users/${userId}`, body);
    await change({ roles: ["auditor"] });
    await change({ enabled: false, locked: true });
    await change({ enabled: true, locked: false, username: "lovelace", attributes: { a: "b" } });
    const recorded = (await realm.events(`type=ADMIN_UPDATE&resourceId=${userId}`)).map(({ detail }) => detail);
    expect(recorded).toEqual(["enabled, unlocked, username, attributes", "disabled, locked", "roles +auditor -user"]);
  });

  test("empties what is left out, but asks for roles, lock and whether the user is enabled", async () => {
    const realm = await iam.realm();
    const { userId } = await create(realm, { username: "ada", email: "ada@example.com", attributes: { a: "b" }, enabled: false });
    const refused = await realm.asMaster().put(`/users/${userId}`, { username: "ada" });
    expect(refused.status).toBe(400);
    expect(refused.body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)).toEqual([
      "enabled required",
      "locked required",
      "roles required",
    ]);
    const state = { username: "ada", roles: ["user"], enabled: false, locked: false };
    const put = await realm.asMaster().put(`/users/${userId}`, state);
    expect(put.body).toMatchObject({ ...state, email: null, emailVerified: false, attributes: {} });
  });

  test.each([
    ["realmId", "other"],
    ["userId", newId()],
    ["createdAt", 5],
    ["mfaEnabled", true],
    ["source", "ldap"],
    ["version", 7],
    ["password", "x"],
  ])("refuses to change %s", async (field, value) => {
    const realm = await iam.realm();
    const user = await create(realm, { username: "ada" });
    const answer = await realm.asMaster().put(`/users/${user.userId}`, { ...user, username: "eve", [field]: value });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    expect((await realm.asMaster().get(`/users/${user.userId}`)).body).toEqual(user);
  });

  test("emailVerified falls with a new email address, and only with that", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const user = await create(realm, { username: "ada", email: "ada@example.com", emailVerified: true });
    const put = async (change: object) =>
      (await admin.put(`/users/${user.userId}`, { ...(await admin.get(`/users/${user.userId}`)).body, ...change })).body;
    expect(await put({ username: "ada2" })).toMatchObject({ emailVerified: true });
    expect(await put({ email: "ADA@example.com" })).toMatchObject({ email: "ADA@example.com", emailVerified: true });
    expect(await put({ email: "new@example.com" })).toMatchObject({ email: "new@example.com", emailVerified: false });
    expect(await put({ emailVerified: true })).toMatchObject({ emailVerified: true });
    expect(await put({ email: null })).toMatchObject({ email: null, emailVerified: false });
    expect(await put({ emailVerified: true })).toMatchObject({ email: null, emailVerified: false });
  });

  test("a PATCH that names emailVerified is about the address that it brings", async () => {
    const realm = await iam.realm();
    const user = await create(realm, { username: "ada", email: "ada@example.com", emailVerified: true });
    const patch = async (change: object) => (await realm.asMaster().patch(`/users/${user.userId}`, change)).body;
    const confirmed = { email: "lovelace@example.com", emailVerified: true };
    expect(await patch(confirmed)).toMatchObject(confirmed);
    expect(await patch({ email: "countess@example.com" })).toMatchObject({ emailVerified: false });
  });

  test("replaces the direct roles, naming one that does not exist", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    for (const name of ["Billing", "support"]) await admin.post("/roles", { name });
    const user = await create(realm, { username: "ada", roles: ["billing", "BILLING"] });
    expect(user.roles).toEqual(["Billing"]);
    const path = `/users/${user.userId}`;
    expect((await admin.put(path, { ...user, roles: ["support", "user"] })).body.roles).toEqual(["support", "user"]);
    const refused = await admin.put(path, { ...user, roles: ["support", "ghost"] });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "roles", code: "unknown_role" }] } });
    expect((await admin.get(path)).body.roles).toEqual(["support", "user"]);
    expect((await admin.put(path, { ...user, roles: [] })).body.roles).toEqual([]);
  });

  test("a stale If-Match is a 412, and of two writers at once one hears it", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const user = await create(realm, { username: "ada" });
    const path = `/users/${user.userId}`;
    const { headers } = await admin.get(path);
    const both = await Promise.all(["a", "b"].map((a) => admin.put(path, { ...user, attributes: { a } }, ifMatch(headers.etag))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    const winner = both.find(({ status }) => status === 200)!;
    expect((await admin.get(path)).body).toEqual(winner.body);
    expect((await admin.delete(path, ifMatch(headers.etag))).status).toBe(412);
    expect((await admin.put(`${path}/password`, { newPassword: "long enough" }, ifMatch(headers.etag))).status).toBe(412);
    expect((await admin.post(`${path}/roles`, { name: "auditor" }, ifMatch(headers.etag))).status).toBe(412);
    expect((await admin.put(path, user, ifMatch('"no such tag"'))).status).toBe(412);
    expect((await admin.put(path, user, ifMatch(`"0", ${winner.headers.etag}`))).status).toBe(200);
    expect((await admin.put(path, user, ifMatch("*"))).status).toBe(200);
  });
});

describe("disabling and locking", () => {
  test.each([
    ["enabled", false],
    ["locked", true],
  ])("%s = %s ends the sessions and keeps the user out until it is taken back", async (member, value) => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const holder = await realm.as("view-users");
    const path = `/users/${holder.userId}`;
    const user = (await admin.get(path)).body;
    expect((await admin.put(path, { ...user, [member]: value })).body).toMatchObject({ [member]: value });
    expect((await holder.get("/users")).status).toBe(401);
    expect((await admin.get(`/sessions?search=${holder.userId}`)).body).toEqual([]);
    expect((await iam.browser().trySignIn(realm.name, holder.username, "a password for tests")).status).toBe(401);
    await admin.put(path, user);
    expect((await holder.get("/users")).status, "the old session stays dead").toBe(401);
    await iam.browser().signIn(realm.name, holder.username, "a password for tests");
    const security = (await realm.events(`category=SECURITY&resourceId=${holder.userId}`)).map(({ type }) => type);
    const recorded = security.filter((type) => type !== "PASSWORD_RESET");
    expect(recorded).toEqual(member === "locked" ? ["USER_UNLOCKED", "USER_LOCKED"] : []);
  });

  test("a temporary lock shows, does not become a lasting one when it is PUT back, and yields to locked: false", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    await admin.put("/settings", { bruteForce: { maxFailures: 3 } });
    const { userId, username, password } = await realm.user();
    const path = `/users/${userId}`;
    const lockOut = async () => {
      for (let i = 0; i < 3; i++) await iam.browser().trySignIn(realm.name, username, "wrong");
      expect((await iam.browser().trySignIn(realm.name, username, password)).status).toBe(429);
    };
    await lockOut();
    const locked = (await admin.get(path)).body;
    expect(locked.locked).toBe(true);
    expect((await admin.get(`/users?search=${username}`)).body).toMatchObject([{ locked: true }]);
    expect((await admin.put(path, { ...locked, attributes: { a: "b" } })).body.locked).toBe(true);
    clock.advance(16 * MINUTE);
    expect((await admin.get(path)).body.locked, "it lapses").toBe(false);
    await iam.browser().signIn(realm.name, username, password);

    await lockOut();
    expect((await admin.put(path, { ...locked, locked: false })).body.locked).toBe(false);
    await iam.browser().signIn(realm.name, username, password);
    expect(await realm.events(`type=USER_UNLOCKED&resourceId=${userId}`)).toHaveLength(1);
  });

  test("a PATCH that names locked locks a user for good who is locked temporarily", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    await admin.put("/settings", { bruteForce: { maxFailures: 3 } });
    const { userId, username } = await realm.user();
    for (let i = 0; i < 3; i++) await iam.browser().trySignIn(realm.name, username, "wrong");
    const isLocked = async () => (await admin.get(`/users/${userId}`)).body.locked;
    expect((await admin.patch(`/users/${userId}`, { attributes: { a: "b" } })).body.locked).toBe(true);
    clock.advance(16 * MINUTE);
    expect(await isLocked()).toBe(false);
    for (let i = 0; i < 3; i++) await iam.browser().trySignIn(realm.name, username, "wrong");
    expect((await admin.patch(`/users/${userId}`, { locked: true })).body.locked).toBe(true);
    clock.advance(16 * MINUTE);
    expect(await isLocked()).toBe(true);
    expect(await realm.events(`type=USER_LOCKED&resourceId=${userId}&outcome=SUCCESS`)).not.toEqual([]);
  });

  test("users cannot delete, disable or lock themselves, however the id is written", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("realm-admin");
    for (const id of [admin.userId, admin.userId.toUpperCase()]) {
      const user = (await admin.get(`/users/${id}`)).body;
      const self = { status: 409, body: { code: "users.self" } };
      expect(await admin.delete(`/users/${id}`)).toMatchObject(self);
      expect(await admin.put(`/users/${id}`, { ...user, enabled: false })).toMatchObject(self);
      expect(await admin.put(`/users/${id}`, { ...user, locked: true })).toMatchObject(self);
    }
    expect((await admin.get("/users")).status).toBe(200);
    const { roleId } = (await admin.get(`/users/${admin.userId}/roles`)).body.find(({ name }: { name: string }) => name !== "user");
    expect((await admin.delete(`/users/${admin.userId}/roles/${roleId}`)).status, "but may step back").toBe(204);
    expect((await admin.get("/users")).status).toBe(403);
  });

  test("events name a user by the id as the service writes it", async () => {
    const realm = await iam.realm();
    const user = await create(realm, { username: "ada" });
    await realm.asMaster().put(`/users/${user.userId.toUpperCase()}`, { ...user, attributes: { a: "b" } });
    await realm.asMaster().delete(`/users/${user.userId.toUpperCase()}`);
    const recorded = await realm.events(`resourceType=users&resourceId=${user.userId}`);
    expect(recorded.map(({ type }) => type)).toEqual(["ADMIN_DELETE", "ADMIN_UPDATE", "ADMIN_CREATE"]);
  });
});

describe("DELETE /users/{userId}", () => {
  test("ends the user: record, roles, sessions, sign-in", async () => {
    const realm = await iam.realm();
    const holder = await realm.as("view-users");
    const admin = await realm.admin();
    expect((await admin.delete(`/users/${holder.userId}`)).status).toBe(204);
    expect((await holder.get("/users")).status).toBe(401);
    for (const path of ["", "/roles"]) expect((await admin.get(`/users/${holder.userId}${path}`)).status).toBe(404);
    expect((await admin.delete(`/users/${holder.userId}`)).status).toBe(404);
    expect((await iam.browser().trySignIn(realm.name, holder.username, "a password for tests")).status).toBe(401);
    expect(await realm.events(`type=ADMIN_DELETE&resourceId=${holder.userId}`)).toMatchObject([{ actor: "admin", resourceType: "users" }]);
  });
});

describe("PUT /users/{userId}/password", () => {
  test("changes it, ends the user's sessions, and leaves an ADMIN and a SECURITY event", async () => {
    const realm = await iam.realm();
    const holder = await realm.as("view-users");
    const admin = await realm.admin();
    const before = (await realm.events(`type=PASSWORD_RESET&resourceId=${holder.userId}`)).length;
    const answer = await admin.put(`/users/${holder.userId}/password`, { newPassword: "entirely new words" });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect((await holder.get("/users")).status).toBe(401);
    expect((await iam.browser().trySignIn(realm.name, holder.username, "a password for tests")).status).toBe(401);
    await iam.browser().signIn(realm.name, holder.username, "entirely new words");
    expect(await realm.events(`type=PASSWORD_RESET&resourceId=${holder.userId}`)).toHaveLength(before + 1);
    expect((await realm.events(`type=ADMIN_UPDATE&resourceId=${holder.userId}`))[0]).toMatchObject({ actor: "admin", detail: "password" });
    expect(iam.output.join("")).not.toContain("entirely new words");
  });

  test("one's own keeps the session that made the change, and ends the others", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("realm-admin");
    const elsewhere = iam.browser();
    await elsewhere.signIn(realm.name, admin.username, "a password for tests");
    expect((await admin.put(`/users/${admin.userId}/password`, { newPassword: "entirely new words" })).status).toBe(204);
    expect((await admin.get("/users")).status).toBe(200);
    expect((await elsewhere.get(`/admin/realms/${realm.name}/users`)).status).toBe(401);
  });

  test.each([
    [{}, "sevenc!", "at least 8 characters"],
    [{}, "x".repeat(129), "at most 128 characters"],
    [{ minLength: 4 }, "ADAS", "not the username"],
    [{}, "Ada@Example.com", "not the email address"],
    [{ minLowercase: 2 }, "PASSWORDx", "at least 2 lower-case letters"],
    [{ minUppercase: 1 }, "passwords", "at least 1 upper-case letters"],
    [{ minDigits: 3 }, "passwords12", "at least 3 digits"],
    [{ minSymbols: 1 }, "passwords12", "at least 1 characters that are neither letter nor digit"],
    [{ minLength: 8 }, "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "at least 8 characters"],
  ])("under %j refuses %s: %s", async (passwordPolicy, newPassword, reason) => {
    const realm = await iam.realm();
    await realm.asMaster().put("/settings", { passwordPolicy });
    const { userId } = await create(realm, { username: "adas", email: "ada@example.com" });
    const answer = await realm.asMaster().put(`/users/${userId}/password`, { newPassword });
    expect(answer).toMatchObject({ status: 400, body: { code: "password.policy", errors: [{ field: "newPassword", message: reason }] } });
    expect(answer.text).not.toContain(newPassword);
    expect((await iam.browser().trySignIn(realm.name, "adas", newPassword)).status).toBe(401);
  });

  test("names every rule at once, and wrong bodies by their member", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/settings", { passwordPolicy: { minUppercase: 1, minDigits: 1, minSymbols: 1 } });
    const { userId } = await create(realm, { username: "ada" });
    const put = (body: unknown) => realm.asMaster().put(`/users/${userId}/password`, body);
    expect((await put({ newPassword: "ada" })).body.errors).toHaveLength(5);
    for (const body of [
      {},
      { newPassword: "" },
      { newPassword: null },
      { newPassword: "x".repeat(1025) },
      { newPassword: "\u0000aaaaaaaa" },
    ])
      expect(await put(body)).toMatchObject({ status: 400, body: { errors: [{ field: "newPassword" }] } });
    expect(await put({ newPassword: "Quiet Sentence 1!", forever: true })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "forever" }] },
    });
    expect((await put({ newPassword: "Quiet Sentence 1!" })).status).toBe(204);
  });
});

describe("/users/{userId}/roles", () => {
  test("gives and takes a role, which counts on the next request", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const holder = await realm.as("view-events");
    expect((await holder.get("/users")).status).toBe(403);
    const given = await admin.post(`/users/${holder.userId}/roles`, { name: "AUDITOR" });
    expect(given.status).toBe(200);
    expect(given.body.map(({ name }: { name: string }) => name)).toContain("auditor");
    expect((await holder.get("/users")).status).toBe(200);
    expect((await admin.post(`/users/${holder.userId}/roles`, { name: "auditor" })).body, "twice is once").toEqual(given.body);
    const { roleId } = given.body.find(({ name }: { name: string }) => name === "auditor");
    expect((await admin.delete(`/users/${holder.userId}/roles/${roleId.toUpperCase()}`)).status).toBe(204);
    expect((await holder.get("/users")).status).toBe(403);
    const again = await admin.delete(`/users/${holder.userId}/roles/${roleId}`);
    expect(again, "no longer held").toMatchObject({ status: 404, body: { code: "roles.not_assigned" } });
    const recorded = (await realm.events(`type=ADMIN_UPDATE&resourceId=${holder.userId}`)).map(({ detail }) => detail);
    expect(recorded.slice(0, 2)).toEqual(["roles -auditor", "roles +auditor"]);
  });

  test("does not know other roles", async () => {
    const realm = await iam.realm();
    const { userId } = await create(realm, { username: "ada" });
    const admin = realm.asMaster();
    expect(await admin.post(`/users/${userId}/roles`, { name: "ghost" })).toMatchObject({
      status: 404,
      body: { code: "roles.unknown_name" },
    });
    expect((await admin.post(`/users/${userId}/roles`, { name: "" })).status).toBe(400);
    for (const id of [newId(), "nonsense"]) expect((await admin.delete(`/users/${userId}/roles/${id}`)).status).toBe(404);
  });
});
