import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const last = { status: 409, body: { code: "roles.last_realm_admin" } };

interface Scene {
  readonly realm: RealmUnderTest;
  readonly admin: AdminClient;
  /** Includes `admin`, is granted by the group `top`, which hands it down to `below`, where the only administrator is. */
  readonly outer: { roleId: string; name: string };
  readonly top: string;
  readonly below: string;
  readonly userId: string;
}

async function scene(): Promise<Scene> {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  await admin.put("/settings", { groups: { inheritRoles: true } });
  const outer = (await admin.post("/roles", { name: "outer", compositeRoles: ["admin"] })).body;
  const top = (await admin.post("/groups", { name: "top" })).body.groupId;
  const below = (await admin.post("/groups", { name: "below", parentId: top })).body.groupId;
  await admin.put(`/groups/${top}/roles/${outer.roleId}`);
  const { userId } = await realm.user();
  await admin.put(`/groups/${below}/members/${userId}`);
  // From here on the realm hangs on that one user.
  const [seeded] = (await admin.get("/users?search=admin")).body;
  expect((await admin.delete(`/users/${seeded.userId}`)).status, "a holder by a group counts").toBe(204);
  return { realm, admin, outer, top, below, userId };
}

const ways: Record<string, (scene: Scene) => Promise<{ status: number }>> = {
  "leaving the group": ({ admin, below, userId }) => admin.delete(`/groups/${below}/members/${userId}`),
  "withdrawing the group's role": ({ admin, top, outer }) => admin.delete(`/groups/${top}/roles/${outer.roleId}`),
  "moving the group": ({ admin, below }) => admin.put(`/groups/${below}`, { name: "below", parentId: null }),
  "deleting the group above": ({ admin, top }) => admin.delete(`/groups/${top}`),
  "no longer handing roles down": ({ admin }) => admin.put("/settings", {}),
  "no longer including the role": ({ admin, outer }) => admin.put(`/roles/${outer.roleId}`, { name: "outer", compositeRoles: [] }),
  "deleting the role that includes it": ({ admin, outer }) => admin.delete(`/roles/${outer.roleId}`),
  "deleting the included role": async ({ admin }) => {
    const [role] = (await admin.get("/roles?search=admin")).body;
    return admin.delete(`/roles/${role.roleId}`);
  },
  "disabling the user": async ({ admin, userId }) =>
    admin.put(`/users/${userId}`, { ...(await admin.get(`/users/${userId}`)).body, enabled: false }),
};

describe("a last realm-admin by a group cannot be lost", () => {
  let set: Scene;
  beforeAll(async () => {
    set = await scene();
  });
  test.each(Object.entries(ways))("by %s", async (_name, way) => {
    expect(await way(set)).toMatchObject(last);
    expect((await set.admin.get(`/users/${set.userId}/roles`)).body.map(({ name }: { name: string }) => name)).toContain("admin");
  });

  test("but may be once there is another", async () => {
    await set.realm.as("realm-admin");
    for (const name of ["no longer handing roles down", "deleting the group above", "disabling the user"])
      expect((await ways[name]!(set)).status, name).toBeLessThan(300);
  });
});

test("two who hold it by two groups and are put out at once: exactly one is left", async () => {
  for (let round = 0; round < 3; round++) {
    const { admin, realm, outer, top } = await scene();
    const other = (await admin.post("/groups", { name: "other" })).body.groupId;
    await admin.put(`/groups/${other}/roles/${outer.roleId}`);
    const { userId } = await realm.user();
    await admin.put(`/groups/${other}/members/${userId}`);
    const answers = await Promise.all([admin.delete(`/groups/${other}/members/${userId}`), admin.delete(`/groups/${top}`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  }
});
