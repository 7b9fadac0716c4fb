import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { responseTypes } from "../../../applications/clients/index.ts";
import type { Answer, Browser } from "../../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { type Party, relyingParty, submit, walk } from "../../../testing/relying-party.ts";

let iam: SharedHarness;
let base: string;
let admin: string;
beforeAll(async () => {
  iam = await sharedHarness();
  base = iam.config.baseUrl;
  admin = `${base}/admin`;
});
afterAll(() => iam?.close());

const IMPLICIT = "id_token token";
const denied = { status: 403, body: { code: "permissions.escalation" } };
const by = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const refusal = ({ status, body }: Answer) => [status, body?.code];

const setImplicit = async (realm: RealmUnderTest, implicitFlow: boolean) =>
  expect((await realm.asMaster().put("/settings", { oidc: { implicitFlow } })).status).toBe(200);

async function implicitRealm(): Promise<RealmUnderTest> {
  const realm = await iam.realm();
  await setImplicit(realm, true);
  return realm;
}

/** Returns the response that the client gets when the realm's administrator follows its link. */
async function answerOf(realm: RealmUnderTest, party: Party, params: Record<string, string> = {}, browser: Browser = iam.browser()) {
  const { page, left } = await walk(browser, base, party.url({ response_type: IMPLICIT, nonce: "n", ...params }));
  const redirected = left ?? (await submit(browser, base, page, { username: "admin", password: realm.adminPassword })).left!;
  return new URLSearchParams(redirected.hash.slice(1) || redirected.search);
}

describe("manage-clients does not become realm-admin", () => {
  const attack = { clientId: "trap", firstParty: true, redirectUris: ["https://evil.example/cb"], responseTypes: [IMPLICIT] };

  test("by a client that gets users' tokens for the admin API by a response type, whatever its grant types", async () => {
    const realm = await implicitRealm();
    const lesser = await realm.as("manage-clients", "view-clients");
    for (const grantTypes of [["client_credentials"], ["refresh_token"], []])
      for (const responseTypes of [["id_token token"], ["id_token"]])
        expect(await lesser.post("/clients", { ...attack, grantTypes, responseTypes, audience: [admin] })).toMatchObject(denied);
    const machine = { clientId: "machine", grantTypes: ["client_credentials"], audience: [admin] };
    const { body: client, status } = await lesser.post("/clients", machine);
    expect(status, "its own roles bound its own tokens").toBe(201);
    const { secret: _, ...state } = client;
    const turned = { ...state, redirectUris: attack.redirectUris, responseTypes: [IMPLICIT] };
    expect(await lesser.put(`/clients/${client.id}`, turned)).toMatchObject(denied);
    const harmless = await lesser.post("/clients", { ...attack, grantTypes: [] });
    expect(harmless.status, harmless.text).toBe(201);
    expect(await lesser.put(`/clients/${harmless.body.id}/allowed-resources`, { allowedResources: [admin] })).toMatchObject(denied);
  });

  test("by a token from the front channel, also one that realm-admin allowed, nor by exchanging it", async () => {
    const realm = await implicitRealm();
    const console_ = await relyingParty(iam, realm, {
      ...{ clientId: "console", publicClient: false, firstParty: true, audience: [admin], responseTypes: ["code", IMPLICIT] },
      grantTypes: ["authorization_code", "token-exchange"],
    });
    const browser = iam.browser();
    const token = (await answerOf(realm, console_, {}, browser)).get("access_token")!;
    expect(decodeJwt(token)).toMatchObject({ front_channel: true, aud: [`${base}/realms/${realm.name}`, admin] });
    expect(refusal(await realm.anonymous().get("/users", by(token)))).toEqual([401, "auth.bearer"]);
    const exchanged = await console_.post("/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: token,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    });
    expect(exchanged.status, exchanged.text).toBe(200);
    expect(decodeJwt(exchanged.body.access_token).aud).toContain(admin);
    expect(refusal(await realm.anonymous().get("/users", by(exchanged.body.access_token)))).toEqual([401, "auth.bearer"]);
    const fromCode = await console_.signIn(browser, { username: "", password: "" });
    expect((await realm.anonymous().get("/users", by(fromCode.body.access_token))).status, "a code is no front channel").toBe(200);
  });

  test("by a token whose actor acts for an administrator", async () => {
    const realm = await iam.realm();
    const app = await relyingParty(iam, realm, {
      ...{ clientId: "actor", publicClient: false, firstParty: true, audience: [admin] },
      grantTypes: ["authorization_code", "client_credentials", "token-exchange"],
    });
    const user = (await app.signIn(iam.browser(), { username: "admin", password: realm.adminPassword })).body.access_token;
    const own = (await app.post("/token", { grant_type: "client_credentials" })).body.access_token;
    const type = "urn:ietf:params:oauth:token-type:access_token";
    const delegated = await app.post("/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      ...{ subject_token: user, subject_token_type: type, actor_token: own, actor_token_type: type },
    });
    expect(delegated.status, delegated.text).toBe(200);
    expect(decodeJwt(delegated.body.access_token)).toMatchObject({ act: { sub: "actor" } });
    expect((await realm.anonymous().get("/users", by(user))).status).toBe(200);
    expect(refusal(await realm.anonymous().get("/users", by(delegated.body.access_token)))).toEqual([403, "auth.forbidden"]);
  });
});

