import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { identityProvider } from "../../testing/identity-providers.ts";
import { scimClient } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const SCHEMA = "gatehouse.realm/v1";
const PASSPHRASE = { headers: { "export-passphrase": "correct horse battery" } };
const ok = async (answer: Promise<Answer>) => {
  const { status, text, body } = await answer;
  expect(status, text).toBeLessThan(300);
  return body;
};

test("users travel with their ids, roles, groups and organizations; with sealed secrets they sign in by their passwords", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const { userId, username, password } = await realm.user("ada");
  const group = await ok(admin.post("/groups", { name: "Staff" }));
  await ok(admin.post(`/groups/${group.groupId}/members`, { userId }));
  const client = await ok(admin.post("/clients", { clientId: "app", publicClient: true, redirectUris: ["https://app.example.com/cb"] }));
  await ok(admin.post(`/clients/${client.id}/roles`, { name: "editor" }));
  await ok(admin.post(`/users/${userId}/roles`, { name: "editor", clientId: "app" }));
  const organization = await ok(admin.post("/organizations", { name: "Acme", alias: "acme" }));
  await ok(admin.put(`/organizations/${organization.organizationId}/members/${userId}`, { role: "owner" }));

  // A role and a group that mappers of a provider gave come with the next sign-in by it, so that it can withdraw them there, too.
  await ok(admin.post("/identity-providers", identityProvider("oidc", "corp")));
  const mapped = await ok(admin.post("/groups", { name: "Mapped" }));
  await ok(admin.post(`/groups/${mapped.groupId}/members`, { userId }));
  const role = await ok(admin.post("/roles", { name: "mapped" }));
  await ok(admin.post(`/users/${userId}/roles`, { name: "mapped" }));
  await sql`insert into identity_provider_grants (realm_id, user_id, provider_id, kind, target_id)
    select realm_id, ${userId}, provider_id, given.kind, given.id::uuid from identity_providers
    cross join (values ('role', ${role.roleId}), ('group', ${mapped.groupId})) given(kind, id)
    where realm_id = ${realm.name}`.execute(iam.core.db);

  const plain = await admin.get("/export?users=true");
  expect(plain.status, plain.text).toBe(200);
  expect(plain.text).not.toMatch(/argon2|passwordHash|"credentials"/);
  const ada = plain.body.users.find((user: { username: string }) => user.username === "ada");
  expect(ada).toMatchObject({
    ...{ userId, roles: ["user"], groups: ["/Staff"], clientRoles: [{ clientId: "app", name: "editor" }] },
    organizations: [{ alias: "acme", role: "owner" }],
  });
  expect((await admin.get("/export?users=true")).text).toBe(plain.text);
  // Sent back, the file does not take what the provider gave.
  const { roles: held } = (await admin.get(`/users/${userId}`)).body;
  expect(held).toContain("mapped");
  expect(await ok(admin.post("/users/import?onConflict=update", [{ username: "ada", roles: ada.roles }]))).toMatchObject({
    updated: 1,
    failed: 0,
  });
  expect((await admin.get(`/users/${userId}`)).body.roles).toEqual(held);
  expect((await realm.events("type=REALM_EXPORTED"))[0]).toMatchObject({ detail: "with users" });

  const sealed = await admin.get("/export?users=true&secrets=sealed", PASSPHRASE);
  expect(sealed.text).not.toContain("argon2");
  const other = await iam.realm();
  const there = await other.admin();
  const foretold = await ok(there.post("/import?dryRun=true", sealed.body, PASSPHRASE));
  expect(foretold.users).toMatchObject({ rows: 2, created: 1, skipped: 1, failed: 0 });
  expect((await there.get("/users?search=ada")).body).toEqual([]);
  const done = await ok(there.post("/import", sealed.body, PASSPHRASE));
  expect(done.users).toMatchObject({ status: "COMPLETED", rows: 2, created: 1, skipped: 1, failed: 0 });
  expect(await iam.browser().trySignIn(other.name, username, password)).toMatchObject({ status: 303 });
  // The realm's own administrator was there, and has another id.
  const again = (await there.get("/export?users=true")).body.users.find((user: { username: string }) => user.username === "ada");
  expect(again).toEqual(ada);
  expect((await ok(there.post("/import", sealed.body, PASSPHRASE))).users).toMatchObject({ created: 0, updated: 0, skipped: 2 });
});

