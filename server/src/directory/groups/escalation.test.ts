// Every way by which groups, and roles that include others, could give a user more than the caller holds.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Permission } from "../../tenancy/permissions/index.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
/** Hands roles down. */
let realm: RealmUnderTest;
let [lacking, holding] = [] as unknown as [AdminClient, AdminClient];

const WORKING: Permission[] = ["manage-organizations", "manage-roles", "manage-users", "manage-realm", "view-users"];
const GIVEN: Permission = "view-events";

beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  await realm.asMaster().put("/settings", { groups: { inheritRoles: true } });
  [lacking, holding] = [await realm.as(...WORKING), await realm.as(...WORKING, GIVEN)];
}, 120_000);
afterAll(() => iam?.close());

type Ref = { roleId: string; name: string };
interface Scene {
  /** Holds the permission; includes the one that does; holds nothing. */
  readonly mighty: Ref;
  readonly outer: Ref;
  readonly plain: Ref;
  /** Grants the mighty role, and what is below it; grants nothing, but what is below it does; grants the outer role; grants nothing. */
  readonly granting: string;
  readonly below: string;
  readonly above: string;
  readonly outerGroup: string;
  readonly group: string;
  /** In the granting group; in the one below it; in none. */
  readonly boss: string;
  readonly heir: string;
  readonly user: string;
}

let scenes = 0;
async function scene(): Promise<Scene> {
  const admin = realm.asMaster();
  const n = scenes++;
  const must = ({ status, text, body }: Answer) => {
    if (status >= 300) throw new Error(text);
    return body;
  };
  const role = async (name: string, compositeRoles: string[] = []): Promise<Ref> =>
    must(await admin.post("/roles", { name: `${name}${n}`, compositeRoles }));
  const group = async (name: string, granted: Ref | null, parentId: string | null = null): Promise<string> => {
    const { groupId } = must(await admin.post("/groups", { name: `${name}${n}`, parentId }));
    if (granted) must(await admin.put(`/groups/${groupId}/roles/${granted.roleId}`));
    return groupId;
  };
  const user = async (name: string, groupId: string | null): Promise<string> => {
    const { userId } = must(await admin.post("/users", { username: `${name}${n}` }));
    if (groupId) must(await admin.put(`/groups/${groupId}/members/${userId}`));
    return userId;
  };
  const mighty = await role("mighty");
  must(await admin.put(`/admin-roles/${mighty.roleId}`, { permissions: [GIVEN] }));
  const [outer, plain] = [await role("outer", [mighty.name]), await role("plain")];
  const granting = await group("granting", mighty);
  const below = await group("below", null, granting);
  const above = await group("above", null);
  await group("within", mighty, above);
  return {
    mighty,
    outer,
    plain,
    granting,
    below,
    above,
    outerGroup: await group("outer-group", outer),
    group: await group("group", null),
    boss: await user("boss", granting),
    heir: await user("heir", below),
    user: await user("user", null),
  };
}

const named = (groupId: string, parentId: string | null) => async (by: AdminClient) => {
  const { name } = (await by.get(`/groups/${groupId}`)).body;
  return by.put(`/groups/${groupId}`, { name, parentId });
};

