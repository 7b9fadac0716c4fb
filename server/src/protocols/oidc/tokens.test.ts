import { createHmac, createPublicKey } from "node:crypto";
import { decodeJwt } from "jose";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { Browser } from "../../testing/browser.ts";
import { MASTER_PASSWORD, type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type Party, relyingParty, walk } from "../../testing/relying-party.ts";
import { deleteExpiredOAuth } from "../tokens/index.ts";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const refresh = (party: Party, refresh_token: string, more: Record<string, string> = {}) =>
  party.post("/token", { grant_type: "refresh_token", refresh_token, ...more });
const allowRepetition = async (realm: RealmUnderTest, refreshReuseGraceSeconds: number) => {
  const { body: settings } = await realm.asMaster().get("/settings");
  const changed = { ...settings, tokens: { ...settings.tokens, refreshReuseGraceSeconds } };
  expect((await realm.asMaster().put("/settings", changed)).status).toBe(200);
};
const userinfo = (realm: RealmUnderTest, token: string) =>
  iam.browser().get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
const signedIn = async ({ allowedResources, ...members }: Record<string, unknown> = {}, params: Record<string, string> = {}) => {
  const realm = await iam.realm();
  const party = await relyingParty(iam, realm, members);
  if (allowedResources)
    expect((await realm.asMaster().put(`/clients/${party.id}/allowed-resources`, { allowedResources })).status).toBe(200);
  const user = await realm.user();
  const browser = iam.browser();
  const answer = await party.signIn(browser, user, params);
  expect(answer.status, answer.text).toBe(200);
  return { realm, party, user, browser, tokens: answer.body };
};

