import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { allowMessages, outbox } from "../../testing/outbox.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { answerPage, followed, isSignedIn, setBrowserFlow } from "../../testing/step-pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The cleanup would delete rows by the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const at = (realm: RealmUnderTest, path: string) => `/realms/${realm.name}/account${path}`;
const NEW = "an altogether different one";

async function signedIn(realm: RealmUnderTest, user?: { userId: string; username: string; password: string }) {
  const known = user ?? (await realm.user());
  const browser = iam.browser();
  await browser.signIn(realm.name, known.username, known.password);
  return { ...known, browser };
}

describe("the profile", () => {
  test("is read, changed and read again; members of administrators remain unchanged", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    const boss = realm.asMaster();
    const { body: user } = await boss.get(`/users/${ada.userId}`);
    const given = {
      firstName: ["Ada", "Augusta"],
      department: "mathematics",
      externalId: "7",
      phoneNumber: "+1",
      phoneNumberVerified: "true",
    };
    await boss.put(`/users/${ada.userId}`, { ...user, email: "ada@example.com", emailVerified: true, attributes: given });

    const read = await ada.browser.get(at(realm, "/profile"));
    expect(read.body).toEqual({
      ...{ realmId: realm.name, userId: ada.userId, username: ada.username, createdAt: user.createdAt },
      ...{
        email: "ada@example.com",
        emailVerified: true,
        pendingEmail: null,
        firstName: "Ada",
        lastName: null,
        locale: null,
        attributes: { phoneNumber: "+1" },
      },
    });
    // The record that was read is a valid write that changes nothing.
    const same = await ada.browser.put(at(realm, "/profile"), read.body);
    expect([same.status, same.body]).toEqual([200, read.body]);
    expect(String(read.headers.etag).startsWith(String(same.headers.etag).slice(0, -1)), "the same version").toBe(true);
    expect(await realm.events("type=PROFILE_CHANGED")).toEqual([]);

    const change = { ...read.body, lastName: "Lovelace", locale: "en-GB", attributes: { phoneNumber: "+2", nickname: "A" } };
    const saved = await ada.browser.put(at(realm, "/profile"), change, { headers: { "if-match": String(read.headers.etag) } });
    expect([saved.status, saved.body]).toEqual([200, change]);
    expect((await boss.get(`/users/${ada.userId}`)).body.attributes).toEqual({
      ...{ firstName: ["Ada", "Augusta"], department: "mathematics", externalId: "7" },
      ...{ lastName: "Lovelace", locale: "en-GB", phoneNumber: "+2", nickname: "A" },
    });
    expect((await realm.events("type=PROFILE_CHANGED"))[0]).toMatchObject({
      ...{ actor: ada.username, resourceId: ada.userId, detail: "lastName locale nickname phoneNumber" },
    });
    const stale = await ada.browser.put(at(realm, "/profile"), change, { headers: { "if-match": String(read.headers.etag) } });
    expect(stale.status).toBe(412);
  });

  test("accepts neither attributes of administrators nor read-only members, with an error by field", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    const put = async (body: object) => {
      const { status, body: problem } = await ada.browser.put(at(realm, "/profile"), body);
      return [status, ...(problem.errors ?? []).map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)];
    };
    expect(await put({ attributes: { department: "all" } })).toEqual([400, "attributes.department unknown"]);
    expect(await put({ attributes: { externalId: "1" } })).toEqual([400, "attributes.externalId unknown"]);
    expect(await put({ roles: ["admin"] })).toEqual([400, "roles unknown"]);
    expect(await put({ enabled: true })).toEqual([400, "enabled unknown"]);
    expect(await put({ emailVerified: true })).toEqual([400, "emailVerified read_only"]);
    expect(await put({ userId: "x" })).toEqual([400, "userId read_only"]);
    expect(await put({ locale: "not a language" })).toEqual([400, "locale pattern"]);
    expect(await put({ username: "other" })).toEqual([400, "username read_only"]);
  });

  test("has web addresses only in the attributes of which applications make links, unless it had others before", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const before = { website: "ftp://ada.example" };
    const { userId } = (await boss.post("/users", { username: "ada", password: "a password for tests", attributes: before })).body;
    const browser = iam.browser();
    await browser.signIn(realm.name, "ada", "a password for tests");
    const put = async (attributes: object) => {
      const profile = (await browser.get(`/realms/${realm.name}/account/profile`)).body;
      return browser.put(`/realms/${realm.name}/account/profile`, { ...profile, attributes });
    };
    expect((await put({ ...before, nickname: "a" })).status).toBe(200);
    for (const name of ["profile", "picture", "website"])
      for (const value of ["javascript:alert(1)", "data:text/html,x", "//evil.example", ["https://ada.example", "JavaScript:x"]])
        expect(await put({ [name]: value })).toMatchObject({
          status: 400,
          body: { errors: [{ field: `attributes.${name}`, code: "url" }] },
        });
    const after = { website: "https://ada.example", picture: "https://ada.example/me.png" };
    expect((await put(after)).body.attributes).toEqual(after);
    expect((await put({})).status).toBe(200);
    expect((await boss.get(`/users/${userId}`)).body.attributes).toEqual({});
  });

  test("another email address can be withdrawn while it waits, in the API and on the page, and its link ends", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    await allowMessages(realm);
    const put = (body: object) => ada.browser.put(at(realm, "/profile"), body);
    const linkTo = async (address: string) => {
      const mail = (await outbox(iam, realm)).find(({ to }) => to === address);
      return /\/realms\/\S+\/change-email\/[\w-]+/.exec(mail!.text)![0];
    };
    const { body: typo } = await put({ email: "typo@example.com" });
    expect(typo).toMatchObject({ email: null, pendingEmail: "typo@example.com" });
    expect((await put({ ...typo, pendingEmail: null })).body).toMatchObject({ email: null, pendingEmail: null });
    expect((await iam.browser().get(await linkTo("typo@example.com"))).status).toBe(410);
    expect((await put({ email: "other@example.com" })).body.pendingEmail).toBe("other@example.com");
    expect((await ada.browser.get(at(realm, "/pages/profile"))).text).toContain("Keep my present address");
    const form = { _csrf: ada.browser.cookies.get("XSRF-TOKEN") ?? "" };
    expect((await ada.browser.post(at(realm, "/pages/profile/keep-address"), undefined, { form })).status).toBe(303);
    expect((await ada.browser.get(at(realm, "/profile"))).body.pendingEmail).toBeNull();
    expect((await iam.browser().get(await linkTo("other@example.com"))).status).toBe(410);
    // An attacker may have requested it in a session of the user.
    expect((await put({ email: "third@example.com" })).body.pendingEmail).toBe("third@example.com");
    expect((await ada.browser.delete(at(realm, "/sessions"))).status).toBe(204);
    expect((await iam.browser().get(await linkTo("third@example.com"))).status).toBe(410);
    const elsewhere = iam.browser();
    await elsewhere.signIn(realm.name, ada.username, ada.password);
    expect((await put({ email: "fourth@example.com" })).body.pendingEmail).toBe("fourth@example.com");
    const others = (await elsewhere.get(at(realm, "/sessions"))).body.filter(({ current }: { current: boolean }) => !current);
    expect((await elsewhere.delete(at(realm, `/sessions/${others[0].id}`))).status).toBe(204);
    expect((await iam.browser().get(await linkTo("fourth@example.com"))).status).toBe(410);
  });

  test("an account that was disabled meanwhile does not change its address, even when it is enabled again", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    await allowMessages(realm);
    expect((await ada.browser.put(at(realm, "/profile"), { email: "thief@example.com" })).body.pendingEmail).toBe("thief@example.com");
    for (const enabled of [false, true]) expect((await realm.asMaster().patch(`/users/${ada.userId}`, { enabled })).status).toBe(200);
    const [mail] = await outbox(iam, realm);
    expect((await iam.browser().get(/\/realms\/\S+\/change-email\/[\w-]+/.exec(mail!.text)![0])).status).toBe(410);
  });

  test("another email address is set once its owner confirms it, if the realm allows it; the current one is notified", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await signedIn(realm), await realm.user()];
    const boss = realm.asMaster();
    const { body: user } = await boss.get(`/users/${ada.userId}`);
    await boss.put(`/users/${ada.userId}`, { ...user, email: "ada@example.com", emailVerified: true });
    const put = (body: object) => ada.browser.put(at(realm, "/profile"), body);
    expect((await put({ email: "Ada@Example.com" })).body).toMatchObject({ email: "Ada@Example.com", emailVerified: true });
    expect(refusal(await put({ email: "new@example.com" })), "it could not be confirmed").toEqual([409, "account.mail_unavailable"]);
    await allowMessages(realm);
    const present = { email: "Ada@Example.com", emailVerified: true };
    expect((await put({ email: "first@example.com", firstName: "Ada" })).body).toMatchObject({
      ...{ ...present, pendingEmail: "first@example.com", firstName: "Ada" },
    });
    const pending = await put({ email: "new@example.com", firstName: "Ada" });
    expect(pending.body).toMatchObject({ ...present, pendingEmail: "new@example.com" });
    // The record that was read is a valid write that withdraws nothing.
    expect((await put(pending.body)).body).toMatchObject({ ...present, pendingEmail: "new@example.com" });
    expect((await put({ ...pending.body, pendingEmail: "x@example.com" })).body.errors).toMatchObject([
      { field: "pendingEmail", code: "read_only" },
    ]);
    const mails = await outbox(iam, realm);
    expect(mails.map(({ to }) => to)).toEqual(["first@example.com", "Ada@Example.com", "new@example.com", "Ada@Example.com"]);
    const linkIn = (text: string) => /\/realms\/\S+\/change-email\/[\w-]+/.exec(text)![0];
    const follow = async (link: string, browser = iam.browser()) => {
      const page = await browser.get(link);
      return page.status === 200 ? (await submit(browser, iam.config.baseUrl, page, {})).page.status : page.status;
    };
    expect(await follow(linkIn(mails[0]!.text)), "replaced by the one after it").toBe(410);
    expect((await iam.browser().get(linkIn(mails[2]!.text))).status, "looking changes nothing").toBe(200);
    expect((await ada.browser.get(at(realm, "/profile"))).body.email).toBe("Ada@Example.com");
    expect(await follow(linkIn(mails[2]!.text))).toBe(200);
    expect((await ada.browser.get(at(realm, "/profile"))).body).toMatchObject({
      ...{ email: "new@example.com", emailVerified: true, pendingEmail: null },
    });
    expect(await follow(linkIn(mails[2]!.text)), "once").toBe(410);

    // Only the owner of a mailbox learns whether its address has an account.
    await boss.post("/users", { username: "carol", email: "carol@example.com" });
    expect((await put({ email: "CAROL@example.com", firstName: "Ada" })).status).toBe(200);
    const toCarol = (await outbox(iam, realm)).find(({ to }) => to === "CAROL@example.com");
    const taken = iam.browser();
    const { page: takenPage } = await submit(taken, iam.config.baseUrl, await taken.get(linkIn(toCarol!.text)), {});
    const tells = [
      takenPage.status,
      takenPage.text.includes("Another account has this email address"),
      takenPage.text.includes(`/realms/${realm.name}/login`),
    ];
    expect(tells).toEqual([409, true, true]);
    // A password change ends earlier requests.
    expect((await put({ email: "late@example.com", firstName: "Ada" })).body.pendingEmail).toBe("late@example.com");
    const late = (await outbox(iam, realm)).find(({ to }) => to === "late@example.com");
    expect((await boss.put(`/users/${ada.userId}/password`, { newPassword: NEW })).status).toBe(204);
    expect(await follow(linkIn(late!.text))).toBe(410);
    await ada.browser.signIn(realm.name, ada.username, NEW);

    const { body: settings } = await boss.get("/settings");
    await boss.put("/settings", { ...settings, account: { changeUsername: true, changeEmail: false } });
    expect((await put({ email: "third@example.com" })).body.errors).toMatchObject([{ field: "email", code: "read_only" }]);
    expect(refusal(await put({ email: "new@example.com", username: bob.username.toUpperCase() }))).toEqual([409, "users.login_name_taken"]);
    expect((await put({ email: "new@example.com", username: "countess" })).body.username).toBe("countess");
    await ada.browser.signIn(realm.name, "countess", NEW);
  });

  test("no user can pose as another to an application by changing the member that it identifies users by", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    const boss = realm.asMaster();
    const put = async (body: object) => (await ada.browser.put(at(realm, "/profile"), body)).body.errors;
    await boss.put("/subject-claim", { strategy: "email" });
    expect(await put({ email: "victim@example.com" })).toMatchObject([{ field: "email", code: "read_only" }]);
    await boss.put("/subject-claim", { strategy: "userId" });
    await boss.post("/clients", { clientId: "odd", subjectClaim: { strategy: "attribute", attribute: "nickname" } });
    expect(await put({ attributes: { nickname: "victim" } })).toMatchObject([{ field: "attributes.nickname", code: "read_only" }]);
    await allowMessages(realm);
    expect(await put({ email: "ada@example.com" })).toBeUndefined();
  });
});

