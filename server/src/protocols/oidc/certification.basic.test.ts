// The OpenID Foundation's certification plans Basic OP, Form Post OP (the same with another response mode), and Config OP.
// Each test has the name of the suite's module that it stands for: see docs/conformance.md.
import { createHash, randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import {
  type ConformanceClient,
  checkUserinfo,
  halfHash,
  type Issuer,
  openIssuer,
  REDIRECT,
  registerClient,
} from "../../testing/conformance-client.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { walk } from "../../testing/relying-party.ts";

const BASE = "https://op.example";
let iam: Harness;
let op: Issuer;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_BASE_URL: BASE });
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  op = await openIssuer(iam.server.app, await iam.realm(), BASE);
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

/** RFC 6749 §4.1.2.1: checks that the error is printable ASCII, without quotes and backslashes, and that there are no other parameters. */
function checkError(answer: URLSearchParams, state: string, ...errors: string[]): void {
  expect(errors).toContain(answer.get("error"));
  expect([answer.get("state"), answer.get("iss"), answer.get("code")]).toEqual([state, op.metadata.issuer, null]);
  expect(answer.get("error_description") ?? "").toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/);
  expect([...answer.keys()].filter((name) => !["error", "error_description", "state", "iss"].includes(name))).toEqual([]);
}

