import { decodeJwt, decodeProtectedHeader } from "jose";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, SECOND } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

type Params = Record<string, string>;

interface Visit {
  readonly realm: RealmUnderTest;
  readonly party: Party;
  readonly browser: Browser;
  readonly params: Params;
  readonly user: { readonly userId: string; readonly username: string };
}

const codeFor = async ({ party, browser, params }: Omit<Visit, "user">) =>
  (await walk(browser, base, party.url(params))).left?.searchParams.get("code") ?? "";

const exchange = async (visit: Omit<Visit, "user">, more: Params = {}): Promise<Answer> =>
  visit.party.post("/token", {
    grant_type: "authorization_code",
    code: await codeFor(visit),
    redirect_uri: CALLBACK,
    code_verifier: visit.party.verifier,
    ...more,
  });

const refresh = ({ party }: Pick<Visit, "party">, refresh_token: string, more: Params = {}): Promise<Answer> =>
  party.post("/token", { grant_type: "refresh_token", refresh_token, ...more });

async function storedOf({ realm }: Visit, token: string) {
  const { rows } = await sql<{ payload: Record<string, unknown>; client_id: string; expires_at: number }>`
    select payload, client_id, expires_at from oidc_records
    where realm_id = ${realm.name} and model = 'RefreshToken' and record_id = ${sha256(token)}`.execute(iam.core.db);
  return rows[0]!;
}

const web = { publicClient: false, grantTypes: ["authorization_code", "refresh_token"] };
const everything = "openid profile email roles groups organizations address phone";

interface Case {
  readonly client: Record<string, unknown>;
  readonly params: Params;
  /** The differences from the default. */
  readonly expected?: {
    readonly access?: object;
    /** The claims of the ID token, if all scopes are requested. */
    readonly id?: object;
    readonly roles?: readonly string[];
    readonly seconds?: { readonly access?: number; readonly id?: number; readonly refresh?: number };
    readonly algs?: readonly [access: string, id: string];
    readonly offline?: boolean;
    /** OpenID Connect Core §5.4: userinfo returns the claims of scopes. */
    readonly lean?: boolean;
  };
}

const cases: Record<string, Case> = {
  "a web application with a secret": {
    client: web,
    params: { scope: everything, nonce: "n-1" },
    expected: {
      id: { nonce: "n-1", preferred_username: expect.any(String) },
      roles: ["user"],
    },
  },
  "an application without a secret": { client: {}, params: { scope: "openid email", nonce: "n-2" }, expected: { id: { nonce: "n-2" } } },
  "one that stays when the session ends": {
    client: web,
    params: { scope: "openid offline_access profile" },
    expected: { offline: true, seconds: { refresh: (30 * DAY) / SECOND } },
  },
  "one that gets no refresh tokens": { client: { ...web, grantTypes: ["authorization_code"] }, params: { scope: "openid profile" } },
  "one that does not ask who it is": { client: web, params: { scope: "email roles" } },
  "other algorithms, lifetimes and audiences": {
    client: {
      ...web,
      accessTokenAlg: "ES256",
      idTokenAlg: "PS256",
      accessTokenLifetime: 77,
      idTokenLifetime: 88,
      refreshTokenLifetime: 6000,
      audience: ["https://api.example", "https://other.example"],
    },
    params: { scope: "openid profile" },
    expected: {
      access: { aud: [expect.stringContaining("/realms/"), "https://api.example", "https://other.example"] },
      seconds: { access: 77, id: 88, refresh: 6000 },
      algs: ["ES256", "PS256"],
    },
  },
  "one whose ID tokens hold no claims of scopes": {
    client: { ...web, claimsInIdToken: false },
    params: { scope: everything, nonce: "n-3" },
    expected: { id: { nonce: "n-3" }, lean: true, roles: ["user"] },
  },
  "people known by their name": { client: { ...web, subjectClaim: { strategy: "username" } }, params: { scope: "openid" } },
  "people known by a pairwise subject": { client: { ...web, subjectClaim: { strategy: "pairwise" } }, params: { scope: "openid roles" } },
};

const PROTOCOL_CLAIMS = ["iss", "aud", "sub", "sid", "acr", "amr", "auth_time", "exp", "iat", "nonce"];

