import { describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import type { SharedHarness } from "../../testing/harness.ts";
import { endpointOf as endpoint, named, openidBroker } from "../../testing/openid-broker.ts";
import { type OpenidPeer, openidPeer, type PeerAnswer, signedByAnother, withOtherContent } from "../../testing/openid-peer.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, walk } from "../../testing/relying-party.ts";
import { answerPage, followed, isSignedIn, setBrowserFlow } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";

let iam: SharedHarness;
let peer: OpenidPeer;
const { brokered, leave, signIn } = openidBroker((stage) => {
  ({ iam, peer } = stage);
});

const usersOf = async (realm: RealmUnderTest) =>
  (await realm.asMaster().get("/users")).body.filter(({ username }: { username: string }) => username !== "admin");

test("a button leads to the provider, and what it sends back signs in: first as a new user, then as the same", async () => {
  const realm = await brokered({ trustEmail: true });
  const browser = iam.browser();
  const page = await browser.get(`/realms/${realm.name}/login`);
  expect(page.text).toContain(`href="/realms/${realm.name}/broker/corp/login"`);
  expect(page.text).toContain("Continue with Corporate");

  const { left, back } = await signIn(realm, {}, browser);
  expect(`${left.origin}${left.pathname}`).toBe(`${peer.issuer}/authorize`);
  expect(Object.fromEntries(left.searchParams)).toMatchObject({
    ...{ response_type: "code", client_id: "gatehouse", scope: "openid email profile", code_challenge_method: "S256" },
    redirect_uri: `${iam.config.baseUrl}/realms/${realm.name}/broker/corp/endpoint`,
  });
  expect(isSignedIn(back, realm.name), back.text).toBe(true);
  const exchange = peer.calls.findLast(({ path }) => path === "/token")!.form;
  expect(Object.fromEntries(exchange)).toMatchObject({ grant_type: "authorization_code", code: "a-code", client_secret: "a-secret" });
  expect(exchange.get("code_verifier")).toMatch(/^[\w-]{43}$/);

  const [user] = await usersOf(realm);
  expect(user).toMatchObject({
    username: "ada",
    email: "ada@example.com",
    emailVerified: true,
    attributes: { firstName: "Ada", lastName: "Lovelace" },
  });
  const { source } = await iam.core.db.selectFrom("users").select("source").where("user_id", "=", user.userId).executeTakeFirstOrThrow();
  expect(source).toBe("oidc:corp");
  expect((await realm.asMaster().get(`/users/${user.userId}/gdpr/export`)).body.federatedLinks).toMatchObject([
    { alias: "corp", subject: "subject-1" },
  ]);
  expect(await realm.events("type=BROKER_LOGIN")).toMatchObject([{ outcome: "SUCCESS", detail: "corp" }]);
  expect(await realm.events("type=LOGIN_SUCCESS")).toMatchObject([{ actor: "ada" }]);

  // Nothing of the profile would be used.
  const profiles = () => peer.calls.filter(({ path }) => path === "/userinfo").length;
  const read = profiles();
  const again = await signIn(realm, { claims: { email: "other@example.com", preferred_username: "countess" } });
  expect(profiles()).toBe(read);
  expect(isSignedIn(again.back, realm.name), again.back.text).toBe(true);
  expect(await usersOf(realm)).toMatchObject([{ userId: user.userId, username: "ada", email: "ada@example.com" }]);
  expect(
    (await realm.events("type=BROKER_LOGIN")).map(({ actor }) => actor),
    "as the user is called here",
  ).toEqual(["ada", "ada"]);
});

test("the requesting application gets its code, and idp_hint redirects to the provider directly", async () => {
  const realm = await brokered();
  const party = await relyingParty(iam, realm);
  const browser = iam.browser();
  const { page } = await walk(browser, iam.config.baseUrl, party.url());
  const href = /href="([^"]*\/broker\/corp\/login[^"]*)"/.exec(page.text)![1]!.replaceAll("&amp;", "&");
  const gone = new URL(String((await browser.get(href)).headers.location));
  const back = await browser.get(endpoint(realm, peer.signIn(gone, { claims: named })));
  const { left: done } = await walk(browser, iam.config.baseUrl, back);
  expect((await party.exchange(done)).status).toBe(200);

  const hinted = await walk(iam.browser(), iam.config.baseUrl, `${party.url()}&idp_hint=corp`);
  expect(hinted.left?.origin).toBe(peer.issuer);
  const unknown = await walk(iam.browser(), iam.config.baseUrl, `${party.url()}&idp_hint=nothing`);
  expect(unknown.page.text).toContain('name="password"');
});

test("an unusable name or mail address is asked of the user instead", async () => {
  const realm = await brokered({ trustEmail: true });
  const odd = { given_name: "\ud800", family_name: "Love\u202elace\u200b", email: "ada@example.com\u200b", department: "a\udfff" };
  const mapper = { name: "d", type: "attribute", claim: "department", attribute: "department" };
  expect((await realm.asMaster().post("/identity-providers/corp/mappers", mapper)).status).toBe(201);
  const { back, browser } = await signIn(realm, { claims: odd });
  expect((await browser.get(String(back.headers.location))).text).toContain('name="firstName"');
  const [user] = await usersOf(realm);
  expect(user).toMatchObject({ username: "ada", email: null, emailVerified: false, attributes: { lastName: "Lovelace" } });
  expect((await realm.asMaster().put(`/users/${user.userId}`, user)).status, "as it was shown").toBe(200);

  // An address in letters of any script is one, and as a mapper writes it a name is a name.
  const mapped = { name: "n", type: "attribute", claim: "nick", attribute: "nickname" };
  expect((await realm.asMaster().post("/identity-providers/corp/mappers", mapped)).status).toBe(201);
  const claims = { sub: "subject-2", preferred_username: "zoë", email: "zoë@bücher.example", nick: "\u202eZ" };
  expect(isSignedIn((await signIn(realm, { claims })).back, realm.name)).toBe(true);
  const zoe = (await usersOf(realm)).find(({ username }: { username: string }) => username === "zoë");
  expect(zoe).toMatchObject({ email: claims.email, emailVerified: true, attributes: { nickname: "Z" } });
});

test("an address is verified where the document says so in which it is, the ID token or the profile", async () => {
  const verified: [boolean, Record<string, unknown>, Record<string, unknown>][] = [
    [false, { email: undefined, email_verified: true }, { email: "ada@example.com", email_verified: false }],
    [true, { email: undefined, email_verified: false }, { email: "ada@example.com", email_verified: true }],
    [false, { email_verified: undefined }, { email: "eve@example.com", email_verified: true }],
    [true, { email_verified: undefined }, { email: "ada@example.com", email_verified: true }],
  ];
  for (const [emailVerified, claims, userinfo] of verified) {
    const realm = await brokered({ trustEmail: true });
    await signIn(realm, { claims, userinfo });
    expect(await usersOf(realm), JSON.stringify([claims, userinfo])).toMatchObject([{ email: "ada@example.com", emailVerified }]);
  }
});

test("a signed profile counts as a plain one does, and another algorithm where it was agreed", async () => {
  const userinfo = { email: "ada@example.com", email_verified: true };
  const [plain, agreed] = [await brokered({ trustEmail: true }), await brokered({ trustEmail: true, signedResponseAlg: "PS256" })];
  await signIn(plain, { claims: { email: undefined, email_verified: undefined }, userinfo, signedUserinfo: {} });
  expect(await usersOf(plain)).toMatchObject([{ email: "ada@example.com", emailVerified: true }]);
  // Issuer, audience and times may be left out.
  await signIn(agreed, {
    claims: { email: undefined },
    userinfo,
    alg: "PS256",
    signedUserinfo: { alg: "PS256", claims: { iss: undefined, aud: undefined } },
  });
  expect(await usersOf(agreed)).toMatchObject([{ email: "ada@example.com", emailVerified: true }]);
  expect((await signIn(agreed)).back.status, "RS256 was not agreed").toBe(400);
});

describe("an answer that is not the provider's for this very sign-in", () => {
  const wrong: [string, (left: URL) => PeerAnswer, Record<string, string>?][] = [
    ["another nonce", () => ({ claims: { nonce: "another" } })],
    ["no nonce", () => ({ claims: { nonce: undefined } })],
    ["another audience", () => ({ claims: { aud: "another" } })],
    ["a second audience without azp", () => ({ claims: { aud: ["gatehouse", "another"] } })],
    ["another azp", () => ({ claims: { azp: "another" } })],
    ["another issuer", () => ({ claims: { iss: "https://evil.example" } })],
    ["an expired token", () => ({ claims: { exp: Math.floor(clock.now() / 1000) - 120 } })],
    ["a token from the future", () => ({ claims: { iat: Math.floor(clock.now() / 1000) + 600 } })],
    ["a token without a signature", () => ({ idToken: unsigned({ sub: "subject-1" }) })],
    ["a token that is not valid yet", () => ({ claims: { nbf: Math.floor(clock.now() / 1000) + 600 } })],
    ["an unknown key", () => ({ claims: { kid: "another" } })],
    ["other content under the provider's signature", () => ({ forged: (jwt) => withOtherContent(jwt, { sub: "subject-2" }) })],
    ["another key under the name of the provider's", () => ({ forged: (jwt) => signedByAnother(jwt) })],
    ["our own secret in place of the provider's key", () => ({ forged: (jwt) => signedByAnother(jwt, "a-secret") })],
    ["a subject that cannot be stored", () => ({ claims: { sub: "\ud800" } })],
    ["an algorithm that was not agreed", () => ({ alg: "PS256" })],
    ["a signed profile of another subject", () => ({ signedUserinfo: { claims: { sub: "another" } } })],
    ["a signed profile for another client", () => ({ signedUserinfo: { claims: { aud: "another" } } })],
    ["a signed profile of another issuer", () => ({ signedUserinfo: { claims: { iss: "https://evil.example" } } })],
    ["a signed profile that has expired", () => ({ signedUserinfo: { claims: { exp: Math.floor(clock.now() / 1000) - 120 } } })],
    ["a signed profile by another algorithm", () => ({ signedUserinfo: { alg: "PS256" } })],
    ["a signed profile by another key", () => ({ signedUserinfo: { forged: (jwt) => signedByAnother(jwt) } })],
    ["a profile of another subject", () => ({ userinfo: { sub: "another" } })],
    ["an error of the token endpoint", () => ({ tokenStatus: 400 })],
    ["an error with status 200", () => ({ tokenBody: '{"error":"bad_verification_code"}' })],
    ["a redirect of the token endpoint", () => ({ tokenStatus: 302 })],
    ["a token answer that is too long", () => ({ tokenBody: "x".repeat(400_000) })],
    ["another issuer in the answer", () => ({}), { iss: "https://evil.example" }],
    ["no issuer in the answer, which the provider promised", () => ({}), { iss: "" }],
    ["no code", () => ({}), { code: "" }],
    ["an error of the provider", () => ({}), { error: "server_error", error_description: "<b>call 0900</b>" }],
  ];
  test("starts no session, makes no user, and is recorded once", async () => {
    const realm = await brokered({ trustEmail: true });
    for (const [what, answer, query = {}] of wrong) {
      // The first refusals are recorded of more than 20 a minute.
      clock.advance(5_000);
      const { browser, left } = await leave(realm);
      const answered = answer(left);
      const sent: Record<string, string> = { ...peer.signIn(left, answered), ...query };
      for (const [name, value] of Object.entries(sent)) if (value === "") delete sent[name];
      const back = await browser.get(endpoint(realm, sent));
      expect([what, back.status, browser.cookies.has(`gh_${realm.name}`)], back.text).toEqual([what, 400, false]);
      expect(back.text).not.toMatch(/\b0900\b/);
      expect(back.text.split("/broker/corp/login").length - 1, "it leads back, by one link").toBe(1);
    }
    expect(await usersOf(realm)).toEqual([]);
    const events = await realm.events("type=BROKER_LOGIN");
    expect(events).toHaveLength(wrong.length);
    expect(new Set(events.map(({ outcome }) => outcome))).toEqual(new Set(["FAILURE"]));
  });
  const unsigned = (claims: object) =>
    `${[{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;

  test("state is of one browser, one provider and one time; access_denied leads back to the ways to sign in", async () => {
    const realm = await brokered();
    const { config } = (await realm.asMaster().get("/identity-providers/corp")).body;
    const other = { alias: "other", protocol: "oidc", config: { issuer: config.issuer, clientId: "gatehouse", clientSecret: "a-secret" } };
    expect((await realm.asMaster().post("/identity-providers", other)).status).toBe(201);
    const { browser, left } = await leave(realm);
    const answer = peer.signIn(left, { claims: named });
    expect((await iam.browser().get(endpoint(realm, answer))).status, "another browser").toBe(400);
    const elsewhere = await browser.get(endpoint(realm, answer, "other"));
    expect([elsewhere.status, browser.cookies.has(`gh_${realm.name}`)], "another provider's endpoint").toEqual([400, false]);
    expect(isSignedIn(await browser.get(endpoint(realm, answer)), realm.name), "the sign-in goes on").toBe(true);

    const second = await leave(realm);
    const cancelled = await second.browser.get(
      endpoint(realm, { state: second.left.searchParams.get("state")!, error: "access_denied", iss: peer.issuer }),
    );
    expect([cancelled.status, cancelled.text.includes("cancelled")]).toEqual([200, true]);
    const third = await leave(realm, second.browser);
    const right = endpoint(realm, peer.signIn(third.left, { claims: named }));
    expect(isSignedIn(await third.browser.get(right), realm.name)).toBe(true);
    expect((await third.browser.get(right)).status, "used").not.toBe(200);

    const late = await leave(realm);
    clock.advance(31 * MINUTE);
    expect((await late.browser.get(endpoint(realm, peer.signIn(late.left)))).status).toBe(400);
  });

  test("a provider that was disabled meanwhile, or whose discovery lies, starts no session, and a password still does", async () => {
    const realm = await brokered();
    const { browser, left } = await leave(realm);
    const { body } = await realm.asMaster().get("/identity-providers/corp");
    await realm.asMaster().put("/identity-providers/corp", { ...body, enabled: false });
    const stopped = await browser.get(endpoint(realm, peer.signIn(left, { claims: named })));
    expect([stopped.status, browser.cookies.has(`gh_${realm.name}`)], "the page without it").toEqual([303, false]);
    expect(await usersOf(realm)).toEqual([]);
    expect((await browser.get(`/realms/${realm.name}/login`)).text).not.toContain("/broker/corp/login");

    const lying = await openidPeer();
    lying.discover({ issuer: "https://evil.example" });
    const other = { alias: "lying", protocol: "oidc", config: { issuer: lying.issuer, clientId: "gatehouse", clientSecret: "a-secret" } };
    await realm.asMaster().post("/identity-providers", other);
    const tested = await realm.asMaster().post("/identity-providers/lying/test");
    expect(tested.body, tested.text).toMatchObject({ ok: false, checks: [{ name: "discovery", ok: false }] });
    lying.discover({ userinfo_endpoint: "http://127.0.0.1:9/userinfo" });
    const names = ["discovery", "keys", "token endpoint", "userinfo endpoint"];
    const again = await realm.asMaster().post("/identity-providers/lying/test");
    expect(again.body).toMatchObject({ ok: false, checks: names.map((name) => ({ name, ok: name !== "userinfo endpoint" })) });
    lying.discover({ issuer: "https://evil.example" });
    const refused = await iam.browser().get(`/realms/${realm.name}/broker/lying/login`);
    expect([refused.status, refused.text.includes('name="password"') || refused.text.includes("choose")]).toEqual([400, true]);
    await lying.close();
    const user = await realm.user();
    await iam.browser().signIn(realm.name, user.username, user.password);
  });
});

test("link-only, deny and allowed domains refuse those who are not linked, and make no user", async () => {
  for (const config of [{ provisioning: "deny" }, { provisioning: "link-only" }, { allowedDomains: ["corp.example"] }]) {
    const realm = await brokered(config);
    const { back } = await signIn(realm);
    expect([back.status, isSignedIn(back, realm.name)], back.text).toEqual([400, false]);
    expect(await usersOf(realm)).toEqual([]);
  }
  const realm = await brokered({ allowedDomains: ["bücher.example"] });
  for (const [email, isIn] of [
    ["ada@BÜCHER.example", true],
    ["ada@xn--bcher-kva.example", true],
    ["ada@bucher.example", false],
    ["ada@sub.bücher.example", false],
  ] as const)
    expect([email, isSignedIn((await signIn(realm, { claims: { email } })).back, realm.name)]).toEqual([email, isIn]);
  const refused = await realm.asMaster().patch("/identity-providers/corp", { config: { allowedDomains: ["@corp.example"] } });
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "config.allowedDomains.0" }] } });
});

test("mappers give attributes, roles and groups, take back what they gave, and nothing else", async () => {
  const realm = await brokered();
  const master = realm.asMaster();
  // Created after the provider: the names are looked up when a user signs in.
  for (const name of ["sales", "byhand"]) await master.post("/roles", { name });
  const { groupId } = (await master.post("/groups", { name: "staff" })).body;
  for (const mapper of [
    { name: "a", type: "attribute", claim: "department.name", attribute: "department" },
    { name: "b", type: "role", claim: "groups", value: "sales", role: "sales" },
    { name: "c", type: "group", claim: "groups", value: "staff", group: groupId },
    { name: "d", type: "template", template: "{given_name} of {department.name}", attribute: "label" },
  ])
    expect((await master.post("/identity-providers/corp/mappers", mapper)).status).toBe(201);
  const claims = { department: { name: "Sales" }, groups: ["sales", "staff", "admin"] };
  expect(isSignedIn((await signIn(realm, { claims })).back, realm.name)).toBe(true);
  const [{ userId }] = await usersOf(realm);
  const read = async () => {
    const { roles, attributes } = (await master.get(`/users/${userId}`)).body;
    return { roles: roles.sort(), attributes, groups: (await master.get(`/users/${userId}/groups`)).body.length };
  };
  expect(await read()).toMatchObject({
    ...{ roles: ["sales", "user"], groups: 1 },
    attributes: { department: "Sales", label: "Ada of Sales" },
  });
  await master.post(`/users/${userId}/roles`, { name: "byhand" });
  expect(isSignedIn((await signIn(realm, { claims: { groups: ["staff"] } })).back, realm.name)).toBe(true);
  const after = await read();
  expect(after).toMatchObject({ roles: ["byhand", "user"], groups: 1 });
  // Each sign-in recorded what it changed.
  const by = { resourceId: userId, actor: "identity provider corp", actorKind: "system" };
  const events = async (type: string) => (await realm.events(`type=${type}`)).filter(({ actor }) => actor === by.actor).reverse();
  const given = { ...by, detail: "roles and groups by oidc:corp" };
  expect(await events("ADMIN_UPDATE")).toMatchObject([given, given]);
  expect(await events("PROFILE_CHANGED")).toMatchObject([
    { ...by, detail: "department firstName label lastName" },
    { ...by, detail: "department label" },
  ]);
  expect(after.attributes).not.toHaveProperty("department");

  // A mapper that is deleted withdraws what it gave, be it the last one.
  for (const { mapperId } of (await master.get("/identity-providers/corp/mappers")).body)
    expect((await master.delete(`/identity-providers/corp/mappers/${mapperId}`)).status).toBe(204);
  expect(isSignedIn((await signIn(realm, { claims })).back, realm.name)).toBe(true);
  expect(await read()).toMatchObject({ roles: ["byhand", "user"], groups: 0 });
  const again = { name: "c", type: "group", claim: "groups", value: "staff", group: groupId };
  expect((await master.post("/identity-providers/corp/mappers", again)).status).toBe(201);
  expect(isSignedIn((await signIn(realm, { claims })).back, realm.name)).toBe(true);
  expect(await read()).toMatchObject({ roles: ["byhand", "user"], groups: 1 });

  // A role and a group that a mapper gave, and an administrator gives as well, are the user's own.
  const own = (await master.post("/groups", { name: "own" })).body.groupId;
  for (const mapper of [
    { name: "b", type: "role", claim: "groups", value: "sales", role: "sales" },
    { name: "e", type: "group", claim: "groups", value: "sales", group: own },
  ])
    expect((await master.post("/identity-providers/corp/mappers", mapper)).status).toBe(201);
  expect(isSignedIn((await signIn(realm, { claims })).back, realm.name)).toBe(true);
  expect(await read()).toMatchObject({ roles: ["byhand", "sales", "user"], groups: 2 });
  await master.post(`/users/${userId}/roles`, { name: "sales" });
  await master.post(`/groups/${own}/members`, { userId });
  expect((await realm.events(`type=ADMIN_UPDATE&resourceId=${userId}`)).filter(({ detail }) => detail?.includes("by hand"))).toHaveLength(
    2,
  );
  expect(isSignedIn((await signIn(realm, { claims: { groups: ["staff"] } })).back, realm.name)).toBe(true);
  expect(await read()).toMatchObject({ roles: ["byhand", "sales", "user"], groups: 2 });

  // With the link goes what it gave: no sign-in by the provider could take it back any more.
  expect((await master.put(`/users/${userId}/password`, { newPassword: "a-Password-of-hers-1" })).status).toBe(204);
  expect((await master.delete(`/users/${userId}/linked-accounts/corp`)).status).toBe(204);
  expect(await read()).toMatchObject({ roles: ["byhand", "sales", "user"], groups: 1 });
});

test("a role and a group that an administrator takes away and gives again are the user's own: exported, and withdrawn by no sign-in", async () => {
  const realm = await brokered();
  const master = realm.asMaster();
  await master.post("/roles", { name: "sales" });
  const { groupId } = (await master.post("/groups", { name: "staff" })).body;
  for (const mapper of [
    { name: "b", type: "role", claim: "groups", value: "staff", role: "sales" },
    { name: "c", type: "group", claim: "groups", value: "staff", group: groupId },
  ])
    expect((await master.post("/identity-providers/corp/mappers", mapper)).status).toBe(201);
  const claims = { groups: ["staff"] };
  expect(isSignedIn((await signIn(realm, { claims })).back, realm.name)).toBe(true);
  const [{ userId, username }] = await usersOf(realm);
  const held = async () => [
    (await master.get(`/users/${userId}`)).body.roles.includes("sales"),
    (await master.get(`/users/${userId}/groups`)).body.length === 1,
  ];
  const exported = async () => {
    const { users } = (await master.get("/export?users=true")).body;
    const { roles, groups = [] } = users.find((user: { username: string }) => user.username === username);
    return { roles: roles.sort(), groups };
  };
  const member = `/groups/${groupId}/members/${userId}`;
  const roles = async (names: string[]) => expect((await master.patch(`/users/${userId}`, { roles: names })).status).toBe(200);
  expect(await held()).toEqual([true, true]);
  expect(await exported()).toEqual({ roles: ["user"], groups: [] });
  const takeAway = async () => {
    expect((await master.delete(member)).status).toBe(204);
    await roles(["user"]);
    expect(await held()).toEqual([false, false]);
  };
  await takeAway();
  // The provider gives it again, and withdraws its own.
  expect(isSignedIn((await signIn(realm, { claims })).back, realm.name)).toBe(true);
  expect(await held()).toEqual([true, true]);
  expect(isSignedIn((await signIn(realm)).back, realm.name)).toBe(true);
  expect(await held()).toEqual([false, false]);

  expect(isSignedIn((await signIn(realm, { claims })).back, realm.name)).toBe(true);
  await takeAway();
  expect((await master.put(member, {})).status).toBeLessThan(300);
  await roles(["user", "sales"]);
  expect(await exported()).toEqual({ roles: ["sales", "user"], groups: ["/staff"] });
  expect(isSignedIn((await signIn(realm)).back, realm.name)).toBe(true);
  expect(await held()).toEqual([true, true]);
});

test("our own second factor is required, unless the provider is trusted for two and asserts them", async () => {
  const realm = await brokered({ multiFactorAmr: ["mfa"] });
  await signIn(realm);
  const [{ userId }] = await usersOf(realm);
  const code = await giveTotp(iam, realm.name, userId);
  const { browser, back } = await signIn(realm);
  expect([back.status, browser.cookies.has(`gh_${realm.name}`)]).toEqual([303, false]);
  const done = await answerPage(browser, realm.name, await followed(browser, back), { code: code() });
  expect(isSignedIn(done, realm.name), done.text).toBe(true);
  expect(isSignedIn((await signIn(realm, { claims: { amr: ["pwd", "mfa"] } })).back, realm.name)).toBe(true);
});

test("a link that is removed, or a provider that is disabled, before the second factor signs no one in", async () => {
  const realm = await brokered({ storeTokens: true });
  const boss = realm.asMaster();
  await signIn(realm);
  const [{ userId }] = await usersOf(realm);
  const code = await giveTotp(iam, realm.name, userId);
  expect((await boss.put(`/users/${userId}/password`, { newPassword: "a-Password-of-hers-1" })).status).toBe(204);
  for (const change of [
    () => boss.patch("/identity-providers/corp", { enabled: false }),
    () => boss.delete(`/users/${userId}/linked-accounts/corp`),
  ]) {
    const { browser, back } = await signIn(realm);
    const page = await followed(browser, back);
    expect([200, 204]).toContain((await change()).status);
    const done = await answerPage(browser, realm.name, page, { code: code() });
    expect([done.status, browser.cookies.has(`gh_${realm.name}`), done.text.includes("Sign in again")], done.text).toEqual([
      400,
      false,
      true,
    ]);
    await boss.patch("/identity-providers/corp", { enabled: true });
  }
});

describe("a sign-in that was begun for a name or a user", () => {
  const byButton = async (realm: RealmUnderTest, browser: Browser, page: Answer, claims: Record<string, unknown> = {}) => {
    const [, href] = /href="([^"]*\/broker\/corp\/login[^"]*)"/.exec(page.text)!;
    const left = new URL(String((await browser.get(href!.replaceAll("&amp;", "&"))).headers.location));
    return browser.get(endpoint(realm, peer.signIn(left, { claims: { ...named, ...claims } })));
  };

  test("goes on by a button after a wrong password, and makes no account where the user is known", async () => {
    const realm = await brokered();
    await signIn(realm);
    const user = await realm.user();
    const party = await relyingParty(iam, realm);
    for (const username of [user.username, "unknown"]) {
      const browser = iam.browser();
      const { page } = await walk(browser, iam.config.baseUrl, party.url());
      const wrong = await answerPage(browser, realm.name, page, { username, password: "wrong" });
      expect(wrong.status).toBe(401);
      expect(isSignedIn(await byButton(realm, browser, wrong), realm.name), username).toBe(true);
    }

    const step = (authenticator: string, requirement: "REQUIRED" | "ALTERNATIVE") => ({ authenticator, requirement, config: {} });
    const ways = [step("password", "ALTERNATIVE"), step("identity-provider", "ALTERNATIVE")];
    await setBrowserFlow(iam, realm, [step("username", "REQUIRED"), { alias: "ways", requirement: "REQUIRED", steps: ways }]);
    const other = await realm.user();
    const address = { email: "eve@example.com", emailVerified: true };
    expect((await realm.asMaster().patch(`/users/${other.userId}`, address)).status).toBe(200);
    const before = await usersOf(realm);
    const eve = { sub: "subject-2", preferred_username: "eve" };
    for (const [username, claims] of [
      [user.username, eve],
      ["unknown", eve],
      // An address does not make it another user's sign-in.
      [user.username, { ...eve, email: address.email }],
    ] as const) {
      const browser = iam.browser();
      const first = await browser.get(`/realms/${realm.name}/login`);
      const page = await followed(browser, await answerPage(browser, realm.name, first, { username }));
      const back = await byButton(realm, browser, page, claims);
      expect([back.status, isSignedIn(back, realm.name)], back.text).toEqual([400, false]);
    }
    expect(await usersOf(realm)).toEqual(before);
  });

  test("links nothing by a provider that was disabled or deleted while the owner proved the account", async () => {
    const realm = await brokered({ trustEmail: true });
    const user = await realm.user("owner");
    const boss = realm.asMaster();
    expect((await boss.patch(`/users/${user.userId}`, { email: "ada@example.com", emailVerified: true })).status).toBe(200);
    for (const change of [
      () => boss.patch("/identity-providers/corp", { enabled: false }),
      () => boss.delete("/identity-providers/corp"),
    ]) {
      const { browser, back } = await signIn(realm);
      const page = await followed(browser, back);
      await change();
      const done = await answerPage(browser, realm.name, page, { password: user.password });
      expect([done.status, browser.cookies.has(`gh_${realm.name}`), done.text.includes("Sign in again")], done.text).toEqual([
        400,
        false,
        true,
      ]);
      await boss.patch("/identity-providers/corp", { enabled: true });
    }
    expect((await boss.get(`/users/${user.userId}/linked-accounts`)).body).toEqual([]);
  });
});
