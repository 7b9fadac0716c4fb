import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { ENTERPRISE, filter, GROUP, type ScimClient, scimClient, USER } from "../../testing/scim.ts";
import { waitingSessions } from "../../testing/waiting-sessions.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** Without the API: a thousand requests would take longer than what is tried here. */
async function people(realm: RealmUnderTest, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  await sql`insert into users (realm_id, user_id, username, username_key, created_at)
    select ${realm.name}, id, 'user' || (n - 1), 'user' || (n - 1), 1 from unnest(${ids}::uuid[]) with ordinality as made (id, n)`.execute(
    iam.core.db,
  );
  return ids;
}
const membersOf = async (scim: ScimClient, id: string): Promise<string[]> =>
  ((await scim.get(`/Groups/${id}`)).body.members ?? []).map(({ value }: { value: string }) => value).sort();

test("a group is created, renamed, filled and emptied as Microsoft Entra and Okta do it", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  const [a, b, c] = (await people(realm, 3)) as [string, string, string];
  const microsoft = "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group";
  const made = await scim.post("/Groups", {
    schemas: [GROUP, microsoft],
    externalId: "8aa1",
    displayName: "D",
    meta: { resourceType: "Group" },
  });
  expect(made).toMatchObject({ status: 201, body: { displayName: "D", externalId: "8aa1", members: [] } });
  const { id } = made.body;
  expect(made.headers.location).toBe(made.body.meta.location);
  expect((await scim.post("/Groups", { displayName: "d" })).body).toMatchObject({ status: "409", scimType: "uniqueness" });

  const at = `/Groups/${id}`;
  expect(
    (
      await scim.patch(at, [
        {
          op: "Add",
          path: "members",
          value: [
            { $ref: null, value: a },
            { $ref: null, value: b },
          ],
        },
      ])
    ).status,
  ).toBe(200);
  expect((await scim.patch(at, [{ op: "Add", path: "members", value: [{ value: a }] }])).status).toBe(200);
  expect(await membersOf(scim, id)).toEqual([a, b].sort());
  expect((await scim.get(`/Users/${a}`)).body.groups).toMatchObject([{ value: id, display: "D", type: "direct" }]);
  expect((await scim.patch(at, [{ op: "Remove", path: "members", value: [{ $ref: null, value: a }] }])).body.members).toHaveLength(1);
  expect((await scim.patch(at, [{ op: "remove", path: `members[value eq "${b}"]` }])).body.members).toEqual([]);
  expect((await scim.patch(at, [{ op: "remove", path: `members[value eq "${b}"]` }])).status, "no member any more").toBe(200);

  const renamed = await scim.patch(at, [
    { op: "replace", value: { id, displayName: "N" } },
    { op: "add", path: "members", value: { value: c } },
  ]);
  expect(renamed.body).toMatchObject({ displayName: "N", members: [{ value: c, type: "User" }] });
  // `display` is `returned: request`, and conformance testers compare members with what they sent.
  expect(renamed.body.members[0]).not.toHaveProperty("display");
  expect((await scim.get(`${at}?attributes=members.value,members.display`)).body.members).toEqual([{ value: c, display: "user2" }]);
  expect((await scim.patch(at, [{ op: "replace", value: { id: a } }])).body.scimType).toBe("mutability");
  expect((await scim.patch(at, [{ op: "replace", path: "members", value: [{ value: a }, { value: b }] }])).status).toBe(200);
  expect(await membersOf(scim, id)).toEqual([a, b].sort());

  const unknown = "019b76da-a807-7c3d-8e4f-5a6b7c8d9e0f";
  const refused = await scim.patch(at, [
    { op: "replace", path: "displayName", value: "X" },
    { op: "add", path: "members", value: [{ value: unknown }] },
  ]);
  expect(refused.body).toMatchObject({ status: "400", scimType: "invalidValue", detail: expect.stringContaining(unknown) });
  expect((await scim.patch(at, [{ op: "add", path: "members", value: [{ value: a, type: "Group" }] }])).status).toBe(400);
  expect((await scim.get(at)).body, "nothing was changed").toMatchObject({ displayName: "N" });

  for (const [text, total] of [
    ['displayName eq "n"', 1],
    ['externalId eq "8aa1"', 1],
    [`id eq "${id}" and members eq "${a}"`, 1],
    [`members[value eq "${c}"]`, 0],
    ['not (displayName sw "n")', 0],
  ] as const)
    expect((await scim.get(`/Groups?excludedAttributes=members&${filter(text)}`)).body, text).toMatchObject({ totalResults: total });
  const listed = (await scim.get(`/Groups?excludedAttributes=members&${filter('displayName eq "N"')}`)).body.Resources[0];
  expect(listed).not.toHaveProperty("members");
  expect((await scim.put(at, { displayName: "N" })).body.members).toEqual([]);
  expect((await scim.put(at, { displayName: "N" }, { "if-match": 'W/"99"' })).status).toBe(412);
  expect((await scim.delete(at)).status).toBe(204);
  expect((await scim.delete(at)).status).toBe(404);
  const trail = await realm.events(`resourceId=${id}&actor=scim:entra`);
  expect(trail.map(({ type }) => type)).toEqual(expect.arrayContaining(["ADMIN_CREATE", "ADMIN_UPDATE", "ADMIN_DELETE"]));
});

