// The OpenID Foundation's certification plan Dynamic OP: clients that authenticate with keys, and documents that clients serve.
// Each test has the name of the suite's module that it stands for: see docs/conformance.md.
import type { ServerResponse } from "node:http";
import { decodeJwt, decodeProtectedHeader, jwtVerify, UnsecuredJWT } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createApp, type Server } from "../../app.ts";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import {
  type ClientKey,
  clientKey,
  halfHash,
  type Issuer,
  openIssuer,
  REDIRECT,
  registerClient,
} from "../../testing/conformance-client.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { httpsPeer, sendJson } from "../../testing/https-peer.ts";
import type { Listening } from "../../testing/peer-sockets.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import { walk } from "../../testing/relying-party.ts";

const BASE = "https://op.example";
let iam: Harness;
let server: Server;
let peer: Listening;
let op: Issuer;
let key: ClientKey;
const pages = new Map<string, (response: ServerResponse) => unknown>();
const requested: string[] = [];
const at = (path: string) => `https://suite.example:${peer.port}${path}`;
const json = (body: unknown) => (response: ServerResponse) => sendJson(response, 200, body);
const byKey = { token_endpoint_auth_method: "private_key_jwt" };

beforeAll(async () => {
  iam = await harness({ GATEHOUSE_BASE_URL: BASE });
  await iam.server.jobs.stop();
  const authority = await privateAuthority();
  peer = await httpsPeer(await authority.identity("suite.example"), (request, response) => {
    requested.push(request.path);
    const page = pages.get(request.path);
    return page ? page(response) : response.writeHead(404).end();
  });
  const resolve = async () => [{ address: "127.0.0.1", family: 4 as const }];
  const outbound = createOutbound({ allowedHosts: ["127.0.0.1"], allowLoopbackHttp: false, ca: authority.ca, resolve });
  server = await createApp({ ...iam.core, metrics: createMetrics() }, { outbound });
  await server.app.ready();
  op = await openIssuer(server.app, await iam.realm(), BASE);
  key = await clientKey();
});
beforeEach(() => {
  pages.clear();
  requested.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  clock.reset();
});
afterAll(async () => {
  await server?.close();
  await peer?.close();
  await iam?.close();
});

test("oidcc-server, oidcc-idtoken-rs256: keys are all that such a client has", async () => {
  const client = await registerClient(op, { ...byKey, id_token_signed_response_alg: "RS256" }, key);
  expect(client.metadata).not.toHaveProperty("client_secret");
  await client.complete(op.browser());
  expect((await client.unregister()).status).toBe(204);
  expect((await client.exchange(new URLSearchParams({ code: "x" }))).body.error).toBe("invalid_client");
});

test("oidcc-ensure-client-assertion-with-iss-aud-succeeds: the issuer will do as the audience, and so does the endpoint's address", async () => {
  const client = await registerClient(op, byKey, key);
  const { client_id } = client.metadata;
  for (const aud of [op.metadata.issuer, op.metadata.token_endpoint, [op.metadata.token_endpoint]]) {
    const answer = await client.authorize(op.browser());
    const form = {
      ...{ grant_type: "authorization_code", code: answer.get("code")!, redirect_uri: REDIRECT },
      client_assertion: await client.sign({ iss: client_id, sub: client_id, aud }),
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    };
    const given = await op.browser().request("POST", op.path(op.metadata.token_endpoint), { form, csrf: false });
    expect(given.status, `${aud} ${given.text}`).toBe(200);
  }
});

test("oidcc-userinfo-rs256: signed, for the client, and without a nonce", async () => {
  const client = await registerClient(op, { ...byKey, userinfo_signed_response_alg: "RS256" }, key);
  const { userinfo, idToken, tokens } = await client.complete(op.browser());
  const { payload, protectedHeader } = await jwtVerify(userinfo, await op.keys(), {
    issuer: op.metadata.issuer,
    audience: client.metadata.client_id,
  });
  expect([protectedHeader.alg, payload.sub, payload.nonce]).toEqual(["RS256", idToken.sub, undefined]);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const answer = await op.browser().get(op.path(op.metadata.userinfo_endpoint), { headers });
  expect(answer.headers["content-type"]).toMatch(/^application\/jwt/);
});

