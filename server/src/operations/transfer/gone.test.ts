import { afterAll, beforeAll, expect, test } from "vitest";
import { createClients } from "../../applications/clients/index.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const ok = async (answer: Promise<Answer>) => {
  const { status, text, body } = await answer;
  expect(status, text).toBeLessThan(300);
  return body;
};

test("what names roles, groups and organizations that were deleted is saved, exported and imported, and lets in nobody", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const post = (path: string, body: object) => ok(admin.post(path, body));
  const { roleId } = await post("/roles", { name: "gone" });
  const { groupId } = await post("/groups", { name: "Gone" });
  const { organizationId } = await post("/organizations", { name: "Gone" });
  const access = { allowedRoles: ["gone"], allowedGroups: ["/Gone"] };
  await post("/clients", { clientId: "shop", grantTypes: ["client_credentials"], ...access });
  const sp = { entityId: "https://sp.example.com/", assertionConsumerServiceUrl: "https://sp.example.com/acs" };
  await post("/saml-clients", { ...sp, options: access });
  const target = { url: "https://scim.example.com/v2", auth: { type: "bearer" }, secret: "the secret of it", enabled: false };
  const byGroup = { scope: "groups", groupIds: [groupId] };
  const one = await post("/scim-targets", { ...target, name: "one", users: byGroup, groups: { mode: "listed", groupIds: [groupId] } });
  const two = await post("/scim-targets", { ...target, name: "two", users: { scope: "organizations", organizationIds: [organizationId] } });
  for (const path of [`/roles/${roleId}`, `/groups/${groupId}`, `/organizations/${organizationId}`]) await ok(admin.delete(path));

  for (const { id } of [one, two]) {
    const path = `/scim-targets/${id}`;
    const read = (await admin.get(path)).body;
    expect(await ok(admin.put(path, read))).toMatchObject({ users: read.users, groups: read.groups });
    const other = { ...read, users: { ...read.users, groupIds: [...read.users.groupIds, realm.name] } };
    expect((await admin.put(path, other)).status).toBe(400);
  }
  expect((await admin.post("/scim-targets", { ...target, name: "three", users: byGroup })).body.errors).toMatchObject([
    { field: "users.groupIds", code: "unknown_group" },
  ]);

  const exported = await admin.get("/export");
  expect(exported.status, exported.text).toBe(200);
  expect((await ok(admin.post("/import?dryRun=true", exported.body))).actions).toEqual([]);
  const elsewhere = await iam.realm();
  const there = await elsewhere.admin();
  await ok(there.post("/import", exported.body));
  const again = await there.get("/export");
  expect(JSON.parse(again.text.replaceAll(elsewhere.name, realm.name))).toEqual(exported.body);
  const { get } = createClients({ db: iam.core.db, vault: iam.core.vault, changes: iam.core.changes });
  expect((await get(elsewhere.name, "shop"))!.settings).toMatchObject({ allowedRoles: [roleId], allowedGroups: [groupId] });
  // A name that is none is no id of something that is gone.
  const clients = [{ clientId: "shop", allowedRoles: ["never"], allowedGroups: [] }];
  expect(await there.post("/import", { schema: "gatehouse.realm/v1", clients })).toMatchObject({
    status: 400,
    body: { errors: [{ field: "clients[shop].allowedRoles", code: "unknown_role" }] },
  });
});

test("a condition of a flow names groups by their paths, in another realm as well", async () => {
  const [realm, elsewhere] = [await iam.realm(), await iam.realm()];
  const [admin, there] = [await realm.admin(), await elsewhere.admin()];
  const made = async (body: object) => (await ok(admin.post("/groups", body))).groupId as string;
  const top = await made({ name: "Top" });
  const groups = [await made({ name: "Below", parentId: top })];
  const step = (authenticator: string, config = {}) => ({ authenticator, requirement: "REQUIRED", config });
  const within = [step("condition-group", { groups }), step("totp")];
  const steps = [step("username-password"), { alias: "more", requirement: "CONDITIONAL", steps: within }];
  await ok(admin.post("/flows", { alias: "office", steps }));
  const groupsIn = ({ flows }: Answer["body"]) =>
    flows.find((flow: { alias: string }) => flow.alias === "office").steps[1].steps[0].config.groups;

  const exported = (await ok(admin.get("/export?sections=groups,flows"))) as Answer["body"];
  expect(groupsIn(exported)).toEqual(["/Top/Below"]);
  expect((await ok(admin.post("/import?dryRun=true", exported))).actions).toEqual([]);
  await ok(there.post("/import", exported));
  const below = (await there.get("/groups?search=Below")).body[0].groupId;
  const flow = (await there.get("/flows/office")).body;
  expect(groupsIn({ flows: [flow] })).toEqual([below]);
  expect(groupsIn(await ok(there.get("/export?sections=flows")))).toEqual(["/Top/Below"]);

  const office = exported.flows.find(({ alias }: { alias: string }) => alias === "office");
  for (const config of [{ groups: ["/Nowhere"] }, {}]) {
    const wrong = { ...office, steps: [office.steps[0], { ...office.steps[1], steps: [step("condition-group", config), step("totp")] }] };
    const answer = await there.post("/import", { schema: "gatehouse.realm/v1", flows: [wrong] });
    expect([answer.status, answer.body.errors?.[0].field], answer.text).toEqual([400, expect.stringContaining("flows[office].steps")]);
  }
});
