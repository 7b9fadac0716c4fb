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

test("an address is the sub only of the user who confirmed it, or whom an administrator gave it", async () => {
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

  // Once no other user has the address, it counts.
  await boss.delete(`/users/${ada.userId}`);
  const { body: state } = await boss.get(`/users/${eve.userId}`);
  expect((await boss.put(`/users/${eve.userId}`, { ...state, emailVerified: true })).status).toBe(200);
  expect(decodeJwt((await signIn("eve")).body.id_token).sub).toBe(email);
});

test("with pairwise subjects in the realm, a client with several hosts is its own sector, not that of its first redirect URI", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const ada = await realm.user();
  const [shop, evil] = ["https://shop.example/x", "https://evil.example/cb"];
  const party = (clientId: string, redirectUris: string[]) =>
    relyingParty(iam, realm, { clientId, grantTypes: ["password", "authorization_code"], redirectUris });
  const subAt = async ({ post }: Awaited<ReturnType<typeof party>>) => {
    const { body } = await post("/token", { grant_type: "password", username: ada.username, password: ada.password, scope: "openid" });
    return decodeJwt(body.id_token).sub;
  };
  const [first, second, wide] = [
    await party("first", [shop]),
    await party("second", [shop, `${shop}/y`]),
    await party("wide", [shop, evil]),
  ];
  expect((await boss.put("/subject-claim", { strategy: "pairwise" })).status).toBe(200);
  const sub = await subAt(first);
  expect(await subAt(second), "one host is one sector").toBe(sub);
  const own = await subAt(wide);
  expect(own).not.toBe(sub);
  // The client may remain without a sector, and the order of its redirect URIs does not matter.
  const turned = await boss.patch(`/clients/${wide.id}`, { redirectUris: [evil, shop] });
  expect(turned.status, turned.text).toBe(200);
  expect(await subAt(wide)).toBe(own);

  const sector = { status: 400, body: { errors: [{ field: "sectorIdentifierUri", code: "required" }] } };
  expect(await boss.post("/clients", { clientId: "another", redirectUris: [shop, evil] })).toMatchObject(sector);
  expect(await boss.patch(`/clients/${first.id}`, { redirectUris: [shop, evil] })).toMatchObject(sector);
  expect((await boss.put("/provisioning", { registration: { requireInitialAccessToken: false } })).status).toBe(200);
  const register = (...redirect_uris: string[]) => iam.browser().post(`/realms/${realm.name}/connect/register`, { redirect_uris });
  expect(await register(shop, evil)).toMatchObject({
    status: 400,
    body: { error: "invalid_client_metadata", error_description: expect.stringContaining("sector_identifier_uri") },
  });
  const registered = await register(evil);
  expect(registered).toMatchObject({ status: 201, body: { subject_type: "pairwise" } });
  // A client that sends its metadata back has not chosen a strategy by that.
  const { registration_access_token: token, registration_client_uri: uri } = registered.body;
  const headers = { authorization: `Bearer ${token}` };
  expect(await iam.browser().put(new URL(uri).pathname, registered.body, { headers })).toMatchObject({
    status: 200,
    body: { subject_type: "pairwise" },
  });
  expect((await boss.get(`/clients/${uri.split("/").at(-1)}`)).body.subjectClaim).toBeNull();
});
