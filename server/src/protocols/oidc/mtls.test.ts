import { createHash, X509Certificate } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import { dpopKey } from "../../testing/proof.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty } from "../../testing/relying-party.ts";

const HEADER = "x-client-cert";
const PROXY = "10.1.2.3";

let iam: SharedHarness;
let own: { cert: string };
let other: { cert: string };
beforeAll(async () => {
  iam = await sharedHarness({
    GATEHOUSE_TLS_CLIENT_CERT_HEADER: HEADER,
    GATEHOUSE_MTLS_BASE_URL: "https://mtls.example",
    GATEHOUSE_TRUST_PROXY: "loopback,10.0.0.0/8",
  });
  const authority = await privateAuthority();
  [own, other] = [await authority.identity("robot"), await authority.identity("outsider")];
});
afterAll(() => iam?.close());

const shown = ({ cert }: { cert: string }) => ({ [HEADER]: encodeURIComponent(cert) });
const bearing = (token: string, more: Record<string, string> = {}) => ({ headers: { authorization: `Bearer ${token}`, ...more } });
const thumbprintOf = ({ cert }: { cert: string }) => createHash("sha256").update(new X509Certificate(cert).raw).digest("base64url");
const robot = (realm: RealmUnderTest, members: Record<string, unknown>) =>
  relyingParty(iam, realm, {
    ...{ clientId: "robot", publicClient: false, authMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=robot", redirectUris: [] },
    ...members,
  });
const ask = (realm: RealmUnderTest, form: Record<string, string>, headers: Record<string, string> = shown(own)): Promise<Answer> =>
  iam.browser().request("POST", `/realms/${realm.name}/token`, { form: { client_id: "robot", ...form }, headers, csrf: false });
const given = ({ status, text, body }: Answer) => {
  expect(status, text).toBe(200);
  return body as { access_token: string; refresh_token: string };
};

describe("a certificate counts by the one name that the client is registered with", () => {
  const names = {
    tlsClientAuthSubjectDn: ["CN=robot", "CN=other"],
    tlsClientAuthSanDns: ["Robot.example", "obot.example"],
    tlsClientAuthSanUri: ["spiffe://example/robot,1", "spiffe://example/robot"],
    tlsClientAuthSanIp: ["2001:db8:0::1", "2001:db8::2"],
    tlsClientAuthSanEmail: ["robot@example.com", "Robot@example.com"],
  } as const;

  test.each(Object.entries(names))("%s", async (member, [right, wrong]) => {
    const authority = await privateAuthority();
    const certificate = await authority.identityWith("robot", [
      { type: "dns", value: "*.wild.example" },
      { type: "dns", value: "robot.example" },
      { type: "url", value: "spiffe://example/robot,1" },
      { type: "ip", value: "2001:db8::1" },
      { type: "email", value: "robot@example.com" },
      { type: "url", value: "https://x.example/, DNS:obot.example" },
    ]);
    for (const [value, status] of [
      [right, 200],
      [wrong, 401],
    ] as const) {
      const realm = await iam.realm();
      await robot(realm, { grantTypes: ["client_credentials"], tlsClientAuthSubjectDn: null, [member]: value });
      const answer = await ask(realm, { grant_type: "client_credentials" }, shown(certificate));
      expect(answer.status, `${value}: ${answer.text}`).toBe(status);
    }
  });

  test("the subject counts in every spelling of RFC 4514, and no other subject", async () => {
    const realm = await iam.realm();
    const certificate = await (await privateAuthority()).identityWith("robot,O=Acme\\, Zürich,C=AT", []);
    const { id } = await robot(realm, { grantTypes: ["client_credentials"] });
    const statusFor = async (tlsClientAuthSubjectDn: string) => {
      expect((await realm.asMaster().patch(`/clients/${id}`, { tlsClientAuthSubjectDn })).status).toBe(200);
      return (await ask(realm, { grant_type: "client_credentials" }, shown(certificate))).status;
    };
    const right = ["C=AT,O=Acme\\, Zürich,CN=robot", "c=AT, o=Acme\\2c Z\\C3\\BCrich , cn = robot", 'C=AT,O="Acme, Zürich",CN=robot'];
    for (const name of right) expect(await statusFor(name), name).toBe(200);
    const wrong = [
      "CN=robot",
      "C=AT,O=acme\\, Zürich,CN=robot",
      "CN=robot,O=Acme\\, Zürich,C=AT",
      "C=AT,O=Acme,CN=robot",
      "C=AT,O=Acme\\, Zürich+CN=robot",
    ];
    for (const name of wrong) expect(await statusFor(name), name).toBe(401);
  });

  test("exactly one certificate counts", async () => {
    const realm = await iam.realm();
    const make = async (members: object) =>
      ((await realm.asMaster().post("/clients", { clientId: "x", authMethod: "tls_client_auth", ...members })).body.errors ?? []).map(
        ({ field }: { field: string }) => field,
      );
    expect(await make({})).toEqual(["tlsClientAuthSubjectDn"]);
    expect(await make({ tlsClientAuthSanDns: "a", tlsClientAuthSanUri: "b" })).toEqual(["tlsClientAuthSanUri"]);
    expect(await make({ tlsClientAuthSanIp: "not an address" })).toContain("tlsClientAuthSanIp");
  });

  test("discovery names the other host for certificates, if there is one", async () => {
    const realm = await iam.realm();
    const { body } = await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`);
    expect(body.mtls_endpoint_aliases).toMatchObject({
      token_endpoint: `https://mtls.example/realms/${realm.name}/token`,
      pushed_authorization_request_endpoint: `https://mtls.example/realms/${realm.name}/par`,
    });
    expect(body.token_endpoint).toBe(`${iam.config.baseUrl}/realms/${realm.name}/token`);
  });
});