/** Checks everything in a response and in the stored records. */
async function expectTokens(visit: Visit, { client, expected = {} }: Case, answer: Answer, scope: string, rotations: number | null) {
  const { status, headers, body, text } = answer;
  const { realm, party, user } = visit;
  expect(status, text).toBe(200);
  expect(headers).toMatchObject({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store", vary: "Origin" });
  const asksWho = scope.split(" ").includes("openid");
  const seconds = { access: 300, id: 300, ...expected.seconds };
  expect(body).toEqual({
    access_token: expect.any(String),
    expires_in: seconds.access,
    scope: expect.any(String),
    token_type: "Bearer",
    ...(asksWho && { id_token: expect.any(String) }),
    ...(rotations !== null && { refresh_token: expect.any(String) }),
  });
  expect(body.scope.split(" ").sort()).toEqual(scope.split(" ").sort());
  const issuer = `${base}/realms/${realm.name}`;
  const strategy = (client.subjectClaim as { strategy: string } | undefined)?.strategy ?? "userId";
  const sub = { userId: user.userId, username: user.username, pairwise: expect.not.stringContaining(user.userId) }[strategy];
  const [accessAlg, idAlg] = expected.algs ?? ["RS256", "RS256"];

  const access = decodeJwt(body.access_token);
  expect(decodeProtectedHeader(body.access_token)).toEqual({ alg: accessAlg, typ: "at+jwt", kid: expect.any(String) });
  expect(access).toMatchObject({
    ...{ iss: issuer, aud: issuer, sub, client_id: party.clientId, scope: body.scope, jti: expect.any(String), gid: expect.any(String) },
    ...expected.access,
    ...(scope === visit.params.scope && expected.roles && { roles: expected.roles }),
  });
  expect(access.exp! - access.iat!).toBe(seconds.access);
  expect(access.sid).toEqual(expect.any(String));
  if (asksWho) {
    const id = decodeJwt(body.id_token);
    expect(decodeProtectedHeader(body.id_token)).toEqual({ alg: idAlg, kid: expect.any(String) });
    expect(id).toMatchObject({
      ...{ iss: issuer, aud: party.clientId, sub, sid: access.sid, acr: "1", amr: ["pwd"], auth_time: expect.any(Number) },
      ...(scope === visit.params.scope && expected.id),
    });
    expect(id.exp! - id.iat!).toBe(seconds.id);
    if (expected.lean)
      expect(
        Object.keys(id).filter((name) => !PROTOCOL_CLAIMS.includes(name)),
        "only what the protocol itself says",
      ).toEqual([]);
  }
  if (rotations === null) return;
  const { payload, client_id, expires_at } = await storedOf(visit, body.refresh_token);
  expect(client_id).toBe(party.clientId);
  // This is the shape that the previous release reads.
  expect(payload).toMatchObject({
    ...{ kind: "RefreshToken", accountId: user.userId, clientId: party.clientId, grantId: access.gid, resource: issuer, rotations },
    gty: rotations === 0 ? "authorization_code" : "authorization_code refresh_token",
    iiat: expect.any(Number),
  });
  expect(String(payload.scope).split(" ").sort()).toEqual(visit.params.scope!.split(" ").sort());
  expect(Object.keys(payload)).not.toContain("jti");
  const lives = Math.round((expires_at - clock.now()) / SECOND);
  expect(Number(payload.exp) - Number(payload.iat)).toBeCloseTo(lives, -1);
  if (seconds.refresh !== undefined) expect(lives).toBeCloseTo(seconds.refresh, -1);
}

const visitFor = async (client: Record<string, unknown>, params: Params): Promise<Visit> => {
  const realm = await iam.realm();
  const party = await relyingParty(iam, realm, client);
  const user = await realm.user();
  const browser = iam.browser();
  expect((await party.signIn(browser, user, params)).status).toBe(200);
  return { realm, party, browser, params, user };
};

const counted = async (): Promise<number> =>
  [
    ...(await iam.core.metrics.registry.metrics()).matchAll(
      /^svc_tokens_issued_total\{.*grant_type="(?:authorization_code|refresh_token)".*\} (\d+)$/gm,
    ),
  ]
    .map(([, count]) => Number(count))
    .reduce((sum, each) => sum + each, 0);

describe("a code, and its refresh tokens", () => {
  test.each(Object.entries(cases))("%s", async (_name, each) => {
    const { client, params } = each;
    const visit = await visitFor(client, params);
    const refreshes = (client.grantTypes as string[] | undefined)?.includes("refresh_token") ?? true;
    const before = await counted();
    const first = await exchange(visit);
    await expectTokens(visit, each, first, params.scope!, refreshes ? 0 : null);
    const given = ["access_token", "id_token", "refresh_token"].filter((name) => name in first.body).length;
    expect((await counted()) - before).toBe(given);
    if (!refreshes) return;

    const second = await refresh(visit, first.body.refresh_token);
    await expectTokens(visit, each, second, params.scope!, 1);
    const [less = ""] = params.scope!.split(" ");
    const narrowed = await refresh(visit, second.body.refresh_token, { scope: less });
    await expectTokens(visit, each, narrowed, less, 2);
    // Narrowing applies to one request only, and naming the default resource changes nothing.
    const resource = `${base}/realms/${visit.realm.name}`;
    await expectTokens(visit, each, await refresh(visit, narrowed.body.refresh_token, { resource }), params.scope!, 3);
  });

  test("while an administrator impersonates the user", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const admin = await realm.admin();
    const { url } = (await admin.post(`/users/${user.userId}/impersonate`)).body;
    await admin.browser.get(String(url).replace(base, ""));
    const { status, body } = await exchange({ realm, party, browser: admin.browser, params: { scope: "openid" } });
    expect(status).toBe(200);
    expect(decodeJwt(body.access_token).act).toEqual({ sub: admin.userId, preferred_username: "admin" });
  });

  test("also by a secret in the header", async () => {
    const visit = await visitFor(web, { scope: "openid" });
    const authorization = `Basic ${Buffer.from(`${visit.party.clientId}:${visit.party.secret}`).toString("base64")}`;
    const answer = await iam.browser().request("POST", `/realms/${visit.realm.name}/token`, {
      form: {
        grant_type: "authorization_code",
        code: await codeFor(visit),
        redirect_uri: CALLBACK,
        code_verifier: visit.party.verifier,
      },
      headers: { authorization },
      csrf: false,
    });
    await expectTokens(visit, { client: web, params: visit.params }, answer, "openid", 0);
  });

  test("with claims that were requested one by one, also after a refresh", async () => {
    const visit = await visitFor(web, { scope: "openid" });
    const claims = JSON.stringify({ id_token: { preferred_username: null }, userinfo: { preferred_username: null } });
    const { body } = await exchange({ ...visit, params: { scope: "openid", claims } });
    const next = (await refresh(visit, body.refresh_token)).body;
    for (const tokens of [body, next]) {
      expect(decodeJwt(tokens.id_token).preferred_username).toBe(visit.user.username);
      expect(decodeJwt(tokens.access_token).userinfo_claims).toEqual(["preferred_username"]);
    }
  });

  test("without a redirect URI, where the client has registered one only", async () => {
    const visit = await visitFor(web, { scope: "openid" });
    expect((await exchange(visit, { redirect_uri: "" })).status).toBe(200);
    const two = await visitFor({ ...web, redirectUris: [CALLBACK, "https://app.example/other"] }, { scope: "openid" });
    expect((await exchange(two, { redirect_uri: "" })).body).toMatchObject({ error: "invalid_request" });
  });
});

test("a page of the client's own origin is answered; one of another origin is refused, and consumes nothing", async () => {
  const visit = await visitFor({ ...web, webOrigins: ["https://spa.example"] }, { scope: "openid" });
  const { body: first } = await exchange(visit);
  const from = (origin: string, form: Params) =>
    iam.browser().request("POST", `/realms/${visit.realm.name}/token`, {
      form: { client_id: visit.party.clientId, client_secret: visit.party.secret ?? "", ...form },
      headers: { origin },
      csrf: false,
    });
  const form = { grant_type: "refresh_token", refresh_token: first.refresh_token };
  const evil = await from("https://evil.example", form);
  expect([evil.status, evil.body.error, evil.headers["access-control-allow-origin"]]).toEqual([400, "invalid_request", undefined]);
  const own = await from("https://spa.example", form);
  expect([own.status, own.headers["access-control-allow-origin"], own.headers.vary]).toEqual([200, "https://spa.example", "Origin"]);
});

describe("refusals", () => {
  test("consume nothing", async () => {
    const visit = await visitFor(web, { scope: "openid offline_access" });
    const form = async (more: Params) => ({
      grant_type: "authorization_code",
      code: await codeFor(visit),
      redirect_uri: CALLBACK,
      code_verifier: visit.party.verifier,
      ...more,
    });
    const requested = await form({});
    for (const wrong of [
      { redirect_uri: "https://app.example/" },
      { code_verifier: "x".repeat(43) },
      { code_verifier: "" },
      { client_secret: "wrong" },
      { client_secret: "" },
      { client_id: "nobody" },
    ] as Params[])
      expect((await visit.party.post("/token", { ...requested, ...wrong })).body.error).toMatch(/^invalid_/);
    const { status, body } = await visit.party.post("/token", requested);
    expect(status).toBe(200);
    for (const wrong of [{ scope: "openid email" }, { client_secret: "wrong" }] as Params[])
      expect((await refresh(visit, body.refresh_token, wrong)).status).toBeGreaterThanOrEqual(400);
    expect((await refresh(visit, body.refresh_token)).status).toBe(200);
  });

  test("a client that must bind its tokens to a key gets none without a proof", async () => {
    const visit = await visitFor(web, { scope: "openid" });
    const { body } = await exchange(visit);
    const known = (await visit.realm.asMaster().get(`/clients/${visit.party.id}`)).body;
    expect((await visit.realm.asMaster().put(`/clients/${visit.party.id}`, { ...known, requireDpop: true })).status).toBe(200);
    expect((await refresh(visit, body.refresh_token)).body.error).toBe("invalid_dpop_proof");
    expect((await exchange(visit)).body.error).toBe("invalid_dpop_proof");
  });
});

test("a grant without a session lives for as long as its refresh token is used", async () => {
  const visit = await visitFor(web, { scope: "openid offline_access" });
  let { body } = await exchange(visit);
  for (let n = 0; n < 3; n++) {
    clock.advance(29 * DAY);
    const answer = await refresh(visit, body.refresh_token);
    expect(answer.status).toBe(200);
    body = answer.body;
  }
  clock.advance(31 * DAY);
  expect((await refresh(visit, body.refresh_token)).body.error).toBe("invalid_grant");
});
