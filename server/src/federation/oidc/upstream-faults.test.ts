import { expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import type { SharedHarness } from "../../testing/harness.ts";
import { endpointOf as endpoint, named, openidBroker, openidProvider } from "../../testing/openid-broker.ts";
import { type OpenidPeer, openidPeer } from "../../testing/openid-peer.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, walk } from "../../testing/relying-party.ts";
import { isSignedIn } from "../../testing/step-pages.ts";

let iam: SharedHarness;
let peer: OpenidPeer;
const { brokered, signIn } = openidBroker((stage) => {
  ({ iam, peer } = stage);
});

const keyReads = () => peer.calls.filter(({ path }) => path === "/jwks").length;

test("keys that the provider has changed are read at once, and a flood of unknown ones costs a read each half minute", async () => {
  const realm = await brokered();
  expect(isSignedIn((await signIn(realm)).back, realm.name)).toBe(true);
  await peer.rotate();
  const before = keyReads();
  expect(isSignedIn((await signIn(realm)).back, realm.name), "by the new key").toBe(true);
  expect(keyReads() - before).toBe(1);
  for (let tries = 0; tries < 8; tries++) expect((await signIn(realm, { claims: { kid: `made-up-${tries}` } })).back.status).toBe(400);
  expect(keyReads() - before, "a flood").toBe(1);
  clock.advance(31 * SECOND);
  await Promise.all([1, 2, 3].map((n) => signIn(realm, { claims: { kid: `made-up-${n}` } })));
  expect(keyReads() - before, "those at once share one").toBe(2);
});

test("the request is passed on as configured, and a level in the provider's own values", async () => {
  const all = ["login_hint", "ui_locales", "acr_values", "prompt"];
  const requested = { login_hint: "ada@example.com", acr_values: "2", prompt: "login", idp_hint: "corp" };
  const leaving = async (config: Record<string, unknown>) => {
    const realm = await brokered(config);
    const party = await relyingParty(iam, realm);
    const { left } = await walk(iam.browser(), iam.config.baseUrl, party.url(requested));
    return Object.fromEntries([...left!.searchParams].filter(([name]) => all.includes(name)));
  };
  expect(await leaving({})).toEqual({ login_hint: "ada@example.com", ui_locales: "en", prompt: "login" });
  expect(await leaving({ forwardParameters: [] })).toEqual({});
  expect(await leaving({ forwardParameters: ["acr_values"], multiFactorAcr: ["urn:two", "urn:three"] })).toEqual({
    acr_values: "urn:two urn:three",
  });
  expect(await leaving({ forwardParameters: ["acr_values"] })).toEqual({ acr_values: "2" });
});

test("a session at the provider from before is no new sign-in, nor one of an unknown time, unless its prompt is trusted", async () => {
  const now = () => Math.floor(clock.now() / 1000);
  const requested = { prompt: "login", idp_hint: "corp" };
  const again = async (realm: RealmUnderTest, claims: Record<string, unknown>) => {
    const party = await relyingParty(iam, realm, { clientId: `app-${now()}-${Math.random()}` });
    const browser = iam.browser();
    const { left } = await walk(browser, iam.config.baseUrl, party.url(requested));
    return browser.get(endpoint(realm, peer.signIn(left!, { claims: { ...named, ...claims } })));
  };
  const realm = await brokered();
  expect(isSignedIn((await signIn(realm)).back, realm.name), "a plain one needs no time").toBe(true);
  for (const [what, claims, isFresh] of [
    ["no time", {}, false],
    ["an old time", { auth_time: now() - 600 }, false],
    ["a time that is text", { auth_time: String(now()) }, false],
    ["now", { auth_time: now() }, true],
  ] as const) {
    const back = await again(realm, claims);
    expect([what, isSignedIn(back, realm.name), back.status], back.text).toEqual([what, isFresh, isFresh ? 303 : 400]);
    if (!isFresh) expect(back.text).toContain("didn’t ask you to sign in again");
  }
  expect((await realm.events("type=BROKER_LOGIN&outcome=FAILURE")).map(({ detail }: { detail: string }) => detail)).toEqual(
    Array(3).fill("corp: stale"),
  );
  const unsent = await brokered({ trustPrompt: true, forwardParameters: [] });
  expect(isSignedIn(await again(unsent, {}), unsent.name), "a prompt that was not sent").toBe(false);
  const trusted = await brokered({ trustPrompt: true });
  expect(isSignedIn(await again(trusted, {}), trusted.name)).toBe(true);
  expect(isSignedIn(await again(trusted, { auth_time: now() - 600 }), trusted.name), "an old time is never new").toBe(false);
});

test("an address that changed at the provider follows where it is configured, and is confirmed only by a trusted one", async () => {
  const of = async (realm: RealmUnderTest) => {
    const [{ email, emailVerified }] = (await realm.asMaster().get("/users?search=ada")).body;
    return { email, emailVerified };
  };
  const follows = await brokered({ sync: "force", trustEmail: true });
  await signIn(follows);
  expect(await of(follows)).toEqual({ email: "ada@example.com", emailVerified: true });
  await signIn(follows, { claims: { email: "countess@example.com", email_verified: false } });
  expect(await of(follows), "not confirmed").toEqual({ email: "countess@example.com", emailVerified: false });
  // An address that is another user's is not taken over, and the sign-in goes on.
  const boss = follows.asMaster();
  await boss.post("/users", { username: "boss", email: "boss@example.com", emailVerified: true });
  const { back } = await signIn(follows, { claims: { email: "boss@example.com", email_verified: true } });
  expect(isSignedIn(back, follows.name), back.text).toBe(true);
  expect((await of(follows)).email).not.toBe("boss@example.com");
});

test("a provider that is slow, huge, redirects or lies in discovery starts no session, and costs others nothing", async () => {
  const realm = await brokered();
  const user = await realm.user();
  const hung = await Promise.all([
    hangs(realm, "/.well-known/openid-configuration", "silent"),
    hangs(realm, "/token", "headers"),
    hangs(realm, "/jwks", "silent"),
    hangs(realm, "/userinfo", "body"),
  ]);
  const faults: [string, Record<string, unknown> | string, number?][] = [
    ["another issuer", { issuer: "https://evil.example" }],
    ["a token endpoint inside", { token_endpoint: "http://10.0.0.1/token" }],
    ["keys by another scheme", { jwks_uri: "file:///etc/passwd" }],
    ["no token endpoint", { token_endpoint: undefined }],
    ["a list", "[]"],
    ["no JSON", "<html>"],
    ["more than is read", "x".repeat(300_000)],
    ["a redirect", "{}", 302],
  ];
  for (const [what, document, status] of faults) {
    const lying = await openidPeer();
    if (typeof document === "string") lying.discoverAs(document, status);
    else lying.discover(document);
    const config = { issuer: lying.issuer, clientId: "gatehouse", clientSecret: "a-secret" };
    const alias = `fault-${faults.findIndex(([each]) => each === what)}`;
    expect(await realm.asMaster().post("/identity-providers", { alias, protocol: "oidc", config })).toMatchObject({ status: 201 });
    const page = await iam.browser().get(`/realms/${realm.name}/broker/${alias}/login`);
    expect([what, page.status, page.text.includes('name="password"') || page.text.includes("choose")], page.text).toEqual([
      what,
      400,
      true,
    ]);
    expect(
      lying.calls.some(({ path }) => path === "/elsewhere"),
      what,
    ).toBe(false);
    await lying.close();
  }
  const dead = { issuer: "http://127.0.0.1:9", clientId: "gatehouse", clientSecret: "a-secret" };
  await realm.asMaster().post("/identity-providers", { alias: "dead", protocol: "oidc", config: dead });
  expect((await iam.browser().get(`/realms/${realm.name}/broker/dead/login`)).status).toBe(400);
  await iam.browser().signIn(realm.name, user.username, user.password);
  clock.advance(MINUTE);
  expect(isSignedIn((await signIn(realm)).back, realm.name), "another provider of the realm").toBe(true);
  for (const { path, answer, browser } of hung) {
    const { status, text } = await answer;
    expect([path, status, text.includes('name="password"'), browser.cookies.has(`gh_${realm.name}`)]).toEqual([path, 400, true, false]);
  }
  const page = await iam.browser().get(`/realms/${realm.name}/login`);
  expect(page.text, "its button says so").toMatch(/openid-configuration<[^\n]*Not answering right now/);
  await Promise.all(hung.map(({ close }) => close()));
});

/** A sign-in at a provider of which one address hangs. */
async function hangs(realm: RealmUnderTest, path: string, how: "silent" | "headers" | "body") {
  const slow = await openidPeer();
  slow.hang(path, how);
  const alias = path.split("/").at(-1)!;
  expect(await realm.asMaster().post("/identity-providers", openidProvider(slow, { alias }))).toMatchObject({ status: 201 });
  const browser = iam.browser();
  const left = browser.get(`/realms/${realm.name}/broker/${alias}/login`);
  const back = async (to: string) => browser.get(endpoint(realm, slow.signIn(new URL(to), { claims: named }), alias));
  const answer = alias === "openid-configuration" ? left : left.then(({ headers }) => back(String(headers.location)));
  return { path, browser, close: slow.close, answer };
}

test("all calls of a request have one deadline: a provider that is slow at each of them fails once, and leads back", async () => {
  const node = await iam.secondNode({ GATEHOUSE_PROVIDER_TIMEOUT_MS: "1500" });
  const slow = await openidPeer();
  const realm = await iam.realm();
  const kinds = { oidc: {}, github: { authorizationUrl: "/authorize", tokenUrl: "/token", userinfoUrl: "/user" } };
  for (const [protocol, paths] of Object.entries(kinds)) {
    const places = Object.fromEntries(Object.entries(paths).map(([member, path]) => [member, slow.issuer + path]));
    const { config, ...body } = openidProvider(slow, { alias: protocol, protocol, storeTokens: true, ...places });
    const { issuer: _, ...github } = config;
    const saved = await realm.asMaster().post("/identity-providers", { ...body, config: protocol === "oidc" ? config : github });
    expect(saved.status, saved.text).toBe(201);
  }
  const pages = { "/user": { id: 1, login: "ada" }, "/user/emails": [] };
  for (const [alias, answer] of Object.entries({ oidc: { claims: named }, github: { hasIdToken: false, pages } })) {
    const browser = iam.browser().elsewhere(node.server.app);
    slow.slow(0);
    const begun = await browser.get(`/realms/${realm.name}/broker/${alias}/login`);
    expect(begun.status, begun.text).toBe(303);
    const { iss = "", ...back } = slow.signIn(new URL(String(begun.headers.location)), answer);
    // Each call alone is in time.
    slow.slow(800);
    const page = await browser.get(endpoint(realm, { ...back, ...(alias === "oidc" && { iss }) }, alias));
    expect(
      [alias, page.status, page.text.includes("We can’t reach that provider"), page.text.includes('name="password"')],
      page.text,
    ).toEqual([...[alias, 400, true, true]]);
  }
  const failures = await realm.events("type=BROKER_LOGIN");
  expect(failures.map(({ detail }: { detail: string }) => detail).sort()).toEqual(["github: timeout", "oidc: timeout"]);

  const called = slow.calls.map(({ path }) => path);
  expect([called.includes("/token"), called.includes("/userinfo"), called.includes("/user/emails")], "no call begins later").toEqual([
    ...[true, false, false],
  ]);

  // The report of a test says how far it came.
  const boss = realm.asMaster().browser.elsewhere(node.server.app);
  const tested = await boss.post(`/admin/realms/${realm.name}/identity-providers/oidc/test`);
  expect(tested.body.checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual([
    ["discovery", true],
    ["keys", false],
    ["token endpoint", false],
    ["userinfo endpoint", false],
  ]);
  // Tokens are refreshed after discovery is read again, by an application of the same user.
  slow.slow(0);
  const party = await relyingParty(iam, realm, { scopes: ["openid", "account"], firstParty: true });
  const user = iam.browser();
  const { headers: to } = await user.get(`/realms/${realm.name}/broker/oidc/login`);
  const tokens = { refresh_token: "theirs", expires_in: 60 };
  await user.get(endpoint(realm, slow.signIn(new URL(String(to.location)), { claims: named, tokens }), "oidc"));
  clock.advance(11 * MINUTE);
  const { headers: on } = await user.get(party.url({ scope: "openid account" }));
  const bearer = (await party.exchange(new URL(String(on.location)))).body.access_token;
  slow.slow(800);
  const unrefreshed = await iam
    .browser()
    .elsewhere(node.server.app)
    .get(`/realms/${realm.name}/account/linked-accounts/oidc/token`, { headers: { authorization: `Bearer ${bearer}` } });
  expect([unrefreshed.status, unrefreshed.body.code], unrefreshed.text).toEqual([503, "identity_providers.token_unavailable"]);

  await slow.close();
});

test("no address in the config may be one that must not be called, and the answer names the member", async () => {
  const realm = await iam.realm();
  const members = ["issuer", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl", "logoutUrl"];
  for (const member of members)
    for (const url of ["ftp://example.com/x", "https://user:pass@example.com/x", "javascript:alert(1)", "https://169.254.169.254/x"]) {
      const config = { issuer: "https://login.example.com", clientId: "gatehouse", clientSecret: "a-secret", [member]: url };
      const refused = await realm.asMaster().post("/identity-providers", { alias: "bad", protocol: "oidc", config });
      expect([member, url, refused.status, refused.text.includes(`config.${member}`)], refused.text).toEqual([member, url, 400, true]);
    }
});