test("a user whom an administrator locked is locked where they are imported; a temporary lock stays behind", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const [ada, bob] = [await realm.user("ada"), await realm.user("bob")];
  await ok(admin.patch("/settings", { bruteForce: { maxFailures: 3 } }));
  for (let i = 0; i < 3; i++) await iam.browser().trySignIn(realm.name, "bob", "not the password");
  await ok(admin.patch(`/users/${ada.userId}`, { locked: true }));
  expect((await admin.get("/users?locked=true")).body.map(({ username }: { username: string }) => username).sort()).toEqual(["ada", "bob"]);

  const sealed = (await admin.get("/export?users=true&secrets=sealed", PASSPHRASE)).body;
  const marked = sealed.users.filter((user: object) => "locked" in user);
  expect(marked).toMatchObject([{ username: "ada", locked: true }]);
  const other = await iam.realm();
  const there = await other.admin();
  expect((await ok(there.post("/import", sealed, PASSPHRASE))).users).toMatchObject({ created: 2, failed: 0 });
  expect((await there.get(`/users/${ada.userId}`)).body.locked).toBe(true);
  const signIn = async ({ username, password }: typeof ada) => (await iam.browser().trySignIn(other.name, username, password)).status;
  expect([await signIn(ada), await signIn(bob)]).toEqual([401, 303]);
});

test("an address that nobody confirmed, and the groups that an organization provisions, are the same in the realm that imports them", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const { organizationId } = await ok(admin.post("/organizations", { name: "Acme", alias: "acme" }));
  const acme = await scimClient(iam, realm, { name: "acme", organizationId });
  // Acme's claim is older than the account of the address's owner, and so comes first in an export.
  const [address, password] = ["vic@free.test", "the password of the claim"];
  const claim = await ok(acme.post("/Users", { userName: "claim", password, emails: [{ value: address, primary: true }] }));
  await ok(acme.post("/Groups", { displayName: "staff", members: [{ value: claim.id }] }));
  await ok(admin.post("/groups", { name: "desk", parentId: (await ok(admin.get("/groups?search=organization:acme")))[0].groupId }));
  const vic = await realm.user("vic");
  await ok(admin.patch(`/users/${vic.userId}`, { email: address }));
  const claimed = {
    schema: SCHEMA,
    users: [{ username: address, userId: "11111111-6b8a-4f7e-9c3d-2a1b0c9d8e7f", inactiveLoginNames: ["username"] }],
  };
  const clerk = await realm.as("manage-realm", "manage-users");
  expect((await ok(clerk.post("/import", claimed))).users).toMatchObject({ created: 0, errors: [{ code: "permissions.escalation" }] });
  expect((await ok(admin.post("/import", claimed))).users).toMatchObject({ created: 1, failed: 0 });
  const signIn = async (to: string, withPassword: string) => (await iam.browser().trySignIn(to, address, withPassword)).status;
  expect([await signIn(realm.name, password), await signIn(realm.name, vic.password)]).toEqual([401, 303]);

  const sealed = (await admin.get("/export?users=true&secrets=sealed", PASSPHRASE)).body;
  const named = (users: { username: string }[]) => users.filter(({ username }) => ["claim", "vic", address].includes(username));
  const marks = named(sealed.users).map(({ username, ...user }) => [
    username,
    (user as { inactiveLoginNames?: string[] }).inactiveLoginNames,
  ]);
  expect(new Map(marks as never)).toEqual(
    new Map<string, unknown>([
      ["claim", ["email"]],
      ["vic", undefined],
      [address, ["username"]],
    ]),
  );
  expect(sealed.groups.map(({ path, organization }: Record<string, string>) => [path, organization])).toEqual([
    ["/organization:acme", undefined],
    ["/organization:acme/desk", undefined],
    ["/organization:acme/staff", "acme"],
  ]);
  const other = await iam.realm();
  const there = await other.admin();
  for (const query of ["?dryRun=true", ""])
    expect((await ok(there.post(`/import${query}`, sealed, PASSPHRASE))).users).toMatchObject({
      created: sealed.users.length - 1,
      skipped: 1,
      failed: 0,
    });
  expect([await signIn(other.name, password), await signIn(other.name, vic.password)]).toEqual([401, 303]);
  const again = (await there.get("/export?users=true")).body;
  expect(named(again.users)).toEqual(named((await admin.get("/export?users=true")).body.users));
  expect(again.groups).toEqual(sealed.groups);
  const repeated = await ok(there.post("/import", sealed, PASSPHRASE));
  expect(repeated).toMatchObject({ actions: [], users: { created: 0, skipped: sealed.users.length, failed: 0 } });

  // The organization's tokens go on with their groups, and with no other.
  const moved = (await ok(there.get("/organizations"))).find(({ alias }: { alias: string }) => alias === "acme").organizationId;
  const tokens = await scimClient(iam, other, { name: "acme", organizationId: moved });
  expect((await tokens.get("/Groups")).body.Resources).toMatchObject([{ displayName: "staff", members: [{ value: claim.id }] }]);
});