describe("a refresh token", () => {
  test("that eight requests use concurrently counts as stolen if the realm allows no repetition: the family ends, with one event", async () => {
    const { realm, party, user, tokens } = await signedIn();
    await allowRepetition(realm, 0);
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(party, tokens.refresh_token)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    for (const { body } of answers.filter(({ status }) => status !== 200)) expect(body.error).toBe("invalid_grant");
    for (const { body } of won) expect((await refresh(party, body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await userinfo(realm, tokens.access_token)).status).toBe(401);
    expect(await realm.events("type=REFRESH_TOKEN_REUSED")).toMatchObject([
      { category: "SECURITY", resourceId: user.userId, detail: "app", outcome: "FAILURE" },
    ]);
  });

  test("may be repeated for ten seconds, has the same successor each time, and after that counts as stolen", async () => {
    const { realm, party, tokens } = await signedIn();
    const first = await refresh(party, tokens.refresh_token);
    clock.advance(9 * SECOND);
    const second = await refresh(party, tokens.refresh_token);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.refresh_token).toBe(first.body.refresh_token);
    expect(await realm.events("type=REFRESH_TOKEN_REUSED")).toEqual([]);
    clock.advance(2 * SECOND);
    expect((await refresh(party, tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect((await refresh(party, second.body.refresh_token)).body.error).toBe("invalid_grant");
    expect(await realm.events("type=REFRESH_TOKEN_REUSED")).toHaveLength(1);
  });

  test("is not repeated after its successor was used: a second holder is noticed", async () => {
    const { realm, party, tokens } = await signedIn();
    const { body: next } = await refresh(party, tokens.refresh_token);
    const { body: third } = await refresh(party, next.refresh_token);
    expect((await refresh(party, tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect((await refresh(party, third.refresh_token)).body.error, "the family has ended").toBe("invalid_grant");
    expect(await realm.events("type=REFRESH_TOKEN_REUSED")).toHaveLength(1);
  });

  test("may be repeated only by its own client: another client that presents it ends the family", async () => {
    const { realm, party, tokens } = await signedIn();
    const other = await relyingParty(iam, realm, { clientId: "other" });
    const { body: next } = await refresh(party, tokens.refresh_token);
    expect((await refresh(other, tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect((await refresh(party, next.refresh_token)).body.error).toBe("invalid_grant");
    expect(await realm.events("type=REFRESH_TOKEN_REUSED")).toHaveLength(1);
  });

  test.each([0, 30])("that eight requests present concurrently at two nodes, with %i seconds of grace", async (grace) => {
    const { realm, party, tokens } = await signedIn();
    await allowRepetition(realm, grace);
    const other = testDatabase() === "postgres" ? (await iam.secondNode()).server : iam.server;
    await other.jobs.stop(); // the server lives as long as this file, and later tests move the clock
    const nodes = [iam.server.app, other.app];
    const ask = (refresh_token: string, n: number) =>
      new Browser(nodes[n % 2]!).request("POST", `/realms/${realm.name}/token`, {
        form: { grant_type: "refresh_token", client_id: party.clientId, refresh_token },
        csrf: false,
      });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(tokens.refresh_token, n)));
    const won = answers.filter(({ status }) => status === 200);
    if (grace === 0) {
      expect(won.length).toBeLessThanOrEqual(1);
      for (const [n, { body }] of won.entries()) expect((await ask(body.refresh_token, n)).body.error).toBe("invalid_grant");
      expect(await realm.events("type=REFRESH_TOKEN_REUSED")).toHaveLength(1);
      return;
    }
    // The token of each response works, and no replay is detected.
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(won.map(({ body }) => body.refresh_token)).size).toBe(1);
    for (const [n, { body }] of won.entries()) expect((await ask(body.refresh_token, n + 1)).status).toBe(200);
    expect(await realm.events("type=REFRESH_TOKEN_REUSED")).toEqual([]);
    clock.advance(31 * SECOND);
    expect((await ask(tokens.refresh_token, 0)).body.error).toBe("invalid_grant");
    expect((await ask(won[0]!.body.refresh_token, 1)).body.error).toBe("invalid_grant");
    expect(await realm.events("type=REFRESH_TOKEN_REUSED")).toHaveLength(1);
  });

  test.each(["unnamed", "named"])("gives no scope that its client has lost meanwhile (its resource %s)", async (resource) => {
    const scope = "openid profile email";
    const { realm, party, user, tokens } = await signedIn({ scopes: ["openid", "profile", "email"] }, { scope });
    const answered = async (body: typeof tokens) => [
      body.scope,
      decodeJwt(body.access_token).scope,
      decodeJwt(body.id_token).preferred_username,
    ];
    expect(await answered(tokens)).toEqual([scope, scope, user.username]);
    const { body: client } = await realm.asMaster().get(`/clients/${party.id}`);
    expect((await realm.asMaster().put(`/clients/${party.id}`, { ...client, scopes: ["openid"] })).status).toBe(200);
    const claimsNow = (await userinfo(realm, tokens.access_token)).body;
    expect(claimsNow).toEqual({ sub: user.userId });
    const more = resource === "named" ? { resource: `${base}/realms/${realm.name}` } : {};
    const { status, text, body } = await refresh(party, tokens.refresh_token, more);
    expect(status, text).toBe(200);
    expect(await answered(body)).toEqual(["openid", "openid", undefined]);
  });

  test("gives neither scopes nor resources beyond its own", async () => {
    const { realm, party, tokens } = await signedIn({ allowedResources: ["https://api.example"] });
    expect((await refresh(party, tokens.refresh_token, { scope: "openid email" })).body.error).toBe("invalid_scope");
    expect((await refresh(party, tokens.refresh_token, { resource: "https://api.example" })).body.error).toBe("invalid_target");
    expect((await refresh(party, tokens.refresh_token)).status).toBe(200);
    expect(await realm.events("type=REFRESH_TOKEN_REUSED")).toEqual([]);
  });

  test("ends with the session; one with offline_access lives on while its client may have that, for thirty days since its last use", async () => {
    const { realm, party, browser, tokens } = await signedIn({}, { scope: "openid offline_access" });
    const bound = (await party.exchange((await walk(browser, base, party.url())).left)).body;
    const [session] = (await realm.asMaster().get("/sessions")).body;
    expect((await realm.asMaster().delete(`/sessions/${session.id}`)).status).toBe(204);
    expect((await refresh(party, bound.refresh_token)).body.error).toBe("invalid_grant");
    expect((await userinfo(realm, bound.access_token)).status).toBe(401);
    expect((await userinfo(realm, tokens.access_token)).status).toBe(200);
    clock.advance(29 * DAY);
    const later = await refresh(party, tokens.refresh_token);
    expect(later.status).toBe(200);
    clock.advance(29 * DAY);
    const allow = (scopes: string[]) => realm.asMaster().patch(`/clients/${party.id}`, { scopes });
    expect((await allow(["openid", "profile"])).status).toBe(200);
    expect((await refresh(party, later.body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await allow(["openid", "offline_access"])).status).toBe(200);
    const last = await refresh(party, later.body.refresh_token);
    expect(last.status).toBe(200);
    clock.advance(31 * DAY);
    expect((await refresh(party, last.body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("belongs to its client", async () => {
    const { realm, tokens } = await signedIn();
    const other = await relyingParty(iam, realm, { clientId: "other", publicClient: false });
    expect((await refresh(other, tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect((await other.post("/introspect", { token: tokens.refresh_token })).body).toEqual({ active: false });
  });
});

describe("a code", () => {
  test("works once; a second use revokes the tokens of the first", async () => {
    const { realm, party, browser } = await signedIn();
    const { left } = await walk(browser, base, party.url());
    const first = await party.exchange(left);
    expect(first.status).toBe(200);
    expect((await party.exchange(left)).body.error).toBe("invalid_grant");
    expect((await userinfo(realm, first.body.access_token)).status).toBe(401);
    expect((await refresh(party, first.body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("that eight requests use concurrently works for one at most", async () => {
    const { party, browser } = await signedIn();
    const { left } = await walk(browser, base, party.url());
    const answers = await Promise.all(Array.from({ length: 8 }, () => party.exchange(left)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test("needs its verifier, its redirect URI and its client, and lasts a minute", async () => {
    const { realm, party, browser } = await signedIn();
    const other = await relyingParty(iam, realm, { clientId: "other" });
    const code = async () => (await walk(browser, base, party.url())).left!.searchParams.get("code")!;
    const form = async (more: Record<string, string>) => ({
      grant_type: "authorization_code",
      code: await code(),
      redirect_uri: "https://app.example/cb",
      code_verifier: party.verifier,
      ...more,
    });
    for (const more of [{ code_verifier: "x".repeat(43) }, { code_verifier: "" }, { redirect_uri: "https://app.example/" }] as Record<
      string,
      string
    >[])
      expect((await party.post("/token", await form(more))).body.error).toBe("invalid_grant");
    expect((await other.post("/token", await form({}))).body.error).toBe("invalid_grant");
    const late = await form({});
    clock.advance(61 * SECOND);
    expect((await party.post("/token", late)).body.error).toBe("invalid_grant");
  });

  test("without PKCE is not given to a public client, and a verifier without a challenge is refused", async () => {
    const { party, browser, realm } = await signedIn();
    const bare = new URL(party.url(), base);
    bare.searchParams.delete("code_challenge");
    bare.searchParams.delete("code_challenge_method");
    expect((await walk(browser, base, bare.href)).left?.searchParams.get("error")).toBe("invalid_request");
    const plain = party.url({ code_challenge_method: "plain" });
    expect((await walk(browser, base, plain)).left?.searchParams.get("error")).toBe("invalid_request");

    const web = await relyingParty(iam, realm, { clientId: "web", publicClient: false });
    const url = new URL(web.url(), base);
    url.searchParams.delete("code_challenge");
    url.searchParams.delete("code_challenge_method");
    expect((await web.exchange((await walk(browser, base, url.href)).left)).body.error).toBe("invalid_grant"); // RFC 9700 §4.8.2
  });
});

describe("the end of a grant ends its tokens at once", () => {
  const endings: Record<
    string,
    (at: { realm: RealmUnderTest; party: Party; user: { userId: string; username: string } }) => Promise<unknown>
  > = {
    "disabling the user": async ({ realm, user }) => {
      const known = (await realm.asMaster().get(`/users/${user.userId}`)).body;
      return realm.asMaster().put(`/users/${user.userId}`, { ...known, enabled: false });
    },
    "deleting the user": ({ realm, user }) => realm.asMaster().delete(`/users/${user.userId}`),
    "disabling the client": async ({ realm, party }) => {
      const known = (await realm.asMaster().get(`/clients/${party.id}`)).body;
      return realm.asMaster().put(`/clients/${party.id}`, { ...known, enabled: false });
    },
    "deleting the client": ({ realm, party }) => realm.asMaster().delete(`/clients/${party.id}`),
  };
  test.each(Object.keys(endings))("%s", async (what) => {
    const { realm, party, user, tokens } = await signedIn({}, { scope: "openid offline_access" });
    const api = await relyingParty(iam, realm, { clientId: "api", publicClient: false, introspectAll: true });
    expect((await api.post("/introspect", { token: tokens.access_token })).body.active).toBe(true);
    await endings[what]!({ realm, party, user });
    expect((await userinfo(realm, tokens.access_token)).status).toBe(401);
    expect((await api.post("/introspect", { token: tokens.access_token })).body).toEqual({ active: false });
    expect((await refresh(party, tokens.refresh_token)).status).toBeGreaterThanOrEqual(400);
  });
});

describe("an access token", () => {
  const resigned = (jwt: string, header: object, sign: (data: string) => string, change: object = {}) => {
    const data = [header, { ...decodeJwt(jwt), ...change }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${data}.${sign(data)}`;
  };

  test("that was forged is refused: no algorithm, the public key as a secret, another kid, other claims", async () => {
    const { realm, tokens } = await signedIn();
    const [{ keyId, publicKey }] = (await realm.asMaster().get("/keys")).body;
    const pem = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" }).export({
      format: "pem",
      type: "spki",
    });
    const hs = (data: string) => createHmac("sha256", pem).update(data).digest("base64url");
    const [head, , signature] = tokens.access_token.split(".");
    const body = Buffer.from(JSON.stringify({ ...decodeJwt(tokens.access_token), sub: "somebody" })).toString("base64url");
    for (const forged of [
      resigned(tokens.access_token, { alg: "none", typ: "at+jwt", kid: keyId }, () => ""),
      resigned(tokens.access_token, { alg: "none", typ: "at+jwt", kid: keyId }, () => "AA"),
      resigned(tokens.access_token, { alg: "HS256", typ: "at+jwt", kid: keyId }, hs),
      resigned(tokens.access_token, { alg: "RS256", typ: "at+jwt", kid: "../../../etc/passwd" }, hs),
      resigned(tokens.access_token, { alg: "ES256", typ: "at+jwt", kid: keyId }, hs),
      `${head}.${body}.${signature}`,
      "a.b.c",
      "x".repeat(20_000),
    ])
      expect((await userinfo(realm, forged)).status).toBe(401);
    expect((await userinfo(realm, tokens.id_token)).status).toBe(401); // an ID token is no access token
  });

  test("is refused if it is of another realm, for another audience, or expired", async () => {
    const { realm, party, browser, tokens } = await signedIn({ allowedResources: ["https://api.example"] });
    const elsewhere = await iam.realm();
    expect((await userinfo(elsewhere, tokens.access_token)).status).toBe(401);
    const forApi = (await party.exchange((await walk(browser, base, party.url({ resource: "https://api.example" }))).left)).body;
    expect(decodeJwt(forApi.access_token).aud).toBe("https://api.example");
    expect((await userinfo(realm, forApi.access_token)).status).toBe(401);
    expect((await walk(browser, base, party.url({ resource: "https://other.example" }))).left?.searchParams.get("error")).toBe(
      "invalid_target",
    );
    clock.advance(5 * MINUTE + SECOND);
    const late = await userinfo(realm, tokens.access_token);
    expect([late.status, late.headers["www-authenticate"]]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });

  test("is a JWT for the realm itself, with grant, session and roles, and keeps its session awake", async () => {
    const { realm, user, party, tokens } = await signedIn({ audience: ["https://also.example"] }, { scope: "openid roles" });
    const claims = decodeJwt(tokens.access_token);
    const issuer = `${base}/realms/${realm.name}`;
    expect(claims).toMatchObject({
      iss: issuer,
      aud: [issuer, "https://also.example"],
      sub: user.userId,
      client_id: "app",
      gid: expect.any(String),
    });
    expect(claims.roles).toContain("user");
    clock.advance(25 * MINUTE);
    const again = await refresh(party, tokens.refresh_token);
    clock.advance(25 * MINUTE);
    const last = await refresh(party, again.body.refresh_token);
    expect(last.status).toBe(200);
    clock.advance(HOUR);
    expect((await refresh(party, last.body.refresh_token)).body.error).toBe("invalid_grant"); // the session is idle for too long now
  });

  test("survives the rotation of the key that signed it", async () => {
    const { realm, party, browser, tokens } = await signedIn();
    await realm.asMaster().post("/keys/rotate");
    expect((await userinfo(realm, tokens.access_token)).status).toBe(200);
    const after = (await party.exchange((await walk(browser, base, party.url())).left)).body;
    expect((await userinfo(realm, after.access_token)).status).toBe(200);
    expect(after.access_token.split(".")[0]).not.toBe(tokens.access_token.split(".")[0]);
  });

  test("is signed as the client asks", async () => {
    for (const alg of ["ES256", "PS256"]) {
      const { realm, tokens } = await signedIn({ accessTokenAlg: alg, idTokenAlg: alg });
      expect((await userinfo(realm, tokens.access_token)).status).toBe(200);
    }
  });

  test("names the administrator who acts as the user", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const admin = await realm.admin();
    const { url } = (await admin.post(`/users/${user.userId}/impersonate`)).body;
    expect((await admin.browser.get(String(url).replace(base, ""))).status).toBe(303);
    const { body } = await party.exchange((await walk(admin.browser, base, party.url())).left);
    const act = { sub: admin.userId, preferred_username: "admin" };
    for (const token of [body.access_token, body.id_token]) expect(decodeJwt(token)).toMatchObject({ sub: user.userId, act });
    expect(decodeJwt(body.id_token)).toMatchObject({ acr: "0", act });
    const again = await refresh(party, body.refresh_token);
    expect(decodeJwt(again.body.id_token).act, "refreshed").toEqual(act);
    const byEngine = await refresh(party, again.body.refresh_token, { resource: `${base}/realms/${realm.name}` });
    expect([decodeJwt(byEngine.body.id_token).act, decodeJwt(byEngine.body.access_token).act], "by the engine").toEqual([act, act]);
    const ordinary = await signedIn();
    expect(decodeJwt(ordinary.tokens.id_token)).not.toHaveProperty("act");
  });

  test("names an administrator of master by issuer and id, also at the authorization endpoint", async () => {
    const realm = await iam.realm();
    expect((await realm.asMaster().put("/settings", { oidc: { implicitFlow: true } })).status).toBe(200);
    const party = await relyingParty(iam, realm, { responseTypes: ["code", "id_token token"] });
    const user = await realm.user();
    const browser = iam.browser();
    await browser.signIn("master", "admin", MASTER_PASSWORD);
    const { url } = (await browser.post(`/admin/realms/${realm.name}/users/${user.userId}/impersonate`)).body;
    expect((await browser.get(String(url).replace(base, ""))).status).toBe(303);
    const { left } = await walk(browser, base, party.url({ response_type: "id_token token", nonce: "n" }));
    const answer = new URLSearchParams(left!.hash.slice(1));
    const act = { sub: expect.stringMatching(/^[0-9a-f-]{36}$/), preferred_username: "master/admin", iss: `${base}/realms/master` };
    for (const name of ["id_token", "access_token"]) expect(decodeJwt(answer.get(name)!), name).toMatchObject({ sub: user.userId, act });
  });
});

describe("at rest", () => {
  test("no issued value can be read in the database", async () => {
    const { party, browser, tokens, realm } = await signedIn({}, { scope: "openid offline_access" });
    await browser.get(party.url({ prompt: "login" }));
    const code = (await walk(browser, base, party.url())).left!.searchParams.get("code")!;
    const tables = await Promise.all(
      ["oidc_records", "oidc_grants", "interactions", "session_participants"].map(async (table) =>
        JSON.stringify((await sql`select * from ${sql.table(table)} where realm_id = ${realm.name}`.execute(iam.core.db)).rows),
      ),
    );
    for (const secret of [code, tokens.refresh_token, tokens.access_token, browser.cookies.get(`gh_${realm.name}`)!])
      expect(tables.join("").includes(secret)).toBe(false);
  });

  test("expired records are cleaned up", async () => {
    const { realm, browser, party } = await signedIn();
    await browser.get(party.url({ prompt: "login" }));
    clock.advance(40 * DAY);
    await deleteExpiredOAuth(iam.core.db, clock.now());
    for (const table of ["oidc_records", "oidc_grants"])
      expect((await sql`select * from ${sql.table(table)} where realm_id = ${realm.name}`.execute(iam.core.db)).rows).toEqual([]);
  });
});

describe("metadata", () => {
  test("is the same in every form, cached, open to browsers, and never contains the Host header", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    const paths = ["openid-configuration", "oauth-authorization-server"].flatMap((name) => [
      `/realms/${realm.name}/.well-known/${name}`,
      `/.well-known/${name}/realms/${realm.name}`,
    ]);
    const evil = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
    const answers = await Promise.all(paths.map((path) => browser.get(path, { headers: evil })));
    for (const { status, text, headers } of answers) {
      expect([status, text, headers["access-control-allow-origin"]]).toEqual([200, answers[0]!.text, "*"]);
      expect(text).not.toContain("evil");
    }
    const issuer = `${base}/realms/${realm.name}`;
    expect(answers[0]!.body).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      end_session_endpoint: `${issuer}/logout`,
      jwks_uri: `${issuer}/jwks`,
      introspection_endpoint: `${issuer}/introspect`,
      revocation_endpoint: `${issuer}/revoke`,
      pushed_authorization_request_endpoint: `${issuer}/par`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      backchannel_logout_supported: true,
      backchannel_user_code_parameter_supported: false,
      revocation_endpoint_auth_methods_supported: expect.arrayContaining(["none", "private_key_jwt"]),
      revocation_endpoint_auth_signing_alg_values_supported: answers[0]!.body.token_endpoint_auth_signing_alg_values_supported,
      introspection_endpoint_auth_methods_supported: expect.arrayContaining(["client_secret_basic", "private_key_jwt"]),
      introspection_endpoint_auth_signing_alg_values_supported: answers[0]!.body.token_endpoint_auth_signing_alg_values_supported,
    });
    expect(answers[0]!.body.introspection_endpoint_auth_methods_supported).not.toContain("none");
    const etag = String(answers[0]!.headers.etag);
    expect((await browser.get(paths[0]!, { headers: { "if-none-match": etag } })).status).toBe(304);
    const resource = await browser.get(`/.well-known/oauth-protected-resource/realms/${realm.name}`);
    expect(resource.body).toMatchObject({ resource: issuer, authorization_servers: [issuer] });
    expect((await browser.get("/.well-known/openid-configuration/realms/nobody")).status).toBe(404);
  });

  test("scripts may send a preflight for a document", async () => {
    const { name } = await iam.realm();
    const documents = ["jwks", ".well-known/openid-configuration", "saml/idp/metadata"];
    for (const path of [...documents.map((each) => `/realms/${name}/${each}`), `/.well-known/openid-configuration/realms/${name}`]) {
      const headers = {
        origin: "https://spa.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-trace",
      };
      const answer = await iam.browser().request("OPTIONS", path, { headers });
      expect(answer, path).toMatchObject({ status: 204, headers: { "access-control-allow-headers": "x-trace" } });
    }
  });

  test("scripts of any origin may read the refusals of userinfo", async () => {
    const realm = await iam.realm();
    const ask = (method: "GET" | "POST", authorization?: string) =>
      iam.browser().request(method, `/realms/${realm.name}/userinfo`, {
        headers: { origin: "https://evil.example", ...(authorization && { authorization }) },
        ...(method === "POST" && { form: {} }),
      });
    for (const answer of [await ask("GET"), await ask("POST"), await ask("GET", "Bearer made-up")]) {
      expect(answer.status, answer.text).toBe(401);
      expect(answer.headers).toMatchObject({ "access-control-allow-origin": "*", "access-control-expose-headers": "WWW-Authenticate" });
      expect(answer.headers["www-authenticate"]).toContain(
        `resource_metadata="${base}/realms/${realm.name}/.well-known/oauth-protected-resource"`,
      );
    }
    expect((await ask("GET")).headers["www-authenticate"]).not.toContain("error=");
    // RFC 6750 §3.1: a request without a token gets no error code, at any endpoint.
    for (const path of ["/tx", "/device/enroll/start", "/access/v1/evaluation", "/authz/protection/permission"]) {
      const missing = await iam.browser().request("POST", `/realms/${realm.name}${path}`, { csrf: false });
      expect([path, missing.status, missing.headers["www-authenticate"]]).toEqual([path, 401, expect.stringMatching(/^Bearer(?!.*error)/)]);
    }
  });

  test("browsers may read tokens only from origins that the client names", async () => {
    const { realm, party, tokens } = await signedIn({ webOrigins: ["https://spa.example", "capacitor://localhost"] });
    const ask = (origin: string) =>
      iam.browser().get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}`, origin } });
    expect((await ask("https://spa.example")).headers["access-control-allow-origin"]).toBe("https://spa.example");
    expect((await ask("https://evil.example")).headers["access-control-allow-origin"]).toBeUndefined();
    expect((await ask("capacitor://localhost")).headers["access-control-allow-origin"]).toBe("capacitor://localhost");
    const form = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: "app" };
    const from = (origin: string) => iam.browser().request("POST", `/realms/${realm.name}/token`, { form, headers: { origin } });
    const evil = await from("https://evil.example");
    expect([evil.status, evil.headers["access-control-allow-origin"]]).toEqual([400, undefined]);
    expect((await from("https://spa.example")).headers["access-control-allow-origin"]).toBe("https://spa.example");
    expect(party.clientId).toBe("app");
  });
});
