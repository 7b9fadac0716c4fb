import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BINDING, NAME_ID_FORMAT } from "../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import { createSamlClients } from "./index.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
let sp: Identity;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("manage-clients", "view-clients");
  sp = await makeIdentity();
});
afterAll(() => iam?.close());

let made = 0;
const at = (entityId: string) => `/saml-clients/${encodeURIComponent(entityId)}`;
const acs = "https://sp.example.com/acs";
const create = async (body: object = {}) => {
  const answer = await admin.post("/saml-clients", {
    entityId: `https://sp${made++}.example.com/metadata`,
    assertionConsumerServiceUrl: acs,
    ...body,
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const snapshots = () => createSamlClients({ db: iam.core.db, changes: iam.core.changes });

describe("a SAML client", () => {
  test("is created with entityId and assertion consumer service only; all other members are null and inherited", async () => {
    const answer = await admin.post("/saml-clients", { entityId: "https://plain.example", assertionConsumerServiceUrl: acs });
    expect(answer).toMatchObject({
      status: 201,
      headers: { location: `/admin/realms/${realm.name}${at("https://plain.example")}`, etag: '"1"' },
      body: {
        realmId: realm.name,
        entityId: "https://plain.example",
        assertionConsumerServiceUrl: acs,
        defaultAuthnContextClassRef: null,
        singleLogoutServiceUrl: null,
        signingCertificate: null,
        enabled: true,
        applicationId: null,
        options: {
          signAssertion: null,
          signResponse: null,
          wantAuthnRequestsSigned: null,
          encryptAssertion: null,
          nameIdFormat: null,
          includeAttributes: true,
          additionalAcsUrls: [],
          backChannelSloEnabled: null,
          idpInitiatedSsoEnabled: null,
          assertionLifetimeSeconds: null,
        },
      },
    });
    const read = await admin.get(at("https://plain.example"));
    const applicationId = `${realm.name}|https://plain.example`;
    expect(read.body).toEqual({ ...answer.body, applicationId });
    expect((await admin.get("/saml-clients?search=HTTPS://PLAIN")).body).toEqual([read.body]);
    expect(await admin.post("/saml-clients", { entityId: "https://plain.example", assertionConsumerServiceUrl: acs })).toMatchObject({
      status: 409,
      body: { code: "saml_clients.entity_id_taken" },
    });
    expect((await realm.events(`type=ADMIN_CREATE&resourceType=saml-clients`)).map(({ resourceId }) => resourceId)).toEqual([
      "https://plain.example",
    ]);
  });

  test("is replaced as a whole, patched by member, and deleted, each with the version that was read", async () => {
    const { entityId } = await create({ options: { signResponse: false, name: "Wiki" } });
    const read = await admin.get(at(entityId));
    const saved = await admin.put(at(entityId), read.body);
    expect(saved).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(saved.body).toEqual({ ...read.body, updatedAt: saved.body.updatedAt });
    expect((await admin.put(at(entityId), read.body, { headers: { "if-match": String(read.headers.etag) } })).status).toBe(412);
    const patched = await admin.patch(at(entityId), { options: { nameIdFormat: NAME_ID_FORMAT.email, signResponse: null } });
    expect(patched).toMatchObject({ status: 200, body: { options: { nameIdFormat: "email", signResponse: null, name: "Wiki" } } });
    expect(await admin.put(at(entityId), { assertionConsumerServiceUrl: acs })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "enabled" }] },
    });
    const plain = await admin.put(at(entityId), { assertionConsumerServiceUrl: acs, enabled: false });
    expect(plain).toMatchObject({ status: 200, body: { enabled: false, options: { nameIdFormat: null, name: null } } });
    for (const [member, value] of [
      ["realmId", "master"],
      ["entityId", "https://other.example"],
      ["applicationId", "x|y"],
      ["createdAt", 1],
    ] as const)
      expect(await admin.put(at(entityId), { ...plain.body, [member]: value }), member).toMatchObject({
        status: 400,
        body: { errors: [{ field: member }] },
      });
    expect((await admin.delete(at(entityId), { headers: { "if-match": '"1"' } })).status).toBe(412);
    expect((await admin.delete(at(entityId))).status).toBe(204);
    for (const answer of [await admin.get(at(entityId)), await admin.put(at(entityId), plain.body), await admin.delete(at(entityId))])
      expect(answer).toMatchObject({ status: 404, body: { code: "saml_clients.not_found" } });
  });

  test("is read by view-clients, written by manage-clients, and not found in another realm", async () => {
    const { entityId } = await create();
    const viewer = await realm.as("view-clients");
    expect((await viewer.get(at(entityId))).status).toBe(200);
    expect((await viewer.get("/saml-clients")).status).toBe(200);
    expect((await viewer.delete(at(entityId))).status).toBe(403);
    expect((await viewer.post("/saml-clients", { entityId: "urn:x", assertionConsumerServiceUrl: acs })).status).toBe(403);
    const outsider = await realm.as("view-users");
    expect((await outsider.get("/saml-clients")).status).toBe(403);
    const other = await iam.realm();
    expect((await other.asMaster().get(at(entityId))).status).toBe(404);
    expect((await other.asMaster().delete(at(entityId))).status).toBe(404);
    expect((await other.asMaster().get("/saml-clients")).body).toEqual([]);
  });

  onPostgres("has any entityId that SAML allows: long, with slashes, in other scripts, different only by case", async () => {
    const entityIds = [
      `https://sp.example.com/${"a".repeat(1001)}`,
      `urn:${"%2F".repeat(300)}`,
      "https://sp.example.com/?a=b&c=d#%2f|x",
      "https://sp.example.com/Metadata",
      "https://sp.example.com/metadata",
      "https://例え.テスト/メタデータ",
      "wiki",
      "import-url%2F..",
    ];
    for (const entityId of entityIds) {
      const answer = await admin.post("/saml-clients", { entityId, assertionConsumerServiceUrl: acs });
      expect(answer.status, answer.text).toBe(201);
      const location = String(answer.headers.location).slice(`/admin/realms/${realm.name}`.length);
      expect((await admin.get(location)).body.entityId).toBe(entityId);
      expect((await snapshots().get(realm.name, entityId))?.entityId).toBe(entityId);
    }
    const found = (await admin.get(`/saml-clients?search=${encodeURIComponent("https://SP.example.com/META")}`)).body;
    expect(found.map((client: { entityId: string }) => client.entityId).sort()).toEqual([entityIds[3], entityIds[4]]);
    expect((await admin.delete(at(entityIds[3]!))).status).toBe(204);
    expect((await admin.get(at(entityIds[4]!))).status).toBe(200);
    for (const entityId of ["", "a b", "a\u200bb", "a\nb", "x".repeat(1025), "x".repeat(2048), "😀".repeat(600), iam.core.config.baseUrl])
      expect(await admin.post("/saml-clients", { entityId, assertionConsumerServiceUrl: acs }), entityId).toMatchObject({
        status: 400,
        body: { errors: [{ field: "entityId" }] },
      });
    for (const path of [at("x".repeat(2048)), at("a\u0000b")]) expect((await admin.get(path)).status, path).toBe(404);
  });

  test("is listed in pages, by entityId or age", async () => {
    const own = await iam.realm();
    const master = own.asMaster();
    const ids = ["urn:c", "urn:a", "urn:B", "urn:d"];
    for (const entityId of ids) await master.post("/saml-clients", { entityId, assertionConsumerServiceUrl: acs });
    const names = (answer: { body: { entityId: string }[] }) => answer.body.map(({ entityId }) => entityId);
    expect(names(await master.get("/saml-clients"))).toEqual(["urn:a", "urn:B", "urn:c", "urn:d"]);
    expect(names(await master.get("/saml-clients?sort=-createdAt&size=2"))).toEqual(["urn:d", "urn:B"]);
    const first = await master.get("/saml-clients?size=3");
    expect(first.headers["x-total-count"]).toBe("4");
    const next = /cursor=([^&>]+)[^,]*rel="next"/.exec(String(first.headers.link))![1];
    expect(names(await master.get(`/saml-clients?size=3&cursor=${next}`))).toEqual(["urn:d"]);
    expect(names(await master.get("/saml-clients?page=1&size=3"))).toEqual(["urn:d"]);
    expect(await master.get("/saml-clients?sort=name")).toMatchObject({ status: 400, body: { errors: [{ field: "sort" }] } });
  });
});

