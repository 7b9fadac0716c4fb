import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUser } from "../../../directory/users/index.ts";
import { systemActor } from "../../../platform/context.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { relyingParty } from "../../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

test("an address is the sub of the user who confirmed it or was given it, and not of one who merely says so", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const email = "ada@example.com";
  const password = "a password for tests";
  const party = await relyingParty(iam, realm, { grantTypes: ["password"], redirectUris: [] });
  expect((await boss.put("/subject-claim", { strategy: "email" })).status).toBe(200);
  const { body: ada } = await boss.post("/users", { username: "ada", enabled: true, email });
  expect(ada.emailVerified, "given by an administrator").toBe(false);
  const eve = await iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
    createUser(ctx, { username: "eve", email, enabled: true }, "unconfirmed"),
  );
  for (const { userId } of [ada, eve]) expect((await boss.put(`/users/${userId}/password`, { newPassword: password })).status).toBe(204);
  const signIn = (username: string) => party.post("/token", { grant_type: "password", username, password, scope: "openid" });
  const given = await signIn("ada");
  expect(given.status, given.text).toBe(200);
  expect(decodeJwt(given.body.id_token).sub).toBe(email);
  expect((await signIn("eve")).body).toMatchObject({ error: "access_denied", error_description: expect.stringContaining("email address") });

  // Once it is hers alone, it counts.
  await boss.delete(`/users/${ada.userId}`);
  const { body: state } = await boss.get(`/users/${eve.userId}`);
  expect((await boss.put(`/users/${eve.userId}`, { ...state, emailVerified: true })).status).toBe(200);
  expect(decodeJwt((await signIn("eve")).body.id_token).sub).toBe(email);
});
