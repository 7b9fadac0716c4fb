import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { giveTotp } from "../../testing/totp.ts";
import { describeApi } from "../api-docs/index.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
  await iam.server.jobs.stop(); // the clean-up would take the moved clock at its word
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
    const master = iam.browser();
    const { body: made } = await realm.asMaster().browser.post("/admin/realms/master/users", { username: `boss-${realm.name}` });
    const boss = { username: `boss-${realm.name}`, password: PASSWORD };
    const users = "/admin/realms/master/users";
    await realm.asMaster().browser.put(`${users}/${made.userId}/password`, { newPassword: PASSWORD });
    const granted = await realm.asMaster().browser.post(`${users}/${made.userId}/roles`, { name: "admin" });
    expect(granted.status, granted.text).toBe(200);
    await master.signIn("master", boss.username, boss.password);
    const code = await giveTotp(iam, "master", made.userId);
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

  test("of a service account asks for no person, and a user's token counts as their session does", async () => {
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