describe("redirect URIs", () => {
  test("oidcc-ensure-redirect-uri-in-authorization-request: not even the only one is guessed", async () => {
    const client = await registerClient(op, byKey, key);
    const { page, left } = await walk(op.browser(), BASE, client.url({ redirect_uri: undefined }));
    expect([left, page.status]).toEqual([null, 400]);
    expect(page.text).toContain("redirect_uri");
  });

  test("oidcc-redirect-uri-query-OK, -mismatch, -added", async () => {
    const plain = await registerClient(op, byKey, key);
    const withQuery = await registerClient(op, { ...byKey, redirect_uris: [`${REDIRECT}?foo=bar`] }, key);
    const { answer } = await withQuery.complete(op.browser());
    expect(answer.get("foo")).toBe("bar");
    for (const [client, redirect_uri] of [
      [withQuery, `${REDIRECT}?bar=foo`],
      [withQuery, REDIRECT],
      [plain, `${REDIRECT}?foo=bar`],
    ] as const) {
      const { page, left } = await walk(op.browser(), BASE, client.url({ redirect_uri }));
      expect([left, page.status], redirect_uri).toEqual([null, 400]);
      expect(page.text).toContain("redirect_uri");
    }
  });

  test("oidcc-redirect-uri-regfrag", async () => {
    const request = { redirect_uris: [`${REDIRECT}#foo`], ...byKey, jwks: { keys: [key.jwk] } };
    const { status, body } = await op.browser().post(op.path(op.metadata.registration_endpoint), request);
    expect([status, body.error]).toEqual([400, "invalid_redirect_uri"]);
  });
});

describe("the page about a client", () => {
  test("oidcc-registration-logo-uri, -policy-uri, -tos-uri: on the page where they sign in, and where they allow it", async () => {
    const links = { logo_uri: at("/logo.png"), policy_uri: at("/policy.html"), tos_uri: at("/tos.html"), client_uri: at("/") };
    const client = await registerClient(op, { ...byKey, ...links }, key);
    const browser = op.browser();
    const { page: login } = await walk(browser, BASE, client.url());
    await browser.signIn(op.realm.name, op.user.username, op.user.password);
    const { page: consent } = await walk(browser, BASE, client.url());
    expect([login.text.includes('name="password"'), consent.text.includes('id="allow"')]).toEqual([true, true]);
    for (const { text, headers } of [login, consent]) {
      expect(text).toContain(`src="${links.logo_uri}" alt="OIDF Conformance Suite"`);
      expect(text).toContain(`href="${links.policy_uri}"`);
      expect(text).toContain(`href="${links.tos_uri}"`);
      expect(String(headers["content-security-policy"])).toMatch(new RegExp(`img-src 'self' data: ${new URL(at("/")).origin};`));
    }
  });

  test("shows no links that a client has not registered, and no logo without https", async () => {
    const plain = await registerClient(op, byKey, key);
    const local = await registerClient(op, { ...byKey, application_type: "native", logo_uri: "http://localhost/logo.png" }, key);
    for (const client of [plain, local]) {
      const { page } = await walk(op.browser(), BASE, client.url());
      expect(page.text).toContain("OIDF Conformance Suite");
      expect(page.text).not.toMatch(/gh-application-logo|noopener/);
      expect(String(page.headers["content-security-policy"])).toContain("img-src 'self' data:;");
    }
  });
});

