import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLdap } from "../../../test/peers/index.mjs";
import { clock, MINUTE } from "../../kernel/clock.ts";
import {
  addDirectory,
  added,
  type DirectoryPeer,
  type DirectoryStage,
  directoryStage,
  PEOPLE,
  person,
  SUFFIX,
  syncDirectory,
} from "../../testing/directories.ts";
import type { SharedHarness } from "../../testing/harness.ts";
import { answer, entryMessage, ldapPeer, RESPONSE } from "../../testing/ldap-peer.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { scimClient } from "../../testing/scim.ts";

const COUNT = 1_100;
const uidOf = (i: number) => `u${String(i).padStart(5, "0")}`;

describe.skipIf(!openLdap())("syncing a directory", () => {
  let iam: SharedHarness;
  let peer: DirectoryPeer;
  let stage: DirectoryStage;
  let whole: RealmUnderTest | undefined;
  beforeAll(async () => {
    stage = await directoryStage(Array.from({ length: COUNT }, (_, i) => person(uidOf(i))).join("\n"), { GATEHOUSE_MODE: "development" });
    ({ iam, peer } = stage);
  });
  afterAll(() => stage?.close());
  const realmWith: DirectoryStage["realmWith"] = (config) => stage.realmWith(config);
  const userNamed = async (realm: RealmUnderTest, name: string) =>
    (await realm.asMaster().get(`/users?search=${name}`)).body.find((user: { username: string }) => user.username === name);
  /** One that has all of them: making them takes time. */
  const realmOfAll = async () => {
    if (whole) return whole;
    whole = await realmWith({ userSearchBase: PEOPLE });
    expect(await syncDirectory(whole)).toMatchObject({ created: COUNT });
    return whole;
  };
  const save = async (realm: RealmUnderTest, config: Record<string, unknown>) => {
    const { body } = await realm.asMaster().get("/identity-providers/corp");
    const { status, text } = await realm.asMaster().put("/identity-providers/corp", { ...body, config: { ...body.config, ...config } });
    expect(status, text).toBe(200);
  };
  /** A handful of people in their own place. */
  const unit = async (name: string, uids: readonly string[]) => {
    const base = `ou=${name},${SUFFIX}`;
    await peer.ldap.apply(`dn: ${base}\nchangetype: add\nobjectClass: organizationalUnit\nou: ${name}\n`);
    for (const uid of uids) await peer.ldap.apply(added(person(uid)).replace(PEOPLE, base));
    return base;
  };

  test("makes a user of every entry, and the next run finds nothing to do", async () => {
    const realm = await realmWith({ userSearchBase: PEOPLE });
    const dry = await syncDirectory(realm, "?dryRun=true");
    expect(dry).toMatchObject({ status: 200, synced: COUNT, created: COUNT, dryRun: true });
    expect(await userNamed(realm, uidOf(7))).toBeUndefined();
    const first = await syncDirectory(realm);
    const nothing = { updated: 0, disabled: 0, skipped: 0, failed: 0, errors: [], message: null };
    expect(first).toMatchObject({ status: 200, kind: "full", synced: COUNT, created: COUNT, ...nothing });
    expect(first.durationMs).toBeGreaterThan(0);
    expect(await userNamed(realm, uidOf(7))).toMatchObject({ email: `${uidOf(7)}@corp.test`, enabled: true, roles: ["user"] });
    const versions = () =>
      iam.core.db.selectFrom("users").select("version").where("realm_id", "=", realm.name).where("version", ">", 1).execute();
    expect(await syncDirectory(realm)).toMatchObject({ status: 200, synced: COUNT, created: 0, ...nothing });
    expect(await versions()).toEqual([]);
    expect(await syncDirectory(realm, "?full=false")).toMatchObject({ status: 200, kind: "changed", created: 0, ...nothing });
    const events = await realm.events("type=ADMIN_ACTION");
    expect(events.filter(({ resourceType }) => resourceType === "user-federation")).toHaveLength(4);
    expect(await realm.events("type=ADMIN_CREATE&resourceType=users&actor=ldap%3Acorp")).toEqual([]);
    const { body } = await realm.asMaster().get("/user-federation/corp/sync");
    expect(body).toMatchObject({ running: false, runs: [{ kind: "changed", state: "done" }, {}, { created: COUNT }, { dryRun: true }] });
    expect((await iam.browser().trySignIn(realm.name, uidOf(3), `${uidOf(3)}-password`)).status).toBe(303);
    whole = realm;
  });

  onPostgres("follows changes, renames and deletions, and ends the sessions of users without an entry", async () => {
    const base = await unit("changes", ["ada", "ben", "cid", "dan"]);
    const realm = await realmWith({ userSearchBase: base });
    expect(await syncDirectory(realm)).toMatchObject({ created: 4 });
    const browser = iam.browser();
    await browser.signIn(realm.name, "cid", "cid-password");
    const ada = await userNamed(realm, "ada");
    await peer.ldap.apply(`dn: uid=ada,${base}\nchangetype: modify\nreplace: mail\nmail: ada.new@corp.test\n`);
    await peer.ldap.apply(`dn: uid=ben,${base}\nchangetype: modrdn\nnewrdn: uid=benny\ndeleteoldrdn: 1\n`);
    await peer.ldap.apply(`dn: uid=cid,${base}\nchangetype: delete\n`);
    expect(await syncDirectory(realm, "?full=false")).toMatchObject({ kind: "changed", created: 0, updated: 2, disabled: 0 });
    expect(await userNamed(realm, "ada")).toMatchObject({ userId: ada.userId, email: "ada.new@corp.test" });
    expect(await userNamed(realm, "benny")).toMatchObject({ enabled: true });
    expect(await syncDirectory(realm)).toMatchObject({ created: 0, updated: 0, disabled: 1, failed: 0 });
    expect(await userNamed(realm, "cid")).toMatchObject({ enabled: false });
    expect((await browser.get(`/realms/${realm.name}/account`)).status).not.toBe(200);
    expect(await syncDirectory(realm)).toMatchObject({ disabled: 0 });
  });

  onPostgres("a user disabled by an administrator stays so; one disabled by the directory is enabled with it", async () => {
    const people = ["eva", "fay", "flo", "fin", "fox", "fae"];
    const base = await unit("returning", people);
    const realm = await realmWith({ userSearchBase: base, userSearchFilter: "(&(uid={0})(!(description=away)))" });
    await syncDirectory(realm);
    const { mfaEnabled: _m, createdAt: _c, ...fay } = await userNamed(realm, "fay");
    await realm.asMaster().put(`/users/${fay.userId}`, { ...fay, enabled: false });
    for (const uid of people)
      await peer.ldap.apply(`dn: uid=${uid},${base}\nchangetype: modify\nreplace: description\ndescription: away\n`);
    expect(await syncDirectory(realm)).toMatchObject({ status: 200, disabled: 0, message: expect.stringContaining("has no people") });
    expect(await syncDirectory(realm, "?confirm=true")).toMatchObject({ disabled: 5 });
    // The word of an administrator counts while they are away as well, also where they are disabled already.
    const change = async (name: string, members: object) =>
      expect((await realm.asMaster().patch(`/users/${(await userNamed(realm, name)).userId}`, members)).status).toBe(200);
    await change("flo", { enabled: false });
    await change("fin", { enabled: true });
    await change("fin", { enabled: false });
    const userIds = [(await userNamed(realm, "fox")).userId];
    expect((await realm.asMaster().post("/users/bulk", { action: "disable", userIds })).status).toBe(200);
    await change("fae", { attributes: { note: "on leave" } });
    for (const uid of people) await peer.ldap.apply(`dn: uid=${uid},${base}\nchangetype: modify\ndelete: description\n`);
    expect(await syncDirectory(realm)).toMatchObject({ failed: 0, disabled: 0 });
    for (const name of people)
      expect(await userNamed(realm, name)).toMatchObject({ username: name, enabled: ["eva", "fae"].includes(name) });
    expect((await iam.browser().trySignIn(realm.name, "eva", "eva-password")).status).toBe(303);
  });

  onPostgres("a SCIM request decides about a user whom the directory disabled only where it names active", async () => {
    const people = ["pat", "pia", "pim", "pip"];
    const base = await unit("provisioned", people);
    const realm = await realmWith({ userSearchBase: base, userSearchFilter: "(&(uid={0})(!(description=away)))" });
    await syncDirectory(realm);
    for (const uid of people)
      await peer.ldap.apply(`dn: uid=${uid},${base}\nchangetype: modify\nreplace: description\ndescription: away\n`);
    expect(await syncDirectory(realm, "?confirm=true")).toMatchObject({ disabled: 4 });
    const scim = await scimClient(iam, realm);
    const [pat, pia, pim, pip] = await Promise.all(people.map(async (name) => `/Users/${(await userNamed(realm, name)).userId}`));
    const { active: _, ...whole } = (await scim.get(pia!)).body;
    const answers = [
      await scim.patch(pat!, [{ op: "replace", path: "title", value: "Dr" }]),
      await scim.put(pia!, { ...whole, title: "Dr" }),
      await scim.patch(pim!, [{ op: "replace", value: { active: false } }]),
      await scim.patch(pip!, [
        { op: "replace", path: "Active", value: "False" },
        { op: "add", path: "title", value: "Dr" },
      ]),
    ];
    expect(answers.map(({ status, body }) => [status, body.active])).toEqual(people.map(() => [200, false]));
    for (const uid of people) await peer.ldap.apply(`dn: uid=${uid},${base}\nchangetype: modify\ndelete: description\n`);
    expect(await syncDirectory(realm)).toMatchObject({ failed: 0, disabled: 0 });
    for (const name of people) expect(await userNamed(realm, name), name).toMatchObject({ enabled: ["pat", "pia"].includes(name) });
  });

  test("one bad entry does not stop the others: two entries with one address, a local user's name; and an address moves in one run", async () => {
    const base = await unit("rows", ["gil", "hal", "ida"]);
    await peer.ldap.apply(`dn: uid=hal,${base}\nchangetype: modify\nreplace: mail\nmail: gil@corp.test\n`);
    const realm = await realmWith({ userSearchBase: base });
    await realm.user("ida");
    const first = await syncDirectory(realm);
    expect(first).toMatchObject({ status: 200, synced: 3, created: 1, failed: 2 });
    expect(first.errors.map(({ message }: { message: string }) => message)).toEqual([
      "Another user has this username or mail address.",
      "Another user has this username or mail address.",
    ]);
    const stays = first.errors.some(({ dn }: { dn: string }) => dn.startsWith("uid=hal")) ? "gil" : "hal";
    // The one who has the address leaves, and in the same run the other gets it.
    await peer.ldap.apply(`dn: uid=${stays},${base}\nchangetype: delete\n`);
    expect(await syncDirectory(realm)).toMatchObject({ created: 1, disabled: 1, failed: 1 });
    expect(await userNamed(realm, stays === "gil" ? "hal" : "gil")).toMatchObject({ email: "gil@corp.test", enabled: true });
  });

  onPostgres("a size limit, a wrong base and a wrong password fail the run and disable no user", async () => {
    const realm = await realmOfAll();
    await save(realm, { bindDn: `cn=limited,${SUFFIX}`, bindPassword: "limited-password" });
    expect(await syncDirectory(realm)).toMatchObject({
      status: 502,
      code: "user_federation.failed",
      detail: expect.stringContaining("size limit"),
    });
    await save(realm, { bindDn: `cn=sync,${SUFFIX}`, bindPassword: "sync-password", userSearchBase: "ou=nowhere,dc=corp,dc=test" });
    expect(await syncDirectory(realm)).toMatchObject({ status: 502, detail: expect.stringContaining("search base") });
    await save(realm, { userSearchBase: PEOPLE, bindPassword: "wrong" });
    expect(await syncDirectory(realm)).toMatchObject({ status: 502 });
    await save(realm, { bindPassword: "sync-password", userSearchFilter: `(&(uid={0})(uid=${uidOf(0).slice(0, -1)}*))` });
    expect(await syncDirectory(realm)).toMatchObject({ status: 200, disabled: 0, message: expect.stringContaining(`of ${COUNT} users`) });
    expect((await realm.asMaster().get("/users?enabled=false")).body).toEqual([]);
    await save(realm, { userSearchFilter: "(uid={0})" });
  });

  test("a connection that is cut at any page disables no user; two runs at once are one", async () => {
    let cutAt = 99;
    let [page, lateAt] = [0, 0];
    let signsIn: RealmUnderTest | undefined;
    const fake = await ldapPeer(async (socket, { id, tag, body }) => {
      if (tag === 0x60) return void socket.write(answer(id, RESPONSE.bind));
      if (tag !== 0x63) return;
      if (body.includes("late")) {
        socket.write(entryMessage(id, "uid=late,dc=fake", { uid: ["late"], entryUUID: ["id-late"] }));
        return void socket.write(answer(id, RESPONSE.search));
      }
      page += 1;
      if (page > cutAt) return void socket.destroy();
      if (page === lateAt) await iam.browser().signIn(signsIn!.name, "late", "late-password");
      const uids = Array.from({ length: 20 }, (_, i) => `p${page}x${i}`);
      for (const uid of uids)
        socket.write(entryMessage(id, `uid=${uid},dc=fake`, { uid: [uid], entryUUID: [`id-${uid}`], mail: [`${uid}@fake.test`] }));
      socket.write(entryMessage(id, "cn=no id,dc=fake", { uid: ["noid"] }));
      socket.write(entryMessage(id, "cn=no name,dc=fake", { entryUUID: ["id-noname"] }));
      socket.write(answer(id, RESPONSE.search, 0, { cookie: page < 4 ? "more" : "" }));
    });
    try {
      const realm = await iam.realm();
      await addDirectory(realm, { url: fake.url, bindDn: "cn=x", bindPassword: "x", userSearchBase: "dc=fake" });
      const both = await Promise.all([syncDirectory(realm), syncDirectory(realm)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(both.find(({ status }) => status === 200)).toMatchObject({
        ...{ synced: 88, created: 80, failed: 8 },
        errors: expect.arrayContaining([
          { dn: "cn=no id,dc=fake", message: expect.stringContaining("entryUUID") },
          { dn: "cn=no name,dc=fake", message: expect.stringContaining("uid") },
        ]),
      });
      // A node that died in the middle of a run holds it for two minutes.
      await sql`insert into directory_runs (realm_id, provider_id, run_id, kind, dry_run, state, requested_by, started_at, lease_until)
        select realm_id, provider_id, gen_random_uuid(), 'full', false, 'running', 'another', 1, ${clock.now() + MINUTE} from identity_providers
        where realm_id = ${realm.name}`.execute(iam.core.db);
      expect(await syncDirectory(realm)).toMatchObject({ status: 409 });
      clock.advance(2 * MINUTE);

      for (cutAt = 0; cutAt < 4; cutAt++) {
        page = 0;
        expect(await syncDirectory(realm), `cut at page ${cutAt}`).toMatchObject({ status: 502 });
      }
      expect((await realm.asMaster().get("/users?enabled=false")).body).toEqual([]);
      page = 0;
      // A new user signs in during the run, after the page on which they would have been.
      [signsIn, lateAt] = [realm, 2];
      expect(await syncDirectory(realm)).toMatchObject({ status: 200, created: 0, updated: 0, disabled: 0 });
      expect(await userNamed(realm, "late")).toMatchObject({ enabled: true });
    } finally {
      await fake.close();
    }
  });

  onPostgres("more changes than fit on a page, with groups to ask for: the pages are read to their end", async () => {
    const realm = await realmOfAll();
    await save(realm, { groupSearchBase: `ou=groups,${SUFFIX}` });
    await realm.asMaster().post("/roles", { name: "reader" });
    const mapper = { name: "a", type: "role", claim: "groups", value: "nowhere", role: "reader" };
    expect((await realm.asMaster().post("/identity-providers/corp/mappers", mapper)).status).toBe(201);
    expect(await syncDirectory(realm)).toMatchObject({ kind: "full", synced: COUNT });
    // Entries that were made within the minute before the last change are read again.
    expect(await syncDirectory(realm, "?full=false")).toMatchObject({ status: 200, kind: "changed", synced: COUNT, updated: 0 });
  });

  test("the last administrator stays, though the directory has them no more", async () => {
    const base = await unit("admins", ["jan", "kim"]);
    const realm = await realmWith({ userSearchBase: base });
    await syncDirectory(realm);
    const { mfaEnabled: _m, createdAt: _c, ...jan } = await userNamed(realm, "jan");
    await realm.asMaster().put(`/users/${jan.userId}`, { ...jan, roles: ["admin"] });
    const { mfaEnabled: _n, createdAt: _d, ...local } = await userNamed(realm, "admin");
    expect((await realm.asMaster().put(`/users/${local.userId}`, { ...local, enabled: false })).status).toBe(200);
    await peer.ldap.apply(`dn: uid=jan,${base}\nchangetype: delete\n`);
    expect(await syncDirectory(realm)).toMatchObject({ status: 200, disabled: 0, failed: 1, errors: [{ dn: `uid=jan,${base}` }] });
    expect(await userNamed(realm, "jan")).toMatchObject({ enabled: true });
  });

  onPostgres("an erased user is not created again by a sync, only by their own sign-in", async () => {
    const base = await unit("erased", ["lea", "mia"]);
    const realm = await realmWith({ userSearchBase: base });
    await syncDirectory(realm);
    const lea = await userNamed(realm, "lea");
    const { body: data } = await realm.asMaster().get(`/users/${lea.userId}/gdpr/export`);
    expect(data.directoryEntries).toEqual([
      { source: "ldap:corp", entryId: data.federatedLinks[0].subject, dn: `uid=lea,${base}`, lastSyncAt: expect.any(Number) },
    ]);
    expect((await realm.asMaster().delete(`/users/${lea.userId}/gdpr`)).status).toBeLessThan(300);
    expect(await syncDirectory(realm)).toMatchObject({ created: 0, skipped: 1, failed: 0 });
    expect(await userNamed(realm, "lea")).toBeUndefined();
    expect((await iam.browser().trySignIn(realm.name, "lea", "lea-password")).status).toBe(303);
    expect((await userNamed(realm, "lea")).userId).not.toBe(lea.userId);
  });

  test("due directories are read by themselves", async () => {
    const base = await unit("scheduled", ["ned"]);
    const realm = await realmWith({ userSearchBase: base, fullSyncMinutes: 5 });
    await iam.core.db.updateTable("identity_providers").set({ created_at: 0 }).where("realm_id", "=", realm.name).execute();
    await iam.core.db.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", "directories.due").execute();
    await iam.server.jobs.runDue();
    await iam.server.jobs.runDue();
    expect(await userNamed(realm, "ned")).toMatchObject({ enabled: true });
    const { body } = await realm.asMaster().get("/user-federation/corp/sync");
    expect(body.runs).toMatchObject([{ state: "done", requestedBy: "system", created: 1 }]);
  });

  test("a run whose node died is ended in the name of its requester", async () => {
    const realm = await realmWith({ userSearchBase: await unit("abandoned", ["oda"]) });
    const report = { synced: 40, created: 30, updated: 0, disabled: 0, skipped: 0, failed: 10, errors: [], message: null };
    await sql`insert into directory_runs (realm_id, provider_id, run_id, kind, dry_run, state, requested_by, requested_by_id, requested_by_kind, started_at,
        lease_until, report)
      select realm_id, provider_id, gen_random_uuid(), 'full', false, 'running', 'master/gone', gen_random_uuid(), 'administrator', ${clock.now()},
        ${clock.now() + MINUTE}, ${JSON.stringify(report)}::text::jsonb from identity_providers where realm_id = ${realm.name}`.execute(
      iam.core.db,
    );
    const runs = async () => {
      await iam.core.db.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", "directories.abandoned").execute();
      await iam.server.jobs.runDue();
      return (await realm.asMaster().get("/user-federation/corp/sync")).body;
    };
    expect(await runs(), "it may still be alive").toMatchObject({ running: true, runs: [{ state: "running" }] });
    clock.advance(2 * MINUTE);
    const ended = { state: "failed", created: 30, message: expect.stringContaining("stopped"), finishedAt: expect.any(Number) };
    expect(await runs()).toMatchObject({ running: false, runs: [ended] });
    expect(await realm.events("type=ADMIN_ACTION&resourceType=user-federation")).toMatchObject([
      { actor: "master/gone", actorKind: "administrator", outcome: "FAILURE", detail: expect.stringMatching(/^full sync: .*created 30/) },
    ]);
  });

  test("needs the permission, and a directory that is there and enabled", async () => {
    const realm = await realmWith({ userSearchBase: PEOPLE });
    expect((await (await realm.as("view-users", "manage-users")).post("/user-federation/corp/sync")).status).toBe(403);
    expect((await realm.asMaster().post("/user-federation/other/sync")).status).toBe(404);
    const other = await iam.realm();
    expect((await other.asMaster().post("/user-federation/corp/sync")).status).toBe(404);
    const { body } = await realm.asMaster().get("/identity-providers/corp");
    await realm.asMaster().put("/identity-providers/corp", { ...body, enabled: false });
    expect((await realm.asMaster().post("/user-federation/corp/sync")).status).toBe(409);
  });
});
