import { decodeJwt } from "jose";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../../testing/harness.ts";
import { CALLBACK, relyingParty, submit, walk } from "../../../testing/relying-party.ts";
import { waitingSessions } from "../../../testing/waiting-sessions.ts";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const errorIn = (left: URL | null) => left?.searchParams.get("error");

describe("prompt and max_age", () => {
  test("prompt=none never shows a page: login_required without a session, a code with one", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    expect(errorIn((await walk(browser, base, party.url({ prompt: "none" }))).left)).toBe("login_required");
    await party.signIn(browser, await realm.user());
    const { left } = await walk(browser, base, party.url({ prompt: "none" }));
    expect(left?.searchParams.get("code")).toMatch(/./);
    expect(left?.searchParams.get("iss")).toBe(`${base}/realms/${realm.name}`);
  });

  test("prompt=login and an exceeded max_age require a new sign-in, and return the new auth_time", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const browser = iam.browser();
    const first = decodeJwt((await party.signIn(browser, user)).body.id_token);
    clock.advance(5 * MINUTE);
    expect((await walk(browser, base, party.url({ max_age: "600" }))).left).not.toBeNull();
    expect(errorIn((await walk(browser, base, party.url({ max_age: "60", prompt: "none" }))).left)).toBe("login_required");
    for (const params of [{ max_age: "60" }, { prompt: "login" }]) {
      const { page, left } = await walk(browser, base, party.url(params));
      expect([left, page.status]).toEqual([null, 200]);
      const again = await submit(browser, base, page, { username: user.username, password: user.password });
      const { auth_time, sid } = decodeJwt((await party.exchange(again.left)).body.id_token);
      expect(auth_time).toBeGreaterThanOrEqual((first.auth_time as number) + 300);
      expect(sid).toBe(first.sid);
    }
  });

  test("prompt=login lets another user sign in to the browser", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const [ada, bob] = [await realm.user(), await realm.user()];
    const browser = iam.browser();
    const { refresh_token } = (await party.signIn(browser, ada)).body;
    const { page } = await walk(browser, base, party.url({ prompt: "login" }));
    const { left } = await submit(browser, base, page, { username: bob.username, password: bob.password });
    expect(decodeJwt((await party.exchange(left)).body.id_token).sub).toBe(bob.userId);
    expect((await party.post("/token", { grant_type: "refresh_token", refresh_token })).body.error).toBe("invalid_grant");
  });

  test("prompt=select_account continues with the account, or with another", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const [ada, bob] = [await realm.user(), await realm.user()];
    const browser = iam.browser();
    await party.signIn(browser, ada);
    const { page } = await walk(browser, base, party.url({ prompt: "select_account" }));
    expect(page.text).toContain(ada.username);
    const same = await submit(browser, base, page, { decision: "continue" });
    expect(decodeJwt((await party.exchange(same.left)).body.id_token).sub).toBe(ada.userId);
    const requested = await walk(browser, base, party.url({ prompt: "select_account" }));
    const form = await submit(browser, base, requested.page, { decision: "other" });
    const other = await submit(browser, base, form.page, { username: bob.username, password: bob.password });
    expect(decodeJwt((await party.exchange(other.left)).body.id_token).sub).toBe(bob.userId);
  });

  test("an essential acr that cannot be reached is the standard error, not a loop", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const claims = (values: string[]) => JSON.stringify({ id_token: { acr: { essential: true, values } } });
    const browser = iam.browser();
    expect(errorIn((await walk(browser, base, party.url({ claims: claims(["9"]) }))).left)).toBe("unmet_authentication_requirements");
    const { body } = await party.signIn(browser, await realm.user(), { claims: claims(["1"]) });
    expect(decodeJwt(body.id_token).acr).toBe("1");
  });
});

