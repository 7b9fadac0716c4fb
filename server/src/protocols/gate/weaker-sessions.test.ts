import { readdirSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { serviceProvider } from "../../testing/service-provider.ts";
import { answerPage } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";

// A session stands for what its user has proven, judged for each use by one function (signin/run/session-standing.ts). Here an administrator who has
// an authenticator app signs in to a client whose flow asks for the password alone, and tries every door with that session.

let iam: Harness;
let base: string;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development" });
  await iam.server.jobs.stop(); // the clean-up would take the moved clock at its word
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const PASSWORD = "a password for tests";
const WEAK = [403, "auth.insufficient_authentication"];
const step = (authenticator: string, requirement = "REQUIRED") => ({ authenticator, requirement });
const refusal = ({ status, body }: Answer) => [status, body?.code];
const by = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const asksForCode = ({ page, left }: { page: Answer; left: URL | null }) => left === null && page.text.includes('name="code"');

interface Weak {
  readonly realm: RealmUnderTest;
  readonly username: string;
  readonly userId: string;
  readonly code: () => string;
  readonly browser: Browser;
  /** The client with the weak flow, and its tokens: of the session, and offline. */
  readonly quick: Party;
  readonly token: string;
  readonly offline: string;
}

async function weaker(): Promise<Weak> {
  const realm = await iam.realm();
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
  const offline = await quick.signIn(
    browser,
    { username, password: PASSWORD },
    { ...admin, scope: "openid offline_access", prompt: "consent" },
  );
  return { realm, username, userId, code, browser, quick, token: issued.body.access_token, offline: offline.body?.access_token };
}

/** Each place that accepts a session, by the file that asks the function. */
const doors: Record<string, (weak: Weak) => Promise<void>> = {
  "the admin API, by cookie": async ({ browser, realm }) => {
    const answer = await browser.get(`/admin/realms/${realm.name}/users`);
    expect(refusal(answer)).toEqual(WEAK);
    expect(answer.headers["www-authenticate"]).toContain('error="insufficient_user_authentication"');
    expect(answer.body.stepUpUrl).toBe(`${base}/realms/${realm.name}/login/step-up`);
  },
  "the admin API, by a token": async ({ realm, token }) => {
    expect(refusal(await realm.anonymous().get("/users", by(token)))).toEqual(WEAK);
    expect(refusal(await realm.anonymous().post("/users", { username: "mallory", roles: ["admin"] }, by(token)))).toEqual(WEAK);
  },
  "the admin API, by a token without a session": async ({ realm, offline }) => {
    expect(refusal(await realm.anonymous().get("/users", by(offline)))).toEqual([401, "auth.bearer"]);
  },
  "the account API": async ({ browser, realm }) => {
    for (const path of ["/profile", "/sessions", "/credentials"])
      expect(refusal(await browser.get(`/realms/${realm.name}/account${path}`))).toEqual(WEAK);
    expect(refusal(await browser.post(`/realms/${realm.name}/account/linked-accounts/acme`))).toEqual(WEAK);
  },
  "the account API, by a token": async ({ browser, realm, quick, username }) => {
    const { body } = await quick.signIn(browser, { username, password: PASSWORD }, { scope: "openid account" });
    expect(refusal(await iam.browser().get(`/realms/${realm.name}/account/profile`, by(body.access_token)))).toEqual(WEAK);
  },
  "the step cookie of the realm's own flow": async ({ browser, realm }) => {
    const app = await relyingParty(iam, realm);
    expect((await walk(browser, base, app.url({ prompt: "none" }))).left?.searchParams.get("error")).toBe("login_required");
    expect(asksForCode(await walk(browser, base, app.url()))).toBe(true);
  },
  "a SAML client": async ({ browser, realm }) => {
    const sp = await serviceProvider(iam, realm);
    expect(asksForCode(await walk(browser, base, (await sp.request()).url))).toBe(true);
  },
  "a device's request": async ({ browser, realm }) => {
    const tv = await relyingParty(iam, realm, { clientId: "tv", grantTypes: ["device"], redirectUris: [] });
    const { user_code } = (await tv.post("/device/authorize", { scope: "openid" })).body;
    const { page } = await walk(browser, base, `/realms/${realm.name}/device?user_code=${user_code}`);
    expect(asksForCode(await submit(browser, base, page, { user_code }))).toBe(true);
    expect(asksForCode(await submit(browser, base, page, { user_code, decision: "allow" }))).toBe(true);
  },
  "a CIBA request": async ({ browser, realm, username }) => {
    const shop = await relyingParty(iam, realm, { clientId: "shop", grantTypes: ["CIBA"], publicClient: false, redirectUris: [] });
    const asked = await shop.post("/backchannel/authorize", { scope: "openid", login_hint: username });
    expect(asked.status, asked.text).toBe(200);
    const list = await browser.get(`/realms/${realm.name}/ciba`);
    const { page } = await walk(browser, base, /href="(\/realms\/[^"]+\/ciba\/[^"]+)"/.exec(list.text)![1]!);
    expect(asksForCode(await submit(browser, base, page, { decision: "allow" }))).toBe(true);
  },
  "token exchange": async ({ browser, realm, username, quick }) => {
    const api = await relyingParty(iam, realm, {
      ...{ clientId: "api", publicClient: false, grantTypes: ["token-exchange"], redirectUris: [] },
    });
    const { body: client } = await realm.asMaster().get(`/clients/${quick.id}`);
    expect((await realm.asMaster().put(`/clients/${quick.id}`, { ...client, audience: ["api"] })).status).toBe(200);
    const { body } = await quick.signIn(browser, { username, password: PASSWORD });
    const type = "urn:ietf:params:oauth:token-type:access_token";
    const exchanged = await api.post("/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      ...{ subject_token: body.access_token, subject_token_type: type },
    });
    expect([exchanged.status, exchanged.body.error_description]).toEqual([
      400,
      "the user of subject_token has not proven what signing in to this client asks for",
    ]);
  },
  "a transaction": async ({ browser, realm, username, userId, code, quick }) => {
    // With the code that signs, the password and the app are proven; this client asks for more.
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
  "QR and push approval": async ({ browser, realm }) => {
    const json = { headers: { accept: "application/json" } };
    const qr = `/realms/${realm.name}/qr/${newId()}`;
    expect(refusal(await browser.get(qr, json))).toEqual(WEAK);
    expect(asksForCode(await walk(browser, base, await browser.get(qr, { headers: { accept: "text/html" } })))).toBe(true);
    expect(refusal(await browser.get(`/realms/${realm.name}/push/${newId()}`, json))).toEqual([403, "devices.weak_session"]);
  },
};

describe("a session that a client's weaker flow began", () => {
  let weak: Weak;
  beforeAll(async () => {
    weak = await weaker();
  });
  for (const [door, opens] of Object.entries(doors)) test(`does not open ${door}`, () => opens(weak));

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

  test("opens what it opened before its user had a second factor no longer", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("realm-admin");
    expect((await admin.get("/users")).status).toBe(200);
    await giveTotp(iam, realm.name, admin.userId);
    expect(refusal(await admin.get("/users"))).toEqual(WEAK);
  });
});

