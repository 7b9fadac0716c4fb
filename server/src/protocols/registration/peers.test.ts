// Requests of registration to other hosts: sectors, keys, and the documents of unregistered clients.
import { createHash, generateKeyPairSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import { SignJWT } from "jose";
import * as oidc from "openid-client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createApp, type Server } from "../../app.ts";
import { clock, DAY, MINUTE, SECOND } from "../../kernel/clock.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { httpsPeer, sendJson } from "../../testing/https-peer.ts";
import type { Listening } from "../../testing/peer-sockets.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { submit, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
let server: Server;
let peer: Listening;
/** The peer's response at each path, and the requests that it received. */
const pages = new Map<string, (response: ServerResponse) => unknown>();
const requested: string[] = [];
/** The host of a test. Each test has its own, because requests are limited per host. */
let HOST = "";
let hosts = 0;
const at = (path: string, host = HOST) => `https://${host}:${peer.port}${path}`;

beforeAll(async () => {
  iam = await sharedHarness();
  const authority = await privateAuthority();
  peer = await httpsPeer(await authority.identity("*.app.example", "inward.example"), (request, response) => {
    requested.push(request.path);
    const page = pages.get(request.path);
    return page ? page(response) : response.writeHead(404).end();
  });
  const outbound = createOutbound({
    allowedHosts: ["127.0.0.1"],
    allowLoopbackHttp: false,
    ca: authority.ca,
    resolve: async (host) => [{ address: host === "inward.example" ? "10.0.0.1" : "127.0.0.1", family: 4 }],
  });
  server = await createApp({ ...iam.core, metrics: createMetrics() }, { outbound });
  await server.app.ready();
});
afterAll(async () => {
  await server?.close();
  await peer?.close();
  await iam?.close();
});
beforeEach(() => {
  HOST = `h${hosts++}.app.example`;
  requested.length = 0;
});

const browser = () => new Browser(server.app);
const json =
  (body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    sendJson(response, 200, body, headers);

async function openRealm(registration: object): Promise<RealmUnderTest> {
  const realm = await iam.realm();
  const opened = await realm.asMaster().put("/provisioning", { registration: { requireInitialAccessToken: false, ...registration } });
  expect(opened.status, opened.text).toBe(200);
  return realm;
}

describe("registering", () => {
  test("openid-client registers itself, signs a user in after their consent, and refreshes", async () => {
    const realm = await iam.realm();
    const { token } = (await realm.asMaster().post("/provisioning/initial-access-tokens", { count: 1 })).body;
    const inject: oidc.CustomFetch = async (url, { method, headers, body }) => {
      const { pathname, search } = new URL(url);
      const payload = body instanceof URLSearchParams ? body.toString() : (body as string | undefined);
      const answer = await server.app.inject({ method: method as "GET", url: pathname + search, headers, ...(payload && { payload }) });
      const empty = answer.statusCode === 204;
      return new Response(empty ? null : answer.body, { status: answer.statusCode, headers: answer.headers as Record<string, string> });
    };
    const metadata = {
      client_name: "Shop",
      redirect_uris: ["https://shop.example/cb"],
      grant_types: ["authorization_code", "refresh_token"],
    };
    const config = await oidc.dynamicClientRegistration(new URL(`${iam.config.baseUrl}/realms/${realm.name}`), metadata, undefined, {
      initialAccessToken: token,
      execute: [oidc.allowInsecureRequests],
      [oidc.customFetch]: inject,
    });
    expect(config.clientMetadata()).toMatchObject({ client_name: "Shop", client_secret_expires_at: 0 });

    const user = await realm.user();
    const visitor = browser();
    const verifier = oidc.randomPKCECodeVerifier();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: "https://shop.example/cb",
      scope: "openid offline_access",
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const signIn = await walk(visitor, iam.config.baseUrl, url.href);
    const consent = await submit(visitor, iam.config.baseUrl, signIn.page, { username: user.username, password: user.password });
    expect(consent.page.text, "self-registered clients ask").toContain("Shop");
    const { left } = await submit(visitor, iam.config.baseUrl, consent.page, { decision: "allow" });
    const tokens = await oidc.authorizationCodeGrant(config, left!, { pkceCodeVerifier: verifier });
    expect(tokens.claims()).toMatchObject({ sub: user.userId });
    expect((await oidc.refreshTokenGrant(config, tokens.refresh_token!)).access_token).toBeTruthy();
  });

  test("a sector must list every redirect URI, and be answered as JSON by who it names", async () => {
    const realm = await openRealm({});
    const redirect_uris = ["https://a.example/cb", "https://b.example/cb"];
    const register = (path: string, host?: string) =>
      browser().post(`/realms/${realm.name}/connect/register`, {
        redirect_uris,
        subject_type: "pairwise",
        sector_identifier_uri: at(path, host),
      });
    pages.set("/sector", json([...redirect_uris, "https://c.example/cb"]));
    pages.set("/short", json(redirect_uris.slice(1)));
    pages.set("/object", json({ redirect_uris }));
    pages.set("/html", (response) => response.end("<html>"));
    pages.set("/moved", (response) => response.writeHead(302, { location: at("/sector") }).end());
    pages.set("/endless", (response) => response.end(`["${"x".repeat(70_000)}"]`));
    const registered = await register("/sector");
    expect(registered.status, registered.text).toBe(201);
    expect(registered.body).toMatchObject({ subject_type: "pairwise", sector_identifier_uri: at("/sector") });
    for (const path of ["/short", "/object", "/html", "/moved", "/endless", "/nothing"])
      expect(await register(path), path).toMatchObject({
        status: 400,
        body: { error: "invalid_client_metadata", error_description: expect.stringContaining("sector_identifier_uri") },
      });
    requested.length = 0;
    expect(await register("/sector", "inward.example"), "a name that leads inward").toMatchObject({ status: 400 });
    expect(requested).toEqual([]);

    const moved = { ...registered.body, redirect_uris: [...redirect_uris, "https://d.example/cb"] };
    const path = new URL(registered.body.registration_client_uri).pathname;
    const headers = { authorization: `Bearer ${registered.body.registration_access_token}` };
    expect(await browser().put(path, moved, { headers }), "also when it is changed").toMatchObject({ status: 400 });
  });

  test("keys are fetched from jwks_uri when they are needed, never from internal addresses", async () => {
    const realm = await openRealm({ allowedGrantTypes: ["client_credentials"] });
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    pages.set("/jwks", json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", use: "sig", alg: "ES256" }] }));
    const issuer = `${iam.config.baseUrl}/realms/${realm.name}`;
    const tokenFor = async (host: string) => {
      const registered = await browser().post(`/realms/${realm.name}/connect/register`, {
        grant_types: ["client_credentials"],
        token_endpoint_auth_method: "private_key_jwt",
        jwks_uri: at("/jwks", host),
      });
      expect(registered.status, registered.text).toBe(201);
      expect(registered.body).not.toHaveProperty("client_secret");
      const now = Math.floor(clock.now() / SECOND);
      const client_assertion = await new SignJWT({ iat: now, exp: now + 60, jti: registered.body.client_id })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .setIssuer(registered.body.client_id)
        .setSubject(registered.body.client_id)
        .setAudience(issuer)
        .sign(privateKey);
      const form = {
        grant_type: "client_credentials",
        client_id: registered.body.client_id,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion,
      };
      return browser().request("POST", `/realms/${realm.name}/token`, { form });
    };
    const given = await tokenFor(HOST);
    expect(given.status, given.text).toBe(200);
    expect(requested).toEqual(["/jwks"]);
    expect((await tokenFor("inward.example")).status).toBeGreaterThanOrEqual(400);
    expect(requested, "no internal address was requested").toEqual(["/jwks"]);
  });

  test("few of many keys are tried for a signature, and none that costs milliseconds", async () => {
    const realm = await openRealm({ allowedGrantTypes: ["client_credentials"] });
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const right = { ...publicKey.export({ format: "jwk" }), kid: "right" };
    const { publicKey: another } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const others = (count: number) => Array.from({ length: count }, (_, n) => ({ ...another.export({ format: "jwk" }), kid: `k${n}` }));
    const statusWith = async (path: string, keys: object[], kid?: string) => {
      pages.set(path, json({ keys }));
      const metadata = { grant_types: ["client_credentials"], token_endpoint_auth_method: "private_key_jwt", jwks_uri: at(path) };
      const { client_id } = (await browser().post(`/realms/${realm.name}/connect/register`, metadata)).body;
      const now = Math.floor(clock.now() / SECOND);
      const client_assertion = await new SignJWT({ iat: now, exp: now + 60, jti: `${client_id} ${kid}` })
        .setProtectedHeader({ alg: "ES256", ...(kid !== undefined && { kid }) })
        .setIssuer(client_id)
        .setSubject(client_id)
        .setAudience(`${iam.config.baseUrl}/realms/${realm.name}`)
        .sign(privateKey);
      const client_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
      const form = { grant_type: "client_credentials", client_id, client_assertion_type, client_assertion };
      return (await browser().request("POST", `/realms/${realm.name}/token`, { form })).status;
    };
    expect(await statusWith("/nine", [...others(9), right])).toBe(200);
    expect(await statusWith("/ten", [...others(10), right])).toBe(401);
    expect(await statusWith("/ten-named", [...others(10), right], "right")).toBe(200);
    expect(await statusWith("/fifty", [...others(50), right], "right")).toBe(401);
    const costly = { kty: "RSA", n: "w".repeat(342), e: "w".repeat(342), kid: "costly" };
    expect(await statusWith("/costly", [...Array(50).fill(costly), right], "right"), "which do not count").toBe(200);
    const inline = { clientId: "inline", authMethod: "private_key_jwt", jwks: { keys: [costly] } };
    expect(await realm.asMaster().post("/clients", inline)).toMatchObject({ status: 400, body: { errors: [{ field: "jwks.keys.0" }] } });
  });
});

describe("a client that is known by its document", () => {
  const VERIFIER = "a".repeat(43);
  const pkce = { code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"), code_challenge_method: "S256" };
  const documentAt = (path: string, more: object = {}) => ({
    client_id: at(path),
    client_name: "Assistant",
    redirect_uris: [at("/cb")],
    token_endpoint_auth_method: "none",
    ...more,
  });
  const authorizeUrl = (realm: RealmUnderTest, path: string, params: Record<string, string> = {}) =>
    `/realms/${realm.name}/authorize?${new URLSearchParams({
      client_id: at(path),
      redirect_uri: at("/cb"),
      response_type: "code",
      scope: "openid offline_access",
      ...pkce,
      ...params,
    })}`;
  const authorize = (realm: RealmUnderTest, path: string, params?: Record<string, string>, visitor = browser()) =>
    walk(visitor, iam.config.baseUrl, authorizeUrl(realm, path, params));
  const token = (realm: RealmUnderTest, path: string, form: Record<string, string>) =>
    browser().request("POST", `/realms/${realm.name}/token`, { form: { client_id: at(path), redirect_uri: at("/cb"), ...form } });

  /** Signs in and consents. */
  async function allowed(realm: RealmUnderTest, path: string, visitor = browser()) {
    const user = await realm.user();
    const signIn = await authorize(realm, path, {}, visitor);
    const consent = await submit(visitor, iam.config.baseUrl, signIn.page, { username: user.username, password: user.password });
    const { left } = await submit(visitor, iam.config.baseUrl, consent.page, { decision: "allow" });
    return { consent: consent.page, code: left?.searchParams.get("code") ?? "", user };
  }

  test("signs in with PKCE after a consent that names its host; administrators see it and can stop it", async () => {
    const realm = await openRealm({ metadataDocuments: true });
    pages.set("/client.json", json(documentAt("/client.json")));
    const { consent, code } = await allowed(realm, "/client.json");
    expect(consent.text).toContain(`Assistant (${HOST}:${peer.port})`);
    expect((await token(realm, "/client.json", { grant_type: "authorization_code", code, code_verifier: "b".repeat(43) })).status).toBe(
      400,
    );
    const again = await allowed(realm, "/client.json");
    const tokens = await token(realm, "/client.json", { grant_type: "authorization_code", code: again.code, code_verifier: VERIFIER });
    expect(tokens.status, tokens.text).toBe(200);

    const [client] = (await realm.asMaster().get("/clients")).body;
    expect(client).toMatchObject({ clientId: at("/client.json"), publicClient: true, redirectUris: [], consentRequired: true });
    const created = await realm.events("type=ADMIN_CREATE&resourceType=clients");
    expect(created, "by the first user who allowed it").toHaveLength(1);

    const refresh = { grant_type: "refresh_token", refresh_token: tokens.body.refresh_token };
    const refreshed = await token(realm, "/client.json", refresh);
    expect(refreshed.status, refreshed.text).toBe(200);
    await realm.asMaster().put(`/clients/${client.id}`, { ...client, enabled: false });
    const next = { ...refresh, refresh_token: refreshed.body.refresh_token };
    expect((await token(realm, "/client.json", next)).body.error).toBe("invalid_client");
    expect((await authorize(realm, "/client.json")).page.status).toBe(400);
  });

  test("may push its request; other grants are refused, and nothing is stored", async () => {
    const realm = await openRealm({ metadataDocuments: true });
    pages.set("/ways.json", json(documentAt("/ways.json")));
    const post = (path: string, form: Record<string, string>) =>
      browser().request("POST", `/realms/${realm.name}${path}`, { form: { client_id: at("/ways.json"), ...form } });
    const pushed = await post("/par", Object.fromEntries(new URLSearchParams(authorizeUrl(realm, "/ways.json").split("?")[1])));
    expect(pushed.status, pushed.text).toBe(201);
    const exchange = { subject_token: "a.b.c", subject_token_type: "urn:ietf:params:oauth:token-type:access_token" };
    const refused = [
      await post("/device/authorize", { scope: "openid" }),
      await post("/backchannel/authorize", { scope: "openid", login_hint: "ada" }),
      await post("/token", { grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", ...exchange }),
      await post("/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: "x" }),
      await post("/token", { grant_type: "password", username: "ada", password: "x" }),
      await post("/token", { grant_type: "client_credentials" }),
    ];
    for (const { status, body } of refused) {
      expect([status, body.error]).toEqual([400, "unauthorized_client"]);
      expect(body.error_description).toContain("is not allowed for this client");
    }
    expect((await realm.asMaster().get("/clients")).body).toEqual([]);

    const visitor = browser();
    const user = await realm.user();
    const query = new URLSearchParams({ client_id: at("/ways.json"), request_uri: pushed.body.request_uri });
    const { page } = await walk(visitor, iam.config.baseUrl, `/realms/${realm.name}/authorize?${query}`);
    const consent = await submit(visitor, iam.config.baseUrl, page, { username: user.username, password: user.password });
    const { left } = await submit(visitor, iam.config.baseUrl, consent.page, { decision: "allow" });
    const code = left?.searchParams.get("code") ?? "";
    expect((await token(realm, "/ways.json", { grant_type: "authorization_code", code, code_verifier: VERIFIER })).status).toBe(200);
    // An earlier consent is remembered.
    expect((await authorize(realm, "/ways.json", {}, visitor)).left?.searchParams.get("code")).toBeTypeOf("string");
  });

  test("proves itself by a key of its document, for an API that is open to everyone; it never has the API's own name", async () => {
    const realm = await openRealm({ metadataDocuments: true });
    const API = "https://tools.example/mcp";
    const open = { resourceIndicators: [API], resourceAccess: "everyone" };
    expect((await realm.asMaster().post("/clients", { clientId: "tools", name: "Tools", ...open })).status).toBe(201);
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = { ...publicKey.export({ format: "jwk" }), kid: "1" };
    pages.set("/keyed.json", json(documentAt("/keyed.json", { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [key] } })));
    const visitor = browser();
    const user = await realm.user();
    const signIn = await authorize(realm, "/keyed.json", { resource: API }, visitor);
    const consent = await submit(visitor, iam.config.baseUrl, signIn.page, { username: user.username, password: user.password });
    expect(consent.page.text).toMatch(/Tools[\s\S]*https:\/\/tools\.example\/mcp/);
    expect(consent.page.text.split(`${HOST}:${peer.port}`).length, "the client's host, and where the answer goes").toBeGreaterThan(2);
    const { left } = await submit(visitor, iam.config.baseUrl, consent.page, { decision: "allow" });
    const assertion = async (of: typeof privateKey) =>
      new SignJWT({
        iss: at("/keyed.json"),
        sub: at("/keyed.json"),
        aud: `${iam.config.baseUrl}/realms/${realm.name}`,
        jti: Math.random().toString(),
      })
        .setProtectedHeader({ alg: "ES256", kid: "1" })
        .setIssuedAt()
        .setExpirationTime("1m")
        .sign(of);
    const change = { grant_type: "authorization_code", code: left?.searchParams.get("code") ?? "", code_verifier: VERIFIER };
    const prove = async (of: typeof privateKey) => ({
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await assertion(of),
    });
    expect((await token(realm, "/keyed.json", change)).body.error, "without its key").toBe("invalid_client");
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    expect((await token(realm, "/keyed.json", { ...change, ...(await prove(other)) })).body.error).toBe("invalid_client");
    const tokens = await token(realm, "/keyed.json", { ...change, ...(await prove(privateKey)) });
    expect(tokens.status, tokens.text).toBe(200);
    expect(JSON.parse(Buffer.from(tokens.body.access_token.split(".")[1], "base64url").toString())).toMatchObject({ aud: API });
    const refresh = { grant_type: "refresh_token", refresh_token: tokens.body.refresh_token };
    expect((await token(realm, "/keyed.json", refresh)).body.error).toBe("invalid_client");
    expect((await token(realm, "/keyed.json", { ...refresh, ...(await prove(privateKey)) })).status).toBe(200);
    expect((await authorize(realm, "/keyed.json", { resource: "https://other.example" })).left?.searchParams.get("error")).toBe(
      "invalid_target",
    );

    const private_key_jwt = { token_endpoint_auth_method: "private_key_jwt" };
    const refused = {
      "/no-keys": private_key_jwt,
      "/private": { ...private_key_jwt, jwks: { keys: [privateKey.export({ format: "jwk" })] } },
      "/symmetric": { ...private_key_jwt, jwks: { keys: [{ kty: "oct", k: "c2VjcmV0" }] } },
      "/both": { ...private_key_jwt, jwks: { keys: [key] }, jwks_uri: at("/jwks") },
      "/odd": { ...private_key_jwt, jwks: [key] },
      "/http": { ...private_key_jwt, jwks_uri: "http://127.0.0.1/jwks" },
    };
    for (const [path, more] of Object.entries(refused)) {
      pages.set(path, json(documentAt(path, more)));
      expect(await authorize(realm, path), path).toMatchObject({ left: null, page: { status: 400 } });
    }
    // A document at the address of an API is no client, because its tokens could be mistaken for the API's.
    pages.set("/api", json(documentAt("/api")));
    expect((await authorize(realm, "/api")).page.status).toBe(200);
    await realm.asMaster().post("/clients", { clientId: "api", resourceIndicators: [at("/api")] });
    expect(await authorize(realm, "/api")).toMatchObject({ left: null, page: { status: 400 } });
  });

  test("is off unless the realm allows it; nothing is requested then", async () => {
    const realm = await openRealm({});
    pages.set("/off.json", json(documentAt("/off.json")));
    expect(await authorize(realm, "/off.json")).toMatchObject({ left: null, page: { status: 400 } });
    expect(requested).toEqual([]);
  });

  test("must use PKCE, and only the redirect URIs of its document", async () => {
    const realm = await openRealm({ metadataDocuments: true });
    pages.set("/pkce.json", json(documentAt("/pkce.json")));
    const without = await walk(
      browser(),
      iam.config.baseUrl,
      `/realms/${realm.name}/authorize?${new URLSearchParams({ client_id: at("/pkce.json"), redirect_uri: at("/cb"), response_type: "code", scope: "openid" })}`,
    );
    expect(without.left?.searchParams.get("error")).toBe("invalid_request");
    for (const redirect_uri of [at("/cb/"), at("/cb?x=1"), "https://evil.example/cb"])
      expect(await authorize(realm, "/pkce.json", { redirect_uri }), redirect_uri).toMatchObject({ left: null, page: { status: 400 } });
    const secret = { grant_type: "client_credentials", client_secret: "x" };
    expect((await token(realm, "/pkce.json", secret)).status).toBeGreaterThanOrEqual(400);
    expect((await realm.asMaster().get("/clients")).body, "nothing was granted: nothing is stored").toEqual([]);
  });

  test("documents that are not its own, or ask for too much, are refused", async () => {
    const realm = await openRealm({ metadataDocuments: true });
    const refused: Record<string, (response: ServerResponse) => unknown> = {
      "/other-id": json(documentAt("/client.json")),
      "/secret": json(documentAt("/secret", { client_secret: "x" })),
      "/method": json(documentAt("/method", { token_endpoint_auth_method: "client_secret_post" })),
      "/elsewhere": json(documentAt("/elsewhere", { redirect_uris: ["https://evil.example/cb"] })),
      "/plain": json(documentAt("/plain", { redirect_uris: [`http://${HOST}/cb`] })),
      "/none": json(documentAt("/none", { redirect_uris: [] })),
      "/script": json(documentAt("/script", { policy_uri: "javascript:alert(1)" })),
      "/array": json([documentAt("/array")]),
      "/html": (response) => response.writeHead(200, { "content-type": "text/html" }).end(JSON.stringify(documentAt("/html"))),
      "/moved": (response) => response.writeHead(302, { location: at("/moved-to") }).end(),
      "/large": json(documentAt("/large", { padding: "x".repeat(20_000) })),
      "/broken": (response) => response.writeHead(200, { "content-type": "application/json" }).end("{"),
    };
    pages.set("/moved-to", json(documentAt("/moved")));
    for (const [path, page] of Object.entries(refused)) {
      pages.set(path, page);
      // The document itself would allow this address.
      const elsewhere = { "/elsewhere": "https://evil.example/cb", "/plain": `http://${HOST}/cb` }[path];
      const answer = await authorize(realm, path, elsewhere === undefined ? {} : { redirect_uri: elsewhere });
      expect(answer, path).toMatchObject({ left: null, page: { status: 400 } });
      expect(requested, path).toContain(path);
    }
    requested.length = 0;
    for (const address of [
      at("/client.json", "inward.example"),
      "https://10.0.0.1/client.json",
      `https://a@${HOST}:${peer.port}/client.json`,
      `${at("/client.json")}#x`,
      at("/x/../client.json"),
      at("/%2e%2e/client.json"),
      at("/client.json").replace("app.", "APP."),
      at("/client.json").replace("https:", "http:"),
    ])
      expect(await authorize(realm, "", { client_id: address }), address).toMatchObject({ left: null, page: { status: 400 } });
    expect(requested, "of none of these anybody was asked").toEqual([]);
  });

  test("a device's own addresses are fine, unless the realm names the hosts", async () => {
    const realm = await openRealm({ metadataDocuments: true });
    pages.set("/native", json(documentAt("/native", { redirect_uris: ["http://127.0.0.1/cb", "com.example.app:/cb"] })));
    const port = await authorize(realm, "/native", { redirect_uri: "http://127.0.0.1:4711/cb" });
    expect(port.page.status, "any port of the device").toBe(200);
    await realm.asMaster().put("/provisioning", { registration: { metadataDocuments: true, allowedRedirectHosts: ["shop.example"] } });
    expect((await authorize(realm, "/native", { redirect_uri: "http://127.0.0.1:4711/cb" })).page.status).toBe(400);
  });

  test("requests of documents are limited per host, for each realm: one does not lock a host's clients out of another", async () => {
    const [realm, other] = [await openRealm({ metadataDocuments: true }), await openRealm({ metadataDocuments: true })];
    const addresses = Array.from({ length: 40 }, (_, each) => at(`/many/${each}`));
    await Promise.all(addresses.map((client_id) => browser().get(authorizeUrl(realm, "", { client_id }))));
    expect(requested.length).toBeGreaterThanOrEqual(20);
    expect(requested.length).toBeLessThan(40);
    pages.set("/known", json(documentAt("/known")));
    expect((await authorize(other, "/known")).page.status).toBe(200);
  });

  // This is the last test, because it moves the clock by days.
  test("a document is cached as long as its server allows, and for a while when that is down; a deleted one is refused", async () => {
    const realm = await openRealm({ metadataDocuments: true });
    const status = async () => (await authorize(realm, "/kept")).page.status;
    pages.set("/kept", json(documentAt("/kept"), { "cache-control": "max-age=600" }));
    expect(await Promise.all([status(), status(), status()])).toEqual([200, 200, 200]);
    expect(requested, "asked once for all").toHaveLength(1);
    clock.advance(9 * MINUTE);
    expect(await status()).toBe(200);
    expect(requested).toHaveLength(1);
    clock.advance(2 * MINUTE);
    pages.set("/kept", (response) => response.writeHead(503).end());
    expect(await status()).toBe(200);
    expect(requested).toHaveLength(2);
    clock.advance(2 * DAY);
    expect(await status(), "not for ever").toBe(400);
    clock.advance(MINUTE);
    pages.set("/kept", json(documentAt("/kept"), { "cache-control": "no-store" }));
    expect(await status()).toBe(200);
    clock.advance(2 * MINUTE);
    pages.delete("/kept");
    expect(await status()).toBe(400);
  });
});
