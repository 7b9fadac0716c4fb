import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLdap } from "../../../test/peers/index.mjs";
import { addDirectory, type DirectoryPeer, openLdapPeer, PEOPLE, person, SUFFIX } from "../../testing/directories.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { answer, entryMessage, ldapPeer, RESPONSE } from "../../testing/ldap-peer.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

const GROUPS = `ou=groups,${SUFFIX}`;
const dnOf = (uid: string) => `uid=${uid},${PEOPLE}`;
const groupOf = (cn: string, members: readonly string[]) =>
  `dn: cn=${cn},${GROUPS}\nobjectClass: groupOfNames\ncn: ${cn}\n${members.map((dn) => `member: ${dn}`).join("\n")}\n`;
const CROWD = 100_000;
const crowd = Array.from({ length: CROWD }, (_, i) => `uid=m${i},ou=moved,${SUFFIX}`);

describe.skipIf(!openLdap())("groups and mappers of a directory", () => {
  let iam: SharedHarness;
  let peer: DirectoryPeer;
  beforeAll(async () => {
    const people = ["ann", "bob", "cat", "dan", "eve"].map((uid, i) =>
      person(uid, { departmentNumber: [`d${i}`, "all"], ...(uid === "ann" && { jpegPhoto: "/9j/4AAQ" }) }).replace(
        "jpegPhoto:",
        "jpegPhoto::",
      ),
    );
    const groups = [
      groupOf("sales", [dnOf("ann")]),
      groupOf("staff", [`cn=sales,${GROUPS}`, `CN=Loop, ${GROUPS}`, dnOf("dan")]),
      groupOf("loop", [`cn=staff,${GROUPS}`]),
      groupOf("crowd", [...crowd, dnOf("bob")]),
      `dn: cn=unix,${GROUPS}\nobjectClass: posixGroup\ncn: unix\ngidNumber: 100\nmemberUid: cat\n`,
    ];
    peer = await openLdapPeer([...people, ...groups].join("\n"));
    iam = await sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1", GATEHOUSE_MODE: "development" });
    await iam.server.jobs.stop();
  });
  afterAll(async () => {
    await iam?.close();
    await peer?.ldap.stop();
  });

  const realmWith = async (config: Record<string, unknown>, mappers: readonly Record<string, unknown>[]) => {
    const realm = await iam.realm();
    const master = realm.asMaster();
    for (const name of ["seller", "worker", "reader"]) expect((await master.post("/roles", { name })).status).toBe(201);
    const { groupId } = (await master.post("/groups", { name: "field" })).body;
    await addDirectory(realm, peer.config({ userSearchBase: PEOPLE, groupSearchBase: GROUPS, ...config }));
    for (const mapper of mappers) {
      const { status, text } = await map(realm, { ...mapper, ...(mapper.type === "group" && { group: groupId }) });
      expect(status, text).toBe(201);
    }
    return { realm, groupId: groupId as string };
  };
  let mapped = 0;
  const map = (realm: RealmUnderTest, mapper: Record<string, unknown>) =>
    realm.asMaster().post("/identity-providers/corp/mappers", { name: `m${mapped++}`, ...mapper });
  const sync = async (realm: RealmUnderTest, query = "") => {
    const { status, body } = await realm.asMaster().post(`/user-federation/corp/sync${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const userNamed = async (realm: RealmUnderTest, name: string) =>
    (await realm.asMaster().get(`/users?search=${name}`)).body.find((user: { username: string }) => user.username === name);
  const rolesOf = async (realm: RealmUnderTest, name: string) =>
    ((await userNamed(realm, name)).roles as string[]).filter((role) => role !== "user").sort();
  const groupsOf = async (realm: RealmUnderTest, name: string) =>
    (await realm.asMaster().get(`/users/${(await userNamed(realm, name)).userId}/groups`)).body.map(
      ({ groupId }: { groupId: string }) => groupId,
    );
  const signIn = async (realm: RealmUnderTest, uid: string) =>
    expect((await iam.browser().trySignIn(realm.name, uid, `${uid}-password`)).status).toBe(303);
  const change = (cn: string, how: "add" | "delete", uid: string) =>
    peer.ldap.apply(`dn: cn=${cn},${GROUPS}\nchangetype: modify\n${how}: member\nmember: ${dnOf(uid)}\n`);

  const seller = { type: "role", claim: "groups", value: `CN=Sales, OU=groups,dc=corp,DC=test`, role: "seller" };
  const worker = { type: "role", claim: "groups", value: "staff", role: "worker" };

  test("a sync and a sign-in give the same, nested groups included, and follow users who move; what was given by hand stays", async () => {
    const { realm, groupId } = await realmWith({ nestedGroups: true }, [seller, worker, { ...seller, type: "group", role: undefined }]);
    await signIn(realm, "ann");
    expect([await rolesOf(realm, "ann"), await groupsOf(realm, "ann")]).toEqual([["seller", "worker"], [groupId]]);
    expect(await sync(realm)).toMatchObject({ created: 4, updated: 0, failed: 0, message: null });
    expect(await rolesOf(realm, "dan")).toEqual(["worker"]);
    expect(await rolesOf(realm, "eve")).toEqual([]);

    // By hand: bob is to keep what dan and ann lose.
    const { mfaEnabled: _m, createdAt: _c, ...bob } = await userNamed(realm, "bob");
    expect((await realm.asMaster().put(`/users/${bob.userId}`, { ...bob, roles: ["user", "seller"] })).status).toBe(200);
    await change("sales", "add", "bob");
    expect(await sync(realm, "?full=false")).toMatchObject({ kind: "changed", updated: 1 });
    expect(await rolesOf(realm, "bob")).toEqual(["seller", "worker"]);
    await change("sales", "delete", "bob");
    await change("staff", "delete", "dan");
    expect(await sync(realm, "?full=false"), "their entries have not changed").toMatchObject({ kind: "changed", updated: 2, failed: 0 });
    expect([await rolesOf(realm, "bob"), await rolesOf(realm, "dan")]).toEqual([["seller"], []]);
    expect(await sync(realm, "?full=false")).toMatchObject({ kind: "changed", updated: 0 });

    await change("sales", "add", "eve");
    await signIn(realm, "eve");
    expect([await rolesOf(realm, "eve"), await groupsOf(realm, "eve")]).toEqual([["seller", "worker"], [groupId]]);
    await change("sales", "delete", "eve");
    await signIn(realm, "eve");
    expect([await rolesOf(realm, "eve"), await groupsOf(realm, "eve")]).toEqual([[], []]);
    expect(await sync(realm)).toMatchObject({ updated: 0, created: 0 });
    await change("staff", "add", "dan");
  });

  test("a role that a mapper and an administrator gave, and the administrator takes away, comes again by the mapper", async () => {
    const { realm } = await realmWith({}, [worker]);
    const master = realm.asMaster();
    expect(await sync(realm)).toMatchObject({ failed: 0 });
    expect(await rolesOf(realm, "dan")).toEqual(["worker"]);
    const { userId } = await userNamed(realm, "dan");
    const { roleId } = (await master.get("/roles?search=worker")).body[0];
    expect((await master.delete(`/users/${userId}/roles/${roleId}`)).status, "it is the directory's").toBe(409);
    expect((await master.post(`/users/${userId}/roles`, { name: "worker" })).status).toBeLessThan(300);
    expect((await master.delete(`/users/${userId}/roles/${roleId}`)).status).toBe(204);
    expect(await rolesOf(realm, "dan")).toEqual([]);
    expect(await sync(realm, "?full=false")).toMatchObject({ failed: 0 });
    expect(await sync(realm)).toMatchObject({ failed: 0 });
    expect(await rolesOf(realm, "dan")).toEqual(["worker"]);
    await signIn(realm, "dan");
    expect(await rolesOf(realm, "dan")).toEqual(["worker"]);
  });

  test("without nested groups only a group's own members count; a mapper that is deleted takes back what it gave", async () => {
    const { realm } = await realmWith({}, [worker, { type: "role", claim: "groups", value: "nowhere", role: "reader" }]);
    expect(await sync(realm)).toMatchObject({ created: 5, message: expect.stringContaining("no group “nowhere”") });
    expect([await rolesOf(realm, "ann"), await rolesOf(realm, "dan")]).toEqual([[], ["worker"]]);
    const { body } = await realm.asMaster().get("/identity-providers/corp/mappers");
    const { mapperId } = body.find(({ role }: { role: string }) => role === "worker");
    expect((await realm.asMaster().delete(`/identity-providers/corp/mappers/${mapperId}`)).status).toBe(204);
    expect(await sync(realm, "?full=false"), "another configuration is read whole").toMatchObject({ kind: "full", updated: 1 });
    expect(await rolesOf(realm, "dan")).toEqual([]);
  });

  test("members by username, and groups that only the entry names", async () => {
    const unix = { type: "role", claim: "groups", value: `cn=unix,${GROUPS}`, role: "reader" };
    const byUid = await realmWith({ groupMemberAttribute: "memberUid", nestedGroups: true }, [unix]);
    await signIn(byUid.realm, "cat");
    expect(await rolesOf(byUid.realm, "cat")).toEqual(["reader"]);
    expect(await sync(byUid.realm)).toMatchObject({ created: 4, updated: 0 });
    await change("sales", "add", "cat");
    const byEntry = await realmWith({ groupSearchBase: undefined }, [seller]);
    await signIn(byEntry.realm, "cat");
    expect(await sync(byEntry.realm)).toMatchObject({ created: 4, updated: 0 });
    expect(await rolesOf(byEntry.realm, "cat")).toEqual(["seller"]);
    await change("sales", "delete", "cat");
    await signIn(byEntry.realm, "cat");
    expect(await rolesOf(byEntry.realm, "cat")).toEqual([]);
  });

  test("attributes become attributes, texts, roles and groups; pictures do not", async () => {
    const { realm, groupId } = await realmWith({}, [
      { type: "attribute", claim: "departmentNumber", attribute: "department" },
      { type: "attribute", claim: "jpegPhoto", attribute: "picture" },
      { type: "template", template: "{sn}, {givenName}", attribute: "display" },
      { type: "role", claim: "departmentNumber", value: "d1", role: "reader" },
      { type: "group", claim: "departmentNumber", value: "all" },
      { type: "role", role: "worker", sync: "import" },
      { type: "attribute", claim: "sn", attribute: "nickname" },
      { type: "attribute", claim: "sn", attribute: "title", sync: "import" },
    ]);
    await signIn(realm, "bob");
    expect(await sync(realm)).toMatchObject({ created: 4, updated: 0 });
    const bob = await userNamed(realm, "bob");
    expect(bob.attributes).toEqual({
      firstName: "First bob",
      lastName: "Last bob",
      department: ["d1", "all"],
      display: "Last bob, First bob",
      ...{ nickname: "Last bob", title: "Last bob" },
    });
    expect([await rolesOf(realm, "bob"), await groupsOf(realm, "bob")]).toEqual([["reader", "worker"], [groupId]]);
    expect((await userNamed(realm, "ann")).attributes).not.toHaveProperty("picture");

    // Attributes that the directory decides are changed there; an attribute that a mapper gave once is the user's own.
    const master = realm.asMaster();
    const path = `/users/${bob.userId}`;
    const readOnly = (field: string) => [409, `This user comes from the directory ldap:corp: change ${field} there`];
    const patched = await master.patch(path, { attributes: { department: "d7", display: null, title: "Dr" } });
    expect([patched.status, patched.body.detail]).toEqual(readOnly("attributes.department, attributes.display"));
    expect((await master.patch(path, { attributes: { title: "Dr" } })).status).toBe(200);
    const browser = iam.browser();
    await browser.signIn(realm.name, "bob", "bob-password");
    const profile = (await browser.get(`/realms/${realm.name}/account/profile`)).body;
    const nickname = { ...profile, attributes: { ...profile.attributes, nickname: "Bobby" } };
    const own = await browser.put(`/realms/${realm.name}/account/profile`, nickname);
    expect([own.status, own.body.detail]).toEqual(readOnly("attributes.nickname"));
    const { body: mappings } = await master.get(`${path}/roles`);
    const roleId = (name: string) => mappings.find((each: { name: string }) => each.name === name).roleId;
    const given = [409, "users.given_by_directory"];
    const refusal = async (answer: Promise<{ status: number; body: { code?: string } }>) => [
      (await answer).status,
      (await answer).body?.code,
    ];
    expect(await refusal(master.delete(`${path}/roles/${roleId("reader")}`))).toEqual(given);
    expect(await refusal(master.patch(path, { roles: ["user", "worker"] }))).toEqual(given);
    expect(await refusal(master.delete(`/groups/${groupId}/members/${bob.userId}`))).toEqual(given);
    expect((await master.delete(`${path}/roles/${roleId("worker")}`)).status, "given once").toBe(204);
    expect([await rolesOf(realm, "bob"), await groupsOf(realm, "bob")]).toEqual([["reader"], [groupId]]);
    await peer.ldap.apply(`dn: ${dnOf("bob")}\nchangetype: modify\nreplace: departmentNumber\ndepartmentNumber: d9\n`);
    expect(await sync(realm, "?full=false")).toMatchObject({ kind: "changed", updated: 1 });
    expect((await userNamed(realm, "bob")).attributes).toMatchObject({ department: "d9" });
    expect([await rolesOf(realm, "bob"), await groupsOf(realm, "bob")], "what it gave is taken back").toEqual([[], []]);
  });

  test("a group of 100,000 is read within little memory, and others are answered meanwhile", async () => {
    const { realm } = await realmWith({}, [{ type: "role", claim: "groups", value: "crowd", role: "reader" }]);
    global.gc?.();
    const before = process.memoryUsage().rss;
    const began = performance.now();
    let [isDone, longest] = [false, 0];
    const running = sync(realm).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      // Requests without a pause would be the only work of the process.
      await pause(20);
      const requested = performance.now();
      await iam.browser().get(`/realms/${realm.name}/jwks`);
      longest = Math.max(longest, performance.now() - requested);
    }
    const whole = performance.now() - began;
    expect(await running).toMatchObject({ created: 5, failed: 0 });
    expect(await rolesOf(realm, "bob")).toEqual(["reader"]);
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(200);
    expect(longest, "a request during the run").toBeLessThan(whole / 2);
  });

  test("mappers that cannot work are refused by their field; one that gives what its author does not hold is refused", async () => {
    const { realm } = await realmWith({}, []);
    for (const [mapper, field] of [
      [{ type: "role", claim: "groups", role: "reader" }, "value"],
      [{ type: "role", claim: "groups", value: "cn=a,b", role: "reader" }, "value"],
      [{ type: "attribute", claim: "groups", attribute: "a" }, "claim"],
      [{ type: "attribute", claim: "given name", attribute: "a" }, "claim"],
      [{ type: "template", template: "{groups}", attribute: "a" }, "template"],
    ] as const) {
      const { status, body } = await map(realm, mapper);
      expect([status, body.errors?.[0]?.field], JSON.stringify(mapper)).toEqual([400, field]);
    }
    const lesser = await realm.as("manage-identity-providers");
    const boss = { name: "boss", type: "role", claim: "groups", value: "staff", role: "admin" };
    const refused = await lesser.post("/identity-providers/corp/mappers", boss);
    expect([refused.status, refused.body.code]).toEqual([403, "permissions.escalation"]);
    expect((await realm.asMaster().post("/identity-providers/corp/mappers", boss)).status).toBe(201);
    // Other groups would be as good as another mapper.
    const { body } = await lesser.get("/identity-providers/corp");
    const moved = await lesser.put("/identity-providers/corp", { ...body, config: { ...body.config, groupSearchBase: PEOPLE } });
    expect([moved.status, moved.body.code]).toEqual([403, "permissions.escalation"]);
    const { body: tested } = await realm.asMaster().post("/identity-providers/corp/test");
    expect(tested.checks.at(-1)).toMatchObject({ name: "groups", ok: true });
  });

  test("the last administrator by a mapped group stays, and is named in the errors", async () => {
    const { realm } = await realmWith({}, [{ type: "role", claim: "groups", value: "sales", role: "admin" }]);
    await sync(realm);
    expect(await rolesOf(realm, "ann")).toEqual(["admin"]);
    const { mfaEnabled: _m, createdAt: _c, ...local } = await userNamed(realm, "admin");
    expect((await realm.asMaster().put(`/users/${local.userId}`, { ...local, enabled: false })).status).toBe(200);
    await change("sales", "add", "eve");
    await change("sales", "delete", "ann");
    await change("sales", "add", "ann");
    await peer.ldap.apply(`dn: cn=sales,${GROUPS}\nchangetype: modify\nreplace: member\nmember: ${crowd[0]}\n`);
    expect(await sync(realm)).toMatchObject({ failed: 1, errors: [{ dn: dnOf("ann") }] });
    expect(await rolesOf(realm, "ann")).toEqual(["admin"]);
    await peer.ldap.apply(`dn: cn=sales,${GROUPS}\nchangetype: modify\nreplace: member\nmember: ${dnOf("ann")}\n`);
  });

  test("a list that comes in parts, as Active Directory sends it, is read to its end", async () => {
    const people = ["p0", "p1", "p2"];
    const fake = await ldapPeer((socket, { id, tag, body }) => {
      const says = (text: string) => body.includes(text);
      if (tag === 0x60) return void socket.write(answer(id, RESPONSE.bind));
      if (tag !== 0x63) return;
      const part = says("range=1-*") ? 1 : says("range=2-*") ? 2 : 0;
      if (says("entryUUID"))
        for (const uid of people) socket.write(entryMessage(id, `uid=${uid},dc=fake`, { uid: [uid], entryUUID: [`id-${uid}`] }));
      else if (says("member"))
        socket.write(
          entryMessage(id, "cn=g,dc=fake", { member: [], [`member;range=${part}-${part === 2 ? "*" : part}`]: [`uid=p${part},dc=fake`] }),
        );
      else socket.write(entryMessage(id, "cn=g,dc=fake", { cn: ["g"] }));
      socket.write(answer(id, RESPONSE.search, 0, { cookie: "" }));
    });
    try {
      const { realm } = await realmWith(
        {
          ...{ url: fake.url, caCertificate: undefined, userSearchBase: "dc=fake", groupSearchBase: "dc=fake" },
          groupSearchFilter: "(cn=*)",
        },
        [{ type: "role", claim: "groups", value: "g", role: "reader" }],
      );
      expect(await sync(realm)).toMatchObject({ created: 3 });
      for (const name of people) expect(await rolesOf(realm, name), name).toEqual(["reader"]);
    } finally {
      await fake.close();
    }
  });
});
