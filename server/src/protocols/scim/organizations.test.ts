import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFile } from "../../kernel/package.ts";
import { statements } from "../../platform/db/migrate.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { ENTERPRISE, filter, scimClient, USER } from "../../testing/scim.ts";
import { waitingSessions } from "../../testing/waiting-sessions.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

async function organization(realm: RealmUnderTest, name: string): Promise<string> {
  return (await realm.asMaster().post("/organizations", { name })).body.organizationId;
}

test("a token of an organization sees its members and its groups only, and cannot harm users of others", async () => {
  const realm = await iam.realm();
  const [one, two] = [await organization(realm, "One"), await organization(realm, "Two")];
  const everywhere = await scimClient(iam, realm, { name: "realm" });
  const scim = await scimClient(iam, realm, { name: "one", organizationId: one });
  const other = await scimClient(iam, realm, { name: "two", organizationId: two });
  const ada = (await scim.post("/Users", { userName: "ada", externalId: "1" })).body;
  const known = { name: { givenName: "Eve", familyName: "E", honorificPrefix: "Dr" }, [ENTERPRISE]: { employeeNumber: "7" }, title: "CTO" };
  const eve = (await other.post("/Users", { userName: "eve", externalId: "1", ims: [{ value: "eve-at-two" }], ...known })).body;
  await realm.asMaster().put(`/organizations/${one}/members/${eve.id}`, {});
  expect((await scim.get("/Users")).body.Resources.map(({ userName }: { userName: string }) => userName).sort()).toEqual(["ada", "eve"]);
  expect((await other.get("/Users")).body.Resources).toMatchObject([{ userName: "eve", externalId: "1" }]);
  expect((await scim.get(`/Users/${eve.id}`)).body, "another connection's id").not.toHaveProperty("externalId");
  // An organization sees whose account it is, and filters find the account by nothing else.
  const { meta, ...shown } = (await scim.get(`/Users/${eve.id}`)).body;
  expect(shown).toEqual({ schemas: [USER], id: eve.id, userName: "eve", active: true, name: { givenName: "Eve", familyName: "E" } });
  for (const asked of [`${ENTERPRISE}:employeeNumber eq "7"`, 'title eq "CTO"', 'ims.value eq "eve-at-two"', "name.honorificPrefix pr"]) {
    expect((await scim.get(`/Users?${filter(asked)}`)).body.totalResults, asked).toBe(0);
    expect((await other.get(`/Users?${filter(asked)}`)).body.totalResults, asked).toBe(1);
  }
  expect((await other.get(`/Users/${ada.id}`)).status).toBe(404);
  expect((await other.patch(`/Users/${ada.id}`, [{ op: "replace", path: "active", value: false }])).status).toBe(404);
  expect((await scim.put(`/Users/${eve.id}`, { userName: "eve", password: "taken over by One" })).body.detail).toContain(
    "not managed by the token's organization",
  );
  expect((await scim.delete(`/Users/${eve.id}`)).status).toBe(204);
  expect((await scim.get(`/Users/${eve.id}`)).status).toBe(404);
  expect((await other.get(`/Users/${eve.id}`)).status).toBe(200);

  const group = (await scim.post("/Groups", { displayName: "G", members: [{ value: ada.id }] })).body;
  expect((await other.get(`/Groups/${group.id}`)).status).toBe(404);
  expect((await other.get("/Groups")).body.totalResults).toBe(0);
  expect((await everywhere.get("/Groups")).body.Resources).toMatchObject([{ displayName: "organization:one", members: [] }]);
  expect((await scim.patch(`/Groups/${group.id}`, [{ op: "add", path: "members", value: [{ value: eve.id }] }])).status).toBe(400);
  // Each organization has its own names, and none of them is at the top, where others grant permissions.
  expect((await scim.post("/Groups", { displayName: "g" })).body).toMatchObject({ status: "409", scimType: "uniqueness" });
  expect((await other.post("/Groups", { displayName: "G" })).status).toBe(201);
  expect((await scim.get(`/Users/${ada.id}`)).body.groups).toMatchObject([{ value: group.id, display: "G" }]);
  await realm.asMaster().post("/roles", { name: "giver" });
  expect(
    (
      await realm.asMaster().post("/import", {
        schema: "gatehouse.realm/v1",
        groups: [
          { path: "/G", roles: ["giver"] },
          { path: "/H", roles: ["giver"] },
        ],
      })
    ).status,
  ).toBe(200);
  expect((await scim.patch(`/Groups/${group.id}`, [{ op: "replace", path: "displayName", value: "H" }])).body.displayName).toBe("H");
  const { body: stored } = await realm.asMaster().get(`/groups/${group.id}`);
  expect(stored).toMatchObject({ name: "H", roleNames: [] });
  expect((await realm.asMaster().get(`/groups/${stored.parentId}`)).body).toMatchObject({ name: "organization:one", parentId: null });
  // A group that an earlier release created at the top moves there when it is renamed.
  await sql`update groups set parent_id = null, name = 'Old', name_key = 'old' where realm_id = ${realm.name} and group_id = ${group.id}`.execute(
    iam.core.db,
  );
  await sql`delete from group_ancestors where realm_id = ${realm.name} and group_id = ${group.id}`.execute(iam.core.db);
  expect((await scim.put(`/Groups/${group.id}`, { displayName: "New", members: [{ value: ada.id }] })).body.displayName).toBe("New");
  expect((await realm.asMaster().get(`/groups/${group.id}`)).body.parentId).toBe(stored.parentId);
  expect((await scim.delete(`/Users/${ada.id}`)).status).toBe(204);
  expect((await everywhere.get(`/Users/${ada.id}`)).status).toBe(404);
});

