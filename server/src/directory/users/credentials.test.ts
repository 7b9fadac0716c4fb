import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { deleteExpiredEnrollments } from "../credentials/index.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("manage-users", "view-users");
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const list = async (userId: string) => (await admin.get(`/users/${userId}/credentials`)).body;
const eventsOf = async (userId: string) =>
  (await realm.events(`resourceId=${userId}`)).map(({ type, detail }: { type: string; detail: string }) => `${type} ${detail}`);

describe("the list", () => {
  test("reports a password when it was set and used, and never what it is", async () => {
    const { userId, username, password } = await realm.user();
    expect(await list(userId)).toEqual([
      { id: expect.any(String), type: "password", label: null, createdAt: expect.any(Number), lastUsedAt: null, expiresAt: null },
    ]);
    await iam.browser().signIn(realm.name, username, password);
    const [{ lastUsedAt, createdAt }] = await list(userId);
    expect(lastUsedAt).toBeGreaterThanOrEqual(createdAt);
  });

  test("has the devices that push messages are sent to", async () => {
    const { userId } = await realm.user();
    const device = { userId, driver: "fcm", token: `token-of-${userId}`, deviceName: "Ada's phone" };
    const { id } = (await realm.asMaster().post("/messaging/push-tokens", device)).body;
    const answer = await admin.get(`/users/${userId}/credentials`);
    expect(answer.body).toMatchObject([{ type: "password" }, { id, type: "push", label: "Ada's phone", lastUsedAt: null }]);
    expect(answer.text).not.toContain(device.token);

    expect((await admin.delete(`/users/${userId}/credentials/push/${id}`)).status).toBe(204);
    expect(await list(userId)).toMatchObject([{ type: "password" }]);
    expect(await eventsOf(userId)).toContain("CREDENTIAL_REVOKED push");
  });

  test.each(["not-an-id", newId()])("is a 404 for %s", async (id) => {
    expect((await admin.get(`/users/${id}/credentials`)).status).toBe(404);
  });
});

