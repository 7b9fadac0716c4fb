import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  importJWK,
  jwtVerify,
} from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, MINUTE, SECOND } from "../../kernel/clock.ts";
import { type FapiClient, fapiClient } from "../../testing/fapi-client.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, walk } from "../../testing/relying-party.ts";

// FAPI 2.0 Security Profile and Message Signing (final): the requirements of the suite's modules, and its attacks. See docs/conformance.md.

let iam: SharedHarness;
let realm: RealmUnderTest;
let user: { username: string; password: string };
let bank: FapiClient;
let signer: FapiClient;
let other: GenerateKeyPairResult;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  realm = await iam.realm();
  user = await realm.user();
  bank = await fapiClient(iam, realm, { clientId: "bank", grantTypes: ["authorization_code", "refresh_token", "client_credentials"] });
  signer = await fapiClient(iam, realm, { clientId: "signer", profile: "fapi2-message-signing", authorizationSignedResponseAlg: "ES256" });
  other = await generateKeyPair("ES256", { extractable: true });
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const seconds = () => Math.floor(clock.now() / SECOND);

const codeOf = async (client: FapiClient, params: Record<string, string> = {}): Promise<string> => {
  const pushed = await client.push(params);
  expect(pushed.status, pushed.text).toBe(201);
  const to = await client.authorize(iam.browser(), user, { request_uri: pushed.body.request_uri });
  expect(to.searchParams.get("iss")).toBe(client.issuer);
  return to.searchParams.get("code") ?? `no code: ${to}`;
};

