import { expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, testDatabase } from "../../testing/harness.ts";
import { linkTo } from "../../testing/identity-providers.ts";
import { endpointOf, named, openidBroker, openidProvider } from "../../testing/openid-broker.ts";
import { type OpenidPeer, openidPeer, type PeerAnswer } from "../../testing/openid-peer.ts";
import { allowMessages, outbox } from "../../testing/outbox.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, walk } from "../../testing/relying-party.ts";
import { answerPage, followed, formOf, isSignedIn } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";
import { waitingSessions } from "../../testing/waiting-sessions.ts";
import { insertLink } from "../providers/links.store.ts";

// A first sign-in by a provider with the address of a user.

let iam: SharedHarness;
let peer: OpenidPeer;
const { brokered, leave, signIn } = openidBroker((stage) => {
  ({ iam, peer } = stage);
});

const ADDRESS = "ada@example.com";

type Shown = { username: string; email: string | null; emailVerified: boolean };
const usersOf = async (realm: RealmUnderTest): Promise<Shown[]> =>
  (await realm.asMaster().get("/users")).body
    .filter(({ username }: Shown) => username !== "admin")
    .map(({ username, email, emailVerified }: Shown) => ({ username, email, emailVerified }))
    .sort((a: Shown, b: Shown) => (a.username < b.username ? -1 : 1));
const linksOf = async (realm: RealmUnderTest, { userId }: { userId: string }) =>
  (await realm.asMaster().get(`/users/${userId}/linked-accounts`)).body;
async function owned(config: object = {}, user: object = { emailVerified: true }) {
  const realm = await brokered(config as Record<string, unknown>);
  const owner = await realm.user("owner");
  expect(await realm.asMaster().patch(`/users/${owner.userId}`, { email: ADDRESS, ...user })).toMatchObject({ status: 200 });
  return { realm, owner };
}
const OWNER = { username: "owner", email: ADDRESS, emailVerified: true };
/** To the question. */
async function asked(realm: RealmUnderTest, answer: PeerAnswer = {}, browser: Browser = iam.browser()) {
  const { back } = await signIn(realm, answer, browser);
  expect([back.status, browser.cookies.has(`gh_${realm.name}`)], back.text).toEqual([303, false]);
  const page = await followed(browser, back);
  const shown = page.text.replaceAll(/<\/?bdi[^>]*>/g, "");
  expect(shown, "which account, at which provider").toMatch(
    /You signed in at [^<]+ as [^<]+\. There’s already an account here with the same email address/,
  );
  return { browser, page };
}
const press = (browser: Browser, realm: RealmUnderTest, page: Answer, members: Record<string, string>) => {
  const { interaction, _csrf } = formOf(page);
  return browser.request("POST", `/realms/${realm.name}/login`, {
    form: { interaction: interaction!, _csrf: _csrf!, ...members },
    csrf: false,
  });
};
const OTHER_WAY = (label: string) => new RegExp(`name="choose" value="([^"]+)"(?:(?!</form>).)*${label}`, "s");
const choose = async (browser: Browser, realm: RealmUnderTest, page: Answer, label: string) => {
  const [, path] = OTHER_WAY(label).exec(page.text)!;
  return followed(browser, await press(browser, realm, page, { choose: path! }));
};
const NEW = "Continue with a new account";
const offersNew = (page: Answer) => page.text.includes(NEW);
const trusted: [object, PeerAnswer] = [{ trustEmail: true }, {}];
/** The provider's word does not count, or there is none. */
const unproven: readonly [object, PeerAnswer][] = [
  [{ trustEmail: false }, {}],
  [{ trustEmail: true }, { claims: { email_verified: false } }],
  // The profile speaks of another address.
  [{ trustEmail: true }, { claims: { email_verified: undefined }, userinfo: { email: "eve@example.com", email_verified: true } }],
];

