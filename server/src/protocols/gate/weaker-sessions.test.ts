import { readdirSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { allowMessages, outbox } from "../../testing/outbox.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { serviceProvider } from "../../testing/service-provider.ts";
import { answerPage, followed } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";

// One function judges a session by its proofs at each use (`standingOf` in signin/run/position.ts). Here an administrator with an
// authenticator app signs in to a client whose flow requires only the password, and tries every endpoint with that session.

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness({ GATEHOUSE_MODE: "development" });
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const PASSWORD = "a password for tests";
const WEAK = [403, "auth.insufficient_authentication"];
const step = (authenticator: string, requirement = "REQUIRED") => ({ authenticator, requirement });
const refusal = ({ status, body }: Answer) => [status, body?.code];
const by = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const exchanging = (token: string) => ({
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  ...{ subject_token: token, subject_token_type: ACCESS_TOKEN },
});
const unproven = ({ status, body }: Answer) => [status, body.error_description];
const UNPROVEN = [400, "the user of subject_token has not proven enough to sign in to this client"];
/** Tells whether the page asks for the password, which a mailed link has not proven, or for the code of the app. */
const asksMore = ({ page, left }: { page: Answer; left: URL | null }) => left === null && /name="(code|password)"/.test(page.text);
const asksForCode = ({ page, left }: { page: Answer; left: URL | null }) => left === null && page.text.includes('name="code"');

/** A session that proves less than the realm's own flow requires of its user. */
interface Begun {
  readonly realm: RealmUnderTest;
  readonly username: string;
  readonly userId: string;
  readonly code: () => string;
  readonly browser: Browser;
}

interface Weak extends Begun {
  /** The client with the weak flow, and its token. */
  readonly quick: Party;
  readonly token: string;
}

async function weaker(): Promise<Weak> {
  const realm = await iam.realm();
  await allowMessages(realm);
  const boss = realm.asMaster();
  expect((await boss.post("/flows", { alias: "weak", steps: [step("username-password")] })).status).toBe(201);
  const { username, userId } = await realm.as("realm-admin");
  const quick = await relyingParty(iam, realm, {
    ...{ clientId: "quick", browserFlow: "weak", publicClient: false, grantTypes: ["authorization_code", "refresh_token"] },
    ...{ firstParty: true, scopes: ["openid", "account", "offline_access"] },
  });
  expect((await boss.put(`/clients/${quick.id}/allowed-resources`, { allowedResources: [`${base}/admin`] })).status).toBe(200);
  const code = await giveTotp(iam, realm.name, userId);
  const browser = iam.browser();
  const admin = { resource: `${base}/admin` };
  const issued = await quick.signIn(browser, { username, password: PASSWORD }, admin);
  expect(issued.status, issued.text).toBe(200);
  return { realm, username, userId, code, browser, quick, token: issued.body.access_token };
}

const lastLink = async (realm: RealmUnderTest): Promise<string> => {
  const { pathname, search } = new URL(/https?:\/\/\S+/.exec((await outbox(iam, realm)).at(-1)!.text)![0]);
  return pathname + search;
};
const addressOf = (username: string) => `${username}@example.org`;

/** Begins such a session by a mailed link, for a client on the built-in flow without a password. */
async function mailedLink(): Promise<Begun> {
  const realm = await iam.realm();
  await allowMessages(realm);
  const { username, userId } = await realm.as("realm-admin");
  expect((await realm.asMaster().patch(`/users/${userId}`, { email: addressOf(username) })).status).toBe(200);
  const code = await giveTotp(iam, realm.name, userId);
  const steps = [step("username"), step("magic-link")];
  expect((await realm.asMaster().post("/flows", { alias: "mailed-link", steps })).status).toBe(201);
  const app = await relyingParty(iam, realm, { clientId: "letters", browserFlow: "mailed-link" });
  const browser = iam.browser();
  const { page } = await walk(browser, base, app.url());
  const asked = await answerPage(browser, realm.name, page, { username });
  await followed(browser, asked);
  const link = new URL(await lastLink(realm), base);
  await browser.get(link.pathname + link.search);
  const form = { ...Object.fromEntries(link.searchParams), _csrf: browser.cookies.get("XSRF-TOKEN") ?? "" };
  expect((await browser.request("POST", link.pathname, { form, csrf: false })).status).toBe(200);
  const { left } = await walk(browser, base, String(asked.headers.location));
  expect(left?.searchParams.get("code"), "the link alone opens the client").toBeTruthy();
  return { realm, username, userId, code, browser };
}

/** The places that accept a session's cookie. */
const cookieDoors: Record<string, (begun: Begun) => Promise<void>> = {
  "the admin API, by cookie": async ({ browser, realm }) => {
    const answer = await browser.get(`/admin/realms/${realm.name}/users`);
    expect(refusal(answer)).toEqual(WEAK);
    expect(answer.headers["www-authenticate"]).toContain('error="insufficient_user_authentication"');
    expect(answer.body.stepUpUrl).toBe(`${base}/realms/${realm.name}/login/step-up`);
  },
  "the account API": async ({ browser, realm }) => {
    for (const path of ["/profile", "/sessions", "/credentials"])
      expect(refusal(await browser.get(`/realms/${realm.name}/account${path}`))).toEqual(WEAK);
    expect(refusal(await browser.post(`/realms/${realm.name}/account/linked-accounts/acme`))).toEqual(WEAK);
  },
  "the step cookie of the realm's own flow": async ({ browser, realm }) => {
    const app = await relyingParty(iam, realm);
    expect((await walk(browser, base, app.url({ prompt: "none" }))).left?.searchParams.get("error")).toBe("login_required");
    expect(asksMore(await walk(browser, base, app.url()))).toBe(true);
  },
  "a SAML client": async ({ browser, realm }) => {
    const sp = await serviceProvider(iam, realm);
    expect(asksMore(await walk(browser, base, (await sp.request()).url))).toBe(true);
  },
  "a device's request": async ({ browser, realm }) => {
    const tv = await relyingParty(iam, realm, { clientId: "tv", grantTypes: ["device"], redirectUris: [] });
    const { user_code } = (await tv.post("/device/authorize", { scope: "openid" })).body;
    const { page } = await walk(browser, base, `/realms/${realm.name}/device?user_code=${user_code}`);
    expect(asksMore(await submit(browser, base, page, { user_code }))).toBe(true);
    expect(asksMore(await submit(browser, base, page, { user_code, decision: "allow" }))).toBe(true);
  },
  "a CIBA request": async ({ browser, realm, username }) => {
    const shop = await relyingParty(iam, realm, { clientId: "shop", grantTypes: ["CIBA"], publicClient: false, redirectUris: [] });
    const asked = await shop.post("/backchannel/authorize", { scope: "openid", login_hint: username });
    expect(asked.status, asked.text).toBe(200);
    const list = await browser.get(`/realms/${realm.name}/ciba`);
    const { page } = await walk(browser, base, /href="(\/realms\/[^"]+\/ciba\/[^"]+)"/.exec(list.text)![1]!);
    expect(asksMore(await submit(browser, base, page, { decision: "allow" }))).toBe(true);
  },
  "QR and push approval": async ({ browser, realm }) => {
    const json = { headers: { accept: "application/json" } };
    const qr = `/realms/${realm.name}/qr/${newId()}`;
    expect(refusal(await browser.get(qr, json))).toEqual(WEAK);
    expect(asksMore(await walk(browser, base, await browser.get(qr, { headers: { accept: "text/html" } })))).toBe(true);
    expect(refusal(await browser.get(`/realms/${realm.name}/push/${newId()}`, json))).toEqual([403, "devices.weak_session"]);
  },
  "an invitation": async ({ browser, realm, username, userId }) => {
    await realm.asMaster().patch(`/users/${userId}`, { email: addressOf(username) });
    const { organizationId } = (await realm.asMaster().post("/organizations", { name: "Acme" })).body;
    const invited = await realm.asMaster().post(`/organizations/${organizationId}/invitations`, { email: addressOf(username) });
    expect(invited.status, invited.text).toBe(201);
    const path = await lastLink(realm);
    const page = await browser.get(path);
    expect(page.text).toContain("Accept the invitation");
    expect(asksMore(await submit(browser, base, page, {}))).toBe(true);
    expect((await realm.asMaster().get(`/organizations/${organizationId}/members`)).body).toEqual([]);
  },
};

/** The places that accept a token of the session. */
const tokenDoors: Record<string, (weak: Weak) => Promise<void>> = {
  "the admin API, by a token": async ({ realm, token }) => {
    expect(refusal(await realm.anonymous().get("/users", by(token)))).toEqual(WEAK);
    expect(refusal(await realm.anonymous().post("/users", { username: "mallory", roles: ["admin"] }, by(token)))).toEqual(WEAK);
  },
  "the admin API, by a token without a session, whatever its user has proven": async ({ realm }) => {
    const { username } = await realm.as("realm-admin");
    const nightly = await relyingParty(iam, realm, {
      ...{ clientId: "nightly", publicClient: false, grantTypes: ["authorization_code", "refresh_token", "password"] },
      scopes: ["openid", "offline_access"],
    });
    const resource = `${base}/admin`;
    expect((await realm.asMaster().put(`/clients/${nightly.id}/allowed-resources`, { allowedResources: [resource] })).status).toBe(200);
    const browser = iam.browser();
    const { page } = await walk(browser, base, nightly.url({ resource, scope: "openid offline_access", prompt: "consent" }));
    const asked = await submit(browser, base, page, { username, password: PASSWORD });
    const offline = await nightly.exchange((await submit(browser, base, asked.page, { decision: "allow" })).left);
    expect(offline.body.scope, offline.text).toContain("offline_access");
    const direct = await nightly.post("/token", { grant_type: "password", username, password: PASSWORD, resource });
    for (const { status, text, body } of [offline, direct]) {
      expect(status, text).toBe(200);
      expect(JSON.parse(Buffer.from(body.access_token.split(".")[1], "base64url").toString()).aud).toContain(resource);
      expect(refusal(await realm.anonymous().get("/users", by(body.access_token)))).toEqual([401, "auth.bearer"]);
    }
  },
  "the account API, by a token": async ({ browser, realm, quick, username }) => {
    const { body } = await quick.signIn(browser, { username, password: PASSWORD }, { scope: "openid account" });
    expect(refusal(await iam.browser().get(`/realms/${realm.name}/account/profile`, by(body.access_token)))).toEqual(WEAK);
  },
  "token exchange": async ({ browser, realm, username, quick }) => {
    const api = await relyingParty(iam, realm, {
      ...{ clientId: "api", publicClient: false, grantTypes: ["token-exchange"], redirectUris: [] },
    });
    const { body: client } = await realm.asMaster().get(`/clients/${quick.id}`);
    expect((await realm.asMaster().put(`/clients/${quick.id}`, { ...client, audience: ["api"] })).status).toBe(200);
    const { body } = await quick.signIn(browser, { username, password: PASSWORD });
    expect(unproven(await api.post("/token", exchanging(body.access_token)))).toEqual(UNPROVEN);
  },
  "token exchange and the account API, by a token of the password grant": async ({ realm, username }) => {
    const legacy = await relyingParty(iam, realm, {
      ...{ clientId: "legacy", publicClient: false, grantTypes: ["password"], directGrantFlow: "weak", redirectUris: [] },
      ...{ audience: ["backend"], firstParty: true, scopes: ["openid", "account"] },
    });
    const api = await relyingParty(iam, realm, {
      ...{ clientId: "backend", publicClient: false, grantTypes: ["token-exchange"], redirectUris: [] },
    });
    const signIn = async (name: string) => {
      const form = { grant_type: "password", username: name, password: PASSWORD, scope: "openid account" };
      const { status, text, body } = await legacy.post("/token", form);
      expect(status, text).toBe(200);
      return body.access_token as string;
    };
    const profile = (token: string) => iam.browser().get(`/realms/${realm.name}/account/profile`, by(token));
    const weak = await signIn(username);
    expect(unproven(await api.post("/token", exchanging(weak)))).toEqual(UNPROVEN);
    expect(refusal(await profile(weak))).toEqual(WEAK);
    // The realm's flow requires only the password of this user.
    const enough = await signIn((await realm.user()).username);
    expect((await api.post("/token", exchanging(enough))).status).toBe(200);
    expect((await profile(enough)).status).toBe(200);
  },
  "an agent's delegation": async ({ browser, realm, username, userId, quick }) => {
    const boss = realm.asMaster();
    const agent = await relyingParty(iam, realm, {
      ...{ clientId: "robot", publicClient: false, grantTypes: ["client_credentials"], redirectUris: [] },
    });
    const { id } = (await boss.post("/agents", { name: "robot", clientId: "robot", ownerUserId: userId, scopes: ["openid"] })).body;
    expect((await boss.post(`/agents/${id}/activate`)).status).toBe(200);
    const own = (await agent.post("/token", { grant_type: "client_credentials" })).body.access_token;
    const { body } = await quick.signIn(browser, { username, password: PASSWORD });
    const actor = { actor_token: own, actor_token_type: ACCESS_TOKEN };
    expect(unproven(await agent.post("/agent/delegation/token", { ...exchanging(body.access_token), ...actor }))).toEqual(UNPROVEN);
  },
  "a resource server's question what the user may do, in any form": async ({ browser, realm, username, quick }) => {
    const boss = realm.asMaster();
    const server = await relyingParty(iam, realm, {
      ...{ clientId: "docs", publicClient: false, grantTypes: ["client_credentials", "uma-ticket"], redirectUris: [] },
    });
    const authz = `/clients/${server.id}/authz`;
    expect((await boss.put(`${authz}/settings`, { enabled: true, policyEnforcementMode: "PERMISSIVE" })).status).toBe(200);
    expect((await boss.post(`${authz}/scopes`, { name: "view" })).status).toBe(201);
    expect((await boss.post(`${authz}/resources`, { name: "a", scopes: ["view"] })).status).toBe(201);
    const { body: client } = await boss.get(`/clients/${quick.id}`);
    expect((await boss.put(`/clients/${quick.id}`, { ...client, audience: ["docs"] })).status).toBe(200);
    const { body } = await quick.signIn(browser, { username, password: PASSWORD });
    const asked = { grant_type: "urn:ietf:params:oauth:grant-type:uma-ticket", audience: "docs", permission: "a#view" };
    for (const mode of [{}, { response_mode: "decision" }, { response_mode: "permissions" }])
      expect(unproven(await server.post("/token", { ...asked, ...mode, subject_token: body.access_token }))).toEqual(UNPROVEN);
  },
  "a transaction": async ({ browser, realm, username, userId, code, quick }) => {
    // The code that signs proves the password and the app. This client requires more.
    const mailed = [step("username-password"), step("totp"), step("email-otp")];
    expect((await realm.asMaster().post("/flows", { alias: "mailed", steps: mailed })).status).toBe(201);
    const bank = await relyingParty(iam, realm, {
      ...{ clientId: "bank", browserFlow: "mailed", publicClient: false, grantTypes: ["client_credentials"], redirectUris: [] },
    });
    const own = (await bank.post("/token", { grant_type: "client_credentials" })).body.access_token;
    const input = { userId, type: "payment", summary: "Pay 1", payload: { amount: 1 } };
    const made = await iam.browser().post(`/realms/${realm.name}/tx`, input, by(own));
    expect(made.status, made.text).toBe(201);
    const { body } = await quick.signIn(browser, { username, password: PASSWORD });
    const signed = await iam
      .browser()
      .post(`/realms/${realm.name}/tx/${made.body.id}/sign`, { factor: "totp", value: code() }, by(body.access_token));
    expect(refusal(signed)).toEqual(WEAK);
  },
};

describe("a session that a client's weaker flow began", () => {
  let weak: Weak;
  beforeAll(async () => {
    weak = await weaker();
  });
  for (const [door, opens] of Object.entries({ ...cookieDoors, ...tokenDoors })) test(`does not open ${door}`, () => opens(weak));

  test("opens them once its user has proven what is missing, on the page that the refusal names", async () => {
    const { browser, realm, code, userId } = await weaker();
    const { body } = await browser.get(`/admin/realms/${realm.name}/users`);
    const { page } = await walk(browser, base, `${body.stepUpUrl}?return_to=/done`);
    const done = await answerPage(browser, realm.name, page, { code: code() });
    expect(done.headers.location).toBe("/done");
    expect((await browser.get(`/admin/realms/${realm.name}/users/${userId}`)).status).toBe(200);
    expect((await browser.get(`/realms/${realm.name}/account/profile`)).status).toBe(200);
    const elsewhere = await browser.get(`/realms/${realm.name}/login/step-up?return_to=https://evil.example/`);
    expect(elsewhere.headers.location).toMatch(/^\/realms\/[^/]+\/login\?interaction=/);
  });

  test("no longer opens them once its user has a second factor", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("realm-admin");
    expect((await admin.get("/users")).status).toBe(200);
    await giveTotp(iam, realm.name, admin.userId);
    expect(refusal(await admin.get("/users"))).toEqual(WEAK);
  });
});

