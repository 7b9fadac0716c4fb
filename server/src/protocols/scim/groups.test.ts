import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { filter, GROUP, type ScimClient, scimClient, USER } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** Creates users without the API, because a thousand requests would take longer than the test itself. */
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

test("a tag covers the members: a client with an old one has to read again, and replaces no unseen members", async () => {
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

test("changing groups that grant permissions needs those permissions, and groups below others are not visible", async () => {
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

test("another externalId of a group is a rename: its rule, one event, and a new version", async () => {
  const realm = await iam.realm();
  const [scim, strong] = [
    await scimClient(iam, realm, { name: "weak", connection: "entra" }),
    await scimClient(iam, realm, { name: "strong", connection: "entra", permissions: ["realm-admin"] }),
  ];
  const boss = realm.asMaster();
  const { groupId } = (await boss.post("/groups", { name: "admins" })).body;
  expect((await boss.post(`/groups/${groupId}/roles`, { name: "admin" })).status).toBeLessThan(300);
  const at = `/Groups/${groupId}`;
  const set = (value: string, by = scim, path = at, headers = {}) =>
    by.patch(path, [{ op: "replace", path: "externalId", value }], headers);
  const remove = (path: string, headers = {}) => scim.patch(path, [{ op: "remove", path: "externalId" }], headers);
  const refused = { status: 403, body: { status: "403" } };
  expect(await set("plain")).toMatchObject(refused);
  expect(await scim.put(at, { displayName: "admins", externalId: "plain" })).toMatchObject(refused);
  expect((await set("a1", strong)).body.externalId).toBe("a1");
  expect(await remove(at)).toMatchObject(refused);
  expect((await scim.put(at, { displayName: "admins", externalId: "a1" })).status, "unchanged").toBe(200);
  expect((await scim.get(at)).body.externalId).toBe("a1");
  expect(await realm.events("type=ADMIN_DENIED")).toHaveLength(3);

  const { id } = (await scim.post("/Groups", { displayName: "crew", externalId: "c1" })).body;
  const crew = `/Groups/${id}`;
  const seen = async () => ({ "if-match": String((await scim.get(crew)).headers.etag) });
  const updates = async () => (await realm.events(`resourceId=${id}&type=ADMIN_UPDATE`)).map(({ detail }) => detail);
  const old = await seen();
  const changed = await set("c2", scim, crew, old);
  expect(changed).toMatchObject({ status: 200, body: { externalId: "c2" } });
  expect(Date.parse(changed.body.meta.lastModified)).toBeGreaterThan(Date.parse(changed.body.meta.created));
  expect(await updates()).toEqual(["externalId"]);
  expect((await set("c3", scim, crew, old)).status).toBe(412);
  expect((await remove(crew, old)).status).toBe(412);
  expect((await scim.patch(crew, [{ op: "replace", path: "displayName", value: "team" }], old)).status).toBe(412);
  expect((await set("c2", scim, crew)).status).toBe(200);
  expect(await updates(), "the same again is no change").toHaveLength(1);
  const current = await seen();
  expect((await remove(crew, current)).body).not.toHaveProperty("externalId");
  expect((await scim.put(crew, { displayName: "crew", externalId: "c4" }, current)).status).toBe(412);
  expect((await scim.put(crew, { displayName: "crew", externalId: "c4" }, await seen())).body.externalId).toBe("c4");
  expect(await updates()).toEqual(["externalId", "externalId", "externalId"]);
});

test("a list of groups with too many members is refused before they are read", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  const [one] = await people(realm, 1);
  const groupId = (await scim.post("/Groups", { displayName: "Everybody", members: [{ value: one }] })).body.id;
  await sql`update group_member_counts set members = 20001 where realm_id = ${realm.name} and group_id = ${groupId} and members > 0`.execute(
    iam.core.db,
  );
  expect((await scim.get("/Groups")).body).toMatchObject({ status: "400", scimType: "tooMany" });
  expect((await scim.get("/Groups?excludedAttributes=members")).body.Resources).toHaveLength(1);
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
  // RFC 7644 §3.7: a reference to an earlier operation changes nothing in the order.
  const rename = (displayName: string, more: object[] = []) => ({
    ...{ method: "PATCH", path: `/Groups/${group.id}` },
    data: { Operations: [{ op: "replace", path: "displayName", value: displayName }, ...more] },
  });
  const member = { op: "add", path: "members", value: [{ value: "bulkId:v" }] };
  const inOrder = [
    { method: "POST", path: "/Users", bulkId: "v", data: { userName: "grace" } },
    rename("first", [member]),
    rename("G"),
    failing[0],
    rename("never"),
  ];
  const done = (await scim.post("/Bulk", { failOnErrors: 1, Operations: inOrder })).body.Operations;
  expect(done.map((one: { status: string }) => one.status)).toEqual(["201", "200", "200", "404"]);
  expect((await scim.get(`/Groups/${group.id}`)).body).toMatchObject({ displayName: "G", members: [{}, {}] });
  const unknown = ["constructor", "__proto__", "toString/x", "Nothing"].map((area) => ({ method: "POST", path: `/${area}`, data: {} }));
  const refused = (await scim.post("/Bulk", { Operations: unknown })).body.Operations;
  expect(refused.map((one: { status: string }) => one.status)).toEqual(["404", "404", "404", "404"]);
  const all = await scim.post("/.search", { filter: 'displayName eq "G" or userName eq "ada"', count: 10 });
  expect(all.body.totalResults, "groups have no userName").toBe(1);
  expect((await scim.post("/.search", { filter: "id pr", count: 10 })).body.Resources.length).toBeGreaterThan(1);
});
