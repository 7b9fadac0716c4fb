import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
let base: string;
let realm: RealmUnderTest;
let user: { username: string; password: string };
beforeAll(async () => {
  iam = await sharedHarness();
  base = iam.config.baseUrl;
  realm = await iam.realm();
  user = await realm.user();
});
afterAll(() => iam?.close());

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const CIBA = "urn:openid:params:grant-type:ciba";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

let made = 0;
const confidential = (members: object = {}): Promise<Party> =>
  relyingParty(iam, realm, { clientId: `client${made++}`, publicClient: false, ...members });
const errorOf = ({ status, body }: Answer) => [status, body?.error];

describe("a grant that a client may not use is unauthorized_client", () => {
  test("at the token endpoint, once the client is known", async () => {
    const none = await confidential({ grantTypes: [] });
    for (const grant_type of ["authorization_code", "refresh_token", "client_credentials", "password", DEVICE, CIBA, EXCHANGE]) {
      const members = { code: "x", redirect_uri: CALLBACK, refresh_token: "x", username: "x", password: "x", device_code: "x" };
      expect([grant_type, ...errorOf(await none.post("/token", { grant_type, ...members }))]).toEqual([
        grant_type,
        400,
        "unauthorized_client",
      ]);
    }
    expect(errorOf(await none.post("/token", { grant_type: "made-up" }))).toEqual([400, "unsupported_grant_type"]);
    expect(errorOf(await none.post("/token", { grant_type: "implicit" }))).toEqual([400, "unsupported_grant_type"]);
    const wrong = { grant_type: "client_credentials", client_secret: "wrong" };
    expect(errorOf(await none.post("/token", wrong)), "an unauthenticated caller learns nothing").toEqual([401, "invalid_client"]);
  });

  test("at the device, CIBA and authorization endpoints", async () => {
    const machine = await confidential({ grantTypes: ["client_credentials"] });
    expect(errorOf(await machine.post("/device/authorize", { scope: "openid" }))).toEqual([400, "unauthorized_client"]);
    const requested = { scope: "openid", login_hint: user.username };
    expect(errorOf(await machine.post("/backchannel/authorize", requested))).toEqual([400, "unauthorized_client"]);
    const { left } = await walk(iam.browser(), base, machine.url());
    expect(left?.searchParams.get("error")).toBe("unauthorized_client");
  });
});

describe("scopes that the realm does not know are ignored, in every grant, and the answer says what was given", () => {
  const grantTypes = ["authorization_code", "refresh_token", "client_credentials", "password", "device", "CIBA", "token-exchange"];
  const scopes = ["openid", "email", "profile"];
  let app: Party;
  const requested = { scope: "email made-up openid" };
  const unknown = { scope: "made-up another" };
  beforeAll(async () => {
    app = await confidential({ grantTypes, scopes });
  });

  test("authorization code and refresh", async () => {
    const signedIn = await app.signIn(iam.browser(), user, requested);
    expect(signedIn.body.scope.split(" ").sort()).toEqual(["email", "openid"]);
    const refresh = (token: string, more: object = {}) =>
      app.post("/token", { grant_type: "refresh_token", refresh_token: token, ...more });
    const narrowed = await refresh(signedIn.body.refresh_token, { scope: "made-up email" });
    expect([narrowed.status, narrowed.body.scope]).toEqual([200, "email"]);
    expect(errorOf(await refresh(narrowed.body.refresh_token, { scope: "email profile" })), "was not granted").toEqual([
      400,
      "invalid_scope",
    ]);
    expect(errorOf(await refresh(narrowed.body.refresh_token, unknown))).toEqual([400, "invalid_scope"]);
    const whole = await refresh(narrowed.body.refresh_token);
    expect(whole.body.scope.split(" ").sort(), "and the token is not used up by it").toEqual(["email", "openid"]);
    const { left } = await walk(iam.browser(), base, app.url(unknown));
    expect(left?.searchParams.get("error")).toBe("invalid_scope");
  });

  test("pushed requests", async () => {
    const params = Object.fromEntries(new URL(app.url(), base).searchParams);
    expect((await app.post("/par", { ...params, ...requested })).status).toBe(201);
    expect(errorOf(await app.post("/par", { ...params, ...unknown }))).toEqual([400, "invalid_scope"]);
  });

  test.each([
    ["client_credentials", {}],
    ["client_credentials, with a resource", { resource: "realm" }],
  ])("%s", async (_, more) => {
    const resource = "resource" in more ? { resource: `${base}/realms/${realm.name}` } : {};
    const ask = (scope: object) => app.post("/token", { grant_type: "client_credentials", ...resource, ...scope });
    expect((await ask(requested)).body.scope).toBe("email openid");
    expect(errorOf(await ask(unknown))).toEqual([400, "invalid_scope"]);
    expect(errorOf(await ask({ scope: "email roles" })), "known, and not the client's").toEqual([400, "invalid_scope"]);
  });

  test("password", async () => {
    const ask = (scope: object) => app.post("/token", { grant_type: "password", ...user, ...scope });
    const given = await ask(requested);
    expect([given.status, given.body.scope]).toEqual([200, "email openid"]);
    expect(errorOf(await ask(unknown))).toEqual([400, "invalid_scope"]);
  });

  test("token exchange", async () => {
    const token = (await app.signIn(iam.browser(), user, { scope: "openid email" })).body.access_token;
    const ask = (scope: object) =>
      app.post("/token", { grant_type: EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN, ...scope });
    const given = await ask({ scope: "made-up email" });
    expect([given.status, given.body.scope]).toEqual([200, "email"]);
    expect(errorOf(await ask({ scope: "email profile" })), "subject_token does not have it").toEqual([400, "invalid_scope"]);
    expect(errorOf(await ask(unknown))).toEqual([400, "invalid_scope"]);
  });

  test("device and CIBA", async () => {
    expect((await app.post("/device/authorize", requested)).status).toBe(200);
    expect(errorOf(await app.post("/device/authorize", unknown))).toEqual([400, "invalid_scope"]);
    expect((await app.post("/backchannel/authorize", { ...requested, login_hint: user.username })).status).toBe(200);
    expect(errorOf(await app.post("/backchannel/authorize", { ...unknown, login_hint: user.username }))).toEqual([400, "invalid_scope"]);
  });

  test("the error contains the remaining parameters also where there are none", async () => {
    const direct = await confidential({ grantTypes: ["password"], scopes: ["openid", "offline_access"] });
    const given = await direct.post("/token", { grant_type: "password", ...user, scope: "offline_access" });
    expect([given.status, given.body.scope]).toEqual([200, ""]);
  });
});