describe("the password", () => {
  const change = (
    browser: Awaited<ReturnType<typeof signedIn>>["browser"],
    realm: RealmUnderTest,
    currentPassword: string,
    newPassword = NEW,
  ) => browser.put(at(realm, "/password"), { currentPassword, newPassword });

  test("is changed by a user who knows it, under the realm's rules; other sessions end", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    const elsewhere = await signedIn(realm, ada);
    await realm.asMaster().post(`/users/${ada.userId}/required-actions`, { action: "UPDATE_PASSWORD" });
    expect(refusal(await change(ada.browser, realm, ada.password, "short"))).toEqual([400, "password.policy"]);
    expect(refusal(await change(ada.browser, realm, ada.password, ada.password))).toEqual([400, "password.history"]);
    expect(refusal(await change(ada.browser, realm, ada.password, "password123"))).toEqual([400, "password.breached"]);
    expect((await elsewhere.browser.get(at(realm, "/profile"))).status).toBe(200);

    expect((await change(ada.browser, realm, ada.password)).status).toBe(204);
    expect((await elsewhere.browser.get(at(realm, "/profile"))).status).toBe(401);
    expect((await ada.browser.get(at(realm, "/profile"))).status).toBe(200);
    expect((await iam.browser().trySignIn(realm.name, ada.username, ada.password)).status).toBe(401);
    await iam.browser().signIn(realm.name, ada.username, NEW);
    expect((await realm.asMaster().get(`/users/${ada.userId}/required-actions`)).body).toEqual([]);
    expect(await realm.events("type=PASSWORD_CHANGED")).toMatchObject([
      { actor: ada.username, resourceId: ada.userId, outcome: "SUCCESS" },
    ]);
  });

  test("cannot be guessed here: wrong ones count as at sign-in, up to the lock", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    const boss = realm.asMaster();
    const { body: settings } = await boss.get("/settings");
    await boss.put("/settings", { ...settings, bruteForce: { ...settings.bruteForce, maxFailures: 3 } });
    const wrong = await change(ada.browser, realm, "wrong");
    expect([refusal(wrong), wrong.body.errors]).toEqual([[400, "password.wrong"], [expect.objectContaining({ field: "currentPassword" })]]);
    // A refused new password is no failure, however often.
    for (let n = 0; n < 4; n++) expect((await change(ada.browser, realm, ada.password, "short")).status).toBe(400);
    expect((await iam.browser().trySignIn(realm.name, ada.username, "wrong")).status).toBe(401);
    expect((await change(ada.browser, realm, "wrong")).status).toBe(400);
    const locked = await change(ada.browser, realm, ada.password);
    expect([refusal(locked), Number(locked.headers["retry-after"]) > 60]).toEqual([[429, "account.wait"], true]);
    expect((await realm.events("type=USER_LOCKED")).length).toBe(1);
    expect((await realm.events("type=PASSWORD_CHANGED")).map(({ outcome }) => outcome)).toEqual(["FAILURE", "FAILURE"]);
    clock.advance(16 * MINUTE);
    expect(refusal(await change(ada.browser, realm, ada.password))).toEqual([403, "auth.recent_authentication_required"]);
    await ada.browser.signIn(realm.name, ada.username, ada.password);
    expect((await change(ada.browser, realm, ada.password)).status).toBe(204);
  });

  test("has a limited number of attempts, even if the realm has disabled brute-force protection", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    const boss = realm.asMaster();
    const { body: settings } = await boss.get("/settings");
    await boss.put("/settings", { ...settings, bruteForce: { ...settings.bruteForce, enabled: false } });
    for (let n = 0; n < 20; n++) expect((await change(ada.browser, realm, "wrong")).status).toBe(400);
    expect(refusal(await change(ada.browser, realm, ada.password))).toEqual([429, "rate.limited"]);
    // Another user's attempts are counted separately.
    const bob = await signedIn(realm);
    expect((await change(bob.browser, realm, bob.password)).status).toBe(204);
  });
});