describe("the page of a device", () => {
  const approve = async (realm: RealmUnderTest, browser: Browser, form: Record<string, string>, members: Record<string, unknown> = {}) => {
    const tv = await relyingParty(iam, realm, { clientId: "tv", grantTypes: ["device"], redirectUris: [], ...members });
    const { user_code } = (await tv.post("/device/authorize", { scope: "openid", ...form })).body;
    const { page } = await walk(browser, base, `/realms/${realm.name}/device?user_code=${user_code}`);
    return submit(browser, base, page, { user_code, decision: "allow" });
  };
  const signedIn = async () => {
    const realm = await iam.realm();
    const [user, browser] = [await realm.user(), iam.browser()];
    await browser.signIn(realm.name, user.username, user.password);
    return { realm, user, browser };
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
    // Without a second factor of the realm's own flow: only the client asks for it.
    const plain = { displayName: "Sign in", steps: [step("cookie", "ALTERNATIVE"), step("username-password", "ALTERNATIVE")] };
    expect((await realm.asMaster().put("/flow", plain)).status).toBe(200);
    await giveTotp(iam, realm.name, user.userId);
    expect((await approve(realm, browser, {}, { clientId: "tv2" })).page.text).toContain("Your device is connected");
    expect(asksForCode(await approve(realm, browser, { acr_values: "2" }, { clientId: "tv3" }))).toBe(true);
  });

  test("asks for open required actions first", async () => {
    const { realm, user, browser } = await signedIn();
    expect((await realm.asMaster().post(`/users/${user.userId}/required-actions`, { action: "UPDATE_PASSWORD" })).status).toBeLessThan(300);
    expect((await approve(realm, browser, {})).page.text).toContain('name="newPassword"');
  });
});

test("every file that takes a session is known here: those that judge it, and those that hand it on", () => {
  const root = new URL("../../", import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => /(?<!\.test)\.tsx?$/.test(file));
  const takes = /\b(resolveSession|findSessionBehind|sessionIn)\b|judged: "by-handler"/;
  const found = files.filter((file) => !file.startsWith("testing/") && takes.test(readFileSync(new URL(file, root), "utf8")));
  expect(found.toSorted()).toEqual([
    ...["operations/api-docs/home.routes.ts", "operations/api-docs/routes.ts", "operations/api-docs/visitor.ts"], // show the name of the user
    "protocols/decoupled/ciba.routes.ts",
    "protocols/decoupled/device.routes.ts",
    "protocols/gate/callers.ts",
    "protocols/oidc/engine/models/session.ts", // judged by requests/session-standing.ts
    "protocols/token-endpoint/grants/token-exchange.ts",
    "protocols/transactions/routes.ts",
    "protocols/transactions/service.ts",
    "signin/enrolled-devices/push.routes.ts",
    "signin/impersonation/pages.routes.ts", // the link was asked for at the admin API
    "signin/login/visitors.ts", // judged by the gate, or by the sign-in that shows the page
    "signin/sessions/index.ts",
    "signin/sessions/service.ts",
    "signin/sessions/store.ts",
  ]);
});