test("a token of an organization changes the accounts that it created or was given, whoever else joins", async () => {
  const realm = await iam.realm();
  const [acme, beta] = [await organization(realm, "Acme"), await organization(realm, "Beta")];
  const scim = await scimClient(iam, realm, { name: "acme", organizationId: acme });
  const lesser = await realm.as("view-users", "manage-organizations");
  const both = await realm.as("view-users", "manage-users", "manage-organizations");
  const memberAt = (id: string, of = acme) => `/organizations/${of}/members/${id}`;
  const { userId: wanda } = await realm.user("wanda");
  expect((await lesser.put(memberAt(wanda), {})).status).toBe(204);
  const takenOver = { op: "replace", path: "password", value: "taken over by Acme" };
  expect(await scim.patch(`/Users/${wanda}`, [takenOver])).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("managed") },
  });
  expect((await scim.delete(`/Users/${wanda}`)).status).toBe(204);
  expect((await both.get(`/users/${wanda}`)).status, "only the membership has ended").toBe(200);
  expect((await both.get(memberAt(wanda))).status).toBe(404);
  // A member who holds permissions keeps them, and the account.
  const chief = await realm.as("manage-clients");
  expect((await lesser.put(memberAt(chief.userId), {})).status).toBe(204);
  expect((await scim.patch(`/Users/${chief.userId}`, [takenOver])).status).toBe(403);
  expect((await scim.delete(`/Users/${chief.userId}`)).status).toBe(204);
  expect((await both.get(memberAt(chief.userId))).status).toBe(404);
  expect((await both.get(`/users/${chief.userId}`)).body.roles).toContain(`${chief.username}-role`);

  // Handing an account over needs the permissions to change it, and only one organization has it.
  expect((await lesser.put(memberAt(wanda), { managed: true })).body.code).toBe("permissions.escalation");
  const { userId: admin } = await realm.admin();
  expect((await both.put(memberAt(admin), { managed: true })).body.code).toBe("permissions.escalation");
  expect((await both.put(memberAt(wanda), { managed: true })).status).toBe(204);
  expect((await lesser.put(memberAt(wanda), { role: "chief" })).status).toBe(204);
  expect((await both.get(memberAt(wanda))).body).toMatchObject({ role: "chief", managed: true });
  expect((await both.put(memberAt(wanda, beta), { managed: true })).body.code).toBe("organizations.managed_elsewhere");
  expect((await both.put(memberAt(wanda, beta), {})).status).toBe(204);
  expect((await scim.patch(`/Users/${wanda}`, [takenOver])).status).toBe(200);

  // A user who leaves is no longer managed, even after joining again.
  const ada = (await scim.post("/Users", { userName: "ada" })).body;
  expect((await both.get(memberAt(ada.id))).body.managed).toBe(true);
  expect((await lesser.delete(memberAt(ada.id))).status).toBe(204);
  expect((await lesser.put(memberAt(ada.id), {})).status).toBe(204);
  expect((await scim.patch(`/Users/${ada.id}`, [takenOver])).status).toBe(403);

  // The account is withdrawn while the token deletes it, and the later request counts. This needs two connections.
  if (testDatabase() !== "postgres") return;
  let deletion: Promise<Answer> | undefined;
  await iam.core.db.transaction().execute(async (tx) => {
    await tx
      .updateTable("organization_members")
      .set({ managed: false })
      .where("realm_id", "=", realm.name)
      .where("user_id", "=", wanda)
      .execute();
    deletion = scim.delete(`/Users/${wanda}`);
    await expect.poll(() => waitingSessions(iam.core.db)).toBe(1);
  });
  expect((await deletion)?.status).toBe(204);
  expect((await both.get(`/users/${wanda}`)).status).toBe(200);
});