test("an address remains if it is the user's only login name", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  await allowMessages(realm);
  expect((await boss.patch("/settings", { account: { changeEmail: true } })).status).toBe(200);
  const ada = await realm.user();
  expect((await boss.patch(`/users/${ada.userId}`, { email: "ada@example.com" })).status).toBe(200);
  const step = (authenticator: string, requirement: "REQUIRED" | "ALTERNATIVE") => ({ authenticator, requirement, config: {} });
  await setBrowserFlow(iam, realm, [step("username", "REQUIRED"), step("email-otp", "REQUIRED")]);
  const browser = iam.browser();
  const named = await answerPage(browser, realm.name, await browser.get(`/realms/${realm.name}/login`), { username: ada.username });
  const page = await followed(browser, named);
  const code = /\b\d{6}\b/.exec((await outbox(iam, realm)).at(-1)!.text)![0];
  expect(isSignedIn(await answerPage(browser, realm.name, page, { code }), realm.name)).toBe(true);

  const { body: profile } = await browser.get(at(realm, "/profile"));
  const withoutAddress = async () => refusal(await browser.put(at(realm, "/profile"), { ...profile, email: null }));
  expect(await withoutAddress()).toEqual([409, "users.last_way_in"]);
  const contact = at(realm, "/pages/profile/contact");
  const _csrf = /name="_csrf" value="([^"]*)"/.exec((await browser.get(contact)).text)![1]!;
  const form = { _csrf, username: ada.username, email: "", phoneNumber: "" };
  const shown = await browser.request("POST", contact, { form, csrf: false });
  expect([shown.status, shown.text.includes("the only way you can sign in")]).toEqual([409, true]);
  expect((await boss.get(`/users/${ada.userId}`)).body.email).toBe("ada@example.com");
  const ways = ["email-otp", "password"].map((each) => step(each, "ALTERNATIVE"));
  await setBrowserFlow(iam, realm, [step("username", "REQUIRED"), { alias: "ways", requirement: "REQUIRED", steps: ways }]);
  expect(await withoutAddress()).toEqual([200, undefined]);
});

