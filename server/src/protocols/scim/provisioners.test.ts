import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { identityProvider } from "../../testing/identity-providers.ts";
import { ENTERPRISE, filter, scimClient, USER } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const emailsOf = (address: string) => [{ primary: true, type: "work", value: address }];

describe("as a client", () => {
  test("Microsoft Entra tests the connection, creates, changes and disables a user", async () => {
    const realm = await iam.realm();
    const scim = await scimClient(iam, realm);
    const unknown = await scim.get(`/Users?${filter('userName eq "5a6b7c8d-0000-4000-8000-000000000000"')}&aadOptscim062020`);
    expect(unknown).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
    const made = await scim.post("/Users", {
      schemas: [USER, ENTERPRISE],
      externalId: "0a21",
      userName: "a@example.com",
      active: true,
      emails: emailsOf("a@example.com"),
      meta: { resourceType: "User" },
      name: { formatted: "G F", familyName: "F", givenName: "G" },
      roles: [],
    });
    expect(made.status, made.text).toBe(201);
    const at = `/Users/${made.body.id}?aadOptscim062020`;
    const legacy = await scim.patch(at, [
      { op: "Replace", path: "displayName", value: "P" },
      { op: "Replace", path: 'emails[type eq "work"].value', value: "b@example.com" },
      { op: "Replace", path: `${ENTERPRISE}:employeeNumber`, value: "7" },
      { op: "Add", path: 'phoneNumbers[type eq "work"].value', value: "+31 20 1234567" },
      { op: "Add", path: "manager", value: [{ $ref: "…/Users/1", value: "1" }] },
    ]);
    expect(legacy).toMatchObject({
      status: 200,
      body: {
        displayName: "P",
        emails: emailsOf("b@example.com"),
        phoneNumbers: [{ type: "work", value: "+31 20 1234567" }],
        [ENTERPRISE]: { employeeNumber: "7", manager: { value: "1" } },
      },
    });
    const modern = await scim.patch(at, [
      { op: "replace", path: 'emails[type eq "work"].value', value: "c@example.com" },
      {
        op: "replace",
        value: {
          DisplayName: "B",
          "name.givenName": "K",
          [`${ENTERPRISE}:employeeNumber`]: "8",
          'addresses[type eq "work"].locality': "Delft",
        },
      },
      { op: "Add", path: `${ENTERPRISE}:manager`, value: "2" },
      { op: "replace", path: `${USER}:title`, value: "T" },
    ]);
    expect(modern.body).toMatchObject({
      displayName: "B",
      title: "T",
      name: { givenName: "K", familyName: "F", formatted: "G F" },
      emails: emailsOf("c@example.com"),
      addresses: [{ type: "work", locality: "Delft" }],
      [ENTERPRISE]: { employeeNumber: "8", manager: { value: "2" } },
    });
    for (const text of ['emails[type eq "work"].value eq "C@example.com"', 'externalId eq "0a21"', 'USERNAME EQ "A@Example.com"'])
      expect((await scim.get(`/Users?${filter(text)}`)).body.Resources, text).toMatchObject([{ id: made.body.id }]);
    expect((await scim.get(`/Users?${filter('emails[type eq "home"].value eq "c@example.com"')}`)).body.totalResults).toBe(0);
    expect((await scim.get(`/Users?filter=userName+eq+%22a@example.com%22`)).body.totalResults).toBe(1);

    await realm.asMaster().put(`/users/${made.body.id}/password`, { newPassword: "a password for tests" });
    const browser = iam.browser();
    await browser.signIn(realm.name, "a@example.com", "a password for tests");
    // A mapping that has no place here must not keep a user enabled.
    const disabled = await scim.patch(at, [
      { op: "Add", path: 'ims[type eq "teams"].value', value: "a" },
      { op: "Replace", path: "active", value: "False" },
    ]);
    expect(disabled.body).toMatchObject({ active: false, ims: [{ type: "teams", value: "a" }] });
    expect((await realm.asMaster().get(`/users/${made.body.id}/sessions`)).body).toEqual([]);
    expect((await scim.get(`/Users?${filter('externalId eq "0a21"')}`)).body.Resources).toMatchObject([{ active: false }]);
    const unknownPath = await scim.patch(at, [
      { op: "Replace", path: "active", value: "True" },
      { op: "Add", path: "shoeSize", value: "42" },
    ]);
    expect(unknownPath.body).toMatchObject({ status: "400", scimType: "invalidPath", detail: expect.stringContaining("shoeSize") });
    expect((await scim.get(at)).body.active, "all or nothing").toBe(false);
    expect((await scim.patch(at, [{ op: "Replace", path: "active", value: true }])).body.active).toBe(true);
    const { version } = (await scim.get(at)).body.meta;
    expect((await scim.patch(at, [{ op: "Replace", path: "active", value: true }])).body.meta.version, "no change, no write").toBe(version);
    expect((await scim.delete(at)).status).toBe(204);
  });

  test("Okta's specification test and its lifecycle pass", async () => {
    const realm = await iam.realm();
    const scim = await scimClient(iam, realm);
    const [admin] = (await scim.get("/Users?count=1&startIndex=1")).body.Resources;
    expect((await scim.get(`/Users/${admin.id}`)).body.userName).toBe("admin");
    expect((await scim.get("/Users/010101001010101011001010101011")).body).toMatchObject({ status: "404", detail: expect.any(String) });
    const user = {
      schemas: [USER],
      userName: "runscope300@atko.com",
      name: { givenName: "Runscope", familyName: "Tester" },
      emails: emailsOf("runscope300@atko.com"),
      displayName: "Runscope Tester",
      locale: "en-US",
      externalId: "00u1",
      groups: [],
      password: "1mz050nq-long",
      active: true,
    };
    const made = await scim.post("/Users", user);
    expect(made).toMatchObject({ status: 201, body: { active: true, name: user.name, emails: user.emails, userName: user.userName } });
    expect((await scim.post("/Users", user)).status).toBe(409);
    expect((await scim.get(`/Users?${filter('userName eq "RUNSCOPE300@ATKO.COM"')}`)).body.totalResults).toBe(1);
    expect((await scim.get("/Groups")).body).toMatchObject({ totalResults: 0, Resources: [] });
    const at = `/Users/${made.body.id}`;
    expect((await scim.patch(at, [{ op: "replace", value: { active: false } }])).body.active).toBe(false);
    const { password: _, ...whole } = user;
    expect((await scim.put(at, { ...whole, title: "T" })).body).toMatchObject({ active: true, title: "T" });
    expect((await scim.put(at, { ...whole, active: false })).body).toMatchObject({ active: false });
    const changed = await scim.patch(at, [
      { op: "replace", path: "active", value: true },
      { op: "replace", value: { password: "another password 1" } },
    ]);
    expect(changed.status, changed.text).toBe(200);
    expect((await iam.browser().trySignIn(realm.name, user.userName, "another password 1")).status).toBe(303);
    expect(
      (
        await scim.patch(at, [
          { op: "replace", path: "password", value: "x" },
          { op: "replace", path: "title", value: "lost" },
        ])
      ).status,
    ).toBe(400);
    expect((await scim.get(at)).body, "nothing of it").not.toHaveProperty("title");
    expect((await scim.patch(at, [{ op: "remove", path: "password" }])).status).toBe(200);
    expect((await iam.browser().trySignIn(realm.name, user.userName, "another password 1")).status).toBe(401);
  });
});

