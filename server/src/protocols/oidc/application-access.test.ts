import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { grantConsent } from "../../directory/consents/index.ts";
import { clock } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const CIBA = "urn:openid:params:grant-type:ciba";
const UMA = "urn:ietf:params:oauth:grant-type:uma-ticket";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness({ GATEHOUSE_MODE: "development" });
  await iam.server.jobs.stop();
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

interface Stage {
  readonly realm: RealmUnderTest;
  readonly user: { readonly userId: string; readonly username: string; readonly password: string };
  readonly app: Party;
  give(userId?: string): Promise<void>;
  take(): Promise<void>;
}

/** Creates a client for holders of the role `staff`, and a user who does not have the role yet. */
async function stage(members: Record<string, unknown> = {}): Promise<Stage> {
  const realm = await iam.realm();
  const master = realm.asMaster();
  const { roleId } = (await master.post("/roles", { name: "staff" })).body;
  const user = await realm.user();
  const app = await relyingParty(iam, realm, {
    ...{ name: "Payroll", publicClient: false, allowedRoles: ["staff"] },
    ...members,
  });
  return {
    ...{ realm, user, app },
    give: async (userId = user.userId) => void (await master.post(`/users/${userId}/roles`, { name: "staff" })),
    take: async () => void (await master.delete(`/users/${user.userId}/roles/${roleId}`)),
  };
}

const arrive = async (browser: Browser, app: Party, user: Stage["user"], params: Record<string, string> = {}) => {
  const first = await walk(browser, base, app.url(params));
  return first.page.text.includes('name="password"')
    ? submit(browser, base, first.page, { username: user.username, password: user.password })
    : first;
};
const refused = { status: 400, body: { error: "access_denied" } };

/** Follows the page's link to use another account, and signs in with that account. */
const useOther = async (browser: Browser, { text }: Answer, { username, password }: Stage["user"]) => {
  const [, href = ""] = /id="other" href="([^"]+)"/.exec(text) ?? [];
  const { page } = await walk(browser, base, href.replaceAll("&amp;", "&"));
  expect(page.text).toContain('name="password"');
  return (await submit(browser, base, page, { username, password })).page;
};

describe("a user who may not use the client", () => {
  test("gets a page that names it, from which the client gets access_denied; the attempt is recorded", async () => {
    const { realm, user, app } = await stage({ consentRequired: true });
    const browser = iam.browser();
    const { page } = await arrive(browser, app, user);
    expect(page.status, page.text).toBe(403);
    expect(page.text).toContain("You can’t use this application");
    expect(page.text).toContain("Payroll");
    expect(page.text).toContain(user.username);
    expect(await realm.events("type=LOGIN_FAILURE")).toMatchObject([
      { actor: user.username, resourceId: app.id, detail: "the user may not use this client" },
    ]);
    const { left } = await submit(browser, base, page, { decision: "back" });
    expect(left?.href).toContain(CALLBACK);
    expect(Object.fromEntries(left!.searchParams)).toMatchObject({ error: "access_denied", state: "st" });
    expect(left!.searchParams.has("code")).toBe(false);
    // No other field of the form changes the decision.
    const again = (await walk(browser, base, app.url())).page;
    const forced = await submit(browser, base, again, { decision: "allow" });
    expect(forced.left?.searchParams.get("error")).toBe("access_denied");
  });

  test("gets access_denied without a page where none may be shown", async () => {
    const { user, app } = await stage();
    const browser = iam.browser();
    await arrive(browser, app, user);
    const { left } = await walk(browser, base, app.url({ prompt: "none" }));
    expect(left?.searchParams.get("error")).toBe("access_denied");
  });

  test("may continue with another account, or once the role is granted", async () => {
    const { realm, user, app, give } = await stage();
    const browser = iam.browser();
    const { page } = await arrive(browser, app, user);
    const colleague = await realm.user();
    await give(colleague.userId);
    const { page: signIn } = await submit(browser, base, page, { decision: "other" });
    expect(signIn.text).toContain('name="password"');
    const { left } = await submit(browser, base, signIn, { username: colleague.username, password: colleague.password });
    expect(left?.searchParams.get("code"), left?.href).toBeTruthy();

    const other = iam.browser();
    const stuck = (await arrive(other, app, user)).page;
    const address = /<form class="gh-form"[^>]* action="([^"]+)"/.exec(stuck.text)![1]!;
    expect((await other.get(address)).status).toBe(403);
    await give();
    expect((await walk(other, base, address)).left?.searchParams.get("code")).toBeTruthy();
  });

  test("gets no tokens from the authorization endpoint either", async () => {
    const realm = await iam.realm();
    await realm.asMaster().patch("/settings", { oidc: { implicitFlow: true } });
    await realm.asMaster().post("/roles", { name: "staff" });
    const app = await relyingParty(iam, realm, { allowedRoles: ["staff"], responseTypes: ["id_token token"], redirectUris: [CALLBACK] });
    const { page } = await arrive(iam.browser(), app, await realm.user(), { response_type: "id_token token", nonce: "n" });
    expect(page.status).toBe(403);
  });
});

