import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Permission } from "../../tenancy/permissions/index.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;
/** May change users and roles, but holds, or does not hold, what the targets hold. */
let callers: Record<"own" | "master", { lacking: Call; holding: Call; names: { lacking: string } }>;

const WORKING: Permission[] = ["manage-users", "manage-roles", "manage-realm", "view-users"];
const GIVEN: Permission = "view-events";

beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  const calling =
    (browser: Browser): Call =>
    (method, path, body) =>
      browser.request(method, `/admin/realms/${realm.name}${path}`, { body });
  const own = async (...permissions: Permission[]) => realm.as(...permissions);
  const [lacking, holding] = [await own(...WORKING), await own(...WORKING, GIVEN)];
  const [above, aboveWithout] = [await iam.ofMaster("with", ...WORKING, GIVEN), await iam.ofMaster("without", ...WORKING)];
  callers = {
    own: { lacking: calling(lacking.browser), holding: calling(holding.browser), names: { lacking: lacking.username } },
    master: { lacking: calling(aboveWithout), holding: calling(above), names: { lacking: "master/without" } },
  };
}, 120_000);
afterAll(() => iam?.close());

interface Scene {
  /** A role that grants something, one that grants nothing. */
  readonly mighty: { roleId: string; name: string };
  readonly plain: { roleId: string; name: string };
  /** Holds the mighty role; holds nothing. */
  readonly boss: { userId: string; username: string };
  readonly user: { userId: string; username: string };
}

let scenes = 0;
async function scene(boss: object = {}): Promise<Scene> {
  const admin: AdminClient = realm.asMaster();
  const n = scenes++;
  const mighty = (await admin.post("/roles", { name: `mighty${n}` })).body;
  const plain = (await admin.post("/roles", { name: `plain${n}` })).body;
  await admin.put(`/admin-roles/${mighty.roleId}`, { permissions: [GIVEN] });
  const made = (await admin.post("/users", { username: `boss${n}`, email: `boss${n}@example.com`, roles: [mighty.name] })).body;
  const changed = await admin.put(`/users/${made.userId}`, { ...made, ...boss });
  return { mighty, plain, boss: changed.body, user: (await admin.post("/users", { username: `user${n}` })).body };
}

/** Creates something for the boss, as an administrator with every permission. */
const givenTo = async ({ boss }: Scene, path: string, body: object): Promise<{ id: string; token: string }> =>
  (await realm.asMaster().post(path.replace(":boss", boss.userId), body)).body;
const device = ({ boss }: Scene) => ({ userId: boss.userId, driver: "fcm", token: `device-of-${boss.username}` });

/** Every way of the escalation rule that exists, besides those by groups and composite roles; new features add theirs. */
const ways: [string, (call: Call, scene: Scene) => Promise<Answer>, object?][] = [
  ["assigning a role", (call, { user, mighty }) => call("POST", `/users/${user.userId}/roles`, { name: mighty.name })],
  [
    "assigning a role by PUT",
    (call, { user, mighty }) =>
      call("PUT", `/users/${user.userId}`, { username: user.username, enabled: true, locked: false, roles: ["user", mighty.name] }),
  ],
  [
    "creating a user with a role",
    (call, { user, mighty }) => call("POST", "/users", { username: `${user.username}-new`, roles: [mighty.name] }),
  ],
  ["unassigning a role", (call, { boss, mighty }) => call("DELETE", `/users/${boss.userId}/roles/${mighty.roleId}`)],
  ["unassigning a role by PUT", (call, { boss }) => call("PUT", `/users/${boss.userId}`, { ...boss, roles: [] })],
  ["giving the mighty another role", (call, { boss, plain }) => call("POST", `/users/${boss.userId}/roles`, { name: plain.name })],
  ["granting a permission", (call, { plain }) => call("PUT", `/admin-roles/${plain.roleId}`, { permissions: [GIVEN] })],
  ["taking a permission", (call, { mighty }) => call("PUT", `/admin-roles/${mighty.roleId}`, { permissions: [] })],
  ["deleting a role", (call, { mighty }) => call("DELETE", `/roles/${mighty.roleId}`)],
  ["renaming a role", (call, { mighty }) => call("PUT", `/roles/${mighty.roleId}`, { name: `${mighty.name}-x` })],
  ["setting a password", (call, { boss }) => call("PUT", `/users/${boss.userId}/password`, { newPassword: "under my control" })],
  [
    "setting an email address",
    (call, { boss }) => call("PUT", `/users/${boss.userId}`, { ...boss, email: `x-${boss.username}@example.com` }),
  ],
  ["setting a username", (call, { boss }) => call("PUT", `/users/${boss.userId}`, { ...boss, username: `x-${boss.username}` })],
  ["enabling", (call, { boss }) => call("PUT", `/users/${boss.userId}`, { ...boss, enabled: true }), { enabled: false }],
  ["unlocking", (call, { boss }) => call("PUT", `/users/${boss.userId}`, { ...boss, locked: false }), { locked: true }],
  ["disabling", (call, { boss }) => call("PUT", `/users/${boss.userId}`, { ...boss, enabled: false })],
  ["locking", (call, { boss }) => call("PUT", `/users/${boss.userId}`, { ...boss, locked: true })],
  [
    "changing attributes",
    (call, { boss }) => call("PUT", `/users/${boss.userId}`, { ...boss, attributes: { phoneNumber: "+31201234567" } }),
  ],
  ["adding a credential", (call, { boss }) => call("POST", `/users/${boss.userId}/credentials`, { type: "enrollment-token" })],
  [
    "revoking a credential",
    async (call, set) => {
      const { id } = await givenTo(set, "/users/:boss/credentials", { type: "enrollment-token" });
      return call("DELETE", `/users/${set.boss.userId}/credentials/enrollment-token/${id}`);
    },
  ],
  ["replacing the required actions", (call, { boss }) => call("PUT", `/users/${boss.userId}/required-actions`, ["UPDATE_PASSWORD"])],
  ["adding a required action", (call, { boss }) => call("POST", `/users/${boss.userId}/required-actions`, { action: "CONFIGURE_TOTP" })],
  ["registering a device for pushed approvals", (call, set) => call("POST", "/messaging/push-tokens", device(set))],
  [
    "removing a device",
    async (call, set) => call("DELETE", `/messaging/push-tokens/${(await givenTo(set, "/messaging/push-tokens", device(set))).id}`),
  ],
  ["impersonating", (call, { boss }) => call("POST", `/users/${boss.userId}/impersonate`)],
  ["erasing a user", (call, { boss }) => call("DELETE", `/users/${boss.userId}/gdpr`)],
  ["deleting a user", (call, { boss }) => call("DELETE", `/users/${boss.userId}`)],
];