describe("the way through our pages", () => {
  test("login_hint fills in the name, ui_locales chooses the language, and the form posts to this server only", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const { page } = await walk(iam.browser(), base, party.url({ login_hint: "ada@example.com", ui_locales: "da nl-BE" }));
    expect(page.text).toContain('value="ada@example.com"');
    expect(page.text).toContain('lang="nl"');
    expect(page.headers["content-security-policy"]).toContain("form-action 'self';");
  });

  test("two concurrent tabs both get a code", async () => {
    const realm = await iam.realm();
    const [party, other] = [await relyingParty(iam, realm), await relyingParty(iam, realm, { clientId: "other" })];
    const user = await realm.user();
    const browser = iam.browser();
    // Each of the engine's cookies has its own path, which this test browser ignores.
    const tab = async (url: string) => ({
      page: (await walk(browser, base, url)).page,
      own: ["gh__interaction", "gh__interaction.sig", "gh__resume", "gh__resume.sig"].map(
        (name) => [name, browser.cookies.get(name)!] as const,
      ),
    });
    const [one, two] = [await tab(party.url()), await tab(other.url())];
    const go = async ({ page, own }: typeof one) => {
      for (const [name, value] of own) browser.cookies.set(name, value);
      const _csrf = browser.cookies.get("XSRF-TOKEN")!;
      return submit(browser, base, page, { username: user.username, password: user.password, _csrf });
    };
    expect((await party.exchange((await go(one)).left)).status).toBe(200);
    expect((await other.exchange((await go(two)).left)).status).toBe(200);
  });

  test("a form that another site posts has no cookies, and still finds the session", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    await party.signIn(browser, await realm.user());
    const form = Object.fromEntries(new URL(party.url(), base).searchParams);
    const posted = await iam.browser().request("POST", `/realms/${realm.name}/authorize`, { form, csrf: false });
    expect(posted.status).toBe(303);
    const { left } = await walk(browser, base, posted);
    expect((await party.exchange(left)).status).toBe(200);
    expect((await walk(browser, base, posted)).page.status).toBe(400); // a posted form is taken only once
  });

  test("an interaction belongs to the browser that began it", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const begun = await iam.browser().get(party.url());
    const outsider = await iam.browser().get(String(begun.headers.location));
    expect(outsider.status).toBe(400);
  });

  test("an error that cannot be sent to the client is shown on a page of ours", async () => {
    const realm = await iam.realm();
    await relyingParty(iam, realm);
    const bad = await iam.browser().get(`/realms/${realm.name}/authorize?client_id=nobody&response_type=code`);
    expect([bad.status, bad.headers["x-frame-options"]]).toEqual([400, "DENY"]);
    expect(bad.text).toContain("invalid_client");
    expect(bad.text).toContain("gh-card");
  });
});