const ways: [string, (by: AdminClient, scene: Scene) => Promise<Answer>][] = [
  ["joining a group that grants it", (by, { granting, user }) => by.put(`/groups/${granting}/members/${user}`)],
  ["joining it oneself", (by, { granting }) => by.put(`/groups/${granting}/members/${by.userId}`)],
  ["the same by POST", (by, { granting, user }) => by.post(`/groups/${granting}/members/${user}`)],
  ["the same by POST to the members", (by, { granting, user }) => by.post(`/groups/${granting}/members`, { userId: user })],
  ["joining a group below it", (by, { below, user }) => by.put(`/groups/${below}/members/${user}`)],
  ["joining a group whose role includes it", (by, { outerGroup, user }) => by.put(`/groups/${outerGroup}/members/${user}`)],
  ["putting out of a group that grants it", (by, { granting, boss }) => by.delete(`/groups/${granting}/members/${boss}`)],
  ["putting out of a group below it", (by, { below, heir }) => by.delete(`/groups/${below}/members/${heir}`)],
  ["letting a group grant it", (by, { group, mighty }) => by.put(`/groups/${group}/roles/${mighty.roleId}`)],
  ["the same by POST with an id", (by, { group, mighty }) => by.post(`/groups/${group}/roles/${mighty.roleId}`)],
  ["the same by name", (by, { group, mighty }) => by.post(`/groups/${group}/roles`, { name: mighty.name })],
  ["letting a group grant what includes it", (by, { group, outer }) => by.put(`/groups/${group}/roles/${outer.roleId}`)],
  ["letting a group no longer grant it", (by, { granting, mighty }) => by.delete(`/groups/${granting}/roles/${mighty.roleId}`)],
  ["deleting a group that grants it", (by, { granting }) => by.delete(`/groups/${granting}`)],
  ["deleting a group below one that grants it", (by, { below }) => by.delete(`/groups/${below}`)],
  ["moving a group below one that grants it", (by, { group, granting }) => named(group, granting)(by)],
  ["moving a group out of one that grants it", (by, { below }) => named(below, null)(by)],
  ["renaming a group that grants it", (by, { granting }) => by.put(`/groups/${granting}`, { name: `renamed ${granting}` })],
  ["renaming a group above one that grants it", (by, { above }) => by.put(`/groups/${above}`, { name: `renamed ${above}` })],
  ["moving a group above one that grants it", (by, { above, group }) => named(above, group)(by)],
  ["including it in a role", (by, { plain, mighty }) => by.put(`/roles/${plain.roleId}`, { ...plain, compositeRoles: [mighty.name] })],
  [
    "including a role that includes it",
    (by, { plain, outer }) => by.put(`/roles/${plain.roleId}`, { ...plain, compositeRoles: [outer.name] }),
  ],
  [
    "creating a role that includes it",
    (by, { mighty }) => by.post("/roles", { name: `${mighty.name}-new`, compositeRoles: [mighty.name] }),
  ],
  ["no longer including it", (by, { outer }) => by.put(`/roles/${outer.roleId}`, { ...outer, compositeRoles: [] })],
  ["renaming a role that includes it", (by, { outer }) => by.put(`/roles/${outer.roleId}`, { ...outer, name: `${outer.name}-x` })],
  ["deleting a role that includes it", (by, { outer }) => by.delete(`/roles/${outer.roleId}`)],
  ["giving a user a role that includes it", (by, { user, outer }) => by.post(`/users/${user}/roles`, { name: outer.name })],
  ["deleting a user who holds it by a group", (by, { boss }) => by.delete(`/users/${boss}`)],
  ["deleting a user who holds it by a group above", (by, { heir }) => by.delete(`/users/${heir}`)],
];

async function stateOf(of: RealmUnderTest): Promise<string> {
  const admin = of.asMaster();
  const groups = (await admin.get("/groups?size=1000")).body;
  const users = (await admin.get("/users?size=1000")).body;
  return JSON.stringify([groups, users, (await admin.get("/roles?size=1000")).body, (await admin.get("/settings")).body]);
}

const escalation = { status: 403, body: { code: "permissions.escalation" } };

describe("needs what is given or taken, and is recorded where it is refused", () => {
  test.each(ways)("%s", async (_name, way) => {
    const set = await scene();
    const before = await stateOf(realm);
    const denials = `type=ADMIN_DENIED&actor=${lacking.username}`;
    const denied = (await realm.events(denials)).length;
    expect(await way(lacking, set)).toMatchObject(escalation);
    expect(await stateOf(realm)).toBe(before);
    expect((await realm.events(denials)).length).toBe(denied + 1);

    const allowed = await way(holding, set);
    expect(allowed.status, allowed.text).toBeLessThan(300);
    expect(await stateOf(realm)).not.toBe(before);
  });
});

test("the password of a user who holds it by a group cannot be set", async () => {
  const { boss } = await scene();
  expect(await lacking.put(`/users/${boss}/password`, { newPassword: "under my control" })).toMatchObject(escalation);
});