describe("documents that a client serves", () => {
  test("oidcc-registration-jwks-uri", async () => {
    pages.set("/jwks", json({ keys: [key.jwk] }));
    const client = await registerClient(op, { ...byKey, jwks_uri: at("/jwks") }, key);
    await client.complete(op.browser());
    expect(requested).toEqual(["/jwks"]);
  });

  test("oidcc-refresh-token-rp-key-rotation: a key that was not there a minute ago", async () => {
    const [old, next] = [await clientKey("old"), await clientKey("next")];
    pages.set("/jwks", json({ keys: [old.jwk] }));
    const grant_types = ["authorization_code", "refresh_token"];
    const client = await registerClient(op, { ...byKey, grant_types, jwks_uri: at("/jwks") }, old);
    const { tokens } = await client.complete(op.browser(), { scope: "openid offline_access", prompt: "consent" });
    pages.set("/jwks", json({ keys: [next.jwk] }));
    client.useKey(next);
    // The engine uses the machine's clock.
    vi.useFakeTimers({ toFake: ["Date"], now: clock.now() + MINUTE + SECOND });
    const renewed = await client.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
    expect(renewed.status, renewed.text).toBe(200);
    client.useKey(old);
    const stale = await client.token({ grant_type: "refresh_token", refresh_token: renewed.body.refresh_token });
    expect(stale.body.error).toBe("invalid_client");
  });

  test("oidcc-registration-sector-uri, oidcc-registration-sector-bad", async () => {
    const pairwise = { ...byKey, subject_type: "pairwise", sector_identifier_uri: at("/redirect_uris.json") };
    pages.set("/redirect_uris.json", json([REDIRECT]));
    const client = await registerClient(op, pairwise, key);
    expect((await client.complete(op.browser())).idToken.sub).not.toBe(op.user.userId);
    pages.set("/redirect_uris.json", json(["https://rogue.example/callback"]));
    const request = { ...pairwise, redirect_uris: [REDIRECT], jwks: { keys: [key.jwk] } };
    const { status, headers, body } = await op.browser().post(op.path(op.metadata.registration_endpoint), request);
    expect([status, body.error]).toEqual([400, "invalid_client_metadata"]);
    expect(headers["content-type"]).toMatch(/^application\/json/);
  });
});