describe("a session that a mailed link began", () => {
  let begun: Begun;
  beforeAll(async () => {
    begun = await mailedLink();
  });
  for (const [door, opens] of Object.entries(cookieDoors)) test(`does not open ${door}`, () => opens(begun));
});

const signedIn = async () => {
  const realm = await iam.realm();
  const [user, browser] = [await realm.user(), iam.browser()];
  await browser.signIn(realm.name, user.username, user.password);
  return { realm, user, browser };
};
/** Sets a flow of the realm without a second factor, so that only the client requires one. */
const passwordAlone = async (realm: RealmUnderTest) => {
  const plain = { displayName: "Sign in", steps: [step("cookie", "ALTERNATIVE"), step("username-password", "ALTERNATIVE")] };
  expect((await realm.asMaster().put("/flow", plain)).status).toBe(200);
};
const ALLOWED = "Your device is connected";

describe("the page of a device", () => {
  const approve = async (realm: RealmUnderTest, browser: Browser, form: Record<string, string>, members: Record<string, unknown> = {}) => {
    const tv = await relyingParty(iam, realm, { clientId: "tv", grantTypes: ["device"], redirectUris: [], ...members });
    const { user_code } = (await tv.post("/device/authorize", { scope: "openid", ...form })).body;
    const { page } = await walk(browser, base, `/realms/${realm.name}/device?user_code=${user_code}`);
    return submit(browser, base, page, { user_code, decision: "allow" });
  };
  test("asks for an essential acr, and refuses one that it cannot reach", async () => {
    const { realm, browser } = await signedIn();
    const claims = (value: string) => JSON.stringify({ id_token: { acr: { essential: true, value } } });
    const unknown = await approve(realm, browser, { claims: claims("phr") });
    expect([unknown.page.status, unknown.page.text]).toEqual([403, expect.not.stringContaining("Your device is connected")]);
    const higher = await approve(realm, browser, { claims: claims("2") }, { clientId: "tv2" });
    expect(higher.page.text).toContain("Set up a passkey");
  });

  test("asks for acr_values where the user can reach it", async () => {
    const { realm, user, browser } = await signedIn();
    expect((await approve(realm, browser, { acr_values: "2" })).page.text).toContain("Your device is connected");
    await passwordAlone(realm);
    await giveTotp(iam, realm.name, user.userId);
    expect((await approve(realm, browser, {}, { clientId: "tv2" })).page.text).toContain("Your device is connected");
    expect(asksForCode(await approve(realm, browser, { acr_values: "2" }, { clientId: "tv3" }))).toBe(true);
  });

  test("asks for open required actions first", async () => {
    const { realm, user, browser } = await signedIn();
    expect((await realm.asMaster().post(`/users/${user.userId}/required-actions`, { action: "UPDATE_PASSWORD" })).status).toBeLessThan(300);
    expect((await approve(realm, browser, {})).page.text).toContain('name="newPassword"');
  });

  test("asks for a sign-in that is no older than max_age, or made for the request", async () => {
    clock.advance(-5 * MINUTE);
    const { realm, user, browser } = await signedIn();
    clock.reset();
    expect((await approve(realm, browser, { max_age: "600" })).page.text).toContain(ALLOWED);
    const tv = await relyingParty(iam, realm, { clientId: "tv2", grantTypes: ["device"], redirectUris: [] });
    const { user_code } = (await tv.post("/device/authorize", { scope: "openid", max_age: "0" })).body;
    const { page } = await walk(browser, base, `/realms/${realm.name}/device?user_code=${user_code}`);
    const asked = await submit(browser, base, page, { user_code, decision: "allow" });
    expect(asked.page.text).toContain('name="password"');
    clock.advance(MINUTE); // however long the sign-in takes
    const back = await submit(browser, base, asked.page, { username: user.username, password: user.password });
    clock.advance(MINUTE);
    expect((await submit(browser, base, back.page, { user_code, decision: "allow" })).page.text).toContain(ALLOWED);
  });
});