test("a document hands a group to an organization, takes it back, and says nothing by leaving that out", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const { organizationId } = await ok(admin.post("/organizations", { name: "Acme", alias: "acme" }));
  const acme = await scimClient(iam, realm, { name: "acme", organizationId });
  const groups = (more: object) => ({
    schema: SCHEMA,
    groups: [{ path: "/organization:acme" }, { path: "/organization:acme/staff", ...more }],
  });
  const shown = async () => (await acme.get("/Groups")).body.totalResults;
  const mighty = await realm.as("manage-realm", "manage-organizations", "view-users");
  expect(await admin.post("/import", groups({ organization: "beta" }))).toMatchObject({
    status: 400,
    body: { errors: [{ field: "groups[/organization:acme/staff].organization", code: "unknown_organization" }] },
  });
  await ok(admin.post("/import", groups({ roles: ["admin"] })));
  // The organization would decide who has the group's roles.
  expect(await mighty.post("/import", groups({ organization: "acme" }))).toMatchObject({
    status: 403,
    body: { errors: [{ code: "permissions.escalation" }] },
  });
  expect(await shown()).toBe(0);
  await ok(admin.post("/import", groups({ roles: [] })));
  await ok(mighty.post("/import", groups({ organization: "acme" })));
  expect((await ok(mighty.post("/import", groups({})))).actions).toEqual([]);
  expect(await shown()).toBe(1);
  const [staff] = (await acme.get("/Groups")).body.Resources;
  expect((await realm.events(`resourceType=groups&resourceId=${staff.id}`))[0]).toMatchObject({
    detail: "provisioned by the organization acme",
  });
  await ok(mighty.post("/import", groups({ organization: null })));
  expect(await shown()).toBe(0);
});

