import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLdap } from "../../../test/peers/index.mjs";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { addDirectory, type DirectoryPeer, openLdapPeer, PEOPLE, person, SUFFIX } from "../../testing/directories.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Mailing, mailing } from "../../testing/mailing.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { answerPage, isSignedIn, pastPassword } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";

const NEW = "a brand new sentence of words";
const chosen = (newPassword: string, currentPassword?: string) => ({
  ...{ newPassword, newPasswordAgain: newPassword, ...(currentPassword !== undefined && { currentPassword }) },
});
const alertOf = (page: Answer) => /id="gh-error"[^>]*>([\s\S]*?)<\/div>/.exec(page.text)?.[1] ?? "";
const refusal = ({ status, body }: Answer) => [status, body?.code];

describe.skipIf(!openLdap())("users of a directory", () => {
  let iam: SharedHarness;
  let peer: DirectoryPeer;
  let mail: Mailing;
  beforeAll(async () => {
    const people = [
      "reset",
      "own",
      "mailed",
      "byadmin",
      "strict",
      "young",
      "denied",
      "reader",
      "guessed",
      "mover",
      "namesake",
      "unrecorded",
    ].map((uid) => person(uid));
    const crowd = Array.from({ length: 20 }, (_, i) => person(`crowd${i}`));
    const policy = (name: string, rules: string) =>
      `dn: cn=${name},${SUFFIX}\nobjectClass: organizationalRole\nobjectClass: pwdPolicy\ncn: ${name}\npwdAttribute: 2.5.4.35\n${rules}\n`;
    const policies = [
      policy("strict", "pwdMinLength: 20\npwdCheckQuality: 2\npwdInHistory: 3"),
      policy("young", "pwdMinAge: 86400"),
      policy("fixed", "pwdAllowUserChange: FALSE"),
    ];
    [peer, mail] = await Promise.all([openLdapPeer([...people, ...crowd, ...policies].join("\n")), mailing()]);
    for (const [uid, name] of Object.entries({ strict: "strict", young: "young", denied: "fixed" }))
      await modify(uid, `replace: pwdPolicySubentry\npwdPolicySubentry: cn=${name},${SUFFIX}`);
    iam = await sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" });
  });
  afterAll(async () => {
    clock.reset();
    await iam?.close();
    await mail?.peer.close();
    await peer?.ldap.stop();
  });

  const modify = (uid: string, change: string) => peer.ldap.apply(`dn: uid=${uid},${PEOPLE}\nchangetype: modify\n${change}\n`);
  const realmWith = async (editMode: "READ_ONLY" | "PASSWORD") => {
    const realm = await iam.realm();
    await addDirectory(realm, peer.config({ editMode }));
    return realm;
  };
  const status = async (realm: RealmUnderTest, uid: string, password: string) =>
    (await iam.browser().trySignIn(realm.name, uid, password)).status;
  /** The password that the directory accepts, of two, checked in its own realm without our counters. */
  const valid = async (realm: RealmUnderTest, uid: string, ...passwords: string[]) => {
    const found: string[] = [];
    for (const password of passwords) if ((await status(realm, uid, password)) === 303) found.push(password);
    return found;
  };
  const signedIn = async (realm: RealmUnderTest, uid: string): Promise<{ browser: Browser; userId: string }> => {
    const browser = iam.browser();
    await browser.signIn(realm.name, uid, `${uid}-password`);
    const [{ userId }] = (await realm.asMaster().get(`/users?username=${uid}`)).body;
    return { browser, userId };
  };
  const account = (realm: RealmUnderTest, path: string) => `/realms/${realm.name}/account${path}`;
  const localPasswords = (userId: string) =>
    iam.core.db.selectFrom("credentials").select("type").where("user_id", "=", userId).where("type", "=", "password").execute();

  test("one that must be replaced first leads to the page, which asks for the present one; the new one binds, the old does not", async () => {
    const realm = await realmWith("PASSWORD");
    await modify("reset", "replace: pwdReset\npwdReset: TRUE");
    const browser = iam.browser();
    const page = await pastPassword(browser, realm.name, { username: "reset", password: "reset-password" });
    expect([page.text.includes('name="currentPassword"'), page.text.includes('name="newPassword"')]).toEqual([true, true]);
    const answer = (fields: Record<string, string>) => answerPage(browser, realm.name, page, fields);
    expect(alertOf(await answer(chosen(NEW)))).toContain("Enter your current password, too");
    const wrong = await answer(chosen(NEW, "wrong"));
    expect([wrong.status, alertOf(wrong)]).toEqual([401, expect.stringContaining("not your current password")]);
    expect(alertOf(await answer(chosen("short", "reset-password")))).not.toBe("");
    expect(await realm.events("type=PASSWORD_CHANGED")).toMatchObject([{ outcome: "FAILURE", detail: "wrong present password" }]);
    expect(isSignedIn(await answer(chosen(NEW, "reset-password")), realm.name)).toBe(true);
    expect(await valid(realm, "reset", "reset-password", NEW)).toEqual([NEW]);
    const [user] = (await realm.asMaster().get("/users?username=reset")).body;
    expect((await realm.asMaster().get(`/users/${user.userId}/required-actions`)).body).toEqual([]);
    expect(await localPasswords(user.userId)).toEqual([]);
    expect(await realm.events(`type=PASSWORD_CHANGED&outcome=SUCCESS`)).toMatchObject([{ actor: "reset", resourceId: user.userId }]);
    expect(peer.ldap.log()).not.toContain(NEW);
    expect(iam.output.join("")).not.toContain(NEW);
  });

  test("a person changes their own: the present one is proven and counted, other sessions end", async () => {
    const realm = await realmWith("PASSWORD");
    const { browser, userId } = await signedIn(realm, "own");
    const elsewhere = await signedIn(realm, "own");
    const change = (currentPassword: string, newPassword: string) =>
      browser.put(account(realm, "/password"), { currentPassword, newPassword });
    expect(refusal(await change("own-password", "short")), "the realm's rules apply too").toEqual([400, "password.policy"]);
    expect(refusal(await change("wrong", NEW))).toEqual([400, "password.wrong"]);
    expect((await change("own-password", NEW)).status).toBe(204);
    expect((await elsewhere.browser.get(account(realm, "/profile"))).status).toBe(401);
    expect((await browser.get(account(realm, "/profile"))).status).toBe(200);
    expect(await valid(realm, "own", "own-password", NEW)).toEqual([NEW]);
    expect(await localPasswords(userId)).toEqual([]);
    expect(await iam.core.metrics.registry.metrics()).toContain('svc_directory_password_total{protocol="ldap",outcome="success"}');
  });

  test("guesses of the present one lock as at sign-in, and reach the directory no more", async () => {
    const realm = await realmWith("PASSWORD");
    const { body } = await realm.asMaster().get("/settings");
    await realm.asMaster().put("/settings", { ...body, bruteForce: { ...body.bruteForce, maxFailures: 3 } });
    const { browser, userId } = await signedIn(realm, "guessed");
    await realm.asMaster().put(`/users/${userId}/required-actions`, ["UPDATE_PASSWORD"]);
    const page = await pastPassword(iam.browser(), realm.name, { username: "guessed", password: "guessed-password" }).catch(() => null);
    expect(page?.text).toContain('name="currentPassword"');
    const binds = () => peer.ldap.log().split(`BIND dn="uid=guessed,${PEOPLE}" method`).length - 1;
    const before = binds();
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await browser.put(account(realm, "/password"), { currentPassword: `wrong ${i}`, newPassword: NEW })).status);
    expect(statuses).toContain(429);
    expect(binds() - before).toBeLessThanOrEqual(3);
  });

  test("a forgotten one is reset by mail, and an administrator sets one", async () => {
    const realm = await realmWith("PASSWORD");
    await mail.enable(realm);
    const { userId } = await signedIn(realm, "mailed");
    const browser = iam.browser();
    const base = iam.config.baseUrl;
    const { page } = await walk(browser, base, `/realms/${realm.name}/reset-password`);
    const waiting = await submit(browser, base, page, { username: "mailed" });
    const { code } = await mail.latestTo("mailed@corp.test");
    const choose = await submit(browser, base, waiting.page, { code });
    expect([choose.page.text.includes('name="newPassword"'), choose.page.text.includes('name="currentPassword"')]).toEqual([true, false]);
    await submit(browser, base, choose.page, chosen(NEW));
    expect(browser.cookies.has(`gh_${realm.name}`)).toBe(true);
    expect(await valid(realm, "mailed", "mailed-password", NEW)).toEqual([NEW]);
    expect(await realm.events("type=PASSWORD_RESET")).toMatchObject([{ resourceId: userId }]);
    expect(await localPasswords(userId)).toEqual([]);

    const { userId: other } = await signedIn(realm, "byadmin");
    const master = realm.asMaster();
    const path = `/users/${other}/password`;
    expect((await master.put(path, { newPassword: NEW }, { headers: { "if-match": '"99"' } })).status).toBe(412);
    expect(await valid(realm, "byadmin", "byadmin-password"), "nothing was written").toHaveLength(1);
    expect((await master.put(path, { newPassword: NEW })).status).toBe(204);
    expect(await valid(realm, "byadmin", "byadmin-password", NEW)).toEqual([NEW]);
    expect((await master.put(path, { newPassword: "a temporary sentence", temporary: true })).status).toBe(204);
    const requested = await pastPassword(iam.browser(), realm.name, { username: "byadmin", password: "a temporary sentence" });
    expect(requested.text).toContain('name="currentPassword"');
    expect(await localPasswords(other)).toEqual([]);
  });

  test("a refusal of the directory is shown in plain words, and nothing has changed", async () => {
    const realm = await realmWith("PASSWORD");
    const { browser, userId } = await signedIn(realm, "strict");
    const change = (who: Browser, currentPassword: string, newPassword: string) =>
      who.put(account(realm, "/password"), { currentPassword, newPassword });
    const short = await change(browser, "strict-password", "quite a short one");
    expect(refusal(short)).toEqual([400, "password.directory_policy"]);
    expect(short.body.errors).toMatchObject([{ field: "newPassword" }]);
    expect((await change(browser, "strict-password", NEW)).status).toBe(204);
    expect(refusal(await change(browser, NEW, NEW))).toEqual([400, "password.directory_history"]);
    expect(refusal(await realm.asMaster().put(`/users/${userId}/password`, { newPassword: "quite a short one" }))).toEqual([
      ...[400, "password.directory_policy"],
    ]);
    const [young, denied] = [await signedIn(realm, "young"), await signedIn(realm, "denied")];
    expect((await change(young.browser, "young-password", NEW)).status).toBe(204);
    expect(refusal(await change(young.browser, NEW, `${NEW} again`))).toEqual([400, "password.directory_too_young"]);
    expect(refusal(await change(denied.browser, "denied-password", NEW))).toEqual([400, "password.directory_denied"]);
    expect(await valid(realm, "denied", NEW, "denied-password")).toEqual(["denied-password"]);
    // On the page as well.
    await realm.asMaster().put(`/users/${userId}/required-actions`, ["UPDATE_PASSWORD"]);
    const visitor = iam.browser();
    const page = await pastPassword(visitor, realm.name, { username: "strict", password: NEW });
    const again = await answerPage(visitor, realm.name, page, chosen("quite a short one", NEW));
    expect(alertOf(again)).toContain("doesn’t accept this password");
    expect(await realm.events("type=PASSWORD_CHANGED&outcome=FAILURE")).toEqual([]);
  });

  test("a password that is in the directory but could not be recorded is recorded later, and sessions end", async () => {
    const realm = await realmWith("PASSWORD");
    const { browser, userId } = await signedIn(realm, "unrecorded");
    const waiting = async () =>
      (await sql`select 1 from jobs where kind = 'directories.password-unrecorded' and realm_id = ${realm.name}`.execute(iam.core.db)).rows;
    const change = (currentPassword: string, newPassword: string) =>
      browser.put(account(realm, "/password"), { currentPassword, newPassword });
    expect((await change("unrecorded-password", NEW)).status).toBe(204);
    expect((await change("wrong", NEW)).status).toBe(400);
    expect(await waiting(), "what was recorded, or refused, needs no job").toEqual([]);

    await sql`create function fail_event() returns trigger language plpgsql as 'begin raise exception ''no space left''; end'`.execute(
      iam.core.db,
    );
    await sql`create trigger fail_event before insert on audit_events for each row
      when (new.realm_id = ${sql.lit(realm.name)} and new.type = 'PASSWORD_CHANGED') execute function fail_event()`.execute(iam.core.db);
    expect((await change(NEW, `${NEW} again`)).status).toBe(500);
    await sql`drop trigger fail_event on audit_events`.execute(iam.core.db);
    expect(await valid(realm, "unrecorded", NEW, `${NEW} again`)).toEqual([`${NEW} again`]);
    expect(await waiting()).toHaveLength(1);
    clock.advance(3 * MINUTE);
    await iam.server.jobs.runDue();
    await expect.poll(waiting).toEqual([]);
    expect(await realm.events(`type=PASSWORD_CHANGED&resourceId=${userId}`)).toMatchObject([
      { outcome: "FAILURE", actor: "ldap:corp", detail: expect.stringContaining("may have taken a new password") },
      ...[{ outcome: "FAILURE", detail: "wrong present password" }, { outcome: "SUCCESS" }],
    ]);
    expect((await browser.get(account(realm, "/profile"))).status).toBe(401);
    clock.reset();
  });

  test("a read-only directory keeps its passwords: nothing changes them here, and no action shuts its users out", async () => {
    const realm = await realmWith("READ_ONLY");
    await mail.enable(realm);
    const { browser, userId } = await signedIn(realm, "reader");
    const master = realm.asMaster();
    const elsewhere = [409, "credentials.password_elsewhere"];
    expect(refusal(await master.put(`/users/${userId}/password`, { newPassword: NEW }))).toEqual(elsewhere);
    const own = await browser.put(account(realm, "/password"), { currentPassword: "reader-password", newPassword: NEW });
    expect(refusal(own)).toEqual(elsewhere);
    await master.put(`/users/${userId}/required-actions`, ["UPDATE_PASSWORD", "UPDATE_PROFILE"]);
    expect(await status(realm, "reader", "reader-password")).toBe(303);
    const page = await walk(browser, iam.config.baseUrl, `/realms/${realm.name}/account-password`);
    expect(page.page.text).toContain("Your organization keeps your password");
    expect(page.page.text).not.toContain('name="newPassword"');
    const base = iam.config.baseUrl;
    const visitor = iam.browser();
    const forgot = await walk(visitor, base, `/realms/${realm.name}/reset-password`);
    const waiting = await submit(visitor, base, forgot.page, { username: "reader" });
    const { code } = await mail.latestTo("reader@corp.test");
    const notice = await submit(visitor, base, waiting.page, { code });
    expect([notice.page.text.includes('name="newPassword"'), notice.page.text.includes("Your organization keeps your password")]).toEqual([
      false,
      true,
    ]);
    const forced = await submit(visitor, base, notice.page, chosen(NEW));
    expect(forced.page.status).toBe(400);
    expect(visitor.cookies.has(`gh_${realm.name}`)).toBe(false);
    expect(await localPasswords(userId)).toEqual([]);
    expect(await valid(realm, "reader", NEW, "reader-password")).toEqual(["reader-password"]);
  });

  test("a user is moved to local and back: the password goes with the source, and so do the sessions", async () => {
    const realm = await realmWith("READ_ONLY");
    const master = realm.asMaster();
    const { browser, userId } = await signedIn(realm, "mover");
    const sources = async (source: string) =>
      (await master.get(`/users?source=${source}`)).body.map((user: { username: string }) => user.username);
    expect(await sources("ldap:corp")).toEqual(["mover"]);
    expect((await master.get(`/users/${userId}`)).body.source).toBe("ldap:corp");
    const readOnly = await master.patch(`/users/${userId}`, { username: "other", attributes: { lastName: "Other" } });
    expect([readOnly.body.code, readOnly.body.detail]).toEqual([
      ...["users.from_directory", expect.stringContaining("ldap:corp: change username, attributes.lastName there")],
    ]);
    const profile = (await browser.get(account(realm, "/profile"))).body;
    const own = await browser.put(account(realm, "/profile"), { ...profile, email: "other@corp.test", firstName: "Other" });
    expect([own.status, own.body.detail]).toEqual([409, expect.stringContaining("change email, firstName there")]);
    // People do not leave their directory by themselves: their account there ends with their work.
    expect(refusal(await browser.delete(account(realm, "/linked-accounts/corp")))).toEqual([409, "identity_providers.kept_by_directory"]);

    expect((await master.delete(`/users/${userId}/linked-accounts/corp`)).status).toBe(204);
    expect(await sources("ldap:corp")).toEqual([]);
    expect(await sources("local")).toContain("mover");
    expect((await browser.get(account(realm, "/profile"))).status, "the session ended").toBe(401);
    expect(await status(realm, "mover", "mover-password"), "a local user without a password").toBe(401);
    expect((await master.put(`/users/${userId}/password`, { newPassword: NEW })).status).toBe(204);
    expect(await status(realm, "mover", NEW)).toBe(303);
    expect((await master.post("/user-federation/corp/sync?dryRun=true")).body.errors).toContainEqual(
      expect.objectContaining({ dn: `uid=mover,${PEOPLE}` }),
    );

    const move = (source: string, entry?: string) =>
      master.put(`/users/${userId}/source`, { source, ...(entry !== undefined && { entry }) });
    expect(refusal(await move("ldap:nowhere"))).toEqual([400, "user_federation.not_a_source"]);
    expect(refusal(await move("ldap:corp", "*"))).toEqual([409, "user_federation.entry_not_found"]);
    expect(refusal(await move("local"))).toEqual([409, "user_federation.same_source"]);
    await signedIn(realm, "namesake");
    expect(refusal(await move("ldap:corp", "namesake"))).toEqual([409, "identity_providers.subject_linked"]);
    const moved = await move("ldap:corp");
    expect([moved.status, moved.body]).toMatchObject([200, { userId, username: "mover", source: "ldap:corp" }]);
    expect(await localPasswords(userId)).toEqual([]);
    expect(await valid(realm, "mover", NEW, "mover-password")).toEqual(["mover-password"]);
    const details = (await realm.events(`resourceId=${userId}`)).map(({ type, detail }) => `${type} ${detail}`);
    expect(details).toEqual(
      expect.arrayContaining([
        ...["ADMIN_UPDATE source ldap:corp to local", "LINK_REMOVED corp"],
        ...["ADMIN_UPDATE source local to ldap:corp", "LINK_ADDED corp"],
      ]),
    );
  });

  test("moving a user is control of them: it needs every permission that they hold", async () => {
    const realm = await realmWith("READ_ONLY");
    const [lesser, greater] = [await realm.as("manage-users", "view-users"), await realm.as("manage-realm")];
    const answer = await lesser.put(`/users/${greater.userId}/source`, { source: "ldap:corp", entry: "mover" });
    expect(answer.status).toBe(403);
    expect((await realm.asMaster().get(`/users/${greater.userId}`)).body.source).toBe("local");
    const other = await iam.realm();
    expect((await other.asMaster().put(`/users/${greater.userId}/source`, { source: "local" })).status).toBe(404);
  });

  test("a second factor is required after the directory's password; the password grant follows the same rules", async () => {
    const realm = await realmWith("PASSWORD");
    const { userId } = await signedIn(realm, "crowd0");
    const party = await relyingParty(iam, realm, { grantTypes: ["password"] });
    const grant = (password: string) => party.post("/token", { grant_type: "password", scope: "openid", username: "crowd0", password });
    expect((await grant("crowd0-password")).status).toBe(200);
    expect((await grant("wrong")).status).toBe(400);
    const code = await giveTotp(iam, realm.name, userId);
    const browser = iam.browser();
    const page = await pastPassword(browser, realm.name, { username: "crowd0", password: "crowd0-password" });
    expect([page.text.includes('name="code"'), browser.cookies.has(`gh_${realm.name}`)]).toEqual([true, false]);
    expect(isSignedIn(await answerPage(browser, realm.name, page, { code: code() }), realm.name)).toBe(true);
    expect((await grant("crowd0-password")).status).toBe(400);
    await modify("crowd0", "replace: pwdReset\npwdReset: TRUE");
    expect((await grant("crowd0-password")).status).toBe(400);
  });

  test("60 sign-ins, 20 at once, all succeed on a bounded number of connections, which fall back afterwards", async () => {
    const realm = await realmWith("READ_ONLY");
    const from = peer.ldap.log().length;
    for (let round = 0; round < 3; round++) {
      const names = Array.from({ length: 20 }, (_, i) => `crowd${i === 0 ? 1 : i}`);
      const answers = await Promise.all(names.map((name) => status(realm, name, `${name}-password`)));
      expect(new Set(answers)).toEqual(new Set([303]));
    }
    const open = new Set<string>();
    let most = 0;
    const replay = () => {
      open.clear();
      for (const [, conn, what] of peer.ldap
        .log()
        .slice(from)
        .matchAll(/conn=(\d+) fd=\d+ (ACCEPT|closed)/g)) {
        if (what === "ACCEPT") open.add(conn!);
        else open.delete(conn!);
        most = Math.max(most, open.size);
      }
      return open.size;
    };
    await expect.poll(replay).toBeLessThanOrEqual(1);
    expect(most).toBeGreaterThan(1);
    // One for searches, and those of people.
    expect(most).toBeLessThanOrEqual(21);
  });

  test("passwords are written with TLS only", async () => {
    const { status: refused, body } = await (await iam.realm()).asMaster().post("/identity-providers", {
      ...{ alias: "plain", protocol: "ldap", config: { ...peer.config({ editMode: "PASSWORD" }), urls: [peer.ldap.url] } },
    });
    expect([refused, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, expect.arrayContaining(["config.editMode"])]);
  });
});
