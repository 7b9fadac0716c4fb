import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR, MINUTE } from "../../kernel/clock.ts";
import { randomToken } from "../../kernel/vault.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const web = { client_name: "Shop", redirect_uris: ["https://shop.example/cb"] };
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const endpoint = (realm: RealmUnderTest) => `/realms/${realm.name}/connect/register`;

async function tokenFor(realm: RealmUnderTest, count = 1, lifetime?: number): Promise<string> {
  const made = await realm.asMaster().post("/provisioning/initial-access-tokens", { count, ...(lifetime && { lifetime }) });
  expect(made.status, made.text).toBe(201);
  return made.body.token;
}

/** Creates a realm with anonymous registration, and a function that registers. */
async function openRealm(policy: object = {}) {
  const realm = await iam.realm();
  const opened = await realm.asMaster().put("/provisioning", { registration: { requireInitialAccessToken: false, ...policy } });
  expect(opened.status, opened.text).toBe(200);
  const register = (metadata: object, options = {}): Promise<Answer> => iam.browser().post(endpoint(realm), metadata, options);
  return { realm, register };
}

const manage = (client: Answer["body"]) => new URL(client.registration_client_uri).pathname;

test("a client cannot register addresses of this server", async () => {
  const { register } = await openRealm();
  const own = `${iam.config.baseUrl}/realms/master/login`;
  const members = {
    redirect_uris: [own, "https://shop.example/cb", `${iam.config.baseUrl}/`],
    post_logout_redirect_uris: [own],
    initiate_login_uri: own,
    frontchannel_logout_uri: own,
    logo_uri: own,
    request_uris: [own],
  };
  const { status, body } = await register({ ...web, redirect_uris: members.redirect_uris });
  expect([status, body.error]).toEqual([400, "invalid_redirect_uri"]);
  for (const [member, value] of Object.entries(members)) {
    const answer = await register({ ...web, application_type: "native", [member]: value });
    expect([member, answer.status, JSON.stringify(answer.body)]).toEqual([
      member,
      400,
      expect.stringContaining("is an address of this server"),
    ]);
  }
});