test("a user who leaves an organization leaves its groups, and what they give", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const acme = await organization(realm, "Acme");
  const scim = await scimClient(iam, realm, { name: "acme", organizationId: acme });
  const lesser = await realm.as("view-users", "manage-organizations");
  const ada = (await scim.post("/Users", { userName: "ada" })).body;
  const ben = (await scim.post("/Users", { userName: "ben" })).body;
  const { userId: wanda } = await realm.user("wanda");
  const memberAt = (id: string) => `/organizations/${acme}/members/${id}`;
  expect((await boss.put(memberAt(wanda), {})).status).toBe(204);
  const all = [ada.id, ben.id, wanda].map((value) => ({ value }));
  const staff = (await scim.post("/Groups", { displayName: "staff", members: all })).body.id;
  const { groupId: below } = (await boss.post("/groups", { name: "below", parentId: staff })).body;
  const { groupId: other } = (await boss.post("/groups", { name: "other" })).body;
  for (const id of [below, other]) expect((await boss.put(`/groups/${id}/members/${wanda}`)).status).toBe(204);
  const groupsOf = async (id: string): Promise<string[]> =>
    (await boss.get(`/users/${id}/groups?direct=true`)).body.map(({ name }: { name: string }) => name);

  // Groups that grant permissions have the same rule as elsewhere: a lesser administrator removes nobody from them.
  const { roleId } = (await boss.post("/roles", { name: "power" })).body;
  await boss.put(`/admin-roles/${roleId}`, { permissions: ["manage-clients"] });
  expect((await boss.put(`/groups/${staff}/roles/${roleId}`)).status).toBe(204);
  expect((await lesser.delete(memberAt(ada.id))).body.code).toBe("permissions.escalation");
  expect((await boss.get(memberAt(ada.id))).status).toBe(200);
  expect((await boss.delete(`/groups/${staff}/roles/${roleId}`)).status).toBe(204);

  expect((await lesser.delete(memberAt(ada.id))).status).toBe(204);
  expect(await groupsOf(ada.id)).toEqual([]);
  expect(await realm.events(`resourceType=groups&resourceId=${staff}`)).toContainEqual(
    expect.objectContaining({ detail: `members -${ada.id}`, actor: lesser.username }),
  );
  expect((await scim.delete(`/Users/${wanda}`)).status).toBe(204);
  expect(await groupsOf(wanda)).toEqual(["other"]);
  // Replacing all members also removes a user whom the token does not see.
  for (const change of [
    () => scim.put(`/Groups/${staff}`, { displayName: "staff", members: [{ value: ben.id }] }),
    () => scim.patch(`/Groups/${staff}`, [{ op: "remove", path: "members" }]),
  ]) {
    expect((await boss.put(`/groups/${staff}/members/${wanda}`)).status).toBe(204);
    expect((await change()).status).toBe(200);
    expect(await groupsOf(wanda)).toEqual(["other"]);
  }
  // A token adds a user who is leaving, and the later request counts. This needs two connections.
  if (testDatabase() !== "postgres") return;
  let joining: Promise<Answer> | undefined;
  await iam.core.db.transaction().execute(async (tx) => {
    await tx.deleteFrom("organization_members").where("realm_id", "=", realm.name).where("user_id", "=", ben.id).execute();
    joining = scim.patch(`/Groups/${staff}`, [{ op: "add", path: "members", value: [{ value: ben.id }] }]);
    await expect.poll(() => waitingSessions(iam.core.db)).toBe(1);
  });
  expect((await joining)?.status).toBe(400);
});