describe("credentials", () => {
  test("are listed and created; the last way to sign in remains", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    const made = await ada.browser.post(at(realm, "/credentials"), { type: "enrollment-token", label: "phone" });
    expect(made).toMatchObject({ status: 201, body: { type: "enrollment-token", label: "phone", token: expect.any(String) } });
    const { body } = await ada.browser.get(at(realm, "/credentials"));
    expect(body.map(({ type }: { type: string }) => type)).toEqual(["password", "enrollment-token"]);
    expect(JSON.stringify(body)).not.toContain(made.body.token);
    const [password] = body;
    expect(refusal(await ada.browser.delete(at(realm, `/credentials/password/${password.id}`)))).toEqual([409, "credentials.last_way_in"]);
    expect((await ada.browser.delete(at(realm, `/credentials/enrollment-token/${made.body.id}`))).status).toBe(204);
    expect(refusal(await ada.browser.delete(at(realm, `/credentials/enrollment-token/${made.body.id}`)))).toEqual([
      404,
      "credentials.not_found",
    ]);
    const bob = await signedIn(realm);
    expect((await bob.browser.delete(at(realm, `/credentials/password/${password.id}`))).status).toBe(404);
    expect(await realm.events("type=CREDENTIAL_REVOKED")).toMatchObject([{ actor: ada.username, detail: "enrollment-token" }]);
    // An administrator's own action would be an ADMIN event, but this is not one.
    expect((await realm.events("category=ADMIN")).filter(({ actor }) => actor === ada.username)).toEqual([]);
  });
});