describe("the policy", () => {
  test("has defaults, an ETag and an event; members return to their defaults", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-realm");
    const read = await admin.get("/provisioning");
    expect(read.body).toEqual({
      registration: {
        enabled: true,
        requireInitialAccessToken: true,
        allowedGrantTypes: ["authorization_code", "refresh_token"],
        allowedResponseTypes: ["code"],
        allowedRedirectHosts: [],
        allowedAuthMethods: ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"],
        requireConsent: true,
        metadataDocuments: false,
      },
      scim: { enabled: false },
    });
    const seen = { headers: { "if-match": String(read.headers.etag) } };
    const changed = await admin.put("/provisioning", { registration: { enabled: false, allowedRedirectHosts: ["*.shop.example"] } }, seen);
    expect(changed).toMatchObject({ status: 200, body: { registration: { enabled: false, requireInitialAccessToken: true } } });
    expect((await admin.put("/provisioning", {}, seen)).status).toBe(412);
    expect((await admin.get("/provisioning")).body.registration.allowedRedirectHosts).toEqual(["*.shop.example"]);
    expect(await realm.events("type=ADMIN_UPDATE&resourceType=provisioning")).toMatchObject([
      { detail: "registration.enabled, registration.allowedRedirectHosts" },
    ]);
    expect((await admin.put("/provisioning", read.body)).body).toEqual(read.body);
    for (const registration of [
      { allowedRedirectHosts: ["https://shop.example"] },
      { allowedRedirectHosts: ["shop.*"] },
      { allowedRedirectHosts: ["Shop.example"] },
      { allowedGrantTypes: ["implicit"] },
      { allowedAuthMethods: ["client_secret"] },
      { unheardOf: true },
    ])
      expect((await admin.put("/provisioning", { registration })).status, JSON.stringify(registration)).toBe(400);
  });

  test("the discovery document contains it only while it is enabled", async () => {
    const realm = await iam.realm();
    const answered = async () => (await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`)).body;
    expect(await answered()).toMatchObject({ registration_endpoint: `http://localhost:8080${endpoint(realm)}` });
    expect(await answered()).not.toHaveProperty("client_id_metadata_document_supported");
    await realm.asMaster().put("/provisioning", { registration: { enabled: false, metadataDocuments: true } });
    expect(await answered()).toMatchObject({ client_id_metadata_document_supported: true });
    expect(await answered()).not.toHaveProperty("registration_endpoint");
    expect(await iam.browser().post(endpoint(realm), web)).toMatchObject({ status: 403, body: { error: "access_denied" } });
  });

  test("limits registrations, and later changes", async () => {
    const { realm, register } = await openRealm({
      allowedRedirectHosts: ["shop.example", "*.shop.example"],
      allowedAuthMethods: ["client_secret_basic"],
    });
    const refusals: [object, string, RegExp][] = [
      [{ redirect_uris: ["https://evil.example/cb"] }, "invalid_redirect_uri", /redirect_uris\.0/],
      [{ redirect_uris: ["https://evilshop.example/cb"] }, "invalid_redirect_uri", /redirect_uris\.0/],
      [{ redirect_uris: ["https://shop.example/cb", "https://shop.example.evil.example/cb"] }, "invalid_redirect_uri", /redirect_uris\.1/],
      [{ post_logout_redirect_uris: ["https://evil.example/"] }, "invalid_client_metadata", /post_logout_redirect_uris\.0/],
      [{ grant_types: ["client_credentials"] }, "invalid_client_metadata", /grant_types/],
      [{ grant_types: ["authorization_code", "password"] }, "invalid_client_metadata", /password/],
      [{ token_endpoint_auth_method: "none" }, "invalid_client_metadata", /token_endpoint_auth_method none/],
    ];
    let client = (await register({ ...web, redirect_uris: ["https://shop.example/cb", "https://eu.shop.example/cb"] })).body;
    for (const [change, error, description] of refusals) {
      const expected = { status: 400, body: { error, error_description: expect.stringMatching(description) } };
      expect(await register({ ...web, ...change }), JSON.stringify(change)).toMatchObject(expected);
      const replaced = await iam
        .browser()
        .put(manage(client), { client_id: client.client_id, ...web, ...change }, bearer(client.registration_access_token));
      expect(replaced, JSON.stringify(change)).toMatchObject(expected);
    }
    client = (await iam.browser().get(manage(client), bearer(client.registration_access_token))).body;
    expect(client.redirect_uris, "nothing of it was taken").toHaveLength(2);
    expect((await realm.asMaster().get("/clients")).body).toHaveLength(1);
  });

  test("a scope without an assignment cannot be registered", async () => {
    const { realm, register } = await openRealm();
    await realm.asMaster().post("/client-scopes", { name: "payments", assignment: "NONE" });
    // Even if every client may request it, only an administrator gives a client the scope to change users' accounts.
    const [account] = (await realm.asMaster().get("/client-scopes?search=account")).body;
    await realm.asMaster().put(`/client-scopes/${account.scopeId}`, { ...account, assignment: "OPTIONAL" });
    for (const scope of ["openid payments", "openid unheard-of", "openid account"])
      expect(await register({ ...web, scope })).toMatchObject({
        status: 400,
        body: { error: "invalid_client_metadata", error_description: expect.stringContaining("scope") },
      });
    expect((await register({ ...web, scope: "openid email" })).body.scope).toBe("openid email");
  });
});

