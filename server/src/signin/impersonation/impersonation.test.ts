import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { MASTER_PASSWORD, type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock.
  await iam.server.jobs.stop();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const ask = (admin: AdminClient, userId: string) => admin.post(`/users/${userId}/impersonate`);
const pathOf = (url: string) => url.replace("http://localhost:8080", "");
const ticketOf = (url: string) => new URL(url).searchParams.get("ticket")!;
const banner = "You are acting as";
const seenBy = async (browser: Browser, realm: RealmUnderTest) => (await browser.get(`/realms/${realm.name}/login`)).text;
const form = (browser: Browser, more: Record<string, string> = {}) => ({
  form: { _csrf: browser.cookies.get("XSRF-TOKEN") ?? "", ...more },
  csrf: false,
});
const end = (browser: Browser, realm: RealmUnderTest) => browser.request("POST", `/realms/${realm.name}/impersonation/end`, form(browser));
const recorded = async (realm: RealmUnderTest) =>
  (await realm.events("type=IMPERSONATION"))
    .map(({ actor, detail, impersonator }) => [actor, detail.split(" ")[0], impersonator])
    .reverse();

/** Creates an administrator of the realm who impersonates the user in their own browser. */
async function impersonating(realm: RealmUnderTest) {
  const admin = await realm.as("manage-users", "view-users", "view-events");
  const user = await realm.user();
  const { body } = await ask(admin, user.userId);
  const opened = await admin.browser.get(pathOf(body.url));
  expect(opened.status).toBe(303);
  return { admin, user, browser: admin.browser, link: body, opened };
}

describe("asking for the link", () => {
  test("returns the id of the future session and a link for a minute, of which only the hash is stored", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users");
    const { userId } = await realm.user();
    const { status, body } = await ask(admin, userId);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["expiresAt", "sessionId", "url"]);
    expect(body.url).toMatch(new RegExp(`^http://localhost:8080/realms/${realm.name}/impersonation\\?ticket=[\\w-]{43}$`));
    expect(body.expiresAt - clock.now()).toBeLessThanOrEqual(MINUTE);
    const rows = await iam.core.db.selectFrom("impersonation_tickets").selectAll().where("realm_id", "=", realm.name).execute();
    expect(rows).toMatchObject([{ ticket_id: body.sessionId, token_hash: sha256(ticketOf(body.url)), impersonator: admin.username }]);
    expect(JSON.stringify(rows)).not.toContain(ticketOf(body.url));
    expect(iam.output.join("")).not.toContain(ticketOf(body.url));
    expect(await realm.events(`resourceId=${userId}&type=ADMIN_ACTION`)).toMatchObject([{ actor: admin.username, detail: "impersonate" }]);
    expect(await realm.events(`resourceId=${userId}&type=IMPERSONATION`)).toMatchObject([{ category: "SECURITY", actor: admin.username }]);
    expect((await realm.asMaster().get("/sessions")).body.map(({ userId: of }: { userId: string }) => of)).not.toContain(userId);
  });

  test("is refused for users who hold more than the caller, and that is recorded", async () => {
    const realm = await iam.realm();
    const manager = await realm.as("manage-users", "view-users");
    const mightier = [await realm.as("realm-admin"), await realm.as("manage-users", "manage-roles")];
    for (const { userId } of mightier) {
      expect(refusal(await ask(manager, userId))).toEqual([403, "permissions.escalation"]);
      expect((await realm.events(`type=ADMIN_DENIED&resourceId=${userId}`))[0]).toMatchObject({ actor: manager.username });
    }
    expect(await recorded(realm)).toEqual([]);
    expect((await ask(await realm.as("realm-admin"), mightier[0]!.userId)).status).toBe(200);
    const equal = await realm.as("manage-users");
    expect((await ask(manager, equal.userId)).status).toBe(200);
  });

  test("is refused for oneself, for disabled and locked users, and for unknown ones", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users", "view-users");
    expect(refusal(await ask(admin, admin.userId))).toEqual([409, "impersonation.self"]);
    for (const change of [{ enabled: false }, { locked: true }]) {
      const { userId } = await realm.user();
      const { body } = await admin.get(`/users/${userId}`);
      await admin.put(`/users/${userId}`, { ...body, ...change });
      expect(refusal(await ask(admin, userId))).toEqual([409, "impersonation.shut_out"]);
    }
    const elsewhere = await (await iam.realm()).user();
    for (const id of [elsewhere.userId, "nobody"]) expect(refusal(await ask(admin, id))).toEqual([404, "users.not_found"]);
    const master = (await realm.asMaster().browser.get("/admin/realms/master/users?search=admin")).body[0];
    expect((await realm.asMaster().browser.post(`/admin/realms/master/users/${master.userId}/impersonate`)).status).toBe(409);
  });
});

