import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { identityProvider, linkTo } from "../../testing/identity-providers.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { giveTotp } from "../../testing/totp.ts";
import { describeApi } from "../api-docs/index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const STALE = [403, "auth.recent_authentication_required"];
const PASSWORD = "a password for tests";

async function dangerous(realm: RealmUnderTest) {
  const user = await realm.user();
  const { body: client } = await realm.asMaster().post("/clients", { clientId: "secretive", publicClient: false });
  return [
    ["POST", `/users/${user.userId}/impersonate`],
    ["GET", `/clients/${client.id}/secret`],
    ["DELETE", `/users/${user.userId}/gdpr`],
  ] as const;
}

describe("a dangerous act of an administrator", () => {
  test("asks for a sign-in within the last ten minutes; others do not", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("realm-admin");
    const acts = await dangerous(realm);
    clock.advance(10 * MINUTE);
    const call = (method: string, path: string) => admin.browser.request(method, `/admin/realms/${realm.name}${path}`);
    for (const [method, path] of acts) expect([path, ...refusal(await call(method, path))]).toEqual([path, ...STALE]);
    expect((await admin.get("/users")).status).toBe(200);
    expect((await admin.post("/roles", { name: "harmless" })).status).toBe(201);
    const denied = await realm.events("type=ADMIN_DENIED");
    expect(denied.map(({ actor, detail }) => [actor, detail])).toContainEqual([
      admin.username,
      "DELETE auth.recent_authentication_required",
    ]);
    await admin.browser.signIn(realm.name, admin.username, PASSWORD);
    for (const [method, path] of acts) expect([path, (await call(method, path)).status < 300]).toEqual([path, true]);
  });

  test("asks an administrator of master for theirs, and for the second factor that they have", async () => {
    const realm = await iam.realm();
    const boss = { username: `boss-${realm.name}`, password: PASSWORD };
    const master = await iam.ofMaster(boss.username, "realm-admin");
    const [{ userId }] = (await realm.asMaster().browser.get(`/admin/realms/master/users?search=${boss.username}`)).body;
    const code = await giveTotp(iam, "master", userId);
    const remove = () => master.delete(`/admin/realms/${realm.name}`);
    const weak = await remove();
    expect([refusal(weak), weak.headers["www-authenticate"]]).toEqual([
      [403, "auth.insufficient_authentication"],
      expect.stringContaining('acr_values="2"'),
    ]);
    const fresh = iam.browser();
    const { page } = await walk(fresh, iam.config.baseUrl, "/realms/master/login");
    const next = await submit(fresh, iam.config.baseUrl, page, boss);
    await submit(fresh, iam.config.baseUrl, next.page, { code: code() });
    expect((await fresh.delete(`/admin/realms/${realm.name}`)).status).toBe(204);
  });

  test("needs no recent sign-in of a service account, and a user's token counts as their session does", async () => {
    const realm = await iam.realm();
    const audience = `${iam.config.baseUrl}/admin`;
    const robot = await relyingParty(iam, realm, {
      ...{ clientId: "robot", publicClient: false, redirectUris: [], grantTypes: ["client_credentials"] },
    });
    const boss = realm.asMaster();
    expect((await boss.put(`/clients/${robot.id}/allowed-resources`, { allowedResources: [audience] })).status).toBe(200);
    const given = await boss.post(`/clients/${robot.id}/service-account/roles`, { name: "admin" });
    expect(given.status, given.text).toBe(200);
    const { body } = await robot.post("/token", { grant_type: "client_credentials", resource: audience });
    const acts = await dangerous(realm);
    const call = (token: string, [method, path]: readonly [string, string]) =>
      iam.browser().request(method, `/admin/realms/${realm.name}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect((await call(body.access_token, acts[1])).status).toBe(200);

    const admin = await realm.as("realm-admin");
    const console = await relyingParty(iam, realm, { clientId: "console", firstParty: true, accessTokenLifetime: 3_600 });
    await boss.put(`/clients/${console.id}/allowed-resources`, { allowedResources: [audience] });
    const tokens = await console.signIn(iam.browser(), { username: admin.username, password: PASSWORD }, { resource: audience });
    expect((await call(tokens.body.access_token, acts[1])).status, tokens.text).toBe(200);
    clock.advance(10 * MINUTE);
    const stale = await call(tokens.body.access_token, acts[1]);
    expect([refusal(stale), stale.headers["www-authenticate"]]).toEqual([
      STALE,
      expect.stringMatching(/^Bearer error="insufficient_user_authentication", .*max_age="600"$/),
    ]);
  });

  test("is marked in the API's description", () => {
    const { paths } = describeApi(iam.server.app) as { paths: Record<string, Record<string, { "x-recent-authentication"?: boolean }>> };
    const marked = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) =>
        operation["x-recent-authentication"] ? [`${method.toUpperCase()} ${path}`] : [],
      ),
    );
    // Each of these pages shows its form and takes it.
    const pages = [
      ...["data/delete", "linked-accounts/link", "linked-accounts/unlink", "password", "profile/contact", "security/app"],
      ...["security/passkey", "security/phone", "security/recovery-codes", "security/remove"],
    ].flatMap((page) => ["GET", "POST"].map((method) => `${method} /realms/{realm}/account/pages/${page}`));
    expect(marked.toSorted()).toEqual(
      [
        ...pages,
        "DELETE /admin/realms/{realm}",
        "DELETE /admin/realms/{realm}/keys/{keyId}",
        "DELETE /admin/realms/{realm}/users/{userId}/gdpr",
        "DELETE /realms/{realm}/account",
        "DELETE /realms/{realm}/account/credentials/{type}/{credentialId}",
        "DELETE /realms/{realm}/account/linked-accounts/{alias}",
        "GET /admin/realms/{realm}/clients/{clientId}/secret",
        "POST /admin/realms/{realm}/clients/{clientId}/secret",
        "POST /admin/realms/{realm}/import",
        "POST /admin/realms/{realm}/import/external",
        "POST /admin/realms/{realm}/keys/rotate",
        "POST /admin/realms/{realm}/users/import",
        "POST /admin/realms/{realm}/users/{userId}/impersonate",
        "POST /admin/realms/{realm}/users/{userId}/send-actions-email",
        "POST /realms/{realm}/account/credentials",
        "POST /realms/{realm}/account/linked-accounts/{alias}",
        "PUT /realms/{realm}/account/password",
      ].toSorted(),
    );
  });
});

describe("recent authentication, where the escalation rule finds something given", () => {
  /** Every write under the rule; each answers the request that an administrator of eleven minutes ago sends. */
  test("is asked of each write, on oneself included, and of nothing else", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("realm-admin");
    const boss = realm.asMaster();
    const other = await realm.as("manage-users");
    const plain = await realm.user();
    const { roleId } = (await boss.post("/roles", { name: "helpers" })).body;
    await boss.put(`/admin-roles/${roleId}`, { permissions: ["view-users"] });
    const { roleId: harmless } = (await boss.post("/roles", { name: "harmless" })).body;
    const { groupId } = (await boss.post("/groups", { name: "staff" })).body;
    const robot = (await boss.post("/clients", { clientId: "robot", grantTypes: ["client_credentials"] })).body;
    await boss.post(`/clients/${robot.id}/service-account/roles`, { name: "helpers" });
    const web = (await boss.post("/clients", { clientId: "web", redirectUris: [CALLBACK] })).body;
    const { body: user } = await boss.get(`/users/${other.userId}`);
    const { body: client } = await boss.get(`/clients/${robot.id}`);
    const idp = identityProvider("oidc", "idp");
    expect((await boss.post("/identity-providers", idp)).status).toBe(201);
    await linkTo(iam, realm, "idp", other.userId);
    const giving = { type: "role", claim: "groups", value: "helpers", role: "helpers" };
    const { mapperId } = (await boss.post("/identity-providers/idp/mappers", { name: "given", ...giving })).body;
    const phone = { userId: other.userId, driver: "fcm", token: "a-token-of-a-phone" };
    const { id: pushTokenId } = (await boss.post("/messaging/push-tokens", phone)).body;
    const { organizationId } = (await boss.post("/organizations", { name: "Acme" })).body;
    const enrollment = (await boss.post(`/users/${other.userId}/credentials`, { type: "enrollment-token" })).body;
    const [session] = (await boss.get(`/users/${other.userId}/sessions`)).body;
    // A group below another has its roles, where the realm says so.
    expect((await boss.patch("/settings", { groups: { inheritRoles: true } })).status).toBe(200);
    const trusted = (await boss.post("/groups", { name: "trusted" })).body;
    await boss.post(`/groups/${trusted.groupId}/roles`, { name: "helpers" });
    await boss.post("/groups", { name: "inner", parentId: trusted.groupId });
    const below = (await boss.post("/groups", { name: "below" })).body;
    const workload = { name: "ci", issuer: "https://ci.example", jwksUri: "https://ci.example/jwks", subject: "job", audience: "here" };
    clock.advance(11 * MINUTE);
    const writes: [string, string, unknown?][] = [
      ["PUT", `/users/${other.userId}/password`, { newPassword: "another password for tests" }],
      ["PUT", `/users/${admin.userId}/password`, { newPassword: "another password for tests" }],
      ["PUT", `/users/${other.userId}`, { ...user, email: "other@example.org" }],
      ["PATCH", `/users/${other.userId}`, { email: "other@example.org" }],
      ["POST", "/users", { username: "mallory", roles: ["admin"] }],
      ["POST", `/users/${plain.userId}/roles`, { name: "helpers" }],
      ["DELETE", `/users/${other.userId}`],
      ["POST", `/users/${other.userId}/credentials`, { type: "enrollment-token" }],
      ["POST", `/users/${plain.userId}/impersonate`],
      ["DELETE", `/users/${plain.userId}/gdpr`],
      ["POST", `/users/import`, [{ username: "imported" }]],
      ["PUT", `/admin-roles/${harmless}`, { permissions: ["view-users"] }],
      ["POST", "/roles", { name: "composite", compositeRoles: ["helpers"] }],
      ["POST", `/groups/${groupId}/roles`, { name: "helpers" }],
      ["POST", `/clients/${robot.id}/secret`],
      ["GET", `/clients/${robot.id}/secret`],
      ["PUT", `/clients/${robot.id}`, { ...client, secret: "a-secret-that-the-caller-chose-long-enough" }],
      ["DELETE", `/clients/${robot.id}`],
      ["POST", `/clients/${robot.id}/service-account/roles`, { name: "admin" }],
      ["POST", "/keys/rotate"],
      ["PUT", "/messaging/providers", { channel: "EMAIL", driver: "http", enabled: true, config: { url: "https://mail.example.com/" } }],
      ["PUT", `/clients/${web.id}/allowed-resources`, { allowedResources: [`${iam.config.baseUrl}/admin`] }],
      ["PUT", `/users/${other.userId}/source`, { source: "ldap:corp" }],
      ["POST", "/identity-providers", { ...idp, alias: "another", config: { ...idp.config, domains: ["example.org"] } }],
      ["POST", "/identity-providers", { ...idp, alias: "another", config: { ...idp.config, defaultRoles: ["helpers"] } }],
      ["PUT", "/identity-providers/idp", { ...idp, enabled: true, config: { ...idp.config, issuer: "https://other.example/realm" } }],
      ["DELETE", "/identity-providers/idp"],
      ["POST", "/identity-providers/idp/mappers", { name: "another", ...giving }],
      ["PUT", `/identity-providers/idp/mappers/${mapperId}`, { name: "given", ...giving, value: "others" }],
      ["DELETE", `/identity-providers/idp/mappers/${mapperId}`],
      ["DELETE", `/users/${other.userId}/linked-accounts/idp`],
      ["POST", "/messaging/push-tokens", { ...phone, token: "another-token-of-a-phone" }],
      ["DELETE", `/messaging/push-tokens/${pushTokenId}`],
      ["POST", "/organizations", { name: "Initech", domains: [{ domain: "initech.example", verified: true }] }],
      ["PUT", `/organizations/${organizationId}`, { name: "Acme", enabled: true, identityProvider: "idp" }],
      ["PUT", "/messaging/templates", { templateKey: "otp-email", subject: "Code", body: "{{code}}" }],
      ["DELETE", `/users/${other.userId}/credentials/enrollment-token/${enrollment.id}`],
      ["PUT", `/users/${other.userId}/required-actions`, ["UPDATE_PASSWORD"]],
      ["POST", `/users/${other.userId}/logout`],
      ["DELETE", `/users/${other.userId}/sessions`],
      ["DELETE", `/sessions/${session.id}`],
      ["PUT", `/groups/${below.groupId}`, { name: "below", parentId: trusted.groupId }],
      ["DELETE", `/groups/${trusted.groupId}`],
      ["POST", `/groups/${trusted.groupId}/members`, { userId: plain.userId }],
      ["POST", "/provisioning/scim-tokens", { name: "hr" }],
      ["POST", "/agents", { name: "robot", clientId: "robot", ownerUserId: plain.userId, scopes: [] }],
      ["POST", "/workload-identity", { ...workload, clientId: "robot" }],
      ["PATCH", `/clients/${web.id}`, { introspectAll: true }],
      ["DELETE", "/applications/robot"],
      ["PATCH", "/settings", { groups: { inheritRoles: false } }],
    ];
    const call = ([method, path, body]: (typeof writes)[number]) =>
      admin.browser.request(method, `/admin/realms/${realm.name}${path}`, { ...(body !== undefined && { body }) });
    const answers: unknown[] = [];
    for (const write of writes) {
      const answer = await call(write);
      answers.push([write[0], write[1].replaceAll(/[0-9a-f-]{36}/g, "{id}"), answer.status, answer.body?.code, answer.body?.stepUpUrl]);
    }
    const stale = writes.map(([method, path]) => [
      ...[method, path.replaceAll(/[0-9a-f-]{36}/g, "{id}")],
      ...[403, "auth.recent_authentication_required", `${iam.config.baseUrl}/realms/${realm.name}/login/step-up`],
    ]);
    expect(answers).toEqual(stale);
    const many = await call([
      "POST",
      "/users/bulk",
      { action: "require-action", requiredAction: "UPDATE_PASSWORD", userIds: [other.userId] },
    ]);
    expect(many.body.results).toMatchObject([{ ok: false, code: "auth.recent_authentication_required" }]);
    for (const harmlessly of [
      ["PUT", `/users/${plain.userId}/password`, { newPassword: "another password for tests" }],
      ["POST", "/users", { username: "grace" }],
      ["POST", `/users/${plain.userId}/roles`, { name: "harmless" }],
      ["POST", "/roles", { name: "another" }],
      ["POST", "/clients", { clientId: "shop", redirectUris: [CALLBACK] }],
    ] as [string, string, unknown][])
      expect([harmlessly[1], (await call(harmlessly)).status < 300]).toEqual([harmlessly[1], true]);
    // A machine has no user who could sign in again.
    await admin.browser.signIn(realm.name, admin.username, PASSWORD);
    const given = await call(["POST", `/users/${plain.userId}/roles`, { name: "helpers" }]);
    expect(given.status, given.text).toBe(200);
  });
});