describe("a request object that is found at an address", () => {
  const requestClient = (uri: string, members: object = {}) =>
    registerClient(op, { ...byKey, request_object_signing_alg: "RS256", request_uris: [uri], ...members }, key);
  const claimsOf = (url: string) => Object.fromEntries(new URL(url, BASE).searchParams);
  const byReference = (client_id: string, request_uri: string, more: Record<string, string> = {}) => ({
    ...{ client_id, request_uri, redirect_uri: REDIRECT, response_type: "code", scope: "openid", ...more },
  });
  const authorize = (params: Record<string, string>) =>
    walk(op.browser(), BASE, `${op.path(op.metadata.authorization_endpoint)}?${new URLSearchParams(params)}`);

  test("oidcc-request-uri-signed-rs256: is used, also with a hash in the address", async () => {
    for (const uri of [at("/requesturi/one"), `${at("/requesturi/two")}#47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU`]) {
      const client = await requestClient(uri);
      const { client_id } = client.metadata;
      const claims = claimsOf(client.url({ state: "in the object", nonce: "n", max_age: "1000" }));
      pages.set(new URL(uri).pathname, (response) => {
        response.writeHead(200, { "content-type": "application/jwt" });
        void client.sign({ ...claims, iss: client_id, aud: op.metadata.issuer }).then((jwt) => response.end(jwt));
      });
      const browser = op.browser();
      await browser.signIn(op.realm.name, op.user.username, op.user.password);
      const asking = { client_id, request_uri: uri, response_type: "code", scope: "openid" };
      for (const params of [asking, { ...asking, state: "beside", redirect_uri: `${REDIRECT}/invalid` }]) {
        const url = Object.fromEntries(
          Object.entries({ ...claims, state: undefined, nonce: undefined, max_age: undefined, redirect_uri: undefined, ...params }),
        );
        const answer = await client.authorize(browser, url as Record<string, string>);
        expect([answer.get("error"), answer.get("state")]).toEqual([null, "in the object"]);
        const idToken = await client.checkIdToken((await client.exchange(answer)).body.id_token, { nonce: "n" });
        expect(idToken.auth_time).toEqual(expect.any(Number));
      }
    }
  });

  test("is fetched from registered addresses only, and refused unless the client signed it", async () => {
    const uri = at("/requesturi/three");
    const client = await requestClient(uri);
    const { client_id } = client.metadata;
    const claims = { ...claimsOf(client.url()), iss: client_id, aud: op.metadata.issuer };
    const outsider = await requestClient(at("/requesturi/other"), { jwks: { keys: [(await clientKey()).jwk] } });
    const served = (jwt: string) => pages.set("/requesturi/three", (response) => response.end(jwt));
    const errorOf = async (params: Record<string, string>) => (await authorize(params)).left?.searchParams.get("error");

    served(new UnsecuredJWT(claims).encode());
    expect(await errorOf(byReference(client_id, uri)), "unsigned").toBe("invalid_request_object");
    served(await client.sign({ ...claims, client_id: outsider.metadata.client_id, iss: outsider.metadata.client_id }));
    expect(await errorOf(byReference(client_id, uri)), "another's").toBe("invalid_request_object");
    served("rubbish");
    expect(await errorOf(byReference(client_id, uri)), "rubbish").toBe("invalid_request_object");
    pages.delete("/requesturi/three");
    expect(await errorOf(byReference(client_id, uri)), "not there").toBe("invalid_request_uri");

    requested.length = 0;
    for (const other of [at("/requesturi/four"), `${uri}/../four`, "https://127.0.0.1/", "http://suite.example/requesturi/three"])
      expect(await errorOf(byReference(client_id, other)), other).toBe("invalid_request_uri");
    expect(await errorOf(byReference(client_id, uri, { request: "a.b.c" })), "both").toBe("invalid_request");
    expect(requested, "nothing was requested").toEqual([]);
  });

  test("internal addresses, and those without https, cannot be registered", async () => {
    for (const uri of ["https://10.0.0.1/r", "https://[fd00::1]/r", "http://suite.example/r"]) {
      const request = { redirect_uris: [REDIRECT], ...byKey, jwks: { keys: [key.jwk] }, request_uris: [uri] };
      const { status, body } = await op.browser().post(op.path(op.metadata.registration_endpoint), request);
      expect([status, body.error], uri).toEqual([400, "invalid_client_metadata"]);
    }
  });
});

