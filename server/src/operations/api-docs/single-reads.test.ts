import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { allowMessages } from "../../testing/outbox.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** Lists whose entries are no records with a version, and how an entry is addressed below its list. */
async function listsOf(realm: RealmUnderTest): Promise<Record<string, string>> {
  const master = realm.asMaster();
  const must = async (answer: Promise<{ status: number; text: string; body: { [member: string]: string } }>) => {
    const { status, text, body } = await answer;
    expect(status, text).toBeLessThan(300);
    return body;
  };
  const { userId, username, password } = await realm.user();
  await iam.browser().signIn(realm.name, username, password);
  const { groupId } = await must(master.post("/groups", { name: "Support" }));
  const { organizationId } = await must(master.post("/organizations", { name: "Acme" }));
  await must(master.put(`/groups/${groupId}/members/${userId}`));
  await must(master.post(`/groups/${groupId}/roles`, { name: "auditor" }));
  await must(master.put(`/organizations/${organizationId}/members/${userId}`, {}));
  await allowMessages(realm);
  await must(master.post(`/organizations/${organizationId}/invitations`, { email: "ada@example.com" }));
  await must(master.post(`/users/${userId}/roles`, { name: "auditor" }));
  await must(master.post("/messaging/push-tokens", { userId, driver: "fcm", token: "a-token-of-a-device" }));
  await must(master.post("/provisioning/initial-access-tokens", {}));
  await must(master.post("/provisioning/scim-tokens", { name: "entra" }));
  const service = { name: "aws", url: "https://scim.example.com", auth: { type: "bearer" }, secret: "a token", enabled: false };
  const { id: targetId } = await must(master.post("/scim-targets", service));
  await iam.core.db
    .insertInto("scim_objects")
    .values({ realm_id: realm.name, target_id: targetId!, kind: "user", local_id: userId, state: "SYNCED", next_at: 0 })
    .execute();
  return {
    [`/scim-targets/${targetId}/objects`]: "id",
    "/keys": "keyId",
    "/sessions": "id",
    [`/groups/${groupId}/members`]: "userId",
    [`/groups/${groupId}/roles`]: "roleId",
    [`/organizations/${organizationId}/members`]: "userId",
    [`/organizations/${organizationId}/invitations`]: "invitationId",
    [`/users/${userId}/roles`]: "roleId",
    [`/users/${userId}/credentials`]: "type/id",
    "/messaging/push-tokens": "id",
    "/provisioning/initial-access-tokens": "id",
    "/provisioning/scim-tokens": "id",
  };
}

test("every item of a list can be read by itself, in its own place and realm only", async () => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  const elsewhere = Object.keys(await listsOf(other));
  for (const [at, [path, id]] of Object.entries(await listsOf(realm)).entries()) {
    const [entry] = (await realm.asMaster().get(path)).body;
    const segments = id.split("/").map((member) => entry[member]);
    const item = `/${segments.join("/")}`;
    expect(await realm.asMaster().get(path + item), path).toMatchObject({ status: 200, body: entry });
    // Another realm's list of the same kind, and nothing of the kind.
    expect((await other.asMaster().get(elsewhere[at]! + item)).status, path).toBe(404);
    const [type] = segments.slice(0, -1);
    for (const unknown of [newId(), "nothing", "%00"])
      expect((await realm.asMaster().get(`${path}/${type === undefined ? "" : `${type}/`}${unknown}`)).status, `${path} ${unknown}`).toBe(
        404,
      );
  }
});

test("an invitation and a membership are read below their own organization only", async () => {
  const realm = await iam.realm();
  const lists = Object.keys(await listsOf(realm));
  const { organizationId } = (await realm.asMaster().post("/organizations", { name: "Another" })).body;
  for (const path of lists.filter((each) => each.startsWith("/organizations/"))) {
    const [entry] = (await realm.asMaster().get(path)).body;
    const id = entry.invitationId ?? entry.userId;
    const kind = path.split("/").at(-1);
    expect((await realm.asMaster().get(`/organizations/${organizationId}/${kind}/${id}`)).status).toBe(404);
  }
});
