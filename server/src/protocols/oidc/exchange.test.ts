import { decodeJwt, decodeProtectedHeader } from "jose";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, MINUTE } from "../../kernel/clock.ts";
import { isId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty, walk } from "../../testing/relying-party.ts";

let iam: Harness;
let base: string;
beforeAll(async () => {
  iam = await harness();
  await iam.server.jobs.stop(); // the clean-up would take the moved clock at its word
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

type Params = Record<string, string>;
type Way = "own" | "engine";
/** A parameter that only the engine knows, and that changes nothing: the resource that is meant anyway. */
const by = (way: Way, realm: RealmUnderTest): Params => (way === "own" ? {} : { resource: `${base}/realms/${realm.name}` });

/** The engine's ids are longer. */
const wayOf = (answer: Answer): Way => (isId(String(decodeJwt(answer.body.access_token).jti)) ? "own" : "engine");

interface Visit {
  readonly realm: RealmUnderTest;
  readonly party: Party;
  readonly browser: Browser;
  readonly params: Params;
}

const codeFor = async ({ party, browser, params }: Visit) =>
  (await walk(browser, base, party.url(params))).left?.searchParams.get("code") ?? "";

const exchange = async (visit: Visit, way: Way, more: Params = {}): Promise<Answer> =>
  visit.party.post("/token", {
    grant_type: "authorization_code",
    code: await codeFor(visit),
    redirect_uri: CALLBACK,
    code_verifier: visit.party.verifier,
    ...by(way, visit.realm),
    ...more,
  });

const refresh = ({ party, realm }: Visit, way: Way, refresh_token: string, more: Params = {}): Promise<Answer> =>
  party.post("/token", { grant_type: "refresh_token", refresh_token, ...by(way, realm), ...more });

/** What differs from one token to the next, in words. */
function claimsIn(jwt: string | undefined) {
  if (jwt === undefined) return null;
  const { jti, iat = 0, exp = 0, gid, ...claims } = decodeJwt(jwt);
  return { ...claims, jti: typeof jti, gid: typeof gid, lifetime: exp - iat, header: decodeProtectedHeader(jwt) };
}

async function storedOf({ realm }: Visit, token: string | undefined) {
  if (token === undefined) return null;
  const { rows } = await sql<{ payload: Record<string, unknown>; client_id: string; expires_at: number }>`
    select payload, client_id, expires_at from oidc_records
    where realm_id = ${realm.name} and model = 'RefreshToken' and record_id = ${sha256(token)}`.execute(iam.core.db);
  const { payload, client_id, expires_at } = rows[0]!;
  const { iat, exp, iiat, grantId, ...rest } = payload as Record<string, number>;
  // Seconds that pass between two requests are no difference.
  const minutes = (ms: number) => Math.round((ms - clock.now()) / MINUTE);
  return {
    ...rest,
    client_id,
    iiat: typeof iiat,
    grantId: typeof grantId,
    lives: minutes(expires_at),
    said: Math.round((exp! - iat!) / 60),
  };
}

const told = async (visit: Visit, { status, headers, body }: Answer) => ({
  status,
  headers: { type: headers["content-type"], cache: headers["cache-control"], vary: headers.vary },
  members: Object.keys(body).sort(),
  plain: { expires_in: body.expires_in, scope: body.scope, token_type: body.token_type },
  access: claimsIn(body.access_token),
  id: claimsIn(body.id_token),
  stored: await storedOf(visit, body.refresh_token),
});

async function expectSame(visit: Visit, own: Answer, engine: Answer): Promise<void> {
  expect([own.status, engine.status], `${own.text} ${engine.text}`).toEqual([200, 200]);
  expect([wayOf(own), wayOf(engine)]).toEqual(["own", "engine"]);
  expect(await told(visit, own)).toEqual(await told(visit, engine));
}

const web = { publicClient: false, grantTypes: ["authorization_code", "refresh_token"] };
const everything = "openid profile email roles groups organizations address phone";

const cases: Record<string, { readonly client: Record<string, unknown>; readonly params: Params }> = {
  "a web application with a secret": { client: web, params: { scope: everything, nonce: "n-1" } },
  "an application without a secret": { client: {}, params: { scope: "openid email", nonce: "n-2" } },
  "one that stays when the session ends": { client: web, params: { scope: "openid offline_access profile" } },
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
  },
  "people known by their name": { client: { ...web, subjectClaim: { strategy: "username" } }, params: { scope: "openid" } },
  "people known by a pairwise subject": { client: { ...web, subjectClaim: { strategy: "pairwise" } }, params: { scope: "openid roles" } },
};

const visitFor = async (client: Record<string, unknown>, params: Params): Promise<Visit & { user: { userId: string } }> => {
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

describe("the own handler answers as the engine does", () => {
  test.each(Object.entries(cases))("%s", async (_name, { client, params }) => {
    const visit = await visitFor(client, params);
    const before = await counted();
    const own = await exchange(visit, "own");
    const between = await counted();
    const engine = await exchange(visit, "engine");
    await expectSame(visit, own, engine);
    expect(between - before).toBe((await counted()) - between);
    if (own.body.refresh_token === undefined) return;

    // Each reads what the other wrote.
    const ownNext = await refresh(visit, "own", engine.body.refresh_token);
    const engineNext = await refresh(visit, "engine", own.body.refresh_token);
    await expectSame(visit, ownNext, engineNext);
    const [first = ""] = String(params.scope).split(" ");
    const less = { scope: first };
    const ownLess = await refresh(visit, "own", engineNext.body.refresh_token, less);
    const engineLess = await refresh(visit, "engine", ownNext.body.refresh_token, less);
    await expectSame(visit, ownLess, engineLess);
    // Narrowed once is not narrowed for ever.
    await expectSame(
      visit,
      await refresh(visit, "own", engineLess.body.refresh_token),
      await refresh(visit, "engine", ownLess.body.refresh_token),
    );
  });

  test("where an administrator plays the user", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const admin = await realm.admin();
    const { url } = (await admin.post(`/users/${user.userId}/impersonate`)).body;
    await admin.browser.get(String(url).replace(base, ""));
    const visit: Visit = { realm, party, browser: admin.browser, params: { scope: "openid" } };
    const own = await exchange(visit, "own");
    await expectSame(visit, own, await exchange(visit, "engine"));
    expect(decodeJwt(own.body.access_token).act).toMatchObject({ preferred_username: "admin" });
  });

  test("also to a secret in the header", async () => {
    const visit = await visitFor(web, { scope: "openid" });
    const authorization = `Basic ${Buffer.from(`${visit.party.clientId}:${visit.party.secret}`).toString("base64")}`;
    const ask = async (way: Way) =>
      iam.browser().request("POST", `/realms/${visit.realm.name}/token`, {
        form: {
          grant_type: "authorization_code",
          code: await codeFor(visit),
          redirect_uri: CALLBACK,
          code_verifier: visit.party.verifier,
          ...by(way, visit.realm),
        },
        headers: { authorization },
        csrf: false,
      });
    await expectSame(visit, await ask("own"), await ask("engine"));
  });
});

test("a page of the client's own origin is answered past the engine; one of another is refused, and uses nothing up", async () => {
  const visit = await visitFor({ ...web, webOrigins: ["https://spa.example"] }, { scope: "openid" });
  const { body: first } = await exchange(visit, "own");
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
  expect(wayOf(own)).toBe("own");
});

describe("what is not plain is the engine's", () => {
  test("a claims parameter, another resource, a code without a redirect URI", async () => {
    const visit = await visitFor(web, { scope: "openid" });
    const asking = { ...visit, params: { scope: "openid", claims: JSON.stringify({ id_token: { email: null } }) } };
    const withClaims = await exchange(asking, "own");
    expect([withClaims.status, wayOf(withClaims)]).toEqual([200, "engine"]);
    expect(wayOf(await refresh(visit, "own", withClaims.body.refresh_token))).toBe("engine");
    expect(wayOf(await exchange(visit, "own", { redirect_uri: "" }))).toBe("engine");
    expect(wayOf(await exchange(visit, "own"))).toBe("own");
  });

  test("and so is every refusal: nothing is used up by one", async () => {
    const visit = await visitFor(web, { scope: "openid offline_access" });
    const form = async (more: Params) => ({
      grant_type: "authorization_code",
      code: await codeFor(visit),
      redirect_uri: CALLBACK,
      code_verifier: visit.party.verifier,
      ...more,
    });
    const asked = await form({});
    for (const wrong of [
      { redirect_uri: "https://app.example/" },
      { code_verifier: "x".repeat(43) },
      { code_verifier: "" },
      { client_secret: "wrong" },
      { client_secret: "" },
      { client_id: "nobody" },
    ] as Params[])
      expect((await visit.party.post("/token", { ...asked, ...wrong })).body.error).toMatch(/^invalid_/);
    const { status, body } = await visit.party.post("/token", asked);
    expect(status).toBe(200);
    for (const wrong of [{ scope: "openid email" }, { client_secret: "wrong" }] as Params[])
      expect((await refresh(visit, "own", body.refresh_token, wrong)).status).toBeGreaterThanOrEqual(400);
    expect((await refresh(visit, "own", body.refresh_token)).status).toBe(200);
  });

  test("a client that must bind its tokens to a key gets none without", async () => {
    const visit = await visitFor(web, { scope: "openid" });
    const { body } = await exchange(visit, "own");
    const known = (await visit.realm.asMaster().get(`/clients/${visit.party.id}`)).body;
    expect((await visit.realm.asMaster().put(`/clients/${visit.party.id}`, { ...known, requireDpop: true })).status).toBe(200);
    expect((await refresh(visit, "own", body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await exchange(visit, "own")).body.error).toBe("invalid_grant");
  });
});

test("a grant without a session lives for as long as its refresh token is used", async () => {
  const visit = await visitFor(web, { scope: "openid offline_access" });
  let { body } = await exchange(visit, "own");
  for (let n = 0; n < 3; n++) {
    clock.advance(29 * DAY);
    const answer = await refresh(visit, "own", body.refresh_token);
    expect([answer.status, wayOf(answer)]).toEqual([200, "own"]);
    body = answer.body;
  }
  clock.advance(31 * DAY);
  expect((await refresh(visit, "own", body.refresh_token)).body.error).toBe("invalid_grant");
});
