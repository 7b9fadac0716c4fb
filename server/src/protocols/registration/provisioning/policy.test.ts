import { exportJWK, generateKeyPair } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const web = { client_name: "Shop", redirect_uris: ["https://shop.example/cb"] };
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const endpoint = (realm: RealmUnderTest) => `/realms/${realm.name}/connect/register`;

async function tokenFor(realm: RealmUnderTest): Promise<string> {
  const made = await realm.asMaster().post("/provisioning/initial-access-tokens", { count: 1 });
  expect(made.status, made.text).toBe(201);
  return made.body.token;
}

test("requires users' consent for such clients, unless the realm trusts the holders of its tokens", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const consentOf = async () => {
    const { status, body, text } = await iam.browser().post(endpoint(realm), web, bearer(await tokenFor(realm)));
    expect(status, text).toBe(201);
    return (await boss.get(`/clients?search=${body.client_id}`)).body[0].consentRequired;
  };
  expect(await consentOf()).toBe(true);
  const silent = { registration: { requireConsent: false } };
  expect((await boss.put("/provisioning", silent)).status).toBe(200);
  expect(await consentOf()).toBe(false);
  const open = { registration: { requireConsent: false, requireInitialAccessToken: false } };
  expect(await boss.put("/provisioning", open)).toMatchObject({
    status: 400,
    body: { errors: [{ field: "registration.requireConsent" }] },
  });
});

test("signed and encrypted answers are registered as they are advertised; what is not offered is refused", async () => {
  const realm = await iam.realm();
  const opened = await realm.asMaster().put("/provisioning", { registration: { requireInitialAccessToken: false } });
  expect(opened.status, opened.text).toBe(200);
  const register = (metadata: object) => iam.browser().post(endpoint(realm), metadata);
  const { body } = await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`);
  const { publicKey } = await generateKeyPair("ECDH-ES");
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), use: "enc" }] };
  const metadata: Record<string, string> = { introspection_signed_response_alg: "ES256" };
  for (const answer of ["id_token", "userinfo", "authorization", "introspection"]) {
    expect(body[`${answer}_encryption_alg_values_supported`]).toContain("ECDH-ES+A256KW");
    expect(body[`${answer}_encryption_enc_values_supported`]).toContain("A256GCM");
    metadata[`${answer}_encrypted_response_alg`] = "ECDH-ES+A256KW";
    metadata[`${answer}_encrypted_response_enc`] = "A256GCM";
  }
  expect(body.request_object_encryption_alg_values_supported).toContain("ECDH-ES");
  expect(await register({ ...web, jwks, ...metadata, request_object_encryption_alg: "ECDH-ES" })).toMatchObject({
    status: 201,
    body: metadata,
  });
  for (const member of [...Object.keys(metadata), "request_object_encryption_alg", "request_object_encryption_enc"]) {
    const refused = await register({ ...web, jwks, [member]: "HS256" });
    expect([refused.status, refused.body.error], member).toEqual([400, "invalid_client_metadata"]);
    expect(refused.body.error_description).toContain(member);
  }
});
