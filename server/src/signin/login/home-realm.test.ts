import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { packageFile } from "../../kernel/package.ts";
import { statements } from "../../platform/db/migrate.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import type { SharedHarness } from "../../testing/harness.ts";
import { endpointOf, openidBroker, openidProvider } from "../../testing/openid-broker.ts";
import type { OpenidPeer } from "../../testing/openid-peer.ts";
import { allowMessages } from "../../testing/outbox.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, walk } from "../../testing/relying-party.ts";
import { answerPage, followed, formOf, isSignedIn, masked } from "../../testing/step-pages.ts";

let iam: SharedHarness;
let peer: OpenidPeer;
openidBroker((stage) => {
  ({ iam, peer } = stage);
});

const DOMAIN = "acme.example";

const provider = (alias: string, config: object = {}) => ({ ...openidProvider(peer, { alias, ...config }), displayName: `The ${alias}` });
async function created(answer: Promise<Answer>) {
  const { status, text, body } = await answer;
  expect(status, text).toBe(201);
  return body;
}

/** Creates a realm in which an organization's verified domain leads to its provider. */
async function home({ settings = {}, organization = {}, config = {} }: { settings?: object; organization?: object; config?: object } = {}) {
  const realm = await iam.realm();
  const master = realm.asMaster();
  if (Object.keys(settings).length > 0) expect((await master.patch("/settings", settings)).status).toBe(200);
  await created(master.post("/identity-providers", provider("corp", { hideOnLogin: true, ...config })));
  const body = { name: "Acme", domains: [{ domain: DOMAIN, verified: true }], identityProvider: "corp", ...organization };
  const { organizationId } = await created(master.post("/organizations", body));
  return { realm, master, organizationId };
}

const open = (browser: Browser, realm: RealmUnderTest, query = "") => browser.get(`/realms/${realm.name}/login${query}`);
async function type(browser: Browser, realm: RealmUnderTest, username: string, password = "not looked at") {
  return answerPage(browser, realm.name, await open(browser, realm), { username, password });
}
/** Returns the address to which the typed name led, or null if it led nowhere. */
async function ledTo(browser: Browser, realm: RealmUnderTest, answer: Answer): Promise<URL | null> {
  if (answer.status !== 303) return null;
  const page = await followed(browser, answer);
  const [, next] = /^0; url=(.*)$/.exec(String(page.headers.refresh ?? "")) ?? [];
  if (next === undefined) return null;
  expect(next).toMatch(new RegExp(`^/realms/${realm.name}/broker/`));
  return new URL(String((await browser.get(next)).headers.location));
}
const continueAfterReturn = (browser: Browser, realm: RealmUnderTest, left: URL, claims: Record<string, unknown>) =>
  browser.get(endpointOf(realm, peer.signIn(left, { claims })));

