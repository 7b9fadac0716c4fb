import { generateKeyPairSync } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
});
afterAll(() => iam?.close());

let made = 0;
const client = async () => {
  const answer = await realm.asMaster().post("/clients", { clientId: `workload${made++}`, grantTypes: ["client_credentials"] });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as { id: string; clientId: string };
};
const trust = async (clientId: string) => {
  const body = { name: `credential ${made++}`, issuer: "https://k8s.example", subject: `pod${made}`, audience: "here", clientId };
  const answer = await realm.asMaster().post("/workload-identity", body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body as { id: string };
};

test("a credential is refused with the field if it could exchange tokens of this server, or if it names an address without https", async () => {
  const { clientId } = await client();
  const valid = { name: "x", issuer: "https://issuer.example", subject: "s", audience: "a", clientId };
  const boss = realm.asMaster();
  const fieldsOf = async (more: object) => {
    const { status, body } = await boss.post("/workload-identity", { ...valid, ...more });
    return [status, ...(body.errors ?? []).map(({ field }: { field: string }) => field)];
  };
  expect(await fieldsOf({ issuer: "http://issuer.example" })).toEqual([400, "issuer"]);
  expect(await fieldsOf({ jwksUri: "http://issuer.example/keys" })).toEqual([400, "jwksUri"]);
  expect(await fieldsOf({ issuer: `${iam.config.baseUrl}/realms/${realm.name}`, jwksUri: "https://issuer.example/keys" })).toEqual([
    400,
    "issuer",
  ]);
  expect(await fieldsOf({ subject: "repo:acme/*" })).toEqual([400, "subject"]);
  expect(await fieldsOf({ clientId: "nobody" })).toEqual([400, "clientId"]);
  expect(await fieldsOf({ scopes: "nonsense" })).toEqual([400, "scopes"]);
  expect(await fieldsOf({ subjectClaim: "__proto__" })).toEqual([400, "subjectClaim"]);
  expect(await fieldsOf({ conditions: { "a..b": "1" } })).toEqual([400, "conditions.a..b"]);
  expect(await fieldsOf({ maxTokenSeconds: 86_401 })).toEqual([400, "maxTokenSeconds"]);
  expect((await fieldsOf({ jwks: { keys: [generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })] } }))[0]).toBe(400);
  expect(await fieldsOf({})).toEqual([201]);
  expect((await boss.post("/workload-identity", valid)).body.code).toMatch(/taken/);
  expect((await boss.post("/workload-identity", { ...valid, name: "y" })).body.code).toBe("workload.match_taken");
  const list = await boss.get(`/workload-identity?clientId=${clientId}`);
  expect(list.body).toMatchObject([{ ...valid, subjectClaim: "sub", maxTokenSeconds: 3600, singleUse: false, enabled: true, jwks: null }]);
});

test("a credential needs the permissions of its client's service account, also to change and to delete it", async () => {
  const powerful = await client();
  const boss = realm.asMaster();
  await boss.post("/roles", { name: "keeper" });
  const [role] = (await boss.get("/roles?search=keeper")).body;
  await boss.put(`/admin-roles/${role.roleId}`, { permissions: ["manage-users"] });
  await boss.post(`/clients/${powerful.id}/service-account/roles`, { name: "keeper" });
  const credential = await trust(powerful.clientId);
  const weak = await realm.as("view-clients", "manage-clients");
  const { clientId } = await client();
  const valid = { name: "mine", issuer: "https://issuer2.example", subject: "s", audience: "a" };
  expect((await weak.post("/workload-identity", { ...valid, clientId: powerful.clientId })).status).toBe(403);
  const { body: own } = await weak.post("/workload-identity", { ...valid, clientId });
  expect(own).toMatchObject({ clientId });
  expect((await weak.patch(`/workload-identity/${own.id}`, { clientId: powerful.clientId })).status).toBe(403);
  expect((await weak.patch(`/workload-identity/${credential.id}`, { subject: "mine" })).status).toBe(403);
  expect((await weak.delete(`/workload-identity/${credential.id}`)).status).toBe(403);
  // The credential is deleted with its client.
  await boss.delete(`/clients/${powerful.id}`);
  expect((await boss.get(`/workload-identity/${credential.id}`)).status).toBe(404);
  const other = await iam.realm();
  expect((await other.asMaster().get(`/workload-identity/${own.id}`)).status).toBe(404);
});

test("a scope that a credential lists cannot be deleted; a credential that lists a deleted one can still be disabled", async () => {
  const boss = realm.asMaster();
  const { scopeId } = (await boss.post("/client-scopes", { name: "deploy" })).body;
  const { clientId } = await client();
  const { id } = await trust(clientId);
  const at = `/workload-identity/${id}`;
  expect((await boss.patch(at, { scopes: "roles deploy" })).status).toBe(200);
  const { name } = (await boss.get(at)).body;
  expect(await boss.delete(`/client-scopes/${scopeId}`)).toMatchObject({
    status: 409,
    body: { code: "client_scopes.in_use", detail: expect.stringContaining(`Workload credentials list this scope: ${name}.`) },
  });
  await sql`delete from client_scopes where realm_id = ${realm.name} and scope_id = ${scopeId}`.execute(iam.core.db);
  expect((await boss.put(at, (await boss.get(at)).body)).status).toBe(200);
  expect((await boss.patch(at, { enabled: false })).body).toMatchObject({ enabled: false, scopes: "roles deploy" });
  expect((await boss.patch(at, { scopes: "deploy nonsense" })).body.errors).toMatchObject([
    { message: expect.stringContaining("nonsense") },
  ]);
});
