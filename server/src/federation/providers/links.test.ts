import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { identityProvider, linkTo } from "../../testing/identity-providers.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

async function linked() {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  for (const alias of ["corp", "other"])
    expect((await admin.post("/identity-providers", identityProvider("oidc", alias))).status).toBe(201);
  const user = await realm.user();
  await linkTo(iam, realm, "corp", user.userId, "subject-1");
  return { realm, admin, user, path: `/users/${user.userId}/linked-accounts` };
}

test("links are listed, in the export, and removed with an event", async () => {
  const { realm, admin, user, path } = await linked();
  const link = { alias: "corp", displayName: "By corp", protocol: "oidc", subject: "subject-1", username: null, enabled: true };
  expect((await admin.get(path)).body).toMatchObject([link]);
  expect((await admin.get(`${path}/corp`)).body).toMatchObject(link);
  expect((await admin.get(`${path}/other`)).status).toBe(404);
  expect((await admin.get(`/users/${user.userId}/gdpr/export`)).body.federatedLinks).toMatchObject([link]);
  expect((await admin.delete(`${path}/corp`)).status).toBe(204);
  expect((await admin.delete(`${path}/corp`)).status).toBe(404);
  expect((await admin.get(path)).body).toEqual([]);
  expect(await realm.events("type=LINK_REMOVED")).toMatchObject([{ resourceId: user.userId, detail: "corp", category: "SECURITY" }]);
  await linkTo(iam, realm, "corp", user.userId, "subject-1");
});

test("the last way in stays, for administrators and for users themselves", async () => {
  const { realm, admin, user, path } = await linked();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  const own = `/realms/${realm.name}/account/linked-accounts`;
  expect((await browser.get(own)).body).toMatchObject([{ alias: "corp" }]);
  await iam.core.db.deleteFrom("credentials").where("realm_id", "=", realm.name).where("user_id", "=", user.userId).execute();
  const refused = [await admin.delete(`${path}/corp`), await browser.delete(`${own}/corp`)];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
    [409, "identity_providers.last_way_in"],
    [409, "identity_providers.last_way_in"],
  ]);
  // A link to a provider that is disabled is no way in.
  await linkTo(iam, realm, "other", user.userId, "subject-2");
  const { body } = await admin.get("/identity-providers/other");
  await admin.put("/identity-providers/other", { ...body, enabled: false });
  expect((await browser.delete(`${own}/corp`)).status).toBe(409);
  await admin.put("/identity-providers/other", { ...body, enabled: true });
  expect((await browser.delete(`${own}/corp`)).status).toBe(204);
  expect(await realm.events("type=LINK_REMOVED")).toMatchObject([{ actor: user.username, detail: "corp" }]);
});

test("unlinking a user needs their permissions, and a link belongs to its realm", async () => {
  const { realm, path } = await linked();
  const lesser = await realm.as("manage-users", "view-users");
  expect((await lesser.delete(`${path}/corp`)).status).toBe(204);
  const greater = await realm.admin();
  await linkTo(iam, realm, "corp", greater.userId, "subject-3");
  const denied = await lesser.delete(`/users/${greater.userId}/linked-accounts/corp`);
  expect([denied.status, denied.body.code]).toEqual([403, "permissions.escalation"]);
  const elsewhere = await (await iam.realm()).as("manage-users", "view-users");
  expect((await elsewhere.get(path)).status).toBe(404);
  expect((await elsewhere.delete(`${path}/corp`)).status).toBe(404);
});

test("a subject is one user's, a user has one account at a provider, and both go with the user", async () => {
  const { realm, admin, user } = await linked();
  const other = await realm.user("other-user");
  await expect(linkTo(iam, realm, "corp", other.userId, "subject-1")).rejects.toThrow(/another user/);
  await expect(linkTo(iam, realm, "corp", user.userId, "subject-9")).rejects.toThrow(/already/);
  expect((await admin.delete(`/users/${user.userId}`)).status).toBe(204);
  await linkTo(iam, realm, "corp", other.userId, "subject-1");
});