describe("the link", () => {
  test("makes the administrator's browser the user's, with a session that says so", async () => {
    const realm = await iam.realm();
    const { admin, user, browser, link, opened } = await impersonating(realm);
    expect(opened.headers.location).toBe(`/realms/${realm.name}/login`);
    expect(String(opened.headers["set-cookie"])).toMatch(/gh_\w+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax/);
    const html = await seenBy(browser, realm);
    expect(html).toContain(banner);
    expect(html).toContain(`>${user.username}</bdi>`);
    const { body: sessions } = await realm.asMaster().get(`/sessions?search=${link.sessionId}`);
    expect(sessions).toMatchObject([{ id: link.sessionId, userId: user.userId, impersonator: admin.username, amr: [], remembered: false }]);
    expect(await recorded(realm)).toEqual([
      [admin.username, "asked", null],
      [admin.username, "began", null],
    ]);
  });

  test("works once, also when it is opened twice at once", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users");
    const { userId } = await realm.user();
    const { body } = await ask(admin, userId);
    const twins = [admin.browser, admin.browser.elsewhere(iam.server.app), admin.browser.elsewhere(iam.server.app)];
    const answers = await Promise.all(twins.map((browser) => browser.get(pathOf(body.url))));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410]);
    expect((await realm.asMaster().get(`/sessions?search=${userId}`)).body).toHaveLength(1);
    expect((await twins[1]!.get(pathOf(body.url))).status).toBe(410);
  });

  test("works for a minute, in its realm, and not by another one's name", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const admin = await realm.as("manage-users");
    const { userId } = await realm.user();
    const { url } = (await ask(admin, userId)).body;
    expect((await admin.browser.get(pathOf(url).replace(realm.name, other.name))).status).toBe(410);
    expect((await admin.browser.get(`/realms/${realm.name}/impersonation?ticket=${"x".repeat(43)}`)).status).toBe(410);
    clock.advance(MINUTE + SECOND);
    const late = await admin.browser.get(pathOf(url));
    expect([late.status, late.text.includes("This link no longer works")]).toEqual([410, true]);
  });

  test("is not used up by a prefetch, a HEAD or another browser", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users");
    const { userId, username } = await realm.user();
    const path = pathOf((await ask(admin, userId)).body.url);
    for (const headers of [{ "sec-purpose": "prefetch;prerender" }, { purpose: "prefetch" }] as Record<string, string>[]) {
      const ahead = await admin.browser.get(path, { headers });
      expect([ahead.status, ahead.text.includes(banner)]).toEqual([200, false]);
    }
    expect((await admin.browser.request("HEAD", path)).status).toBe(405);
    const scanner = await iam.browser().get(path);
    expect([scanner.status, scanner.text.includes(username), String(scanner.headers["set-cookie"]).includes(`gh_${realm.name}=`)]).toEqual([
      403,
      false,
      false,
    ]);
    expect((await admin.browser.get(path)).status).toBe(303);
  });

  test("works only in the browser of the requesting administrator", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users", "view-users");
    const { userId } = await realm.user();
    const { url } = (await ask(admin, userId)).body;
    const at = `/realms/${realm.name}/impersonation`;
    const again = admin.browser.elsewhere(iam.server.app);
    again.cookies.clear();
    await again.signIn(realm.name, admin.username, "a password for tests");
    const colleague = await realm.as("realm-admin");
    // These browsers have no session; an administrator with more permissions; the same administrator with another session.
    for (const other of [iam.browser(), colleague.browser, again]) {
      const opened = await other.get(pathOf(url));
      expect([opened.status, opened.text.includes("This link belongs to another browser")]).toEqual([403, true]);
      await other.get(`/realms/${realm.name}/login`);
      expect((await other.request("POST", at, form(other, { ticket: ticketOf(url) }))).status).toBe(403);
      expect(await seenBy(other, realm)).not.toContain(banner);
    }
    expect((await realm.asMaster().get(`/sessions?search=${userId}`)).body).toEqual([]);
    expect((await admin.browser.get(pathOf(url))).status, "nor is it used up").toBe(303);
  });

  test("asks first after a prefetch, and needs the CSRF token then", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users");
    const { userId } = await realm.user();
    const { url } = (await ask(admin, userId)).body;
    const { browser } = admin;
    const ahead = await browser.get(pathOf(url), { headers: { purpose: "prefetch" } });
    expect([ahead.status, ahead.text.includes("Act as this user")]).toEqual([200, true]);
    const at = `/realms/${realm.name}/impersonation`;
    expect((await browser.request("POST", at, { form: { ticket: ticketOf(url) }, csrf: false })).status).toBe(403);
    expect((await browser.request("POST", at, form(browser, { ticket: ticketOf(url) }))).status).toBe(303);
    expect(await seenBy(browser, realm)).toContain(banner);
  });

  test("ending it never gives the administrator's session to a browser that did not put it aside", async () => {
    const realm = await iam.realm();
    const { browser } = await impersonating(realm);
    const thief = browser.elsewhere(iam.server.app);
    // The cookie that the administrator's own browser put aside is missing, and no other value is accepted.
    thief.cookies.set(`gh__own_${realm.name}`, "A".repeat(43));
    const ended = await end(thief, realm);
    expect([ended.status, thief.cookies.has(`gh_${realm.name}`)]).toEqual([303, false]);
    expect((await thief.get(`/admin/realms/${realm.name}/users`)).status).toBe(401);
  });

  test("is refused when meanwhile the user is disabled or locked, or the administrator signs out or loses the permission", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const meanwhile: Record<string, (admin: AdminClient, userId: string) => Promise<unknown>> = {
      "the user is locked": async (_, userId) => {
        const { body } = await boss.get(`/users/${userId}`);
        await boss.put(`/users/${userId}`, { ...body, locked: true });
      },
      "the user becomes mightier": (_, userId) => boss.post(`/users/${userId}/roles`, { name: "admin" }),
      "the administrator signs out": ({ browser }) => browser.request("POST", `/realms/${realm.name}/logout`, form(browser)),
      "the permission is taken": async ({ username }) => {
        const [{ roleId }] = (await boss.get(`/roles?search=${username}-role`)).body;
        await boss.put(`/admin-roles/${roleId}`, { permissions: ["view-users"] });
      },
    };
    for (const [what, happens] of Object.entries(meanwhile)) {
      const admin = await realm.as("manage-users");
      const { userId } = await realm.user();
      const { url } = (await ask(admin, userId)).body;
      await happens(admin, userId);
      const browser = iam.browser();
      await browser.get(pathOf(url));
      const answer = await browser.request("POST", `/realms/${realm.name}/impersonation`, form(browser, { ticket: ticketOf(url) }));
      expect([what, [403, 409].includes(answer.status), browser.cookies.has(`gh_${realm.name}`)]).toEqual([what, true, false]);
    }
  });
});

