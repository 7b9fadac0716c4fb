import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import * as oidc from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "../../testing/browser.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, submit, walk } from "../../testing/relying-party.ts";

// openid-client, a certified relying party, against the server on a socket.

let iam: Harness;
let base: string;
beforeAll(async () => {
  const port = await freePort();
  base = `http://localhost:${port}`;
  iam = await harness({ GATEHOUSE_BASE_URL: base });
  await iam.server.app.listen({ port, host: "127.0.0.1" });
});
afterAll(() => iam?.close());

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const client = async (realm: RealmUnderTest, members: Record<string, unknown> = {}) => {
  const made = await realm.asMaster().post("/clients", { clientId: "rp", redirectUris: [CALLBACK], publicClient: true, ...members });
  expect(made.status, made.text).toBe(201);
  const auth = made.body.secret ? oidc.ClientSecretBasic(made.body.secret) : oidc.None();
  return oidc.discovery(new URL(`${base}/realms/${realm.name}`), "rp", made.body.secret ?? undefined, auth, {
    execute: [oidc.allowInsecureRequests],
  });
};

/** Signs in as the user of the browser does. */
const signIn = async (browser: Browser, url: URL, user: { username: string; password: string }): Promise<URL> => {
  const { page, left } = await walk(browser, base, url.href);
  if (left) return left;
  const after = await submit(browser, base, page, { username: user.username, password: user.password });
  if (!after.left) throw new Error(`no way back: ${after.page.status} ${after.page.text.slice(0, 400)}`);
  return after.left;
};

