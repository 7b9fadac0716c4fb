import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const refused = { code: "users.login_name_taken", detail: expect.stringContaining("form of an id") };
const imported = (realm: RealmUnderTest, row: object, query = "") =>
  realm.asMaster().post(`/users/import${query}`, JSON.stringify(row), { headers: { "content-type": "application/x-ndjson" } });

/** A user of an earlier release, which let anybody be called so. */
async function calledById(realm: RealmUnderTest, name: string) {
  const { userId } = await realm.user();
  await sql`update users set username = ${name}, username_key = ${name} where realm_id = ${realm.name} and user_id = ${userId}`.execute(
    iam.core.db,
  );
  await sql`update login_names set key = ${name} where realm_id = ${realm.name} and user_id = ${userId}`.execute(iam.core.db);
  return userId;
}

describe("a username in the form of an id", () => {
  test("is nobody's: new, by a change, by an import, in any spelling", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const { userId } = await realm.user("victim");
    const { body: other } = await admin.post("/users", { username: "other" });
    const wide = userId.replace(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
    for (const username of [userId, userId.toUpperCase(), wide, randomUUID()]) {
      expect(await admin.post("/users", { username }), username).toMatchObject({ status: 409, body: refused });
      expect(await admin.put(`/users/${other.userId}`, { ...other, username })).toMatchObject({ status: 409, body: refused });
      const { body } = await imported(realm, { username });
      expect(body).toMatchObject({ created: 0, failed: 1, errors: [{ row: 1, code: refused.code, message: refused.detail }] });
    }
    expect((await admin.post("/users", { username: `${userId}x` })).status).toBe(201);
  });

  test("stays with a user who has it, through writes and imports that leave it", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const username = randomUUID();
    const userId = await calledById(realm, username);
    const { body } = await admin.get(`/users/${userId}`);
    expect((await admin.put(`/users/${userId}`, { ...body, enabled: false })).status).toBe(200);
    const row = { username, attributes: { department: "it" } };
    expect((await imported(realm, row, "?onConflict=update")).body).toMatchObject({ updated: 1, failed: 0 });
    expect((await imported(realm, row, "?onConflict=skip")).body).toMatchObject({ skipped: 1, failed: 0 });
  });
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