describe("the setting identifierFirst", () => {
  test("asks for the name, then for the password, the same for existing and unknown users; a sign-in in progress begins again", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const before = await open(iam.browser(), realm);
    expect(before.text).toContain('name="password"');
    expect((await realm.asMaster().patch("/settings", { identifierFirst: true })).status).toBe(200);
    const pages = [];
    for (const username of [user.username, "unknown"]) {
      const browser = iam.browser();
      const first = await open(browser, realm);
      expect(first.text).not.toContain('type="password"');
      const page = await followed(browser, await answerPage(browser, realm.name, first, { username, rememberMe: "true" }));
      // The hidden name is for password managers.
      expect(formOf(page)).toMatchObject({ username });
      const wrong = await answerPage(browser, realm.name, page, { password: "not the password" });
      pages.push([page.status, masked(page.text, username), wrong.status, masked(wrong.text, username)]);
    }
    expect(pages[0]).toEqual(pages[1]);
    expect(pages[0]![2]).toBe(401);

    const browser = iam.browser();
    const page = await followed(browser, await answerPage(browser, realm.name, await open(browser, realm), { username: user.username }));
    const done = await answerPage(browser, realm.name, page, { password: user.password });
    expect(isSignedIn(done, realm.name), done.text).toBe(true);

    const late = iam.browser();
    const named = await followed(late, await answerPage(late, realm.name, await open(late, realm), { username: user.username }));
    expect((await realm.asMaster().patch("/settings", { identifierFirst: false })).status).toBe(200);
    const again = await answerPage(late, realm.name, named, { password: user.password });
    expect((await followed(late, again)).text).toContain('name="username"');
  });

  test("does not change the page of the forgotten password: an address leads to no provider there", async () => {
    const { realm } = await home({ settings: { identifierFirst: true } });
    await allowMessages(realm);
    const browser = iam.browser();
    const reset = await browser.get(`/realms/${realm.name}/reset-password`);
    const at = reset.status === 303 ? await followed(browser, reset) : reset;
    const answer = await answerPage(browser, realm.name, at, { username: `ada@${DOMAIN}` });
    expect(await ledTo(browser, realm, answer)).toBeNull();
  });
});

describe.each([{ identifierFirst: true }, { identifierFirst: false }])("home-realm discovery with %o", (settings) => {
  test("leads to the provider of the domain with login_hint, alike for users who exist and who do not, and without looking at a password", async () => {
    const { realm } = await home({ settings });
    const user = await realm.user();
    expect((await realm.asMaster().patch(`/users/${user.userId}`, { email: `known@${DOMAIN}`, emailVerified: true })).status).toBe(200);
    const pages = [];
    for (const name of [`known@${DOMAIN}`, `unknown@${DOMAIN}`]) {
      const browser = iam.browser();
      const answer = await type(browser, realm, name, "guessed");
      const page = await followed(browser, answer);
      expect(page.headers["content-security-policy"]).toContain("form-action 'self'");
      pages.push([answer.status, page.status, masked(page.text, name), masked(String(page.headers.refresh), name)]);
      const left = new URL(String((await browser.get(String(page.headers.refresh).slice("0; url=".length))).headers.location));
      expect([left.origin, left.searchParams.get("login_hint")]).toEqual([peer.issuer, name]);
    }
    expect(pages[0]).toEqual(pages[1]);
    expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
    for (const name of [`x@ACME.example.`, `"a@b"@${DOMAIN}`])
      expect((await ledTo(...(await typed(realm, name))))?.searchParams.get("login_hint"), name).toBe(name);
    for (const name of [
      "known",
      DOMAIN,
      `@${DOMAIN}`,
      `x@sub.${DOMAIN}`,
      `x@${DOMAIN}@other.example`,
      `x@${DOMAIN} `.repeat(1).replace(".e", "․e"),
    ])
      expect(await ledTo(...(await typed(realm, name))), name).toBeNull();
  });
});
const typed = async (realm: RealmUnderTest, name: string) => {
  const browser = iam.browser();
  return [browser, realm, await type(browser, realm, name)] as const;
};