test("links the account only by its own factors, the second one included; from then on the provider signs in to it", async () => {
  for (const [config, answer] of [trusted, ...unproven.slice(0, 2)]) {
    const { realm, owner } = await owned(config);
    const code = await giveTotp(iam, realm.name, owner.userId);
    const { browser, page } = await asked(realm, answer);
    const wrong = await answerPage(browser, realm.name, page, { password: "not it" });
    expect([wrong.status, browser.cookies.has(`gh_${realm.name}`)]).toEqual([401, false]);
    const next = await answerPage(browser, realm.name, page, { password: owner.password });
    expect([next.status, browser.cookies.has(`gh_${realm.name}`)], "the password alone is not enough").toEqual([303, false]);
    expect(await linksOf(realm, owner)).toEqual([]);
    const second = await followed(browser, next);
    expect(offersNew(second), "after the first factor it is their account").toBe(false);
    expect(isSignedIn(await answerPage(browser, realm.name, second, { code: code() }), realm.name)).toBe(true);
    expect(await linksOf(realm, owner)).toMatchObject([{ alias: "corp", subject: "subject-1" }]);
    expect(await realm.events("type=LINK_ADDED")).toMatchObject([{ actor: "owner", detail: "corp" }]);
    expect(await usersOf(realm), "the address is worth what it was").toEqual([OWNER]);
  }
});

test("asks whatever the address is worth; declined, nothing changes, and the ways to sign in are shown", async () => {
  for (const [[config, answer], emailVerified] of [
    ...[[unproven[0]!, false] as const, [unproven[1]!, true] as const, [unproven[2]!, true] as const],
    [trusted, false] as const,
  ]) {
    const { realm, owner } = await owned(config, { emailVerified });
    const { browser, page } = await asked(realm, answer);
    expect(offersNew(page), "unless the address is certainly the account's").toBe(config !== trusted[0]);
    const ways = await followed(browser, await press(browser, realm, page, { restart: "true" }));
    expect(ways.text).toContain("Nothing was linked");
    expect([ways.status, ways.text.includes('name="username"'), ways.text.includes("Continue with Corporate")]).toEqual([200, true, true]);
    const late = await answerPage(browser, realm.name, page, { password: owner.password });
    expect(late.status, "the page before is of no use").toBe(303);
    expect([await usersOf(realm), await linksOf(realm, owner)]).toEqual([[{ ...OWNER, emailVerified }], []]);
  }
});

test("goes on with a new account without the address, as the mappers and the template say, and once", async () => {
  const { realm, owner } = await owned({ usernameTemplate: "{department.short}-{preferred_username}" });
  const boss = realm.asMaster();
  const mapper = { name: "a", type: "attribute", claim: "department.name", attribute: "department" };
  expect(await boss.post("/identity-providers/corp/mappers", mapper)).toMatchObject({ status: 201 });
  const claims = { department: { name: "Sales", short: "s" }, huge: "x".repeat(100_000) };
  const { browser, page } = await asked(realm, { claims });
  const { state } = await iam.core.db
    .selectFrom("interactions")
    .select("state")
    .where("interaction_id", "=", formOf(page).interaction!)
    .executeTakeFirstOrThrow();
  expect(JSON.stringify(state).length, "claims that nothing uses are not kept").toBeLessThan(10_000);
  const confirm = await choose(browser, realm, page, NEW);
  expect(confirm.text).toMatch(/doesn’t get the email address [^.]*ada@example\.com/);
  expect(await usersOf(realm), "nothing before they confirm").toEqual([OWNER]);
  const done = await answerPage(browser, realm.name, confirm, { newAccount: "yes" });
  expect([done.status, isSignedIn(done, realm.name)], "asked for another address").toEqual([303, false]);
  const profile = await followed(browser, done);
  const entered = await answerPage(browser, realm.name, profile, { firstName: "Ada", lastName: "Lovelace" });
  expect(isSignedIn(entered, realm.name), entered.text).toBe(true);
  expect(await usersOf(realm)).toEqual([OWNER, { username: "s-ada", email: null, emailVerified: false }]);
  const [{ userId, attributes }] = (await boss.get("/users?search=s-ada")).body;
  expect(attributes).toMatchObject({ department: "Sales" });
  expect([await linksOf(realm, owner), await linksOf(realm, { userId })]).toMatchObject([[], [{ alias: "corp", subject: "subject-1" }]]);
  expect(await realm.events("type=BROKER_LOGIN")).toMatchObject([{ outcome: "SUCCESS", actor: "s-ada" }]);
  expect(isSignedIn((await signIn(realm, { claims })).back, realm.name), "the link decides").toBe(true);
  expect(await usersOf(realm)).toHaveLength(2);
});

