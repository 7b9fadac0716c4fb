import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer } from "node:net";
import { decodeJwt, exportJWK, exportSPKI, type GenerateKeyPairResult, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, fieldOf, type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";

// Attacks of RFC 9700 and RFC 6819 that the tests of each feature do not try.

let iam: SharedHarness;
let base: string;
/** The key of a client, and the key of another caller. */
let own: GenerateKeyPairResult;
let foreign: GenerateKeyPairResult;
let ownKey: JWK;
let foreignKey: JWK;
beforeAll(async () => {
  iam = await sharedHarness();
  base = iam.config.baseUrl;
  [own, foreign] = [await generateKeyPair("ES256", { extractable: true }), await generateKeyPair("ES256")];
  [ownKey, foreignKey] = [
    { ...(await exportJWK(own.publicKey)), kid: "k1" },
    { ...(await exportJWK(foreign.publicKey)), kid: "k1" },
  ];
});
afterAll(() => iam?.close());

const at = (realm: RealmUnderTest, path: string, params: Record<string, string> = {}) =>
  `/realms/${realm.name}${path}?${new URLSearchParams(params)}`;
const post = (realm: RealmUnderTest, path: string, body: string, headers: Record<string, string> = {}) =>
  iam.browser().request("POST", `/realms/${realm.name}${path}`, {
    body,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    csrf: false,
  });
const signedIn = async (realm: RealmUnderTest): Promise<Browser> => {
  const { username, password } = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, username, password);
  return browser;
};
const codeIn = (left: URL | null) => left?.searchParams.get("code") ?? "";
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const unsigned = (claims: object, header: object = { alg: "none" }) => `${encoded(header)}.${encoded(claims)}.`;
const hmac = (claims: object, header: object, secret: string) => {
  const data = `${encoded({ ...header, alg: "HS256" })}.${encoded(claims)}`;
  return `${data}.${createHmac("sha256", secret).update(data).digest("base64url")}`;
};
const signed = (claims: JWTPayload, key = own.privateKey, header: object = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "k1", ...header }).sign(key);
const soon = () => {
  const iat = Math.floor(clock.now() / SECOND);
  return { jti: randomUUID(), iat, exp: iat + 60 };
};