test("a user of an organization's provider with an address of its verified domains is a member; with another address not", async () => {
  const { realm, master, organizationId } = await home({ config: { trustEmail: true } });
  const signInAtProvider = async (sub: string, email: string, email_verified = true) => {
    const browser = iam.browser();
    const left = (await ledTo(browser, realm, await type(browser, realm, `anyone@${DOMAIN}`)))!;
    const named = { given_name: "A", family_name: "B", preferred_username: sub };
    const back = await continueAfterReturn(browser, realm, left, { sub, email, email_verified, ...named });
    expect(isSignedIn(back, realm.name), back.text).toBe(true);
    return browser;
  };
  const members = async () =>
    (await master.get(`/organizations/${organizationId}/members`)).body.map(({ username, role, managed }: Record<string, unknown>) => [
      username,
      role,
      managed,
    ]);
  await signInAtProvider("outsider", "outsider@other.example");
  await signInAtProvider("unproven", `unproven@${DOMAIN}`, false);
  expect(await members()).toEqual([]);
  await signInAtProvider("ada", `ada@ACME.example`);
  await signInAtProvider("ada", `ada@${DOMAIN}`);
  expect(await members()).toEqual([["ada", "member", true]]);
  const added = await realm.events(`resourceType=organizations&resourceId=${organizationId}&type=ADMIN_UPDATE`);
  expect(added).toMatchObject([{ detail: "member added (member)" }]);

  // This account existed before, and is linked by its own password.
  const grace = await realm.user();
  const email = `grace@${DOMAIN}`;
  expect((await master.patch(`/users/${grace.userId}`, { email, emailVerified: true })).status).toBe(200);
  const browser = iam.browser();
  const left = (await ledTo(browser, realm, await type(browser, realm, email)))!;
  const requested = await followed(browser, await continueAfterReturn(browser, realm, left, { sub: "grace", email, email_verified: true }));
  const done = await answerPage(browser, realm.name, requested, { password: grace.password });
  expect(isSignedIn(done, realm.name), done.text).toBe(true);
  expect(
    (await members()).map(([, , managed]: unknown[]) => managed),
    "the account was hers before",
  ).toEqual([true, false]);

  // Another provider makes nobody a member, and neither does a disabled organization.
  await created(master.post("/identity-providers", provider("other", { trustEmail: true })));
  const elsewhere = iam.browser();
  const atProvider = new URL(String((await elsewhere.get(`/realms/${realm.name}/broker/other/login`)).headers.location));
  const answer = peer.signIn(atProvider, {
    claims: { sub: "eve", email: `eve@${DOMAIN}`, email_verified: true, preferred_username: "eve" },
  });
  await elsewhere.get(`/realms/${realm.name}/broker/other/endpoint?${new URLSearchParams(answer)}`);
  expect((await members()).length).toBe(2);

  // The migration marks earlier accounts by the same rule.
  for (const name of ["una", "kim", "tim", "lea"]) await signInAtProvider(name, `${name}@${DOMAIN}`);
  const idOf = async (name: string) => (await master.get(`/users?search=${name}`)).body[0].userId;
  const join = async (of: string, name: string, body = {}) =>
    expect((await master.put(`/organizations/${of}/members/${await idOf(name)}`, body)).status).toBe(204);
  for (const name of ["outsider", "unproven", "eve"]) await join(organizationId, name);
  const { organizationId: beta } = await created(master.post("/organizations", { name: "Beta" }));
  await join(beta, "kim");
  await join(organizationId, "tim", { managed: false });
  const script = await readFile(packageFile("migrations/0071_accounts_of_organizations_providers.sql"), "utf8");
  const marked = async (migratedAt: string) => {
    let names: string[] = [];
    const undone = new Error("nothing of this stays");
    const migrating = iam.core.db.transaction().execute(async (tx) => {
      await sql`update schema_migrations set "timestamp" = ${migratedAt} where name = '0064_accounts_of_organizations'`.execute(tx);
      await sql`update organization_members set managed = organization_id = ${beta} where realm_id = ${realm.name}`.execute(tx);
      // This is a user of a provider whose addresses are not trusted: only the audit trail knows that it had verified this one.
      await sql`update users set email_verified = false where realm_id = ${realm.name} and username = 'una'`.execute(tx);
      await sql`delete from identity_links where realm_id = ${realm.name} and username = 'lea'`.execute(tx);
      for (const statement of statements(script)) await sql.raw(statement).execute(tx);
      const { rows } = await sql<{ username: string }>`select u.username from organization_members m natural join users u
        where m.realm_id = ${realm.name} and m.organization_id = ${organizationId} and m.managed order by u.username`.execute(tx);
      names = rows.map(({ username }) => username);
      throw undone;
    });
    await expect(migrating).rejects.toBe(undone);
    return names;
  };
  expect(await marked("2999-01-01T00:00:00.000Z")).toEqual(["ada", "una"]);
  expect(await marked("2000-01-01T00:00:00.000Z"), "who joined later was judged when they joined").toEqual([]);
});

