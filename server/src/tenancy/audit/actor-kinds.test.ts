import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isReservedName, systemActor } from "../../platform/context.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

test("an event says what kind of actor it names", async () => {
  const realm = await iam.realm();
  const own = await realm.as("manage-users");
  const [boss, machine] = [
    realm.asMaster(),
    { clientId: "machine", publicClient: false, redirectUris: [], grantTypes: ["client_credentials"] },
  ];
  const party = await relyingParty(iam, realm, machine);
  const admin = `${iam.config.baseUrl}/admin`;
  expect((await boss.put(`/clients/${party.id}/allowed-resources`, { allowedResources: [admin] })).status).toBe(200);
  const { roleId } = (await boss.post("/roles", { name: "robots" })).body;
  await boss.put(`/admin-roles/${roleId}`, { permissions: ["manage-users"] });
  expect((await boss.post(`/clients/${party.id}/service-account/roles`, { name: "robots" })).status).toBe(200);
  const { access_token } = (await party.post("/token", { grant_type: "client_credentials", resource: admin })).body;

  const created = async (answer: Promise<{ body: { userId: string } }>) => {
    const { userId } = (await answer).body;
    const [event] = await realm.events(`type=ADMIN_CREATE&resourceId=${userId}`);
    return [event.actor, event.actorKind];
  };
  expect(await created(own.post("/users", { username: "one" }))).toEqual([own.username, "user"]);
  expect(await created(boss.post("/users", { username: "two" }))).toEqual(["master/admin", "administrator"]);
  const bearer = { headers: { authorization: `Bearer ${access_token}` } };
  expect(await created(realm.anonymous().post("/users", { username: "three" }, bearer))).toEqual(["machine", "client"]);
  const agent = (await boss.post("/agents", { name: "Robot", clientId: "machine", ownerUserId: own.userId })).body;
  await boss.post(`/agents/${agent.id}/activate`);
  const acting = (await party.post("/token", { grant_type: "client_credentials", resource: admin })).body.access_token;
  const byAgent = { headers: { authorization: `Bearer ${acting}` } };
  expect(await created(realm.anonymous().post("/users", { username: "four" }, byAgent))).toEqual(["machine", "agent"]);

  await iam.browser().request("POST", `/realms/${realm.name}/token`, {
    form: { grant_type: "client_credentials", client_id: "system", client_secret: "x" },
    csrf: false,
  });
  await expect.poll(() => realm.events("type=CLIENT_LOGIN_FAILURE")).toMatchObject([{ actor: "system", actorKind: "anonymous" }]);
  const typed = await relyingParty(iam, realm, { grantTypes: ["password"], redirectUris: [] });
  for (const username of ["master/admin", own.username])
    await typed.post("/token", { grant_type: "password", username, password: "wrong", scope: "openid" });
  expect(await realm.events("type=LOGIN_FAILURE")).toMatchObject([
    { actor: own.username, actorKind: "anonymous" },
    { actor: "master/admin", actorKind: "anonymous" },
  ]);
  await iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, async (ctx) =>
    ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "users", resourceId: "x" }),
  );
  expect((await realm.events("type=ADMIN_ACTION"))[0]).toMatchObject({ actor: "system", actorKind: "system" });
});

describe("a name that reads as another kind of actor", () => {
  test("is reserved in every spelling, and no other is", () => {
    for (const name of [
      "system",
      "SYSTEM",
      "ｓｙｓｔｅｍ",
      "cli",
      "Anonymous",
      "master/admin",
      "MASTER/x",
      "erased:1",
      "ldap:corp",
      "identity provider x",
    ])
      expect(isReservedName(name), name).toBe(true);
    for (const name of ["systems", "admin", "masterly", "ada", "agent", "adam", "ada@example.com", "client-1"])
      expect(isReservedName(name), name).toBe(false);
  });

  test("counts as taken for users, by whatever way they come, and is refused for clients", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const taken = { status: 409, body: { code: "users.login_name_taken", detail: expect.stringContaining("kept for the server") } };
    for (const username of ["system", "master/admin"]) expect(await boss.post("/users", { username })).toMatchObject(taken);
    const { userId } = await realm.user("ada");
    const { body: ada } = await boss.get(`/users/${userId}`);
    expect(await boss.put(`/users/${userId}`, { ...ada, username: "Master/Admin" })).toMatchObject(taken);
    const rows = '{"username":"cli"}\n{"username":"bob"}\n';
    const imported = await boss.post("/users/import", rows, { headers: { "content-type": "application/x-ndjson" } });
    expect(imported.body).toMatchObject({ created: 1, failed: 1, errors: [{ row: 1, code: "users.login_name_taken" }] });
    const client = await boss.post("/clients", { clientId: "system", publicClient: true });
    expect([client.status, client.body.errors]).toMatchObject([400, [{ field: "clientId", code: "reserved" }]]);
  });
});