test("makes no new account by a provider that was changed or disabled meanwhile, nor in two tabs two", async () => {
  const { realm } = await owned();
  const boss = realm.asMaster();
  for (const change of [{ config: { provisioning: "link-only" } }, { enabled: false }]) {
    const { browser, page } = await asked(realm);
    const confirm = await choose(browser, realm, page, NEW);
    expect(await boss.patch("/identity-providers/corp", change)).toMatchObject({ status: 200 });
    const refused = await answerPage(browser, realm.name, confirm, { newAccount: "yes" });
    expect([refused.status, browser.cookies.has(`gh_${realm.name}`)], refused.text).toEqual([400, false]);
    await boss.patch("/identity-providers/corp", { enabled: true, config: { provisioning: "create" } });
  }
  expect(await usersOf(realm)).toEqual([OWNER]);
  const { browser, page } = await asked(realm);
  const confirm = await choose(browser, realm, page, NEW);
  const both = await Promise.all([1, 2].map(() => answerPage(browser, realm.name, confirm, { newAccount: "yes" })));
  expect(both.map(({ status }) => status)).toEqual([303, 303]);
  expect(await usersOf(realm)).toHaveLength(2);
});

test("a username with the form of an address stays its user's, whatever a trusted provider says", async () => {
  const realm = await brokered({ trustEmail: true, sync: "force" });
  const holder = await realm.user(ADDRESS);
  const { browser, back } = await signIn(realm, { claims: { sub: "subject-1" } });
  expect(isSignedIn(back, realm.name), back.text).toBe(true);
  expect(browser.cookies.has(`gh_${realm.name}`)).toBe(true);
  expect(await usersOf(realm)).toEqual([
    { username: "ada", email: ADDRESS, emailVerified: true },
    { username: ADDRESS, email: null, emailVerified: false },
  ]);
  await iam.browser().signIn(realm.name, holder.username, holder.password);
  // Nor by an address that changes later.
  const other = await realm.user("eve@example.com");
  const { back: again } = await signIn(realm, { claims: { sub: "subject-1", email: "eve@example.com" } });
  expect(isSignedIn(again, realm.name), again.text).toBe(true);
  await iam.browser().signIn(realm.name, other.username, other.password);
});

