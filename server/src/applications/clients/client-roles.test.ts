import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { findServiceAccountPermissions } from "./index.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
/** An administrator who may change clients and roles, but holds none of the permissions that roles can give. */
let lesser: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = realm.asMaster();
  lesser = await realm.as("manage-clients", "view-clients", "manage-roles", "manage-users", "view-users", "manage-organizations");
});
afterAll(() => iam?.close());

let made = 0;
const client = async (body: object = {}, by = admin): Promise<{ id: string; clientId: string }> => {
  const answer = await by.post("/clients", { clientId: `client${made++}`, grantTypes: ["client_credentials"], ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const clientRole = async (id: string, body: object) => {
  const answer = await admin.post(`/clients/${id}/roles`, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body as { roleId: string; name: string };
};
/** Creates a role of the realm that gives a permission. */
const mightyRole = async () => {
  const { roleId, name } = (await admin.post("/roles", { name: `mighty${made++}` })).body;
  await admin.put(`/admin-roles/${roleId}`, { permissions: ["view-events"] });
  return { roleId, name } as { roleId: string; name: string };
};
const denied = { status: 403, body: { code: "permissions.escalation" } };

describe("roles of a client", () => {
  test("have their own names, apart from the realm's and other clients'", async () => {
    const [a, b] = [await client(), await client()];
    const role = await clientRole(a.id, { name: "user", description: "Uses it" });
    await clientRole(b.id, { name: "user" });
    expect(await admin.post(`/clients/${a.id}/roles`, { name: "USER" })).toMatchObject({
      status: 409,
      body: { code: "roles.client_role_taken" },
    });
    expect((await admin.get(`/clients/${a.id}/roles`)).body).toMatchObject([{ name: "user", description: "Uses it", default: false }]);
    expect((await admin.get("/roles?search=user")).body, "the realm's list is the realm's").toHaveLength(1);
    expect((await admin.get("/admin-roles?search=user")).body).toHaveLength(1);
    for (const [at, body] of [
      [`/roles/${role.roleId}`, { name: "user" }],
      [`/roles/${role.roleId}/default`, {}],
      [`/admin-roles/${role.roleId}`, { permissions: [] }],
    ] as const)
      expect((await admin.put(at, body)).status, at).toBe(404);
    expect((await admin.get(`/roles/${role.roleId}`)).status).toBe(404);
    expect((await admin.delete(`/clients/${a.id}/roles/USER`)).status).toBe(204);
    expect((await admin.get(`/clients/${b.id}/roles`)).body).toHaveLength(1);
    expect((await admin.delete(`/clients/${a.id}/roles/user`)).status).toBe(404);
  });

  test("are given to users by client id, shown separately, and not changed by PUT of the user", async () => {
    const { id, clientId } = await client();
    const { roleId } = await clientRole(id, { name: "user" });
    const { userId } = await realm.user();
    const given = await admin.post(`/users/${userId}/roles`, { name: "user", clientId });
    expect(given.status).toBe(200);
    expect(given.body.map((one: { name: string; clientId: string }) => [one.name, one.clientId])).toEqual([
      ["user", null],
      ["user", clientId],
    ]);
    const read = (await admin.get(`/users/${userId}`)).body;
    expect(read.roles).toEqual(["user"]);
    expect((await admin.put(`/users/${userId}`, { ...read, roles: [] })).status).toBe(200);
    expect((await admin.get(`/users/${userId}/roles`)).body).toMatchObject([{ roleId, clientId, direct: true }]);
    expect((await admin.get("/users?role=user")).body.map((user: { userId: string }) => user.userId)).not.toContain(userId);
    expect((await admin.get(`/users?role=${roleId}`)).body).toMatchObject([{ userId }]);
    expect((await admin.delete(`/users/${userId}/roles/${roleId}`)).status).toBe(204);
    expect((await admin.post(`/users/${userId}/roles`, { name: "user", clientId: id })).body, "by its id as well").toHaveLength(1);
    expect(await admin.post(`/users/${userId}/roles`, { name: "other", clientId })).toMatchObject({
      status: 404,
      body: { code: "roles.unknown_client_role" },
    });
  });

  test("are granted by groups and included by roles, and are deleted with their client", async () => {
    const { id, clientId } = await client();
    const inner = (await admin.post("/roles", { name: `inner${made++}` })).body;
    await clientRole(id, { name: "order", compositeRoles: [inner.name] });
    const { groupId } = (await admin.post("/groups", { name: `group${made++}` })).body;
    expect((await admin.post(`/groups/${groupId}/roles`, { name: "order", clientId })).body).toMatchObject([{ name: "order", clientId }]);
    expect((await admin.get(`/groups/${groupId}`)).body.roleNames).toEqual([]);
    const outer = (await admin.post("/roles", { name: `outer${made++}`, compositeClientRoles: [{ clientId, name: "order" }] })).body;
    expect(outer).toMatchObject({ compositeRoles: [], compositeClientRoles: [{ clientId, name: "order" }] });
    expect((await admin.patch(`/roles/${outer.roleId}`, { compositeRoles: [] })).body, "kept where left out").toMatchObject({
      compositeClientRoles: [{ clientId, name: "order" }],
    });
    const unknown = await admin.post("/roles", { name: "never", compositeClientRoles: [{ clientId, name: "other" }] });
    expect(unknown).toMatchObject({ status: 400, body: { errors: [{ field: "compositeClientRoles", code: "unknown_role" }] } });
    const { userId } = await realm.user();
    await admin.post(`/users/${userId}/roles`, { name: outer.name });
    const names = async () => (await admin.get(`/users/${userId}/roles`)).body.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual([inner.name, outer.name, "user", "order"]);
    expect((await admin.delete(`/clients/${id}`)).status).toBe(204);
    expect(await names(), "also what came only by it").toEqual([outer.name, "user"]);
    expect((await admin.get(`/groups/${groupId}/roles`)).body).toEqual([]);
  });

  test("keep their holders, and what names them, when they are renamed", async () => {
    const { id, clientId } = await client();
    const { roleId } = await clientRole(id, { name: "order", description: "Orders" });
    await clientRole(id, { name: "return" });
    const { userId } = await realm.user();
    await admin.post(`/users/${userId}/roles`, { name: "order", clientId });
    const outer = (await admin.post("/roles", { name: `outer${made++}`, compositeClientRoles: [{ clientId, name: "order" }] })).body;
    await admin.post(`/clients/${id}/service-account/roles`, { name: "order", clientId });
    await admin.patch(`/clients/${id}`, { allowedRoles: [`${clientId}/order`] });
    const at = `/clients/${id}/roles/order`;
    expect(await admin.patch(at, { name: "RETURN" })).toMatchObject({ status: 409, body: { code: "roles.client_role_taken" } });
    expect(await admin.patch(at, { name: "order.all" })).toMatchObject({
      status: 200,
      body: { roleId, name: "order.all", description: "Orders" },
    });
    expect((await admin.get(at)).status).toBe(404);
    expect((await admin.get(`/users/${userId}/roles`)).body).toContainEqual(
      expect.objectContaining({ roleId, name: "order.all", clientId }),
    );
    expect((await admin.get(`/roles/${outer.roleId}`)).body.compositeClientRoles).toEqual([{ clientId, name: "order.all" }]);
    expect((await admin.get(`/clients/${id}/service-account/roles`)).body).toEqual([{ roleId, name: "order.all", clientId }]);
    expect((await admin.get(`/clients/${id}`)).body.allowedRoles).toEqual([`${clientId}/order.all`]);
    const events = await realm.events(`resourceType=clients&resourceId=${id}`);
    expect(events).toContainEqual(expect.objectContaining({ type: "ADMIN_UPDATE", detail: "roles order.all; renamed from order" }));
  });

  test("are replaced by the version that was read", async () => {
    const { id } = await client();
    await clientRole(id, { name: "order" });
    const at = `/clients/${id}/roles/order`;
    const { headers, body } = await admin.get(at);
    const inner = (await admin.post("/roles", { name: `inner${made++}` })).body;
    const asRead = { headers: { "if-match": String(headers.etag) } };
    const changed = await admin.put(at, { ...body, compositeRoles: [inner.name] }, asRead);
    expect(changed).toMatchObject({ status: 200, body: { compositeRoles: [inner.name] } });
    expect((await admin.put(at, body, asRead)).status).toBe(412);
    expect(await admin.put(at, { ...body, roleId: inner.roleId })).toMatchObject({ status: 400, body: { errors: [{ field: "roleId" }] } });
  });

  test("give nothing that the caller does not hold", async () => {
    const mighty = await mightyRole();
    const { id, clientId } = await client();
    expect(await lesser.post(`/clients/${id}/roles`, { name: "x", compositeRoles: [mighty.name] })).toMatchObject(denied);
    await clientRole(id, { name: "strong", compositeRoles: [mighty.name] });
    const { userId } = await realm.user();
    const { groupId } = (await admin.post("/groups", { name: `group${made++}` })).body;
    expect(await lesser.post(`/users/${userId}/roles`, { name: "strong", clientId })).toMatchObject(denied);
    expect(await lesser.post(`/groups/${groupId}/roles`, { name: "strong", clientId })).toMatchObject(denied);
    expect(await lesser.post("/roles", { name: "x", compositeClientRoles: [{ clientId, name: "strong" }] })).toMatchObject(denied);
    expect(await lesser.patch(`/clients/${id}/roles/strong`, { name: "weak" })).toMatchObject(denied);
    expect(await lesser.delete(`/clients/${id}/roles/strong`)).toMatchObject(denied);
    expect(await lesser.delete(`/clients/${id}`)).toMatchObject(denied);
  });
});

describe("a service account", () => {
  test("has the roles that it is given, and those that they include", async () => {
    const { id, clientId } = await client();
    const mighty = await mightyRole();
    const own = await clientRole(id, { name: "strong", compositeRoles: [mighty.name] });
    const at = `/clients/${id}/service-account/roles`;
    expect(await findServiceAccountPermissions(iam.core.db, realm.name, id)).toEqual([]);
    expect((await admin.post(at, { name: "strong", clientId })).body).toEqual([{ roleId: own.roleId, name: "strong", clientId }]);
    expect(await findServiceAccountPermissions(iam.core.db, realm.name, id)).toEqual(["view-events"]);
    await admin.post(at, { name: "user" });
    expect((await admin.get(at)).body.map(({ name }: { name: string }) => name)).toEqual(["user", "strong"]);
    expect((await admin.delete(`${at}?name=strong&clientId=${clientId}`)).status).toBe(204);
    expect((await admin.delete(`${at}?name=strong&clientId=${clientId}`)).status).toBe(404);
    expect((await admin.delete(at)).body.errors).toMatchObject([{ field: "name", code: "required" }]);
    expect(await findServiceAccountPermissions(iam.core.db, realm.name, id)).toEqual([]);
    const without = await client({ grantTypes: ["authorization_code"] });
    expect(await admin.post(`/clients/${without.id}/service-account/roles`, { name: "user" })).toMatchObject({
      status: 409,
      body: { code: "clients.no_service_account" },
    });
  });

  test("that holds permissions is refused to callers who do not hold them", async () => {
    const { id } = await client();
    const mighty = await mightyRole();
    const at = `/clients/${id}`;
    expect(await lesser.post(`${at}/service-account/roles`, { name: mighty.name })).toMatchObject(denied);
    await admin.post(`${at}/service-account/roles`, { name: mighty.name });
    const state = (await admin.get(at)).body;
    const jwks = {
      keys: [
        { kty: "EC", crv: "P-256", x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0" },
      ],
    };
    const sans = ["SanDns", "SanUri", "SanEmail"].map((name) => ({ [`tlsClientAuth${name}`]: "a.example" }));
    const certificates = [{ tlsClientAuthSubjectDn: "CN=a.example" }, ...sans];
    for (const change of [{ jwks }, { jwksUri: "https://a.example/jwks" }, { authMethod: "client_secret_jwt" }, ...certificates])
      expect(await lesser.put(at, { ...state, ...change }), JSON.stringify(change)).toMatchObject(denied);
    expect(await lesser.put(at, { ...state, publicClient: true, authMethod: "none", grantTypes: [] })).toMatchObject(denied);
    expect(await lesser.get(`${at}/secret`)).toMatchObject(denied);
    expect(await lesser.post(`${at}/secret`)).toMatchObject(denied);
    expect(await lesser.post(`${at}/service-account/roles`, { name: "user" })).toMatchObject(denied);
    expect(await lesser.delete(`${at}/service-account/roles?name=${mighty.name}`)).toMatchObject(denied);
    expect(await lesser.delete(at)).toMatchObject(denied);
    expect(await lesser.put(at, { ...state, name: "Renamed", enabled: false }), "what gives no control is free").toMatchObject({
      status: 200,
    });
    expect(await lesser.put(at, { ...state, enabled: true })).toMatchObject(denied);
    await admin.put(at, { ...state, grantTypes: [] });
    expect(await lesser.put(at, { ...state, enabled: true, grantTypes: ["client_credentials"] })).toMatchObject(denied);
    expect((await (await realm.as("manage-clients", "view-events")).get(`${at}/secret`)).status).toBe(200);
  });
});

test("a client by which administrators could reach the admin API needs an administrator with realm-admin", async () => {
  const adminApi = `${iam.core.config.baseUrl}/admin`;
  const web = { grantTypes: ["authorization_code"], redirectUris: ["https://evil.example/cb"] };
  expect(await lesser.post("/clients", { clientId: "evil", ...web, audience: [adminApi] })).toMatchObject(denied);
  expect(await admin.post("/clients", { clientId: adminApi })).toMatchObject({ status: 400 });
  const mine = await client(web, lesser);
  expect(await lesser.patch(`/clients/${mine.id}`, { ...web, audience: [adminApi] })).toMatchObject(denied);
  expect(await lesser.put(`/clients/${mine.id}/allowed-resources`, { allowedResources: [adminApi] })).toMatchObject(denied);
  expect((await admin.put(`/clients/${mine.id}/allowed-resources`, { allowedResources: [adminApi] })).status).toBe(200);
  expect(await lesser.patch(`/clients/${mine.id}`, { ...web, redirectUris: [] }), "nor may they send its users elsewhere").toMatchObject(
    denied,
  );
  expect(await lesser.get(`/clients/${mine.id}/secret`)).toMatchObject(denied);
  const machine = await client({ audience: [adminApi] }, lesser);
  expect(
    (await lesser.put(`/clients/${machine.id}/allowed-resources`, { allowedResources: [adminApi] })).status,
    "its roles bound it",
  ).toBe(200);
  expect(await lesser.put(`/clients/${machine.id}`, { ...web, enabled: true, publicClient: false })).toMatchObject(denied);
});