describe("recent authentication, where the escalation rule finds something given", () => {
  /** Every write under the rule; each answers the request that an administrator of eleven minutes ago sends. */
  test("is asked of each write, on oneself included, and of nothing else", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("realm-admin");
    const boss = realm.asMaster();
    const other = await realm.as("manage-users");
    const plain = await realm.user();
    const { roleId } = (await boss.post("/roles", { name: "helpers" })).body;
    await boss.put(`/admin-roles/${roleId}`, { permissions: ["view-users"] });
    const { roleId: harmless } = (await boss.post("/roles", { name: "harmless" })).body;
    const { groupId } = (await boss.post("/groups", { name: "staff" })).body;
    const robot = (await boss.post("/clients", { clientId: "robot", grantTypes: ["client_credentials"] })).body;
    await boss.post(`/clients/${robot.id}/service-account/roles`, { name: "helpers" });
    const web = (await boss.post("/clients", { clientId: "web", redirectUris: [CALLBACK] })).body;
    const { body: user } = await boss.get(`/users/${other.userId}`);
    const { body: client } = await boss.get(`/clients/${robot.id}`);
    clock.advance(11 * MINUTE);
    const writes: [string, string, unknown?][] = [
      ["PUT", `/users/${other.userId}/password`, { newPassword: "another password for tests" }],
      ["PUT", `/users/${admin.userId}/password`, { newPassword: "another password for tests" }],
      ["PUT", `/users/${other.userId}`, { ...user, email: "other@example.org" }],
      ["PATCH", `/users/${other.userId}`, { email: "other@example.org" }],
      ["POST", "/users", { username: "mallory", roles: ["admin"] }],
      ["POST", `/users/${plain.userId}/roles`, { name: "helpers" }],
      ["DELETE", `/users/${other.userId}`],
      ["POST", `/users/${other.userId}/credentials`, { type: "enrollment-token" }],
      ["POST", `/users/${plain.userId}/impersonate`],
      ["DELETE", `/users/${plain.userId}/gdpr`],
      ["POST", `/users/import`, [{ username: "imported" }]],
      ["PUT", `/admin-roles/${harmless}`, { permissions: ["view-users"] }],
      ["POST", "/roles", { name: "composite", compositeRoles: ["helpers"] }],
      ["POST", `/groups/${groupId}/roles`, { name: "helpers" }],
      ["POST", `/clients/${robot.id}/secret`],
      ["GET", `/clients/${robot.id}/secret`],
      ["PUT", `/clients/${robot.id}`, { ...client, secret: "a-secret-that-the-caller-chose-long-enough" }],
      ["DELETE", `/clients/${robot.id}`],
      ["POST", `/clients/${robot.id}/service-account/roles`, { name: "admin" }],
      ["POST", "/keys/rotate"],
      ["PUT", "/messaging/providers", { channel: "EMAIL", driver: "http", enabled: true, config: { url: "https://mail.example.com/" } }],
      ["PUT", `/clients/${web.id}/allowed-resources`, { allowedResources: [`${base}/admin`] }],
    ];
    const call = ([method, path, body]: (typeof writes)[number]) =>
      admin.browser.request(method, `/admin/realms/${realm.name}${path}`, { ...(body !== undefined && { body }) });
    const answers: unknown[] = [];
    for (const write of writes) {
      const answer = await call(write);
      answers.push([write[0], write[1].replaceAll(/[0-9a-f-]{36}/g, "{id}"), answer.status, answer.body?.code, answer.body?.stepUpUrl]);
    }
    const stale = writes.map(([method, path]) => [
      ...[method, path.replaceAll(/[0-9a-f-]{36}/g, "{id}")],
      ...[403, "auth.recent_authentication_required", `${base}/realms/${realm.name}/login/step-up`],
    ]);
    expect(answers).toEqual(stale);
    for (const harmlessly of [
      ["PUT", `/users/${plain.userId}/password`, { newPassword: "another password for tests" }],
      ["POST", "/users", { username: "grace" }],
      ["POST", `/users/${plain.userId}/roles`, { name: "harmless" }],
      ["POST", "/roles", { name: "another" }],
      ["POST", "/clients", { clientId: "shop", redirectUris: [CALLBACK] }],
    ] as [string, string, unknown][])
      expect([harmlessly[1], (await call(harmlessly)).status < 300]).toEqual([harmlessly[1], true]);
    // A machine has nobody who could sign in again.
    await admin.browser.signIn(realm.name, admin.username, PASSWORD);
    const given = await call(["POST", `/users/${plain.userId}/roles`, { name: "helpers" }]);
    expect(given.status, given.text).toBe(200);
  });
});
