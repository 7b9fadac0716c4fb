import { afterAll, beforeAll, expect, test } from "vitest";
import { ATTRIBUTE_NAME_FORMAT } from "../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { createSamlClients } from "./index.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("manage-clients", "view-clients");
});
afterAll(() => iam?.close());

let made = 0;
const create = async () => {
  const entityId = `https://sp${made++}.example.com/metadata`;
  expect((await admin.post("/saml-clients", { entityId, assertionConsumerServiceUrl: "https://sp.example.com/acs" })).status).toBe(201);
  return { entityId, at: `/saml-clients/${encodeURIComponent(entityId)}/mappers` };
};
const mail = { name: "mail", source: "property", value: "email", samlName: "urn:oid:0.9.2342.19200300.100.1.3" };

test("a mapper is added, read, replaced, patched and deleted; the snapshot follows", async () => {
  const { entityId, at } = await create();
  const clients = createSamlClients({ db: iam.core.db, changes: iam.core.changes });
  expect((await clients.get(realm.name, entityId))?.mappers).toEqual([]);
  const answer = await admin.post(at, mail);
  expect(answer, answer.text).toMatchObject({
    status: 201,
    body: { ...mail, samlNameFormat: "uri", type: "string", multivalued: false, claim: mail.samlName },
  });
  const item = `${at}/${answer.body.mapperId}`;
  expect(answer.headers.location).toBe(`/admin/realms/${realm.name}${item}`);
  expect((await admin.get(item)).body).toEqual(answer.body);
  expect((await admin.get(at)).body).toEqual([answer.body]);
  expect((await clients.get(realm.name, entityId))?.mappers).toMatchObject([
    { name: "mail", samlName: mail.samlName, samlNameFormat: ATTRIBUTE_NAME_FORMAT.uri, source: "property" },
  ]);
  expect((await admin.put(item, answer.body)).body).toEqual(answer.body);
  const patched = await admin.patch(item, { samlName: "email", samlNameFormat: ATTRIBUTE_NAME_FORMAT.basic, multivalued: true });
  expect(patched).toMatchObject({
    status: 200,
    body: { samlName: "email", samlNameFormat: ATTRIBUTE_NAME_FORMAT.basic, multivalued: true },
  });
  expect((await admin.put(item, mail, { headers: { "if-match": '"1"' } })).status).toBe(412);
  expect(await admin.post(at, { ...mail, name: "MAIL" })).toMatchObject({ status: 409, body: { code: "saml_clients.mapper_name_taken" } });
  expect((await realm.events("type=ADMIN_UPDATE&resourceType=saml-clients")).map(({ detail }) => detail)).toEqual([
    "mappers mail",
    "mappers mail",
    "mappers +mail",
  ]);
  expect((await admin.delete(item)).status).toBe(204);
  expect(await admin.get(item)).toMatchObject({ status: 404, body: { code: "saml_clients.mapper_not_found" } });
  expect((await clients.get(realm.name, entityId))?.mappers).toEqual([]);
});

test("a mapper of a client may be copied, and one without a name for the attribute takes the claim's", async () => {
  const { at } = await create();
  const { id } = (await admin.post("/clients", { clientId: "shop" })).body;
  const mapper = { name: "team", claim: "team", source: "attribute", value: "team", targets: ["idToken"] };
  expect((await admin.post(`/clients/${id}/mappers`, mapper)).status).toBe(201);
  expect((await admin.post(at, mapper)).body).toMatchObject({ ...mapper, samlName: "team", samlNameFormat: "basic" });
});

test("an invalid mapper is refused by its member; mappers of others are not found", async () => {
  const { at } = await create();
  for (const [field, body] of [
    ["samlName", { name: "x", source: "property" }],
    ["samlName", { ...mail, samlName: "a\u0007b" }],
    ["samlNameFormat", { ...mail, samlNameFormat: "urn:other" }],
    ["value", { ...mail, source: "attribute", value: null }],
    ["value", { ...mail, source: "roles", value: "client" }],
    ["value", { ...mail, value: "passwordHash" }],
    ["nonsense", { ...mail, nonsense: 1 }],
  ] as const) {
    const answer = await admin.post(at, body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  }
  const { mapperId } = (await admin.post(at, mail)).body;
  const other = await create();
  for (const answer of [
    await admin.get(`${other.at}/${mapperId}`),
    await admin.delete(`${other.at}/${mapperId}`),
    await admin.put(`${other.at}/${mapperId}`, mail),
    await admin.get(`${at}/nonsense`),
    await admin.get(`/saml-clients/urn:none/mappers`),
    await (await iam.realm()).asMaster().get(`${at}/${mapperId}`),
  ])
    expect(answer.status).toBe(404);
  const viewer = await realm.as("view-clients");
  expect((await viewer.get(`${at}/${mapperId}`)).status).toBe(200);
  expect((await viewer.delete(`${at}/${mapperId}`)).status).toBe(403);
  expect((await admin.get(`/claims`)).status, "not one of the realm").toBe(200);
  expect(JSON.stringify((await realm.asMaster().get("/claims")).body)).not.toContain(mapperId);
});
