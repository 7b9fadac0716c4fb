import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLdap, startOpenLdap } from "../../../test/peers/index.mjs";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { added, type DirectoryPeer, type DirectoryStage, directoryStage, PEOPLE, person, SUFFIX } from "../../testing/directories.ts";
import type { SharedHarness } from "../../testing/harness.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

describe.skipIf(!openLdap())("signing in by a directory", () => {
  let iam: SharedHarness;
  let peer: DirectoryPeer;
  let stage: DirectoryStage;
  beforeAll(async () => {
    const people = ["anna", "bert", "carl", "dora", "emil", "fritz", "gerd", "hans", "jörg", "twin", "admin"].map((uid) => person(uid));
    people.push(person("odd", { mail: "odd one@corp.test" }), person("zoe", { description: "zoë@bücher.example", givenName: "Zo\u202eë" }));
    const comma = person("comma\\, joe", { mail: "joe@corp.test", userPassword: "comma-password" }).replace(
      "uid: comma\\, joe",
      "uid: comma, joe",
    );
    const twin = `dn: uid=twin,ou=moved,${SUFFIX}\nobjectClass: inetOrgPerson\nuid: twin\ncn: twin\nsn: twin\nuserPassword: twin-password\n`;
    stage = await directoryStage([...people, twin, person("a*b(c)", { mail: "star@corp.test" }), comma].join("\n"));
    ({ iam, peer } = stage);
  });
  afterAll(() => stage?.close());
  const realmWith: DirectoryStage["realmWith"] = (config) => stage.realmWith(config);
  const signIn = (realm: RealmUnderTest, username: string, password: string) => iam.browser().trySignIn(realm.name, username, password);
  const users = async (realm: RealmUnderTest, search: string) =>
    (await realm.asMaster().get(`/users?search=${encodeURIComponent(search)}`)).body;
  const binds = (dn: string) => peer.ldap.log().split(`BIND dn="${dn}" method`).length - 1;

  test("the right password of a person unknown here makes one user, who is the same at the next sign-in", async () => {
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

  test("an address that no mail can be sent to is left out, one in other letters is kept, and names keep what can be seen", async () => {
    const [realm, other] = [await realmWith(), await realmWith({ emailAttribute: "description" })];
    expect((await signIn(realm, "odd", "odd-password")).status).toBe(303);
    expect(await users(realm, "odd")).toMatchObject([{ username: "odd", email: null }]);
    expect((await signIn(other, "zoe", "zoe-password")).status).toBe(303);
    expect(await users(other, "zoe")).toMatchObject([{ email: "zoë@bücher.example", attributes: { firstName: "Zoë" } }]);
  });

  test("four first sign-ins at once make one user", async () => {
    const realm = await realmWith();
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(realm, "bert", "bert-password")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    expect(await users(realm, "bert")).toHaveLength(1);
  });

  test("a wrong password and an unknown name look the same, and are recorded as failures", async () => {
    const realm = await realmWith();
    const [wrong, unknown] = [await signIn(realm, "anna", "wrong"), await signIn(realm, "unknown", "wrong")];
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    const plain = (text: string) => text.replaceAll(/anna|unknown|value="[^"]*"|nonce-[\w-]+|nonce="[^"]*"|data-options="[^"]*"/g, "");
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

  test("names that would be filters find no entry", async () => {
    const realm = await realmWith();
    for (const name of ["*", "*)(uid=*", "ann*", "\\2a", "anna)(uid=bert", "(uid=anna)", "$&"])
      expect((await signIn(realm, name, "anna-password")).status, name).toBe(401);
  });

  test("a name with stars and brackets leads to the entry that has it", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "a*b(c)", "a*b(c)-password")).status).toBe(303);
    expect((await signIn(realm, "jörg", "jörg-password")).status).toBe(303);
    expect((await signIn(realm, "comma, joe", "comma-password")).status).toBe(303);
  });

  test("a filter that finds two entries is refused", async () => {
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

  test("other spellings of a name that the directory takes for one are no further guesses", async () => {
    const realm = await realmWith();
    const guess = async (uid: string) => {
      const before = binds(`uid=${uid},${PEOPLE}`);
      for (let i = 0; i < 14; i++) {
        const spelled = `${" ".repeat(i % 4)}${uid}${" ".repeat(1 + Math.floor(i / 4))}`;
        expect((await signIn(realm, spelled, `wrong-${i}`)).status).toBe(401);
        clock.advance(2 * MINUTE);
      }
      const tried = binds(`uid=${uid},${PEOPLE}`) - before;
      // An unknown name would have no lock, so this one does not show it.
      expect((await signIn(realm, `     ${uid}`, `${uid}-password`)).status).toBe(401);
      clock.reset();
      return tried;
    };
    expect(await guess("bert"), "no user yet").toBe(10);
    // A right password clears what was counted.
    for (const password of ["wrong", "anna-password"]) await signIn(realm, " anna", password);
    const [anna] = await users(realm, "anna");
    const counted = iam.core.db
      .selectFrom("login_attempts")
      .selectAll()
      .where("realm_id", "=", realm.name)
      .where("kind", "=", "user:password");
    expect((await counted.execute()).filter(({ failures }) => failures < 10 && failures > 1)).toEqual([]);
    expect(await guess("anna")).toBe(10);
    expect(await realm.events("type=USER_LOCKED")).toMatchObject([{ resourceId: anna.userId }]);
    expect(await realm.events(`type=LOGIN_FAILURE&actor=${anna.userId}`)).toHaveLength(15);
    expect((await signIn(realm, "anna", "anna-password")).status).toBe(429);
  });

  test("a user who is disabled here stays out, and where a password must be replaced the page says so", async () => {
    const realm = await realmWith();
    expect((await signIn(realm, "gerd", "gerd-password")).status).toBe(303);
    const [gerd] = await users(realm, "gerd");
    const { mfaEnabled: _m, createdAt: _c, ...state } = gerd;
    expect((await realm.asMaster().put(`/users/${gerd.userId}`, { ...state, enabled: false })).status).toBe(200);
    expect((await signIn(realm, "gerd", "gerd-password")).status).toBe(401);
    await peer.ldap.apply(`dn: uid=hans,${PEOPLE}\nchangetype: modify\nreplace: pwdReset\npwdReset: TRUE\n`);
    const notice = await signIn(realm, "hans", "hans-password");
    expect([notice.status, notice.text.includes("Change your password first")]).toEqual([400, true]);
    expect((await signIn(realm, "hans", "wrong")).text).not.toContain("Change your password first");
  });

  test("directory members are changed there: no local password, name or address; roles and the lock are ours", async () => {
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
    // The attribute that was added here survives the next change there.
    await peer.ldap.apply(`dn: uid=anna,${PEOPLE}\nchangetype: modify\nreplace: givenName\ngivenName: Anne\n`);
    await signIn(realm, "anna", "anna-password");
    expect((await users(realm, "anna"))[0].attributes).toEqual({ firstName: "Anne", lastName: "Last anna", locale: "nl" });
    await peer.ldap.apply(`dn: uid=anna,${PEOPLE}\nchangetype: modify\nreplace: givenName\ngivenName: First anna\n`);
  });

  test("with provisioning deny no user is made", async () => {
    const realm = await realmWith({ provisioning: "deny" });
    expect((await signIn(realm, "anna", "anna-password")).status).toBe(401);
    expect(await users(realm, "anna")).toEqual([]);
  });

  test("a disabled or deleted directory signs no user in, and its users stay", async () => {
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

  test("a directory that asks for a client certificate is reached with one; its key is sealed and never shown", async () => {
    const { authority, identity } = peer;
    const demanding = await startOpenLdap({ identity, ca: authority.ca, ldif: person("anna"), verifyClient: true });
    try {
      const [own, other] = [await authority.identity("gatehouse.test"), await (await privateAuthority()).identity("gatehouse.test")];
      const realm = await realmWith({ url: demanding.tlsUrl });
      const master = realm.asMaster();
      const save = async (config: Record<string, unknown>) => {
        const { body } = await master.get("/identity-providers/corp");
        return master.put("/identity-providers/corp", { ...body, config: { ...body.config, ...config } });
      };
      const checks = async () =>
        (await master.post("/identity-providers/corp/test")).body.checks as { name: string; ok: boolean; message: string }[];
      expect((await signIn(realm, "anna", "anna-password")).status).toBe(503);
      expect((await checks()).at(-1)).toMatchObject({ name: "bind", ok: false, message: expect.stringContaining("clientCertificate") });
      for (const [config, field] of [
        [{ clientCertificate: own.cert }, "config.clientKey"],
        [{ clientKey: own.key }, "config.clientCertificate"],
        [{ clientCertificate: own.cert, clientKey: other.key }, "config.clientKey"],
        [{ clientCertificate: "no certificate", clientKey: own.key }, "config.clientCertificate"],
        [{ clientCertificate: own.cert, clientKey: "no key" }, "config.clientKey"],
      ] as const) {
        const { status, body } = await save(config);
        expect([status, body.errors?.[0]?.field], JSON.stringify(config)).toEqual([400, field]);
      }
      expect((await save({ clientCertificate: other.cert, clientKey: other.key })).status).toBe(200);
      expect((await signIn(realm, "anna", "anna-password")).status, "of another authority").toBe(503);
      expect(demanding.log()).not.toContain("BIND");
      const saved = await save({ clientCertificate: own.cert, clientKey: own.key });
      expect([saved.status, saved.body.config.clientKeySet, saved.text.includes("PRIVATE KEY")]).toEqual([200, true, false]);
      expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
      expect((await save({ timeoutMs: 4_000 })).status, "the key is kept").toBe(200);
      expect((await checks()).filter(({ ok }) => !ok)).toEqual([]);
      const { rows } = await sql<{ sealed: string }>`select sealed from identity_provider_secrets where realm_id = ${realm.name}`.execute(
        iam.core.db,
      );
      expect(rows).toHaveLength(2);
      expect(JSON.stringify(rows)).not.toContain("PRIVATE KEY");
      const byStartTls = await save({ url: demanding.url, startTls: true, bindPassword: "sync-password", clientKey: own.key });
      expect(byStartTls.status).toBe(200);
      expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
    } finally {
      await demanding.stop();
    }
  });

  describe("when the directory does not answer", () => {
    const silent: Server[] = [];
    afterAll(() => silent.map((server) => server.close()));
    const listening = async (server: Server, port = 0) => {
      silent.push(server.listen(port, "127.0.0.1"));
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    };

    test.each([
      ["nothing listens", async () => ({ url: "ldaps://127.0.0.1:1" })],
      ["it is silent", async () => ({ url: `ldaps://127.0.0.1:${await listening(createServer(() => {}))}` })],
      [
        "its certificate has expired",
        async () => {
          const server = createTlsServer(await peer.authority.expiredIdentity("ldap.test"), () => {});
          return { url: `ldaps://127.0.0.1:${await listening(server)}` };
        },
      ],
      ["its certificate is another authority's", async () => ({ caCertificate: undefined })],
      ["it refuses the service account", async () => ({ bindPassword: "wrong" })],
    ])("because %s: 503 for every password but the right one of a local user, who signs in", async (_name, make) => {
      const realm = await realmWith();
      expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
      const { body: provider } = await realm.asMaster().get("/identity-providers/corp");
      const broken = { ...peer.config(), timeoutMs: 500, ...(await make()) };
      const saved = await realm.asMaster().put("/identity-providers/corp", { ...provider, config: broken });
      expect(saved.status, saved.text).toBe(200);
      const { body } = await realm.asMaster().get("/settings");
      const strict = { ...body, bruteForce: { ...body.bruteForce, maxFailures: 3 } };
      expect((await realm.asMaster().put("/settings", strict)).status).toBe(200);
      for (let i = 0; i < 4; i++) {
        const answer = await signIn(realm, "anna", "anna-password");
        expect([answer.status, answer.headers["retry-after"]], "the directory's own user is not counted").toEqual([503, "10"]);
      }
      expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
      expect((await signIn(realm, "admin", realm.adminPassword)).status).toBe(303);
      // A local name and one that no user has get the same answers, and both are counted.
      const [local, unknown] = [await realm.user("local"), "unknown"];
      const plain = (text: string) => text.replaceAll(/local|unknown|value="[^"]*"|nonce-[\w-]+|nonce="[^"]*"|data-options="[^"]*"/g, "");
      for (let i = 0; i < 4; i++) {
        const [one, other] = [await signIn(realm, local.username, "wrong"), await signIn(realm, unknown, "wrong")];
        expect([one.status, other.status]).toEqual(i < 3 ? [503, 503] : [429, 429]);
        if (i === 0) expect(plain(one.text)).toBe(plain(other.text));
      }
    });

    test("a second server answers in its place, and one that is back answers at once", async () => {
      const second = await realmWith({ url: "ldaps://127.0.0.1:1", urls: [peer.ldap.tlsUrl] });
      expect((await signIn(second, "anna", "anna-password")).status).toBe(303);
      const breaking = await listening(createTlsServer(peer.identity, (socket) => socket.once("data", () => socket.destroy())));
      const third = await realmWith({ url: `ldaps://127.0.0.1:${breaking}`, urls: [peer.ldap.tlsUrl] });
      expect((await signIn(third, "anna", "anna-password")).status, "the first one breaks off").toBe(303);

      const open = new Set<Socket>();
      const forward = () =>
        createServer((socket) => {
          for (const each of [socket, connect(peer.ldap.tlsPort, "127.0.0.1")]) open.add(each.on("error", () => {}));
          const [near, far] = [...open].slice(-2);
          near!.pipe(far!).pipe(near!);
        });
      const first = forward();
      const port = await listening(first);
      const realm = await realmWith({ url: `ldaps://127.0.0.1:${port}` });
      expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
      first.close();
      for (const socket of open) socket.destroy();
      expect((await signIn(realm, "anna", "anna-password")).status).toBe(503);
      await listening(forward(), port);
      expect((await signIn(realm, "anna", "anna-password")).status).toBe(303);
    });
  });
});