describe("the target of the answer", () => {
  test.each([
    "https://app.example\\@evil.example/cb",
    "https://app.example/cb/../evil",
    "https://app.example/cb/%2e%2e/evil",
    "https://app.example/%63b",
    "https://app.example./cb",
    "https://APP.example/cb",
    "HTTPS://app.example/cb",
    "https://user@app.example/cb",
    "https://app.example.evil.example/cb",
    "//app.example/cb",
    " https://app.example/cb",
    "https://app.example/cb\n",
    "https://app.example/cb?",
    "javascript:alert(1)//https://app.example/cb",
    "data:text/html,https://app.example/cb",
    "http://127.0.0.1.evil.example/cb",
  ])("%j is refused, also when pushed", async (redirect_uri) => {
    const { realm, party, browser } = await place();
    const { page, left } = await walk(browser, base, party.url({ redirect_uri }));
    expect([left?.href, page.status]).toEqual([undefined, 400]);
    const pushed = await party.post("/par", { ...Object.fromEntries(new URL(party.url(), base).searchParams), redirect_uri });
    expect([pushed.status, pushed.body.request_uri], realm.name).toEqual([400, undefined]);
  });

  // All tests share one realm, because none of them changes it.
  let kept: Promise<{ realm: RealmUnderTest; party: Party; browser: Browser }> | undefined;
  const place = () => {
    kept ??= iam.realm().then(async (realm) => ({ realm, party: await relyingParty(iam, realm), browser: await signedIn(realm) }));
    return kept;
  };

  test("no token is given by the browser to a client that does not ask to be registered so, and no page of another origin gets a message", async () => {
    const { party, browser } = await place();
    for (const response_type of ["token", "id_token", "id_token token", "code id_token", "code token", "code id_token token", "none"]) {
      const { left } = await walk(browser, base, party.url({ response_type, nonce: "n" }));
      expect(left?.href, response_type).toMatch(/[?#]error=(unsupported_response_type|invalid_request)&/);
      expect(left?.href, response_type).not.toMatch(/[?#&](code|id_token|access_token)=/);
    }
    const { page } = await walk(browser, base, party.url({ response_mode: "web_message" }));
    expect(page.text).not.toContain("postMessage");
  });

  test("every answer names its issuer, errors too, and pages of ours show nothing that was sent as markup", async () => {
    const { realm, party, browser } = await place();
    for (const params of [{}, { prompt: "none", max_age: "0" }, { scope: "nonsense", prompt: "none" }, { response_mode: "fragment" }]) {
      const { left } = await walk(browser, base, party.url(params as Record<string, string>));
      const answer = left!.hash ? new URLSearchParams(left!.hash.slice(1)) : left!.searchParams;
      expect(answer.get("iss"), left!.href).toBe(`${base}/realms/${realm.name}`);
    }
    const script = "<script>alert(1)</script>";
    for (const params of [{ client_id: script }, { client_id: "app", redirect_uri: script }, { client_id: "app", request: script }]) {
      const page = await browser.get(at(realm, "/authorize", { response_type: "code", ...params } as Record<string, string>));
      expect(page.text).not.toContain(script);
      expect(page.headers["content-security-policy"] ?? "").not.toContain("script-src *");
    }
  });

  test("a forged Host header is in no redirect and in no address that is handed out", async () => {
    const realm = await iam.realm();
    const members = { grantTypes: ["authorization_code", "device"], postLogoutRedirectUris: ["https://app.example/bye"] };
    const party = await relyingParty(iam, realm, members);
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
    const browser = await signedIn(realm);
    const device = await post(realm, "/device/authorize", "client_id=app&scope=openid", headers);
    expect(device.status, device.text).toBe(200);
    const answers = [
      device,
      await iam.browser().get(party.url(), { headers }),
      await browser.get(party.url(), { headers }),
      await browser.get(at(realm, "/logout", { client_id: "app" }), { headers }),
      await iam.browser().get(at(realm, "/userinfo"), { headers }),
    ];
    for (const { text, headers: answered } of answers) expect(JSON.stringify([text, answered])).not.toContain("evil");
  });
});

describe("a request", () => {
  test("with a repeated or an excessively long parameter is refused", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { publicClient: false });
    const browser = await signedIn(realm);
    for (const twice of ["client_id=app", "client_id=other", "redirect_uri=https://evil.example/", "scope=openid", "state=x"]) {
      const { page, left } = await walk(browser, base, `${party.url()}&${twice}`);
      expect([codeIn(left), left?.host === "evil.example"], `${twice} ${page.status}`).toEqual(["", false]);
    }
    const { left } = await walk(browser, base, party.url());
    const form = new URLSearchParams({
      ...{ grant_type: "authorization_code", code: codeIn(left), redirect_uri: CALLBACK, code_verifier: party.verifier },
      ...{ client_id: "app", client_secret: party.secret! },
    }).toString();
    for (const twice of ["client_id=app", "client_secret=x", "code=x", "grant_type=refresh_token", "code_verifier=x"])
      expect((await post(realm, "/token", `${form}&${twice}`)).body.error, twice).toBe("invalid_request");
    expect((await post(realm, "/token", form)).status).toBe(200);
    for (const twice of ["client_id=app&client_id=app", "id_token_hint=a.b.c&id_token_hint=a.b.c"])
      expect((await browser.get(`/realms/${realm.name}/logout?${twice}`)).status, twice).toBe(400);
    const huge = "x".repeat(300_000);
    for (const path of ["/token", "/par", "/introspect", "/revoke", "/userinfo", "/authorize"]) {
      const { status } = await post(realm, path, `${form}&more=${huge}`);
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
    }
    const long = await browser.get(party.url({ state: "s".repeat(9_000), nonce: "n".repeat(9_000), scope: `openid ${"a".repeat(5_000)}` }));
    expect(long.status).toBeLessThan(500);
  });

  test("is refused unless its request object is signed by the client, for this issuer, and has not expired", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { jwks: { keys: [ownKey] } });
    await relyingParty(iam, realm, { clientId: "other", jwks: { keys: [foreignKey] } });
    const issuer = `${base}/realms/${realm.name}`;
    const browser = await signedIn(realm);
    const good = { ...Object.fromEntries(new URL(party.url(), base).searchParams), iss: "app", aud: issuer, ...soon() };
    const ask = async (request: string) => codeIn((await walk(browser, base, at(realm, "/authorize", { client_id: "app", request }))).left);
    expect(await ask(await signed(good))).not.toBe("");
    const pem = await exportSPKI(own.publicKey);
    const refused: Record<string, string> = {
      "no algorithm": unsigned(good),
      "no algorithm, spelled otherwise": unsigned(good, { alg: "None", kid: "k1" }),
      "the public key as a secret": hmac(good, { kid: "k1" }, pem),
      "another client's key": await signed(good, foreign.privateKey),
      "a key that comes along": await signed(good, foreign.privateKey, { jwk: foreignKey }),
      "another issuer": await signed({ ...good, iss: "other" }),
      "another client": await signed({ ...good, client_id: "other" }),
      "another audience": await signed({ ...good, aud: `${base}/realms/master` }),
      "too late": await signed({ ...good, exp: good.iat - 600 }),
      "an object within": await signed({ ...good, request_uri: "https://evil.example/" }),
      "another redirect URI": await signed({ ...good, redirect_uri: "https://evil.example/cb" }),
    };
    for (const [what, request] of Object.entries(refused)) expect(await ask(request), what).toBe("");
    const object = await walk(browser, base, party.url({ request_uri: "https://127.0.0.1/object" }));
    expect(codeIn(object.left)).toBe("");
  });

  test("that was pushed is used once, by its client, in its realm", async () => {
    const [realm, elsewhere] = [await iam.realm(), await iam.realm()];
    const party = await relyingParty(iam, realm);
    await relyingParty(iam, realm, { clientId: "other" });
    await relyingParty(iam, elsewhere);
    const push = async () => (await party.post("/par", Object.fromEntries(new URL(party.url(), base).searchParams))).body.request_uri;
    const browser = await signedIn(realm);
    const ask = async (where: RealmUnderTest, client_id: string, request_uri: string, by = browser) =>
      codeIn((await walk(by, base, at(where, "/authorize", { client_id, request_uri }))).left);
    expect(await ask(realm, "other", await push())).toBe("");
    expect(await ask(elsewhere, "app", await push(), await signedIn(elsewhere))).toBe("");
    const request_uri = await push();
    const stored = request_uri.replace(/[^:]+$/, (id: string) => `#${createHash("sha256").update(id).digest("base64url")}`);
    expect(await ask(realm, "app", stored), "the hash that is stored").toBe("");
    expect(await ask(realm, "app", request_uri)).not.toBe("");
    expect(await ask(realm, "app", request_uri)).toBe("");
  });
});