test("the groups of an organization are deleted with it: another one with the same alias has none", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const acme = await organization(realm, "Acme");
  const scim = await scimClient(iam, realm, { organizationId: acme });
  const ada = (await scim.post("/Users", { userName: "ada" })).body;
  const [staff, old] = await Promise.all(
    ["staff", "old"].map(async (displayName) => (await scim.post("/Groups", { displayName, members: [{ value: ada.id }] })).body.id),
  );
  expect((await boss.patch(`/groups/${old}`, { parentId: null })).status).toBe(200);
  const { roleId } = (await boss.post("/roles", { name: "power" })).body;
  await boss.put(`/admin-roles/${roleId}`, { permissions: ["manage-clients"] });
  expect((await boss.put(`/groups/${staff}/roles/${roleId}`)).status).toBe(204);
  const lesser = await realm.as("view-users", "manage-organizations");
  expect((await lesser.delete(`/organizations/${acme}`)).body.code).toBe("permissions.escalation");
  expect((await scim.get("/Groups")).body.totalResults).toBe(2);
  expect((await boss.delete(`/organizations/${acme}`)).status).toBe(204);
  expect((await boss.get("/groups")).body).toEqual([]);
  expect((await boss.get(`/users/${ada.id}/groups`)).body).toEqual([]);
  const again = await scimClient(iam, realm, { organizationId: await organization(realm, "Acme") });
  expect((await again.post("/Groups", { displayName: "staff" })).status).toBe(201);
  expect((await again.get("/Groups")).body.Resources).toMatchObject([{ displayName: "staff", members: [] }]);
});

test("a token of an organization deletes no group that an administrator made below one of its own", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const scim = await scimClient(iam, realm, { organizationId: await organization(realm, "Acme") });
  const team = (await scim.post("/Groups", { displayName: "team" })).body.id;
  const own = (await scim.post("/Groups", { displayName: "own" })).body.id;
  expect((await boss.patch(`/groups/${own}`, { parentId: team })).status).toBe(200);
  const { groupId: sub } = (await boss.post("/groups", { name: "sub", parentId: own })).body;
  expect((await scim.get(`/Groups/${sub}`)).status).toBe(404);
  for (const id of [team, own]) {
    const { status, body } = await scim.delete(`/Groups/${id}`);
    expect([status, body.detail]).toEqual([409, expect.stringContaining("not of the token's organization")]);
  }
  expect((await boss.get(`/groups/${sub}`)).body).toMatchObject({ name: "sub", parentId: own });
  expect((await boss.patch(`/groups/${sub}`, { parentId: null })).status).toBe(200);
  expect((await scim.delete(`/Groups/${team}`)).status, "with its own below it").toBe(204);
  expect((await boss.get(`/groups/${own}`)).status).toBe(404);
  // A token of the realm deletes all groups below, as administrators do.
  const everywhere = await scimClient(iam, realm, { name: "realm" });
  await boss.post("/groups", { name: "below", parentId: sub });
  expect((await everywhere.delete(`/Groups/${sub}`)).status).toBe(204);
});