test("an address that its user never confirmed: mail to it proves nothing, and a trusted provider's user gets it with a new account", async () => {
  // Registered before its owner came: by a provider whose word does not count.
  const realm = await brokered({ trustEmail: true });
  await allowMessages(realm);
  await iam.server.jobs.stop();
  const other = await openidPeer();
  const comeFirst = async (to: RealmUnderTest) => {
    expect(await to.asMaster().post("/identity-providers", openidProvider(other, { alias: "other" }))).toMatchObject({ status: 201 });
    const thief = await leave(to, iam.browser(), "other");
    const claims = { ...named, sub: "thief", preferred_username: "thief" };
    expect(isSignedIn(await thief.browser.get(endpointOf(to, other.signIn(thief.left, { claims }), "other")), to.name)).toBe(true);
  };
  await comeFirst(realm);

  const { browser, page } = await asked(realm);
  const mail = await choose(browser, realm, page, "code by email");
  expect([mail.status, mail.text.includes('name="code"')], "the page is the same").toEqual([200, true]);
  expect(await outbox(iam, realm)).toEqual([]);
  const confirm = await choose(browser, realm, mail, NEW);
  expect(confirm.text).not.toContain("doesn’t get the email address");
  expect(isSignedIn(await answerPage(browser, realm.name, confirm, { newAccount: "yes" }), realm.name)).toBe(true);
  expect(await usersOf(realm)).toEqual([
    { username: "ada", email: ADDRESS, emailVerified: true },
    { username: "thief", email: ADDRESS, emailVerified: false },
  ]);

  // Without the provider's word it stays with the user who has it.
  for (const [config, answer] of unproven) {
    const untrusting = await brokered(config as Record<string, unknown>);
    await comeFirst(untrusting);
    const visit = await asked(untrusting, answer);
    const kept = await choose(visit.browser, untrusting, visit.page, NEW);
    expect(kept.text).toMatch(/doesn’t get the email address [^.]*ada@example\.com/);
    await answerPage(visit.browser, untrusting.name, kept, { newAccount: "yes" });
    expect(await usersOf(untrusting)).toEqual([
      { username: "ada", email: null, emailVerified: false },
      { username: "thief", email: ADDRESS, emailVerified: false },
    ]);
  }
  await other.close();

  // An address that was confirmed is proven by mail, in the same browser and for the same account at the provider.
  const { realm: second, owner } = await owned();
  await allowMessages(second);
  const codes = async () => (await outbox(iam, second)).map(({ text }) => /\b\d{6}\b/.exec(text)![0]);
  const first = await asked(second);
  await choose(first.browser, second, first.page, "code by email");
  const [code] = await codes();
  const rival = await asked(second, { claims: { sub: "subject-2" } }, iam.browser());
  const rivals = await choose(rival.browser, second, rival.page, "code by email");
  expect((await answerPage(rival.browser, second.name, rivals, { code: code! })).status, "of another account there").toBe(401);
  const linked = await answerPage(rival.browser, second.name, rivals, { code: (await codes())[1]! });
  expect(isSignedIn(linked, second.name), linked.text).toBe(true);
  expect(await linksOf(second, owner)).toMatchObject([{ subject: "subject-2" }]);
});

test("a proof that was begun for one account at the provider does not count for another", async () => {
  const { realm, owner } = await owned();
  const { browser, page } = await asked(realm);
  const { interaction } = formOf(page);
  await press(browser, realm, page, { restart: "true" });
  // The same sign-in in the same browser, as another account there.
  const href = `/realms/${realm.name}/broker/corp/login?interaction=${interaction}`;
  const left = new URL(String((await browser.get(href)).headers.location));
  const again = await browser.get(endpointOf(realm, peer.signIn(left, { claims: { ...named, sub: "subject-2" } })));
  const present = await followed(browser, again);
  expect(formOf(present).interaction).toBe(interaction);
  const stale = await answerPage(browser, realm.name, page, { password: owner.password });
  expect([stale.status, isSignedIn(stale, realm.name), await linksOf(realm, owner)]).toEqual([303, false, []]);
  expect(isSignedIn(await answerPage(browser, realm.name, present, { password: owner.password }), realm.name)).toBe(true);
  expect(await linksOf(realm, owner)).toMatchObject([{ subject: "subject-2" }]);
});