describe("redirect URIs", () => {
  test.each([
    "https://app.example/cb/",
    "https://app.example/CB",
    "https://app.example/cb?x=1",
    "https://app.example/cb#f",
    "https://app.example@evil.example/cb",
    "https://evil.example/cb",
    "https://app.example/x/../cb",
    "http://app.example/cb",
    "https://app.example:443/cb",
  ])("%s is not the registered one", async (redirect_uri) => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const { page, left } = await walk(iam.browser(), base, party.url({ redirect_uri }));
    expect([left, page.status]).toEqual([null, 400]);
  });

  test("a redirect URI or a response type that was withdrawn while the user signed in gets no answer", async () => {
    const realm = await iam.realm();
    const [party, user, admin] = [await relyingParty(iam, realm), await realm.user(), realm.asMaster()];
    const arrive = async (change: () => Promise<unknown>, params: Record<string, string> = {}) => {
      const browser = iam.browser();
      const { page } = await walk(browser, base, party.url(params));
      await change();
      return submit(browser, base, page, { username: user.username, password: user.password });
    };
    const moved = ["https://new.example/cb"];
    const unregistered = await arrive(() => admin.patch(`/clients/${party.id}`, { redirectUris: moved }));
    expect([unregistered.left, unregistered.page.status]).toEqual([null, 400]);
    expect((await admin.patch(`/clients/${party.id}`, { redirectUris: [CALLBACK, ...moved] })).status).toBe(200);
    expect((await arrive(async () => {})).left?.searchParams.get("code")).toMatch(/./);
    // Another client was created with the same client id.
    const other = await arrive(async () => {
      await admin.delete(`/clients/${party.id}`);
      await admin.post("/clients", { clientId: party.clientId, publicClient: true, redirectUris: moved });
    });
    expect([other.left, other.page.status]).toEqual([null, 400]);
  });

  test.runIf(testDatabase() === "postgres")("two requests at once each get the scopes that they asked for", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    await party.signIn(browser, await realm.user());
    const asked = ["openid email", "openid profile"];
    // The lock makes both requests read the session's grant before either goes on.
    const { answers } = await iam.core.db.transaction().execute(async (tx) => {
      await sql`select from oidc_grants where realm_id = ${realm.name} for update`.execute(tx);
      const answers = Promise.all(asked.map((scope) => walk(browser, base, party.url({ prompt: "none", scope }))));
      await expect.poll(() => waitingSessions(iam.core.db)).toBe(2);
      return { answers };
    });
    for (const [at, { left }] of (await answers).entries()) expect((await party.exchange(left)).body.scope).toBe(asked[at]);
  });

  test("a native app may listen on any port of loopback", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { redirectUris: ["http://127.0.0.1/cb"], applicationType: "native" });
    const { page } = await walk(iam.browser(), base, party.url({ redirect_uri: "http://127.0.0.1:49152/cb" }));
    expect(page.status).toBe(200);
  });
});