test("parallel changes of members lose nothing, and a thousand members come in one request", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm, { permissions: ["realm-admin"] });
  const users = await people(realm, 1000);
  const { id } = (await scim.post("/Groups", { displayName: "all", members: users.slice(0, 10).map((value) => ({ value })) })).body;
  const at = `/Groups/${id}`;
  const [leaving, joining] = [users.slice(0, 10), users.slice(10, 20)];
  const answers = await Promise.all([
    ...leaving.map((value) => scim.patch(at, [{ op: "remove", path: `members[value eq "${value}"]` }])),
    ...joining.map((value) => scim.patch(at, [{ op: "add", path: "members", value: [{ value }] }])),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(new Array(20).fill(200));
  expect(await membersOf(scim, id)).toEqual([...joining].sort());
  const { status } = await scim.patch(at, [{ op: "add", path: "members", value: users.map((value) => ({ value })) }]);
  expect(status).toBe(200);
  expect(await membersOf(scim, id)).toHaveLength(1000);
  const admin = (await scim.get(`/Users?${filter('userName eq "admin"')}`)).body.Resources[0];
  const large = await scim.patch(at, [{ op: "add", path: "members", value: [{ value: admin.id }] }]);
  expect(large).toMatchObject({ status: 204, text: "" });
  const streamed = await scim.get(`${at}?attributes=displayName,members.value`);
  expect(streamed.headers["content-type"]).toBe("application/scim+json; charset=utf-8");
  expect(streamed.body.members).toHaveLength(1001);
  expect(Object.keys(streamed.body.members[0])).toEqual(["value"]);
  expect((await scim.get(at, { "if-none-match": String(streamed.headers.etag) })).status).toBe(304);
});

test("a tag tells of the members: who has an old one reads anew, and replaces nobody they did not see", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  const [a, b, c] = (await people(realm, 3)) as [string, string, string];
  const { id } = (await scim.post("/Groups", { displayName: "crew", members: [{ value: a }] })).body;
  const at = `/Groups/${id}`;
  const [seen, seenUser, withoutMembers] = [
    await scim.get(at),
    await scim.get(`/Users/${a}`),
    await scim.get(`${at}?excludedAttributes=members`),
  ];
  const listed = (await scim.get(`/Groups?${filter('displayName eq "crew"')}`)).body.Resources[0];
  expect([seen.body.meta.version, listed.meta.version]).toEqual([seen.headers.etag, seen.headers.etag]);
  const tags = (tag: unknown) => ({ "if-none-match": String(tag), "if-match": String(tag) });
  const isNew = async (path: string, { headers }: { headers: Record<string, unknown> }) =>
    (await scim.get(path, tags(headers.etag))).status === 200;
  expect([await isNew(at, seen), await isNew(`/Users/${a}`, seenUser)]).toEqual([false, false]);

  const member = (op: string, value: string, tag: unknown) => scim.patch(at, [{ op, path: "members", value: [{ value }] }], tags(tag));
  expect((await member("add", b, seen.headers.etag)).status, "joining depends on no member").toBe(200);
  expect((await member("remove", a, seen.headers.etag)).status).toBe(200);
  expect([await isNew(at, seen), await isNew(`/Users/${a}`, seenUser)]).toEqual([true, true]);
  expect(await isNew(`${at}?excludedAttributes=members`, withoutMembers), "they are not in it").toBe(false);
  expect((await member("replace", c, seen.headers.etag)).status).toBe(412);
  expect((await scim.put(at, { displayName: "crew" }, tags(seen.headers.etag))).status).toBe(412);
  expect(await membersOf(scim, id)).toEqual([b]);

  const { etag } = (await scim.get(at)).headers;
  const answers = await Promise.all([a, c, a, c].map((value) => member("replace", value, etag)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  expect((await member("replace", b, withoutMembers.headers.etag)).status, "who has seen none replaces them all").toBe(200);
  expect(await membersOf(scim, id)).toEqual([b]);
});

test("groups that give permissions need them, and groups below others are not seen", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  const [a] = (await people(realm, 1)) as [string];
  const boss = realm.asMaster();
  const { groupId } = (await boss.post("/groups", { name: "admins" })).body;
  expect((await boss.post(`/groups/${groupId}/roles`, { name: "admin" })).status).toBeLessThan(300);
  const { groupId: below } = (await boss.post("/groups", { name: "below", parentId: groupId })).body;
  for (const operation of [
    { op: "add", path: "members", value: [{ value: a }] },
    { op: "replace", path: "members", value: [{ value: a }] },
  ])
    expect(await scim.patch(`/Groups/${groupId}`, [operation])).toMatchObject({ status: 403, body: { status: "403" } });
  expect((await scim.delete(`/Groups/${groupId}`)).status).toBe(403);
  expect((await boss.get(`/groups/${groupId}/members`)).body).toEqual([]);
  expect(await realm.events("type=ADMIN_DENIED")).toHaveLength(3);
  expect((await scim.get(`/Groups/${below}`)).status).toBe(404);
  expect((await scim.get("/Groups")).body.Resources.map(({ displayName }: { displayName: string }) => displayName)).toEqual(["admins"]);
});

