import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("manage-roles", "manage-users", "view-users");
});
afterAll(() => iam?.close());

let made = 0;
type Ref = { roleId: string; name: string; compositeRoles: string[] };
const role = async (compositeRoles: string[] = []): Promise<Ref> => {
  const answer = await admin.post("/roles", { name: `role${made++}`, compositeRoles });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const include = ({ roleId, name }: Ref, ...compositeRoles: string[]) => admin.put(`/roles/${roleId}`, { name, compositeRoles });
const cycle = { status: 409, body: { code: "roles.composite_cycle" } };

/** The rows that the table of included roles must hold, worked out from the direct inclusions. */
async function expectClosureToFit(): Promise<void> {
  const { rows } = await sql<{ wrong: number }>`
    with recursive included (role_id, included_id) as (
      select role_id, included_id from role_composites where realm_id = ${realm.name}
      union
      select i.role_id, c.included_id from included i join role_composites c on c.realm_id = ${realm.name} and c.role_id = i.included_id
    ), kept as (select role_id, included_id from role_closure where realm_id = ${realm.name})
    select ((select count(*) from (select * from included except select * from kept) missing)
      + (select count(*) from (select * from kept except select * from included) extra)
      + (select count(*) from included where role_id = included_id))::int as wrong`.execute(iam.core.db);
  expect(rows[0]!.wrong).toBe(0);
}

const effective = async (userId: string): Promise<string[]> =>
  (await admin.get(`/users/${userId}/roles`)).body.map(({ name }: { name: string }) => name).filter((name: string) => name !== "user");

describe("composite roles", () => {
  test("are named with the role, replaced by PUT, kept when left out", async () => {
    const [a, b] = [await role(), await role()];
    const outer = await role([b.name.toUpperCase(), a.name, a.name]);
    expect(outer.compositeRoles).toEqual([a.name, b.name]);
    const read = await admin.get(`/roles/${outer.roleId}`);
    expect(read.body).toEqual(outer);
    expect((await admin.put(`/roles/${outer.roleId}`, read.body)).body, "what GET says is a valid PUT").toEqual(outer);
    expect((await admin.patch(`/roles/${outer.roleId}`, { description: null })).body.compositeRoles).toEqual([a.name, b.name]);
    expect((await admin.put(`/roles/${outer.roleId}`, { name: outer.name })).body.compositeRoles, "left out: none").toEqual([]);
    await admin.put(`/roles/${outer.roleId}`, read.body);
    expect((await include(outer, b.name)).body.compositeRoles).toEqual([b.name]);
    expect((await admin.get(`/roles?search=${outer.name}`)).body).toMatchObject([{ compositeRoles: [b.name] }]);
    await admin.patch(`/roles/${b.roleId}`, { name: `${b.name}-renamed` });
    expect((await admin.get(`/roles/${outer.roleId}`)).body.compositeRoles).toEqual([`${b.name}-renamed`]);
    const recorded = (await realm.events(`type=ADMIN_UPDATE&resourceId=${outer.roleId}`)).map(({ detail }) => detail);
    expect(recorded).toEqual([`includes ${b.name}`, `includes ${a.name}, ${b.name}`, "includes no other role", null, null]);
  });

  test.each([[["nobody has it"]], [["__proto__"]], ["admin"], [[5]], [[""]], [null], [Array(1001).fill("user")]])(
    "refuses to include %j and names the member",
    async (compositeRoles) => {
      const { roleId } = await role();
      for (const answer of [
        await admin.post("/roles", { name: "never", compositeRoles }),
        await admin.put(`/roles/${roleId}`, { name: "never", compositeRoles }),
      ]) {
        expect(answer.status).toBe(400);
        expect(answer.body.errors[0].field).toMatch(/^compositeRoles/);
      }
    },
  );

  test("count for holders of the outermost, at once and as far down as they go", async () => {
    const inner = await role();
    const middle = await role([inner.name]);
    const outer = await role([middle.name]);
    const { userId } = await realm.user();
    await admin.post(`/users/${userId}/roles`, { name: outer.name });
    expect(await effective(userId)).toEqual([inner.name, middle.name, outer.name]);
    const late = await role();
    await include(inner, late.name);
    expect(await effective(userId)).toContain(late.name);
    await include(middle);
    expect(await effective(userId)).toEqual([middle.name, outer.name]);
    await expectClosureToFit();
  });

  test("never include themselves: not directly, not by others", async () => {
    const a = await role();
    const b = await role([a.name]);
    const c = await role([b.name]);
    for (const one of [a, b, c]) expect(await include(a, one.name)).toMatchObject(cycle);
    expect((await admin.get(`/roles/${a.roleId}`)).body.compositeRoles).toEqual([]);
    await expectClosureToFit();
  });

  test("not even when two writes at once would each be fine alone", async () => {
    for (let round = 0; round < 6; round++) {
      const [a, b] = [await role(), await role()];
      const [overA, overB] = [await role([a.name]), await role([b.name])];
      const answers = await Promise.all([include(a, overB.name), include(b, overA.name)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
    await expectClosureToFit();
  });

  test("that are deleted go from the roles that included them, with what came only by them", async () => {
    const [inner, other] = [await role(), await role()];
    const [middle, second] = [await role([inner.name, other.name]), await role([other.name])];
    const outer = await role([middle.name, second.name]);
    const { userId } = await realm.user();
    await admin.post(`/users/${userId}/roles`, { name: outer.name });
    expect((await admin.delete(`/roles/${middle.roleId}`)).status).toBe(204);
    expect((await admin.get(`/roles/${outer.roleId}`)).body.compositeRoles).toEqual([second.name]);
    expect(await effective(userId), "what comes by another way too stays").toEqual([other.name, second.name, outer.name].sort());
    await expectClosureToFit();
  });
});

describe("the default role", () => {
  const both = { status: 409, body: { code: "roles.default_with_permissions" } };

  test("never includes permissions, in any way or order", async () => {
    const other = await iam.realm();
    const by = other.asMaster();
    const [user] = (await by.get("/roles?search=user")).body;
    const make = async (name: string, compositeRoles: string[] = []) => (await by.post("/roles", { name, compositeRoles })).body;
    const inner = await make("inner");
    const middle = await make("middle", ["inner"]);
    expect(await by.put(`/roles/${user.roleId}`, { name: "user", compositeRoles: ["auditor"] })).toMatchObject(both);
    expect((await by.put(`/roles/${user.roleId}`, { name: "user", compositeRoles: ["middle"] })).status).toBe(200);
    expect(await by.put(`/admin-roles/${inner.roleId}`, { permissions: ["view-users"] })).toMatchObject(both);
    expect(await by.put(`/roles/${middle.roleId}`, { name: "middle", compositeRoles: ["auditor"] })).toMatchObject(both);
    const mighty = await make("mighty", ["auditor"]);
    expect(await by.put(`/roles/${mighty.roleId}/default`)).toMatchObject(both);
    expect((await by.post("/users", { username: "new" })).body.roles).toEqual(["user"]);
  });

  test("nor when it becomes the default and mighty at once", async () => {
    const other = await iam.realm();
    const by = other.asMaster();
    for (let round = 0; round < 5; round++) {
      const { roleId, name } = (await by.post("/roles", { name: `round${round}` })).body;
      const answers = await Promise.all([
        by.put(`/roles/${roleId}/default`),
        by.put(`/roles/${roleId}`, { name, compositeRoles: ["auditor"] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });
});