test("a DPoP proof names an address that discovery announces for the endpoint, and no other", async () => {
  const realm = await iam.realm();
  const user = await realm.user();
  const party = await relyingParty(iam, realm, { firstParty: true, grantTypes: ["password"], redirectUris: [] });
  const prove = dpopKey();
  const path = `/realms/${realm.name}`;
  const [here, alias, elsewhere] = [iam.config.baseUrl, "https://mtls.example", "https://other.example"];
  const signIn = { client_id: party.clientId, grant_type: "password", username: user.username, password: user.password, scope: "openid" };
  const token = (at: string) =>
    iam.browser().request("POST", `${path}/token`, { form: signIn, headers: { dpop: prove("POST", `${at}${path}/token`) }, csrf: false });
  expect([(await token(here)).status, (await token(alias)).status]).toEqual([200, 200]);
  expect((await token(elsewhere)).body.error_description).toBe("DPoP proof htu mismatch");
  expect((await token(`${alias}/realms`)).status).toBe(400);

  const { access_token } = given(await token(alias));
  const call = async (at: string, to: string) =>
    (
      await iam
        .browser()
        .get(`${path}${to}`, { headers: { authorization: `DPoP ${access_token}`, dpop: prove("GET", `${at}${path}${to}`, access_token) } })
    ).status;
  expect([await call(here, "/userinfo"), await call(alias, "/userinfo"), await call(elsewhere, "/userinfo")]).toEqual([200, 200, 400]);
  expect([await call(here, "/account/profile"), await call(alias, "/account/profile")], "no alias is announced for it").toEqual([200, 401]);

  const pushed = async (at: string) => {
    const form = {
      client_id: "par",
      response_type: "code",
      redirect_uri: "https://app.example/cb",
      scope: "openid",
      code_challenge: "c".repeat(43),
    };
    const headers = { dpop: prove("POST", `${at}${path}/par`) };
    return (await iam.browser().request("POST", `${path}/par`, { form: { ...form, code_challenge_method: "S256" }, headers, csrf: false }))
      .status;
  };
  await relyingParty(iam, realm, { clientId: "par" });
  expect([await pushed(here), await pushed(alias), await pushed(elsewhere)]).toEqual([201, 201, 400]);
});