describe("the page of a CIBA request", () => {
  const approve = async (
    { realm, user, browser }: Awaited<ReturnType<typeof signedIn>>,
    form: Record<string, string>,
    members: Record<string, unknown> = {},
  ) => {
    const shop = await relyingParty(iam, realm, {
      ...{ clientId: "shop", grantTypes: ["CIBA"], publicClient: false, redirectUris: [] },
      ...members,
    });
    const asked = await shop.post("/backchannel/authorize", { scope: "openid", login_hint: user.username, ...form });
    expect(asked.status, asked.text).toBe(200);
    const list = await browser.get(`/realms/${realm.name}/ciba`);
    const { page } = await walk(browser, base, /href="(\/realms\/[^"]+\/ciba\/[^"]+)"/.exec(list.text)![1]!);
    return submit(browser, base, page, { decision: "allow" });
  };
  const answer = ({ page }: Awaited<ReturnType<typeof approve>>) => page.text;

  test("asks for acr_values where the user can reach it", async () => {
    const situation = await signedIn();
    await passwordAlone(situation.realm);
    await giveTotp(iam, situation.realm.name, situation.user.userId);
    expect(answer(await approve(situation, {}))).toContain("gh-");
    expect(asksForCode(await approve(situation, { acr_values: "2" }, { clientId: "shop2" }))).toBe(true);
  });

  test("asks for open required actions first", async () => {
    const situation = await signedIn();
    const { realm, user } = situation;
    expect((await realm.asMaster().post(`/users/${user.userId}/required-actions`, { action: "UPDATE_PASSWORD" })).status).toBeLessThan(300);
    expect(answer(await approve(situation, {}))).toContain('name="newPassword"');
  });

  test("asks for a sign-in that is no older than the client's defaultMaxAge", async () => {
    clock.advance(-5 * MINUTE);
    const situation = await signedIn();
    clock.reset();
    const first = await approve(situation, {}, { defaultMaxAge: 600 });
    expect(answer(first)).not.toContain('name="password"');
    expect(answer(await approve(situation, {}, { clientId: "shop2", defaultMaxAge: 60 }))).toContain('name="password"');
  });
});

