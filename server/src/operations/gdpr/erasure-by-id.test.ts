import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** A realm in which a client and an administrator of `master` have changed something, each known by an id. */
async function actingOthers() {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const machine = { clientId: "machine", publicClient: false, redirectUris: [], grantTypes: ["client_credentials"] };
  const party = await relyingParty(iam, realm, machine);
  const admin = `${iam.config.baseUrl}/admin`;
  expect((await boss.put(`/clients/${party.id}/allowed-resources`, { allowedResources: [admin] })).status).toBe(200);
  expect((await boss.post(`/clients/${party.id}/service-account/roles`, { name: "admin" })).status).toBe(200);
  const { access_token } = (await party.post("/token", { grant_type: "client_credentials", resource: admin })).body;
  const bearer = { headers: { authorization: `Bearer ${access_token}` } };
  expect((await realm.anonymous().post("/roles", { name: "by a machine" }, bearer)).status).toBe(201);
  const form = { grant_type: "client_credentials", client_id: "machine", client_secret: "wrong" };
  await iam.browser().request("POST", `/realms/${realm.name}/token`, { form, csrf: false });
  await expect.poll(() => realm.events("type=CLIENT_LOGIN_FAILURE")).toMatchObject([{ resourceId: party.id }]);
  const trail = await trailOf(realm);
  expect(trail.filter(({ actor_id }) => actor_id === party.id).map(({ type }) => type)).toContain("CLIENT_LOGIN_FAILURE");
  return { realm, clientId: party.id, bossId: trail.find(({ actor_kind }) => actor_kind === "administrator")!.actor_id! };
}

/** As it is stored: answers do not show the id of an actor. */
const trailOf = ({ name }: RealmUnderTest) =>
  iam.core.db.selectFrom("audit_events").selectAll().where("realm_id", "=", name).orderBy("ts").orderBy("event_id").execute();

/** Everything but what is about users, or by them. */
const ofOthers = async (realm: RealmUnderTest) =>
  (await trailOf(realm)).filter(({ resource_type, actor_kind }) => resource_type !== "users" && actor_kind !== "user");

/** A user with an id of the importer's choice, who signed in and was deleted. */
async function leaver(realm: RealmUnderTest, userId: string): Promise<void> {
  const [boss, password] = [realm.asMaster(), "a password for tests"];
  const row = JSON.stringify({ userId, username: "leaver", password });
  const imported = await boss.post("/users/import", `${row}\n`, { headers: { "content-type": "application/x-ndjson" } });
  expect(imported.body).toMatchObject({ created: 1 });
  await iam.browser().signIn(realm.name, "leaver", password);
  expect((await boss.delete(`/users/${userId}`)).status).toBe(204);
}

describe("erasing by an id", () => {
  test("takes no id for a user's because a refused request named it", async () => {
    const { realm, clientId, bossId } = await actingOthers();
    const own = await realm.admin();
    const never = newId();
    for (const id of [clientId, bossId, never])
      expect((await own.delete(`/users/${id}`, { headers: { "x-xsrf-token": "wrong" } })).status).toBe(403);
    const before = await trailOf(realm);
    expect(before.filter(({ type }) => type === "ADMIN_DENIED")).toHaveLength(3);
    for (const id of [clientId, bossId, never]) expect((await own.delete(`/users/${id}/gdpr`)).status).toBe(404);
    expect(await trailOf(realm)).toEqual(before);
  });

  test("nor because an import has it", async () => {
    const realm = await iam.realm();
    const [own, importId] = [await realm.admin(), newId()];
    const options = { headers: { "content-type": "application/x-ndjson" } };
    expect((await own.post(`/users/import?importId=${importId}`, '{"username":"ada"}\n', options)).status).toBe(200);
    expect(await realm.events(`resourceId=${importId}`)).toHaveLength(1);
    expect((await own.delete(`/users/${importId}/gdpr`)).status).toBe(404);
    expect(await realm.events(`resourceId=${importId}`)).toHaveLength(1);
  });

  test("leaves a client and an administrator of master who have the id of a deleted user", async () => {
    const { realm, clientId, bossId } = await actingOthers();
    const own = await realm.admin();
    for (const id of [clientId, bossId]) {
      await leaver(realm, id);
      const before = await ofOthers(realm);
      expect(before.filter(({ actor_id, resource_id }) => actor_id === id || resource_id === id)).not.toEqual([]);
      expect(await realm.events(`actor=${id}&type=LOGIN_SUCCESS`)).toHaveLength(1);
      expect((await own.delete(`/users/${id}/gdpr`)).status).toBe(204);
      expect(await ofOthers(realm)).toEqual(before);
      expect(await realm.events(`actor=${id}&type=LOGIN_SUCCESS`)).toEqual([]);
      expect(await realm.events(`resourceType=users&resourceId=${id}`)).toEqual([]);
      expect(await realm.events("actor=leaver")).toEqual([]);
    }
  });

  test("and so it does with a user who is still there", async () => {
    const { realm, clientId } = await actingOthers();
    const row = JSON.stringify({ userId: clientId, username: "ada" });
    await realm.asMaster().post("/users/import", `${row}\n`, { headers: { "content-type": "application/x-ndjson" } });
    const before = await ofOthers(realm);
    expect((await realm.asMaster().delete(`/users/${clientId}/gdpr`)).status).toBe(204);
    expect(await ofOthers(realm)).toEqual(before);
  });

  test("finds who was deleted with others", async () => {
    const realm = await iam.realm();
    const own = await realm.admin();
    const { userId } = await realm.user();
    expect((await own.post("/users/bulk", { action: "delete", userIds: [userId] })).status).toBe(200);
    expect((await own.delete(`/users/${userId}/gdpr`)).status).toBe(204);
    expect(await realm.events(`resourceId=${userId}`)).toEqual([]);
  });
});