describe("refusals, by member", () => {
  const ec = async () => (await makeIdentity("P-256")).pem;
  const cases: [string, () => object | Promise<object>][] = [
    ["assertionConsumerServiceUrl", () => ({ assertionConsumerServiceUrl: "javascript:alert(1)" })],
    ["assertionConsumerServiceUrl", () => ({ assertionConsumerServiceUrl: "http://sp.example.com/acs" })],
    ["assertionConsumerServiceUrl", () => ({ assertionConsumerServiceUrl: "https://sp.example.com/acs#x" })],
    ["assertionConsumerServiceUrl", () => ({ assertionConsumerServiceUrl: "https://user@sp.example.com/acs" })],
    ["assertionConsumerServiceUrl", () => ({ assertionConsumerServiceUrl: `${iam.core.config.baseUrl}/realms/x/account` })],
    ["singleLogoutServiceUrl", () => ({ singleLogoutServiceUrl: "data:text/html,x" })],
    ["options.additionalAcsUrls.1", () => ({ options: { additionalAcsUrls: [acs, "https://*.example.com/acs"] } })],
    ["options.sloEndpoints.0.url", () => ({ options: { sloEndpoints: [{ url: "ftp://x", binding: "post", responseUrl: null }] } })],
    ["options.logoUri", () => ({ options: { logoUri: "javascript:alert(1)" } })],
    [
      "options.acsEndpoints.0.url",
      () => ({ options: { acsEndpoints: [{ url: "https://x.example", binding: "post", index: 0, isDefault: true }] } }),
    ],
    [
      "options.acsEndpoints.1.index",
      () => ({
        options: {
          acsEndpoints: [
            { url: acs, binding: "post", index: 1, isDefault: true },
            { url: acs, binding: "artifact", index: 1, isDefault: false },
          ],
        },
      }),
    ],
    ["signingCertificate", () => ({ signingCertificate: "not a certificate" })],
    ["signingCertificate", () => ({ signingCertificate: `${sp.pem}\n${sp.pem}` })],
    ["signingCertificate", async () => ({ signingCertificate: (await makeIdentity("rsa", 1024)).pem })],
    ["options.additionalSigningCertificates.0", () => ({ options: { additionalSigningCertificates: ["AAAA"] } })],
    ["options.encryptionCertificate", async () => ({ options: { encryptionCertificate: await ec() } })],
    ["options.encryptionCertificate", () => ({ options: { encryptAssertion: true } })],
    ["signingCertificate", () => ({ options: { wantAuthnRequestsSigned: true } })],
    ["options.signAssertion", () => ({ options: { signAssertion: false, signResponse: false } })],
    ["options.assertionLifetimeSeconds", () => ({ options: { assertionLifetimeSeconds: 9 } })],
    ["options.assertionLifetimeSeconds", () => ({ options: { assertionLifetimeSeconds: 86_401 } })],
    ["options.nameIdFormat", () => ({ options: { nameIdFormat: "kerberos" } })],
    ["options.encryptionAlgorithm", () => ({ options: { encryptionAlgorithm: "http://www.w3.org/2001/04/xmlenc#tripledes-cbc" } })],
    ["entityId", () => ({ entityId: ".." })],
    ["options.defaultRelayState", () => ({ options: { defaultRelayState: " JavaScript:alert(1)" } })],
    ["options.nameIdSource", () => ({ options: { nameIdSource: "staff\u0001id" } })],
    ["options.authnContextMap.urn:gold", () => ({ options: { authnContextMap: { "urn:gold": "gold" } } })],
    ["options.browserFlow", () => ({ options: { browserFlow: "no-such-flow" } })],
    ["options.nonsense", () => ({ options: { nonsense: true } })],
    ["nonsense", () => ({ nonsense: true })],
  ];
  test.each(cases)("%s", async (field, body) => {
    const entityId = `urn:refused:${made++}`;
    const answer = await admin.post("/saml-clients", { entityId, assertionConsumerServiceUrl: acs, ...(await body()) });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
    expect((await admin.get(at(entityId))).status).toBe(404);
  });
});