describe("consent", () => {
  const asking = { consentRequired: true, name: "The App" };

  test("is asked once, remembered, and asked again with prompt=consent", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, asking);
    const user = await realm.user();
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url({ scope: "openid email" }));
    const consent = (await submit(browser, base, page, { username: user.username, password: user.password })).page;
    expect(consent.text).toContain("The App");
    expect(consent.text).toContain("See your email address");
    expect([consent.headers["x-frame-options"], consent.headers["content-security-policy"]]).toEqual([
      "DENY",
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
    const { left } = await submit(browser, base, consent, { decision: "allow" });
    expect((await party.exchange(left)).status).toBe(200);
    expect(await realm.events("type=CONSENT_GRANTED")).toMatchObject([{ actor: user.username, resourceId: "app", detail: "email openid" }]);

    expect((await walk(browser, base, party.url({ scope: "openid email", prompt: "none" }))).left?.searchParams.get("code")).toMatch(/./);
    expect(errorIn((await walk(browser, base, party.url({ scope: "openid phone", prompt: "none" }))).left)).toBe("consent_required");
    expect((await walk(browser, base, party.url({ scope: "openid email", prompt: "consent" }))).page.text).toContain(
      "See your email address",
    );
    // The consent counts for another sign-in, too.
    expect((await party.signIn(iam.browser(), user, { scope: "openid email" })).status).toBe(200);
  });

  test("that is refused is access_denied, and nothing is stored", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, asking);
    const user = await realm.user();
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url());
    const consent = (await submit(browser, base, page, { username: user.username, password: user.password })).page;
    expect(errorIn((await submit(browser, base, consent, { decision: "deny" })).left)).toBe("access_denied");
    expect((await walk(browser, base, party.url())).page.text).toContain("The App");
  });

  test("needs the CSRF token of this browser", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, asking);
    const user = await realm.user();
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url());
    const consent = (await submit(browser, base, page, { username: user.username, password: user.password })).page;
    for (const _csrf of ["", "forged.token"])
      expect((await submit(browser, base, consent, { decision: "allow", _csrf })).page.status).toBe(403);
    expect(await realm.events("type=CONSENT_GRANTED")).toEqual([]);
  });

  test("that is withdrawn ends the refresh tokens, also the offline ones", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, asking);
    const user = await realm.user();
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url({ scope: "openid offline_access" }));
    const consent = (await submit(browser, base, page, { username: user.username, password: user.password })).page;
    const tokens = (await party.exchange((await submit(browser, base, consent, { decision: "allow" })).left)).body;
    await browser.get(`/realms/${realm.name}/account/gdpr/consents`);
    expect((await browser.delete(`/realms/${realm.name}/account/gdpr/consents/app`)).status).toBe(204);
    expect((await party.post("/token", { grant_type: "refresh_token", refresh_token: tokens.refresh_token })).body.error).toBe(
      "invalid_grant",
    );
    expect((await walk(browser, base, party.url())).page.text).toContain("The App");
  });

  test("shows all of the requested authorization details, which the token then carries", async () => {
    const realm = await iam.realm();
    const settings = (await realm.asMaster().get("/settings")).body;
    await realm.asMaster().put("/settings", { ...settings, tokens: { ...settings.tokens, authorizationDetailsTypes: ["payment"] } });
    const party = await relyingParty(iam, realm, asking);
    const user = await realm.user();
    const browser = iam.browser();
    const details = [
      { type: "payment", amount: "12.00", creditor: { name: "Web shop" } },
      { type: "payment", amount: "4000.00", locations: ["https://bank.example", "https://other.example"] },
    ];
    const { page, left } = await walk(browser, base, party.url({ authorization_details: JSON.stringify(details) }));
    expect([left?.href, page.status]).toEqual([undefined, 200]);
    const consent = (await submit(browser, base, page, { username: user.username, password: user.password })).page;
    const shown = consent.text.replaceAll("&quot;", '"');
    for (const text of [
      'payment · amount: 12.00 · creditor: {"name":"Web shop"}',
      "payment · amount: 4000.00 · locations: https://bank.example, https://other.example",
    ])
      expect(shown).toContain(text);
    const { body } = await party.exchange((await submit(browser, base, consent, { decision: "allow" })).left);
    expect(decodeJwt(body.access_token).authorization_details).toEqual(details);
    const unknown = await walk(browser, base, party.url({ authorization_details: '[{"type":"secrets"}]' }));
    expect(errorIn(unknown.left)).toBe("invalid_authorization_details");
    for (const hidden of [{ amount: "\u202e00.05" }, { to: [{ name: "a\u200bb" }] }, { "am\u2066ount": "1" }]) {
      const asked = JSON.stringify([{ type: "payment", ...hidden }]);
      expect(errorIn((await walk(browser, base, party.url({ authorization_details: asked }))).left)).toBe("invalid_authorization_details");
    }
  });

  test("to the same details is asked once, in whatever order their members come", async () => {
    const realm = await iam.realm();
    const settings = (await realm.asMaster().get("/settings")).body;
    await realm.asMaster().put("/settings", { ...settings, tokens: { ...settings.tokens, authorizationDetailsTypes: ["payment"] } });
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const browser = iam.browser();
    // The database stores the members in another order.
    const authorization_details = JSON.stringify([{ type: "payment", recipient: { name: "Bob", city: "Graz" }, amount: "12.00" }]);
    for (const isFirst of [true, false]) {
      const { page, left } = await walk(browser, base, party.url({ authorization_details }));
      const signedIn = isFirst ? (await submit(browser, base, page, { username: user.username, password: user.password })).left : left;
      const { status, body, text } = await party.exchange(signedIn, { authorization_details });
      expect(status, text).toBe(200);
      expect(body.authorization_details).toEqual(JSON.parse(authorization_details));
    }
    const { left } = await walk(browser, base, party.url({ authorization_details }));
    expect((await party.exchange(left)).body.authorization_details).toEqual(JSON.parse(authorization_details));
    const other = authorization_details.replace("12", "13");
    const again = await walk(browser, base, party.url({ authorization_details }));
    expect((await party.exchange(again.left, { authorization_details: other })).body.error).toBe("invalid_authorization_details");
  });

  test("is not asked for a first-party client, or for one that needs none", async () => {
    const realm = await iam.realm();
    const own = await relyingParty(iam, realm, { ...asking, firstParty: true });
    expect((await own.signIn(iam.browser(), await realm.user())).status).toBe(200);
  });
});

