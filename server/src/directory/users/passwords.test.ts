import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  // The cleanup would delete rows by the moved clock and end the administrators' sessions.
  await iam.server.jobs.stop();
  realm = await iam.realm();
  admin = await realm.admin();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const first = "the first password";
const set = (userId: string, newPassword: string, more: object = {}) => admin.put(`/users/${userId}/password`, { newPassword, ...more });
const policy = (of: RealmUnderTest, passwordPolicy: object) => of.asMaster().put("/settings", { passwordPolicy });
const signIn = async (of: RealmUnderTest, username: string, password: string) =>
  (await iam.browser().trySignIn(of.name, username, password)).status;
const actionsOf = async (userId: string) => (await admin.get(`/users/${userId}/required-actions`)).body;
const refusal = (code: string) => ({ status: 400, body: { code, errors: [{ field: "newPassword", code }] } });

describe("history", () => {
  test("refuses the present password and the four before it, and takes the fifth again", async () => {
    const { userId } = await realm.user(undefined, first);
    for (const n of [2, 3, 4, 5]) expect((await set(userId, `password number ${n}`)).status).toBe(204);
    for (const used of [first, ...[2, 3, 4, 5].map((n) => `password number ${n}`)])
      expect(await set(userId, used), used).toMatchObject(refusal("password.history"));
    expect((await set(userId, "password number 6")).status).toBe(204);
    expect((await set(userId, first)).status).toBe(204);
    const { length } = await iam.core.db.selectFrom("password_history").select("history_id").where("user_id", "=", userId).execute();
    expect(length, "what the realm does not ask for is not kept").toBe(4);
  });

  test("recognises a password in another Unicode form", async () => {
    const { userId } = await realm.user(undefined, "caf\u00e9 au lait");
    expect(await set(userId, "cafe\u0301 au lait")).toMatchObject(refusal("password.history"));
  });

  test("is as long as the realm says; 0 takes the same password again and forgets the others", async () => {
    const other = await iam.realm();
    const root = other.asMaster();
    const { userId } = await other.user("ada", first);
    const put = (newPassword: string) => root.put(`/users/${userId}/password`, { newPassword });
    await policy(other, { history: 1 });
    expect(await put(first)).toMatchObject({
      ...refusal("password.history"),
      body: { detail: expect.stringContaining("the present one") },
    });
    expect((await put("the second password")).status).toBe(204);
    expect((await put(first)).status).toBe(204);
    await policy(other, { history: 0 });
    expect((await put(first)).status).toBe(204);
    expect(await iam.core.db.selectFrom("password_history").select("history_id").where("realm_id", "=", other.name).execute()).toEqual([]);
  });

  test("a password that was removed cannot be set again", async () => {
    const { userId } = await realm.user(undefined, first);
    const [{ id }] = (await admin.get(`/users/${userId}/credentials`)).body;
    await admin.delete(`/users/${userId}/credentials/password/${id}`);
    expect(await set(userId, first)).toMatchObject(refusal("password.history"));
    expect((await set(userId, "the second password")).status).toBe(204);
  });

  test("holds when the same new password is set ten times at once", async () => {
    const { userId } = await realm.user(undefined, first);
    const answers = await Promise.all(Array.from({ length: 10 }, () => set(userId, "everybody wants this")));
    const [stored, ...refused] = answers.map(({ status }) => status).sort();
    expect(stored).toBe(204);
    for (const status of refused) expect([400, 409]).toContain(status);
    const kept = await iam.core.db.selectFrom("password_history").select("hash").where("user_id", "=", userId).execute();
    expect(kept).toHaveLength(1);
  });
});

describe("breached passwords", () => {
  test.each(["password123", "Welcome1!", "P@ssw0rd", "qwertyuiop", "12345678", "Summer2024!"])("refuses %s", async (common) => {
    const { userId } = await realm.user();
    const answer = await set(userId, common);
    expect(answer).toMatchObject(refusal("password.breached"));
    expect(answer.text).not.toContain(common);
  });

  test("takes them where the realm does not mind", async () => {
    const other = await iam.realm();
    await policy(other, { breachCheck: false });
    const { userId } = await other.user();
    expect((await other.asMaster().put(`/users/${userId}/password`, { newPassword: "password123" })).status).toBe(204);
  });

  test("is checked last: after the policy and the history", async () => {
    const other = await iam.realm();
    const root = other.asMaster();
    await policy(other, { breachCheck: false });
    const { userId } = await other.user("ada", "password123");
    await policy(other, {});
    expect(await root.put(`/users/${userId}/password`, { newPassword: "password123" })).toMatchObject(refusal("password.history"));
    await policy(other, { minLength: 12 });
    expect(await root.put(`/users/${userId}/password`, { newPassword: "password123" })).toMatchObject(refusal("password.policy"));
  });
});

describe("a temporary password", () => {
  test("has to be replaced; a lasting one has not", async () => {
    const { userId, username } = await realm.user();
    expect(await actionsOf(userId)).toEqual([]);
    expect((await set(userId, "just for the first day", { temporary: true })).status).toBe(204);
    expect(await actionsOf(userId)).toEqual(["UPDATE_PASSWORD"]);
    expect(await signIn(realm, username, "just for the first day"), "no user is locked out").toBe(303);
    await set(userId, "for the days after that");
    expect(await actionsOf(userId)).toEqual([]);
  });

  test.each([["yes"], [1], [null]])("temporary: %j is refused", async (temporary) => {
    const { userId } = await realm.user();
    expect(await set(userId, "whatever you like", { temporary })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "temporary" }] },
    });
  });
});

test("a caller who may not control the user learns nothing about their passwords", async () => {
  const { userId } = await realm.admin();
  const manager = await realm.as("manage-users");
  const before = (await realm.events("type=ADMIN_DENIED")).length;
  for (const newPassword of [realm.adminPassword, "password123", "quite another one"])
    expect((await manager.put(`/users/${userId}/password`, { newPassword })).status).toBe(403);
  expect((await realm.events("type=ADMIN_DENIED")).length).toBe(before + 3);
});

test("an expired password still opens the door, and has to be replaced from then on", async () => {
  const other = await iam.realm();
  const { userId, username, password } = await other.user();
  // Asked of the database: no administrator's session lasts that long.
  const actions = async () =>
    (await iam.core.db.selectFrom("users").select("required_actions").where("user_id", "=", userId).executeTakeFirstOrThrow())
      .required_actions;
  await policy(other, { maxAgeDays: 30 });
  clock.advance(29 * DAY);
  expect(await signIn(other, username, password)).toBe(303);
  expect(await actions()).toEqual([]);
  clock.advance(DAY);
  expect(await Promise.all([1, 2, 3].map(() => signIn(other, username, password)))).toEqual([303, 303, 303]);
  expect(await actions()).toEqual(["UPDATE_PASSWORD"]);
});