test("a change that grants nothing needs nothing: joining, granting, moving, deleting", async () => {
  const { group, plain, user, boss } = await scene();
  const only = await realm.as("manage-organizations", "view-users");
  expect((await only.put(`/groups/${group}/members/${user}`)).status).toBe(204);
  expect((await only.put(`/groups/${group}/members/${boss}`)).status, "no matter who they are").toBe(204);
  expect((await only.put(`/groups/${group}/roles/${plain.roleId}`)).status).toBe(204);
  const { groupId } = (await only.post("/groups", { name: `new${group}` })).body;
  expect((await named(group, groupId)(only)).status).toBe(200);
  expect((await only.delete(`/groups/${groupId}`)).status).toBe(204);
});

test("a holder of manage-organizations does not become an administrator by a group that grants admin", async () => {
  const admin = realm.asMaster();
  const [role] = (await admin.get("/roles?search=admin")).body;
  const { groupId } = (await admin.post("/groups", { name: "administrators" })).body;
  await admin.put(`/groups/${groupId}/roles/${role.roleId}`);
  const all = (await admin.get("/admin-roles/permissions")).body.map(({ key }: { key: Permission }) => key);
  for (const climber of [
    await realm.as("manage-organizations"),
    await realm.as(...all.filter((key: Permission) => key !== "realm-admin")),
  ]) {
    expect(await climber.put(`/groups/${groupId}/members/${climber.userId}`)).toMatchObject(escalation);
    const mine = (await climber.post("/groups", { name: `mine of ${climber.username}` })).body.groupId;
    await climber.put(`/groups/${mine}/members/${climber.userId}`);
    expect(await climber.put(`/groups/${mine}/roles/${role.roleId}`)).toMatchObject(escalation);
    expect(await climber.put(`/groups/${mine}`, { name: "mine", parentId: groupId })).toMatchObject(escalation);
    expect((await admin.get(`/users/${climber.userId}/roles`)).body.map(({ name }: { name: string }) => name)).not.toContain("admin");
  }
});

describe("handing roles down", () => {
  test("is turned on and off only by who holds what the groups with others below them grant", async () => {
    const other = await iam.realm();
    const admin = other.asMaster();
    const [weak, strong] = [await other.as("manage-realm"), await other.as("manage-realm", GIVEN)];
    const { roleId } = (await admin.post("/roles", { name: "mighty" })).body;
    await admin.put(`/admin-roles/${roleId}`, { permissions: [GIVEN] });
    const { groupId } = (await admin.post("/groups", { name: "top" })).body;
    await admin.put(`/groups/${groupId}/roles/${roleId}`);
    const turn = (by: AdminClient, inheritRoles: boolean) => by.put("/settings", { groups: { inheritRoles } });
    expect((await turn(weak, true)).status, "nothing is below it yet").toBe(200);
    expect((await turn(weak, false)).status).toBe(200);
    await admin.post("/groups", { name: "below", parentId: groupId });
    expect(await turn(weak, true)).toMatchObject(escalation);
    expect((await admin.get("/settings")).body.groups).toEqual({ inheritRoles: false });
    expect((await weak.put("/settings", { displayName: "the rest is free" })).status).toBe(200);
    expect((await turn(strong, true)).status).toBe(200);
    expect(await turn(weak, false)).toMatchObject(escalation);
    expect((await turn(strong, false)).status).toBe(200);
  });

  test("and a move below a mighty group at the same time do not slip past each other", async () => {
    const other = await iam.realm();
    const admin = other.asMaster();
    const climber = await other.as("manage-organizations", "manage-realm", "view-users");
    const { roleId } = (await admin.post("/roles", { name: "mighty" })).body;
    await admin.put(`/admin-roles/${roleId}`, { permissions: [GIVEN] });
    for (let round = 0; round < 5; round++) {
      const top = (await admin.post("/groups", { name: `top${round}` })).body.groupId;
      await admin.put(`/groups/${top}/roles/${roleId}`);
      const { groupId, name } = (await climber.post("/groups", { name: `mine${round}` })).body;
      await climber.put(`/groups/${groupId}/members/${climber.userId}`);
      const answers = await Promise.all([
        climber.put("/settings", { groups: { inheritRoles: true } }),
        climber.put(`/groups/${groupId}`, { name, parentId: top }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      expect((await climber.get("/events")).status).toBe(403);
      await admin.delete(`/groups/${top}`);
      await admin.put("/settings", {});
    }
  });
});
