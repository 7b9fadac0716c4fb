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
  syncDirectory,
} from "../../testing/directories.ts";
import type { SharedHarness } from "../../testing/harness.ts";
import { signInWithPasskey, userWithPasskey } from "../../testing/passkeys.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty } from "../../testing/relying-party.ts";
import { giveTotp } from "../../testing/totp.ts";

describe.skipIf(!openLdap())("an outside source", () => {
  let iam: SharedHarness;
  let peer: DirectoryPeer;
  let stage: DirectoryStage;
  beforeAll(async () => {
    const uids = ["boss", "clerk", "kate", "lars", "mona", "nils", "olga", "paul"];
    stage = await directoryStage(uids.map((uid) => person(uid, { employeeType: uid === "boss" ? "chief" : "staff" })).join("\n"));
    ({ iam, peer } = stage);
  });
  afterAll(() => stage?.close());
  const realmWith: DirectoryStage["realmWith"] = (config) => stage.realmWith(config);
  const mapped = async (realm: RealmUnderTest, mapper: Record<string, unknown>) => {
    const answer = await realm
      .asMaster()
      .post("/identity-providers/corp/mappers", { name: "a", claim: "employeeType", value: "chief", ...mapper });
    expect(answer.status, answer.text).toBe(201);
  };
  const remove = (uid: string) => peer.ldap.apply(`dn: uid=${uid},${PEOPLE}\nchangetype: delete\n`);
  const add = (uid: string) => peer.ldap.apply(added(person(uid)));
  const usersNamed = async (realm: RealmUnderTest, name: string) =>
    (await realm.asMaster().get(`/users?search=${name}`)).body.filter((user: { username: string }) => user.username === name);
  const status = async (realm: RealmUnderTest, name: string, password = `${name}-password`) =>
    (await iam.browser().trySignIn(realm.name, name, password)).status;

  test("a move needs what the entry's mappers give, by a role, by a group, and from another directory", async () => {
    for (const by of ["role", "group"]) {
      const realm = await realmWith();
      const master = realm.asMaster();
      const { roleId, roleName } = (await master.get("/admin-roles")).body[0];
      const { groupId } = (await master.post("/groups", { name: "admins" })).body;
      await master.put(`/groups/${groupId}/roles/${roleId}`);
      await mapped(realm, by === "role" ? { type: "role", role: roleName } : { type: "group", group: groupId });
      await addDirectory(realm, peer.config({ userSearchFilter: "(&(uid={0})(uid=clerk))" }), { alias: "other" });
      const lesser = await realm.as("manage-users", "view-users");
      const puppet = await realm.user("puppet");
      const move = (source: string, entry: string) => lesser.put(`/users/${puppet.userId}/source`, { source, entry });
      const refused = { status: 403, body: { code: "permissions.escalation" } };
      expect(await move("ldap:corp", "boss"), by).toMatchObject(refused);
      expect(await move("ldap:other", "clerk")).toMatchObject({ status: 200 });
      expect(await move("ldap:corp", "boss"), "from another directory").toMatchObject(refused);
      expect((await master.get(`/users/${puppet.userId}`)).body).toMatchObject({ source: "ldap:other", roles: ["user"] });
      expect(await move("ldap:corp", "clerk"), "an entry that gives nothing").toMatchObject({ status: 200 });
    }
  });

  test("a move ends every credential but the directory's: passkeys, second factors, links, sessions", async () => {
    const realm = await realmWith();
    const master = realm.asMaster();
    await master.post("/identity-providers", { alias: "git", protocol: "github", config: { clientId: "a", clientSecret: "b" } });
    const { userId, passkey, browser } = await userWithPasskey(iam, realm);
    await giveTotp(iam, realm.name, userId);
    await master.post(`/users/${userId}/credentials`, { type: "enrollment-token" });
    expect((await master.get(`/users/${userId}/credentials`)).body.length).toBeGreaterThan(2);
    expect((await master.put(`/users/${userId}/source`, { source: "ldap:corp", entry: "clerk" })).status).toBe(200);
    expect((await master.get(`/users/${userId}/credentials`)).body).toEqual([]);
    expect((await signInWithPasskey(iam.browser(), realm.name, passkey)).status).not.toBe(303);
    expect((await browser.get(`/realms/${realm.name}/account/profile`)).status, "sessions end").toBe(401);
    expect(await status(realm, "clerk")).toBe(303);
  });

  /** A user of the directory with a passkey and an offline token. */
  const settled = async (realm: RealmUnderTest, uid: string) => {
    const user = { username: uid, password: `${uid}-password`, userId: "" };
    const party = await relyingParty(iam, realm, { clientId: `app-${uid}`, firstParty: true, scopes: ["openid", "offline_access"] });
    const tokens = await party.signIn(iam.browser(), user, { scope: "openid offline_access" });
    expect(tokens.status, tokens.text).toBe(200);
    const { passkey } = await userWithPasskey(iam, realm, { user });
    const refresh = async (token: string) => {
      const answer = await party.post("/token", { grant_type: "refresh_token", refresh_token: token });
      return { status: answer.status, error: answer.body.error, token: answer.body.refresh_token as string };
    };
    return { passkey, refresh, token: tokens.body.refresh_token as string };
  };

  test("a user who is removed or disabled there neither signs in by a passkey nor refreshes, after five minutes", async () => {
    const realm = await realmWith();
    const { passkey, refresh, token } = await settled(realm, "kate");
    const byPasskey = async () => (await signInWithPasskey(iam.browser(), realm.name, passkey)).status;
    expect(await byPasskey()).toBe(303);
    await remove("kate");
    const kept = await refresh(token);
    expect(kept.status, "found a moment ago").toBe(200);
    clock.advance(6 * MINUTE);
    try {
      expect(await byPasskey()).toBe(401);
      expect(await refresh(kept.token)).toMatchObject({ status: 400, error: "invalid_grant" });
      await add("kate");
      // The same name under another id is another person.
      expect(await byPasskey()).toBe(401);
    } finally {
      clock.reset();
    }
  });

  test("while the directory is silent a sign-in is refused and a refresh goes on, or as its settings say", async () => {
    const realm = await realmWith({ entryCheckSeconds: 0 });
    const { passkey, refresh, token } = await settled(realm, "lars");
    const save = async (config: Record<string, unknown>) => {
      const { body } = await realm.asMaster().get("/identity-providers/corp");
      const saved = await realm.asMaster().put("/identity-providers/corp", { ...body, config: { ...body.config, ...config } });
      expect(saved.status, saved.text).toBe(200);
    };
    const byPasskey = async () => (await signInWithPasskey(iam.browser(), realm.name, passkey)).status;
    expect(await byPasskey()).toBe(303);
    await save({ url: "ldaps://127.0.0.1:1", bindPassword: "sync-password" });
    expect(await byPasskey()).toBe(503);
    const kept = await refresh(token);
    expect(kept.status).toBe(200);
    await save({ signInWhenUnreachable: "allow", refreshWhenUnreachable: "refuse" });
    expect(await byPasskey()).toBe(303);
    expect(await refresh(kept.token)).toMatchObject({ status: 503, error: "temporarily_unavailable" });
    await save({ refreshWhenUnreachable: "allow" });
    expect((await refresh(kept.token)).status, "the refused token was not consumed").toBe(200);
  });

  test("a sync is scheduled without being configured, and 0 turns it off", async () => {
    const [realm, off] = [await realmWith(), await realmWith({ fullSyncMinutes: 0, changedSyncMinutes: 0 })];
    await iam.core.db.updateTable("identity_providers").set({ created_at: 0 }).execute();
    await iam.core.db.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", "directories.due").execute();
    await iam.server.jobs.runDue();
    await iam.server.jobs.runDue();
    const runs = async (of: RealmUnderTest) => (await of.asMaster().get("/user-federation/corp/sync")).body.runs;
    expect(await runs(realm)).toMatchObject([{ kind: "full", state: "done", requestedBy: "system" }]);
    expect(await runs(off)).toEqual([]);
    expect((await realm.asMaster().patch("/identity-providers/corp", { config: { fullSyncMinutes: 3 } })).body.errors).toMatchObject([
      { field: "config.fullSyncMinutes" },
    ]);
  });

  test("a returning entry is a new user, and the former one cannot be enabled beside it", async () => {
    const realm = await realmWith();
    const master = realm.asMaster();
    await syncDirectory(realm);
    const [former] = await usersNamed(realm, "mona");
    await remove("mona");
    expect(await syncDirectory(realm)).toMatchObject({ disabled: 1 });
    await add("mona");
    const back = await syncDirectory(realm);
    expect(back).toMatchObject({ created: 1, message: expect.stringContaining("“mona”") });
    expect(await usersNamed(realm, "mona")).toHaveLength(2);
    const enabled = await master.patch(`/users/${former.userId}`, { enabled: true });
    expect([enabled.status, enabled.body.code]).toEqual([409, "users.login_name_taken"]);
    await addDirectory(realm, peer.config(), { alias: "again" });
    const moved = await master.put(`/users/${former.userId}/source`, { source: "ldap:again", entry: "mona" });
    expect([moved.status, moved.body.code]).toEqual([409, "users.login_name_taken"]);
    // As a local user of another name they can be enabled.
    expect((await master.put(`/users/${former.userId}/source`, { source: "local" })).status).toBe(200);
    const renamed = { username: "mona.before", email: null, enabled: true };
    expect(await master.patch(`/users/${former.userId}`, renamed)).toMatchObject({ status: 200, body: { enabled: true } });
  });

  test("by setting it is the former user again, with the same account", async () => {
    const realm = await realmWith({ returningEntries: "former" });
    await syncDirectory(realm);
    for (const uid of ["nils", "olga"]) {
      const [former] = await usersNamed(realm, uid);
      await remove(uid);
      await syncDirectory(realm);
      expect(await usersNamed(realm, uid)).toMatchObject([{ enabled: false }]);
      await add(uid);
      expect(await status(realm, uid), "not before a sync").toBe(401);
      expect(await syncDirectory(realm)).toMatchObject({ created: 0, updated: 1, failed: 0 });
      expect(await usersNamed(realm, uid), uid).toMatchObject([{ userId: former.userId, enabled: true }]);
      expect(await status(realm, uid)).toBe(303);
    }
  });

  test("a sign-in is the last use of the link, and a failed sync has a title", async () => {
    const realm = await realmWith();
    expect(await status(realm, "paul")).toBe(303);
    const [paul] = await usersNamed(realm, "paul");
    const lastUsed = async () => (await realm.asMaster().get(`/users/${paul.userId}/linked-accounts/corp`)).body.lastUsedAt;
    const first = await lastUsed();
    expect(first).toEqual(expect.any(Number));
    clock.advance(MINUTE);
    try {
      expect(await status(realm, "paul", "wrong")).toBe(401);
      expect(await lastUsed(), "a wrong password is no use").toBe(first);
      expect(await status(realm, "paul")).toBe(303);
      expect(await lastUsed()).toBeGreaterThan(first);
    } finally {
      clock.reset();
    }
    const { body } = await realm.asMaster().get("/identity-providers/corp");
    const config = { ...body.config, url: "ldaps://127.0.0.1:1", bindPassword: "sync-password" };
    await realm.asMaster().put("/identity-providers/corp", { ...body, config });
    expect(await realm.asMaster().post("/user-federation/corp/sync")).toMatchObject({
      ...{ status: 502, body: { title: "Bad Gateway", code: "user_federation.failed" } },
    });
  });
});
