import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

describe("POST /users", () => {
  test("creates the user, with the default role, and records who did it", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users");
    const created = await admin.post("/users", { username: "Ada" });

    expect(created).toMatchObject({
      status: 201,
      body: { username: "Ada", enabled: true, email: null, roles: ["user"], mfaEnabled: false },
    });
    expect((await realm.events("type=ADMIN_CREATE&resourceType=users"))[0]).toMatchObject({
      actor: admin.username,
      resourceId: created.body.userId,
      outcome: "SUCCESS",
    });
  });

  test("refuses a taken username and leaves no event behind", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users");
    await admin.post("/users", { username: "ada" });
    const before = (await realm.events()).length;

    expect(await admin.post("/users", { username: "ADA" })).toMatchObject({ status: 409, body: { code: "users.login_name_taken" } });
    expect(await realm.events()).toHaveLength(before);
  });

  test("names every invalid field", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users");
    const answer = await admin.post("/users", { username: "", email: "nope", other: 1 });
    expect(answer).toMatchObject({ status: 400, body: { code: "request.invalid" } });
    expect(answer.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(["email", "other", "username"]);
  });

  test.each([[[]], [["view-users"]]] as const)("refuses a session holding %j with 403 and records the denial", async (held) => {
    const realm = await iam.realm();
    const admin = await realm.as(...held);
    expect((await admin.post("/users", { username: "ada" })).status).toBe(403);
    expect(await realm.events("type=ADMIN_DENIED")).toMatchObject([{ outcome: "FAILURE", resourceType: "users", actor: admin.username }]);
  });

  test("refuses an anonymous caller with 401 and records nothing", async () => {
    const realm = await iam.realm();
    const before = (await realm.events()).length;
    expect((await realm.anonymous().post("/users", { username: "ada" })).status).toBe(401);
    expect(await realm.events()).toHaveLength(before);
  });
});