describe("sessions", () => {
  test("are the user's own, and end one by one, or all except the current one", async () => {
    const realm = await iam.realm();
    const here = await signedIn(realm);
    const [there, other] = [await signedIn(realm, here), await signedIn(realm, here)];
    const bob = await signedIn(realm);
    const { body } = await here.browser.get(at(realm, "/sessions"));
    expect(body.length).toBe(3);
    expect(body.filter(({ current }: { current: boolean }) => current).length).toBe(1);
    const idOf = async (browser: typeof here.browser) =>
      (await browser.get(at(realm, "/sessions"))).body.find(({ current }: { current: boolean }) => current).id;
    const [theirs, bobs] = [await idOf(there.browser), await idOf(bob.browser)];
    expect((await here.browser.delete(at(realm, `/sessions/${theirs}`))).status).toBe(204);
    expect((await there.browser.get(at(realm, "/sessions"))).status).toBe(401);
    for (const id of [theirs, bobs, "no-id"])
      expect(refusal(await here.browser.delete(at(realm, `/sessions/${id}`)))).toEqual([404, "sessions.not_found"]);
    expect((await bob.browser.get(at(realm, "/profile"))).status).toBe(200);
    expect(await realm.events("type=SESSION_REVOKED")).toMatchObject([{ actor: here.username, resourceId: here.userId, detail: theirs }]);
    expect((await here.browser.delete(at(realm, "/sessions"))).status).toBe(204);
    expect((await other.browser.get(at(realm, "/profile"))).status).toBe(401);
    expect((await here.browser.delete(at(realm, `/sessions/${await idOf(here.browser)}`))).status).toBe(204);
    expect((await here.browser.get(at(realm, "/profile"))).status).toBe(401);
    expect((await realm.events("type=LOGOUT")).length).toBe(1);
  });
});