test.each([
  ...["/token", "/introspect", "/revoke", "/par", "/device/authorize", "/backchannel/authorize"],
  ...["/agent/delegation/token", "/workload-identity/token", "/connect/register", "/authz/protection/permission"],
])("%s takes POST alone, and says so as OAuth does", async (path) => {
  // UMA 2.0 Federated Authorization §6
  const error = path.startsWith("/authz") ? "unsupported_method_type" : "invalid_request";
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    const { status, headers, body } = await iam.browser().request(method, `/realms/${realm.name}${path}`);
    expect([method, status, body?.error]).toEqual([method, 405, error]);
    expect(headers).toMatchObject({
      allow: expect.stringMatching(/^(OPTIONS, )?POST$/),
      "content-type": expect.stringMatching(/^application\/json/),
      "cache-control": "no-store",
    });
  }
  const { status, headers, body } = await iam.browser().get(`/realms/nobody${path}`);
  expect([status, body.error, headers["content-type"]]).toEqual([404, "invalid_request", "application/json; charset=utf-8"]);
});

test("every other address names its methods in the same way, in its own form of errors; people get the page for a wrong address", async () => {
  const at = (path: string) => `/realms/${realm.name}${path}`;
  for (const [method, path, allow, type] of [
    ["POST", at("/jwks"), "GET, HEAD, OPTIONS", "application/problem+json"],
    ["PATCH", at(`/authz/protection/resource_set/${newId()}`), "DELETE, GET, HEAD, OPTIONS, PUT", "application/json"],
    ["PATCH", at(`/connect/register/${newId()}`), "DELETE, GET, HEAD, OPTIONS, PUT", "application/json"],
    ["GET", at("/access/v1/evaluation"), "OPTIONS, POST", "application/json"],
    ["DELETE", at("/authorize"), "GET, HEAD, POST", "application/problem+json"],
    ["DELETE", `/admin${at("/keys")}`, "GET, HEAD, OPTIONS", "application/problem+json"],
    ["POST", "/monitoring/health", "GET, HEAD", "application/problem+json"],
  ] as const) {
    const { status, headers } = await iam.browser().request(method, path, { csrf: false });
    expect([path, status, headers.allow, headers["content-type"]]).toEqual([path, 405, allow, `${type}; charset=utf-8`]);
  }
  expect((await iam.browser().get("/admin/nothing")).status, "an address that has preflights alone").toBe(404);
  const page = await iam.browser().get(at("/token"), { headers: { accept: "text/html" } });
  expect([page.status, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
});