test("a bulk request resolves references in any order, and each operation has its own status", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  const { body, status } = await scim.post("/Bulk", {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
    Operations: [
      { method: "POST", path: "/Groups", bulkId: "g", data: { displayName: "G", members: [{ value: "bulkId:u" }] } },
      { method: "POST", path: "/Users", bulkId: "u", data: { schemas: [USER], userName: "ada" } },
      { method: "PATCH", path: "/Users/bulkId:u", data: { Operations: [{ op: "replace", path: "active", value: "False" }] } },
      { method: "POST", path: "/Users", bulkId: "again", data: { userName: "ADA" } },
      { method: "POST", path: "/Groups", bulkId: "h", data: { displayName: "H", members: [{ value: "bulkId:again" }] } },
    ],
  });
  expect(status).toBe(200);
  expect(body.Operations.map(({ status }: { status: string }) => status)).toEqual(["201", "201", "200", "409", "409"]);
  expect(body.Operations[3].response).toMatchObject({ scimType: "uniqueness" });
  const [group] = (await scim.get("/Groups")).body.Resources;
  expect(group.members).toHaveLength(1);
  expect((await scim.get(`/Users/${group.members[0].value}`)).body.active).toBe(false);
  const failing = Array.from({ length: 4 }, () => ({ method: "DELETE", path: "/Users/unknown" }));
  expect((await scim.post("/Bulk", { failOnErrors: 2, Operations: failing })).body.Operations).toHaveLength(2);
  expect((await scim.post("/Bulk", { Operations: new Array(1001).fill(failing[0]) })).status).toBe(413);
  expect((await scim.post("/Bulk", { Operations: [{}] })).body.scimType).toBe("invalidSyntax");
  const unknown = ["constructor", "__proto__", "toString/x", "Nothing"].map((area) => ({ method: "POST", path: `/${area}`, data: {} }));
  const refused = (await scim.post("/Bulk", { Operations: unknown })).body.Operations;
  expect(refused.map((one: { status: string }) => one.status)).toEqual(["404", "404", "404", "404"]);
  const all = await scim.post("/.search", { filter: 'displayName eq "G" or userName eq "ada"', count: 10 });
  expect(all.body.totalResults, "groups have no userName").toBe(1);
  expect((await scim.post("/.search", { filter: "id pr", count: 10 })).body.Resources.length).toBeGreaterThan(1);
});

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
  // An organization is told who a foreign account is; filters find it by nothing else.
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
  // Names are each organization's own, and none of them is at the top, where others give to them.
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
  // One that was made at the top by an earlier release moves there with its next name.
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

  // Handing an account over takes what changing it takes, and one organization has it.
  expect((await lesser.put(memberAt(wanda), { managed: true })).body.code).toBe("permissions.escalation");
  const { userId: admin } = await realm.admin();
  expect((await both.put(memberAt(admin), { managed: true })).body.code).toBe("permissions.escalation");
  expect((await both.put(memberAt(wanda), { managed: true })).status).toBe(204);
  expect((await lesser.put(memberAt(wanda), { role: "chief" })).status).toBe(204);
  expect((await both.get(memberAt(wanda))).body).toMatchObject({ role: "chief", managed: true });
  expect((await both.put(memberAt(wanda, beta), { managed: true })).body.code).toBe("organizations.managed_elsewhere");
  expect((await both.put(memberAt(wanda, beta), {})).status).toBe(204);
  expect((await scim.patch(`/Users/${wanda}`, [takenOver])).status).toBe(200);

  // Leaving ends it for good.
  const ada = (await scim.post("/Users", { userName: "ada" })).body;
  expect((await both.get(memberAt(ada.id))).body.managed).toBe(true);
  expect((await lesser.delete(memberAt(ada.id))).status).toBe(204);
  expect((await lesser.put(memberAt(ada.id), {})).status).toBe(204);
  expect((await scim.patch(`/Users/${ada.id}`, [takenOver])).status).toBe(403);

  // The account is taken back while the token deletes it: the later one counts. That takes two connections.
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

test("a token of an organization gives names to sign in by in the domains that the organization has verified", async () => {
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
  // Neither address is taken: they are Acme's words about people elsewhere.
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