test("looks the same for every user with the address, and one account at the provider can ask ten times an hour, for known and unknown ones alike", async () => {
  const { realm, owner } = await owned({ provisioning: "link-only" });
  const boss = realm.asMaster();
  await boss.post(`/users/${owner.userId}/roles`, { name: "admin" });
  for (const [username, change] of [
    ["plain", {}],
    ["bare", {}],
    ["disabled", { enabled: false }],
    ["locked", { locked: true }],
  ] as const) {
    const { userId } = username === "bare" ? (await boss.post("/users", { username })).body : await realm.user(username);
    expect(await boss.patch(`/users/${userId}`, { email: `${username}@example.com`, ...change })).toMatchObject({ status: 200 });
  }
  /** The visible text of the page, and its controls. */
  const shape = (text: string, email: string) => text.replace(/<(?!input|button)[^>]*>| (value|nonce)="[^"]*"/g, "").replaceAll(email, "");
  const [pages, refusals] = [new Set<string>(), new Set<string>()];
  for (const [n, name] of ["ada", "plain", "bare", "disabled", "locked"].entries()) {
    const email = `${name}@example.com`;
    const { browser, page } = await asked(realm, { claims: { sub: `subject-${n}`, email } });
    expect(offersNew(page), "the proof is the only way in").toBe(false);
    pages.add(shape(page.text, email));
    const password = name === "ada" || name === "plain" ? "wrong" : owner.password;
    const wrong = await answerPage(browser, realm.name, page, { password });
    expect([name, wrong.status]).toEqual([name, 401]);
    refusals.add(shape(wrong.text, email));
  }
  expect([pages.size, refusals.size]).toEqual([1, 1]);

  for (const email of [ADDRESS, "unknown@example.com"]) {
    const claims = { sub: email, email };
    const answers = [];
    for (let n = 0; n < 11; n++) answers.push((await signIn(realm, { claims })).back.status);
    expect(answers).toEqual([...Array(10).fill(email === ADDRESS ? 303 : 400), 429]);
    const { back: other } = await signIn(realm, { claims: { ...claims, email: email === ADDRESS ? "unknown@example.com" : ADDRESS } });
    expect([other.status, other.text.includes("Too many attempts")], "whatever it would be").toEqual([429, true]);
    clock.advance(61 * MINUTE);
    expect((await signIn(realm, { claims: { sub: email, email: ADDRESS } })).back.status).toBe(303);
  }
});

