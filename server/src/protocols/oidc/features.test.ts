import { createHash, randomUUID, X509Certificate } from "node:crypto";
import {
  createLocalJWKSet,
  decodeJwt,
  exportJWK,
  FlattenedSign,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, fieldOf, relyingParty, submit, walk } from "../../testing/relying-party.ts";

const CERTIFICATE = "x-client-cert";

let iam: Harness;
let base: string;
let pair: GenerateKeyPairResult;
let jwks: JSONWebKeySet;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_TLS_CLIENT_CERT_HEADER: CERTIFICATE });
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  base = iam.config.baseUrl;
  pair = await generateKeyPair("ES256");
  jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k1", use: "sig", alg: "ES256" }] };
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const issuerOf = (realm: RealmUnderTest) => `${base}/realms/${realm.name}`;
const bearer = (realm: RealmUnderTest, token: string, more: Record<string, string> = {}): Promise<Answer> =>
  iam.browser().get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${token}`, ...more } });
const keysOf = async (realm: RealmUnderTest) => createLocalJWKSet((await iam.browser().get(`/realms/${realm.name}/jwks`)).body);
const signed = (claims: JWTPayload, key: Parameters<SignJWT["sign"]>[0] = pair.privateKey, header: object = { alg: "ES256", kid: "k1" }) =>
  new SignJWT({ jti: randomUUID(), ...claims })
    .setProtectedHeader(header as { alg: string })
    .setIssuedAt()
    .setExpirationTime("1m")
    .sign(key);
const asserted = (client_assertion: string) => ({
  client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  client_assertion,
});

describe("a client authenticates", () => {
  test("by its private key, at every endpoint", async () => {
    const realm = await iam.realm();
    const grantTypes = ["client_credentials"];
    const party = await relyingParty(iam, realm, {
      publicClient: false,
      authMethod: "private_key_jwt",
      jwks,
      redirectUris: [],
      grantTypes,
    });
    expect(party.secret).toBeNull();
    const proof = async (aud: string) => asserted(await signed({ iss: "app", sub: "app", aud }));
    const { status, body } = await party.post("/token", { grant_type: "client_credentials", ...(await proof(issuerOf(realm))) });
    expect([status, body.error_description]).toEqual([200, undefined]);
    const requested = await party.post("/introspect", { token: body.access_token, ...(await proof(issuerOf(realm))) });
    expect(requested.body).toMatchObject({ active: true, client_id: "app" });
    expect((await party.post("/token", { grant_type: "client_credentials" })).body.error).toBe("invalid_client");
  });

  test("by a JWT whose header names no extension: an unencoded payload is not what was read (RFC 7797)", async () => {
    const realm = await iam.realm();
    const members = { publicClient: false, authMethod: "private_key_jwt", jwks, grantTypes: ["client_credentials", "authorization_code"] };
    const party = await relyingParty(iam, realm, members);
    const unencoded = { alg: "ES256", kid: "k1", crit: ["b64"], b64: false };
    /** Signs the characters of the payload as they are. */
    const raw = async (claims: JWTPayload) => {
      const times = { jti: randomUUID(), iat: Math.floor(clock.now() / SECOND), exp: Math.floor(clock.now() / SECOND) + 60 };
      const payload = Buffer.from(JSON.stringify({ ...times, ...claims })).toString("base64url");
      const sign = new FlattenedSign(new TextEncoder().encode(payload)).setProtectedHeader(unencoded);
      const { protected: head, signature } = await sign.sign(pair.privateKey, { crit: { b64: true } });
      return `${head}.${payload}.${signature}`;
    };
    const own = { iss: "app", sub: "app", aud: issuerOf(realm) };
    const refused = await party.post("/token", { grant_type: "client_credentials", ...asserted(await raw(own)) });
    expect([refused.status, refused.body.error]).toEqual([401, "invalid_client"]);
    const request = await raw({ iss: "app", aud: issuerOf(realm), client_id: "app", response_type: "code", redirect_uri: CALLBACK });
    const pushed = await party.post("/par", { request, ...asserted(await signed(own)) });
    expect([pushed.status, pushed.body.error]).toEqual([400, "invalid_request_object"]);
  });

  test("by a JWT of its secret, of the one before it too while the rotation overlaps, and not after", async () => {
    const realm = await iam.realm();
    const members = { publicClient: false, authMethod: "client_secret_jwt", redirectUris: [], grantTypes: ["client_credentials"] };
    const party = await relyingParty(iam, realm, members);
    const ask = async (secret: string) => {
      const proof = await signed({ iss: "app", sub: "app", aud: issuerOf(realm) }, Buffer.from(secret), { alg: "HS256" });
      const form = { grant_type: "client_credentials", client_id: "app", ...asserted(proof) };
      return (await iam.browser().request("POST", `/realms/${realm.name}/token`, { form, csrf: false })).status;
    };
    expect(await ask(party.secret!)).toBe(200);
    const { secret } = (await realm.asMaster().post(`/clients/${party.id}/secret`, { overlapSeconds: 30 })).body;
    expect([await ask(secret), await ask(party.secret!)]).toEqual([200, 200]);
    clock.advance(31 * SECOND);
    expect([await ask(secret), await ask(party.secret!)]).toEqual([200, 401]);
  });

  test("by its secret in the one way that it is registered for", async () => {
    const realm = await iam.realm();
    const ask = async (authMethod: string) => {
      const members = { clientId: authMethod, publicClient: false, authMethod, redirectUris: [], grantTypes: ["client_credentials"] };
      const { secret } = await relyingParty(iam, realm, members);
      const basic = { authorization: `Basic ${Buffer.from(`${authMethod}:${secret}`).toString("base64")}` };
      const status = async (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
        (await iam.browser().request("POST", `/realms/${realm.name}${path}`, { form, headers, csrf: false })).status;
      const inForm = { client_id: authMethod, client_secret: secret! };
      const statuses = [];
      for (const [path, form] of [
        ["/token", { grant_type: "client_credentials" }],
        ["/token", { grant_type: "client_credentials", resource: `${base}/realms/${realm.name}` }],
        ["/introspect", { token: "a.b.c" }],
      ] as const)
        statuses.push(await status(path, form, basic), await status(path, { ...form, ...inForm }));
      return statuses;
    };
    expect(await ask("client_secret")).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await ask("client_secret_basic")).toEqual([200, 401, 200, 401, 200, 401]);
    expect(await ask("client_secret_post")).toEqual([401, 200, 401, 200, 401, 200]);
  });

  test("by a certificate that the proxy saw, to which its tokens are bound", async () => {
    const realm = await iam.realm();
    const authority = await privateAuthority();
    const [own, other] = [await authority.identity("robot"), await authority.identity("outsider")];
    const header = ({ cert }: { cert: string }) => ({ [CERTIFICATE]: encodeURIComponent(cert) });
    const party = await relyingParty(iam, realm, {
      ...{ publicClient: false, authMethod: "tls_client_auth", tlsClientAuthSubjectDn: "CN=robot" },
    });
    const { username, password } = await realm.user();
    const browser = iam.browser();
    const { left } = await submit(browser, base, (await walk(browser, base, party.url())).page, { username, password });
    const form = {
      ...{ grant_type: "authorization_code", client_id: "app", redirect_uri: CALLBACK, code_verifier: party.verifier },
      code: left!.searchParams.get("code")!,
    };
    const ask = (more: Record<string, string>) =>
      iam.browser().request("POST", `/realms/${realm.name}/token`, { form, headers: more, csrf: false });
    expect((await ask({})).body.error).toBe("invalid_client");
    expect((await ask(header(other))).body.error).toBe("invalid_client");
    expect((await ask({ [CERTIFICATE]: "rubbish" })).body.error).toBe("invalid_client");
    const { body } = await ask(header(own));
    const thumbprint = createHash("sha256").update(new X509Certificate(own.cert).raw).digest("base64url");
    expect(decodeJwt(body.access_token).cnf).toEqual({ "x5t#S256": thumbprint });
    expect((await bearer(realm, body.access_token, header(own))).status).toBe(200);
    expect((await bearer(realm, body.access_token)).status).toBe(401);
    expect((await bearer(realm, body.access_token, header(other))).status).toBe(401);
  });

  test("by a self-signed certificate, which its keys name", async () => {
    const realm = await iam.realm();
    const authority = await privateAuthority();
    const [own, other] = [await authority.identity("robot"), await authority.identity("robot")];
    const certificate = new X509Certificate(own.cert);
    const key = { ...(await exportJWK(certificate.publicKey)), x5c: [certificate.raw.toString("base64")] };
    await relyingParty(iam, realm, {
      ...{ publicClient: false, authMethod: "self_signed_tls_client_auth", jwks: { keys: [key] } },
      ...{ redirectUris: [], grantTypes: ["client_credentials"] },
    });
    const ask = ({ cert }: { cert: string }) =>
      iam.browser().request("POST", `/realms/${realm.name}/token`, {
        form: { grant_type: "client_credentials", client_id: "app" },
        headers: { [CERTIFICATE]: `:${new X509Certificate(cert).raw.toString("base64")}:` }, // RFC 9440
        csrf: false,
      });
    expect((await ask(own)).status).toBe(200);
    expect((await ask(other)).body.error).toBe("invalid_client");
  });
});

describe("the request and its answer", () => {
  test("a signed request object counts, and nothing beside it", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { jwks, requireSignedRequestObject: true });
    const browser = iam.browser();
    const { username, password } = await realm.user();
    await browser.signIn(realm.name, username, password);
    const claims = Object.fromEntries(new URL(party.url(), base).searchParams);
    const at = (request: string, more: Record<string, string> = {}) =>
      walk(browser, base, `/realms/${realm.name}/authorize?${new URLSearchParams({ client_id: "app", request, ...more })}`);
    const nbf = Math.floor(clock.now() / SECOND);
    const request = await signed({ ...claims, iss: "app", aud: issuerOf(realm), state: "signed", nbf, exp: nbf + 60 });
    const { left } = await at(request, { state: "beside", scope: "openid email" });
    expect(left?.searchParams.get("state")).toBe("signed");
    expect((await party.exchange(left)).body.scope).toBe("openid");
    const bare = await walk(browser, base, party.url());
    expect(bare.left?.searchParams.get("error")).toBe("invalid_request");
  });

  test("an answer as a JWT is signed, for the client, and short-lived", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    await party.signIn(browser, await realm.user());
    const read = async (response: string) =>
      (await jwtVerify(response, await keysOf(realm), { issuer: issuerOf(realm), audience: "app" })).payload;
    for (const response_mode of ["jwt", "query.jwt", "fragment.jwt"]) {
      const { left } = await walk(browser, base, party.url({ response_mode }));
      const place = response_mode === "fragment.jwt" ? new URLSearchParams(left!.hash.slice(1)) : left!.searchParams;
      expect([...place.keys()]).toEqual(["response"]);
      expect(await read(place.get("response")!)).toMatchObject({ code: expect.any(String), state: "st", exp: expect.any(Number) });
    }
    const failed = await walk(browser, base, party.url({ response_mode: "jwt", scope: "openid", prompt: "none", max_age: "-1" }));
    expect(await read(failed.left!.searchParams.get("response")!)).toMatchObject({ error: "invalid_request", state: "st" });
  });

  test("an answer by form leads to the client, and its page lets only its own script run", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    await party.signIn(browser, await realm.user());
    const { page } = await walk(browser, base, party.url({ response_mode: "form_post", state: '"><script>' }));
    expect([page.status, page.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(page.text).toContain(`<form method="post" action="${CALLBACK}">`);
    expect(page.text).not.toContain('"><script>');
    const script = /<script>([\s\S]*?)<\/script>/.exec(page.text)![1]!;
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
    expect(policy).toContain("default-src 'none'");
    const left = new URL(`${CALLBACK}?code=${fieldOf(page, "code")}`);
    expect(fieldOf(page, "iss")).toBe(issuerOf(realm));
    expect((await party.exchange(left)).status).toBe(200);
  });
});

describe("claims", () => {
  test("requested individually are returned where they were requested, without their scope", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const known = (await realm.asMaster().get(`/users/${user.userId}`)).body;
    const changed = await realm
      .asMaster()
      .put(`/users/${user.userId}`, { ...known, email: "ada@example.com", attributes: { firstName: ["Ada"] } });
    expect(changed.status, changed.text).toBe(200);
    const claims = JSON.stringify({ id_token: { email: { essential: true } }, userinfo: { given_name: null, nonsense: null } });
    const { body } = await party.signIn(iam.browser(), user, { claims });
    const [idToken, answered] = [decodeJwt(body.id_token), (await bearer(realm, body.access_token)).body];
    expect([idToken.email, idToken.given_name]).toEqual(["ada@example.com", undefined]);
    expect(answered).toEqual({ sub: user.userId, given_name: "Ada" });
    const again = (await party.post("/token", { grant_type: "refresh_token", refresh_token: body.refresh_token })).body;
    expect(decodeJwt(again.id_token).email).toBe("ada@example.com");
    expect((await bearer(realm, again.access_token)).body.given_name).toBe("Ada");
  });

  test("cannot be requested individually from scopes that the client may not request", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const { scopeId } = (await boss.post("/client-scopes", { name: "salary", assignment: "NONE" })).body;
    const mapper = { name: "salary", claim: "salary", source: "constant", value: "a lot", type: "string", multivalued: false };
    const { claimId } = (await boss.post("/claims", { ...mapper, targets: ["idToken", "userinfo"] })).body;
    expect((await boss.put(`/client-scopes/${scopeId}/claims/${claimId}`)).status).toBeLessThan(300);
    const user = await realm.user();
    const requested = { salary: null, preferred_username: null };
    const tellsTo = async (clientId: string, scopes: string[]) => {
      const party = await relyingParty(iam, realm, { clientId, scopes });
      const { body } = await party.signIn(iam.browser(), user, { claims: JSON.stringify({ id_token: requested, userinfo: requested }) });
      const answered = [decodeJwt(body.id_token), (await bearer(realm, body.access_token)).body];
      return answered.map(({ salary, preferred_username }) => [salary, preferred_username]);
    };
    expect(await tellsTo("payroll", ["openid", "salary"])).toEqual(Array(2).fill(["a lot", undefined]));
    expect(await tellsTo("shop", [])).toEqual(Array(2).fill([undefined, user.username]));
    expect(await tellsTo("bare", ["openid"])).toEqual(Array(2).fill([undefined, undefined]));
  });

  test.each(["ES256", "PS256"])("are signed with %s, tokens and userinfo, by a key of the JWKS", async (alg) => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { accessTokenAlg: alg, idTokenAlg: alg, userinfoAlg: alg });
    const user = await realm.user();
    const { body } = await party.signIn(iam.browser(), user);
    const answer = await bearer(realm, body.access_token);
    expect(answer.headers["content-type"]).toContain("application/jwt");
    const keys = await keysOf(realm);
    const options = { issuer: issuerOf(realm), algorithms: [alg] };
    const { payload } = await jwtVerify(answer.text, keys, { ...options, audience: "app" });
    expect(payload.sub).toBe(user.userId);
    await jwtVerify(body.id_token, keys, { ...options, audience: "app" });
    await jwtVerify(body.access_token, keys, { ...options, audience: issuerOf(realm), typ: "at+jwt" });
  });

  test("name one subject everywhere, by the client's strategy", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const known = (await realm.asMaster().get(`/users/${user.userId}`)).body;
    const changed = await realm.asMaster().put(`/users/${user.userId}`, { ...known, attributes: { staff: ["4711"] } });
    expect(changed.status, changed.text).toBe(200);
    const subjectFor = async (clientId: string, members: Record<string, unknown>) => {
      const party = await relyingParty(iam, realm, { clientId, publicClient: false, ...members });
      const { body } = await party.signIn(iam.browser(), user);
      const introspected = async (token: string) => (await party.post("/introspect", { token })).body.sub;
      const answered = await bearer(realm, body.access_token);
      const subs = [
        decodeJwt(body.id_token).sub,
        decodeJwt(body.access_token).sub,
        answered.body?.sub ?? decodeJwt(answered.text).sub,
        await introspected(body.access_token),
        await introspected(body.refresh_token),
      ];
      expect(new Set(subs).size, subs.join()).toBe(1);
      return subs[0];
    };
    const pairwise = { subjectClaim: { strategy: "pairwise" } };
    expect(await subjectFor("attribute", { subjectClaim: { strategy: "attribute", attribute: "staff" } })).toBe("4711");
    const one = await subjectFor("one", pairwise);
    expect(one).not.toBe(user.userId);
    expect(await subjectFor("signed", { ...pairwise, userinfoAlg: "RS256" })).toBe(one); // the clients share a sector
    expect(await subjectFor("elsewhere", { ...pairwise, sectorIdentifierUri: "https://other.example/sector" })).not.toBe(one);
  });

  test("are refused if the user has no such subject", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { subjectClaim: { strategy: "attribute", attribute: "staff" } });
    const answer = await party.signIn(iam.browser(), await realm.user());
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });
});

describe("resources", () => {
  test("a token is for the named resource; if several were granted, for the one requested now", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const allowedResources = ["https://api.example", "https://files.example"];
    expect((await realm.asMaster().put(`/clients/${party.id}/allowed-resources`, { allowedResources })).status).toBe(200);
    const browser = iam.browser();
    await party.signIn(browser, await realm.user());
    const several = `${party.url()}&${allowedResources.map((each) => `resource=${encodeURIComponent(each)}`).join("&")}`;
    const { left } = await walk(browser, base, several);
    const { body } = await party.exchange(left);
    expect(decodeJwt(body.access_token).aud).toBe("https://api.example");
    const form = { grant_type: "refresh_token", refresh_token: body.refresh_token, resource: "https://files.example" };
    const files = (await party.post("/token", form)).body;
    expect(decodeJwt(files.access_token).aud).toBe("https://files.example");
  });

  test("the realm describes itself as one, in both places", async () => {
    const realm = await iam.realm();
    const name = "oauth-protected-resource";
    const [below, inserted] = await Promise.all(
      [`/realms/${realm.name}/.well-known/${name}`, `/.well-known/${name}/realms/${realm.name}`].map((path) => iam.browser().get(path)),
    );
    expect(below!.body).toEqual(inserted!.body);
    expect(below!.body).toMatchObject({
      resource: issuerOf(realm),
      authorization_servers: [issuerOf(realm)],
      scopes_supported: expect.arrayContaining(["openid"]),
    });
  });

  test("mutual TLS is offered where the header of the proxy is known", async () => {
    const realm = await iam.realm();
    const { body } = await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`);
    expect(body.token_endpoint_auth_methods_supported).toEqual(expect.arrayContaining(["tls_client_auth", "self_signed_tls_client_auth"]));
    expect(body.tls_client_certificate_bound_access_tokens).toBe(true);
  });
});
