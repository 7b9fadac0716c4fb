import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sambaDomain, startDomain } from "../../../test/peers/index.mjs";
import { addDirectory } from "../../testing/directories.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { answerPage, isSignedIn, pastPassword } from "../../testing/step-pages.ts";

const users = "CN=Users,DC=corp,DC=test";
const PASSWORD = "Right-Passw0rd";
const NEW = "Another long Passw0rd";
const unicode = Buffer.from(`"${PASSWORD}"`, "utf16le").toString("base64");
const person = (name: string, more = "userAccountControl: 512\n") =>
  `dn: CN=${name},${users}\nchangetype: add\nobjectClass: user\nsAMAccountName: ${name}\nuserPrincipalName: ${name}@corp.test\nmail: ${name}@corp.test\ngivenName: ${name}\nunicodePwd:: ${unicode}\n${more}\n`;

describe.skipIf(!sambaDomain())("Active Directory", () => {
  let iam: Harness;
  let domain: Awaited<ReturnType<typeof startDomain>>;
  let config: Record<string, unknown>;

  beforeAll(async () => {
    const authority = await privateAuthority();
    const host = "127.0.38.10";
    const identity = await authority.identityWith("dc1.corp.test", [{ type: "ip", value: host }]);
    domain = await startDomain({ identity, ca: authority.ca, host });
    await domain.apply(
      [
        person("anna"),
        person("bert"),
        person("disabled", "userAccountControl: 514\n"),
        person("expired", "userAccountControl: 512\naccountExpires: 132000000000000000\n"),
        person("mustchange", "userAccountControl: 512\npwdLastSet: 0\n"),
        person("mustwrite", "userAccountControl: 512\npwdLastSet: 0\n"),
        person("expiredpw"),
        person("changer"),
      ].join("\n"),
    );
    await domain.sam(`dn: CN=expiredpw,${users}\nchangetype: modify\nreplace: pwdLastSet\npwdLastSet: 130000000000000000\n`);
    iam = await harness({ GATEHOUSE_ALLOWED_HOSTS: host });
    await iam.server.jobs.stop();
    config = {
      ...{ url: domain.url, caCertificate: authority.ca, bindDn: "Administrator@corp.test", bindPassword: "Admin-Passw0rd!" },
      ...{ userSearchBase: domain.suffix, uidAttribute: "sAMAccountName" },
      userSearchFilter: "(&(objectCategory=person)(userPrincipalName=*)(|(sAMAccountName={0})(userPrincipalName={0})))",
    };
  });
  afterAll(async () => {
    await iam?.close();
    await domain?.stop();
  });

  const realmWithAd = async (more: Record<string, unknown> = {}) => {
    const realm = await iam.realm();
    await addDirectory(realm, { ...config, ...more }, { protocol: "ad" });
    return realm;
  };
  const signIn = (realm: RealmUnderTest, username: string, password = PASSWORD) => iam.browser().trySignIn(realm.name, username, password);
  const userNamed = async (realm: RealmUnderTest, name: string) => (await realm.asMaster().get(`/users?search=${name}`)).body[0];

  test("the test call goes through every step", async () => {
    const realm = await realmWithAd();
    const { body } = await realm.asMaster().post("/identity-providers/corp/test");
    expect(body.checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual([
      ["reach", true],
      ["bind", true],
      ["search", true],
      ["entry", true],
    ]);
    expect(JSON.stringify(body)).not.toContain("anna");
  });

  test("people sign in by either name as one user, and a rename keeps them", async () => {
    const realm = await realmWithAd();
    expect((await signIn(realm, "anna")).status).toBe(303);
    const anna = await userNamed(realm, "anna");
    expect((await signIn(realm, "ANNA@corp.test")).status).toBe(303);
    await domain.apply(`dn: CN=anna,${users}\nchangetype: modrdn\nnewrdn: CN=Anna New\ndeleteoldrdn: 1\n`);
    await domain.apply(`dn: CN=Anna New,${users}\nchangetype: modify\nreplace: sAMAccountName\nsAMAccountName: annanew\n`);
    expect((await signIn(realm, "annanew")).status).toBe(303);
    expect(await userNamed(realm, "annanew")).toMatchObject({ userId: anna.userId, username: "annanew" });
  });

  test("accounts that are disabled or expired there are refused like a wrong password; where a password must be replaced the page says so", async () => {
    const realm = await realmWithAd();
    const wrong = await signIn(realm, "bert", "Wrong-Passw0rd");
    for (const name of ["disabled", "expired"]) expect((await signIn(realm, name)).status, name).toBe(wrong.status);
    expect(await userNamed(realm, "disabled")).toBeUndefined();
    const notice = await signIn(realm, "mustchange");
    expect([notice.status, notice.text.includes("Change your password first")]).toEqual([400, true]);
    expect((await signIn(realm, "mustchange", "Wrong-Passw0rd")).status).toBe(401);
    const expired = await signIn(realm, "expiredpw");
    expect([expired.status, expired.text.includes("Change your password first")]).toEqual([400, true]);
  });

  test("with editMode PASSWORD one that must be replaced or has expired is replaced here, by the domain's rules", async () => {
    const realm = await realmWithAd({ editMode: "PASSWORD" });
    for (const username of ["mustwrite", "expiredpw"]) {
      const browser = iam.browser();
      const page = await pastPassword(browser, realm.name, { username, password: PASSWORD });
      expect(page.text, username).toContain('name="currentPassword"');
      const choose = (newPassword: string, currentPassword = PASSWORD) =>
        answerPage(browser, realm.name, page, { currentPassword, newPassword, newPasswordAgain: newPassword });
      expect((await choose(NEW, "Wrong-Passw0rd")).status, username).toBe(401);
      const refused = await choose("without a capital letter");
      expect([refused.status, refused.text.includes("doesn’t accept this password")], username).toEqual([400, true]);
      expect(isSignedIn(await choose(NEW), realm.name), username).toBe(true);
      expect((await signIn(realm, username, PASSWORD)).status, username).toBe(401);
      expect((await signIn(realm, username, NEW)).status, username).toBe(303);
    }
    expect(await iam.core.db.selectFrom("credentials").select("type").where("realm_id", "=", realm.name).execute()).toHaveLength(1);
  });

  test("a person changes their own password in the domain, and an administrator resets it", async () => {
    const realm = await realmWithAd({ editMode: "PASSWORD" });
    const browser = iam.browser();
    await browser.signIn(realm.name, "changer", PASSWORD);
    const change = (currentPassword: string, newPassword: string) =>
      browser.put(`/realms/${realm.name}/account/password`, { currentPassword, newPassword });
    expect((await change("Wrong-Passw0rd", NEW)).body.code).toBe("password.wrong");
    expect((await change(PASSWORD, "without a capital letter")).body.code).toBe("password.directory_policy");
    // The domain's default: a password is kept for a day.
    expect((await change(PASSWORD, NEW)).body?.code).toBe("password.directory_policy");
    await domain.apply(`dn: ${domain.suffix}\nchangetype: modify\nreplace: minPwdAge\nminPwdAge: 0\n`);
    expect((await change(PASSWORD, NEW)).status).toBe(204);
    expect((await signIn(realm, "changer", PASSWORD)).status).toBe(401);
    const { userId } = await userNamed(realm, "changer");
    const set = (newPassword: string) => realm.asMaster().put(`/users/${userId}/password`, { newPassword });
    expect((await set("without a capital letter")).body.code).toBe("password.directory_policy");
    expect((await set(`${NEW} x`)).status).toBe(204);
    expect((await signIn(realm, "changer", `${NEW} x`)).status).toBe(303);
  });

  test("a sync follows the directory's numbers of changes, and who is disabled there", async () => {
    const realm = await realmWithAd();
    const sync = async (query = "") => (await realm.asMaster().post(`/user-federation/corp/sync${query}`)).body;
    const first = await sync();
    expect(first).toMatchObject({ kind: "full", created: 8, failed: 0 });
    expect(await userNamed(realm, "disabled")).toMatchObject({ enabled: false });
    expect(await sync("?full=false")).toMatchObject({ kind: "changed", synced: 0 });
    await domain.apply(`dn: CN=bert,${users}\nchangetype: modify\nreplace: userAccountControl\nuserAccountControl: 514\n`);
    await domain.apply(`dn: CN=disabled,${users}\nchangetype: modify\nreplace: userAccountControl\nuserAccountControl: 512\n`);
    expect(await sync("?full=false")).toMatchObject({ kind: "changed", synced: 2, updated: 1, disabled: 1 });
    expect(await userNamed(realm, "bert")).toMatchObject({ enabled: false });
    expect(await userNamed(realm, "disabled")).toMatchObject({ enabled: true });
  });

  test("groups in groups give roles; a run of changes finds deleted users by DirSync, and reports when it may not", async () => {
    const base = `OU=sync,${domain.suffix}`;
    const account = (name: string) =>
      `dn: CN=${name},${base}\nchangetype: add\nobjectClass: user\nsAMAccountName: ${name}\nunicodePwd:: ${unicode}\nuserAccountControl: 512\n`;
    const group = (name: string, member: string) =>
      `dn: CN=${name},${base}\nchangetype: add\nobjectClass: group\nsAMAccountName: ${name}\nmember: ${member}\n`;
    await domain.apply(
      [
        `dn: ${base}\nchangetype: add\nobjectClass: organizationalUnit\nou: sync\n`,
        ...["sam", "sue", "tom", "reader"].map(account),
        group("inner", `CN=sam,${base}`),
        group("outer", `CN=inner,${base}`),
      ].join("\n"),
    );
    const realm = await iam.realm();
    const own = { ...config, userSearchBase: base, userSearchFilter: "(&(objectCategory=person)(sAMAccountName={0}))" };
    await addDirectory(realm, { ...own, groupSearchBase: base, nestedGroups: true }, { protocol: "ad" });
    await realm.asMaster().post("/roles", { name: "worker" });
    const mapper = { name: "a", type: "role", claim: "groups", value: `cn=outer,${base.toLowerCase()}`, role: "worker" };
    expect((await realm.asMaster().post("/identity-providers/corp/mappers", mapper)).status).toBe(201);
    const sync = async (query = "") => (await realm.asMaster().post(`/user-federation/corp/sync${query}`)).body;
    const rolesOf = async (name: string) => (await userNamed(realm, name)).roles;
    expect(await sync()).toMatchObject({ kind: "full", created: 4, failed: 0, message: null });
    expect([await rolesOf("sam"), await rolesOf("sue")]).toEqual([["user", "worker"], ["user"]]);
    expect(await sync("?full=false"), "where DirSync begins").toMatchObject({ kind: "changed", updated: 0, disabled: 0, message: null });

    await domain.apply(`dn: CN=tom,${base}\nchangetype: delete\n`);
    await domain.apply(`dn: CN=inner,${base}\nchangetype: modify\nreplace: member\nmember: CN=sue,${base}\n`);
    expect(await sync("?full=false&dryRun=true")).toMatchObject({ kind: "changed", disabled: 1, dryRun: true });
    expect(await sync("?full=false")).toMatchObject({ kind: "changed", updated: 2, disabled: 1, failed: 0, message: null });
    expect(await userNamed(realm, "tom")).toMatchObject({ enabled: false });
    expect([await rolesOf("sam"), await rolesOf("sue")]).toEqual([["user"], ["user", "worker"]]);
    expect((await signIn(realm, "sue")).status).toBe(303);
    expect(await rolesOf("sue")).toEqual(["user", "worker"]);
    // Out of the search base: as good as gone.
    await domain.apply(`dn: CN=sam,${base}\nchangetype: modrdn\nnewrdn: CN=sam\ndeleteoldrdn: 1\nnewsuperior: ${users}\n`);
    expect(await sync("?full=false")).toMatchObject({ kind: "changed", disabled: 1 });
    expect(await userNamed(realm, "sam")).toMatchObject({ enabled: false });
    expect(await sync("?full=false")).toMatchObject({ kind: "changed", updated: 0, disabled: 0 });

    const { body } = await realm.asMaster().get("/identity-providers/corp");
    const plain = { ...body.config, bindDn: `CN=reader,${base}`, bindPassword: PASSWORD };
    expect((await realm.asMaster().put("/identity-providers/corp", { ...body, config: plain })).status).toBe(200);
    await domain.apply(`dn: CN=sue,${base}\nchangetype: modify\nreplace: givenName\ngivenName: Susan\n`);
    const note = expect.stringContaining("Replicating Directory Changes");
    expect(await sync("?full=false")).toMatchObject({ kind: "changed", updated: 1, disabled: 0, message: note });
  });
});