test("a row whose address is another user's is refused, also where users who are there are skipped; one that is not confirmed takes it from nobody", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const vic = await realm.user("vic");
  await ok(admin.patch(`/users/${vic.userId}`, { email: "vic@free.test" }));
  const id = (n: number) => `0d9f1c7e-6b8a-4f7e-9c3d-2a1b0c9d8e0${n}`;
  const unconfirmed = { email: "vic@free.test", inactiveLoginNames: ["email"] };
  const users = [
    { username: "vic", userId: id(1) },
    { username: "renamed", userId: vic.userId, email: "vic@free.test" },
    { username: "eve", userId: id(2), email: "vic@free.test" },
    { username: "eve", userId: id(3), ...unconfirmed },
    { username: "fred", userId: id(4), email: "fred@free.test" },
    { username: "fred2", userId: id(5), email: "fred@free.test" },
    { username: "gus", ...unconfirmed, emailVerified: true },
    { username: "hal", inactiveLoginNames: ["email"] },
  ];
  for (const query of ["?dryRun=true", ""])
    expect((await ok(admin.post(`/import${query}`, { schema: SCHEMA, users }))).users).toMatchObject({
      ...{ created: 2, skipped: 2, failed: 4 },
      errors: [
        { row: 3, code: "users.login_name_taken" },
        { row: 6, code: "users.login_name_taken" },
        { row: 7, code: "request.invalid", message: expect.stringContaining("inactiveLoginNames") },
        { row: 8, code: "request.invalid", message: expect.stringContaining("inactiveLoginNames") },
      ],
    });
  // Nor does an update.
  const update = await ok(admin.post("/import?onConflict=update", { schema: SCHEMA, users: [{ username: "fred", ...unconfirmed }] }));
  expect(update.users).toMatchObject({ updated: 1, failed: 0 });
  const exported = (await admin.get("/export?users=true")).body.users;
  expect(exported.find(({ username }: { username: string }) => username === "fred")).toMatchObject(unconfirmed);
});

test("users come last, need manage-users, and bring nothing that their importer may not give; one bad row stops no other", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const misplaced = `{"schema":"${SCHEMA}","users":[{"username":"x"}],"roles":[]}`;
  const json = { headers: { "content-type": "application/json" } };
  expect(await admin.post("/import", misplaced, json)).toMatchObject({ status: 400, body: { code: "request.malformed" } });
  for (const body of ["", "[]", "{", '{"schema":', `{"schema":"${SCHEMA}","users":[{"username":"x"}`, `{"schema":"${SCHEMA}","users":[}}`])
    expect((await admin.post("/import", body, json)).status, body).toBe(400);

  const clerk = await realm.as("manage-realm", "manage-users");
  const lesser = await realm.as("manage-realm");
  const mighty = { schema: SCHEMA, users: [{ username: "eve", roles: ["admin"] }, { username: "mallory" }, { username: "" }] };
  expect(await lesser.post("/import", mighty)).toMatchObject({ status: 403, body: { code: "transfer.permissions" } });
  expect((await ok(lesser.post("/import?dryRun=true", mighty))).lacking).toEqual([{ section: "users", permission: "manage-users" }]);
  const { users } = await ok(clerk.post("/import", mighty));
  expect(users).toMatchObject({ created: 1, failed: 2, errors: [{ row: 1, code: "permissions.escalation" }, { row: 3 }] });
  await ok(admin.post("/groups", { name: "Bosses" }));
  const grouped = await ok(clerk.post("/import", { schema: SCHEMA, users: [{ username: "joe", groups: ["/Bosses"] }] }));
  expect(grouped.users).toMatchObject({ created: 0, failed: 1 });
  const faulty = {
    schema: SCHEMA,
    users: [
      { username: "a", groups: ["/None"] },
      { username: "b", organizations: [{ alias: "none" }] },
    ],
  };
  expect((await ok(admin.post("/import", faulty))).users).toMatchObject({ created: 0, failed: 2 });
  const { userId } = await realm.user("taken");
  const ids = {
    schema: SCHEMA,
    users: [
      { username: "fresh", userId },
      { username: "kept", userId: "0d9f1c7e-6b8a-4f7e-9c3d-2a1b0c9d8e7f" },
    ],
  };
  expect((await ok(admin.post("/import", ids))).users).toMatchObject({ created: 1, errors: [{ row: 1, code: "import.user_id_taken" }] });
  expect((await admin.get("/users?search=kept")).body).toMatchObject([{ userId: "0d9f1c7e-6b8a-4f7e-9c3d-2a1b0c9d8e7f" }]);
});