describe("requirements of an open issuer (OpenID Connect Core §15.2)", () => {
  const registered = (response_types: string[], grant_types = ["implicit"]) => registerClient(op, { response_types, grant_types });

  test("id_token: the person at once, for a client that is registered so", async () => {
    const client = await registered(["id_token"]);
    const answer = await client.authorize(op.browser(), { nonce: "n", state: "st" });
    expect([...answer.keys()].sort()).toEqual(["id_token", "state"]);
    const idToken = await client.checkIdToken(answer.get("id_token")!, { nonce: "n" });
    expect(idToken.sub).toBe(op.user.userId);
  });

  test("id_token token: a token, too, that userinfo takes and that ends with the session", async () => {
    const client = await registered(["id_token token"]);
    const browser = op.browser();
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const answer = await client.authorize(browser, { nonce: "n", claims });
    const idToken = await client.checkIdToken(answer.get("id_token")!, { nonce: "n" });
    expect(idToken.at_hash, "§3.2.2.10: must be there").toBe(halfHash(answer.get("access_token")!));
    expect([answer.get("token_type"), Number(answer.get("expires_in")) > 0]).toEqual(["Bearer", true]);
    expect(answer.has("refresh_token")).toBe(false);
    const headers = { authorization: `Bearer ${answer.get("access_token")}` };
    const answered = () => op.browser().get(op.path(op.metadata.userinfo_endpoint), { headers });
    expect((await answered()).body).toMatchObject({ sub: idToken.sub, name: "Ada Lovelace" });
    const sessions = (await op.realm.asMaster().get("/sessions")).body as { id: string }[];
    const session = sessions.find(({ id }) => id === idToken.sid)!;
    expect((await op.realm.asMaster().delete(`/sessions/${session.id}`)).status).toBeLessThan(300);
    expect((await answered()).status).toBe(401);
  });

  test("never without a nonce, in the query, or for a client that is not registered so", async () => {
    const client = await registered(["id_token token"]);
    const errorOf = async (url: string) => {
      const { left } = await walk(op.browser(), BASE, url);
      expect(left?.href).not.toMatch(/access_token=|id_token=ey|code=/);
      return left && (left.searchParams.get("error") ?? new URLSearchParams(left.hash.slice(1)).get("error"));
    };
    expect(await errorOf(client.url({ nonce: undefined }))).toBe("invalid_request");
    expect(await errorOf(client.url({ response_mode: "query" }))).toBe("invalid_request");
    expect(await errorOf(client.url({ response_type: "code" }))).toBe("unauthorized_client");
    expect(await errorOf(client.url({ response_type: "id_token" }))).toBe("unauthorized_client");
    expect(await errorOf(client.url({ response_type: "token" }))).toBe("unsupported_response_type");
    const usual = await registerClient(op);
    for (const response_type of ["id_token", "id_token token"])
      expect(await errorOf(usual.url({ response_type }))).toBe("unauthorized_client");
  });

  test("grant and response types go together, and the realm may allow code alone", async () => {
    const ask = (members: object) =>
      op.browser().post(op.path(op.metadata.registration_endpoint), { redirect_uris: [REDIRECT], ...members });
    expect((await ask({ response_types: ["id_token"], grant_types: ["authorization_code"] })).body.error).toBe("invalid_client_metadata");
    expect((await ask({ response_types: ["code"], grant_types: ["implicit"] })).body.error).toBe("invalid_client_metadata");
    expect((await ask({ response_types: ["code id_token"], grant_types: ["authorization_code"] })).body.error).toBe(
      "invalid_client_metadata",
    );
    expect((await ask({ response_types: ["id_token"], redirect_uris: ["http://localhost/cb"] })).body.error).toBe(
      "invalid_client_metadata",
    );
    expect((await ask({ response_types: ["token id_token"] })).body).toMatchObject({
      response_types: ["id_token token"],
      grant_types: ["implicit"],
    });
    expect((await ask({ grant_types: ["implicit"] })).body).toMatchObject({ response_types: ["id_token"], grant_types: ["implicit"] });
    const policy = (allowedResponseTypes: string[]) =>
      op.realm.asMaster().put("/provisioning", { registration: { requireInitialAccessToken: false, allowedResponseTypes } });
    expect((await policy(["code"])).status).toBe(200);
    expect((await ask({ response_types: ["id_token"] })).body.error).toBe("invalid_client_metadata");
    expect((await ask({})).body).toMatchObject({ response_types: ["code"], grant_types: ["authorization_code"] });
    expect((await policy(["code", "id_token", "id_token token"])).status).toBe(200);
  });
});

test("oidcc-server-rotate-keys: a new key in the set, the old one beside it, and what it signed stays good", async () => {
  const client = await registerClient(op, byKey, key);
  const before = await client.complete(op.browser());
  const kids = async () =>
    (await op.browser().get(op.path(op.metadata.jwks_uri))).body.keys.map(({ kid }: { kid: string }) => kid) as string[];
  const old = await kids();
  const rotated = await op.realm.asMaster().post("/keys/rotate");
  expect(rotated.status, rotated.text).toBeLessThan(300);
  const now = await kids();
  expect(now).toEqual(expect.arrayContaining(old));
  expect(now.length).toBeGreaterThan(old.length);
  const after = await client.complete(op.browser());
  expect(old).not.toContain(decodeProtectedHeader(after.tokens.id_token).kid);
  await client.checkIdToken(before.tokens.id_token, { nonce: before.idToken.nonce as string });
  expect(decodeJwt(before.tokens.id_token).sub).toBe(after.idToken.sub);
});