test("an unverified domain, a disabled or deleted organization and a disabled or deleted provider lead nowhere", async () => {
  const { realm, master, organizationId } = await home();
  const at = `/organizations/${organizationId}`;
  const leads = async () => (await ledTo(...(await typed(realm, `ada@${DOMAIN}`)))) !== null;
  expect(await leads()).toBe(true);
  for (const [off, on] of [
    [{ domains: [{ domain: DOMAIN, verified: false }] }, { domains: [{ domain: DOMAIN, verified: true }] }],
    [{ enabled: false }, { enabled: true }],
    [{ identityProvider: null }, { identityProvider: "corp" }],
  ]) {
    expect((await master.patch(at, off)).status).toBe(200);
    expect(await leads(), JSON.stringify(off)).toBe(false);
    expect((await master.patch(at, on)).status).toBe(200);
    expect(await leads(), JSON.stringify(on)).toBe(true);
  }
  expect((await master.patch("/identity-providers/corp", { enabled: false })).status).toBe(200);
  expect(await leads()).toBe(false);
  expect((await master.patch("/identity-providers/corp", { enabled: true })).status).toBe(200);
  expect(await leads()).toBe(true);
  // A new provider of the same alias is not the one that the organization named.
  expect((await master.delete("/identity-providers/corp")).status).toBe(204);
  expect(await leads()).toBe(false);
  expect((await master.get(at)).body.identityProvider).toBeNull();
  await created(master.post("/identity-providers", provider("corp")));
  expect(await leads()).toBe(false);
});

test("a provider's own domains lead to it, an organization's come first, and another realm's not at all", async () => {
  const { realm, master } = await home({ organization: { identityProvider: null } });
  await created(master.post("/identity-providers", provider("own", { domains: ["Own.Example", DOMAIN], hideOnLogin: true })));
  const aliasFor = async (name: string, where = realm) =>
    (await ledTo(...(await typed(where, name))))?.searchParams.get("redirect_uri")?.split("/").at(-2) ?? null;
  expect([await aliasFor("a@own.example"), await aliasFor(`a@${DOMAIN}`)]).toEqual(["own", "own"]);
  const [{ organizationId }] = (await master.get("/organizations")).body;
  expect((await master.patch(`/organizations/${organizationId}`, { identityProvider: "corp" })).status).toBe(200);
  expect([await aliasFor("a@own.example"), await aliasFor(`a@${DOMAIN}`)]).toEqual(["own", "corp"]);
  expect(await aliasFor(`a@${DOMAIN}`, (await home({ organization: { domains: [] } })).realm)).toBeNull();
  const refused = await master.post("/identity-providers", provider("bad", { domains: ["fine.example", "not a domain"] }));
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "config.domains.1" }] } });
});

test("a user who returns signs in here: a name is redirected once; there are no loops", async () => {
  const { realm, master } = await home();
  const user = await realm.user();
  const email = `ada@${DOMAIN}`;
  expect((await master.patch(`/users/${user.userId}`, { email, emailVerified: true })).status).toBe(200);
  const browser = iam.browser();
  const kept = await type(browser, realm, email);
  const at = String(kept.headers.location);
  expect(await ledTo(browser, realm, kept)).not.toBeNull();
  // The back button shows the page of the sign-in with the name, and the password counts now.
  const back = await browser.get(at);
  expect(back.headers.refresh).toBeUndefined();
  expect(formOf(back)).toMatchObject({ username: email });
  expect(isSignedIn(await answerPage(browser, realm.name, back, { password: user.password }), realm.name)).toBe(true);

  // A new sign-in moments later asks before it leads there again.
  const other = iam.browser();
  expect(await ledTo(other, realm, await type(other, realm, email))).not.toBeNull();
  const asks = await followed(other, await type(other, realm, email));
  expect(asks.headers.refresh).toBeUndefined();
  const [, choose] = /name="choose" value="([^"]+)"/.exec(asks.text)!;
  const form = Object.fromEntries(
    [...asks.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
  const chosen = await followed(
    other,
    await other.request("POST", `/realms/${realm.name}/login`, { form: { ...form, choose: choose! }, csrf: false }),
  );
  expect(isSignedIn(await answerPage(other, realm.name, chosen, { username: email, password: user.password }), realm.name)).toBe(true);
});