describe("a client that asked for tokens that are bound to its certificate, and authenticates otherwise (RFC 8705 §3.4)", () => {
  const bound = { authMethod: "client_secret", tlsClientAuthSubjectDn: null, certificateBoundTokens: true };

  test("gets such ones, and none without a certificate", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const { secret } = await robot(realm, { ...bound, grantTypes: ["password", "refresh_token", "client_credentials"] });
    const asking = (form: Record<string, string>, headers?: Record<string, string>) =>
      ask(realm, { client_secret: secret!, ...form }, headers);
    expect((await asking({ grant_type: "client_credentials" }, {})).body).toMatchObject({ error: "invalid_request" });
    const cnf = { "x5t#S256": thumbprintOf(own) };
    expect(decodeJwt(given(await asking({ grant_type: "client_credentials" })).access_token).cnf).toEqual(cnf);
    const signIn = { grant_type: "password", username: user.username, password: user.password, scope: "openid" };
    const { access_token, refresh_token } = given(await asking(signIn));
    const userinfo = async (headers = {}) =>
      (await iam.browser().get(`/realms/${realm.name}/userinfo`, bearing(access_token, headers))).status;
    expect([await userinfo(), await userinfo(shown(other)), await userinfo(shown(own))]).toEqual([401, 401, 200]);
    // Its refresh token is bound by the secret, so the client may use another certificate by then.
    const again = given(await asking({ grant_type: "refresh_token", refresh_token }, shown(other)));
    expect(decodeJwt(again.access_token).cnf).toEqual({ "x5t#S256": thumbprintOf(other) });
    expect((await asking({ grant_type: "refresh_token", refresh_token: again.refresh_token }, {})).body.error).toBe("invalid_request");
  });

  test("gets them bound to its key as well, where it must use DPoP", async () => {
    const realm = await iam.realm();
    const { secret } = await robot(realm, { ...bound, requireDpop: true, grantTypes: ["client_credentials"] });
    const dpop = dpopKey()("POST", `${iam.config.baseUrl}/realms/${realm.name}/token`);
    const { access_token } = given(await ask(realm, { client_secret: secret!, grant_type: "client_credentials" }, { ...shown(own), dpop }));
    expect(decodeJwt(access_token).cnf).toEqual({ jkt: expect.any(String), "x5t#S256": thumbprintOf(own) });
  });
});