describe("signing out", () => {
  test("asks the user first without a hint, and redirects to the address that the client registered", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { postLogoutRedirectUris: ["https://app.example/bye"] });
    const browser = iam.browser();
    await party.signIn(browser, await realm.user());
    const logout = (params: Record<string, string>) => `/realms/${realm.name}/logout?${new URLSearchParams(params)}`;
    const expected = { client_id: "app", post_logout_redirect_uri: "https://app.example/bye", state: "x" };
    expect((await browser.get(logout({ ...expected, post_logout_redirect_uri: "https://evil.example/" }))).status).toBe(400);
    expect((await browser.get(logout({ client_id: "nobody" }))).status).toBe(400);
    const page = await browser.get(logout(expected));
    expect(page.headers["content-security-policy"]).toContain("form-action 'self';");
    expect((await submit(browser, base, page, { _csrf: "forged" })).page.status).toBe(403);
    expect((await realm.asMaster().get("/sessions")).body).toHaveLength(1);
    const { left } = await submit(browser, base, page, {});
    expect(left?.href).toBe("https://app.example/bye?state=x");
    expect((await realm.asMaster().get("/sessions")).body).toEqual([]);
  });

  test("a hint of another session, or an access token in its place, does not sign the user out", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const [mine, theirs] = [iam.browser(), iam.browser()];
    const { id_token, access_token } = (await party.signIn(mine, user)).body;
    await party.signIn(theirs, user);
    const path = (hint: string) => `/realms/${realm.name}/logout?id_token_hint=${hint}`;
    expect((await theirs.get(path(id_token))).text).toContain('name="_csrf"');
    expect((await mine.get(path(access_token))).status).toBe(400);
    expect((await mine.get(path(`${id_token.slice(0, -6)}AAAAAA`))).status).toBe(400);
    expect((await realm.asMaster().get("/sessions")).body).toHaveLength(2);
    expect((await mine.get(path(id_token))).status).toBe(200);
    expect((await realm.asMaster().get("/sessions")).body).toHaveLength(1);
  });

  test("a posted request leads to a page that can be loaded again, and in another language", async () => {
    const realm = await iam.realm();
    const uri = "https://app.example.com/bye";
    const party = await relyingParty(iam, realm, { postLogoutRedirectUris: [uri] });
    const browser = iam.browser();
    await party.signIn(browser, await realm.user());
    const form = { client_id: party.clientId, post_logout_redirect_uri: uri, state: "a b" };
    const posted = await iam.browser().request("POST", `/realms/${realm.name}/logout`, { form, csrf: false });
    const asked = await browser.get(String(posted.headers.location));
    expect(asked.status).toBe(303);
    const at = String(asked.headers.location);
    for (const path of [at, at, `${at}&lang=nl`]) expect((await browser.get(path)).text).toContain('name="_csrf"');
    const page = await browser.get(at);
    const [, dutch] = /href="([^"]*lang=nl[^"]*)"/.exec(page.text)!;
    const form2 = Object.fromEntries(new URL(dutch!.replaceAll("&amp;", "&"), iam.config.baseUrl).searchParams);
    expect(form2).toEqual({ ...form, lang: "nl" });
  });

  test("a form of another site signs no user out by itself", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    const { id_token } = (await party.signIn(browser, await realm.user())).body;
    for (const form of [{}, { id_token_hint: id_token }] as Record<string, string>[]) {
      const posted = await iam.browser().request("POST", `/realms/${realm.name}/logout`, { form, csrf: false });
      expect([posted.status, String(posted.headers["set-cookie"] ?? "").includes(`gh_${realm.name}=`)]).toEqual([303, false]);
    }
    expect((await realm.asMaster().get("/sessions")).body).toHaveLength(1);
  });
});