test("users of a connection are linked to its identity provider by externalId, and their addresses are trusted if it says so", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  expect((await boss.post("/identity-providers", identityProvider("google"))).status).toBe(201);
  const scim = await scimClient(iam, realm, { identityProvider: "google", trustEmails: true });
  const made = (await scim.post("/Users", { userName: "ada", externalId: "sub-1", emails: emailsOf("ada@example.com") })).body;
  const links = async () => (await boss.get(`/users/${made.id}/linked-accounts`)).body.map(({ subject }: { subject: string }) => subject);
  expect(await links()).toEqual(["sub-1"]);
  expect((await boss.get(`/users/${made.id}`)).body.emailVerified).toBe(true);
  await scim.patch(`/Users/${made.id}`, [{ op: "replace", value: { externalId: "sub-2", emails: emailsOf("ada@example.org") } }]);
  expect(await links()).toEqual(["sub-2"]);
  expect((await boss.get(`/users/${made.id}`)).body).toMatchObject({ email: "ada@example.org", emailVerified: true });
  expect((await scim.post("/Users", { userName: "eve", externalId: "sub-2" })).status).toBe(409);
  await scim.patch(`/Users/${made.id}`, [{ op: "remove", path: "externalId" }]);
  expect(await links()).toEqual([]);
});