describe("fapi2-security", () => {
  test("a pushed request, a code, bound tokens, and a refresh token that stays", async () => {
    const pushed = await bank.push({ scope: "openid offline_access" });
    expect(pushed).toMatchObject({ status: 201, body: { request_uri: expect.any(String) } });
    expect(pushed.body.expires_in).toBeLessThan(600);
    const to = await bank.authorize(iam.browser(), user, { request_uri: pushed.body.request_uri });
    expect(Object.fromEntries(to.searchParams)).toMatchObject({ state: "st", iss: bank.issuer, code: expect.any(String) });
    const { body } = await bank.exchange(to.searchParams.get("code")!);
    expect(body).toMatchObject({ token_type: "DPoP", refresh_token: expect.any(String) });
    for (const token of [body.access_token, body.id_token]) expect(decodeProtectedHeader(token).alg).toBe("PS256");
    expect(decodeJwt(body.access_token).cnf).toEqual({ jkt: expect.any(String) });

    // §5.3.2.1: refresh tokens are not rotated. Each use extends their lifetime.
    for (let use = 0; use < 3; use++) {
      clock.advance(20 * DAY);
      const refreshed = await bank.refresh(body.refresh_token);
      expect(refreshed, refreshed.text).toMatchObject({ status: 200, body: { token_type: "DPoP", access_token: expect.any(String) } });
      expect(refreshed.body).not.toHaveProperty("refresh_token");
    }
    clock.advance(31 * DAY);
    expect((await bank.refresh(body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("its refresh token is refused for another client, and once it was revoked", async () => {
    const { body } = await bank.exchange(await codeOf(bank));
    const thief = await signer.refresh(body.refresh_token);
    expect(thief).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect((await bank.refresh(body.refresh_token)).status, "the owner keeps it").toBe(200);
    expect((await bank.refresh(body.refresh_token, {})).body.error, "not without a key").toBe("invalid_dpop_proof");
    expect((await bank.post("/revoke", { token: body.refresh_token })).status).toBe(200);
    expect((await bank.refresh(body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("a client that replaces its refresh tokens still ends the family with a second use", async () => {
    const party = await fapiClient(iam, realm, { clientId: "rotating", profile: "none", authMethod: "private_key_jwt", requireDpop: true });
    const { body } = await party.exchange(await codeOf(party));
    const next = await party.refresh(body.refresh_token);
    expect(next.body.refresh_token).not.toBe(body.refresh_token);
    // The time in which a lost response is repeated (decision 40) has passed.
    clock.advance(11 * SECOND);
    expect((await party.refresh(body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await party.refresh(next.body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("a code lives for a minute at most, whatever the realm says", async () => {
    const slow = await iam.realm();
    await slow.asMaster().put("/settings", { tokens: { codeSeconds: 600 } });
    const client = await fapiClient(iam, slow);
    const person = await slow.user();
    const pushed = await client.push();
    const to = await client.authorize(iam.browser(), person, { request_uri: pushed.body.request_uri });
    clock.advance(61 * SECOND);
    expect((await client.exchange(to.searchParams.get("code")!)).body.error).toBe("invalid_grant");
  });

  test.each<[string, (client: FapiClient) => Promise<string>]>([
    ["a list of the issuer alone", (c) => c.assertion({ aud: [c.issuer] })],
    ["a list of two", (c) => c.assertion({ aud: [c.issuer, "https://other.example"] })],
    ["the token endpoint", (c) => c.assertion({ aud: `${c.issuer}/token` })],
    ["the address of the endpoint", (c) => c.assertion({ aud: `${c.issuer}/par` })],
    ["no sub", (c) => c.assertion({ sub: undefined })],
    ["another sub", (c) => c.assertion({ sub: "signer", iss: "bank" })],
    ["no exp", (c) => c.assertion({ exp: undefined })],
    ["no jti", (c) => c.assertion({ jti: undefined })],
    ["an nbf in the future", (c) => c.assertion({ nbf: seconds() + 120, exp: seconds() + 180 })],
    ["an iat in the future", (c) => c.assertion({ iat: seconds() + 120, exp: seconds() + 180 })],
    ["an hour to live", (c) => c.assertion({ exp: seconds() + 3600 })],
  ])("refuses an assertion with %s", async (name, assertion) => {
    const refused = await bank.post("/par", { ...bank.request(), client_assertion: await assertion(bank) });
    expect(refused.body.error, name).toBe("invalid_client");
  });

  test("takes an assertion by a clock that is ten seconds off, once", async () => {
    for (const off of [-10, 10]) {
      const client_assertion = await bank.assertion({ iat: seconds() + off, nbf: seconds() + off });
      expect((await bank.post("/par", { ...bank.request(), client_assertion })).status, `${off}`).toBe(201);
      expect((await bank.post("/par", { ...bank.request(), client_assertion })).status, "a second time").toBe(401);
    }
  });

  test("other clients may name the token or the endpoint's address, as one string or a list of one", async () => {
    const plain = await fapiClient(iam, realm, { clientId: "plain", profile: "none", authMethod: "private_key_jwt" });
    for (const aud of [plain.issuer, [plain.issuer], `${plain.issuer}/token`, `${plain.issuer}/par`]) {
      const client_assertion = await plain.assertion({ aud });
      expect((await plain.post("/par", { ...plain.request(), client_assertion })).status, String(aud)).toBe(201);
    }
  });

  test.each<[string, object, string]>([
    ["a request that was not pushed", { direct: true }, "invalid_request"],
    ["no PKCE", { code_challenge: "", code_challenge_method: "" }, "invalid_request"],
    ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["a token in the answer", { response_type: "id_token", nonce: "n" }, "unauthorized_client"],
    ["another redirect URI", { redirect_uri: `${CALLBACK}/` }, "invalid_request"],
  ])("refuses %s", async (_, { direct, ...params }: { direct?: boolean }, error) => {
    if (direct) {
      const { left } = await walk(
        iam.browser(),
        iam.config.baseUrl,
        `/realms/${realm.name}/authorize?${new URLSearchParams(bank.request())}`,
      );
      expect(left?.searchParams.get("error")).toBe(error);
    } else {
      const refused = await bank.push(params as Record<string, string>);
      expect([
        refused.status,
        ["unsupported_response_type", "invalid_redirect_uri"].includes(refused.body.error) ? error : refused.body.error,
      ]).toEqual([400, error]);
    }
  });
});

describe("attacks", () => {
  const pushed = async (client: FapiClient): Promise<string> => (await client.push()).body.request_uri;
  const at = (client: FapiClient, request_uri: string) =>
    walk(
      iam.browser(),
      iam.config.baseUrl,
      `/realms/${realm.name}/authorize?${new URLSearchParams({ client_id: client.clientId, request_uri })}`,
    );

  test("a pushed request counts once, for its client, and for a minute", async () => {
    const uri = await pushed(bank);
    const stolen = await at(signer, uri);
    expect(stolen.left?.searchParams.get("error") ?? stolen.page.status).toSatisfy(
      (found) => found === 400 || String(found).startsWith("invalid_request"),
    );
    const to = await bank.authorize(iam.browser(), user, { request_uri: uri });
    expect(to.searchParams.get("code")).toBeTruthy();
    const again = await at(bank, uri);
    expect(again.left?.searchParams.get("code") ?? null).toBeNull();
    const late = await pushed(bank);
    clock.advance(10 * MINUTE);
    expect((await at(bank, late)).left?.searchParams.get("code") ?? null).toBeNull();
  });

  test("the code of another client, another verifier, and a code that was used", async () => {
    const code = await codeOf(bank);
    expect((await signer.exchange(code)).body.error).toBe("invalid_grant");
    expect((await bank.exchange(code, { code_verifier: "x".repeat(43) })).body.error).toBe("invalid_grant");
    expect((await bank.exchange(code, { redirect_uri: "https://evil.example/cb" })).body.error).toBe("invalid_grant");
    const { body } = await bank.exchange(code);
    expect((await bank.exchange(code)).body.error).toBe("invalid_grant");
    expect((await bank.refresh(body.refresh_token)).body.error, "what it gave has ended").toBe("invalid_grant");
  });

  test("mix-up: every answer names its issuer, an error too", async () => {
    const { left } = await walk(
      iam.browser(),
      iam.config.baseUrl,
      `/realms/${realm.name}/authorize?${new URLSearchParams(bank.request({ prompt: "none" }))}`,
    );
    expect(left?.searchParams.get("iss")).toBe(bank.issuer);
  });

  test("a code that the pushed request bound to a key is refused with another key", async () => {
    const pushing = await bank.post("/par", bank.request(), { dpop: await bank.proof("/par") });
    const to = await bank.authorize(iam.browser(), user, { request_uri: pushing.body.request_uri });
    const code = to.searchParams.get("code")!;
    expect((await bank.exchange(code, {}, { dpop: await bank.proof("/token", {}, other) })).body.error).toBe("invalid_grant");
    expect((await bank.exchange(code)).status).toBe(200);
  });

  const tokenWith = (proof: string) => bank.post("/token", { grant_type: "client_credentials" }, { dpop: proof });
  test.each<[string, (client: FapiClient) => Promise<string>]>([
    ["another htu", (c) => c.proof("/userinfo")],
    ["another htm", (c) => c.proof("/token", { htm: "GET" })],
    ["an iat of five minutes ago", (c) => c.proof("/token", { iat: seconds() - 300 })],
    ["an iat in five minutes", (c) => c.proof("/token", { iat: seconds() + 300 })],
    ["no iat", (c) => c.proof("/token", { iat: undefined })],
    ["no jti", (c) => c.proof("/token", { jti: undefined })],
    ["a nonce that the server did not issue", (c) => c.proof("/token", { nonce: "made-up" })],
    ["another typ", (c) => c.proof("/token", {}, undefined, { typ: "JWT" })],
    ["another's signature", async (c) => c.proof("/token", {}, { ...other, publicKey: c.keys.publicKey })],
  ])("refuses a proof with %s", async (_, proof) => {
    const refused = await tokenWith(await proof(bank));
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_dpop_proof" } });
  });

  test("takes a proof by a clock that is ten seconds off, each once, for as long as it counts", async () => {
    for (const off of [-10, 10, 0.0001])
      expect((await tokenWith(await bank.proof("/token", { iat: seconds() + off }))).status, `${off}`).toBe(200);
    const early = await bank.proof("/token", { iat: seconds() + 55 });
    expect((await tokenWith(early)).status).toBe(200);
    clock.advance(5 * MINUTE + 30 * SECOND);
    await iam.server.jobs.runDue();
    expect((await tokenWith(early)).status, "it would still be recent").toBe(400);
  });

  test("a proof may have the same jti as the assertion, because the two are stored separately", async () => {
    const jti = crypto.randomUUID();
    const [client_assertion, dpop] = [await bank.assertion({ jti }), await bank.proof("/token", { jti })];
    const ask = (form: Record<string, string>, proof: string) =>
      bank.post("/token", { grant_type: "client_credentials", ...form }, { dpop: proof });
    const answer = await ask({ client_assertion }, dpop);
    expect(answer.status, answer.text).toBe(200);
    expect((await ask({}, dpop)).body.error, "the proof again").toBe("invalid_dpop_proof");
    expect((await ask({ client_assertion }, await bank.proof("/token"))).body.error, "the assertion again").toBe("invalid_client");
  });

  test("a token with another key, another ath, or as a bearer", async () => {
    const { body } = await bank.exchange(await codeOf(bank));
    const ask = (scheme: string, proof?: string) =>
      iam.browser().get(`/realms/${realm.name}/userinfo`, {
        headers: { authorization: `${scheme} ${body.access_token}`, ...(proof && { dpop: proof }) },
      });
    const ath = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(body.access_token))).toString("base64url");
    const proof = (claims: object, key?: GenerateKeyPairResult) => bank.proof("/userinfo", { htm: "GET", ath, ...claims }, key);
    expect((await ask("DPoP", await proof({}))).status).toBe(200);
    for (const wrong of ["x", undefined]) expect((await ask("DPoP", await proof({ ath: wrong }))).text).toContain("invalid_dpop_proof");
    expect((await ask("DPoP", await proof({}, other))).status).toBe(401);
    expect((await ask("Bearer")).status).toBe(401);
  });

  test("weaker algorithms are refused wherever the client signs", async () => {
    const client = await fapiClient(iam, realm, { clientId: "weak", profile: "fapi2-message-signing", grantTypes: ["client_credentials"] });
    const { body: made } = await realm.asMaster().get(`/clients/${client.id}`);
    const pair = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(pair.publicKey);
    const known = {
      ...made,
      grantTypes: ["authorization_code", "client_credentials"],
      jwks: { keys: [...made.jwks.keys, { ...jwk, kid: "rsa" }] },
    };
    expect((await realm.asMaster().put(`/clients/${client.id}`, known)).status).toBe(200);
    for (const [alg, isTaken] of [
      ["RS256", false],
      ["PS256", true],
    ] as const) {
      const key = (await importJWK(await exportJWK(pair.privateKey), alg)) as GenerateKeyPairResult["privateKey"];
      const sign = (claims: object, header: object = {}) => client.sign({ ...claims }, { kid: "rsa", ...header, alg }, key);
      const times = () => ({ jti: crypto.randomUUID(), iat: seconds(), nbf: seconds(), exp: seconds() + 60 });
      const client_assertion = await sign({ iss: "weak", sub: "weak", aud: client.issuer, ...times() });
      const request = await sign({ ...client.request({ response_mode: "jwt" }), iss: "weak", aud: client.issuer, ...times() });
      const dpop = await sign({ ...times(), htm: "POST", htu: `${client.issuer}/token` }, { typ: "dpop+jwt", kid: undefined, jwk });
      const good = await client.requestObject({ response_mode: "jwt" });
      const answers = {
        assertion: await client.post("/par", { request: good, client_assertion }),
        request: await client.post("/par", { request }),
        proof: await client.post("/token", { grant_type: "client_credentials" }, { dpop }),
      };
      const errors = Object.values(answers).map(({ body }) => body.error ?? "none");
      expect(errors, alg).toEqual(isTaken ? ["none", "none", "none"] : ["invalid_client", "invalid_request_object", "invalid_dpop_proof"]);
    }
  });
});

describe("fapi2-message-signing", () => {
  const push = async (params: Record<string, string> = {}, claims: object = {}, header: object = {}) =>
    signer.post("/par", { request: await signer.requestObject({ response_mode: "jwt", ...params }, { ...claims }, { ...header }) });

  test("a token of one kind is not accepted as another, by its typ and its sub (RFC 8725 §3.11, RFC 9101 §10.8)", async () => {
    const authenticated = async (typ: string | undefined) =>
      (
        await signer.post("/par", {
          request: await signer.requestObject({ response_mode: "jwt" }),
          client_assertion: await signer.assertion({}, { typ }),
        })
      ).body.error ?? "none";
    for (const typ of [undefined, "JWT", "jwt", "client-authentication+jwt", "application/client-authentication+JWT"])
      expect(await authenticated(typ), `${typ}`).toBe("none");
    for (const typ of ["oauth-authz-req+jwt", "dpop+jwt", "at+jwt", ""]) expect(await authenticated(typ), typ).toBe("invalid_client");
    for (const typ of [undefined, "JWT", "jwt", "oauth-authz-req+jwt", "application/oauth-authz-req+JWT"])
      expect((await push({}, {}, { typ })).status, `${typ}`).toBe(201);
    for (const typ of ["client-authentication+jwt", "dpop+jwt"])
      expect((await push({}, {}, { typ })).body.error, typ).toBe("invalid_request_object");
    expect((await push({}, { sub: signer.clientId })).body.error).toBe("invalid_request_object");
    expect((await push({}, { sub: "somebody" })).status).toBe(201);
  });

  test("a signed request and a signed answer, by the algorithm that the client chose", async () => {
    const pushed = await push();
    expect(pushed.status, pushed.text).toBe(201);
    const to = await signer.authorize(iam.browser(), user, { request_uri: pushed.body.request_uri });
    expect([...to.searchParams.keys()]).toEqual(["response"]);
    const response = to.searchParams.get("response")!;
    const keys = createLocalJWKSet((await iam.browser().get(`/realms/${realm.name}/jwks`)).body);
    const { payload } = await jwtVerify(response, keys, { issuer: signer.issuer, audience: "signer", algorithms: ["ES256"] });
    expect(payload).toMatchObject({ state: "st", code: expect.any(String) });
    expect(payload.exp! - seconds()).toBeLessThanOrEqual(600);
    expect((await signer.exchange(String(payload.code))).body.token_type).toBe("DPoP");
  });

  test("an answer is signed by what the profile or the client names, and RS256 without either", async () => {
    const plain = await fapiClient(iam, realm, { clientId: "jarm", profile: "none", authMethod: "private_key_jwt" });
    const chosen = await fapiClient(iam, realm, { clientId: "jarm-ed", authorizationSignedResponseAlg: "EdDSA" });
    const usual = await fapiClient(iam, realm, { clientId: "jarm-fapi" });
    for (const [client, alg] of [
      [plain, "RS256"],
      [chosen, "EdDSA"],
      [usual, "PS256"],
    ] as const) {
      const pushed = await client.push({ response_mode: "jwt" });
      const to = await client.authorize(iam.browser(), user, { request_uri: pushed.body.request_uri });
      expect(decodeProtectedHeader(to.searchParams.get("response")!).alg).toBe(alg);
    }
  });

  test.each<[string, () => Promise<{ status: number; body: { error: string } }>, string]>([
    ["without a signature", () => signer.push({ response_mode: "jwt" }), "invalid_request"],
    ["whose answer would not be signed", () => push({ response_mode: "query" }), "invalid_request"],
    ["without exp", () => push({}, { exp: undefined }), "invalid_request_object"],
    ["without nbf", () => push({}, { nbf: undefined }), "invalid_request_object"],
    ["that lives for 61 minutes", () => push({}, { exp: seconds() + 61 * 60 }), "invalid_request_object"],
    ["whose nbf is 61 minutes ago", () => push({}, { nbf: seconds() - 61 * 60, exp: seconds() + 30 }), "invalid_request_object"],
    ["that is over", () => push({}, { exp: seconds() - 120, nbf: seconds() - 180 }), "invalid_request_object"],
    ["that is for another issuer", () => push({}, { aud: "https://other.example" }), "invalid_request_object"],
    ["that is another client's", () => push({}, { iss: "bank", client_id: "bank" }), "invalid_request_object"],
    [
      "signed by another key",
      async () =>
        signer.post("/par", {
          request: await signer.sign(
            { ...signer.request({ response_mode: "jwt" }), iss: "signer", aud: signer.issuer, nbf: seconds(), exp: seconds() + 60 },
            {},
            other.privateKey,
          ),
        }),
      "invalid_request_object",
    ],
  ])("refuses a request %s", async (_, ask, error) => {
    const refused = await ask();
    expect([refused.status, refused.body.error]).toEqual([400, error]);
  });
});
