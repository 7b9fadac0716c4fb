import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { fapiClient } from "../../testing/fapi-client.ts";
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
    "invalid_client",
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

test("scripts, proofs and assertions may name the paths of Keycloak, and a client signs out by its refresh token", async () => {
  const realm = await iam.realm();
  const there = "/protocol/openid-connect";
  const at = (path: string) => `/realms/${realm.name}${path}`;
  const keyed = { clientId: "keyed", profile: "none", authMethod: "private_key_jwt", grantTypes: ["client_credentials"], redirectUris: [] };
  const key = await fapiClient(iam, realm, keyed);
  const ask = async (path: string) => {
    const form = { grant_type: "client_credentials", client_assertion: await key.assertion({ aud: `${key.issuer}${there}/token` }) };
    return key.post(path, form, { dpop: await key.proof(`${there}/token`) });
  };
  const app = await relyingParty(iam, realm, { publicClient: false });
  const signOut = (form: Record<string, string>) => app.post(`${there}/logout`, form);
  const preflight = (path: string) =>
    iam.browser().request("OPTIONS", at(path), {
      headers: {
        origin: "https://spa.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
  expect((await ask("/token")).body.error, "off by default").toBe("invalid_client");
  expect((await preflight(`${there}/token`)).status).toBe(404);
  expect((await signOut({ refresh_token: "x" })).status).toBe(404);
  must(await realm.asMaster().patch("/settings", { oidc: { keycloakPaths: true } }));

  for (const path of ["/token", "/userinfo", "/revoke"])
    expect(await preflight(`${there}${path}`), path).toMatchObject({
      status: 204,
      headers: { "access-control-allow-origin": "https://spa.example", "access-control-allow-headers": "authorization" },
    });
  expect(must(await ask(`${there}/token`))).toMatchObject({ token_type: "DPoP" });

  const browser = iam.browser();
  const { refresh_token } = must(await app.signIn(browser, await realm.user()));
  const other = await relyingParty(iam, realm, { clientId: "other" });
  expect((await other.post(`${there}/logout`, { refresh_token })).body.error, "of another client").toBe("invalid_grant");
  expect((await other.post(`${there}/logout`, { refresh_token, client_id: "app" })).body.error, "without the secret").toBe(
    "invalid_client",
  );
  const silent = async () => String((await browser.get(app.url({ prompt: "none" }))).headers.location);
  expect(await silent()).toContain("code=");
  expect((await signOut({ refresh_token })).status).toBe(204);
  expect(await silent(), "the user is signed out").toContain("error=login_required");
  expect((await app.post("/token", { grant_type: "refresh_token", refresh_token })).body.error).toBe("invalid_grant");
  expect((await signOut({ refresh_token })).body.error, "again").toBe("invalid_grant");
  expect(await realm.events("type=LOGOUT")).toMatchObject([{ detail: "asked by app" }]);
  // A form of OpenID Connect is for browsers.
  expect(await signOut({ id_token_hint: "x" })).toMatchObject({ status: 307, headers: { location: at("/logout") } });
});