describe("while it lasts", () => {
  test("every page says so, and every event names the administrator", async () => {
    const realm = await iam.realm();
    const { admin, user, browser } = await impersonating(realm);
    for (const path of ["login", "login?lang=nl", "logout", "impersonation?ticket=gone"]) {
      const { text } = await browser.get(`/realms/${realm.name}/${path}`);
      expect([path, /You are acting as|Je handelt als/.test(text)]).toEqual([path, true]);
      expect(text).toContain(`action="/realms/${realm.name}/impersonation/end"`);
    }
    await browser.request("POST", `/realms/${realm.name}/logout`, form(browser));
    expect(await realm.events("type=LOGOUT")).toMatchObject([
      { actor: admin.username, impersonator: null },
      { actor: user.username, impersonator: admin.username },
    ]);
    expect((await recorded(realm)).at(-1)).toEqual([admin.username, "ended", admin.username]);
    expect(
      [...browser.cookies.keys()].filter((name) => name.includes(realm.name) && !/^gh__(device|pre|earlier)_/.test(name)),
      "only the cookie that identifies the browser is left",
    ).toEqual([]);
  });

  test("neither the admin API nor the parts of the account that only its user may use can be reached", async () => {
    const realm = await iam.realm();
    const boss = await realm.as("realm-admin");
    const target = await realm.as("manage-users", "view-users");
    await boss.browser.get(pathOf((await ask(boss, target.userId)).body.url));
    expect(refusal(await boss.get("/users"))).toEqual([403, "auth.forbidden"]);
    expect(refusal(await boss.put(`/users/${target.userId}/password`, { newPassword: "a password of mine" }))).toEqual([
      403,
      "auth.forbidden",
    ]);
    expect((await realm.events("type=ADMIN_DENIED"))[0]).toMatchObject({ actor: target.username, impersonator: boss.username });
    expect(refusal(await ask(boss, (await realm.user()).userId))).toEqual([403, "auth.forbidden"]);
    const account = `/realms/${realm.name}/account/gdpr`;
    expect(refusal(await boss.browser.get(`${account}/export`))).toEqual([403, "account.impersonated"]);
    expect(refusal(await boss.browser.delete(`${account}/consents/shop`))).toEqual([403, "account.impersonated"]);
    expect((await boss.browser.get(`${account}/consents`)).status).toBe(200);
    expect((await boss.browser.get(`/interactive-docs.html?realm=${realm.name}`)).text).not.toContain(target.username);
  });

  test("no invitation is accepted in the user's name", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const { browser, user } = await impersonating(realm);
    const { body } = await boss.get(`/users/${user.userId}`);
    await boss.put(`/users/${user.userId}`, { ...body, email: "invited@example.com" });
    const { organizationId } = (await boss.post("/organizations", { name: "Acme", alias: "acme" })).body;
    const token = "t".repeat(43);
    const invitation = { realm_id: realm.name, invitation_id: newId(), organization_id: organizationId, role: "member" };
    await iam.core.db
      .insertInto("organization_invitations")
      .values({
        ...invitation,
        email: "invited@example.com",
        email_key: "invited@example.com",
        token_hash: sha256(token),
        created_at: clock.now(),
        expires_at: clock.now() + MINUTE,
      })
      .execute();
    const path = `/realms/${realm.name}/invitations/${token}`;
    const page = await browser.get(path);
    expect([page.status, page.text.includes(banner)]).toEqual([200, true]);
    expect((await browser.request("POST", path, form(browser))).status).toBe(403);
    expect((await boss.get(`/organizations/${organizationId}/members`)).body).toEqual([]);
    await end(browser, realm);
    await browser.signIn(realm.name, user.username, user.password);
    await browser.get(path);
    expect((await browser.request("POST", path, form(browser))).status, "by themselves it is").toBe(303);
  });

  test("it ends after an hour however it is used, and like any session when it is not", async () => {
    const realm = await iam.realm();
    const { browser } = await impersonating(realm);
    for (let minutes = 0; minutes < 56; minutes += 14) {
      clock.advance(14 * MINUTE);
      expect([minutes, (await seenBy(browser, realm)).includes(banner)]).toEqual([minutes, true]);
    }
    clock.advance(5 * MINUTE);
    expect(await seenBy(browser, realm)).not.toContain(banner);
    clock.reset();
    const idle = await impersonating(realm);
    clock.advance(31 * MINUTE);
    expect(await seenBy(idle.browser, realm)).not.toContain(banner);
  });

  test("it ends with the administrator: disabled, session revoked, permission removed, deleted; and so do its tokens", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const app = await relyingParty(iam, realm);
    const ends: Record<string, (admin: AdminClient) => Promise<Answer>> = {
      disabled: async ({ userId }) => boss.put(`/users/${userId}`, { ...(await boss.get(`/users/${userId}`)).body, enabled: false }),
      revoked: async ({ userId }) => boss.delete(`/sessions/${(await boss.get(`/sessions?search=${userId}`)).body[0].id}`),
      demoted: async ({ username }) => {
        const [{ roleId }] = (await boss.get(`/roles?search=${username}-role`)).body;
        return boss.put(`/admin-roles/${roleId}`, { permissions: ["view-users"] });
      },
      deleted: ({ userId }) => boss.delete(`/users/${userId}`),
    };
    for (const [how, happens] of Object.entries(ends)) {
      const { admin, browser, user } = await impersonating(realm);
      const { access_token: token, refresh_token } = (await app.signIn(browser, user)).body;
      const userinfo = () => iam.browser().get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
      expect((await userinfo()).status).toBe(200);
      expect((await happens(admin)).status).toBeLessThan(300);
      expect([how, (await seenBy(browser, realm)).includes(banner)]).toEqual([how, false]);
      expect([how, (await userinfo()).status]).toEqual([how, 401]);
      expect((await app.post("/token", { grant_type: "refresh_token", refresh_token })).body.error).toBe("invalid_grant");
      if (how === "disabled" || how === "revoked") {
        expect((await boss.get(`/sessions?search=${user.userId}`)).body).toEqual([]);
        expect((await recorded(realm)).at(-1)?.slice(0, 2)).toEqual([admin.username, "ended"]);
      }
    }
  });

  test("it ends with the user: disabled, or signed in themselves in that browser", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const one = await impersonating(realm);
    await boss.put(`/users/${one.user.userId}`, { ...(await boss.get(`/users/${one.user.userId}`)).body, enabled: false });
    expect(await seenBy(one.browser, realm)).not.toContain(banner);
    expect((await recorded(realm)).at(-1)?.slice(0, 2)).toEqual([one.admin.username, "ended"]);
    const two = await impersonating(realm);
    await two.browser.signIn(realm.name, two.user.username, two.user.password);
    expect(await seenBy(two.browser, realm)).not.toContain(banner);
    expect((await recorded(realm)).at(-1)?.slice(0, 2)).toEqual([two.admin.username, "ended"]);
  });
});

