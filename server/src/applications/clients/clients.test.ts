import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { createClients } from "./index.ts";

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
const create = async (body: object = {}) => {
  const answer = await admin.post("/clients", { clientId: `client${made++}`, ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const snapshots = () => createClients({ db: iam.core.db, vault: iam.core.vault, changes: iam.core.changes });

describe("a client", () => {
  test("takes the full state as the contract has it, which does not name `enabled`, and keeps its state", async () => {
    const { id, clientId } = await create();
    const state = { publicClient: false, grantTypes: ["authorization_code"], redirectUris: ["https://shop.example.com/cb"] };
    const full = { id, clientId, name: "Shop", ...state, webOrigins: [], scopes: [] };
    for (const enabled of [true, false]) {
      expect((await admin.patch(`/clients/${id}`, { enabled })).status).toBe(200);
      const saved = await admin.put(`/clients/${id}`, full);
      expect(saved.status, saved.text).toBe(200);
      expect(saved.body).toMatchObject({ ...full, enabled });
    }
  });

  test("is created by its id alone, with a secret that no other read shows", async () => {
    const answer = await admin.post("/clients", { clientId: "plain" });
    expect(answer.status).toBe(201);
    const { secret, ...client } = answer.body;
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(client).toMatchObject({
      realmId: realm.name,
      clientId: "plain",
      name: null,
      enabled: true,
      publicClient: false,
      grantTypes: ["authorization_code", "refresh_token"],
      redirectUris: [],
      webOrigins: [],
      scopes: [],
      authMethod: "client_secret",
      consentRequired: false,
      firstParty: false,
      requirePkce: false,
    });
    const read = await admin.get(`/clients/${client.id}`);
    expect(read.body).toEqual(client);
    expect([answer.headers.etag, read.headers.etag]).toEqual(['"1"', expect.stringMatching(/^"1\.[\w-]+"$/)]);
    expect((await admin.get("/clients?search=PLA")).body).toEqual([client]);
    expect((await admin.get(`/clients?search=PLA&publicClient=${client.publicClient}`)).body).toEqual([client]);
    expect((await admin.get(`/clients?search=PLA&publicClient=${!client.publicClient}`)).body).toEqual([]);
    expect((await admin.get(`/clients?search=${client.id}`)).body).toEqual([client]);
    const { rows } = await iam.core.db
      .selectFrom("clients")
      .select("secret")
      .where("id", "=", client.id)
      .execute()
      .then((rows) => ({ rows }));
    expect(rows[0]!.secret).toMatch(/^v1\./);
    expect(await admin.post("/clients", { clientId: "plain" })).toMatchObject({ status: 409, body: { code: "clients.client_id_taken" } });
    const events = await realm.events(`resourceId=${client.id}`);
    expect(events.map(({ type, detail }) => [type, detail])).toEqual([["ADMIN_CREATE", "plain"]]);
    expect(iam.output.join("")).not.toContain(secret);
  });

  test("is replaced by PUT: the answer of GET is valid, and a member that is left out returns to its default", async () => {
    const {
      id,
      secret: _,
      ...client
    } = await create({
      name: "Shop",
      grantTypes: ["device", "urn:openid:params:grant-type:ciba", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"],
      redirectUris: ["https://shop.example.com/cb"],
      scopes: ["openid", "email"],
      accessTokenLifetime: 60,
      cibaDeliveryMode: "poll",
    });
    expect(client.grantTypes).toEqual(["client_credentials", "device", "CIBA"]);
    const read = await admin.get(`/clients/${id}`);
    const seen = { headers: { "if-match": String(read.headers.etag) } };
    const same = await admin.put(`/clients/${id}`, read.body, seen);
    expect(same.status, same.text).toBe(200);
    expect({ ...same.body, updatedAt: 0 }).toEqual({ ...read.body, updatedAt: 0 });
    expect(await admin.put(`/clients/${id}`, read.body, seen)).toMatchObject({ status: 412 });
    const missing = await admin.put(`/clients/${id}`, { name: "Shop" });
    expect(missing).toMatchObject({ status: 400, body: { errors: [{ field: "publicClient" }] } });
    expect((await admin.put(`/clients/${id}`, { enabled: false, publicClient: false })).body).toMatchObject({
      enabled: false,
      name: null,
      scopes: [],
      accessTokenLifetime: null,
    });
    const refused = await admin.put(`/clients/${id}`, { clientId: "other", realmId: "other", foo: 1, enabled: true, publicClient: false });
    expect(refused.body.errors).toMatchObject([{ field: "foo", code: "unknown" }]);
    expect((await admin.put(`/clients/${id}`, { clientId: "other", enabled: true, publicClient: false })).body.errors).toMatchObject([
      { field: "clientId", code: "read_only" },
    ]);
    expect((await admin.delete(`/clients/${id}`)).status).toBe(204);
    expect((await admin.get(`/clients/${id}`)).status).toBe(404);
  });

  const key = {
    kty: "EC",
    crv: "P-256",
    x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  };
  test.each<[object, string, string]>([
    [{ redirectUris: ["https://a.example/#x"] }, "redirectUris.0", "fragment"],
    [{ redirectUris: ["https://a.example/", "https://u:p@a.example/"] }, "redirectUris.1", "userinfo"],
    [{ redirectUris: ["https://*.example/"] }, "redirectUris.0", "wildcard"],
    [{ redirectUris: ["http://a.example/"] }, "redirectUris.0", "scheme"],
    [{ redirectUris: ["https://a.example/x/../y"] }, "redirectUris.0", "format"],
    [{ redirectUris: ["https://A.example/"] }, "redirectUris.0", "format"],
    [{ redirectUris: ["javascript:alert(1)"], applicationType: "native" }, "redirectUris.0", "scheme"],
    [{ redirectUris: ["com.example.app:/cb"] }, "redirectUris.0", "scheme"],
    [{ redirectUris: ["https://localhost/cb"], applicationType: "native" }, "redirectUris.0", "scheme"],
    [{ redirectUris: ["/relative"] }, "redirectUris.0", "format"],
    [{ postLogoutRedirectUris: ["http://a.example/"] }, "postLogoutRedirectUris.0", "scheme"],
    [{ webOrigins: ["*"] }, "webOrigins.0", "wildcard"],
    [{ webOrigins: ["https://a.example/path"] }, "webOrigins.0", "format"],
    [{ webOrigins: ["null"] }, "webOrigins.0", "format"],
    [{ webOrigins: ["file://host"] }, "webOrigins.0", "format"],
    [{ webOrigins: ["data://host"] }, "webOrigins.0", "format"],
    [{ webOrigins: ["javascript://host"] }, "webOrigins.0", "format"],
    [{ webOrigins: ["capacitor://localhost/"] }, "webOrigins.0", "format"],
    [{ webOrigins: ["capacitor:localhost"] }, "webOrigins.0", "format"],
    [{ webOrigins: ["http://app.example"] }, "webOrigins.0", "scheme"],
    [{ authMethod: "tls_client_auth", tlsClientAuthSubjectDn: "robot" }, "tlsClientAuthSubjectDn", "format"],
    [{ authMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=robot,O" }, "tlsClientAuthSubjectDn", "format"],
    [{ authMethod: "tls_client_auth", tlsClientAuthSubjectDn: " " }, "tlsClientAuthSubjectDn", "format"],
    [{ publicClient: true, authMethod: "client_secret" }, "authMethod", "public"],
    [{ authMethod: "none" }, "authMethod", "confidential"],
    [{ authMethod: "private_key_jwt" }, "jwks", "required"],
    [{ authMethod: "tls_client_auth" }, "tlsClientAuthSubjectDn", "required"],
    [{ jwks: { keys: [{ ...key, d: "c2VjcmV0" }] } }, "jwks.keys.0.d", "private"],
    [{ jwks: { keys: [{ kty: "oct", k: "c2VjcmV0" }] } }, "jwks.keys.0.k", "private"],
    [{ jwks: { keys: [{ ...key, x: "AAAA" }] } }, "jwks.keys.0", "key"],
    [{ jwks: { keys: [{ kty: "RSA", n: "sXchhQ", e: "AQAB" }] } }, "jwks.keys.0", "key"],
    [
      {
        jwks: {
          keys: [
            { ...key, kid: "a" },
            { ...key, kid: "a" },
          ],
        },
      },
      "jwks.keys.1.kid",
      "repeated",
    ],
    [{ jwks: { keys: [key] }, jwksUri: "https://a.example/jwks" }, "jwksUri", "exclusive"],
    [{ jwksUri: "http://127.0.0.1/jwks" }, "jwksUri", "scheme"],
    [{ backchannelLogoutUri: "http://a.example/" }, "backchannelLogoutUri", "scheme"],
    [{ accessTokenLifetime: 1 }, "accessTokenLifetime", "minimum"],
    [{ codeLifetime: 601 }, "codeLifetime", "maximum"],
    [{ subjectClaim: { strategy: "attribute" } }, "subjectClaim.attribute", "required"],
    [
      { subjectClaim: { strategy: "pairwise" }, redirectUris: ["https://a.example/", "https://b.example/"] },
      "sectorIdentifierUri",
      "required",
    ],
    [{ publicClient: true, grantTypes: ["client_credentials"] }, "grantTypes", "confidential"],
    [{ publicClient: true, grantTypes: ["CIBA"] }, "grantTypes", "confidential"],
    [{ publicClient: true, grantTypes: ["token-exchange"] }, "grantTypes", "confidential"],
    [{ grantTypes: ["implicit"] }, "grantTypes.0", "enum"],
    [{ grantTypes: ["CIBA"], cibaDeliveryMode: "ping" }, "cibaNotificationEndpoint", "required"],
    [{ authSigningAlg: "RS256" }, "authSigningAlg", "enum"],
    [{ requestObjectAlg: "none" }, "requestObjectAlg", "enum"],
    [{ scopes: ["emial"] }, "scopes", "unknown_scope"],
    [{ scopes: Array.from({ length: 201 }, (_, n) => `s${n}`) }, "scopes", "too_many"],
    [{ redirectUris: [`https://a.example/${"x".repeat(2048)}`] }, "redirectUris.0", "too_long"],
    [{ clientId: "with space" }, "clientId", "pattern"],
    [{ clientId: ".." }, "clientId", "pattern"],
    [{ secret: "mine" }, "secret", "too_short"],
  ])("refuses %j", async (body, field, code) => {
    const answer = await admin.post("/clients", { clientId: "refused", ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ field, code }));
    expect(answer.text).not.toContain("c2VjcmV0");
  });

  test("may name the origins of apps in a WebView and of extensions", async () => {
    const webOrigins = ["capacitor://localhost", "ionic://localhost", "chrome-extension://abcdefghijklmnopabcdefghijklmnop"];
    expect(await create({ webOrigins })).toMatchObject({ webOrigins });
  });

  test("may use loopback, its own schemes and keys, if that is safe", async () => {
    await create({ redirectUris: ["http://127.0.0.1:3000/cb", "http://localhost/cb", "https://app.example.com"], webOrigins: ["+"] });
    const native = await create({
      publicClient: true,
      applicationType: "native",
      redirectUris: ["com.example.app:/cb", "http://[::1]/cb"],
    });
    expect(native).toMatchObject({ authMethod: "none" });
    expect(native.secret).toBeUndefined();
    const withKeys = await create({ authMethod: "private_key_jwt", jwks: { keys: [key] } });
    expect(withKeys.secret).toBeUndefined();
    expect(await admin.get(`/clients/${withKeys.id}/secret`)).toMatchObject({ status: 409, body: { code: "clients.no_secret" } });
  });
});

describe("as protocols see it, a client", () => {
  test("has its decrypted secrets, all origins and mappers, and is loaded again after each change", async () => {
    const clients = snapshots();
    const { id, clientId, secret } = await create({
      redirectUris: ["https://a.example/cb"],
      webOrigins: ["+", "https://b.example"],
      grantTypes: ["device"],
    });
    const first = await clients.get(realm.name, clientId);
    expect(first).toMatchObject({
      id,
      secrets: [{ value: secret, until: null }],
      webOrigins: ["https://a.example", "https://b.example"],
      grantTypes: ["urn:ietf:params:oauth:grant-type:device_code"],
      settings: { authMethod: "client_secret" },
      mappers: [],
    });
    expect(first!.settings).not.toHaveProperty("grantTypes");
    expect(await clients.get((await iam.realm()).name, clientId)).toBeNull();
    expect(await clients.get(realm.name, "nul\u0000")).toBeNull();
    await admin.post(`/clients/${id}/mappers`, { name: "kind", claim: "kind", source: "constant", value: "shop" });
    expect((await clients.get(realm.name, clientId))!.mappers).toMatchObject([
      { name: "kind", claim: "kind", source: "constant", value: "shop" },
    ]);
    await admin.patch(`/clients/${id}`, { enabled: false });
    expect(await clients.get(realm.name, clientId)).toMatchObject({ enabled: false });
    await admin.delete(`/clients/${id}`);
    expect(await clients.get(realm.name, clientId)).toBeNull();
  });

  test("gains the new members if an older release stored it", async () => {
    const { id, clientId } = await create();
    await iam.core.db
      .updateTable("clients")
      .set({ settings: JSON.stringify({ redirectUris: ["https://old.example/"] }) })
      .where("id", "=", id)
      .execute();
    expect((await snapshots().get(realm.name, clientId))!.settings).toMatchObject({
      authMethod: "client_secret",
      contacts: [],
      requireDpop: false,
    });
    expect((await admin.get(`/clients/${id}`)).body).toMatchObject({ redirectUris: ["https://old.example/"], audience: [] });
  });
});

describe("a client's secret", () => {
  test("is revealed with an event, and not if the realm forbids it", async () => {
    const other = await iam.realm();
    const by = other.asMaster();
    const { id, secret } = (await by.post("/clients", { clientId: "shop" })).body;
    expect(await by.get(`/clients/${id}/secret`)).toMatchObject({ status: 200, body: { secret, previousSecretUntil: null } });
    expect(await other.events("type=CLIENT_SECRET_REVEALED")).toMatchObject([{ category: "SECURITY", resourceId: id, detail: "shop" }]);
    await by.put("/settings", { clientSecretReveal: false });
    expect(await by.get(`/clients/${id}/secret`)).toMatchObject({ status: 403, body: { code: "clients.reveal_off" } });
    expect((await by.post(`/clients/${id}/secret`)).status).toBe(200);
    expect(await other.events("type=CLIENT_SECRET_REVEALED")).toHaveLength(1);
  });

  test("is regenerated; the old one ends at once, or with the overlap", async () => {
    const clients = snapshots();
    const { id, clientId, secret: first } = await create();
    const { secret: second, previousSecretUntil } = (await admin.post(`/clients/${id}/secret`)).body;
    expect(previousSecretUntil).toBeNull();
    expect((await clients.get(realm.name, clientId))!.secrets).toEqual([{ value: second, until: null }]);
    const rotated = (await admin.post(`/clients/${id}/secret`, { overlapSeconds: 60 })).body;
    expect(rotated.previousSecretUntil).toBeGreaterThan(clock.now() + 30_000);
    expect((await clients.get(realm.name, clientId))!.secrets).toEqual([
      { value: rotated.secret, until: null },
      { value: second, until: rotated.previousSecretUntil },
    ]);
    expect(new Set([first, second, rotated.secret]).size).toBe(3);
    expect(await realm.events(`type=CLIENT_SECRET_ROTATED&resourceId=${id}`)).toHaveLength(2);
    expect((await admin.post(`/clients/${id}/secret`, { overlapSeconds: -1 })).status).toBe(400);
  });

  test("is created and deleted with the authentication method", async () => {
    const { id, secret } = await create();
    await admin.put(`/clients/${id}`, { enabled: true, publicClient: true });
    expect(await admin.get(`/clients/${id}/secret`)).toMatchObject({ status: 409 });
    expect(await admin.post(`/clients/${id}/secret`)).toMatchObject({ status: 409, body: { code: "clients.no_secret" } });
    const back = await admin.put(`/clients/${id}`, { enabled: true, publicClient: false });
    expect(back.body.secret).toMatch(/^[\w-]{43}$/);
    expect(back.body.secret).not.toBe(secret);
    expect((await admin.get(`/clients/${id}/secret`)).body.secret).toBe(back.body.secret);
  });
});

test("mappers of a client are added, replaced and deleted under the rules of claims", async () => {
  const { id } = await create();
  const at = `/clients/${id}/mappers`;
  const input = { name: "Department", claim: "department", source: "attribute", value: "department" };
  const created = await admin.post(at, input);
  expect(created).toMatchObject({ status: 201, body: { ...input, type: "string", multivalued: false, targets: ["idToken", "userinfo"] } });
  expect(await admin.post(at, { ...input, name: "department" })).toMatchObject({
    status: 409,
    body: { code: "clients.mapper_name_taken" },
  });
  expect((await admin.post(at, { ...input, name: "x", claim: "sub" })).body.errors).toMatchObject([{ field: "claim" }]);
  const { mapperId } = created.body;
  const put = await admin.put(`${at}/${mapperId}`, { ...created.body, multivalued: true });
  expect(put).toMatchObject({ status: 200, body: { multivalued: true } });
  expect((await admin.get(at)).body).toEqual([put.body]);
  const other = await create();
  expect((await admin.delete(`/clients/${other.id}/mappers/${mapperId}`)).status).toBe(404);
  expect((await admin.delete(`${at}/${mapperId}`)).status).toBe(204);
  expect((await admin.get(at)).body).toEqual([]);
});

test("allowed resources are absolute URIs without a fragment", async () => {
  const { id } = await create();
  const at = `/clients/${id}/allowed-resources`;
  expect((await admin.get(at)).body).toEqual({ allowedResources: [] });
  const allowedResources = ["https://api.example.com/", "urn:example:api"];
  expect(await admin.put(at, { allowedResources })).toMatchObject({ status: 200, body: { allowedResources } });
  const refused = await admin.put(at, { allowedResources: ["https://a.example/#f", "relative"] });
  expect(refused.body.errors).toMatchObject([
    { field: "allowedResources.0", code: "fragment" },
    { field: "allowedResources.1", code: "format" },
  ]);
  expect((await admin.get(at)).body).toEqual({ allowedResources });
});