/** These change nothing that the lists below show. */
const unseen = /password|device|impersonating|credential|required/;

const stateOf = async () =>
  JSON.stringify(
    await Promise.all(["/users", "/roles", "/admin-roles"].map(async (path) => (await realm.asMaster().get(`${path}?size=1000`)).body)),
  );

describe.each(["own", "master"] as const)("a caller of the realm's %s", (side) => {
  test.each(ways)("%s: refused without the permission, and recorded; done with it", async (_name, way, boss) => {
    const { lacking, holding, names } = callers[side];
    const set = await scene(boss);
    const before = await stateOf();
    const denials = `type=ADMIN_DENIED&actor=${encodeURIComponent(names.lacking)}`;
    const denied = (await realm.events(denials)).length;

    expect(await way(lacking, set)).toMatchObject({ status: 403, body: { code: "permissions.escalation" } });
    expect(await stateOf()).toBe(before);
    const recorded = await realm.events(denials);
    expect(recorded).toHaveLength(denied + 1);
    expect(recorded[0]).toMatchObject({ outcome: "FAILURE", category: "ADMIN", detail: expect.stringContaining("permissions.escalation") });

    const allowed = await way(holding, set);
    expect(allowed.status, allowed.text).toBeLessThan(300);
    if (!unseen.test(_name)) expect(await stateOf()).not.toBe(before);
  });
});

test("a weak password is not distinguished for a caller who may not set it", async () => {
  const { boss } = await scene();
  expect((await callers.own.lacking("PUT", `/users/${boss.userId}/password`, { newPassword: "weak" })).status).toBe(403);
});

test("the refusal comes before If-Match and conflicts", async () => {
  const { mighty, boss } = await scene();
  const lesser = await realm.as(...WORKING);
  const stale = { headers: { "if-match": '"0"' } };
  for (const attempt of [
    lesser.delete(`/roles/${mighty.roleId}`, stale),
    lesser.put(`/admin-roles/${mighty.roleId}`, { permissions: [] }, stale),
    lesser.put(`/users/${boss.userId}`, boss, stale),
    lesser.delete(`/users/${boss.userId}`, stale),
  ])
    expect((await attempt).body.code).toBe("permissions.escalation");
});

test("realm-admin holds everything; holding everything else is not realm-admin", async () => {
  const all = (await realm.asMaster().get("/admin-roles/permissions")).body.map(({ key }: { key: Permission }) => key);
  const almost = await realm.as(...all.filter((key: Permission) => key !== "realm-admin"));
  const { plain } = await scene();
  expect(
    (await almost.put(`/admin-roles/${plain.roleId}`, { permissions: all.filter((key: string) => key !== "realm-admin") })).status,
  ).toBe(200);
  expect((await almost.put(`/admin-roles/${plain.roleId}`, { permissions: ["realm-admin"] })).status).toBe(403);
  const { userId } = await realm.admin();
  expect((await almost.put(`/users/${userId}/password`, { newPassword: "mine now, all mine" })).status).toBe(403);
  const root = await realm.as("realm-admin");
  expect((await root.put(`/admin-roles/${plain.roleId}`, { permissions: ["realm-admin"] })).status).toBe(200);
});
