import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type Party, relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
});
afterAll(() => iam?.close());

let made = 0;
const confidential = (members: object = {}, of = realm): Promise<Party> =>
  relyingParty(iam, of, { clientId: `client${made++}`, publicClient: false, ...members });
const resourcesOf = async ({ id }: Party, allowedResources: string[]) =>
  expect((await realm.asMaster().put(`/clients/${id}/allowed-resources`, { allowedResources })).status).toBe(200);
const isActive = async (by: Party, token: string) => {
  const { status, body } = await by.post("/introspect", { token });
  expect(status).toBe(200);
  // The response reveals nothing about a token that the caller may not see.
  if (!body.active) expect(body).toEqual({ active: false });
  return body.active as boolean;
};

test("a client introspects the tokens that were issued to it, and no others", async () => {
  const [app, other] = [await confidential(), await confidential()];
  const { body } = await app.signIn(iam.browser(), await realm.user());
  expect([await isActive(app, body.access_token), await isActive(app, body.refresh_token)]).toEqual([true, true]);
  expect([await isActive(other, body.access_token), await isActive(other, body.refresh_token)]).toEqual([false, false]);
  const machine = await confidential({ grantTypes: ["client_credentials"] });
  const own = (await machine.post("/token", { grant_type: "client_credentials" })).body.access_token;
  expect([await isActive(machine, own), await isActive(other, own)]).toEqual([true, false]);
  const elsewhere = await iam.realm();
  const foreign = await confidential({ clientId: app.clientId, introspectAll: true }, elsewhere);
  expect(await isActive(foreign, body.access_token), "a client of the same name in another realm").toBe(false);
});

test("a client that asks for a JWT by Accept gets one by RS256, without any setting (RFC 9701)", async () => {
  const app = await confidential();
  const { access_token: token } = (await app.signIn(iam.browser(), await realm.user())).body;
  const ask = (accept: string) =>
    iam.browser().request("POST", `/realms/${realm.name}/introspect`, {
      ...{ form: { token, client_id: app.clientId, client_secret: app.secret! }, headers: { accept }, csrf: false },
    });
  const signed = await ask("application/json;q=0.5, application/token-introspection+jwt");
  expect(signed.headers["content-type"]).toContain("application/token-introspection+jwt");
  const [header, payload] = signed.text.split(".", 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as object);
  expect(header).toMatchObject({ alg: "RS256", typ: "token-introspection+jwt" });
  expect(payload).toMatchObject({ aud: app.clientId, token_introspection: { active: true, client_id: app.clientId } });
  for (const accept of ["application/json", "*/*", "application/token-introspection+jwt;q=0"])
    expect((await ask(accept)).body, accept).toMatchObject({ active: true });
});

test("a token is active for the clients that its audience names, by client id or by a resource of theirs", async () => {
  const api = await confidential({ clientId: "orders-api" });
  const [gateway, other] = [await confidential({ resourceIndicators: ["https://api.example"] }), await confidential()];
  await resourcesOf(other, ["https://api.example"]);
  const app = await confidential({ audience: ["orders-api"] });
  await resourcesOf(app, ["https://api.example"]);
  const user = await realm.user();
  const named = (await app.signIn(iam.browser(), user)).body.access_token;
  expect([await isActive(api, named), await isActive(gateway, named), await isActive(other, named)]).toEqual([true, false, false]);
  const forResource = (await app.signIn(iam.browser(), user, { resource: "https://api.example" })).body.access_token;
  expect([await isActive(gateway, forResource), await isActive(other, forResource)], "not by being allowed to request it").toEqual([
    true,
    false,
  ]);
});

test("a client that may request the admin API does not see other clients' tokens for it", async () => {
  const admin = `${iam.config.baseUrl}/admin`;
  const [app, spy] = [await confidential({ firstParty: true }), await confidential({ grantTypes: ["client_credentials"] })];
  await resourcesOf(app, [admin]);
  await resourcesOf(spy, [admin]);
  const token = (await app.signIn(iam.browser(), { username: "admin", password: realm.adminPassword }, { resource: admin })).body
    .access_token;
  expect([await isActive(app, token), await isActive(spy, token)]).toEqual([true, false]);
});

test("a public client is refused, because it cannot authenticate", async () => {
  const app = await relyingParty(iam, realm, { clientId: "spa" });
  const { access_token: token } = (await app.signIn(iam.browser(), await realm.user())).body;
  const { status, body, headers } = await app.post("/introspect", { token });
  expect([status, body.error, headers["cache-control"]]).toEqual([401, "invalid_client", "no-store"]);
  expect(JSON.stringify(body)).not.toContain("active");
  expect((await app.post("/revoke", { token })).status, "it may end its own").toBe(200);
});

test("introspectAll is for gateways, and only realm-admin may set it", async () => {
  const app = await confidential();
  const gateway = await confidential({ grantTypes: [], introspectAll: true });
  const { body } = await app.signIn(iam.browser(), await realm.user());
  expect(await isActive(gateway, body.access_token)).toBe(true);
  expect(await isActive(gateway, body.refresh_token), "a refresh token is between client and issuer").toBe(false);

  const lesser = await realm.as("manage-clients", "view-clients", "view-users", "manage-realm");
  const denied = { status: 403, body: { code: "permissions.escalation" } };
  expect(await lesser.post("/clients", { clientId: "mine", grantTypes: [], introspectAll: true })).toMatchObject(denied);
  const { id, secret: _, ...own } = (await lesser.post("/clients", { clientId: "mine", grantTypes: [] })).body;
  expect(own.introspectAll).toBe(false);
  expect(await lesser.put(`/clients/${id}`, { ...own, introspectAll: true })).toMatchObject(denied);
  for (const answer of [
    await lesser.get(`/clients/${gateway.id}/secret`),
    await lesser.post(`/clients/${gateway.id}/secret`),
    await lesser.put(`/clients/${gateway.id}`, (await lesser.get(`/clients/${gateway.id}`)).body),
    await lesser.delete(`/clients/${gateway.id}`),
  ])
    expect(answer).toMatchObject(denied);
  const boss = await realm.admin();
  expect((await boss.put(`/clients/${id}`, { ...own, introspectAll: true })).body.introspectAll).toBe(true);
});
