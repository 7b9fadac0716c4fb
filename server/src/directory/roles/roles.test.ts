import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const ifMatch = (tag: unknown) => ({ headers: { "if-match": String(tag) } });

describe("/roles", () => {
  test("creates, reads, lists, updates and deletes, each with its event", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-roles", "view-users");
    const created = await admin.post("/roles", { name: "Billing", description: "Sees invoices" });
    expect(created).toMatchObject({
      status: 201,
      body: { realmId: realm.name, name: "Billing", description: "Sees invoices", default: false },
    });
    const path = `/roles/${created.body.roleId}`;
    const read = await admin.get(path);
    expect(read).toMatchObject({ status: 200, body: created.body, headers: { etag: expect.stringMatching(/^"1\.[\w-]+"$/) } });
    expect((await admin.put(path, read.body)).body).toEqual(read.body);
    const renamed = await admin.put(path, { name: "billing" });
    expect(renamed.body).toEqual({ ...read.body, name: "billing", description: null });
    expect((await admin.put(path, read.body, ifMatch(read.headers.etag))).status).toBe(412);
    expect((await admin.delete(path, ifMatch(read.headers.etag))).status).toBe(412);
    const list = await admin.get("/roles?search=BILL");
    expect([list.body, list.headers["x-total-count"]]).toEqual([[renamed.body], "1"]);
    expect((await admin.get(`/roles?search=${created.body.roleId.toUpperCase()}`)).body).toEqual([renamed.body]);
    expect((await admin.get("/roles?sort=-name")).body.map(({ name }: { name: string }) => name).slice(-3)).toEqual([
      "billing",
      "auditor",
      "admin",
    ]);
    expect((await admin.delete(path, ifMatch(renamed.headers.etag))).status).toBe(204);
    for (const again of [admin.get(path), admin.delete(path), admin.put(path, { name: "x" })]) expect((await again).status).toBe(404);
    const recorded = (await realm.events(`resourceType=roles&resourceId=${created.body.roleId}`)).map(({ type }) => type);
    expect(recorded).toEqual(["ADMIN_DELETE", "ADMIN_UPDATE", "ADMIN_UPDATE", "ADMIN_CREATE"]);
  });

  test("a name is taken in every letter case and Unicode form, by create and by rename", async () => {
    const admin = (await iam.realm()).asMaster();
    const { body } = await admin.post("/roles", { name: "Zoë" });
    const other = (await admin.post("/roles", { name: "other" })).body;
    const taken = { status: 409, body: { code: "roles.name_taken" } };
    for (const name of ["zoë", "ZOE\u0308", "ＺＯË", "ADMIN", "User"]) {
      expect(await admin.post("/roles", { name })).toMatchObject(taken);
      expect(await admin.put(`/roles/${other.roleId}`, { name })).toMatchObject(taken);
    }
    expect((await admin.put(`/roles/${body.roleId}`, { name: "ZOË" })).status, "one's own").toBe(200);
    const race = await Promise.all(["Race", "RACE", "race"].map((name) => admin.post("/roles", { name })));
    expect(race.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: " " }, "name"],
    [{ name: "a\nb" }, "name"],
    [{ name: "a\u200b" }, "name"],
    [{ name: "x".repeat(256) }, "name"],
    [{ name: 5 }, "name"],
    [{ name: "ok", description: "x".repeat(1001) }, "description"],
    [{ name: "ok", permissions: ["realm-admin"] }, "permissions"],
    [{ name: "ok", default: "yes" }, "default"],
  ])("refuses %j and names the member", async (body, field) => {
    const realm = await iam.realm();
    const { roleId } = (await realm.asMaster().post("/roles", { name: "there" })).body;
    for (const answer of [await realm.asMaster().post("/roles", body), await realm.asMaster().put(`/roles/${roleId}`, body)])
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  test.each([
    ["realmId", "other"],
    ["roleId", newId()],
    ["createdAt", 5],
    ["default", true],
  ])("refuses to change %s", async (field, value) => {
    const admin = (await iam.realm()).asMaster();
    const role = (await admin.post("/roles", { name: "there" })).body;
    expect(await admin.put(`/roles/${role.roleId}`, { ...role, [field]: value })).toMatchObject({
      status: 400,
      body: { errors: [{ field }] },
    });
  });

  test("deleting a role takes it, and what it grants, from its holders at once", async () => {
    const realm = await iam.realm();
    const holder = await realm.as("view-users");
    const [role] = (await realm.asMaster().get(`/roles?search=${holder.username}-role`)).body;
    expect((await holder.get("/users")).status).toBe(200);
    expect((await realm.asMaster().delete(`/roles/${role.roleId}`)).status).toBe(204);
    expect((await holder.get("/users")).status).toBe(403);
    expect((await realm.asMaster().get(`/users/${holder.userId}`)).body.roles).toEqual(["user"]);
  });
});

