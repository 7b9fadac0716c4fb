import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const last = { status: 409, body: { code: "roles.last_realm_admin" } };

interface Target {
  readonly userId: string;
  readonly roleId: string;
}

/** The ways by which `by` can take realm-admin from a user who holds it by one role. */
const ways: Record<string, (by: AdminClient, target: Target) => Promise<{ status: number }>> = {
  delete: (by, { userId }) => by.delete(`/users/${userId}`),
  disable: async (by, { userId }) => by.put(`/users/${userId}`, { ...(await by.get(`/users/${userId}`)).body, enabled: false }),
  lock: async (by, { userId }) => by.put(`/users/${userId}`, { ...(await by.get(`/users/${userId}`)).body, locked: true }),
  "take the role": (by, { userId, roleId }) => by.delete(`/users/${userId}/roles/${roleId}`),
  "replace the roles": async (by, { userId }) =>
    by.put(`/users/${userId}`, { ...(await by.get(`/users/${userId}`)).body, roles: ["user"] }),
  "delete the role": (by, { roleId }) => by.delete(`/roles/${roleId}`),
  "take the permission": (by, { roleId }) => by.put(`/admin-roles/${roleId}`, { permissions: ["view-users"] }),
};

const roleNamed = async (realm: RealmUnderTest, name: string): Promise<string> =>
  (await realm.asMaster().get(`/roles?search=${name}`)).body.find((role: { name: string }) => role.name === name).roleId;

describe("the last realm-admin of a realm", () => {
  test.each(Object.entries(ways))("cannot be lost by: %s", async (_name, way) => {
    const realm = await iam.realm();
    const { userId } = await realm.admin();
    const target = { userId, roleId: await roleNamed(realm, "admin") };
    expect(await way(realm.asMaster(), target)).toMatchObject(last);
    expect((await (await realm.admin()).get("/users")).status, "still in charge, session and all").toBe(200);

    const other = await realm.as("realm-admin");
    expect((await way(other, target)).status, "with another there, it may be").toBeLessThan(300);
    expect((await other.get("/users")).status).toBe(200);
  });

  test.each(["disable", "lock"])("is not another who was shut out (%s)", async (name) => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const other = await realm.as("realm-admin");
    expect((await ways[name]!(admin, { userId: other.userId, roleId: "" })).status).toBe(200);
    expect(await realm.asMaster().delete(`/users/${admin.userId}`)).toMatchObject(last);
  });

  test("may be anyone else's in another realm", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    await other.as("realm-admin");
    expect(await realm.asMaster().delete(`/users/${(await realm.admin()).userId}`)).toMatchObject(last);
  });

  test("stays when a user changes what has nothing to do with it", async () => {
    const realm = await iam.realm();
    const { userId } = await realm.admin();
    const user = (await realm.asMaster().get(`/users/${userId}`)).body;
    expect((await realm.asMaster().put(`/users/${userId}`, { ...user, email: "root@example.com" })).status).toBe(200);
    expect((await realm.asMaster().put(`/users/${userId}`, { ...user, enabled: false })).status).toBe(409);
    expect((await realm.asMaster().get(`/users/${userId}`)).body.enabled).toBe(true);
  });
});

describe("two administrators who remove each other at once", () => {
  test.each(Object.keys(ways).filter((name) => !name.includes("permission") && name !== "delete the role"))(
    "by %s: exactly one is left",
    async (name) => {
      const realm = await iam.realm();
      const [a, b] = [await realm.as("realm-admin"), await realm.as("realm-admin")];
      // From here on it is between the two.
      await ways["take the role"]!(a, { userId: (await realm.admin()).userId, roleId: await roleNamed(realm, "admin") });
      const roleOf = async (who: AdminClient) => roleNamed(realm, `${who.username}-role`);
      const [ofA, ofB] = [await roleOf(a), await roleOf(b)];
      const answers = await Promise.all([
        ways[name]!(a, { userId: b.userId, roleId: ofB }),
        ways[name]!(b, { userId: a.userId, roleId: ofA }),
      ]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      // The loser was refused for being last, or had lost the right to ask by then.
      for (const { status } of answers.filter((answer) => answer.status >= 300)) expect([401, 403, 404, 409]).toContain(status);
      const left = await Promise.all([a, b].map(async (who) => (await who.get("/users")).status));
      expect(left.filter((status) => status === 200)).toHaveLength(1);
    },
  );

  test("or the roles that make them so: exactly one is left", async () => {
    const realm = await iam.realm();
    const [a, b] = [await realm.as("realm-admin"), await realm.as("realm-admin")];
    await ways["take the role"]!(a, { userId: (await realm.admin()).userId, roleId: await roleNamed(realm, "admin") });
    const roles = [await roleNamed(realm, `${a.username}-role`), await roleNamed(realm, `${b.username}-role`)];
    const answers = await Promise.all([
      realm.asMaster().delete(`/roles/${roles[0]}`),
      realm.asMaster().put(`/admin-roles/${roles[1]}`, { permissions: [] }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(1);
  });
});