describe("applications", () => {
  test("are those with a consent or a live grant; ending one ends its tokens", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const browser = iam.browser();
    const shop = await relyingParty(iam, realm, { clientId: "shop", name: "Shop", consentRequired: true });
    const own = await relyingParty(iam, realm, { clientId: "own", firstParty: true });
    const { page } = await walk(browser, iam.config.baseUrl, shop.url({ scope: "openid email offline_access" }));
    const requested = await submit(browser, iam.config.baseUrl, page, { username: user.username, password: user.password });
    const { left } = await submit(browser, iam.config.baseUrl, requested.page, { decision: "allow" });
    const shops = await shop.exchange(left);
    expect(shops.status, shops.text).toBe(200);
    clock.advance(5 * MINUTE);
    const owns = await own.signIn(browser, user);
    const list = async () => (await browser.get(at(realm, "/applications"))).body;
    expect(await list()).toEqual([
      expect.objectContaining({ clientId: "own", scopes: ["openid"], consentedAt: null, active: true, offline: false, firstParty: true }),
      expect.objectContaining({
        clientId: "shop",
        name: "Shop",
        scopes: ["email", "offline_access", "openid"],
        active: true,
        offline: true,
      }),
    ]);
    const again = await shop.post("/token", { grant_type: "refresh_token", refresh_token: shops.body.refresh_token });
    expect(again.status).toBe(200);
    // A refresh counts as use. The engine has its own clock, which cannot be moved.
    const used = Math.floor(clock.now() / SECOND) + 60;
    const newest = sql`update oidc_records set payload = jsonb_set(payload, '{iat}', ${`${used}`}::jsonb)
      where realm_id = ${realm.name} and client_id = 'shop' and consumed_at is null returning 1`;
    expect((await newest.execute(iam.core.db)).rows.length).toBe(1);
    expect((await list())[0]).toMatchObject({ clientId: "shop", lastUsedAt: used * SECOND });

    for (const clientId of ["shop", "own"]) expect((await browser.delete(at(realm, `/applications/${clientId}`))).status).toBe(204);
    expect(await list()).toEqual([]);
    expect(refusal(await browser.delete(at(realm, "/applications/shop")))).toEqual([404, "account.application_not_found"]);
    const refreshed = await shop.post("/token", { grant_type: "refresh_token", refresh_token: again.body.refresh_token });
    expect([refreshed.status, refreshed.body.error]).toEqual([400, "invalid_grant"]);
    const userinfo = (token: string) =>
      iam.browser().get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
    for (const token of [again.body.access_token, owns.body.access_token]) expect((await userinfo(token)).status).toBe(401);
    expect((await realm.events("type=CONSENT_REVOKED")).map(({ resourceId }) => resourceId)).toEqual(["own", "shop"]);
    expect((await browser.get(at(realm, "/linked-accounts"))).body).toEqual([]);
  });
});