describe("the default role", () => {
  test("moves, is given to new users only, and cannot be deleted", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-roles", "manage-users", "view-users");
    const before = (await admin.post("/users", { username: "before" })).body;
    const { roleId } = (await admin.post("/roles", { name: "member" })).body;
    const [user] = (await admin.get("/roles?search=user")).body;
    const moved = await admin.put(`/roles/${roleId}/default`);
    expect(moved).toMatchObject({ status: 200, body: { roleId, default: true } });
    expect((await admin.get(`/roles/${user.roleId}`)).body.default).toBe(false);
    expect((await admin.post("/users", { username: "after" })).body.roles).toEqual(["member"]);
    expect((await admin.get(`/users/${before.userId}`)).body.roles).toEqual(["user"]);
    expect(await admin.delete(`/roles/${roleId}`)).toMatchObject({ status: 409, body: { code: "roles.is_default" } });
    expect((await admin.put(`/roles/${roleId}/default`)).status).toBe(200);
    expect((await admin.delete(`/roles/${user.roleId}`)).status).toBe(204);
    expect(await realm.events(`type=ADMIN_UPDATE&resourceId=${roleId}`)).toMatchObject([{ detail: "default" }, { detail: "default" }]);
    for (const id of [newId(), "nonsense"]) expect((await admin.put(`/roles/${id}/default`)).status).toBe(404);
  });

  test("never has permissions, whichever comes first", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const both = { status: 409, body: { code: "roles.default_with_permissions" } };
    const [auditor] = (await admin.get("/roles?search=auditor")).body;
    const [user] = (await admin.get("/roles?search=user")).body;
    expect(await admin.put(`/roles/${auditor.roleId}/default`)).toMatchObject(both);
    expect(await admin.put(`/admin-roles/${user.roleId}`, { permissions: ["view-users"] })).toMatchObject(both);
    expect((await admin.put(`/admin-roles/${user.roleId}`, { permissions: [] })).status).toBe(200);
    expect((await admin.put(`/admin-roles/${auditor.roleId}`, { permissions: [] })).status).toBe(200);
    expect((await admin.put(`/roles/${auditor.roleId}/default`)).status).toBe(200);
  });

  test("never has permissions even when both are requested at once, and there is always exactly one", async () => {
    const admin = (await iam.realm()).asMaster();
    for (let round = 0; round < 5; round++) {
      const { roleId } = (await admin.post("/roles", { name: `round${round}` })).body;
      const answers = await Promise.all([
        admin.put(`/roles/${roleId}/default`),
        admin.put(`/admin-roles/${roleId}`, { permissions: ["view-users"] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
    const ids = (await admin.get("/roles?search=user")).body.concat((await admin.post("/roles", { name: "spare" })).body);
    const moves = await Promise.all([...ids, ...ids].map(({ roleId }: { roleId: string }) => admin.put(`/roles/${roleId}/default`)));
    expect(moves.map(({ status }) => status)).toEqual(moves.map(() => 200));
    expect((await admin.get("/roles")).body.filter((role: { default: boolean }) => role.default)).toHaveLength(1);
  });
});

describe("/admin-roles", () => {
  test("the catalogue is the fixed one", async () => {
    const answer = await (await iam.realm()).asMaster().get("/admin-roles/permissions");
    expect(answer.status).toBe(200);
    expect(answer.body.map(({ key }: { key: string }) => key)).toEqual([
      "realm-admin",
      "view-users",
      "manage-users",
      "view-clients",
      "manage-clients",
      "manage-roles",
      "manage-identity-providers",
      "manage-authorization",
      "manage-organizations",
      "manage-realm",
      "view-events",
      "manage-events",
    ]);
    for (const entry of answer.body) expect(entry).toEqual({ key: expect.any(String), label: expect.stringMatching(/^[A-Z]/) });
  });

  test("replaces the whole set, which counts on the holder's next request", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const holder = await realm.as("view-users");
    const [entry] = (await admin.get(`/admin-roles?search=${holder.username}-role`)).body;
    expect(entry).toEqual({ realmId: realm.name, roleId: entry.roleId, roleName: `${holder.username}-role`, permissions: ["view-users"] });
    expect((await admin.put(`/admin-roles/${entry.roleId}`, entry)).body, "GET is a valid PUT").toEqual(entry);
    const names = (await admin.get("/admin-roles?sort=-roleName")).body.map(({ roleName }: { roleName: string }) => roleName);
    expect(names).toEqual([...names].sort().reverse());
    const put = await admin.put(`/admin-roles/${entry.roleId}`, { permissions: ["view-events", "manage-realm"] });
    expect(put).toMatchObject({ status: 200, body: { permissions: ["manage-realm", "view-events"] } });
    expect([(await holder.get("/users")).status, (await holder.get("/settings")).status]).toEqual([403, 200]);
    expect((await realm.events(`type=ADMIN_UPDATE&resourceType=admin-roles&resourceId=${entry.roleId}`))[0]).toMatchObject({
      detail: "manage-realm view-events",
    });
    expect((await admin.put(`/admin-roles/${entry.roleId}`, { permissions: [] }, ifMatch('"0"'))).status).toBe(412);
    const both = await Promise.all(
      [1, 2].map(() => admin.put(`/admin-roles/${entry.roleId}`, { permissions: [] }, ifMatch(put.headers.etag))),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect((await holder.get("/settings")).status).toBe(403);
  });

  test.each([
    [{}, "permissions"],
    [{ permissions: null }, "permissions"],
    [{ permissions: ["everything"] }, "permissions.0"],
    [{ permissions: ["view-users", "VIEW-USERS"] }, "permissions.1"],
    [{ permissions: ["view-users", "view-users"] }, "permissions"],
    [{ permissions: [], roleName: "other" }, "roleName"],
    [{ permissions: [], roleId: newId() }, "roleId"],
    [{ permissions: [], realmId: "other" }, "realmId"],
    [{ permissions: [], name: "x" }, "name"],
  ])("refuses %j and names the member", async (body, field) => {
    const admin = (await iam.realm()).asMaster();
    const [auditor] = (await admin.get("/admin-roles?search=auditor")).body;
    expect(await admin.put(`/admin-roles/${auditor.roleId}`, body)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    expect((await admin.get("/admin-roles?search=auditor")).body).toEqual([auditor]);
  });
});

describe.runIf(testDatabase() === "postgres")("on a second node", () => {
  test("a change of permissions counts on the holder's next request", async () => {
    const second = await iam.secondNode();
    const realm = await iam.realm();
    const holder = await realm.as("view-users");
    const there = holder.browser.elsewhere(second.server.app);
    expect((await there.get(`/admin/realms/${realm.name}/users`)).status).toBe(200);
    const [role] = (await realm.asMaster().get(`/roles?search=${holder.username}-role`)).body;
    await realm.asMaster().put(`/admin-roles/${role.roleId}`, { permissions: [] });
    expect((await there.get(`/admin/realms/${realm.name}/users`)).status).toBe(403);
  });
});