describe("an initial access token", () => {
  test("is shown once, listed without itself, deleted, and kept as a hash", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-realm");
    const made = await admin.post("/provisioning/initial-access-tokens", { count: 3, lifetime: 3600, name: "CI" });
    expect(made).toMatchObject({ status: 201, body: { name: "CI", remaining: 3 } });
    const { token, ...rest } = made.body;
    expect(rest.expiresAt - rest.createdAt).toBe(HOUR);
    const list = await admin.get("/provisioning/initial-access-tokens");
    expect(list.body).toEqual([rest]);
    expect(JSON.stringify(await iam.core.db.selectFrom("initial_access_tokens").select(["token_hash", "name"]).execute())).not.toContain(
      token,
    );
    expect(await iam.browser().post(endpoint(realm), web, bearer(token))).toMatchObject({ status: 201 });
    expect((await admin.get("/provisioning/initial-access-tokens")).body).toMatchObject([{ remaining: 2 }]);
    expect((await admin.delete(`/provisioning/initial-access-tokens/${rest.id}`)).status).toBe(204);
    expect((await admin.delete(`/provisioning/initial-access-tokens/${rest.id}`)).status).toBe(404);
    expect((await iam.browser().post(endpoint(realm), web, bearer(token))).status).toBe(401);
    expect((await admin.post("/provisioning/initial-access-tokens")).body).toMatchObject({ remaining: 1, name: null });
    for (const body of [{ count: 0 }, { count: 1.5 }, { lifetime: 0 }, { name: "" }, { token: "mine" }])
      expect((await admin.post("/provisioning/initial-access-tokens", body)).status, JSON.stringify(body)).toBe(400);
    const events = await realm.events("resourceType=provisioning");
    expect(events.map(({ type }) => type).sort()).toEqual(["ADMIN_CREATE", "ADMIN_CREATE", "ADMIN_DELETE"]);
    expect(JSON.stringify(events) + iam.output.join()).not.toContain(token);
    expect(await realm.events("type=ADMIN_CREATE&resourceType=clients")).toMatchObject([{ actor: "initial access token CI" }]);
  });

  test("is required, and must be valid, of this realm, and not expired", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const post = (options?: object) => iam.browser().post(endpoint(realm), web, options);
    const without = await post();
    expect((await iam.browser().post(endpoint(realm), { redirect_uris: 7 })).status, "before anything else").toBe(401);
    expect(without).toMatchObject({ status: 401, body: { error: "invalid_token" }, headers: { "www-authenticate": "Bearer" } });
    for (const token of [randomToken(), await tokenFor(other), "", "a b"])
      expect(await post(bearer(token)), token).toMatchObject({
        status: 401,
        headers: { "www-authenticate": 'Bearer error="invalid_token"' },
      });
    expect((await post({ headers: { authorization: "Basic YTpi" } })).status).toBe(401);
    const token = await tokenFor(realm, 1, 60);
    clock.advance(MINUTE + 1);
    expect((await post(bearer(token))).status).toBe(401);
    clock.reset();
    const { register } = await openRealm();
    expect((await register(web, bearer(randomToken()))).status, "also where none is needed").toBe(401);
  });

  test("registers its number of clients, also by concurrent requests; a refused registration takes no use", async () => {
    const realm = await iam.realm();
    const token = await tokenFor(realm, 2);
    expect((await iam.browser().post(endpoint(realm), { redirect_uris: ["nowhere"] }, bearer(token))).status).toBe(400);
    const all = await Promise.all(Array.from({ length: 6 }, () => iam.browser().post(endpoint(realm), web, bearer(token))));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 201, 401, 401, 401, 401]);
    expect((await realm.asMaster().get("/clients")).body).toHaveLength(2);
  });
});