test("every file that takes a session is listed here: those that judge it, and those that pass it on", () => {
  const root = new URL("../../", import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => /(?<!\.test)\.tsx?$/.test(file));
  // It also finds files that read the visitor's session, which the gate has not judged if the route declares `browser()` or `link()`.
  const takes =
    /\b(resolveSession|findSessionBehind|sessionIn)\b|judged: "by-handler"|\bvisitor\??\.session\b|\{[^{}]*\bsession\b[^{}]*\}(?: = (?:\w+\.)*visitor\b|: Visitor\b)/;
  const found = files.filter((file) => !file.startsWith("testing/") && takes.test(readFileSync(new URL(file, root), "utf8")));
  const known = [
    // These judge the session, or get one that the gate has judged.
    ...["protocols/gate/callers.ts", "protocols/gate/gate.ts"],
    ...["protocols/decoupled/ciba.routes.ts", "protocols/decoupled/device.routes.ts", "protocols/decoupled/visitors.ts"],
    ...["protocols/saml/sso/decide.ts", "protocols/saml/sso/service.ts", "protocols/token-endpoint/exchange.ts"],
    "protocols/token-endpoint/grants/identity-assertion.ts",
    ...["protocols/transactions/caller.ts", "protocols/transactions/routes.ts", "protocols/transactions/service.ts"],
    ...["signin/enrolled-devices/push.routes.ts", "signin/enrolled-devices/qr.routes.ts"],
    ...["signin/invitations/routes.ts", "signin/invitations/show.ts"], // accepting is judged; the page changes nothing
    // The request that led to the page was judged, and is judged again when it resumes (requests/policy.ts, saml/sso/decide.ts).
    ...[
      "protocols/oidc/engine/models/session.ts",
      "protocols/oidc/authorize/interaction.routes.ts",
      "protocols/saml/sso/consent.routes.ts",
    ],
    // This is the sign-in itself, which continues from a session.
    ...[
      "signin/login/begin.ts", // a browser with a session is not counted
      "signin/login/routes.ts",
      "signin/login/start-session.ts",
      "signin/login/step-up.ts", // only shows texts
      "signin/login/visitors.ts",
      "signin/authenticators/challenges.service.ts",
    ],
    ...["signin/run/position.ts", "signin/run/run.ts", "signin/required-actions/update-password.tsx"],
    "signin/login/broker.routes.ts", // the account API began the link, and the sign-in has to be recent
    ...["signin/self-service/change-password.routes.ts", "signin/login/step-up.routes.ts"], // they begin a recent sign-in
    "signin/impersonation/pages.routes.ts", // the admin API began the link
    // These end the session.
    ...["signin/login/logout.routes.ts", "signin/login/provider-logout.ts", "protocols/saml/slo/browser.ts"],
    // These show the name of the user.
    ...["operations/api-docs/home.routes.ts", "operations/api-docs/routes.ts", "operations/api-docs/visitor.ts"],
    ...["signin/sessions/index.ts", "signin/sessions/service.ts", "signin/sessions/store.ts"],
  ];
  expect(found.toSorted()).toEqual(known.toSorted());
});