describe("an enrollment token", () => {
  const mint = (userId: string, more: object = {}) => admin.post(`/users/${userId}/credentials`, { type: "enrollment-token", ...more });

  test("is shown once, stored as its hash, and recorded", async () => {
    const { userId } = await realm.user();
    const made = await mint(userId, { label: "Ada's phone" });
    expect(made).toMatchObject({
      status: 201,
      body: { type: "enrollment-token", label: "Ada's phone", lastUsedAt: null, expiresAt: made.body.createdAt + HOUR },
    });
    const { token, ...shown } = made.body;
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((await list(userId))[1]).toEqual(shown);
    const stored = await iam.core.db.selectFrom("credentials").select("secret").where("credential_id", "=", shown.id).executeTakeFirst();
    expect(stored).toEqual({ secret: sha256(token) });
    expect(await eventsOf(userId)).toEqual(expect.arrayContaining(["ADMIN_CREATE enrollment-token", "CREDENTIAL_ADDED enrollment-token"]));
    expect(iam.output.join("")).not.toContain(token);
  });

  test("takes the place of the one before", async () => {
    const { userId } = await realm.user();
    await mint(userId);
    const { id } = (await mint(userId)).body;
    expect((await list(userId)).slice(1)).toMatchObject([{ id }]);
    expect(await eventsOf(userId)).toContain("CREDENTIAL_REVOKED enrollment-token");
  });

  test("is removed once it has expired, from the list and then from the table", async () => {
    const { userId } = await realm.user();
    const { id } = (await mint(userId, { expiresIn: 60 })).body;
    clock.advance(59_000);
    expect(await list(userId)).toHaveLength(2);
    clock.advance(1_000);
    expect(await list(userId)).toHaveLength(1);
    await deleteExpiredEnrollments(iam.core.db, clock.now());
    expect(await iam.core.db.selectFrom("credentials").select("type").where("credential_id", "=", id).execute()).toEqual([]);
    expect(await list(userId)).toMatchObject([{ type: "password" }]);
  });

  test.each([
    [{}, "type"],
    [{ type: "password" }, "type"],
    [{ type: "totp" }, "type"],
    [{ type: 1 }, "type"],
    [{ type: "enrollment-token", expiresIn: 59 }, "expiresIn"],
    [{ type: "enrollment-token", expiresIn: 604_801 }, "expiresIn"],
    [{ type: "enrollment-token", label: "" }, "label"],
    [{ type: "enrollment-token", token: "mine" }, "token"],
  ])("%j is refused, naming %s", async (body, field) => {
    const { userId } = await realm.user();
    expect(await admin.post(`/users/${userId}/credentials`, body)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });
});

describe("DELETE", () => {
  test("removes the password: signing in with it fails, the session stays, and both events are recorded", async () => {
    const { userId, username, password } = await realm.user();
    const browser = iam.browser();
    await browser.signIn(realm.name, username, password);
    const sessions = async () =>
      iam.core.db.selectFrom("sessions").select("session_id").where("realm_id", "=", realm.name).where("user_id", "=", userId).execute();
    expect(await sessions()).toHaveLength(1);
    const [{ id }] = await list(userId);

    expect((await admin.delete(`/users/${userId}/credentials/password/${id}`)).status).toBe(204);
    expect((await iam.browser().trySignIn(realm.name, username, password)).status).toBe(401);
    expect(await sessions()).toHaveLength(1);
    expect(await list(userId)).toEqual([]);
    expect(await eventsOf(userId)).toEqual(expect.arrayContaining(["ADMIN_DELETE password", "CREDENTIAL_REVOKED password"]));
    expect((await admin.delete(`/users/${userId}/credentials/password/${id}`)).status, "twice").toBe(404);
  });

  test("finds only this user's credential of this type, in this realm", async () => {
    const [ada, bob] = [await realm.user(), await realm.user()];
    const [{ id }] = await list(ada.userId);
    const elsewhere = await iam.realm();
    const outsider = await elsewhere.user();
    for (const path of [
      `${bob.userId}/credentials/password/${id}`,
      `${ada.userId}/credentials/totp/${id}`,
      `${ada.userId}/credentials/push/${id}`,
      `${ada.userId}/credentials/password/nonsense`,
      `${ada.userId}/credentials/password/${newId()}`,
    ])
      expect(await admin.delete(`/users/${path}`), path).toMatchObject({ status: 404, body: { code: "credentials.not_found" } });
    const other = elsewhere.asMaster();
    expect((await other.delete(`/users/${ada.userId}/credentials/password/${id}`)).status).toBe(404);
    expect((await other.delete(`/users/${outsider.userId}/credentials/password/${id}`)).status).toBe(404);
    expect(await list(ada.userId)).toHaveLength(1);
  });

  test("changes the user's version, as the record says whether there is a second factor", async () => {
    const { userId } = await realm.user();
    await iam.core.db
      .insertInto("credentials")
      .values({ realm_id: realm.name, user_id: userId, credential_id: newId(), type: "totp", secret: "sealed", created_at: 1 })
      .execute();
    const before = await admin.get(`/users/${userId}`);
    expect(before.body.mfaEnabled).toBe(true);
    const { id } = (await list(userId)).find(({ type }: { type: string }) => type === "totp");
    expect((await admin.delete(`/users/${userId}/credentials/totp/${id}`)).status).toBe(204);
    const after = await admin.get(`/users/${userId}`);
    expect(after.body.mfaEnabled).toBe(false);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });
});

describe("required actions", () => {
  const at = (userId: string) => `/users/${userId}/required-actions`;

  test("are read, added and replaced; what GET answers is a valid PUT", async () => {
    const { userId } = await realm.user();
    expect((await admin.get(at(userId))).body).toEqual([]);
    expect(await admin.post(at(userId), { action: "VERIFY_EMAIL" })).toMatchObject({ status: 200, body: ["VERIFY_EMAIL"] });
    expect((await admin.post(at(userId), { action: "VERIFY_EMAIL" })).body).toEqual(["VERIFY_EMAIL"]);
    const both = await admin.post(at(userId), { action: "UPDATE_PASSWORD" });
    expect(both.body, "in the order in which they are asked").toEqual(["UPDATE_PASSWORD", "VERIFY_EMAIL"]);
    expect(await admin.put(at(userId), both.body)).toMatchObject({ status: 200, body: both.body });
    expect((await admin.put(at(userId), { requiredActions: ["ACCEPT_TERMS"] })).body).toEqual(["ACCEPT_TERMS"]);
    expect((await admin.put(at(userId), [])).body).toEqual([]);
    const all = ["UPDATE_PASSWORD", "VERIFY_EMAIL", "CONFIGURE_TOTP", "CONFIGURE_PASSKEY", "UPDATE_PROFILE", "ACCEPT_TERMS"];
    expect((await admin.put(at(userId), all.toReversed())).body).toEqual(all);
    expect(await eventsOf(userId)).toEqual(
      expect.arrayContaining(["ADMIN_UPDATE required actions +VERIFY_EMAIL", "ADMIN_UPDATE required actions: none"]),
    );
  });

  test.each<[unknown, string]>([
    [["DANCE"], "0"],
    [["VERIFY_EMAIL", "verify_email"], "1"],
    [["VERIFY_EMAIL", "VERIFY_EMAIL"], "body"],
    [{ requiredActions: ["DANCE"] }, "requiredActions.0"],
    [{ requiredActions: "VERIFY_EMAIL" }, "requiredActions"],
    [{ actions: ["VERIFY_EMAIL"] }, "requiredActions"],
    [{}, "requiredActions"],
  ])("PUT %j is refused, naming %s", async (body, field) => {
    const { userId } = await realm.user();
    const answer = await admin.put(at(userId), body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
    expect(JSON.stringify(answer.body.errors), "nothing of how it was checked").not.toContain("schema");
  });

  test("carry the user's version: who has not seen the last change does not overwrite it", async () => {
    const { userId } = await realm.user();
    const { etag } = (await admin.get(at(userId))).headers;
    const ofUser = (await admin.get(`/users/${userId}`)).headers.etag;
    expect(String(etag).split(".")[0]).toBe(String(ofUser).split(".")[0]);
    const seen = { headers: { "if-match": String(etag) } };
    const changed = await admin.put(at(userId), ["VERIFY_EMAIL"], seen);
    expect(changed.status).toBe(200);
    expect((await admin.put(at(userId), [], seen)).status).toBe(412);
    expect((await admin.put(at(userId), [], { headers: { "if-match": String(changed.headers.etag) } })).status).toBe(200);
  });

  test.each<[unknown, string]>([
    [{ action: "DANCE" }, "action"],
    [{}, "action"],
    [["VERIFY_EMAIL"], "body"],
    [{ action: "VERIFY_EMAIL", when: "now" }, "when"],
  ])("POST %j is refused, naming %s", async (body, field) => {
    const { userId } = await realm.user();
    const answer = await admin.post(at(userId), body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
  });

  test("added by many at once are all there", async () => {
    const { userId } = await realm.user();
    const all = ["UPDATE_PASSWORD", "VERIFY_EMAIL", "CONFIGURE_TOTP", "ACCEPT_TERMS"];
    await Promise.all([...all, ...all].map((action) => admin.post(at(userId), { action })));
    expect((await admin.get(at(userId))).body).toEqual(all);
  });
});

test("the escalation rule: who holds more than the caller is out of reach, and stays as they are", async () => {
  const { userId } = await realm.admin();
  const manager = await realm.as("manage-users", "view-users");
  const before = await list(userId);
  const [{ id }] = before;
  const answers = [
    await manager.post(`/users/${userId}/credentials`, { type: "enrollment-token" }),
    await manager.delete(`/users/${userId}/credentials/password/${id}`),
    await manager.put(`/users/${userId}/required-actions`, ["UPDATE_PASSWORD"]),
    await manager.post(`/users/${userId}/required-actions`, { action: "UPDATE_PASSWORD" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(await list(userId)).toEqual(before);
  expect((await manager.get(`/users/${userId}/required-actions`)).body).toEqual([]);
});