describe("an administrator who acts as the user", () => {
  test("reads the data that any administrator may see, and changes nothing", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const admin = await realm.as("manage-users");
    const { url } = (await admin.post(`/users/${user.userId}/impersonate`)).body;
    await walk(admin.browser, iam.config.baseUrl, url);
    const profile = await admin.browser.get(at(realm, "/profile"));
    expect(profile.body).toMatchObject({ userId: user.userId });
    for (const path of ["/sessions", "/applications", "/linked-accounts", "/gdpr/consents"])
      expect([path, (await admin.browser.get(at(realm, path))).status]).toEqual([path, 200]);
    const refused = [403, "account.impersonated"];
    expect(refusal(await admin.browser.get(at(realm, "/credentials")))).toEqual(refused);
    expect(refusal(await admin.browser.get(at(realm, "/gdpr/export")))).toEqual(refused);
    expect(refusal(await admin.browser.put(at(realm, "/profile"), { email: "mine@example.com" }))).toEqual(refused);
    expect(refusal(await admin.browser.post(at(realm, "/credentials"), { type: "enrollment-token" }))).toEqual(refused);
    expect(refusal(await admin.browser.delete(at(realm, "/sessions")))).toEqual(refused);
    // A token that an application gets in that session cannot do so either, even one that would outlive the session.
    const app = await relyingParty(iam, realm, { firstParty: true, scopes: ["openid", "offline_access", "account"] });
    const { left } = await walk(admin.browser, iam.config.baseUrl, app.url({ scope: "openid offline_access account" }));
    const tokens = await app.exchange(left);
    const headers = { authorization: `Bearer ${tokens.body.access_token}` };
    expect((await iam.browser().get(at(realm, "/profile"), { headers })).status).toBe(200);
    expect(refusal(await iam.browser().put(at(realm, "/profile"), {}, { headers }))).toEqual(refused);
  });
});

test("a user who changes their account without end has to wait, and may still read it", async () => {
  const realm = await iam.realm();
  const [ada, bob] = [await signedIn(realm), await signedIn(realm)];
  const forget = (browser: typeof ada.browser) => browser.delete(`/realms/${realm.name}/account/browsers/${newId()}`);
  let allowed = 0;
  // Meanwhile the limit allows another one each two seconds.
  for (let refused = false; !refused && allowed < 1000; ) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => forget(ada.browser)));
    allowed += answers.filter(({ status }) => status === 404).length;
    refused = answers.some((answer) => refusal(answer)[1] === "rate.limited");
  }
  expect(allowed).toBeGreaterThanOrEqual(300);
  expect(allowed).toBeLessThan(1000);
  expect((await forget(bob.browser)).status).toBe(404);
  expect((await ada.browser.get(`/realms/${realm.name}/account/profile`)).status).toBe(200);
});
