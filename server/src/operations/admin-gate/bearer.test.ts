import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { type Permission, type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { dpopKey } from "../../testing/proof.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type Party, relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
let admin: string;
beforeAll(async () => {
  iam = await sharedHarness();
  admin = `${iam.config.baseUrl}/admin`;
  // The cleanup would delete rows by the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const INVALID = [401, "auth.bearer"];
const by = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const tokenOf = ({ status, body, text }: Answer): string => {
  expect(status, text).toBe(200);
  return body.access_token;
};
const MACHINE = { clientId: "robot", publicClient: false, redirectUris: [], grantTypes: ["client_credentials"] };

/** A client of the realm that may ask for tokens of the admin API. */
async function party(realm: RealmUnderTest, members: Record<string, unknown> = {}, resources = [admin]): Promise<Party> {
  const made = await relyingParty(iam, realm, members);
  const answer = await realm.asMaster().put(`/clients/${made.id}/allowed-resources`, { allowedResources: resources });
  expect(answer.status, answer.text).toBe(200);
  return made;
}

/** A service account that holds these permissions. */
async function robot(realm: RealmUnderTest, permissions: Permission[], members: Record<string, unknown> = {}) {
  const made = await party(realm, { ...MACHINE, ...members });
  const boss = realm.asMaster();
  const { roleId } = (await boss.post("/roles", { name: "robots" })).body;
  await boss.put(`/admin-roles/${roleId}`, { permissions });
  const given = await boss.post(`/clients/${made.id}/service-account/roles`, { name: "robots" });
  expect(given.status, given.text).toBe(200);
  const ask = (resource = admin) => made.post("/token", { grant_type: "client_credentials", resource });
  return { ...made, roleId, ask, token: tokenOf(await ask()) };
}
const call = (realm: RealmUnderTest, token: string, path = "/users") => realm.anonymous().get(path, by(token));

describe("a service account", () => {
  test("works under its roles, without CSRF, and the trail names the client", async () => {
    const realm = await iam.realm();
    const { token, id } = await robot(realm, ["manage-users", "view-users"]);
    expect((await call(realm, token)).status).toBe(200);
    expect((await realm.anonymous().post("/users", { username: "ada" }, by(token))).status).toBe(201);
    expect((await realm.events("type=ADMIN_CREATE&resourceType=users"))[0]).toMatchObject({ actor: "robot", impersonator: null });
    expect((await realm.events(`actor=${id}`)).length).toBe(1);
    expect(refusal(await call(realm, token, "/clients"))).toEqual([403, "auth.forbidden"]);
    expect(refusal(await realm.anonymous().post("/roles", { name: "x" }, by(token)))).toEqual([403, "auth.forbidden"]);
    expect((await realm.events("type=ADMIN_DENIED"))[0]).toMatchObject({ actor: "robot", detail: "POST auth.forbidden" });
    expect((await realm.anonymous().get("", by(token))).status).toBe(401); // the realm itself is master's
  });

  test("is bound by the escalation rule", async () => {
    const realm = await iam.realm();
    const { token } = await robot(realm, ["manage-users", "view-users"]);
    const boss = await realm.admin();
    const reset = await realm.anonymous().put(`/users/${boss.userId}/password`, { newPassword: "taken over by a robot" }, by(token));
    expect(refusal(reset)).toEqual([403, "permissions.escalation"]);
    const { userId } = await realm.user();
    const made = await realm.anonymous().post(`/users/${userId}/roles`, { name: "admin" }, by(token));
    expect(refusal(made)).toEqual([403, "permissions.escalation"]);
    // It has no session from which it could impersonate a user.
    expect((await realm.anonymous().post(`/users/${userId}/impersonate`, undefined, by(token))).status).toBe(409);
  });

  test("gains and loses permissions with its next request", async () => {
    const realm = await iam.realm();
    const { token, roleId, id, ask } = await robot(realm, ["view-users"]);
    const boss = realm.asMaster();
    expect(refusal(await call(realm, token, "/events"))).toEqual([403, "auth.forbidden"]);
    await boss.put(`/admin-roles/${roleId}`, { permissions: ["view-events"] });
    expect((await call(realm, token, "/events")).status).toBe(200);
    expect((await boss.delete(`/clients/${id}/service-account/roles?name=robots`)).status).toBe(204);
    expect(refusal(await call(realm, token, "/events"))).toEqual([403, "auth.forbidden"]);
    // A client cannot go on using a resource that it may no longer request.
    await boss.put(`/clients/${id}/allowed-resources`, { allowedResources: [] });
    expect(refusal(await call(realm, token))).toEqual(INVALID);
    expect((await ask()).body.error).toBe("invalid_target");
    const { body: client } = await boss.get(`/clients/${id}`);
    await boss.put(`/clients/${id}`, { ...client, audience: [admin] });
    const usual = tokenOf(await ask(`${iam.config.baseUrl}/realms/${realm.name}`));
    expect(refusal(await call(realm, usual))).toEqual([403, "auth.forbidden"]);
    await boss.put(`/clients/${id}`, { ...client, audience: [admin], enabled: false });
    expect(refusal(await call(realm, usual))).toEqual(INVALID);
  });

  test("works in every realm if it belongs to master, under that name", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster().browser;
    const at = "/admin/realms/master/clients";
    const clientId = `robot-${realm.name}`;
    const { id, secret } = (await boss.post(at, { clientId, grantTypes: ["client_credentials"] })).body;
    await boss.put(`${at}/${id}/allowed-resources`, { allowedResources: [admin] });
    await boss.post(`${at}/${id}/service-account/roles`, { name: "admin" });
    const form = { grant_type: "client_credentials", resource: admin, client_id: clientId, client_secret: secret };
    const token = tokenOf(await iam.browser().request("POST", "/realms/master/token", { form, csrf: false }));
    expect((await realm.anonymous().post("/users", { username: "ada" }, by(token))).status).toBe(201);
    expect((await realm.events("type=ADMIN_CREATE&resourceType=users"))[0]).toMatchObject({
      actor: `master/${clientId}`,
      realm: realm.name,
    });
    expect((await iam.browser().get("/admin/realms", by(token))).status).toBe(200);
    await boss.delete(`${at}/${id}`);
    expect(refusal(await call(realm, token))).toEqual(INVALID);
  });
});

describe("a user's token", () => {
  const code = { clientId: "console", firstParty: true };
  const password = "a password for tests";

  test("carries the user's permissions of this moment, by name", async () => {
    const realm = await iam.realm();
    const app = await party(realm, code);
    const holder = await realm.as("manage-users", "view-users");
    const token = tokenOf(await app.signIn(iam.browser(), { username: holder.username, password }, { resource: admin }));
    expect((await realm.anonymous().post("/users", { username: "ada" }, by(token))).status).toBe(201);
    expect((await realm.events("type=ADMIN_CREATE&resourceType=users"))[0]).toMatchObject({ actor: holder.username });
    const { roleId } = (await realm.asMaster().get(`/roles?search=${holder.username}-role`)).body[0];
    await realm.asMaster().put(`/admin-roles/${roleId}`, { permissions: [] });
    expect(refusal(await call(realm, token))).toEqual([403, "auth.forbidden"]);
    const { body } = await realm.asMaster().get(`/users/${holder.userId}`);
    await realm.asMaster().put(`/users/${holder.userId}`, { ...body, enabled: false });
    expect(refusal(await call(realm, token))).toEqual(INVALID);
  });

  test("got while an administrator plays the user opens nothing", async () => {
    const realm = await iam.realm();
    const app = await party(realm, code);
    const target = await realm.as("view-users");
    const player = await realm.as("manage-users", "view-users");
    const { url } = (await player.post(`/users/${target.userId}/impersonate`)).body;
    await player.browser.get(url.slice(iam.config.baseUrl.length));
    const token = tokenOf(await app.signIn(player.browser, { username: "", password: "" }, { resource: admin }));
    expect(refusal(await call(realm, token))).toEqual([403, "auth.forbidden"]);
    expect((await realm.anonymous().post("/users", { username: "x" }, by(token))).status).toBe(403);
    expect((await realm.events("type=ADMIN_DENIED"))[0]).toMatchObject({ actor: target.username, impersonator: player.username });
    // For erasure; it is shown nowhere.
    const denied = iam.core.db.selectFrom("audit_events").select("impersonator_id").where("realm_id", "=", realm.name);
    expect(await denied.where("type", "=", "ADMIN_DENIED").distinct().execute()).toEqual([{ impersonator_id: player.userId }]);
  });

  test("is accepted neither in another realm nor for the server as a whole, whatever permissions the user has", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const app = await party(other, code);
    const token = tokenOf(await app.signIn(iam.browser(), { username: "admin", password: other.adminPassword }, { resource: admin }));
    expect((await call(other, token)).status).toBe(200);
    expect(refusal(await call(realm, token))).toEqual(INVALID);
    expect(refusal(await iam.browser().get("/admin/realms", by(token)))).toEqual(INVALID);
  });
});

describe("refused is", () => {
  test("a token for another audience, an ID token, one beside a session, one that is unsigned or expired", async () => {
    const realm = await iam.realm();
    const app = await party(realm, { clientId: "console", firstParty: true }, [admin, "https://api.example"]);
    const boss = { username: "admin", password: realm.adminPassword };
    const issued = await app.signIn(iam.browser(), boss);
    const elsewhere = tokenOf(await app.signIn(iam.browser(), boss, { resource: "https://api.example" }));
    expect(refusal(await call(realm, elsewhere))).toEqual(INVALID);
    for (const token of [issued.body.access_token, issued.body.id_token, issued.body.refresh_token])
      expect(refusal(await call(realm, token))).toEqual(INVALID);
    const token = tokenOf(await app.signIn(iam.browser(), boss, { resource: admin }));
    expect((await call(realm, token)).status).toBe(200);
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url")}.${token.split(".")[1]}.`;
    expect(refusal(await call(realm, unsigned))).toEqual(INVALID);
    const session = await realm.admin();
    expect(refusal(await session.get("/users", by(token)))).toEqual([400, "auth.two_credentials"]);
    expect((await app.post("/revoke", { token })).status).toBe(200);
    expect(refusal(await call(realm, token))).toEqual(INVALID);
    const late = tokenOf(await app.signIn(iam.browser(), boss, { resource: admin }));
    clock.advance(6 * MINUTE);
    expect(refusal(await call(realm, late))).toEqual(INVALID);
  });

  test("a token that is bound to a key, brought as if it were not", async () => {
    const realm = await iam.realm();
    const { secret } = await robot(realm, ["view-users"]);
    const url = `/realms/${realm.name}/token`;
    const answer = await iam.browser().request("POST", url, {
      form: { grant_type: "client_credentials", resource: admin, client_id: "robot", client_secret: secret! },
      headers: { dpop: dpopKey()("POST", `${iam.config.baseUrl}${url}`) },
      csrf: false,
    });
    expect(answer.body.token_type).toBe("DPoP");
    expect(refusal(await call(realm, tokenOf(answer)))).toEqual(INVALID);
  });
});
