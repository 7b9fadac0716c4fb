import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const must = ({ status, text, body }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};
const payloadOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1]!, "base64url").toString());

test("the paths of Keycloak answer where the realm asks for them; tokens of the profile have what its libraries read", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const api = await relyingParty(iam, realm, {
    clientId: "api",
    publicClient: false,
    redirectUris: [],
    grantTypes: ["client_credentials"],
  });
  const there = "/protocol/openid-connect";
  const token = (path = `${there}/token`) => api.post(path, { grant_type: "client_credentials" });
  expect((await token()).status, "off by default").toBe(404);
  must(await admin.patch("/settings", { oidc: { keycloakPaths: true } }));
  const { access_token: own } = must(await token());
  expect(payloadOf(own)).not.toHaveProperty("typ");
  // Caller, limits and errors are those of the endpoint.
  expect(must(await api.post(`${there}/token/introspect`, { token: own }))).toMatchObject({ active: true, client_id: "api" });
  expect((await iam.browser().request("POST", `/realms/${realm.name}${there}/token`, { form: {}, csrf: false })).body.error).toBe(
    "invalid_request",
  );
  const at = (path: string) => `/realms/${realm.name}${path}`;
  const [certs, jwks] = [await iam.browser().get(at(`${there}/certs`)), await iam.browser().get(at("/jwks"))];
  expect([certs.status, certs.body]).toEqual([200, jwks.body]);
  expect((await iam.browser().get(at(`${there}/userinfo`))).status).toBe(401);
  expect((await iam.browser().get(at(`${there}/auth?client_id=nobody&response_type=code`))).status).toBe(400);
  expect((await iam.browser().get(at(`${there}/unknown`))).status).toBe(404);
  expect((await iam.browser().get(`/realms/no-such-realm${there}/certs`)).status).toBe(404);

  must(await admin.post("/roles", { name: "clerk" }));
  must(await admin.post(`/clients/${api.id}/roles`, { name: "reader" }));
  const { userId, ...user } = await realm.user();
  must(await admin.post(`/users/${userId}/roles`, { name: "clerk" }));
  must(await admin.post(`/users/${userId}/roles`, { name: "reader", clientId: "api" }));
  const signedIn = async (clientId: string, members: object) => {
    const app = await relyingParty(iam, realm, { clientId, audience: ["api"], ...members });
    return must(await app.signIn(iam.browser(), user));
  };
  const plain = await signedIn("plain", {});
  for (const claim of ["typ", "azp", "realm_access", "resource_access"])
    expect(payloadOf(plain.access_token), claim).not.toHaveProperty(claim);
  const profiled = await signedIn("profiled", { tokenProfile: "keycloak" });
  expect(payloadOf(profiled.access_token)).toMatchObject({
    ...{ typ: "Bearer", azp: "profiled", client_id: "profiled" },
    realm_access: { roles: expect.arrayContaining(["clerk"]) },
    resource_access: { api: { roles: ["reader"] } },
  });
  expect(payloadOf(profiled.id_token)).toMatchObject({ typ: "ID", azp: "profiled", aud: "profiled" });
  expect(payloadOf(profiled.id_token)).not.toHaveProperty("realm_access");
});