describe("the end", () => {
  test("gives the administrator's own session back under a new cookie, and is recorded", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users", "view-users", "view-events");
    const before = admin.browser.cookies.get(`gh_${realm.name}`)!;
    const [own] = (await admin.get(`/sessions?search=${admin.userId}`)).body;
    const user = await realm.user();
    await admin.browser.get(pathOf((await ask(admin, user.userId)).body.url));
    const played = admin.browser.cookies.get(`gh_${realm.name}`)!;
    const ended = await end(admin.browser, realm);
    expect([ended.status, ended.headers.location]).toEqual([303, `/realms/${realm.name}/login`]);
    expect((await admin.get("/users")).status).toBe(200);
    expect((await admin.get(`/sessions?search=${admin.userId}`)).body).toMatchObject([{ id: own.id, current: true }]);
    expect((await admin.get(`/sessions?search=${user.userId}`)).body).toEqual([]);
    expect(admin.browser.cookies.has(`gh__own_${realm.name}`)).toBe(false);
    for (const old of [before, played]) {
      const thief = iam.browser();
      thief.cookies.set(`gh_${realm.name}`, old);
      expect((await thief.get(`/admin/realms/${realm.name}/users`)).status).toBe(401);
    }
    expect((await recorded(realm)).at(-1)).toEqual([admin.username, "ended", admin.username]);
    expect(await realm.events("type=LOGOUT")).toEqual([]);
    expect((await end(admin.browser, realm)).status, "a second time does no harm").toBe(303);
    expect((await admin.get("/users")).status).toBe(200);
  });

  test("needs the CSRF token", async () => {
    const realm = await iam.realm();
    const { browser } = await impersonating(realm);
    for (const fields of [{}, { _csrf: "x.y" }] as Record<string, string>[])
      expect((await browser.request("POST", `/realms/${realm.name}/impersonation/end`, { form: fields, csrf: false })).status).toBe(403);
    expect(await seenBy(browser, realm)).toContain(banner);
  });

  test("does not end the own session of an administrator of master, whom the event names with the realm", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const browser = iam.browser();
    await browser.signIn("master", "admin", MASTER_PASSWORD);
    const admin = `/admin/realms/${realm.name}`;
    const { body } = await browser.post(`${admin}/users/${user.userId}/impersonate`);
    expect((await browser.get(pathOf(body.url))).status).toBe(303);
    expect(await seenBy(browser, realm)).toContain(banner);
    expect((await browser.get(`${admin}/users`)).status, "as themselves, all the while").toBe(200);
    await seenBy(browser, realm);
    const ended = await end(browser, realm);
    expect(ended.headers.location).toBe("/realms/master/login");
    expect(await seenBy(browser, realm)).not.toContain(banner);
    expect((await browser.get("/admin/realms")).status).toBe(200);
    expect(await recorded(realm)).toEqual([
      ["master/admin", "asked", null],
      ["master/admin", "began", null],
      ["master/admin", "ended", "master/admin"],
    ]);
  });
});