test("an equal name is no match, nor an account that has another one at the provider; of two at once with a trusted address one is asked", async () => {
  const realm = await brokered({ trustEmail: true });
  const boss = realm.asMaster();
  await realm.user("ada");
  expect(isSignedIn((await signIn(realm)).back, realm.name)).toBe(true);
  const other = await signIn(realm, { claims: { sub: "subject-2" } });
  expect([other.back.status, (await followed(other.browser, other.back)).text.includes('name="firstName"')]).toEqual([303, true]);
  expect(await usersOf(realm)).toEqual([
    { username: "ada", email: null, emailVerified: false },
    { username: "ada-2", email: ADDRESS, emailVerified: true },
    { username: "ada-3", email: null, emailVerified: false },
  ]);

  const second = await openidPeer();
  const trustedThere = openidProvider(second, { alias: "other", trustEmail: true });
  expect(await boss.post("/identity-providers", trustedThere)).toMatchObject({ status: 201 });
  for (let n = 0; n < 4; n++) {
    const claims = { ...named, sub: `racer-${n}`, email: `racer-${n}@example.com` };
    const [here, there] = [await leave(realm), await leave(realm, iam.browser(), "other")];
    const answers = await Promise.all([
      here.browser.get(endpointOf(realm, peer.signIn(here.left, { claims }))),
      there.browser.get(endpointOf(realm, second.signIn(there.left, { claims }), "other")),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(answers.filter((answer) => isSignedIn(answer, realm.name))).toHaveLength(1);
  }
  await second.close();
});

test("declined in a sign-in that an application led to the provider, it stays here", async () => {
  const { realm } = await owned();
  const party = await relyingParty(iam, realm);
  const browser = iam.browser();
  const { left } = await walk(browser, iam.config.baseUrl, party.url({ idp_hint: "corp" }));
  const page = await followed(browser, await browser.get(endpointOf(realm, peer.signIn(left!, { claims: named }))));
  const ways = await followed(browser, await press(browser, realm, page, { restart: "true" }));
  expect([ways.status, ways.text.includes('name="password"')], "and does not lead there again").toEqual([200, true]);
});

test("another provider that already knows the account proves it; the one to be linked does not, nor does a hint lead there again", async () => {
  const { realm, owner } = await owned();
  const boss = realm.asMaster();
  const other = await openidPeer();
  expect((await boss.post("/identity-providers", openidProvider(other, { alias: "other" }))).status).toBe(201);
  const subject = "subject-of-other";
  await linkTo(iam, realm, "other", owner.userId, subject);
  const steps = ["identity-provider", "password"].map((authenticator) => ({ authenticator, requirement: "ALTERNATIVE", config: {} }));
  const flow = { alias: "first-broker-login", displayName: "Link", steps };
  expect((await boss.put("/flows/first-broker-login", flow)).status).toBe(200);

  const party = await relyingParty(iam, realm);
  const browser = iam.browser();
  const { left } = await walk(browser, iam.config.baseUrl, party.url({ idp_hint: "corp" }));
  const page = await followed(browser, await browser.get(endpointOf(realm, peer.signIn(left!, { claims: named }))));
  expect([page.status, page.text.includes("/broker/corp/login"), page.text.includes("/broker/other/login")]).toEqual([200, false, true]);
  const query = `?${new URLSearchParams({ interaction: formOf(page).interaction! })}`;
  expect((await browser.get(`/realms/${realm.name}/broker/corp/login${query}`)).status, "the question again").toBe(200);
  const away = await browser.get(`/realms/${realm.name}/broker/other/login${query}`);
  const answer = { claims: { ...named, sub: subject } };
  const back = await browser.get(endpointOf(realm, other.signIn(new URL(String(away.headers.location)), answer), "other"));
  expect([back.status, isSignedIn(back, realm.name)], back.text).toEqual([303, true]);
  expect((await linksOf(realm, owner)).map(({ alias }: { alias: string }) => alias).sort()).toEqual(["corp", "other"]);
  const cameBy = iam.core.db.selectFrom("brokered_sessions").select("subject").where("realm_id", "=", realm.name).orderBy("subject");
  expect(await cameBy.execute()).toEqual([{ subject: "subject-1" }, { subject }]);
  await other.close();
});

test("two browsers with one account at the provider end with one link, whoever comes first", async () => {
  const { realm, owner } = await owned();
  const [one, two, late] = [await asked(realm), await asked(realm), await asked(realm)];
  const other = await asked(realm, { claims: { sub: "subject-2" } });
  const confirm = await choose(late.browser, realm, late.page, NEW);
  for (const { browser, page } of [one, two])
    expect(isSignedIn(await answerPage(browser, realm.name, page, { password: owner.password }), realm.name)).toBe(true);
  expect(isSignedIn(await answerPage(late.browser, realm.name, confirm, { newAccount: "yes" }), realm.name), "the link decides").toBe(true);
  const second = await answerPage(other.browser, realm.name, other.page, { password: owner.password });
  expect([second.status, second.text.includes("already linked another account there")], second.text).toEqual([409, true]);
  expect([await usersOf(realm), await linksOf(realm, owner)]).toMatchObject([[OWNER], [{ subject: "subject-1" }]]);
  expect(await realm.events("type=LINK_ADDED")).toHaveLength(1);

  const { realm: rivals, owner: rival } = await owned();
  const [maker, prover] = [await asked(rivals), await asked(rivals)];
  await answerPage(maker.browser, rivals.name, await choose(maker.browser, rivals, maker.page, NEW), { newAccount: "yes" });
  const taken = await answerPage(prover.browser, rivals.name, prover.page, { password: rival.password });
  expect([taken.status, taken.text.includes("already linked")], taken.text).toEqual([409, true]);
  expect([await linksOf(rivals, rival), prover.browser.cookies.has(`gh_${rivals.name}`)]).toEqual([[], false]);
});

test.runIf(testDatabase() === "postgres")("a link that another browser makes in the same moment is enough", async () => {
  const { realm, owner } = await owned();
  const { browser, page } = await asked(realm);
  const { db } = iam.core;
  const provider = await db
    .selectFrom("identity_providers")
    .select("provider_id")
    .where("realm_id", "=", realm.name)
    .executeTakeFirstOrThrow();
  const link = { providerId: provider.provider_id, subject: "subject-1", userId: owner.userId, username: null };
  const other = await db.startTransaction().execute();
  await insertLink(other, realm.name, link, clock.now());
  const answer = answerPage(browser, realm.name, page, { password: owner.password });
  await expect.poll(() => waitingSessions(db), { timeout: 20_000 }).toBe(1);
  await other.commit().execute();
  expect(isSignedIn(await answer, realm.name)).toBe(true);
  expect(await linksOf(realm, owner)).toMatchObject([{ subject: "subject-1" }]);
});

test("an answer from before the provider's subjects changed, or from a deleted flow, is not linked", async () => {
  const elsewhere = await openidPeer();
  const { realm, owner } = await owned();
  const boss = realm.asMaster();
  const { body: before } = await boss.get("/identity-providers/corp");
  const flow = (await boss.get("/flows/browser")).body;
  for (const change of [
    () => boss.patch("/identity-providers/corp", { config: { issuer: elsewhere.issuer, clientSecret: "a-secret" } }),
    () => boss.patch("/identity-providers/corp", { config: { allowedDomains: ["other.example"] } }),
    () => boss.patch("/identity-providers/corp", { config: { provisioning: "deny" } }),
    () => boss.put("/flows/browser", { ...flow, displayName: "Another" }),
  ]) {
    const [proving, making] = [await asked(realm), await asked(realm, { claims: { sub: "subject-2" } })];
    const confirm = await choose(making.browser, realm, making.page, NEW);
    expect(await change()).toMatchObject({ status: 200 });
    const proof = await answerPage(proving.browser, realm.name, proving.page, { password: owner.password });
    const made = await answerPage(making.browser, realm.name, confirm, { newAccount: "yes" });
    for (const answer of [proof, made]) expect([[400, 303].includes(answer.status), isSignedIn(answer, realm.name)]).toEqual([true, false]);
    expect([await usersOf(realm), await linksOf(realm, owner)]).toEqual([[OWNER], []]);
    const restored = { ...before, config: { ...before.config, clientSecret: "a-secret" } };
    expect(await boss.put("/identity-providers/corp", restored)).toMatchObject({ status: 200 });
  }
  await elsewhere.close();
});

test("a user who changes between question and answer: renamed they are the same, deleted or disabled no one; an address they confirm stays theirs", async () => {
  for (const [change, status] of [
    [{ username: "renamed" }, 303],
    [{ email: "moved@example.com" }, 303],
    [{ enabled: false }, 401],
    [null, 401],
  ] as const) {
    const { realm, owner } = await owned();
    const [proving, making] = [await asked(realm), await asked(realm, { claims: { sub: "subject-2" } })];
    const confirm = await choose(making.browser, realm, making.page, NEW);
    const path = `/users/${owner.userId}`;
    await (change ? realm.asMaster().patch(path, change) : realm.asMaster().delete(path));
    const proof = await answerPage(proving.browser, realm.name, proving.page, { password: owner.password });
    expect([proof.status, isSignedIn(proof, realm.name)], JSON.stringify(change)).toEqual([status, status === 303]);
    expect((await answerPage(making.browser, realm.name, confirm, { newAccount: "yes" })).status).toBe(303);
    expect((await usersOf(realm)).find(({ username }) => username === "ada")).toMatchObject({ email: null });
  }

  const realm = await brokered({ trustEmail: true });
  const boss = realm.asMaster();
  const other = await openidPeer();
  await boss.post("/identity-providers", openidProvider(other, { alias: "other" }));
  const first = await leave(realm, iam.browser(), "other");
  await first.browser.get(endpointOf(realm, other.signIn(first.left, { claims: { ...named, preferred_username: "first" } }), "other"));
  const { browser, page } = await asked(realm);
  const confirm = await choose(browser, realm, page, NEW);
  const [{ userId }] = (await boss.get("/users?search=first")).body;
  await boss.patch(`/users/${userId}`, { emailVerified: true });
  expect((await answerPage(browser, realm.name, confirm, { newAccount: "yes" })).status).toBe(303);
  expect(await usersOf(realm)).toEqual([
    { username: "ada", email: null, emailVerified: false },
    { username: "first", email: ADDRESS, emailVerified: true },
  ]);
  await other.close();
});
