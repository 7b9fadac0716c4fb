import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLdap } from "../../../test/peers/index.mjs";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { addDirectory, added, type DirectoryPeer, openLdapPeer, PEOPLE, person, SUFFIX } from "../../testing/directories.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

describe.skipIf(!openLdap())("signing in by a directory", () => {
  let iam: Harness;
  let peer: DirectoryPeer;
  beforeAll(async () => {
    const people = ["anna", "bert", "carl", "dora", "emil", "fritz", "gerd", "hans", "jörg", "twin", "admin"].map((uid) => person(uid));
    const twin = `dn: uid=twin,ou=moved,${SUFFIX}\nobjectClass: inetOrgPerson\nuid: twin\ncn: twin\nsn: twin\nuserPassword: twin-password\n`;
    peer = await openLdapPeer([...people, twin, person("a*b(c)", { mail: "star@corp.test" })].join("\n"));
    iam = await harness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" });
    await iam.server.jobs.stop();
  });
  afterAll(async () => {
    clock.reset();
    await iam?.close();
    await peer?.ldap.stop();
  });

  const realmWith = async (more: Record<string, unknown> = {}) => {
    const realm = await iam.realm();
    await addDirectory(realm, peer.config(more));
    return realm;
  };
  const signIn = (realm: RealmUnderTest, username: string, password: string) => iam.browser().trySignIn(realm.name, username, password);
  const users = async (realm: RealmUnderTest, search: string) =>
    (await realm.asMaster().get(`/users?search=${encodeURIComponent(search)}`)).body;
  const binds = (dn: string) => peer.ldap.log().split(`BIND dn="${dn}" method`).length - 1;

  test("the right password of somebody unknown here makes one user, who is the same at the next sign-in", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
    const [anna, ...others] = await users(realm, "anna");
    expect(others).toEqual([]);
    expect(anna).toMatchObject({
      ...{ username: "anna", email: "anna@corp.test", emailVerified: false, enabled: true, roles: ["user"] },
      attributes: { firstName: "First anna", lastName: "Last anna" },
    });
    expect(await realm.events("type=LOGIN_SUCCESS")).toHaveLength(1);
    expect(await realm.events(`type=ADMIN_CREATE&actor=${encodeURIComponent("ldap:corp")}`)).toHaveLength(1);
    // Case and blanks are the directory's affair: the entry says who it is. By the address the user is found here.
    for (const name of ["ANNA", "anna@corp.test", "Anna"]) expect((await signIn(realm, name, "anna-password")).status, name).toBe(303);
    expect(await users(realm, "anna")).toEqual([anna]);
  });

  test("four first sign-ins at once make one user", async () => {
    const realm = await realmWith();
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(realm, "bert", "bert-password")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    expect(await users(realm, "bert")).toHaveLength(1);
  });

  test("a wrong password and an unknown name look the same, and are told as failures", async () => {
    const realm = await realmWith();
    const [wrong, unknown] = [await signIn(realm, "anna", "wrong"), await signIn(realm, "nobody", "wrong")];
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    const plain = (text: string) => text.replaceAll(/anna|nobody|value="[^"]*"|nonce-[\w-]+|nonce="[^"]*"|data-options="[^"]*"/g, "");
    expect(plain(wrong.text)).toBe(plain(unknown.text));
    expect(await realm.events("type=LOGIN_FAILURE")).toHaveLength(2);
    expect(await users(realm, "anna")).toEqual([]);
  });

  test("no bind arrives with an empty password, or for a name that no directory could have", async () => {
    const realm = await realmWith();
    const before = peer.ldap.log().length;
    for (const [name, password] of [
      ["anna", ""],
      ["x".repeat(10_000), "secret"],
      ["anna\0", "anna-password"],
    ] as const) {
      const { status } = await signIn(realm, name, password);
      expect([400, 401], name.slice(0, 10)).toContain(status);
    }
    expect(peer.ldap.log().slice(before)).not.toContain(`BIND dn="uid=anna,${PEOPLE}"`);
  });

  test.each(["*", "*)(uid=*", "ann*", "\\2a", "anna)(uid=bert", "(uid=anna)", "$&"])("the name %s leads to nobody", async (name) => {
    const realm = await realmWith();
    expect((await signIn(realm, name, "anna-password")).status).toBe(401);
  });

  test("a name with stars and brackets leads to the entry that has it", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "a*b(c)", "a*b(c)-password")).status).toBe(303);
    expect((await signIn(realm, "jörg", "jörg-password")).status).toBe(303);
  });

  test("a filter that finds two entries lets nobody in", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "twin", "twin-password")).status).toBe(401);
    expect(iam.output.join("")).toContain("more than one entry");
    const one = await realmWith({ userSearchBase: PEOPLE });
    expect((await signIn(one, "twin", "twin-password")).status).toBe(303);
  });

  test("a renamed and moved entry is the same user, by the old name until then and by the new one after", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "carl", "carl-password")).status).toBe(303);
    const [carl] = await users(realm, "carl");
    await peer.ldap.apply(
      `dn: uid=carl,${PEOPLE}\nchangetype: modrdn\nnewrdn: uid=karl\ndeleteoldrdn: 1\nnewsuperior: ou=moved,${SUFFIX}\n`,
    );
    expect((await signIn(realm, "karl", "carl-password")).status).toBe(303);
    expect((await users(realm, "karl"))[0]).toMatchObject({ userId: carl.userId, username: "karl" });
    expect((await signIn(realm, "carl", "carl-password")).status).toBe(401);
  });

  test("another entry of the same name is not the old account", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "dora", "dora-password")).status).toBe(303);
    const [dora] = await users(realm, "dora");
    await peer.ldap.apply(`dn: uid=dora,${PEOPLE}\nchangetype: delete\n`);
    await peer.ldap.apply(added(person("dora", { userPassword: "new-password" })));
    expect((await signIn(realm, "dora", "new-password")).status).toBe(401);
    expect((await signIn(realm, "dora", "dora-password")).status).toBe(401);
    expect(await users(realm, "dora")).toEqual([expect.objectContaining({ userId: dora.userId })]);
    expect(iam.output.join("")).toContain("another entry has the name of a user whose own entry is gone");
  });

  test("a local user's name is the local user's: their own password decides, and the entry takes nothing over", async () => {
    const realm = await realmWith();
    const before = binds(`uid=admin,${PEOPLE}`);
    expect((await signIn(realm, "admin", "admin-password")).status).toBe(401);
    expect((await signIn(realm, "admin", realm.adminPassword)).status).toBe(303);
    expect(binds(`uid=admin,${PEOPLE}`)).toBe(before);
    // The same for the address: the entry's user would have it.
    await realm.asMaster().post("/users", { username: "other", email: "emil@corp.test" });
    expect((await signIn(realm, "emil", "emil-password")).status).toBe(401);
    expect(iam.output.join("")).toContain("another user has the name or the mail address");
  });

  test("ten wrong passwords lock here, and further attempts do not reach the directory", async () => {
    const realm = await realmWith();
    const dn = `uid=fritz,${PEOPLE}`;
    expect((await signIn(realm, "fritz", "fritz-password")).status).toBe(303);
    const before = binds(dn);
    const statuses: number[] = [];
    for (let i = 0; i < 14; i++) {
      statuses.push((await signIn(realm, "fritz", `wrong-${i}`)).status);
      clock.advance(2 * MINUTE);
    }
    expect(statuses).toContain(429);
    expect(binds(dn) - before).toBeLessThanOrEqual(10);
    clock.reset();
  });

  test("a user who is disabled here stays out, and a password that must be replaced is told where", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "gerd", "gerd-password")).status).toBe(303);
    const [gerd] = await users(realm, "gerd");
    const { mfaEnabled: _m, createdAt: _c, ...state } = gerd;
    expect((await realm.asMaster().put(`/users/${gerd.userId}`, { ...state, enabled: false })).status).toBe(200);
    expect((await signIn(realm, "gerd", "gerd-password")).status).toBe(401);
    await peer.ldap.apply(`dn: uid=hans,${PEOPLE}\nchangetype: modify\nreplace: pwdReset\npwdReset: TRUE\n`);
    const told = await signIn(realm, "hans", "hans-password");
    expect([told.status, told.text.includes("Please change your password first")]).toEqual([400, true]);
    expect((await signIn(realm, "hans", "wrong")).text).not.toContain("Please change your password first");
  });

  test("what the directory says is changed there: no local password, name or address; roles and the lock are ours", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
    const [{ mfaEnabled: _m, createdAt: _c, ...anna }] = await users(realm, "anna");
    const admin = realm.asMaster();
    const path = `/users/${anna.userId}`;
    const password = await admin.put(`${path}/password`, { newPassword: "a local password" });
    expect([password.status, password.body.code]).toEqual([409, "credentials.password_elsewhere"]);
    for (const change of [{ username: "other" }, { email: "other@corp.test" }, { attributes: { ...anna.attributes, lastName: "Other" } }]) {
      const { status, body } = await admin.put(path, { ...anna, ...change });
      expect([status, body.code]).toEqual([409, "users.from_directory"]);
    }
    expect((await admin.put(path, { ...anna, attributes: { ...anna.attributes, locale: "nl" } })).status).toBe(200);
    const count = await iam.core.db.selectFrom("credentials").select("user_id").where("user_id", "=", anna.userId).execute();
    expect(count).toEqual([]);
    // The action leads to a page that says where.
    await admin.put(`${path}/required-actions`, { requiredActions: ["UPDATE_PASSWORD"] });
    // What was added here stays with the next change there.
    await peer.ldap.apply(`dn: uid=anna,${PEOPLE}\nchangetype: modify\nreplace: givenName\ngivenName: Anne\n`);
    await signIn(realm, "anna", "anna-password");
    expect((await users(realm, "anna"))[0].attributes).toEqual({ firstName: "Anne", lastName: "Last anna", locale: "nl" });
    await peer.ldap.apply(`dn: uid=anna,${PEOPLE}\nchangetype: modify\nreplace: givenName\ngivenName: First anna\n`);
  });

  test("with provisioning deny nobody new is let in", async () => {
    const realm = await realmWith({ provisioning: "deny" });
    expect((await signIn(realm, "anna", "anna-password")).status).toBe(401);
    expect(await users(realm, "anna")).toEqual([]);
  });

  test("a disabled or deleted directory lets nobody in, and its users stay", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
    const { body } = await realm.asMaster().get("/identity-providers/corp");
    expect((await realm.asMaster().put("/identity-providers/corp", { ...body, enabled: false })).status).toBe(200);
    expect((await signIn(realm, "anna", "anna-password")).status).toBe(401);
    expect((await realm.asMaster().put("/identity-providers/corp", body)).status).toBe(200);
    expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
    expect((await realm.asMaster().delete("/identity-providers/corp")).status).toBe(204);
    expect((await signIn(realm, "anna", "anna-password")).status).toBe(401);
    expect(await users(realm, "anna")).toHaveLength(1);
  });

  describe("when the directory does not answer", () => {
    const silent: Server[] = [];
    afterAll(() => silent.map((server) => server.close()));

    test.each([
      ["nothing listens", async () => ({ url: "ldaps://127.0.0.1:1" })],
      [
        "it is silent",
        async () => {
          const server = createServer(() => {}).listen(0, "127.0.0.1");
          silent.push(server);
          await new Promise((resolve) => server.once("listening", resolve));
          return { url: `ldaps://127.0.0.1:${(server.address() as { port: number }).port}` };
        },
      ],
      ["its certificate is another authority's", async () => ({ caCertificate: undefined })],
      ["it refuses the service account", async () => ({ bindPassword: "wrong" })],
    ])("because %s: 503, no attempt is counted, and local users sign in", async (_name, make) => {
      const realm = await realmWith({ timeoutMs: 500, ...(await make()) });
      for (let i = 0; i < 12; i++) {
        const answer = await signIn(realm, "anna", "anna-password");
        expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "10"]);
      }
      expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
      expect((await signIn(realm, "admin", realm.adminPassword)).status).toBe(303);
    });

    test("a second server answers in its place, and one that is back answers at once", async () => {
      const realm = await realmWith({ url: "ldaps://127.0.0.1:1", urls: [peer.ldap.tlsUrl] });
      expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
    });
  });
});