test("externalIds are their owner's: the realm's, or one organization's, whatever the connection is called", async () => {
  const realm = await iam.realm();
  const [acme, beta] = [await organization(realm, "Acme"), await organization(realm, "Beta")];
  const everywhere = await scimClient(iam, realm);
  const scim = await scimClient(iam, realm, { organizationId: acme });
  const other = await scimClient(iam, realm, { organizationId: beta });
  const wanda = (await everywhere.post("/Users", { userName: "wanda", externalId: "1" })).body;
  const memberOfAcme = `/organizations/${acme}/members/${wanda.id}`;
  expect((await realm.asMaster().put(memberOfAcme, { managed: true })).status).toBe(204);
  const ada = (await scim.post("/Users", { userName: "ada", externalId: "1" })).body;
  const eve = (await other.post("/Users", { userName: "eve", externalId: "1" })).body;
  const groups: string[] = [];
  for (const client of [everywhere, scim, other]) {
    const made = await client.post("/Groups", { displayName: "staff", externalId: "g1" });
    expect(made).toMatchObject({ status: 201, body: { externalId: "g1" } });
    groups.push(made.body.id);
  }
  for (const [index, client, id] of [
    [0, everywhere, wanda.id],
    [1, scim, ada.id],
    [2, other, eve.id],
  ] as const) {
    expect((await client.get(`/Users?${filter('externalId eq "1"')}`)).body.Resources).toMatchObject([{ id, externalId: "1" }]);
    expect((await client.get(`/Groups?${filter('externalId eq "g1"')}`)).body.Resources).toMatchObject([{ id: groups[index] }]);
  }
  expect((await scim.get(`/Users/${wanda.id}`)).body).not.toHaveProperty("externalId");
  expect((await scim.post("/Users", { userName: "a2", externalId: "1" })).body).toMatchObject({ status: "409", scimType: "uniqueness" });
  // A second token of the same owner and connection has the same ids.
  const next = await scimClient(iam, realm, { name: "next", connection: "entra", organizationId: acme });
  expect((await next.get(`/Users/${ada.id}`)).body.externalId).toBe("1");
  expect((await next.patch(`/Users/${wanda.id}`, [{ op: "add", path: "externalId", value: "2" }])).body.externalId).toBe("2");
  expect((await everywhere.get(`/Users/${wanda.id}`)).body.externalId).toBe("1");
  // An id ends with the membership, and is free for another user.
  expect((await realm.asMaster().delete(memberOfAcme)).status).toBe(204);
  expect((await scim.post("/Users", { userName: "a3", externalId: "2" })).status).toBe(201);
  expect((await everywhere.get(`/Users/${wanda.id}`)).body.externalId).toBe("1");
});

test("externalIds of earlier releases are assigned to their owners", async () => {
  const realm = await iam.realm();
  const [acme, beta] = [await organization(realm, "Acme"), await organization(realm, "Beta")];
  const connections: [string, (string | null)[]][] = [
    ["acme", [acme]],
    ["realm", [null]],
    ["shared", [null, acme]],
    ["both", [acme, beta]],
    ["gone", []],
  ];
  for (const [connection, owners] of connections)
    for (const [index, organizationId] of owners.entries())
      await scimClient(iam, realm, { name: `${connection}${index}`, connection, organizationId });
  const users: Record<string, string> = {};
  for (const [name, of, managed] of [
    ["managed", acme, true],
    ["member", acme, false],
    ["elsewhere", beta, true],
    ["nobodys", null, false],
  ] as const) {
    users[(await realm.user(name)).userId] = name;
    const [userId] = Object.entries(users).find(([, known]) => known === name)!;
    if (of) expect((await realm.asMaster().put(`/organizations/${of}/members/${userId}`, { managed })).status).toBe(204);
    if (name === "elsewhere") expect((await realm.asMaster().put(`/organizations/${acme}/members/${userId}`, {})).status).toBe(204);
  }
  const { db } = iam.core;
  for (const [connection] of connections)
    for (const [userId, name] of Object.entries(users))
      await sql`insert into scim_user_ids values (${realm.name}, ${connection}, ${userId}, ${name})`.execute(db);
  const script = await readFile(packageFile("migrations/0072_external_ids_of_organizations.sql"), "utf8");
  for (const statement of statements(script.slice(script.indexOf("-- A connection of one")))) await sql.raw(statement).execute(db);

  const kept = await sql<{ connection: string; external_id: string }>`
    select connection, external_id from scim_user_ids where realm_id = ${realm.name}`.execute(db);
  const own = await sql<{ connection: string; external_id: string; alias: string }>`
    select connection, external_id, o.alias from scim_organization_user_ids x join organizations o using (realm_id, organization_id)
    where realm_id = ${realm.name}`.execute(db);
  const all = ["elsewhere", "managed", "member", "nobodys"];
  const found = (connection: string, alias: string | null) =>
    (alias === null ? kept.rows : own.rows.filter((row) => row.alias === alias))
      .filter((row) => row.connection === connection)
      .map((row) => row.external_id)
      .sort();
  expect(Object.fromEntries(connections.map(([name]) => [name, [null, "acme", "beta"].map((owner) => found(name, owner))]))).toEqual({
    acme: [all, ["elsewhere", "managed", "member"], []],
    realm: [all, [], []],
    shared: [all, ["managed"], []],
    both: [all, ["managed", "member"], ["elsewhere"]],
    gone: [all, ["managed"], ["elsewhere"]],
  });
});