describe("openid-client", () => {
  test("signs in with PKCE, refreshes, reads userinfo, and signs out", async () => {
    const realm = await iam.realm();
    const user = await realm.user("ada");
    const config = await client(realm, { postLogoutRedirectUris: ["https://app.example/bye"] });
    const [pkceCodeVerifier, expectedState, expectedNonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
    const browser = iam.browser();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: "openid profile",
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state: expectedState,
      nonce: expectedNonce,
    });
    const tokens = await oidc.authorizationCodeGrant(config, await signIn(browser, url, user), {
      pkceCodeVerifier,
      expectedState,
      expectedNonce,
      idTokenExpected: true,
    });
    expect(tokens.claims()).toMatchObject({ sub: user.userId, preferred_username: "ada", acr: "1", amr: ["pwd"], sid: expect.any(String) });

    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    const info = await oidc.fetchUserInfo(config, refreshed.access_token, user.userId);
    expect(info).toMatchObject({ sub: user.userId, preferred_username: "ada" });

    const out = oidc.buildEndSessionUrl(config, {
      id_token_hint: refreshed.id_token!,
      post_logout_redirect_uri: "https://app.example/bye",
      state: "out",
    });
    const { left } = await walk(browser, base, out.href);
    expect(left?.href).toBe("https://app.example/bye?state=out");
    await expect(oidc.refreshTokenGrant(config, refreshed.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" });
    await expect(oidc.fetchUserInfo(config, refreshed.access_token, user.userId)).rejects.toMatchObject({ status: 401 });
  });

  test("signs in without PKCE as a confidential client, introspects and revokes", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const config = await client(realm, { publicClient: false });
    const url = oidc.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: "openid offline_access", nonce: "n", state: "s" });
    const back = await signIn(iam.browser(), url, user);
    const tokens = await oidc.authorizationCodeGrant(config, back, { expectedNonce: "n", expectedState: "s" });
    expect(tokens.scope).toContain("offline_access");
    const active = await oidc.tokenIntrospection(config, tokens.access_token);
    expect(active).toMatchObject({ active: true, client_id: "rp", sub: user.userId, token_type: "Bearer", username: user.username });
    expect(await oidc.tokenIntrospection(config, tokens.refresh_token!)).toMatchObject({ active: true, client_id: "rp" });

    await oidc.tokenRevocation(config, tokens.access_token);
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
    const again = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
    await oidc.tokenRevocation(config, again.refresh_token!);
    expect(await oidc.tokenIntrospection(config, again.access_token)).toEqual({ active: false });
    await expect(oidc.refreshTokenGrant(config, again.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("asks for an RPT by the UMA grant, as a resource server that knows the adapters of Keycloak would", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const user = await realm.user();
    const config = await client(realm, { publicClient: false, tokenProfile: "keycloak", grantTypes: ["authorization_code", "uma-ticket"] });
    const [{ id }] = (await admin.get("/clients?search=rp")).body;
    const add = async (path: string, body: object) =>
      expect((await admin.post(`/clients/${id}/authz${path}`, body)).status, path).toBe(201);
    expect((await admin.put(`/clients/${id}/authz/settings`, { enabled: true })).status).toBe(200);
    await add("/scopes", { name: "view" });
    for (const name of ["invoices", "salaries"]) await add("/resources", { name, scopes: ["view"] });
    await add("/policies", { name: "the user", type: "user", users: [user.userId] });
    await add("/permissions", { name: "reads", type: "resource", resources: ["invoices"], policies: ["the user"] });
    const url = oidc.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: "openid" });
    const { access_token } = await oidc.authorizationCodeGrant(config, await signIn(iam.browser(), url, user));
    const ask = (permission: string, more: Record<string, string> = {}) =>
      oidc.genericGrantRequest(config, "urn:ietf:params:oauth:grant-type:uma-ticket", {
        ...{ audience: "rp", subject_token: access_token, permission },
        ...more,
      });
    const rpt = await ask("invoices#view");
    expect(rpt).toMatchObject({ token_type: "bearer", upgraded: false });
    // The policy enforcer of Keycloak's adapters reads these with the token mode: the client that gets the RPT has the profile.
    expect(JSON.parse(Buffer.from(rpt.access_token.split(".")[1]!, "base64url").toString())).toMatchObject({
      ...{ typ: "Bearer", azp: "rp", iss: `${base}/realms/${realm.name}` },
      authorization: { permissions: [{ rsname: "invoices", scopes: ["view"] }] },
    });
    expect(await oidc.tokenIntrospection(config, rpt.access_token)).toMatchObject({
      active: true,
      permissions: [{ resource_scopes: ["view"] }],
    });
    await expect(ask("salaries#view")).rejects.toMatchObject({ error: "access_denied", status: 403 });
  });

  test("pushes its request, and gets the answer as a JWT", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const config = await client(realm, { publicClient: false, requirePar: true });
    oidc.useJwtResponseMode(config);
    const url = await oidc.buildAuthorizationUrlWithPAR(config, { redirect_uri: CALLBACK, scope: "openid", state: "s" });
    const back = await signIn(iam.browser(), url, user);
    const tokens = await oidc.authorizationCodeGrant(config, back, { expectedState: "s" });
    expect(tokens.claims()?.sub).toBe(user.userId);
  });

  test("binds its tokens to a key (DPoP)", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const config = await client(realm, { publicClient: false, requireDpop: true });
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair("ES256"));
    const url = oidc.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: "openid", state: "s" });
    const back = await signIn(iam.browser(), url, user);
    const tokens = await oidc.authorizationCodeGrant(config, back, { expectedState: "s" }, undefined, { DPoP });
    expect(tokens.token_type).toBe("dpop");
    expect(await oidc.fetchUserInfo(config, tokens.access_token, user.userId, { DPoP })).toMatchObject({ sub: user.userId });
    await expect(oidc.fetchUserInfo(config, tokens.access_token, user.userId)).rejects.toMatchObject({ status: 401 });
    const thief = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair("ES256"));
    await expect(oidc.fetchUserInfo(config, tokens.access_token, user.userId, { DPoP: thief })).rejects.toMatchObject({ status: 401 });
  });

  test.each([
    ["fapi2-security", "ES256"],
    ["fapi2-security", "PS256"],
    ["fapi2-message-signing", "ES256"],
    ["fapi2-message-signing", "Ed25519"],
  ] as const)("signs in by %s, with %s", async (profile, alg) => {
    const realm = await iam.realm();
    const user = await realm.user();
    const keys = await generateKeyPair(alg, { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "k1", use: "sig", alg }] };
    const made = await realm.asMaster().post("/clients", { clientId: "rp", profile, jwks, redirectUris: [CALLBACK], idTokenAlg: alg });
    expect(made.status, made.text).toBe(201);
    const key = { key: keys.privateKey, kid: "k1" };
    // The profile requires the issuer as the only audience.
    const forIssuer = {
      [oidc.modifyAssertion](_header: object, payload: Record<string, unknown>) {
        payload.aud = issuer;
      },
    };
    const issuer = `${base}/realms/${realm.name}`;
    const config = await oidc.discovery(
      new URL(issuer),
      "rp",
      { id_token_signed_response_alg: alg, authorization_signed_response_alg: "PS256" },
      oidc.PrivateKeyJwt(key, forIssuer),
      { execute: [oidc.allowInsecureRequests] },
    );
    const [pkceCodeVerifier, expectedState, expectedNonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair("ES256"));
    let params = new URLSearchParams({
      redirect_uri: CALLBACK,
      scope: "openid offline_access",
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state: expectedState,
      nonce: expectedNonce,
    });
    if (profile === "fapi2-message-signing") {
      oidc.useJwtResponseMode(config);
      params.set("response_mode", "jwt");
      const dated = {
        [oidc.modifyAssertion](_header: object, payload: Record<string, unknown>) {
          payload.nbf = payload.iat;
        },
      };
      params = (await oidc.buildAuthorizationUrlWithJAR(config, params, key, dated)).searchParams;
    }
    const url = await oidc.buildAuthorizationUrlWithPAR(config, params, { DPoP });
    const back = await signIn(iam.browser(), url, user);
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    const tokens = await oidc.authorizationCodeGrant(config, back, checks, undefined, { DPoP });
    expect(tokens).toMatchObject({ token_type: "dpop", refresh_token: expect.any(String) });
    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP });
    expect(refreshed.refresh_token).toBeUndefined();
    expect(await oidc.fetchUserInfo(config, refreshed.access_token, user.userId, { DPoP })).toMatchObject({ sub: user.userId });
  });

  test("gets a token in its own name", async () => {
    const realm = await iam.realm();
    const config = await client(realm, { publicClient: false, grantTypes: ["client_credentials"], redirectUris: [] });
    const tokens = await oidc.clientCredentialsGrant(config);
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toMatchObject({ active: true, sub: "rp", client_id: "rp" });
    const counted = await iam.core.metrics.registry.getSingleMetricAsString("svc_tokens_issued_total");
    expect(counted).toContain(`svc_tokens_issued_total{realm="${realm.name}",grant_type="client_credentials"} 1`);
  });
});