test("login_hint of a client leads there at once, as idp_hint does; prompt=none and a user who cancels stay", async () => {
  const { realm } = await home();
  const party = await relyingParty(iam, realm);
  const hint = `&login_hint=${encodeURIComponent(`ada@${DOMAIN}`)}`;
  const browser = iam.browser();
  const hinted = await walk(browser, iam.config.baseUrl, party.url() + hint);
  expect([hinted.left?.origin, hinted.left?.searchParams.get("login_hint")]).toEqual([peer.issuer, `ada@${DOMAIN}`]);
  const cancelled = await browser.get(
    `/realms/${realm.name}/broker/corp/endpoint?${new URLSearchParams({ state: hinted.left!.searchParams.get("state")!, error: "access_denied", iss: peer.issuer })}`,
  );
  expect(cancelled.status).toBe(200);
  expect(cancelled.text).toContain('name="password"');
  const none = await walk(iam.browser(), iam.config.baseUrl, `${party.url()}&prompt=none${hint}`);
  expect(none.left?.searchParams.get("error")).toBe("login_required");
  expect((await walk(iam.browser(), iam.config.baseUrl, `${party.url()}&login_hint=ada%40other.example`)).page.text).toContain(
    'name="password"',
  );
});

describe("buttons", () => {
  test("have a logo or a mark, the last used one comes first, and one that does not answer says so while passwords go on", async () => {
    const realm = await iam.realm();
    const master = realm.asMaster();
    await created(master.post("/identity-providers", provider("corp", { order: 3 })));
    await created(master.post("/identity-providers", provider("pictured", { order: 2, logoUri: "https://pictures.example/logo.png" })));
    await created(
      master.post("/identity-providers", {
        ...provider("dead"),
        config: { issuer: "http://127.0.0.1:9", clientId: "x", clientSecret: "y", order: 1 },
      }),
    );
    const refused = await master.post("/identity-providers", provider("evil", { logoUri: "https://x.example;script-src *" }));
    expect(refused.status).toBe(400);
    const browser = iam.browser();
    const links = (page: Answer) => [...page.text.matchAll(/\/broker\/(\w+)\/login/g)].map(([, alias]) => alias);
    const first = await open(browser, realm);
    expect(links(first)).toEqual(["dead", "pictured", "corp"]);
    expect(first.text).toContain('src="https://pictures.example/logo.png"');
    expect(first.headers["content-security-policy"]).toContain("img-src 'self' data: https://pictures.example;");
    expect(first.text.match(/gh-provider-mark/g)).toHaveLength(2);
    expect(first.text).not.toContain("Last used");

    const left = new URL(String((await browser.get(`/realms/${realm.name}/broker/corp/login`)).headers.location));
    expect(isSignedIn(await continueAfterReturn(browser, realm, left, { given_name: "A", family_name: "B" }), realm.name)).toBe(true);
    expect(browser.cookies.get(`gh__idp_${realm.name}`)).toBe("corp");
    browser.cookies.delete(`gh_${realm.name}`);
    const next = await open(browser, realm);
    expect(links(next)).toEqual(["corp", "dead", "pictured"]);
    expect(next.text).toContain("Last used");
    browser.cookies.set(`gh__idp_${realm.name}`, "nothing");
    expect(links(await open(browser, realm))).toEqual(["dead", "pictured", "corp"]);

    const down = await iam.browser().get(`/realms/${realm.name}/broker/dead/login`);
    expect(down.text).not.toContain("aria-invalid");
    expect([down.status, down.text.includes("We can’t reach that provider"), down.text.includes('name="password"')]).toEqual([
      400,
      true,
      true,
    ]);
    const user = await realm.user();
    const answered = await open(iam.browser(), realm);
    expect(answered.text.match(/Not answering right now/g)).toHaveLength(1);
    expect(isSignedIn(await iam.browser().trySignIn(realm.name, user.username, user.password), realm.name)).toBe(true);
    clock.advance(3 * MINUTE);
    expect((await open(iam.browser(), realm)).text).not.toContain("Not answering right now");
  });

  test("a page shows twenty of a thousand providers; others are found by name, address or domain", async () => {
    const { realm, master } = await home();
    await iam.core.db
      .insertInto("identity_providers")
      .values(
        Array.from({ length: 1000 }, (_, i) => ({
          ...{ realm_id: realm.name, alias: `p${i}`, provider_id: crypto.randomUUID(), protocol: "oidc", enabled: true, created_at: 0 },
          ...{ display_name: `Company ${i}`, name_key: `company ${i}` },
          config: JSON.stringify({ issuer: peer.issuer, clientId: "gatehouse" }),
        })),
      )
      .execute();
    expect((await master.patch("/identity-providers/corp", { displayName: "Corp" })).status).toBe(200);
    const browser = iam.browser();
    const page = await open(browser, realm);
    expect(page.text.match(/\/broker\//g)).toHaveLength(20);
    expect(page.text.length).toBeLessThan(40_000);
    const [, choose] = /name="choose" value="([^"]+)"[^>]*\/?>\s*<button[^>]*>More providers/.exec(page.text)!;
    const finder = await followed(
      browser,
      await browser.request("POST", `/realms/${realm.name}/login`, { form: { ...formOf(page), choose: choose! }, csrf: false }),
    );
    const found = await answerPage(browser, realm.name, finder, { provider: "company 777" });
    expect([...found.text.matchAll(/\/broker\/(\w+)\/login/g)].map(([, alias]) => alias)).toEqual(["p777"]);
    const none = await answerPage(browser, realm.name, found, { provider: "nothing <b>like</b> it" });
    expect([none.status, none.text.includes("No provider found"), none.text.includes("<b>like")]).toEqual([400, true, false]);
    for (const typedName of [DOMAIN, `ada@${DOMAIN}`]) {
      const answer = await answerPage(browser, realm.name, none, { provider: typedName });
      expect((await followed(browser, answer)).text, typedName).toContain("Sign in at Corp");
    }
  });
});

test("the error of a provider is shown in plain words, and leads back", async () => {
  const { realm } = await home();
  for (const [error, message] of [
    ["server_error", "We can’t reach that provider"],
    ["temporarily_unavailable", "We can’t reach that provider"],
    ["unauthorized_client", "The provider didn’t accept the request"],
    ["invalid_scope", "The provider didn’t accept the request"],
    ["something_else", "The provider couldn’t sign you in"],
  ]) {
    const browser = iam.browser();
    const left = (await ledTo(browser, realm, await type(browser, realm, `ada@${DOMAIN}`)))!;
    const query = { state: left.searchParams.get("state")!, error: error!, error_description: "call 0900", iss: peer.issuer };
    const back = await browser.get(`/realms/${realm.name}/broker/corp/endpoint?${new URLSearchParams(query)}`);
    expect([error, back.status, back.text.includes(message!), back.text.includes('name="password"'), back.text.includes("0900")]).toEqual([
      error,
      400,
      true,
      true,
      false,
    ]);
  }
});