describe("tokens of a client with a certificate", () => {
  test("are bound to it by the password and the exchange, too", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const grantTypes = ["password", "refresh_token", "token-exchange"];
    await robot(realm, { grantTypes });
    const signIn = { grant_type: "password", username: user.username, password: user.password, scope: "openid" };
    const { access_token, refresh_token } = given(await ask(realm, signIn));
    const cnf = { "x5t#S256": thumbprintOf(own) };
    expect(decodeJwt(access_token).cnf).toEqual(cnf);
    expect(decodeJwt(given(await ask(realm, { grant_type: "refresh_token", refresh_token })).access_token).cnf).toEqual(cnf);
    const exchange = {
      ...{ grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", subject_token: access_token },
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    };
    const exchanged = given(await ask(realm, exchange)).access_token;
    expect(decodeJwt(exchanged).cnf).toEqual(cnf);
    const userinfo = async (headers = {}) =>
      (await iam.browser().get(`/realms/${realm.name}/userinfo`, bearing(exchanged, headers))).status;
    expect([await userinfo(), await userinfo(shown(other)), await userinfo(shown(own))]).toEqual([401, 401, 200]);
  });

  test("remain bound when they are exchanged", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    await robot(realm, { grantTypes: ["password"], audience: ["api"] });
    const api = await relyingParty(iam, realm, { clientId: "api", publicClient: false, grantTypes: ["token-exchange"], redirectUris: [] });
    const signIn = { grant_type: "password", username: user.username, password: user.password, scope: "openid" };
    const subject_token = given(await ask(realm, signIn)).access_token;
    const refused = await api.post("/token", {
      ...{ grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", subject_token },
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    });
    expect(refused.body).toMatchObject({ error: "invalid_request", error_description: expect.stringContaining("bound to a key") });
  });

  test("open the account API together with the certificate, and not without", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    await robot(realm, { grantTypes: ["password"], firstParty: true });
    const signIn = { grant_type: "password", username: user.username, password: user.password, scope: "openid" };
    const { access_token } = given(await ask(realm, signIn));
    const enter = async (headers = {}) => {
      const { status, headers: answered } = await iam
        .browser()
        .get(`/realms/${realm.name}/account/profile`, bearing(access_token, headers));
      return [status, /certificate/.test(String(answered["www-authenticate"]))];
    };
    expect(await enter(shown(own))).toEqual([200, false]);
    for (const headers of [{}, shown(other), { [HEADER]: "rubbish" }]) expect(await enter(headers)).toEqual([401, true]);
  });

  test("open the admin API together with the certificate, and not without", async () => {
    const realm = await iam.realm();
    const admin = `${iam.config.baseUrl}/admin`;
    const made = await robot(realm, { grantTypes: ["client_credentials"] });
    const boss = realm.asMaster();
    expect((await boss.put(`/clients/${made.id}/allowed-resources`, { allowedResources: [admin] })).status).toBe(200);
    const { roleId } = (await boss.post("/roles", { name: "robots" })).body;
    await boss.put(`/admin-roles/${roleId}`, { permissions: ["view-users"] });
    expect((await boss.post(`/clients/${made.id}/service-account/roles`, { name: "robots" })).status).toBe(200);
    const { access_token } = given(await ask(realm, { grant_type: "client_credentials", resource: admin }));
    const call = async (headers = {}) => (await realm.anonymous().get("/users", bearing(access_token, headers))).status;
    expect([await call(shown(own)), await call(), await call(shown(other)), await call({ [HEADER]: "x" })]).toEqual([200, 401, 401, 401]);
  });

  test("a key that is proven by DPoP is no certificate: such a token is refused beside one", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const party = await relyingParty(iam, realm, { firstParty: true, grantTypes: ["password"], redirectUris: [] });
    const prove = dpopKey();
    const url = `${iam.config.baseUrl}/realms/${realm.name}/token`;
    const { body } = await iam.browser().request("POST", `/realms/${realm.name}/token`, {
      form: { client_id: party.clientId, grant_type: "password", username: user.username, password: user.password, scope: "openid" },
      headers: { dpop: prove("POST", url) },
      csrf: false,
    });
    expect(decodeJwt(body.access_token).cnf).toHaveProperty("jkt");
    const entered = await iam.browser().get(`/realms/${realm.name}/account/profile`, bearing(body.access_token, shown(own)));
    expect(entered.status).toBe(401);
  });
});

test("the header counts only where a configured proxy sent it", async () => {
  const realm = await iam.realm();
  await robot(realm, { grantTypes: ["client_credentials"] });
  const from = async (remoteAddress: string) =>
    (
      await iam.server.app.inject({
        method: "POST",
        url: `/realms/${realm.name}/token`,
        headers: { "content-type": "application/x-www-form-urlencoded", ...shown(own) },
        payload: "client_id=robot&grant_type=client_credentials",
        remoteAddress,
      })
    ).statusCode;
  const answers = [];
  for (const address of [PROXY, `::ffff:${PROXY}`, "127.0.0.1", "::1", "203.0.113.9", "2001:db8::1", "11.0.0.1"])
    answers.push(await from(address));
  expect(answers).toEqual([200, 200, 200, 200, 401, 401, 401]);
});
