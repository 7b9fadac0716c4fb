// From a change in the realm to a SCIM service elsewhere: a strict one and a sloppy one of our own making.
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { scimClient } from "../../testing/scim.ts";
import { ACCESS_TOKEN, type ScimPeer, scimPeer } from "../../testing/scim-peer.ts";
import { must, type Targeted, type TargetStage, targetStage } from "../../testing/scim-target.ts";

let iam: Harness;
let strict: ScimPeer;
let sloppy: ScimPeer;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development" });
  stage = targetStage(iam);
  [strict, sloppy] = [await scimPeer("strict"), await scimPeer("sloppy")];
  // Time is moved here.
  await iam.server.jobs.stop();
});
afterEach(async () => {
  clock.reset();
  await stage.clear();
  for (const peer of [strict, sloppy]) peer.clear();
});
afterAll(async () => {
  await iam?.close();
  await strict?.close();
  await sloppy?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Json = any;

let stage: TargetStage;
const targeted: TargetStage["targeted"] = (...about) => stage.targeted(...about);
const settle = (of: Targeted) => stage.settle(of);
const later = async (of: Targeted, ms: number) => {
  clock.advance(ms);
  // Sessions end after a while.
  if (ms > 10 * MINUTE) await of.admin.browser.signIn(of.realm.name, "admin", of.realm.adminPassword);
  await settle(of);
};
const names = (peer: ScimPeer) => [...peer.users.values()].map(({ userName }) => userName).sort();
const answer = (status: number, headers: Record<string, string> = {}) => ({ status, headers, body: { detail: `trouble ${status}` } });

test("users and groups are sent as they are, to a strict service and to a sloppy one", async () => {
  for (const peer of [strict, sloppy]) {
    const of = await targeted(peer, { groups: { mode: "all" } }, async ({ user, group }) => {
      const ada = await user("ada", {
        email: "ada@example.com",
        attributes: { firstName: "Ada", lastName: "Lovelace", department: "Engines" },
      });
      await group("engineers", ada, await user("bob"), await user("cyd"), await user("dan"), await user("eve"));
    });
    await settle(of);
    expect(peer.user("ada")).toMatchObject({
      active: true,
      name: { givenName: "Ada", familyName: "Lovelace" },
      displayName: "Ada Lovelace",
      emails: [{ value: "ada@example.com", primary: true }],
    });
    expect(peer.members("engineers")).toEqual(["ada", "bob", "cyd", "dan", "eve"]);
    expect([...peer.users.values()].map(({ userName }) => userName)).not.toContain("admin");
    expect(await of.status()).toMatchObject({ state: "OK", users: { synced: 5, pending: 0, failed: 0 }, groups: { synced: 2 } });
  }
});

test("targets are told who we are by basic authentication or by a token of their own, and a refusal suspends", async () => {
  const basic = (name: string, secret: string) => `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`;
  strict.accepts = (authorization) => authorization === basic("joe", "the secret");
  const first = await targeted(
    strict,
    { auth: { type: "basic", username: "joe" }, secret: "the secret" },
    async ({ user }) => void (await user("ada")),
  );
  await settle(first);
  expect(names(strict)).toEqual(["ada"]);
  await first.change({ enabled: false });
  strict.clear();

  strict.accepts = (authorization) => authorization === `Bearer ${ACCESS_TOKEN}`;
  const auth = { type: "oauth2", tokenUrl: strict.tokenUrl, clientId: "us", scope: "scim" };
  const second = await targeted(strict, { auth, secret: "the/secret" }, async ({ user }) => {
    await user("bob");
    await user("cyd");
  });
  await settle(second);
  expect(names(strict)).toEqual(["bob", "cyd"]);
  // One token serves the requests of a run.
  expect(strict.tokenRequests).toEqual([
    { authorization: basic("us", "the%2Fsecret"), form: { grant_type: "client_credentials", scope: "scim" } },
  ]);
  strict.accepts = () => false;
  await second.user("dan");
  await settle(second);
  expect(await second.status()).toMatchObject({ state: "SUSPENDED" });
  expect(names(strict)).toEqual(["bob", "cyd"]);
});

test("services that change users by PATCH get the added and the removed values; services that need names get them", async () => {
  const of = await targeted(strict, { preset: "slack", requestsPerSecond: 100 });
  const ada = await of.user("ada", { attributes: { title: "Countess", locale: "en", profile: "javascript:alert(1)" } });
  await settle(of);
  const { id } = strict.user("ada");
  expect(strict.user("ada"), "no web address").not.toHaveProperty("profileUrl");
  expect(strict.user("ada")).toMatchObject({ title: "Countess", locale: "en", name: { givenName: "ada", familyName: "ada" } });
  must(await of.admin.patch(`/users/${ada}`, { attributes: { locale: "fr", title: null } }));
  await settle(of);
  expect(strict.user("ada")).toMatchObject({ id, locale: "fr", active: true });
  expect(strict.user("ada")).not.toHaveProperty("title");
  must(await of.admin.patch(`/users/${ada}`, { enabled: false }));
  await settle(of);
  expect(strict.user("ada")).toMatchObject({ id, active: false });
  expect(strict.writes().map(({ method }) => method)).toEqual(["POST", "PATCH", "PATCH"]);
});

/** As the services' documents say it, and not as `presets/` does. */
const SERVICES = {
  standard: { change: "PUT", rate: 25, email: "emails.value", pieces: [21], removal: "filter", readsMembers: true, hasNames: false },
  aws: { change: "PUT", rate: 10, email: null, pieces: [21], removal: "values", readsMembers: false, hasNames: true },
  entra: {
    change: "PATCH",
    rate: 25,
    email: 'emails[type eq "work"].value',
    pieces: [20, 1],
    removal: "filter",
    readsMembers: false,
    hasNames: false,
  },
  github: {
    change: "PUT",
    rate: 5,
    email: null,
    pieces: [21],
    removal: "values",
    readsMembers: true,
    hasNames: true,
    without: ["title", "locale", "phoneNumbers"],
  },
  google: { change: "PUT", rate: 10, email: null, pieces: [21], removal: "filter", readsMembers: false, hasNames: true },
  slack: { change: "PATCH", rate: 3, email: "email", pieces: [21], removal: "filter", readsMembers: true, hasNames: true },
} as const;

test.each(Object.entries(SERVICES))("a preset acts: %s", async (preset, service) => {
  // The group is there already, so that it is adopted; `ada` is there under her address.
  strict.groups.set("g", { id: "g", displayName: "team", members: [] });
  strict.users.set("u", { id: "u", userName: "ada.there", emails: [{ value: "ada@example.com" }] });
  const of = await targeted(strict, { preset, matchBy: ["userName", "email"], groups: { mode: "all" } }, async ({ admin, group }) => {
    const team = await group("team");
    const attributes = { title: "Countess", locale: "en", phoneNumber: "+44 20 7946 0000" };
    const ada = { username: "ada", email: "ada@example.com", emailVerified: true, attributes, groups: ["/staff", "/team"] };
    const others = Array.from({ length: 20 }, (_, at) => ({ username: `user${at}`, groups: ["/staff", "/team"] }));
    must(await admin.post("/users/import", [ada, ...others]));
    expect(must(await admin.get(`/groups/${team}/members`))).toHaveLength(21);
  });
  await settle(of);
  expect(await of.status()).toMatchObject({ state: "OK", users: { synced: 21 }, groups: { synced: 2 } });

  const asked = strict.requests.filter(({ method, path }) => method === "GET" && path.startsWith("/v2/Users?"));
  const filters = asked.map(({ path }) => new URL(path, "http://peer").searchParams.get("filter")!);
  const byEmail = filters.filter((filter) => filter.endsWith('"ada@example.com"'));
  expect(byEmail).toEqual(service.email === null ? [] : [`${service.email} eq "ada@example.com"`]);
  expect(strict.user("ada").id === "u", "adopted by the address").toBe(service.email !== null);
  expect(
    filters.some((filter) => filter.startsWith("externalId")),
    "asked by our id",
  ).toBe(preset !== "slack");
  const without: readonly string[] = "without" in service ? service.without : [];
  for (const member of ["title", "locale", "phoneNumbers"])
    expect(Object.hasOwn(strict.user("ada"), member), member).toBe(!without.includes(member));
  expect(strict.user("user1").name).toEqual(service.hasNames ? { givenName: "user1", familyName: "user1" } : undefined);

  const patches = () =>
    strict.requests.filter(({ method, path }) => method === "PATCH" && path === "/v2/Groups/g").map(({ body }) => body.Operations);
  const added = patches().filter(([{ op }]: Json[]) => op === "add");
  expect(added.map(([{ value }]: Json[]) => value.length)).toEqual(service.pieces);
  expect(strict.requests.some(({ method, path }) => method === "GET" && path === "/v2/Groups/g")).toBe(service.readsMembers);

  const { requests } = strict;
  requests.length = 0;
  const [ada] = must(await of.admin.get("/users?search=ada"));
  const [{ groupId }] = must(await of.admin.get("/groups?search=team"));
  // The preset's rate counts before there is anything to send, because a request may leave before `settle` looks.
  await of.change({ requestsPerSecond: null });
  const began = performance.now();
  must(await of.admin.patch(`/users/${ada.userId}`, { attributes: { firstName: "Ada" } }));
  must(await of.admin.delete(`/groups/${groupId}/members/${ada.userId}`));
  await settle(of);
  expect(performance.now() - began, "a request waits for the one before it").toBeGreaterThanOrEqual(SECOND / service.rate);
  expect(
    strict
      .writes()
      .filter(({ path }) => path.startsWith("/v2/Users/"))
      .map(({ method }) => method),
  ).toEqual([service.change]);
  expect(strict.user("ada").name).toMatchObject({ givenName: "Ada" });
  const value = strict.user("ada").id;
  expect(patches()).toEqual([
    [
      service.removal === "values"
        ? { op: "remove", path: "members", value: [{ value }] }
        : { op: "remove", path: `members[value eq "${value}"]` },
    ],
  ]);
  expect(strict.members("team")).toHaveLength(20);
});

test("every change of a user or group arrives, from every source, and nothing else is sent", async () => {
  const of = await targeted(strict, { groups: { mode: "all" } });
  const { admin, realm } = of;
  const [ada, bob] = [await of.user("ada", { email: "ada@example.com" }), await of.user("bob")];
  const team = await of.group("team", ada);
  await settle(of);
  expect(names(strict)).toEqual(["ada", "bob"]);
  expect(strict.members("team")).toEqual(["ada"]);
  const [remoteAda, remoteTeam] = [strict.user("ada").id, strict.group("team").id];

  must(await admin.patch(`/users/${ada}`, { username: "countess", email: "new@example.com", attributes: { title: "Countess" } }));
  must(await admin.patch(`/groups/${team}`, { name: "crew" }));
  must(await admin.put(`/groups/${team}/members/${bob}`));
  await settle(of);
  expect(strict.user("countess")).toMatchObject({ id: remoteAda, title: "Countess", emails: [{ value: "new@example.com" }] });
  expect(strict.group("crew").id).toBe(remoteTeam);
  expect(strict.members("crew")).toEqual(["bob", "countess"]);

  must(await admin.patch(`/users/${bob}`, { enabled: false }));
  must(await admin.delete(`/groups/${team}/members/${ada}`));
  await settle(of);
  expect(strict.user("bob").active).toBe(false);
  expect(strict.members("crew")).toEqual(["bob"]);
  must(await admin.patch(`/users/${bob}`, { enabled: true }));
  must(await admin.delete(`/groups/${team}/members/${bob}`));
  await settle(of);
  expect(strict.user("bob").active).toBe(true);
  expect(strict.members("crew")).toEqual([]);

  // Groups of an organization are sent by their path, also one that moves below it with its next name.
  const { organizationId } = must(await admin.post("/organizations", { name: "Acme" }));
  must(await admin.put(`/organizations/${organizationId}/members/${ada}`, {}));
  const company = await scimClient(iam, realm, { organizationId });
  must(await company.post("/Groups", { displayName: "sales", members: [{ value: ada }] }));
  await sql`insert into scim_organization_groups values (${realm.name}, ${organizationId}, ${team})`.execute(iam.core.db);
  must(await company.patch(`/Groups/${team}`, [{ op: "replace", path: "displayName", value: "gang" }]));
  await settle(of);
  expect(strict.members("/organization:acme/sales")).toEqual(["countess"]);
  expect(strict.group("/organization:acme/gang").id).toBe(remoteTeam);
  expect(strict.group("organization:acme")).toBeUndefined();
  must(await admin.patch(`/groups/${team}`, { name: "crew", parentId: null }));

  // Many at once leave one event; a deletion by cascade leaves none.
  const rows = Array.from({ length: 30 }, (_, at) => ({ username: `imported${at}`, groups: ["/staff"] }));
  must(await admin.post("/users/import", rows));
  await settle(of);
  expect(names(strict)).toHaveLength(32);
  const { userId } = await realm.user("self");
  must(await admin.put(`/groups/${must(await admin.get("/groups?search=staff"))[0].groupId}/members/${userId}`));
  const browser = iam.browser();
  await browser.signIn(realm.name, "self", "a password for tests");
  must(await browser.put(`/realms/${realm.name}/account/profile`, { username: "self", firstName: "Chosen" }));
  await settle(of);
  expect(strict.user("self").name.givenName).toBe("Chosen");

  strict.requests.length = 0;
  must(await admin.post(`/scim-targets/${of.id}/sync`, {}));
  await settle(of);
  await iam.browser().signIn(realm.name, "self", "a password for tests");
  await settle(of);
  expect(strict.requests).toEqual([]);

  must(await admin.delete(`/users/${bob}`));
  must(await admin.delete(`/groups/${team}`));
  await settle(of);
  expect(strict.user("bob")).toBeUndefined();
  expect(strict.group("crew")).toBeUndefined();
});

test("an account that is there already is adopted by our id, the username or the confirmed address, and never by another's", async () => {
  for (const [id, account] of Object.entries({
    byName: { userName: "ADA", externalId: "of another system" },
    byMail: { userName: "bob.there", emails: [{ value: "bob@example.com" }] },
    unconfirmed: { userName: "cyd.there", emails: [{ value: "cyd@example.com" }] },
    stranger: { userName: "stranger" },
  }))
    strict.users.set(id, { id, ...account });
  const of = await targeted(strict, { matchBy: ["userName", "email"] }, async ({ user }) => {
    await user("ada");
    await user("bob", { email: "bob@example.com", emailVerified: true });
    await user("cyd", { email: "cyd@example.com" });
  });
  const dry = must(await of.admin.post(`/scim-targets/${of.id}/sync`, { dryRun: true }));
  expect(dry).toMatchObject({ dryRun: true, complete: true, counts: { create: 1, adopt: 2, update: 0 } });
  expect(dry.items.map(({ name, action }: Json) => [name, action])).toEqual([
    ["ada", "adopt"],
    ["bob", "adopt"],
    ["cyd", "create"],
  ]);
  expect(strict.writes().length === 0 || (await of.status()).lastSyncAt !== null).toBe(true);
  await settle(of);
  expect(strict.users.get("byName")).toMatchObject({ userName: "ada", externalId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(strict.users.get("byMail")).toMatchObject({ userName: "bob" });
  expect(strict.users.get("unconfirmed")).toMatchObject({ userName: "cyd.there" });
  expect(strict.users.get("stranger")).not.toHaveProperty("externalId");
  expect(strict.users.size).toBe(5);

  // A service that answers everything to a filter it does not know must not have its first account adopted.
  sloppy.users.set("900", { id: "900", userName: "stranger" });
  const other = await targeted(
    sloppy,
    { matchBy: ["email"] },
    async ({ user }) => void (await user("dan", { email: "d@example.com", emailVerified: true })),
  );
  await settle(other);
  expect(names(sloppy)).toEqual(["dan", "stranger"]);

  // Deleted there by others: created anew at the next change.
  strict.users.delete("byName");
  must(await of.admin.patch(`/users/${(await of.objects("search=ada"))[0].id}`, { attributes: { title: "Countess" } }));
  await settle(of);
  expect(strict.user("ada")).toMatchObject({ title: "Countess" });
});

test("an answer that is lost makes no double, and a peer's errors end in dead letters that can be retried", async () => {
  sloppy.trouble = ({ method }) => (method === "POST" ? "lose-answer" : null);
  const of = await targeted(sloppy, {}, async ({ user }) => void (await user("ada")));
  await settle(of);
  expect(await of.objects("state=PENDING")).toMatchObject([{ name: "ada", attempts: 1, error: expect.stringContaining("broke off") }]);
  sloppy.trouble = () => null;
  await later(of, MINUTE);
  expect(names(sloppy)).toEqual(["ada"]);
  expect(await of.objects("state=SYNCED")).toHaveLength(1);

  const ada = (await of.objects(""))[0].id;
  sloppy.trouble = () => answer(500);
  must(await of.admin.patch(`/users/${ada}`, { attributes: { title: "Countess" } }));
  await settle(of);
  for (let attempt = 1; attempt < 8; attempt++) await later(of, 8 * HOUR);
  expect(await of.objects("state=DEAD")).toMatchObject([{ attempts: 8, error: "The target answered 500: trouble 500" }]);
  expect(await of.status()).toMatchObject({ state: "FAILING", users: { dead: 1 } });
  sloppy.trouble = () => null;
  must(await of.admin.post(`/scim-targets/${of.id}/objects/${ada}/retry`));
  await settle(of);
  expect(await of.status()).toMatchObject({ state: "OK", users: { dead: 0, synced: 1 } });
});

test("a busy target is left alone for as long as it says, a refusal is kept with its reason, and a wrong token suspends", async () => {
  const of = await targeted(strict, {}, async ({ user }) => void (await user("ada")));
  for (const isDate of [false, true]) {
    const until = new Date(clock.now() + 30 * SECOND).toUTCString();
    strict.trouble = () => answer(429, { "retry-after": isDate ? until : "30" });
    const fresh = !isDate ? of : await targeted(strict, { name: "other" }, async ({ user }) => void (await user("bob")));
    await settle(fresh);
    expect(await fresh.status()).toMatchObject({ state: "PAUSED", message: expect.stringContaining("asked us to wait") });
    const asked = strict.requests.length;
    await later(fresh, 25 * SECOND);
    expect(strict.requests).toHaveLength(asked);
    strict.trouble = () => null;
    await later(fresh, 8 * SECOND);
    expect(await fresh.objects("")).toMatchObject([{ state: "SYNCED", attempts: 0 }]);
  }

  const bad = await of.user("forbidden");
  await settle(of);
  expect(await of.objects("state=FAILED")).toMatchObject([{ id: bad, error: "The target answered 400: forbidden is not allowed here" }]);
  expect(await of.status()).toMatchObject({ state: "FAILING" });
  const before = strict.requests.length;
  await later(of, 25 * HOUR);
  expect(strict.requests).toHaveLength(before);
  must(await of.admin.patch(`/users/${bad}`, { username: "allowed" }));
  await settle(of);
  expect(strict.user("allowed")).toBeDefined();

  strict.token = "another token";
  for (const name of ["cyd", "dan"]) await of.user(name);
  await settle(of);
  await later(of, 11 * MINUTE);
  expect(await of.status()).toMatchObject({ state: "SUSPENDED", message: expect.stringContaining("does not accept our credentials") });
  expect(must(await of.admin.get("/events?type=SCIM_TARGET_SUSPENDED")).items).toHaveLength(1);
  expect(must(await of.admin.post(`/scim-targets/${of.id}/test`)).checks).toMatchObject([
    { name: "reach", ok: true },
    { name: "authorised", ok: false },
  ]);
  await of.change({ secret: "another token" });
  await settle(of);
  expect(await of.status()).toMatchObject({ state: "OK" });
  expect(strict.user("dan")).toBeDefined();
  expect(must(await of.admin.post(`/scim-targets/${of.id}/test`))).toMatchObject({ ok: true, checks: [{}, {}, { name: "users" }] });
  strict.token = "the token of this peer";
});

test("users who leave are deactivated, deleted or kept as the target says, and a mass of them waits for a confirmation", async () => {
  const rows = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, at) => ({ username: `${prefix}${at}`, groups: ["/staff"] }));
  const of = await targeted(strict, {}, async ({ admin }) => void must(await admin.post("/users/import", rows(30, "u"))));
  await settle(of);
  expect(strict.users.size).toBe(30);
  const inactive = () => [...strict.users.values()].filter(({ active }) => !active).length;

  // A new scope without anybody in it.
  const { groupId } = must(await of.admin.post("/groups", { name: "nobody" }));
  const [{ groupId: staff }] = must(await of.admin.get("/groups?search=staff"));
  await of.change({ users: { scope: "groups", groupIds: [groupId] } });
  await settle(of);
  expect(await of.status()).toMatchObject({ state: "WAITING_FOR_CONFIRMATION", users: { held: 30 } });
  expect(inactive()).toBe(0);
  // An object that is right again waits no longer.
  await of.change({ users: { scope: "groups", groupIds: [staff] } });
  await settle(of);
  expect(await of.status()).toMatchObject({ state: "OK", users: { held: 0, synced: 30 } });
  await of.change({ users: { scope: "groups", groupIds: [groupId] } });
  await settle(of);
  expect((await of.admin.post(`/scim-targets/${of.id}/confirm`, { accounts: 29 })).status).toBe(409);
  must(await of.admin.post(`/scim-targets/${of.id}/confirm`, { accounts: 30 }));
  await settle(of);
  expect(inactive()).toBe(30);
  expect((await of.admin.post(`/scim-targets/${of.id}/confirm`, {})).status).toBe(409);
  await of.change({ users: { scope: "groups", groupIds: [staff] } });
  await settle(of);
  expect(inactive()).toBe(0);

  await of.change({ deprovision: { disabled: "delete", outOfScope: "none", deleted: "deactivate" } });
  const [disabled, outside, deleted] = (await of.objects("")).map(({ id }) => id);
  const nameOf = async (id: string) => (await of.admin.get(`/users/${id}`)).body.username;
  const [first, second, third] = [await nameOf(disabled), await nameOf(outside), await nameOf(deleted)];
  must(await of.admin.patch(`/users/${disabled}`, { enabled: false }));
  must(await of.admin.delete(`/groups/${staff}/members/${outside}`));
  must(await of.admin.delete(`/users/${deleted}`));
  await settle(of);
  expect(strict.user(first)).toBeUndefined();
  expect(strict.user(second)).toMatchObject({ active: true });
  expect(strict.user(third)).toMatchObject({ active: false });

  // One by one within an hour is a mass as well.
  for (const { id } of (await of.objects("state=SYNCED&size=25")).slice(1)) {
    await of.admin.delete(`/users/${id}`);
    await settle(of);
  }
  expect((await of.status()).users.held).toBeGreaterThan(0);
  expect([...strict.users.values()].filter(({ active }) => !active).length).toBeLessThanOrEqual(20);
});

test("another realm of this server is a target like any other; one that is dead delays no other", async () => {
  const there = await iam.realm();
  const client = await scimClient(iam, there, { name: "from elsewhere" });
  const address = await iam.server.app.listen({ port: 0, host: "127.0.0.1" });
  const own = { name: "own", url: `${address}/realms/${there.name}/scim/v2`, auth: { type: "bearer" }, secret: client.token };
  const of = await targeted(strict, { name: "dead", url: "http://127.0.0.1:1/v2" }, async ({ user, group }) => {
    await group("team", await user("ada", { email: "ada@example.com", attributes: { department: "Engines" } }), await user("bob"));
  });
  const { id } = must(
    await of.admin.post("/scim-targets", {
      ...own,
      groups: { mode: "all" },
      users: must(await of.admin.get(`/scim-targets/${of.id}`)).users,
    }),
  );
  stage.remember({ admin: of.realm.asMaster(), id });
  const settled = { ...of, id, status: async () => must(await of.admin.get(`/scim-targets/${id}/status`)) };
  await settle(settled);
  expect(await settled.status()).toMatchObject({ state: "OK", users: { synced: 2, failed: 0 }, groups: { synced: 2, failed: 0 } });
  const [ada] = must(await there.asMaster().get("/users?search=ada"));
  expect(ada).toMatchObject({ username: "ada", email: "ada@example.com", attributes: { department: "Engines" } });
  const [team] = must(await there.asMaster().get("/groups?search=team"));
  expect(
    must(await there.asMaster().get(`/groups/${team.groupId}/members`))
      .map(({ username }: Json) => username)
      .sort(),
  ).toEqual(["ada", "bob"]);
  expect(await of.status()).toMatchObject({ state: "PAUSED", users: { pending: 2 } });
  expect((await of.objects(""))[0].attempts).toBe(0);
  must(await of.admin.delete(`/users/${(await of.objects("search=bob"))[0].id}`));
  await settle(settled);
  expect(must(await there.asMaster().get("/users?search=bob"))).toEqual([]);
});