test("a token of an organization sets login names only in the domains that the organization has verified", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  const [acme, beta] = [await organization(realm, "Acme"), await organization(realm, "Beta")];
  for (const [id, domain] of [
    [acme, "acme.test"],
    [beta, "beta.test"],
  ])
    expect((await boss.patch(`/organizations/${id}`, { domains: [{ domain, verified: true }] })).status).toBe(200);
  const scim = await scimClient(iam, realm, { name: "acme", organizationId: acme });
  const emails = (value: string) => [{ value, primary: true }];
  const refused = (detail: string) => ({ status: 400, body: { scimType: "invalidValue", detail: expect.stringContaining(detail) } });
  expect(await scim.post("/Users", { userName: "bob", emails: emails("bob@beta.test") })).toMatchObject(
    refused("emails: the domain beta.test"),
  );
  expect(await scim.post("/Users", { userName: "bob@BETA.test" })).toMatchObject(refused("userName: the domain beta.test"));
  expect(await scim.post("/Users", { userName: "bob@free.test" })).toMatchObject(refused("has not verified"));
  const bob = (await scim.post("/Users", { userName: "bob", emails: emails("bob@free.test") })).body;
  for (const [path, value] of [
    ["userName", "bob@beta.test"],
    ["emails", emails("bob@beta.test")],
  ])
    expect(await scim.patch(`/Users/${bob.id}`, [{ op: "replace", path, value }])).toMatchObject(refused("beta.test"));
  expect((await scim.patch(`/Users/${bob.id}`, [{ op: "replace", path: "emails", value: emails("rob@free.test") }])).status).toBe(200);
  // Neither address is taken, because Acme only claims it for users of other domains.
  for (const email of ["bob@free.test", "rob@free.test"])
    expect((await boss.post("/users", { username: `the.${email}`, email })).status).toBe(201);

  const own = { userName: "ann@acme.test", emails: emails("ann@acme.test") };
  expect((await scim.post("/Users", own)).status).toBe(201);
  expect((await boss.post("/users", { username: "ann", email: "ann@acme.test" })).status).toBe(409);
  const trusted = await scimClient(iam, realm, { name: "trusted", organizationId: acme, trustEmails: true });
  expect((await trusted.post("/Users", { userName: "eve@free.test", emails: emails("eve@free.test") })).status).toBe(201);
  expect(await trusted.post("/Users", { userName: "eve", emails: emails("eve@beta.test") })).toMatchObject(refused("beta.test"));
  const everywhere = await scimClient(iam, realm, { name: "realm" });
  expect((await everywhere.post("/Users", { userName: "bo@beta.test", emails: emails("bo@beta.test") })).status).toBe(201);
});