describe("registering", () => {
  test("answers with everything that was registered, and the client is one like any other", async () => {
    const { realm, register } = await openRealm();
    const metadata = {
      client_name: "Shop",
      "client_name#nl": "Winkel",
      redirect_uris: ["https://shop.example/cb", "https://shop.example/cb2"],
      post_logout_redirect_uris: ["https://shop.example/bye"],
      response_types: ["code"],
      grant_types: ["authorization_code", "refresh_token"],
      application_type: "web",
      contacts: ["ada@shop.example"],
      logo_uri: "https://shop.example/logo.png",
      client_uri: "https://shop.example/",
      policy_uri: "https://shop.example/policy",
      tos_uri: "https://shop.example/terms",
      jwks_uri: "https://shop.example/jwks.json",
      subject_type: "pairwise",
      id_token_signed_response_alg: "PS256",
      userinfo_signed_response_alg: "RS256",
      request_object_signing_alg: "RS256",
      token_endpoint_auth_method: "client_secret_post",
      default_max_age: 3600,
      require_auth_time: true,
      default_acr_values: ["1"],
      initiate_login_uri: "https://shop.example/login",
      request_uris: ["https://shop.example/request.jwt"],
      backchannel_logout_uri: "https://shop.example/logout",
      backchannel_logout_session_required: true,
      scope: "openid profile offline_access",
      software_id: "4NRB1-0XZABZI9E6-5SM3R",
      software_version: "1.0",
      frontchannel_logout_uri: null,
      unheard_of: { any: "thing" },
    };
    const registered = await register(metadata);
    expect(registered.status, registered.text).toBe(201);
    const {
      software_id: _,
      software_version: __,
      unheard_of: ___,
      frontchannel_logout_uri: ____,
      "client_name#nl": _____,
      ...kept
    } = metadata;
    const { client_id, client_secret, registration_access_token, registration_client_uri, client_id_issued_at, ...rest } = registered.body;
    expect(rest).toMatchObject({ ...kept, client_secret_expires_at: 0 });
    expect(rest).not.toHaveProperty("unheard_of");
    expect(client_secret).toMatch(/^[\w-]{43}$/);
    expect(client_id_issued_at).toBeGreaterThan(1_600_000_000);
    expect(registered.headers).toMatchObject({ "cache-control": "no-store" });

    const id = registration_client_uri.split("/").at(-1);
    expect(registration_client_uri).toBe(`http://localhost:8080${endpoint(realm)}/${id}`);
    const seen = (await realm.asMaster().get(`/clients/${id}`)).body;
    expect(seen).toMatchObject({
      clientId: client_id,
      name: "Shop",
      consentRequired: true,
      firstParty: false,
      authMethod: "client_secret_post",
    });
    expect((await realm.asMaster().get(`/clients/${id}/secret`)).body.secret).toBe(client_secret);
    const row = await iam.core.db.selectFrom("clients").select(["registration_hash", "secret"]).where("id", "=", id).executeTakeFirst();
    expect(JSON.stringify(row)).not.toContain(registration_access_token);
    expect(JSON.stringify(row)).not.toContain(client_secret);
    expect(iam.output.join()).not.toContain(registration_access_token);
  });

  test("the defaults are those of RFC 7591; a public client has no secret", async () => {
    const { register } = await openRealm();
    const { body } = await register({ redirect_uris: ["https://shop.example/cb"] });
    expect(body).toMatchObject({
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "client_secret_basic",
      application_type: "web",
      subject_type: "public",
    });
    const native = await register({
      redirect_uris: ["http://127.0.0.1/cb", "com.example.shop:/cb"],
      application_type: "native",
      token_endpoint_auth_method: "none",
    });
    expect(native.status, native.text).toBe(201);
    expect(native.body).not.toHaveProperty("client_secret");
    expect(native.body).not.toHaveProperty("client_secret_expires_at");
    const onDevice = {
      redirect_uris: ["http://127.0.0.1/cb"],
      application_type: "native",
      initiate_login_uri: "http://127.0.0.1:4000/login",
    };
    expect((await register(onDevice)).status, "loopback stays allowed to native clients").toBe(201);
  });

  test("a client with private-use or loopback redirect URIs is native where it does not say what it is (RFC 7591)", async () => {
    const { register } = await openRealm();
    for (const uri of ["com.example.shop:/cb", "http://127.0.0.1/cb"]) {
      const { status, body, text } = await register({ redirect_uris: [uri], token_endpoint_auth_method: "none" });
      expect(status, text).toBe(201);
      expect(body).toMatchObject({ application_type: "native", redirect_uris: [uri] });
    }
    const declared = await register({
      redirect_uris: ["com.example.shop:/cb"],
      application_type: "web",
      token_endpoint_auth_method: "none",
    });
    expect(declared).toMatchObject({ status: 400, body: { error: "invalid_redirect_uri" } });
  });

  test("tokens that are bound to the client's certificate (RFC 8705 §3.4)", async () => {
    const { register } = await openRealm();
    const bound = { redirect_uris: ["https://shop.example/cb"], tls_client_certificate_bound_access_tokens: true };
    expect(await register(bound)).toMatchObject({ status: 201, body: bound });
  });

  test("refuses invalid values, and names the member", async () => {
    const { realm, register } = await openRealm();
    const symmetric = { kty: "oct", k: "c2VjcmV0" };
    const refusals: [object | string, string, RegExp][] = [
      [{}, "invalid_redirect_uri", /redirect_uris/],
      [{ redirect_uris: [] }, "invalid_redirect_uri", /redirect_uris/],
      [{ redirect_uris: "https://shop.example/cb" }, "invalid_redirect_uri", /redirect_uris must be an array/],
      [{ redirect_uris: ["https://shop.example/cb#x"] }, "invalid_redirect_uri", /redirect_uris\.0 .*fragment/],
      [{ redirect_uris: ["http://shop.example/cb"] }, "invalid_redirect_uri", /redirect_uris\.0 must use https/],
      [{ redirect_uris: ["https://a:b@shop.example/cb"] }, "invalid_redirect_uri", /redirect_uris\.0/],
      [{ redirect_uris: ["https://*.shop.example/cb"] }, "invalid_redirect_uri", /redirect_uris\.0/],
      [{ redirect_uris: ["javascript:alert(1)"], application_type: "native" }, "invalid_redirect_uri", /redirect_uris\.0/],
      [{ ...web, response_types: ["code id_token"] }, "invalid_client_metadata", /response_types/],
      [{ ...web, response_types: ["token"] }, "invalid_client_metadata", /response_types/],
      [{ ...web, grant_types: ["nonsense"] }, "invalid_client_metadata", /grant_types/],
      [{ ...web, grant_types: ["refresh_token"], response_types: ["code"] }, "invalid_client_metadata", /response_types/],
      [{ ...web, id_token_signed_response_alg: "none" }, "invalid_client_metadata", /id_token_signed_response_alg/],
      [{ ...web, id_token_encrypted_response_alg: "RSA-OAEP" }, "invalid_client_metadata", /id_token_encrypted_response_alg/],
      [{ ...web, request_object_encryption_alg: "RSA1_5" }, "invalid_client_metadata", /request_object_encryption_alg must be one of/],
      [{ ...web, token_endpoint_auth_method: "private_key_jwt" }, "invalid_client_metadata", /jwks or jwks_uri is needed/],
      [{ ...web, jwks: { keys: [symmetric] } }, "invalid_client_metadata", /jwks\.keys\.0\.k/],
      [{ ...web, jwks_uri: "http://shop.example/jwks" }, "invalid_client_metadata", /jwks_uri/],
      [{ ...web, initiate_login_uri: "http://shop.example/login" }, "invalid_client_metadata", /initiate_login_uri must use https/],
      [{ ...web, initiate_login_uri: "http://localhost:8080/login" }, "invalid_client_metadata", /initiate_login_uri must use https/],
      [{ ...web, tos_uri: "http://127.0.0.1/terms" }, "invalid_client_metadata", /tos_uri must use https/],
      [{ ...web, application_type: "native", policy_uri: "http://shop.example/" }, "invalid_client_metadata", /policy_uri must use https/],
      [{ ...web, backchannel_logout_uri: "http://shop.example/out" }, "invalid_client_metadata", /backchannel_logout_uri.* https/],
      [{ ...web, subject_type: "transient" }, "invalid_client_metadata", /subject_type/],
      [
        { ...web, redirect_uris: ["https://a.example/", "https://b.example/"], subject_type: "pairwise" },
        "invalid_client_metadata",
        /sector_identifier_uri/,
      ],
      [{ ...web, client_name: "Shop\u202egnp" }, "invalid_client_metadata", /client_name/],
      [{ ...web, client_name: 7 }, "invalid_client_metadata", /client_name/],
      [{ ...web, contacts: "ada" }, "invalid_client_metadata", /contacts/],
      ["null", "invalid_client_metadata", /body/],
      ["[]", "invalid_client_metadata", /body/],
      ["{", "invalid_client_metadata", /JSON/],
    ];
    const raw = { headers: { "content-type": "application/json" } };
    for (const [metadata, error, description] of refusals) {
      const answer = await register(metadata as object, typeof metadata === "string" ? raw : {});
      expect(answer, JSON.stringify(metadata)).toMatchObject({
        status: 400,
        body: { error, error_description: expect.stringMatching(description) },
      });
      expect(answer.headers["content-type"]).toContain("application/json");
    }
    expect((await realm.asMaster().get("/clients")).body).toEqual([]);
    expect(await iam.browser().request("POST", endpoint(realm), { form: { redirect_uris: "x" } })).toMatchObject({ status: 415 });
    expect((await iam.browser().post("/realms/no-such-realm/connect/register", web)).status).toBe(404);
  });

  test("settings of administrators cannot be registered", async () => {
    const { realm, register } = await openRealm();
    const sly = {
      firstParty: true,
      consentRequired: false,
      enabled: false,
      audience: ["http://localhost:8080/admin"],
      clientId: "admin",
      client_id: "x",
    };
    const { body } = await register({ ...web, ...sly });
    const id = body.registration_client_uri.split("/").at(-1);
    expect((await realm.asMaster().get(`/clients/${id}`)).body).toMatchObject({
      firstParty: false,
      consentRequired: true,
      enabled: true,
      audience: [],
      clientId: body.client_id,
    });
    expect(body.client_id).not.toBe("x");
  });

  test("internal addresses are refused, as are sectors that do not list the client", async () => {
    const { register } = await openRealm();
    for (const member of ["jwks_uri", "sector_identifier_uri", "backchannel_logout_uri"])
      for (const host of ["127.0.0.1", "169.254.169.254", "10.0.0.1", "[::1]", "[::ffff:10.0.0.1]"]) {
        const answer = await register({ ...web, [member]: `https://${host}/x` });
        expect(answer, `${member} ${host}`).toMatchObject({
          status: 400,
          body: { error: "invalid_client_metadata", error_description: expect.stringMatching(new RegExp(`^${member}: `)) },
        });
      }
  });

  test("scripts of any origin may register, without cookies", async () => {
    const { realm, register } = await openRealm();
    const headers = {
      origin: "https://inspector.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    };
    expect(await iam.browser().request("OPTIONS", endpoint(realm), { headers })).toMatchObject({ status: 204 });
    const answer = await register(web, { headers: { origin: "https://inspector.example" } });
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");
  });

  test("one address registers 120 a minute, not more", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    const answers = await Promise.all(Array.from({ length: 200 }, () => browser.post(endpoint(realm), web)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused).toMatchObject({ body: { error: "temporarily_unavailable" }, headers: { "retry-after": expect.any(String) } });
  });
});
