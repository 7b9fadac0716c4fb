import { randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
let jwks: object;
beforeAll(async () => {
  iam = await sharedHarness();
  jwks = { keys: [{ ...(await exportJWK((await generateKeyPair("ES256")).publicKey)), kid: "k1" }] };
});
afterAll(() => iam?.close());

const redirectUris = ["https://bank.example/cb"];

describe("a profile", () => {
  test("sets the settings that are left out to its values", async () => {
    const realm = await iam.realm();
    const make = async (members: object) => (await realm.asMaster().post("/clients", { redirectUris, ...members })).body;
    expect(await make({ clientId: "plain" })).toMatchObject({ profile: "none", requirePkce: false, rotateRefreshTokens: true });
    expect(await make({ clientId: "modern", profile: "oauth21" })).toMatchObject({ requirePkce: true, rotateRefreshTokens: true });
    const bank = await make({ clientId: "bank", profile: "fapi2-security", jwks });
    expect(bank).toMatchObject({
      authMethod: "private_key_jwt",
      requirePkce: true,
      requirePar: true,
      requireDpop: true,
      requireSignedRequestObject: false,
      rotateRefreshTokens: false,
    });
    expect(bank).not.toHaveProperty("secret");
    const byCertificate = { authMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=bank" };
    expect(await make({ clientId: "tls", profile: "fapi2-security", ...byCertificate })).toMatchObject({ requireDpop: false });
    expect(await make({ clientId: "signer", profile: "fapi2-message-signing", jwks })).toMatchObject({ requireSignedRequestObject: true });
    const { id, secret: _, ...read } = (await realm.asMaster().get(`/clients/${bank.id}`)).body;
    expect((await realm.asMaster().put(`/clients/${id}`, { id, ...read })).status, "what GET answers is a valid PUT").toBe(200);
  });

  test("names each member that contradicts it, and stores nothing", async () => {
    const realm = await iam.realm();
    const refused = await realm.asMaster().post("/clients", {
      clientId: "bank",
      profile: "fapi2-message-signing",
      authMethod: "client_secret_basic",
      requirePkce: false,
      requirePar: false,
      requireDpop: false,
      requireSignedRequestObject: false,
      rotateRefreshTokens: true,
      codeLifetime: 61,
      grantTypes: ["authorization_code", "password"],
      accessTokenAlg: "RS256",
      idTokenAlg: "RS256",
      userinfoAlg: "RS256",
      authorizationSignedResponseAlg: "RS256",
      redirectUris: ["https://bank.example/cb", "http://localhost/cb"],
    });
    expect(refused.status).toBe(400);
    expect(refused.body.errors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual([
      ["requirePkce", "profile"],
      ["requirePar", "profile"],
      ["requireSignedRequestObject", "profile"],
      ["authMethod", "profile"],
      ["requireDpop", "profile"],
      ["accessTokenAlg", "profile"],
      ["idTokenAlg", "profile"],
      ["userinfoAlg", "profile"],
      ["authorizationSignedResponseAlg", "profile"],
      ["codeLifetime", "profile"],
      ["grantTypes", "profile"],
      ["rotateRefreshTokens", "profile"],
      ["redirectUris.1", "profile"],
    ]);
    expect((await realm.asMaster().get("/clients")).body).toEqual([]);
    const wrongKeys = { authSigningAlg: "RS256", requestObjectAlg: "RS256", jwks };
    const signing = await realm.asMaster().post("/clients", { clientId: "bank", profile: "fapi2-security", redirectUris, ...wrongKeys });
    expect(signing.body.errors.map(({ field }: { field: string }) => field)).toEqual(["authSigningAlg", "requestObjectAlg"]);
    const spa = await realm.asMaster().post("/clients", { clientId: "spa", publicClient: true, profile: "fapi2-security", redirectUris });
    expect(spa.body.errors.map(({ field }: { field: string }) => field)).toContain("authMethod");
    const old = { clientId: "old", profile: "oauth21", responseTypes: ["code", "id_token"], redirectUris };
    await realm.asMaster().put("/settings", { oidc: { implicitFlow: true } });
    expect((await realm.asMaster().post("/clients", old)).body.errors).toMatchObject([{ field: "responseTypes", code: "profile" }]);
  });

  test("a refresh token that is not replaced needs a key, if the client cannot authenticate", async () => {
    const realm = await iam.realm();
    const spa = { clientId: "spa", publicClient: true, redirectUris, rotateRefreshTokens: false };
    expect((await realm.asMaster().post("/clients", spa)).body.errors).toMatchObject([{ field: "rotateRefreshTokens", code: "unbound" }]);
    expect((await realm.asMaster().post("/clients", { ...spa, requireDpop: true })).status).toBe(201);
  });
});

test("a client whose tokens are bound gets none from the authorization endpoint, where they would not be bound", async () => {
  const realm = await iam.realm();
  await realm.asMaster().put("/settings", { oidc: { implicitFlow: true } });
  const made = (more: object) =>
    realm.asMaster().post("/clients", { clientId: randomUUID(), publicClient: false, redirectUris: ["https://app.example/cb"], ...more });
  for (const bound of [{ requireDpop: true }, { certificateBoundTokens: true }]) {
    const refused = await made({ ...bound, responseTypes: ["code", "code id_token token"] });
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ field: "responseTypes", code: "unbound" }]]);
    expect((await made({ ...bound, responseTypes: ["code", "code id_token"] })).status).toBe(201);
  }
});

describe("the least profile of a realm", () => {
  test("is the profile of new clients, and none may be weaker; existing clients may stay", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const before = (await admin.post("/clients", { clientId: "before", redirectUris })).body;
    await admin.put("/settings", { oidc: { leastProfile: "oauth21" } });
    expect((await admin.post("/clients", { clientId: "new", redirectUris })).body).toMatchObject({ profile: "oauth21", requirePkce: true });
    expect((await admin.post("/clients", { clientId: "weak", profile: "none", redirectUris })).body.errors).toMatchObject([
      { field: "profile", code: "least_profile" },
    ]);
    const change = { "content-type": "application/merge-patch+json" };
    const patch = (id: string, body: object) => admin.patch(`/clients/${id}`, body, { headers: change });
    expect((await patch(before.id, { name: "Before" })).status).toBe(200);
    expect((await patch(before.id, { profile: "oauth21", requirePkce: true })).status).toBe(200);
    expect((await patch(before.id, { profile: "none" })).body.errors).toMatchObject([{ field: "profile" }]);
    expect((await admin.post("/clients", { clientId: "bank", profile: "fapi2-security", jwks, redirectUris })).status).toBe(201);
  });

  test("counts for clients that register themselves", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/provisioning", { registration: { requireInitialAccessToken: false } });
    await realm.asMaster().put("/settings", { oidc: { leastProfile: "fapi2-security" } });
    const register = (metadata: object) => iam.browser().post(`/realms/${realm.name}/connect/register`, metadata);
    const refused = await register({ redirect_uris: redirectUris, token_endpoint_auth_method: "client_secret_basic" });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: "invalid_client_metadata",
        error_description: expect.stringContaining("token_endpoint_auth_method must be one of private_key_jwt"),
      },
    });
    const taken = await register({ redirect_uris: redirectUris, token_endpoint_auth_method: "private_key_jwt", jwks });
    expect(taken.body, taken.text).toMatchObject({ require_pushed_authorization_requests: true, dpop_bound_access_tokens: true });
    const id = taken.body.registration_client_uri.split("/").at(-1);
    expect((await realm.asMaster().get(`/clients/${id}`)).body).toMatchObject({ profile: "fapi2-security", rotateRefreshTokens: false });
  });
});
