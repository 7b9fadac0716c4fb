import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { createClients } from "../clients/index.ts";
import { refusalOf } from "./index.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let master: AdminClient;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  master = realm.asMaster();
  admin = await realm.as("manage-clients", "view-clients");
});
afterAll(() => iam?.close());

let made = 0;
const fresh = (name: string) => `${name}${made++}`;
const post = async (path: string, body: object) => {
  const answer = await master.post(path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const create = async (body: object = {}) => {
  const answer = await admin.post("/clients", { clientId: fresh("app"), ...body });
  expect(answer.status, answer.text).toBe(201);
  const { secret: _, ...client } = answer.body;
  return client;
};
const snapshot = async (clientId: string) =>
  (await createClients({ db: iam.core.db, vault: iam.core.vault, changes: iam.core.changes }).get(realm.name, clientId))!;
const mayUse = async (userId: string, clientId: string) =>
  (await refusalOf(iam.core.db, { realm: realm.name, userId, application: (await snapshot(clientId)).settings })) === null;

describe("access to an application", () => {
  test("every user, by default", async () => {
    const client = await create();
    expect(client).toMatchObject({ allowedRoles: [], allowedGroups: [] });
    const { userId } = await realm.user();
    expect(await mayUse(userId, client.clientId)).toBe(true);
  });

  test("holders of a role: directly, by a group, inside another role, or a client role", async () => {
    const role = await post("/roles", { name: fresh("staff") });
    const wider = await post("/roles", { name: fresh("wider"), compositeRoles: [role.name] });
    const group = await post("/groups", { name: fresh("Team") });
    await post(`/groups/${group.groupId}/roles`, { name: role.name });
    const client = await create({ allowedRoles: [role.name] });
    const other = await create();
    await post(`/clients/${other.id}/roles`, { name: "manager" });
    const byClientRole = await create({ allowedRoles: [`${other.clientId}/MANAGER`] });
    expect(byClientRole.allowedRoles).toEqual([`${other.clientId}/manager`]);

    const [direct, included, grouped, manager, none] = await Promise.all([1, 2, 3, 4, 5].map(() => realm.user()));
    await post(`/users/${direct!.userId}/roles`, { name: role.name });
    await post(`/users/${included!.userId}/roles`, { name: wider.name });
    await post(`/groups/${group.groupId}/members`, { userId: grouped!.userId });
    await post(`/users/${manager!.userId}/roles`, { name: "manager", clientId: other.clientId });
    for (const { userId } of [direct!, included!, grouped!]) expect(await mayUse(userId, client.clientId)).toBe(true);
    for (const { userId } of [manager!, none!]) expect(await mayUse(userId, client.clientId)).toBe(false);
    expect(await mayUse(manager!.userId, byClientRole.clientId)).toBe(true);
    expect(await mayUse(direct!.userId, byClientRole.clientId)).toBe(false);
  });

  test("members of a group and of those below it, and holders of one of the roles; not members of the group above", async () => {
    const top = await post("/groups", { name: fresh("Sales/EU") });
    const below = await post("/groups", { name: "North", parentId: top.groupId });
    const lowest = await post("/groups", { name: "Oslo", parentId: below.groupId });
    const role = await post("/roles", { name: fresh("auditor") });
    const path = `/${top.name.replace("/", "~/")}/North`;
    const client = await create({ allowedRoles: [role.name], allowedGroups: [path.toUpperCase()] });
    expect(client.allowedGroups).toEqual([path]);
    const [above, at, under, holder] = await Promise.all([1, 2, 3, 4].map(() => realm.user()));
    await post(`/groups/${top.groupId}/members`, { userId: above!.userId });
    await post(`/groups/${below.groupId}/members`, { userId: at!.userId });
    await post(`/groups/${lowest.groupId}/members`, { userId: under!.userId });
    await post(`/users/${holder!.userId}/roles`, { name: role.name });
    expect(await Promise.all([above, at, under, holder].map((user) => mayUse(user!.userId, client.clientId)))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  onPostgres("follows a role and a group that are renamed, and refuses every user once they are deleted", async () => {
    const role = await post("/roles", { name: fresh("staff") });
    const group = await post("/groups", { name: fresh("Team") });
    const client = await create({ allowedRoles: [role.name], allowedGroups: [group.groupId] });
    expect(client.allowedGroups).toEqual([`/${group.name}`]);
    const { userId } = await realm.user();
    await post(`/users/${userId}/roles`, { name: role.name });
    const [newRole, newGroup] = [fresh("employee"), fresh("Crew")];
    expect((await master.patch(`/roles/${role.roleId}`, { name: newRole })).status).toBe(200);
    expect((await master.patch(`/groups/${group.groupId}`, { name: newGroup })).status).toBe(200);
    expect((await admin.get(`/clients/${client.id}`)).body).toMatchObject({ allowedRoles: [newRole], allowedGroups: [`/${newGroup}`] });
    expect(await mayUse(userId, client.clientId)).toBe(true);

    // Another role has taken the old name meanwhile.
    const usurper = await post("/roles", { name: role.name });
    const outsider = await realm.user();
    await post(`/users/${outsider.userId}/roles`, { name: usurper.name });
    expect(await mayUse(outsider.userId, client.clientId)).toBe(false);

    expect((await master.delete(`/roles/${role.roleId}`)).status).toBe(204);
    expect((await master.delete(`/groups/${group.groupId}`)).status).toBe(204);
    expect(await mayUse(userId, client.clientId)).toBe(false);
    expect(await mayUse(outsider.userId, client.clientId)).toBe(false);
    const read = (await admin.get(`/clients/${client.id}`)).body;
    expect(read).toMatchObject({ allowedRoles: [role.roleId], allowedGroups: [group.groupId] });
    // A role that takes the name of the deleted one gives no access, and a save of the unchanged client changes nothing.
    await post("/roles", { name: newRole });
    const saved = await admin.put(`/clients/${client.id}`, read);
    expect([saved.status, saved.body.allowedRoles]).toEqual([200, [role.roleId]]);
    expect(await admin.patch(`/clients/${client.id}`, { allowedRoles: [], allowedGroups: [] })).toMatchObject({ status: 200 });
    expect(await mayUse(outsider.userId, client.clientId)).toBe(true);
  });

  test("a save keeps the role of a client, even if a realm role has the same spelling by now", async () => {
    const owner = await create();
    const own = await post(`/clients/${owner.id}/roles`, { name: "user" });
    const client = await create({ allowedRoles: [`${owner.clientId}/user`] });
    await post("/roles", { name: `${owner.clientId}/user` });
    const read = (await admin.get(`/clients/${client.id}`)).body;
    expect(read.allowedRoles).toEqual([`${owner.clientId}/user`]);
    expect((await admin.put(`/clients/${client.id}`, read)).status).toBe(200);
    expect((await snapshot(client.clientId)).settings.allowedRoles).toEqual([own.roleId]);
  });

  test("a text that names a role of the realm and one of a client is refused, unless the client has one of them already; an id is accepted", async () => {
    const owner = await create();
    const own = await post(`/clients/${owner.id}/roles`, { name: "admin" });
    const name = `${owner.clientId}/admin`;
    const bound = await create({ allowedRoles: [name] });
    const usurper = await post("/roles", { name });
    const refused = { status: 400, body: { errors: [{ field: "allowedRoles", code: "ambiguous_role" }] } };
    expect(await admin.post("/clients", { clientId: fresh("app"), allowedRoles: [name] })).toMatchObject(refused);
    const imported = { clientId: fresh("app"), allowedRoles: [name] };
    const document = (client: object) => ({ schema: "gatehouse.realm/v1", clients: [client] });
    expect(await master.post("/import", document(imported))).toMatchObject({
      status: 400,
      body: { errors: [{ field: `clients[${imported.clientId}].allowedRoles`, code: "ambiguous_role" }] },
    });
    expect((await admin.get(`/clients?search=${imported.clientId}`)).body).toEqual([]);

    const allowed = async (clientId: string) => (await snapshot(clientId)).settings.allowedRoles;
    const changed = { clientId: bound.clientId, name: "changed", allowedRoles: [name] };
    expect(await master.post("/import", document(changed))).toMatchObject({ status: 200 });
    expect((await admin.get(`/clients/${bound.id}`)).body).toMatchObject({ name: "changed", allowedRoles: [name] });
    expect(await allowed(bound.clientId)).toEqual([own.roleId]);
    expect(
      (await admin.patch(`/clients/${bound.id}`, { allowedRoles: [name.toUpperCase().replace(/.*(?=\/)/, owner.clientId)] })).status,
    ).toBe(200);
    expect(await allowed(bound.clientId)).toEqual([own.roleId]);
    for (const { roleId } of [usurper, own]) {
      const client = await create({ allowedRoles: [roleId] });
      expect([client.allowedRoles, await allowed(client.clientId)]).toEqual([[name], [roleId]]);
    }
  });

  test("is refused with the field's name if a role or group does not exist or is of another realm, and nothing is saved", async () => {
    const other = await iam.realm();
    const foreign = (await other.asMaster().post("/roles", { name: "theirs" })).body;
    const theirs = (await other.asMaster().post("/groups", { name: "Theirs" })).body;
    const nested = await post("/groups", { name: fresh("Nested") });
    const client = await create();
    for (const [member, value] of [
      ["allowedRoles", "nowhere"],
      ["allowedRoles", foreign.roleId],
      ["allowedRoles", "theirs"],
      ["allowedRoles", `${client.clientId}/none`],
      ["allowedGroups", "/nowhere"],
      ["allowedGroups", theirs.groupId],
      ["allowedGroups", nested.name],
      ["allowedGroups", `/${nested.name}/below`],
      ["allowedGroups", "/"],
    ] as const) {
      const answer = await admin.patch(`/clients/${client.id}`, { [member]: [value] });
      expect(answer, `${member} ${value}`).toMatchObject({ status: 400, body: { errors: [{ field: member }] } });
    }
    expect((await admin.get(`/clients/${client.id}`)).body).toEqual(client);
    const tooMany = Array.from({ length: 101 }, (_, n) => `role${n}`);
    expect(await admin.patch(`/clients/${client.id}`, { allowedRoles: tooMany })).toMatchObject({ status: 400 });
  });

  test("is not given to every user by a PUT that leaves out the members", async () => {
    const role = await post("/roles", { name: fresh("staff") });
    const { id } = await create({ allowedRoles: [role.name] });
    const bare = { enabled: true, publicClient: false };
    const answer = await admin.put(`/clients/${id}`, bare);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "allowedRoles", code: "required" }] } });
    expect(await admin.put(`/clients/${id}`, { ...bare, allowedRoles: [] })).toMatchObject({ status: 200, body: { allowedRoles: [] } });
    expect((await admin.put(`/clients/${id}`, bare)).status).toBe(200);
  });

  onPostgres("is kept by a change of the application that does not speak of it, and needs manage-clients", async () => {
    const role = await post("/roles", { name: fresh("staff") });
    const client = await create({ allowedRoles: [role.name], redirectUris: ["https://app.example/cb"] });
    const application = (await admin.get(`/applications/${client.clientId}`)).body;
    expect((await admin.put(`/applications/${client.clientId}`, { ...application, displayName: "Shop" })).status).toBe(200);
    expect((await snapshot(client.clientId)).settings.allowedRoles).toEqual([role.roleId]);
    expect((await admin.get(`/clients?search=${client.clientId}`)).body[0].allowedRoles).toEqual([role.name]);
    const viewer = await realm.as("view-clients");
    expect((await viewer.patch(`/clients/${client.id}`, { allowedRoles: [] })).status).toBe(403);
  });

  onPostgres("is set for SAML clients in their options, by the same rules", async () => {
    const role = await post("/roles", { name: fresh("staff") });
    const sp = { entityId: `https://${fresh("sp")}.example/`, assertionConsumerServiceUrl: "https://sp.example/acs" };
    const unknown = await admin.post("/saml-clients", { ...sp, options: { allowedRoles: ["nowhere"], allowedGroups: ["/nowhere"] } });
    expect(unknown).toMatchObject({
      status: 400,
      body: { errors: [{ field: "options.allowedRoles" }, { field: "options.allowedGroups" }] },
    });
    const made = await admin.post("/saml-clients", { ...sp, options: { allowedRoles: [role.name] } });
    expect(made).toMatchObject({ status: 201, body: { options: { allowedRoles: [role.name] } } });
    const at = `/saml-clients/${encodeURIComponent(sp.entityId)}`;
    const state = { assertionConsumerServiceUrl: sp.assertionConsumerServiceUrl, enabled: true };
    expect(await admin.put(at, state)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "options.allowedRoles", code: "required" }] },
    });
    await master.patch(`/roles/${role.roleId}`, { name: fresh("employee") });
    const renamed = (await master.get(`/roles/${role.roleId}`)).body.name;
    expect((await admin.get(at)).body.options.allowedRoles).toEqual([renamed]);
    expect((await admin.patch(at, { options: { consentRequired: true } })).body.options.allowedRoles).toEqual([renamed]);
    await master.delete(`/roles/${role.roleId}`);
    expect((await admin.get(`/saml-clients?search=${encodeURIComponent(sp.entityId)}`)).body[0].options.allowedRoles).toEqual([
      role.roleId,
    ]);
    expect((await admin.patch(at, { options: { allowedRoles: [] } })).body.options.allowedRoles).toEqual([]);
  });
});