describe("Config OP", () => {
  test("oidcc-discovery-endpoint-verification", async () => {
    const answer = await op.browser().get(`/realms/${op.realm.name}/.well-known/openid-configuration`);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    const { body } = answer;
    expect(body.issuer).toBe(`${BASE}/realms/${op.realm.name}`);
    const addresses = Object.entries(body).filter(([name]) => /_(endpoint|uri)$/.test(name));
    expect(addresses.length).toBeGreaterThan(8);
    for (const [name, url] of addresses) expect(url, name).toMatch(/^https:\/\/op\.example\//);
    for (const member of ["authorization", "token", "userinfo", "registration", "end_session"])
      expect(body).toHaveProperty(`${member}_endpoint`);
    const contains = (values: string[]) => expect.arrayContaining(values);
    expect(body).toMatchObject({
      // OpenID Connect Core §15.2: an issuer with dynamic registration has to support these.
      response_types_supported: contains(["code", "id_token", "id_token token"]),
      grant_types_supported: contains(["authorization_code", "implicit", "refresh_token"]),
      response_modes_supported: contains(["query", "fragment", "form_post"]),
      subject_types_supported: contains(["public", "pairwise"]),
      id_token_signing_alg_values_supported: contains(["RS256"]),
      userinfo_signing_alg_values_supported: contains(["RS256"]),
      request_object_signing_alg_values_supported: contains(["RS256"]),
      token_endpoint_auth_methods_supported: contains(["client_secret_basic", "client_secret_post", "private_key_jwt"]),
      scopes_supported: contains(["openid", "profile", "email", "address", "phone", "offline_access"]),
      claims_supported: contains(["sub", "name", "email", "address", "phone_number"]),
      code_challenge_methods_supported: ["S256"],
      claims_parameter_supported: true,
      request_parameter_supported: true,
      request_uri_parameter_supported: true,
      require_request_uri_registration: true,
      authorization_response_iss_parameter_supported: true,
      ui_locales_supported: ["en", "nl", "de", "fr", "es", "it", "pt", "pl", "sv", "ja", "ar"],
    });
    // Because `none` is not supported, the suite's modules for unsigned tokens and request objects do not apply.
    for (const member of ["id_token", "request_object", "userinfo"])
      expect(body[`${member}_signing_alg_values_supported`]).not.toContain("none");
    for (const scope of body.scopes_supported) expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test("the keys are public ones only, each with its own kid", async () => {
    const { keys } = (await op.browser().get(op.path(op.metadata.jwks_uri))).body;
    expect(new Set(keys.map(({ kid }: { kid: string }) => kid)).size).toBe(keys.length);
    expect(keys.some(({ kty, use, alg }: Record<string, string>) => kty === "RSA" && use === "sig" && (alg ?? "RS256") === "RS256")).toBe(
      true,
    );
    for (const key of keys) {
      expect(["RSA", "EC", "OKP"]).toContain(key.kty);
      for (const member of ["d", "p", "q", "dp", "dq", "qi", "k"]) expect(key).not.toHaveProperty(member);
      for (const member of ["n", "e", "x", "y"]) if (member in key) expect(key[member]).toMatch(/^[A-Za-z0-9_-]+$/);
    }
  });
});

describe.each([
  ["Basic OP", undefined],
  ["Form Post OP", "form_post"],
] as const)("%s", (_plan, mode) => {
  let client: ConformanceClient;
  beforeAll(async () => {
    client = await registerClient(op, {}, undefined, mode);
  });

  test("oidcc-server: a confidential client without PKCE, just registered", async () => {
    const own = await registerClient(op, {}, undefined, mode);
    const { tokens, idToken } = await own.complete(op.browser());
    expect(idToken).not.toHaveProperty("c_hash");
    expect(idToken.at_hash ?? halfHash(tokens.access_token)).toBe(halfHash(tokens.access_token));
    expect((await own.unregister()).status).toBe(204);
  });

  test("oidcc-response-type-missing", async () => {
    const state = randomBytes(8).toString("hex");
    const answer = await client.authorize(op.browser(), { response_type: undefined, state });
    checkError(answer, state, "invalid_request", "unsupported_response_type");
  });

  test("oidcc-idtoken-signature: by a key of the set that its kid names", async () => {
    const { idToken } = await client.complete(op.browser());
    expect(idToken.sub).toBeTruthy();
  });

  test("oidcc-userinfo-get, -post-header, -post-body", async () => {
    const { tokens, idToken } = await client.complete(op.browser());
    const path = op.path(op.metadata.userinfo_endpoint);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const answers = [
      await op.browser().get(path, { headers }),
      await op.browser().request("POST", path, { headers, csrf: false }),
      await op.browser().request("POST", path, { form: { access_token: tokens.access_token }, csrf: false }),
    ];
    for (const { status, headers: responseHeaders, body } of answers) {
      expect(status).toBe(200);
      expect(responseHeaders["content-type"]).toMatch(/^application\/json/);
      checkUserinfo(body, idToken);
    }
  });

  test("oidcc-ensure-request-without-nonce-succeeds-for-code-flow", async () => {
    const { idToken } = await client.complete(op.browser(), { nonce: undefined });
    expect(idToken).not.toHaveProperty("nonce");
  });

  test.each([
    [
      "profile",
      [
        "name",
        "family_name",
        "given_name",
        "middle_name",
        "nickname",
        "preferred_username",
        "profile",
        "picture",
        "website",
        "gender",
        "birthdate",
        "zoneinfo",
        "locale",
        "updated_at",
      ],
    ],
    ["email", ["email", "email_verified"]],
    ["address", ["address"]],
    ["phone", ["phone_number", "phone_number_verified"]],
    ["profile email address phone", ["name", "email", "address", "phone_number"]],
  ])("oidcc-scope-*: %s brings all of its claims", async (scope, claims) => {
    const answer = await client.authorize(op.browser(), { scope: `openid ${scope}` });
    const { body } = await client.exchange(answer);
    const answered = await op
      .browser()
      .get(op.path(op.metadata.userinfo_endpoint), { headers: { authorization: `Bearer ${body.access_token}` } });
    checkUserinfo(answered.body, { sub: op.user.userId });
    expect(Object.keys(answered.body)).toEqual(expect.arrayContaining(["sub", ...claims]));
  });

  test("oidcc-ensure-other-scope-order-succeeds", async () => {
    const answer = await client.authorize(op.browser(), { scope: "email openid" });
    expect((await client.exchange(answer)).body.id_token).toBeTruthy();
  });

  test.each([
    ["oidcc-display-page", { display: "page" }],
    ["oidcc-display-popup", { display: "popup" }],
    ["oidcc-ensure-request-with-unknown-parameter-succeeds", { extra: "foobar" }],
    ["oidcc-ui-locales", { ui_locales: "se" }],
    ["oidcc-claims-locales", { claims_locales: "se" }],
    ["oidcc-login-hint", { login_hint: "buffy@op.example" }],
  ] as const)("%s", async (_module, params) => {
    await client.complete(op.browser(), params);
  });

  test("oidcc-prompt-login: the page again, and a later auth_time", async () => {
    const browser = op.browser();
    const first = (await client.complete(browser)).idToken;
    clock.advance(2 * SECOND);
    const { page, left } = await walk(browser, BASE, client.url({ prompt: "login" }));
    expect([left, page.text.includes('name="password"')]).toEqual([null, true]);
    const second = (await client.complete(browser, { prompt: "login", max_age: "100" })).idToken;
    expect(second.auth_time).not.toBe(first.auth_time);
    expect(second.sub).toBe(first.sub);
  });

  test("oidcc-prompt-none-not-logged-in", async () => {
    const answer = await client.authorize(op.browser(), { prompt: "none", state: "st" });
    checkError(answer, "st", "login_required", "interaction_required", "account_selection_required", "consent_required");
  });

  test("oidcc-prompt-none-logged-in, oidcc-id-token-hint: at once, and the same person and time", async () => {
    const browser = op.browser();
    const first = await client.complete(browser, { max_age: "1000" });
    clock.advance(2 * SECOND);
    for (const more of [{}, { id_token_hint: first.tokens.id_token }] as Record<string, string>[]) {
      const { page, left } = await walk(browser, BASE, client.url({ prompt: "none", ...more }));
      expect(left !== null || page.text.includes(`action="${REDIRECT}"`), "no page of ours").toBe(true);
      const second = await client.complete(browser, { prompt: "none", max_age: "1000", ...more });
      expect([second.idToken.sub, second.idToken.auth_time]).toEqual([first.idToken.sub, first.idToken.auth_time]);
    }
  });

  test("oidcc-max-age-1, oidcc-max-age-10000", async () => {
    const browser = op.browser();
    const first = (await client.complete(browser, { max_age: "10000" })).idToken;
    expect(first.auth_time).toEqual(expect.any(Number));
    clock.advance(2 * SECOND);
    const same = (await client.complete(browser, { max_age: "10000" })).idToken;
    expect(same.auth_time).toBe(first.auth_time);
    const { page } = await walk(browser, BASE, client.url({ max_age: "1" }));
    expect(page.text).toContain('name="password"');
    const second = (await client.complete(browser, { max_age: "1" })).idToken;
    expect(second.auth_time).toBeGreaterThan(first.auth_time as number);
    expect(Math.abs((second.auth_time as number) - clock.now() / SECOND)).toBeLessThan(300);
  });

  test("oidcc-ensure-request-with-acr-values-succeeds: the token contains one of them", async () => {
    const requested = op.metadata.acr_values_supported as string[];
    const { idToken } = await client.complete(op.browser(), { acr_values: requested.join(" ") });
    expect(requested).toContain(idToken.acr);
  });

  test("oidcc-codereuse, oidcc-codereuse-30seconds: invalid_grant, and what the code got is taken back", async () => {
    for (const wait of [0, 31 * SECOND]) {
      const { answer, tokens } = await client.complete(op.browser());
      clock.advance(wait);
      const again = await client.exchange(answer);
      expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
      expect(again.headers["content-type"]).toMatch(/^application\/json/);
      expect(again.body.error_description ?? "").toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/);
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      expect((await op.browser().get(op.path(op.metadata.userinfo_endpoint), { headers })).status).toBe(401);
      clock.reset();
    }
  });

  test("oidcc-ensure-registered-redirect-uri: our page, without a redirect", async () => {
    const { page, left } = await walk(
      op.browser(),
      BASE,
      client.url({ redirect_uri: "https://suite.example/test/a/gatehouse/callback/invalid" }),
    );
    expect([left, page.status]).toEqual([null, 400]);
    expect(page.text).toContain("redirect_uri");
  });

  test("oidcc-ensure-post-request-succeeds", async () => {
    const browser = op.browser();
    const url = new URL(client.url({ state: "posted" }), BASE);
    const posted = await browser.request("POST", url.pathname, { form: Object.fromEntries(url.searchParams), csrf: false });
    const { page } = await walk(browser, BASE, posted);
    expect(page.text).toContain('name="password"');
  });

  test("oidcc-server-client-secret-post", async () => {
    const own = await registerClient(op, { token_endpoint_auth_method: "client_secret_post" }, undefined, mode);
    await own.complete(op.browser());
  });

  test("oidcc-claims-essential: in userinfo, where it was requested, and nowhere else", async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const { userinfo } = await client.complete(op.browser(), { claims });
    expect(userinfo.name).toBe("Ada Lovelace");
  });

  test("oidcc-refresh-token: a new ID token of the same sign-in; not for another client", async () => {
    const members = { grant_types: ["authorization_code", "refresh_token"] };
    const [one, two] = [await registerClient(op, members, undefined, mode), await registerClient(op, members, undefined, mode)];
    const browser = op.browser();
    const scope = { scope: "openid offline_access", prompt: "consent" };
    const first = await one.complete(browser, scope);
    expect(first.tokens.refresh_token).toMatch(/^[\x20-\x7e]{22,}$/);
    clock.advance(2 * SECOND);
    const form = { grant_type: "refresh_token", refresh_token: first.tokens.refresh_token, scope: "openid offline_access" };
    const renewed = await one.token(form);
    expect(renewed.status, renewed.text).toBe(200);
    expect(renewed.headers["cache-control"]).toContain("no-store");
    expect(renewed.body.access_token).not.toBe(first.tokens.access_token);
    const again = await one.checkIdToken(renewed.body.id_token, { nonce: first.idToken.nonce as string });
    const same = ["iss", "sub", "aud", "auth_time", "azp"] as const;
    for (const claim of same) expect(again[claim], claim).toEqual(first.idToken[claim]);
    expect(again.iat).toBeGreaterThan(first.idToken.iat!);
    const other = await two.complete(browser, scope);
    const stolen = await one.token({ grant_type: "refresh_token", refresh_token: other.tokens.refresh_token });
    expect([stolen.status, stolen.body.error]).toEqual([400, "invalid_grant"]);
  });

  test("oidcc-ensure-request-with-valid-pkce-succeeds", async () => {
    const code_verifier = randomBytes(32).toString("base64url");
    const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
    const answer = await client.authorize(op.browser(), { code_challenge, code_challenge_method: "S256" });
    const form = { grant_type: "authorization_code", code: answer.get("code")!, redirect_uri: REDIRECT };
    expect((await client.token({ ...form, code_verifier })).status).toBe(200);
  });
});