describe("the snapshot of a SAML client", () => {
  test("is complete with the realm's settings, also after those have changed", async () => {
    const own = await iam.realm();
    const master = own.asMaster();
    const body = { entityId: "urn:sp", assertionConsumerServiceUrl: acs, options: { signResponse: false, nameIdFormat: "email" } };
    expect((await master.post("/saml-clients", body)).status).toBe(201);
    const clients = snapshots();
    expect((await clients.get(own.name, "urn:sp"))?.options).toMatchObject({
      ...{ signAssertion: true, signResponse: false, nameIdFormat: "email", assertionLifetimeSeconds: 300, includeAttributes: true },
      authnContextMap: { "https://refeds.org/profile/mfa": "2" },
    });
    expect((await master.patch("/settings", { saml: { signAssertion: false, assertionLifetimeSeconds: 60 } })).status).toBe(200);
    expect((await clients.get(own.name, "urn:sp"))?.options, "one signature at least").toMatchObject({
      signAssertion: true,
      assertionLifetimeSeconds: 60,
    });
    expect(await master.patch("/settings", { saml: { signResponse: false } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "saml.signResponse" }] },
    });
    expect((await master.patch(at("urn:sp"), { options: { assertionLifetimeSeconds: 90 } })).status).toBe(400);
    expect(await clients.get(own.name, "urn:other")).toBeNull();
    expect(await clients.get(realm.name, "urn:sp")).toBeNull();
  });

  test("has the consumer services with binding and index, and the logout services", async () => {
    const { entityId } = await create({
      signingCertificate: sp.pem,
      singleLogoutServiceUrl: "https://sp.example.com/slo",
      options: {
        backChannelSloEnabled: true,
        additionalAcsUrls: ["https://sp.example.com/b", "https://sp.example.com/c"],
        acsEndpoints: [
          { url: acs, binding: "post", index: 1, isDefault: false },
          { url: acs, binding: "artifact", index: 0, isDefault: false },
          { url: "https://sp.example.com/b", binding: "post", index: 7, isDefault: true },
        ],
        additionalSigningCertificates: [(await makeIdentity()).certificate],
        encryptionCertificate: sp.certificate,
      },
    });
    const snapshot = (await snapshots().get(realm.name, entityId))!;
    expect(
      snapshot.assertionConsumerServices.map(({ location, binding, index, isDefault }) => [location, binding, index, isDefault]),
    ).toEqual([
      [acs, BINDING.post, 1, null],
      [acs, BINDING.artifact, 0, null],
      ["https://sp.example.com/b", BINDING.post, 7, true],
      ["https://sp.example.com/c", BINDING.post, 2, null],
    ]);
    expect(snapshot.singleLogoutServices.map(({ binding }) => binding)).toEqual([BINDING.redirect, BINDING.soap]);
    expect(snapshot.verificationKeys).toHaveLength(2);
    expect(snapshot.encryptionCertificate).toBe(sp.certificate);
    const moved = await admin.patch(at(entityId), { assertionConsumerServiceUrl: "https://sp.example.com/moved" });
    expect(moved, moved.text).toMatchObject({ status: 200, body: { options: { acsEndpoints: [{ index: 7 }] } } });
  });
});
