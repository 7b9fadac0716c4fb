import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
});
afterAll(() => iam?.close());

const password = "a first password";
const actionsOf = async (userId: string) => (await realm.asMaster().get(`/users/${userId}/required-actions`)).body;
const fieldsOf = ({ status, body }: { status: number; body: { errors: { field: string }[] } }) => [
  status,
  ...new Set(body.errors.map(({ field }) => field)),
];

describe("POST /users", () => {
  test("takes a password, with which the user signs in, and shows it nowhere", async () => {
    const admin = await realm.as("manage-users");
    const created = await admin.post("/users", { username: "ada", password });
    expect(created.status, created.text).toBe(201);
    expect(created.text).not.toContain(password);
    expect(Object.keys(created.body)).not.toContain("password");
    const { userId } = created.body;
    expect(await actionsOf(userId)).toEqual([]);
    expect((await iam.browser().trySignIn(realm.name, "ada", password)).status).toBe(303);
    expect(await realm.events(`resourceId=${userId}`)).toMatchObject([
      { type: "PASSWORD_RESET", actor: admin.username },
      { type: "ADMIN_CREATE" },
    ]);
    expect(JSON.stringify(await realm.events())).not.toContain(password);
    // It is the first of the history.
    const again = await realm.asMaster().put(`/users/${userId}/password`, { newPassword: password });
    expect(again.body.code).toBe("password.history");
  });

  test("records the roles that it gives beyond the default one", async () => {
    const admin = realm.asMaster();
    const detailOf = async (body: object) => {
      const { userId } = (await admin.post("/users", body)).body;
      return (await realm.events(`type=ADMIN_CREATE&resourceId=${userId}`)).map(({ detail }) => detail);
    };
    expect(await detailOf({ username: "chief", roles: ["user", "admin"] })).toEqual(["roles +admin"]);
    expect(await detailOf({ username: "usual", roles: ["user"] })).toEqual([null]);
    expect(await detailOf({ username: "unnamed" })).toEqual([null]);
  });

  test("takes required actions, among them the one of a temporary password", async () => {
    const body = { username: "bob", password, temporary: true, requiredActions: ["VERIFY_EMAIL"] };
    const { status, body: bob, headers } = await realm.asMaster().post("/users", body);
    expect(status).toBe(201);
    expect(await actionsOf(bob.userId)).toEqual(["UPDATE_PASSWORD", "VERIFY_EMAIL"]);
    expect(headers.etag, "of the version with its actions").toBe('"2"');
    const carol = (await realm.asMaster().post("/users", { username: "carol", requiredActions: ["CONFIGURE_TOTP"] })).body;
    expect(await actionsOf(carol.userId)).toEqual(["CONFIGURE_TOTP"]);
  });

  test.each([
    ["too short", { password: "short" }, "password"],
    ["the username", { password: "mallory@example.com", email: "mallory@example.com" }, "password"],
    ["known from leaks", { password: "password123" }, "password"],
    ["not a text", { password: null }, "password"],
    ["temporary without a password", { temporary: true }, "temporary"],
    ["an unknown action", { requiredActions: ["DANCE"] }, "requiredActions"],
    ["the same action twice", { requiredActions: ["VERIFY_EMAIL", "VERIFY_EMAIL"] }, "requiredActions"],
  ])("refuses what is wrong, names it and makes no user: %s", async (_, members, field) => {
    const before = (await realm.events()).length;
    const [status, ...fields] = fieldsOf(await realm.asMaster().post("/users", { username: "mallory", ...members }));
    expect([status, fields.map((name) => String(name).split(/[./]/)[0])]).toEqual([400, [field]]);
    expect((await realm.asMaster().get("/users?search=mallory")).body).toEqual([]);
    expect(await realm.events()).toHaveLength(before);
  });

  test("leaves nothing of it behind where the name is taken, or a role is out of reach", async () => {
    const admin = await realm.as("manage-users");
    const before = await iam.core.db.selectFrom("credentials").select("credential_id").where("realm_id", "=", realm.name).execute();
    expect((await admin.post("/users", { username: "ADMIN", password })).status).toBe(409);
    expect((await admin.post("/users", { username: "eve", password, roles: ["admin"] })).status).toBe(403);
    const after = await iam.core.db.selectFrom("credentials").select("credential_id").where("realm_id", "=", realm.name).execute();
    expect(after).toEqual(before);
  });
});