describe("the implicit flow is off unless the realm turns it on", () => {
  const discovery = async (realm: RealmUnderTest) =>
    (await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`)).body;

  test("discovery announces what the realm allows", async () => {
    const realm = await iam.realm();
    expect((await discovery(realm)).response_types_supported).toEqual(["code"]);
    expect((await discovery(realm)).grant_types_supported).not.toContain("implicit");
    await setImplicit(realm, true);
    expect((await discovery(realm)).response_types_supported).toEqual(responseTypes);
    expect((await discovery(realm)).grant_types_supported).toContain("implicit");
  });

  test("administrators cannot give it to a client, with an error of its field", async () => {
    const realm = await iam.realm();
    const refused = await realm.asMaster().post("/clients", {
      ...{ clientId: "old", redirectUris: ["https://old.example/cb"] },
      responseTypes: ["code", "id_token"],
    });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "responseTypes", code: "implicit_off" }] } });
    expect(refused.body.errors[0].message).toContain("oidc.implicitFlow");
  });

  test("a client that has it from before is refused, keeps its settings, and goes on with a code", async () => {
    const realm = await implicitRealm();
    const party = await relyingParty(iam, realm, { responseTypes: ["code", "id_token", IMPLICIT], firstParty: true });
    const browser = iam.browser();
    expect((await answerOf(realm, party, {}, browser)).has("access_token")).toBe(true);
    await setImplicit(realm, false);
    for (const response_type of ["id_token", IMPLICIT]) {
      const answer = await answerOf(realm, party, { response_type }, browser);
      expect([answer.get("error"), answer.has("access_token"), answer.has("id_token")]).toEqual([
        "unsupported_response_type",
        false,
        false,
      ]);
    }
    expect((await party.signIn(browser, { username: "", password: "" })).status).toBe(200);
    const { body } = await realm.asMaster().get(`/clients/${party.id}`);
    expect((await realm.asMaster().put(`/clients/${party.id}`, { ...body, name: "Old" })).body).toMatchObject({
      name: "Old",
      responseTypes: ["code", "id_token", IMPLICIT],
    });
  });

  test("clients that register themselves get code, and nothing that either the realm or its policy refuses", async () => {
    const realm = await iam.realm();
    const register = (members: object) =>
      iam.browser().post(`/realms/${realm.name}/connect/register`, { redirect_uris: ["https://app.example/cb"], ...members });
    const policy = (registration: object) =>
      realm.asMaster().put("/provisioning", { registration: { requireInitialAccessToken: false, ...registration } });
    const expected = { response_types: ["id_token"], grant_types: ["implicit"] };
    const refused = {
      status: 400,
      body: { error: "invalid_client_metadata", error_description: expect.stringContaining("response_types") },
    };
    await policy({});
    expect((await register({})).body).toMatchObject({ response_types: ["code"], grant_types: ["authorization_code"] });
    expect(await register(expected), "neither").toMatchObject(refused);
    await policy({ allowedResponseTypes: ["code", "id_token"] });
    expect(await register(expected), "the realm").toMatchObject(refused);
    await setImplicit(realm, true);
    expect((await register(expected)).status).toBe(201);
    await policy({});
    expect(await register(expected), "the policy").toMatchObject(refused);
  });
});

describe("no client and no resource passes for this server", () => {
  const own = () => [
    ...[base, `${base}/`, `${admin}/`, `${admin}/realms`, `${base}/realms/master`, `${base}/x/../admin`],
    ...[base.toUpperCase(), `${base.replace("http:", "https:")}/admin`, `${base}?x`],
  ];

  test("by its client id", async () => {
    const realm = await iam.realm();
    for (const clientId of [...own(), admin])
      expect(await realm.asMaster().post("/clients", { clientId }), clientId).toMatchObject({
        status: 400,
        body: { errors: [{ field: "clientId", code: "reserved" }] },
      });
    expect((await realm.asMaster().post("/clients", { clientId: `${base}1/admin` })).status, "another port").toBe(201);
  });

  test("by an audience or an allowed resource; the admin API itself may be named", async () => {
    const realm = await iam.realm();
    const { id } = (await realm.asMaster().post("/clients", { clientId: "app" })).body;
    for (const address of own()) {
      const asAudience = await realm.asMaster().post("/clients", { clientId: "other", audience: ["https://api.example", address] });
      expect(asAudience, address).toMatchObject({ status: 400, body: { errors: [{ field: "audience.1", code: "reserved" }] } });
      const asResource = await realm.asMaster().put(`/clients/${id}/allowed-resources`, { allowedResources: [address] });
      expect(asResource, address).toMatchObject({ status: 400, body: { errors: [{ field: "allowedResources.0", code: "reserved" }] } });
    }
    const allowed = await realm.asMaster().put(`/clients/${id}/allowed-resources`, { allowedResources: [admin, "https://api.example"] });
    expect(allowed.status, allowed.text).toBe(200);
  });
});