describe("a client's authentication or proof", () => {
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

  test("is accepted once, for this server, and only with the client's own key", async () => {
    const realm = await iam.realm();
    const members = { publicClient: false, authMethod: "private_key_jwt", redirectUris: [], grantTypes: ["client_credentials"] };
    await relyingParty(iam, realm, { ...members, jwks: { keys: [ownKey] } });
    await relyingParty(iam, realm, { ...members, clientId: "other", jwks: { keys: [foreignKey] } });
    const ask = async (client_assertion: string, more: Record<string, string> = {}) => {
      const form = { grant_type: "client_credentials", client_assertion_type: type, client_assertion, ...more };
      return (await post(realm, "/token", new URLSearchParams(form).toString())).status;
    };
    const good = () => ({ iss: "app", sub: "app", aud: `${base}/realms/${realm.name}`, ...soon() });
    const once = await signed(good());
    const together = await Promise.all(Array.from({ length: 4 }, () => ask(once)));
    expect(together.filter((status) => status === 200)).toHaveLength(1);
    expect(await ask(once)).toBe(401);
    const { jti: _, ...unnamed } = good();
    const { iat: now, ...undated } = good();
    const { exp: __, ...endless } = good();
    const refused: Record<string, string> = {
      "another audience": await signed({ ...good(), aud: `${base}/realms/master` }),
      "another server": await signed({ ...good(), aud: "https://evil.example/token" }),
      "another client's key": await signed(good(), foreign.privateKey),
      "a key that comes along": await signed(good(), foreign.privateKey, { jwk: foreignKey }),
      "another client's name": await signed({ ...good(), iss: "other", sub: "other" }),
      "another issuer": await signed({ ...good(), iss: "other" }),
      "no algorithm": unsigned(good()),
      "the public key as a secret": hmac(good(), { kid: "k1" }, await exportSPKI(own.publicKey)),
      "too late": await signed({ ...good(), exp: soon().iat - 600 }),
      "no end": await signed(endless),
      "no name": await signed(unnamed),
      "ten years": await signed({ ...good(), exp: now + 315_360_000 }),
      "ten years, nearly over": await signed({ ...good(), iat: now - 315_360_000 }),
      "ten years, by nbf": await signed({ ...undated, jti: randomUUID(), nbf: now - 315_360_000 }),
      "a quarter of an hour": await signed({ ...undated, jti: randomUUID(), exp: now + 900 }),
      "from tomorrow": await signed({ ...good(), iat: now + 86_400, exp: now + 300 }),
      "two audiences": await signed({ ...good(), aud: [good().aud, "https://other.example"] }),
      "two audiences of ours": await signed({ ...good(), aud: [good().aud, `${good().aud}/token`] }),
      "no audience": await signed({ ...good(), aud: [] }),
      "a name that is no text": await signed({ ...good(), jti: 7 as unknown as string }),
    };
    for (const [what, assertion] of Object.entries(refused)) expect([what, await ask(assertion)]).toEqual([what, 401]);
    const taken: Record<string, string> = {
      "ten minutes": await signed({ ...good(), exp: now + 600 }),
      "one audience in a list": await signed({ ...good(), aud: [good().aud] }),
      "the token endpoint": await signed({ ...good(), aud: `${good().aud}/token` }),
      "a clock that is half a minute ahead": await signed({ ...good(), iat: now + 30, exp: now + 330 }),
      "no iat": await signed({ ...undated, jti: randomUUID() }),
    };
    for (const [what, assertion] of Object.entries(taken)) expect([what, await ask(assertion)]).toEqual([what, 200]);
    expect(await ask(await signed(good()), { client_id: "other" })).toBe(400);
  });

  test("does not make the server fetch keys inside its own network", async () => {
    const realm = await iam.realm();
    let reached = 0;
    const inside = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => inside.listen(0, "127.0.0.1", done));
    const { port } = inside.address() as { port: number };
    const members = { publicClient: false, authMethod: "private_key_jwt", redirectUris: [], grantTypes: ["client_credentials"] };
    for (const [index, host] of ["127.0.0.1", "localhost", "[::ffff:7f00:1]"].entries()) {
      const clientId = `inward${index}`;
      await relyingParty(iam, realm, { ...members, clientId, jwksUri: `https://${host}:${port}/jwks` });
      const client_assertion = await signed({ iss: clientId, sub: clientId, aud: `${base}/realms/${realm.name}`, ...soon() });
      const form = { grant_type: "client_credentials", client_assertion_type: type, client_assertion };
      const answer = await post(realm, "/token", new URLSearchParams(form).toString());
      expect([host, answer.status >= 400 && answer.status < 500, answer.text.includes(String(port))]).toEqual([host, true, false]);
    }
    expect(reached).toBe(0);
    await new Promise((done) => inside.close(done));
  });

  test("is not read from a header unless a proxy is configured to send it", async () => {
    const realm = await iam.realm();
    const members = { publicClient: false, authMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=robot" };
    await relyingParty(iam, realm, { ...members, redirectUris: [], grantTypes: ["client_credentials"] });
    const { cert } = await (await privateAuthority()).identity("robot");
    for (const name of ["x-client-cert", "x-ssl-client-cert", "client-cert", "x-forwarded-tls-client-cert", "ssl-client-cert"]) {
      const answer = await post(realm, "/token", "grant_type=client_credentials&client_id=app", { [name]: encodeURIComponent(cert) });
      expect([name, answer.status]).toEqual([name, 401]);
    }
    const { body } = await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`);
    expect(JSON.stringify(body)).not.toContain("tls_client");
  });
});

describe("a token in the wrong hands or place", () => {
  test("that is forged, of another realm or of another kind opens nothing: introspection, account, admin", async () => {
    const [realm, elsewhere] = [await iam.realm(), await iam.realm()];
    const members = { publicClient: false, firstParty: true, audience: [`${base}/admin`] };
    const [party, other] = [await relyingParty(iam, realm, members), await relyingParty(iam, elsewhere, members)];
    const admin = { username: "admin", password: realm.adminPassword };
    const { access_token, id_token } = (await party.signIn(iam.browser(), admin)).body;
    const foreignToken = (await other.signIn(iam.browser(), { username: "admin", password: elsewhere.adminPassword })).body.access_token;
    const reach = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return [
        (await party.post("/introspect", { token })).body.active,
        (await iam.browser().get(`/realms/${realm.name}/account/gdpr/consents`, { headers })).status,
        (await iam.browser().get(`/admin/realms/${realm.name}/users`, { headers })).status,
      ];
    };
    expect(await reach(access_token)).toEqual([true, 200, 200]);
    const claims = decodeJwt(access_token);
    const { kid } = JSON.parse(Buffer.from(access_token.split(".")[0], "base64url").toString());
    const typ = "at+jwt";
    const thief = await generateKeyPair("RS256");
    const made = (header: object) => new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ, ...header }).sign(thief.privateKey);
    const jwk = await exportJWK(thief.publicKey);
    const [key] = (await iam.browser().get(`/realms/${realm.name}/jwks`)).body.keys;
    const refused: Record<string, string> = {
      "of another realm": foreignToken,
      "an ID token": id_token,
      "no algorithm": unsigned(claims, { alg: "none", typ, kid }),
      "the public key as a secret": hmac(claims, { typ, kid }, JSON.stringify(key)),
      "another key": await made({ kid }),
      "a key that comes along": await made({ kid: "mine", jwk }),
      "a key by address": await made({ kid: "mine", jku: "https://127.0.0.1/jwks" }),
      "a key by path": await made({ kid: "../../../../dev/null" }),
      "a key by query": await made({ kid: `${kid}' or '1'='1` }),
    };
    for (const [what, token] of Object.entries(refused)) expect([what, ...(await reach(token))]).toEqual([what, false, 401, 401]);
  });

  test("is refused in another realm, as a code or as a refresh token, and still works in its own", async () => {
    const [realm, elsewhere] = [await iam.realm(), await iam.realm()];
    const [party, other] = [await relyingParty(iam, realm), await relyingParty(iam, elsewhere)];
    const browser = await signedIn(realm);
    const code = codeIn((await walk(browser, base, party.url())).left);
    const form = { grant_type: "authorization_code", code, redirect_uri: CALLBACK, code_verifier: party.verifier };
    expect((await other.post("/token", form)).body.error).toBe("invalid_grant");
    const { refresh_token } = (await party.post("/token", form)).body;
    expect((await other.post("/token", { grant_type: "refresh_token", refresh_token })).body.error).toBe("invalid_grant");
    await other.post("/revoke", { token: refresh_token });
    expect((await party.post("/token", { grant_type: "refresh_token", refresh_token })).status).toBe(200);
  });

  test("is not accepted in the query, and PKCE cannot be omitted once it was begun", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { publicClient: false });
    const browser = await signedIn(realm);
    const { code_verifier: _, ...form } = {
      ...{ grant_type: "authorization_code", redirect_uri: CALLBACK, code_verifier: "" },
      code: codeIn((await walk(browser, base, party.url())).left),
    };
    expect((await party.post("/token", form)).body.error).toBe("invalid_grant");
    const { access_token } = (await party.exchange((await walk(browser, base, party.url())).left)).body;
    expect((await iam.browser().get(at(realm, "/userinfo", { access_token }))).status).toBe(401);
    const inAddress = { grant_type: "client_credentials", client_id: "app", client_secret: party.secret! };
    expect((await post(realm, `/token?${new URLSearchParams(inAddress)}`, "")).status).toBeGreaterThanOrEqual(400);
  });
});

describe("a person in front of a browser", () => {
  const asking = { consentRequired: true, postLogoutRedirectUris: ["https://app.example/bye"] };

  test("cannot consent with the CSRF token of another session, of the session before, twice, or for another user", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, asking);
    const [ada, bob] = [await realm.user(), await realm.user()];
    const open = async (user: typeof ada) => {
      const browser = iam.browser();
      const { page } = await walk(browser, base, party.url());
      const before = fieldOf(page, "_csrf");
      const consent = await submit(browser, base, page, { username: user.username, password: user.password });
      expect(consent.page.text).toContain('value="allow"');
      return { browser, before, page: consent.page };
    };
    const [hers, his] = [await open(ada), await open(bob)];
    for (const _csrf of [hers.before, fieldOf(his.page, "_csrf")])
      expect((await submit(hers.browser, base, hers.page, { decision: "allow", _csrf })).page.status).toBe(403);
    const stolen = await submit(his.browser, base, hers.page, { decision: "allow", _csrf: fieldOf(his.page, "_csrf") });
    expect([stolen.left, stolen.page.status]).toEqual([null, 400]);
    expect(await realm.events("type=CONSENT_GRANTED")).toEqual([]);
    const allowed = await submit(hers.browser, base, hers.page, { decision: "allow" });
    expect((await party.exchange(allowed.left)).status).toBe(200);
    expect(codeIn((await submit(hers.browser, base, hers.page, { decision: "allow" })).left)).toBe("");
  });

  test("sees no page of ours in a frame; no referrer is sent, and passwords are not posted again", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { grantTypes: ["authorization_code", "device"] });
    const browser = await signedIn(realm);
    const login = (await walk(iam.browser(), base, party.url())).page;
    const pages = [
      login,
      await browser.get(at(realm, "/logout")),
      await browser.get(at(realm, "/device")),
      await browser.get(at(realm, "/authorize")),
    ];
    for (const { headers } of pages) {
      expect(headers["x-frame-options"]).toBe("DENY");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["referrer-policy"]).toMatch(/^(no-referrer|same-origin|origin|strict-origin)$/);
      expect(headers["cache-control"]).toContain("no-store");
    }
    const { username, password } = await realm.user();
    const fresh = iam.browser();
    expect((await fresh.trySignIn(realm.name, username, password)).status).toBe(303); // never 307: RFC 9700 §4.12
    const begun = await fresh.get(party.url({ prompt: "login" }), { headers: { origin: "https://app.example" } });
    expect(begun.headers["access-control-allow-origin"]).toBeUndefined();
    for (const cookie of [begun.headers["set-cookie"] ?? []].flat()) expect(cookie).toMatch(/httponly/i);
  });

  test.each([
    "https://app.example/bye/",
    "https://app.example/bye?x=1",
    "https://app.example/bye#f",
    "https://APP.example/bye",
    "https://app.example@evil.example/bye",
    "https://app.example/x/../bye",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "https://other.example/bye", // another client registered it
  ])("is not sent to %s after signing out, whatever hint comes with it", async (post_logout_redirect_uri) => {
    const { realm, browser, id_token } = await place();
    for (const who of [{ client_id: "app" }, { id_token_hint: id_token }] as Record<string, string>[]) {
      const { left, page } = await walk(browser, base, at(realm, "/logout", { ...who, post_logout_redirect_uri, state: "x" }));
      expect([left?.href, page.status]).toEqual([undefined, 400]);
    }
    // Without a client, the address cannot be registered, so it is ignored.
    const unnamed = await browser.get(at(realm, "/logout", { post_logout_redirect_uri }));
    expect([unnamed.status, fieldOf(unnamed, "post_logout_redirect_uri")]).toEqual([200, ""]);
    expect(unnamed.headers["content-security-policy"]).toContain("form-action 'self';");
    const mixed = at(realm, "/logout", {
      id_token_hint: id_token,
      client_id: "other",
      post_logout_redirect_uri: "https://other.example/bye",
    });
    expect((await walk(browser, base, mixed)).page.status).toBe(400);
    expect((await realm.asMaster().get("/sessions")).body).toHaveLength(1);
  });

  // All tests share one realm, because none of them signs a user out.
  let kept: Promise<{ realm: RealmUnderTest; browser: Browser; id_token: string }> | undefined;
  const place = () => {
    kept ??= iam.realm().then(async (realm) => {
      const party = await relyingParty(iam, realm, { postLogoutRedirectUris: ["https://app.example/bye"] });
      await relyingParty(iam, realm, { clientId: "other", postLogoutRedirectUris: ["https://other.example/bye"] });
      const browser = iam.browser();
      const { id_token } = (await party.signIn(browser, await realm.user())).body;
      return { realm, browser, id_token };
    });
    return kept;
  };
});
