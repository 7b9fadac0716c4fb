import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** Imports a file that a person wrote for Keycloak, without saying where it comes from. */
async function imported(file: object) {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const done = await admin.post("/import/external", file);
  expect(done.status, done.text).toBe(200);
  expect(done.body.translation).toMatchObject({ source: "keycloak", refused: [] });
  return { realm, admin, done };
}

test("a file with no more than a realm and one list is known as Keycloak's", async () => {
  const { admin } = await imported({ realm: "shop", clients: [{ clientId: "app" }] });
  expect((await admin.get("/clients")).body).toMatchObject([{ clientId: "app", enabled: true, publicClient: false }]);
  await imported({ realm: "shop", enabled: true, users: [{ username: "ada" }] });
  await imported({ realm: "shop", groups: [{ name: "staff" }] });
});

test("roles that the file gives without listing them are made, groups are found without their first slash", async () => {
  const { admin, done } = await imported({
    ...{ realm: "shop", roles: { realm: [{ name: "clerk", description: "A clerk" }] }, clients: [{ clientId: "svc" }] },
    groups: [{ name: "staff", realmRoles: ["helper"], subGroups: [{ name: "sales" }] }],
    users: [
      {
        ...{ username: "bob", enabled: true, groups: ["staff", "/staff/sales"], realmRoles: ["clerk", "extra", "user", "admin"] },
        ...{ clientRoles: { svc: ["reader"] }, credentials: [{ type: "password", value: "a-long-Pass-of-bob-7" }] },
      },
    ],
  });
  expect(done.body.users).toMatchObject({ created: 1, failed: 0 });
  const [bob] = (await admin.get("/users?search=bob")).body;
  // A role that merely has the name of one with permissions here gives none.
  expect(bob.roles).toEqual(["clerk", "extra", "keycloak admin", "user"]);
  const { body: roles } = await admin.get(`/users/${bob.userId}/roles`);
  expect(roles).toContainEqual(expect.objectContaining({ name: "reader" }));
  expect((await admin.get("/groups?search=staff")).body).toMatchObject([{ memberCount: 1, roleNames: ["helper"] }]);
  expect((await admin.get("/roles?search=user")).body).toMatchObject([{ name: "user", default: true, description: expect.anything() }]);
});

test("the default role is the one that Keycloak makes, also where the file lists roles of new users as early releases do", async () => {
  const { admin } = await imported({
    ...{ realm: "Shop", defaultRoles: ["member"], roles: { realm: [{ name: "member" }], client: { svc: [{ name: "reader" }] } } },
    clients: [{ clientId: "svc", defaultRoles: ["reader"] }],
  });
  expect((await admin.get("/roles?search=default-roles-shop")).body).toMatchObject([
    { default: true, compositeRoles: ["member"], compositeClientRoles: [{ clientId: "svc", name: "reader" }] },
  ]);
  const named = await imported({ realm: "shop", users: [{ username: "ada", enabled: true, realmRoles: ["default-roles-shop"] }] });
  expect((await named.admin.get("/users?search=ada")).body).toMatchObject([{ roles: ["default-roles-shop"] }]);
  expect((await named.admin.get("/roles?search=default-roles-shop")).body).toMatchObject([{ default: true }]);
});

test("a user whose plain password the rules here refuse comes without it, and the report says how many do", async () => {
  const person = (username: string, value: string) => ({ username, enabled: true, credentials: [{ type: "password", value }] });
  const users = [person("ada", "password"), person("bob", "short"), person("cleo", "password"), person("dan", "a-long-Pass-of-dan-7")];
  const { realm, admin, done } = await imported({ realm: "shop", users });
  expect(done.body.users).toMatchObject({ created: 4, failed: 0 });
  const { unmapped } = done.body.translation as { unmapped: { path: string; reason: string; count: number }[] };
  expect(unmapped.map(({ path }) => path)).toEqual(["users[].password", "users[].password"]);
  const counts = Object.fromEntries(unmapped.map(({ reason, count }) => [/[(](.+)[)]/.exec(reason)?.[1], count]));
  expect(counts).toEqual({ "password.breached": 2, "password.policy": 1 });
  const [ada] = (await admin.get("/users?search=ada")).body;
  expect((await admin.get(`/users/${ada.userId}/credentials`)).body).toEqual([]);
  expect((await iam.browser().trySignIn(realm.name, "ada", "password")).status).toBe(401);
  expect((await iam.browser().trySignIn(realm.name, "dan", "a-long-Pass-of-dan-7")).status).toBe(303);
});

test("a user without `enabled` is disabled, as in Keycloak", async () => {
  const { admin, done } = await imported({ realm: "shop", users: [{ username: "ada" }, { username: "bob", enabled: true }] });
  const users = (await admin.get("/users?sort=username")).body.filter(({ username }: { username: string }) => username !== "admin");
  expect(users).toMatchObject([{ enabled: false }, { enabled: true }]);
  expect(done.body.translation.choices).toEqual([expect.stringContaining("come disabled")]);
});

test("a client that names neither scopes nor origins has the built-in scopes, their claims, and the origins of its redirect URIs", async () => {
  const { realm, admin } = await imported({
    realm: "shop",
    clients: [
      {
        ...{ clientId: "app", secret: "the-secret-of-the-app", directAccessGrantsEnabled: true },
        redirectUris: ["http://localhost:3000/callback", "http://localhost:3000/*", "/relative"],
      },
      { clientId: "narrow", publicClient: true, defaultClientScopes: ["email"], webOrigins: [] },
      { clientId: "https://sp.example/metadata", protocol: "saml", redirectUris: ["https://sp.example/acs"] },
    ],
    users: [
      {
        ...{ username: "ada", email: "ada@shop.example", enabled: true, realmRoles: ["clerk"], clientRoles: { app: ["buyer"] } },
        credentials: [{ type: "password", value: "a-long-Pass-of-ada-7" }],
      },
    ],
  });
  const clients = (await admin.get("/clients?sort=clientId")).body;
  expect(clients).toMatchObject([
    {
      ...{ clientId: "app", redirectUris: ["http://localhost:3000/callback"], webOrigins: ["http://localhost:3000"] },
      scopes: ["openid", "profile", "email", "roles", "address", "phone", "offline_access"],
    },
    { clientId: "narrow", webOrigins: [], scopes: ["openid", "email"] },
  ]);
  const { body: mappers } = await admin.get(`/saml-clients/${encodeURIComponent("https://sp.example/metadata")}/mappers`);
  expect(mappers).toMatchObject([{ samlName: "Role", source: "roles" }]);
  const answer = await iam.browser().request("POST", `/realms/${realm.name}/token`, {
    csrf: false,
    form: {
      ...{ grant_type: "password", client_id: "app", client_secret: "the-secret-of-the-app" },
      ...{ username: "ada", password: "a-long-Pass-of-ada-7" },
    },
  });
  expect(answer.status, answer.text).toBe(200);
  const claims = JSON.parse(Buffer.from(answer.body.access_token.split(".")[1], "base64url").toString());
  expect(claims).toMatchObject({
    ...{ preferred_username: "ada", email: "ada@shop.example" },
    ...{ realm_access: { roles: ["clerk"] }, resource_access: { app: { roles: ["buyer"] } } },
  });
});