describe("the token endpoint refuses a user who lost the role", () => {
  test("a code, a refresh token, userinfo and introspection; and works again once the role is granted", async () => {
    const { realm, user, app, give, take } = await stage({ grantTypes: ["authorization_code", "refresh_token"] });
    const browser = iam.browser();
    await give();
    const tokens = await app.signIn(browser, user, { scope: "openid profile" });
    expect(tokens.status, tokens.text).toBe(200);
    const { left } = await walk(browser, base, app.url());
    expect(left?.searchParams.get("code")).toBeTruthy();
    const userinfo = async () =>
      (await iam.browser().get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${tokens.body.access_token}` } }))
        .status;
    const introspect = async (token: string) => (await app.post("/introspect", { token })).body.active;
    expect([await userinfo(), await introspect(tokens.body.access_token), await introspect(tokens.body.refresh_token)]).toEqual([
      200,
      true,
      true,
    ]);

    await take();
    expect(await app.exchange(left)).toMatchObject(refused);
    const refresh = () => app.post("/token", { grant_type: "refresh_token", refresh_token: tokens.body.refresh_token });
    expect(await refresh()).toMatchObject(refused);
    expect([await userinfo(), await introspect(tokens.body.access_token), await introspect(tokens.body.refresh_token)]).toEqual([
      401,
      false,
      false,
    ]);

    await give();
    expect((await refresh()).status).toBe(200);
    expect(await userinfo()).toBe(200);
  });

  test("the password grant, which stores no grant and records no success", async () => {
    const { realm, user, app, give } = await stage({ grantTypes: ["password"], redirectUris: [] });
    const signIn = () => app.post("/token", { grant_type: "password", username: user.username, password: user.password, scope: "openid" });
    expect(await signIn()).toMatchObject(refused);
    expect(await realm.events("type=LOGIN_SUCCESS")).toEqual([]);
    expect(await realm.events("type=LOGIN_FAILURE")).toMatchObject([{ detail: "password grant: no-access" }]);
    expect(await iam.core.db.selectFrom("oidc_grants").select("grant_id").where("user_id", "=", user.userId).execute()).toEqual([]);
    // A wrong password does not reveal who may use the client.
    const wrong = await app.post("/token", { grant_type: "password", username: user.username, password: "wrong" });
    expect(wrong.body.error).toBe("invalid_grant");
    await give();
    expect((await signIn()).status).toBe(200);
  });

  test("a device: the page says so and another account may answer; after approval, at the token endpoint", async () => {
    const { realm, user, app, give, take } = await stage({ grantTypes: ["device", "refresh_token"], redirectUris: [] });
    const browser = iam.browser();
    const requested = (await app.post("/device/authorize", { scope: "openid" })).body;
    const enter = async () => {
      const { page } = await walk(browser, base, `/realms/${realm.name}/device?user_code=${requested.user_code}`);
      const open = page.text.includes('name="password"')
        ? (await submit(browser, base, page, { username: user.username, password: user.password })).page
        : page;
      return (await submit(browser, base, open, { user_code: requested.user_code })).page;
    };
    const poll = () => app.post("/token", { grant_type: DEVICE, device_code: requested.device_code });
    const page = await enter();
    expect([page.status, page.text.includes("Payroll")]).toEqual([403, true]);
    expect((await poll()).body.error).toBe("authorization_pending");
    const colleague = await realm.user();
    await give(colleague.userId);
    const filled = await useOther(browser, page, colleague);
    expect(filled.text).toContain(`value="${requested.user_code}"`);
    const confirm = (await submit(browser, base, filled, { user_code: requested.user_code })).page;
    expect([confirm.status, confirm.text.includes(colleague.username)]).toEqual([200, true]);
    await useOther(browser, page, user);
    await give();
    const question = await enter();
    await take();
    expect((await submit(browser, base, question, { decision: "allow" })).page.status).toBe(403);
    await give();
    expect((await submit(browser, base, await enter(), { decision: "allow" })).page.text).toContain("Your device is connected");
    await take();
    expect(await poll()).toMatchObject(refused);
    await give();
    expect((await poll()).status).toBe(200);
  });

  test("CIBA: at the request, on the page, and at the token endpoint", async () => {
    const { realm, user, app, give, take } = await stage({ grantTypes: ["CIBA"], redirectUris: [] });
    const ask = () => app.post("/backchannel/authorize", { scope: "openid", login_hint: user.username });
    expect(await ask()).toMatchObject(refused);
    await give();
    const { auth_req_id } = (await ask()).body;
    const browser = iam.browser();
    const list = await walk(browser, base, `/realms/${realm.name}/ciba`);
    const { page } = await submit(browser, base, list.page, { username: user.username, password: user.password });
    const href = /href="(\/realms\/[^"]+\/ciba\/[^"]+)"/.exec(page.text)![1]!;
    const question = (await walk(browser, base, href)).page;
    await take();
    const denied = (await submit(browser, base, question, { decision: "allow" })).page;
    expect(denied.status).toBe(403);
    // The page shows the requests of the other account; this request waits for its own user.
    expect((await useOther(browser, denied, await realm.user())).text).not.toContain(href);
    expect((await useOther(browser, denied, user)).text).toContain(href);
    await give();
    const again = (await walk(browser, base, href)).page;
    expect((await submit(browser, base, again, { decision: "allow" })).page.status).toBe(200);
    await take();
    const poll = () => app.post("/token", { grant_type: CIBA, auth_req_id });
    expect(await poll()).toMatchObject(refused);
    await give();
    expect((await poll()).status).toBe(200);
  });

  test("token exchange, by the rules of the calling client and of the client of the subject token", async () => {
    const { realm, user, app, give, take } = await stage({ grantTypes: ["token-exchange"], redirectUris: [] });
    const front = await relyingParty(iam, realm, { clientId: "front", audience: [app.clientId] });
    const tokens = await front.signIn(iam.browser(), user);
    expect(tokens.status, tokens.text).toBe(200);
    const exchange = () =>
      app.post("/token", { grant_type: EXCHANGE, subject_token: tokens.body.access_token, subject_token_type: ACCESS_TOKEN });
    expect(await exchange()).toMatchObject(refused);
    await give();
    expect((await exchange()).status).toBe(200);
    await realm.asMaster().patch(`/clients/${front.id}`, { allowedRoles: ["staff"] });
    expect((await exchange()).status).toBe(200);
    await take();
    await realm.asMaster().patch(`/clients/${app.id}`, { allowedRoles: [] });
    expect(await exchange()).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("a client that acts in its own name needs no role", async () => {
    const { app } = await stage({ grantTypes: ["client_credentials"], redirectUris: [] });
    expect((await app.post("/token", { grant_type: "client_credentials" })).status).toBe(200);
  });
});

test("every other caller of the policy step: delegation, permissions, preview, impersonation, and the pages of an agent that was suspended", async () => {
  const { realm, user, app, give } = await stage({ grantTypes: ["authorization_code", "uma-ticket", "device", "client_credentials"] });
  const master = realm.asMaster();
  const ok = ({ status, text, body }: Answer) => {
    expect(status, text).toBeLessThan(300);
    return body;
  };
  const api = await relyingParty(iam, realm, { clientId: "api", publicClient: false, redirectUris: [], grantTypes: ["uma-ticket"] });
  ok(await master.put(`/clients/${api.id}/authz/settings`, { enabled: true, policyEnforcementMode: "PERMISSIVE" }));
  ok(await master.post(`/clients/${api.id}/authz/resources`, { name: "a" }));
  const front = await relyingParty(iam, realm, { clientId: "front", audience: [app.clientId, api.clientId] });
  const { access_token: token } = ok(await front.signIn(iam.browser(), user));
  const agent = ok(await master.post("/agents", { name: "Payroll", clientId: app.clientId, ownerUserId: (await realm.user()).userId }));
  ok(await master.post(`/agents/${agent.id}/activate`));
  ok(await master.patch("/settings", { agents: { allowDelegationWithoutConsent: true } }));

  const { access_token: own } = ok(await app.post("/token", { grant_type: "client_credentials" }));
  const subject = { subject_token: token, subject_token_type: ACCESS_TOKEN };
  const delegate = () =>
    app.post("/agent/delegation/token", { grant_type: EXCHANGE, ...subject, actor_token: own, actor_token_type: ACCESS_TOKEN });
  const decide = () => app.post("/token", { grant_type: UMA, audience: "api", response_mode: "permissions", subject_token: token });
  const preview = async () => ok(await master.post(`/clients/${app.id}/preview`, { userId: user.userId })).allowed;
  for (const ask of [delegate, decide]) expect(await ask()).toMatchObject(refused);
  expect(await preview()).toBe(false);
  await give();
  ok(await delegate());
  expect(ok(await decide())).toMatchObject([{ rsname: "a" }]);
  expect(await preview()).toBe(true);

  // An administrator who acts as the user cannot consent for them.
  const admin = await realm.as("manage-users", "view-users");
  const { url } = ok(await admin.post(`/users/${user.userId}/impersonate`));
  await admin.browser.get(url.slice(base.length));
  const asked = await walk(admin.browser, base, app.url({ prompt: "consent" }));
  expect((await submit(admin.browser, base, asked.page, { decision: "allow" })).page.status).toBe(403);
  // A user who has consented before gets no token for the agent in the address either.
  ok(await master.patch("/settings", { oidc: { implicitFlow: true } }));
  await iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
    grantConsent(ctx, { userId: user.userId, clientId: app.clientId, resource: null }, ["openid"]),
  );
  for (const responseType of ["id_token", "id_token token", "code id_token"]) {
    ok(await master.patch(`/clients/${app.id}`, { responseTypes: [responseType] }));
    const request = app.url({ response_type: responseType, nonce: "n" });
    const { left } = await walk(admin.browser, base, request);
    expect([left?.hash.includes("error="), left?.hash.includes("token=")], `${responseType} ${left}`).toEqual([true, false]);
  }
  ok(await master.patch(`/clients/${app.id}`, { responseTypes: ["code"] }));
  const waiting = ok(await app.post("/device/authorize", { scope: "openid" }));
  const form = (await walk(admin.browser, base, `/realms/${realm.name}/device?user_code=${waiting.user_code}`)).page;
  const shown = (await submit(admin.browser, base, form, { user_code: waiting.user_code })).page;
  expect((await submit(admin.browser, base, shown, { decision: "allow" })).page.status).toBe(403);

  // The policy step reads the agent itself, because the snapshot of the client is not read again.
  const requested = ok(await app.post("/device/authorize", { scope: "openid" }));
  const browser = iam.browser();
  const { page } = await arrive(browser, app, user, { prompt: "consent" });
  expect(page.text).toContain('value="allow"');
  const entry = (await walk(browser, base, `/realms/${realm.name}/device?user_code=${requested.user_code}`)).page;
  await iam.core.db.updateTable("agents").set({ status: "SUSPENDED" }).where("id", "=", agent.id).execute();
  const { left } = await submit(browser, base, page, { decision: "allow" });
  expect(left?.searchParams.get("error")).toBe("access_denied");
  expect((await submit(browser, base, entry, { user_code: requested.user_code })).page.status).toBe(403);
  expect((await walk(browser, base, app.url({ prompt: "none" }))).left?.searchParams.get("error")).toBe("access_denied");
  for (const ask of [delegate, decide, () => app.post("/token", { grant_type: "client_credentials" })])
    expect((await ask()).status).toBeGreaterThanOrEqual(400);
  expect(await preview()).toBe(false);
});

test("a client that registered itself can neither set nor drop the rule", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster();
  await master.post("/roles", { name: "staff" });
  const provisioning = (await master.get("/provisioning")).body;
  await master.put("/provisioning", {
    ...provisioning,
    registration: { ...provisioning.registration, enabled: true, requireInitialAccessToken: false },
  });
  const discovery = (await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`)).body;
  const path = String(discovery.registration_endpoint).replace(base, "");
  const metadata = { redirect_uris: [CALLBACK], client_name: "Own" };
  const register = (body: object) => iam.browser().request("POST", path, { body, csrf: false });
  const made = await register({ ...metadata, allowedRoles: [], allowed_roles: ["staff"] });
  expect(made.status, made.text).toBe(201);
  const id = String(made.body.registration_client_uri).split("/").at(-1)!;
  expect((await master.get(`/clients/${id}`)).body.allowedRoles).toEqual([]);
  expect((await master.patch(`/clients/${id}`, { allowedRoles: ["staff"] })).status).toBe(200);
  const changed = await iam.browser().request("PUT", String(made.body.registration_client_uri).replace(base, ""), {
    body: { ...metadata, client_id: made.body.client_id, allowedRoles: [], allowed_roles: [] },
    headers: { authorization: `Bearer ${made.body.registration_access_token}` },
    csrf: false,
  });
  expect(changed.status, changed.text).toBe(200);
  expect(changed.text).not.toContain("staff");
  expect((await master.get(`/clients/${id}`)).body.allowedRoles).toEqual(["staff"]);
});
