// Clients that are APIs: the clients that get tokens for them, and the consent of users for each application and API.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const payloadOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1]!, "base64url").toString());
const api = (realm: RealmUnderTest, clientId: string, members: object) =>
  relyingParty(iam, realm, { clientId, publicClient: false, redirectUris: [], grantTypes: ["client_credentials"], ...members });
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test("an indicator is one address of one API, whatever its spelling, and never the server's or a client's", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-clients", "view-clients");
  const { baseUrl } = iam.config;
  const create = (clientId: string, ...resourceIndicators: string[]) => admin.post("/clients", { clientId, resourceIndicators });
  const { port } = new URL(baseUrl);
  const refused = {
    "not a URI": ["api.example", "/mcp", "https://", "urn:", " https://api.example", "https://api.example/a b"],
    "not one address": ["https://*.example", "https://api.example/#x", "https://ada@api.example", "https://ada:x@api.example"],
    "another spelling": ["https://API.example", "https://api.example:443/", "https://api.example/a/../b", "https://api.example/%7eada"],
    "another host": ["https://api.example./mcp", "https://\u{430}pi.example", "https://api.example\\@evil.example"],
    "the server": [
      ...[baseUrl, `${baseUrl}/`, `${baseUrl}/admin`, `${baseUrl}/admin/`, `${baseUrl}/realms/${realm.name}`, `${baseUrl}/realms/other/`],
      ...[
        baseUrl.replace("http:", "https:"),
        `${baseUrl}/a/../admin`,
        `${baseUrl}/%61dmin`,
        `${baseUrl}?x`,
        `HTTP://LOCALHOST:${port}/admin`,
      ],
    ],
  };
  for (const [why, uris] of Object.entries(refused))
    for (const uri of uris) {
      const answer = await create("x", uri);
      expect([answer.status, answer.body.errors?.[0]?.field], `${why}: ${uri}`).toEqual([400, "resourceIndicators.0"]);
    }
  expect((await create("x", "https://a.example/", "https://a.example")).body.errors).toMatchObject([{ code: "duplicate" }]);
  expect((await admin.post("/clients", { clientId: "x", resourceScopes: ["nowhere"] })).body.errors).toMatchObject([
    { field: "resourceScopes", code: "unknown_scope" },
  ]);

  const made = await create("api", "https://api.example/mcp", "urn:example:api");
  expect(made.body).toMatchObject({
    resourceAccess: "listed",
    resourceScopes: [],
    resourceIndicators: ["https://api.example/mcp", "urn:example:api"],
  });
  const taken = { status: 409, body: { code: "clients.resource_taken" } };
  for (const uri of ["https://api.example/mcp", "https://api.example/mcp/", "urn:example:api"]) {
    expect(await create("second", uri), uri).toMatchObject(taken);
    expect((await admin.post("/clients", { clientId: uri })).body.errors, uri).toMatchObject([{ field: "clientId", code: "reserved" }]);
  }
  await admin.post("/clients", { clientId: "https://named.example" });
  for (const uri of ["https://named.example", "https://named.example/"]) expect(await create("third", uri), uri).toMatchObject(taken);
  // One of these concurrent requests gets the indicator.
  const race = await Promise.all([
    ...["r1", "r2"].map((id) => create(id, "https://race.example")),
    admin.post("/clients", { clientId: "https://race.example" }),
  ]);
  expect(race.filter(({ status }) => status === 201)).toHaveLength(1);
  // No other client may have a client's id as its indicator. Another client may take an indicator that one gave up.
  expect((await create("https://self.example", "https://self.example")).status).toBe(201);
  const { id, secret: _, ...state } = made.body;
  expect((await admin.put(`/clients/${id}`, { ...state, resourceIndicators: ["urn:example:api"] })).status).toBe(200);
  expect((await create("second", "https://api.example/mcp")).status).toBe(201);
  expect((await admin.delete(`/clients/${id}`)).status).toBe(204);
  expect((await create("third", "urn:example:api")).status).toBe(201);
  // Another realm may have the same indicators.
  const elsewhere = await iam.realm();
  expect((await elsewhere.asMaster().post("/clients", { clientId: "api", resourceIndicators: ["urn:example:api"] })).status).toBe(201);
});

test("everyone, or those who are listed, get tokens for an API: with its scopes, in its spelling, as long as it is open", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster();
  for (const name of ["files", "mail"]) await master.post("/client-scopes", { name, assignment: "OPTIONAL" });
  const open = await api(realm, "open", {
    resourceIndicators: ["https://open.example"],
    resourceAccess: "everyone",
    resourceScopes: ["files"],
  });
  const closed = await api(realm, "closed", { resourceIndicators: ["https://closed.example/mcp"] });
  const user = await realm.user();
  const app = await relyingParty(iam, realm);
  const robot = await api(realm, "robot", {});
  const ask = (party: Party, form: Record<string, string>) => party.post("/token", { grant_type: "client_credentials", ...form });
  const refusal = async (party: Party, resource: string) => [
    (await ask(robot, { resource })).body.error,
    (await walk(iam.browser(), iam.config.baseUrl, party.url({ resource }))).left?.searchParams.get("error"),
  ];

  // The authorization code grant accepts a spelling that older clients use.
  const signedIn = await app.signIn(iam.browser(), user, { resource: "https://OPEN.example:443/", scope: "openid profile files mail" });
  expect(signedIn.status, signedIn.text).toBe(200);
  expect(signedIn.body.scope).toBe("openid files");
  expect(payloadOf(signedIn.body.access_token)).toMatchObject({ aud: "https://open.example", scope: "openid files" });
  const claims = payloadOf((await ask(robot, { resource: "https://open.example/", scope: "files mail" })).body.access_token);
  expect(claims).toMatchObject({ aud: "https://open.example", scope: "files", sub: "robot" });
  // The API may introspect the token. The client that may request it, and the other API, may not.
  const token = signedIn.body.access_token;
  const isActive = async (party: Party) => (await party.post("/introspect", { token })).body.active;
  expect([await isActive(open), await isActive(closed), await isActive(robot)]).toEqual([true, false, false]);
  // A token for an API is refused by the realm's own endpoints, even if the API is open to everyone.
  for (const path of [`/realms/${realm.name}/userinfo`, `/realms/${realm.name}/account/applications`, `/admin/realms/${realm.name}/users`])
    expect((await iam.browser().get(path, bearer(token))).status, path).toBe(401);
  // The account API requires more than a scope that the realm gives to every client.
  const [account] = (await master.get("/client-scopes?search=account")).body;
  expect((await master.put(`/client-scopes/${account.scopeId}`, { ...account, assignment: "OPTIONAL" })).status).toBe(200);
  const mine = await app.signIn(iam.browser(), user, { scope: "openid account" });
  expect(mine.body.scope).toBe("openid account");
  expect((await iam.browser().get(`/realms/${realm.name}/account/profile`, bearer(mine.body.access_token))).status).toBe(403);
  // A refresh does not give tokens for another resource either.
  const refresh = (resource: string) =>
    app.post("/token", { grant_type: "refresh_token", refresh_token: signedIn.body.refresh_token, resource });
  const { baseUrl } = iam.config;
  for (const resource of ["https://closed.example/mcp", `${baseUrl}/realms/${realm.name}`, `${baseUrl}/admin`, "https://open.example/x"])
    expect((await refresh(resource)).body.error, resource).toBe("invalid_target");

  const strangers = ["https://closed.example/mcp", "https://open.example.evil.example", "https://open.example/mcp", "http://open.example"];
  for (const resource of [...strangers, "https://open.example#x", "not a uri", `${baseUrl}/admin`, `${baseUrl}/admin/`])
    expect(await refusal(app, resource), resource).toEqual(["invalid_target", "invalid_target"]);
  const many = Array.from({ length: 11 }, (_, at) => `&resource=https://open.example/${at}`).join("");
  expect((await walk(iam.browser(), baseUrl, app.url() + many)).left?.searchParams.get("error")).toBe("invalid_target");

  await master.put(`/clients/${robot.id}/allowed-resources`, { allowedResources: ["https://closed.example/mcp/"] });
  expect(payloadOf((await ask(robot, { resource: "https://closed.example/mcp" })).body.access_token).aud).toBe(
    "https://closed.example/mcp",
  );
  expect((await refusal(app, "https://closed.example/mcp"))[1], "listed for one is not open for others").toBe("invalid_target");

  // By token exchange, a service in the middle gets tokens for the open API, but not for the other one.
  const middle = await api(realm, "middle", { grantTypes: ["urn:ietf:params:oauth:grant-type:token-exchange"] });
  const caller = await relyingParty(iam, realm, { clientId: "caller", audience: ["middle", "https://closed.example/mcp"] });
  const presented = await caller.signIn(iam.browser(), user, { resource: "https://open.example", scope: "openid files" });
  const exchange = (audience: string) =>
    middle.post("/token", {
      ...{ grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", audience, subject_token: presented.body.access_token },
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    });
  const exchanged = await exchange("https://open.example");
  expect(exchanged.status, exchanged.text).toBe(200);
  expect(payloadOf(exchanged.body.access_token)).toMatchObject({ aud: "https://open.example", client_id: "middle", sub: user.userId });
  expect((await exchange("https://closed.example/mcp")).body.error).toBe("invalid_target");

  // Refresh tokens are not renewed once the API is closed or disabled.
  const change = async ({ id }: Party, members: object) => {
    const { secret: _, ...state } = (await master.get(`/clients/${id}`)).body;
    expect((await master.put(`/clients/${id}`, { ...state, ...members })).status).toBe(200);
  };
  await change(closed, { enabled: false });
  expect((await ask(robot, { resource: "https://closed.example/mcp" })).body.error).toBe("invalid_target");
  await change(open, { resourceAccess: "listed" });
  expect((await refresh("https://open.example")).body.error).toBe("invalid_target");
  expect((await exchange("https://open.example")).body.error).toBe("invalid_target");
  // A scope that an API names cannot be deleted.
  const files = (await master.get("/client-scopes?search=files")).body[0].scopeId;
  expect((await master.delete(`/client-scopes/${files}`)).body).toMatchObject({ code: "client_scopes.in_use" });
});

test("a client that registers itself is never an API, and stays what administrators have made it", async () => {
  const realm = await iam.realm();
  await realm.asMaster().put("/provisioning", { registration: { requireInitialAccessToken: false } });
  const wish = { resourceIndicators: ["https://mine.example"], resource_indicators: ["https://mine.example"], resourceAccess: "everyone" };
  const registered = await iam.browser().post(`/realms/${realm.name}/connect/register`, { redirect_uris: [CALLBACK], ...wish });
  expect(registered.status, registered.text).toBe(201);
  const [client] = (await realm.asMaster().get(`/clients?search=${registered.body.client_id}`)).body;
  expect(client).toMatchObject({ resourceIndicators: [], resourceScopes: [], resourceAccess: "listed" });
  const { secret: _, ...state } = client;
  await realm.asMaster().put(`/clients/${client.id}`, { ...state, resourceIndicators: ["https://given.example"] });
  const path = new URL(registered.body.registration_client_uri).pathname;
  const { client_id, client_secret, redirect_uris } = registered.body;
  const renewed = await iam.browser().request("PUT", path, {
    ...{ body: { client_id, client_secret, redirect_uris, ...wish }, csrf: false },
    headers: { authorization: `Bearer ${registered.body.registration_access_token}` },
  });
  expect(renewed.status, renewed.text).toBe(200);
  expect((await realm.asMaster().get(`/clients/${client.id}`)).body).toMatchObject({
    resourceIndicators: ["https://given.example"],
    resourceAccess: "listed",
  });
});

test("a user allows an application each API on its own, sees them listed together and ends them together", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster();
  const { baseUrl } = iam.config;
  for (const name of ["a", "b"])
    await api(realm, `api-${name}`, {
      name: `Service ${name}`,
      resourceIndicators: [`https://${name}.example`],
      resourceAccess: "everyone",
    });
  const [A, B] = ["https://a.example", "https://b.example"];
  const user = await realm.user();
  const app = await relyingParty(iam, realm, {
    clientId: "asks",
    name: "Asker",
    consentRequired: true,
    redirectUris: [CALLBACK, "http://127.0.0.1:4711/cb"],
  });
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  const start = (params: Record<string, string>) => walk(browser, baseUrl, app.url({ scope: "openid email", ...params }));
  const allow = async (params: Record<string, string>) => {
    const { page, left } = await start(params);
    expect(left, "asks").toBeNull();
    return { page, left: (await submit(browser, baseUrl, page, { decision: "allow" })).left };
  };
  const isSilent = async (params: Record<string, string>) => (await start(params)).left?.searchParams.has("code") ?? false;

  // An earlier consent to the realm itself does not count for an API.
  expect((await allow({})).page.text).not.toContain("example)");
  expect([await isSilent({}), await isSilent({ resource: A })]).toEqual([true, false]);
  const first = await allow({ resource: `${A}/` });
  expect(first.page.text).toMatch(/Service a[\s\S]*https:\/\/a\.example/);
  expect(first.page.text).toMatch(/app\.example/);
  const tokens = await app.exchange(first.left);
  expect(payloadOf(tokens.body.access_token).aud).toBe(A);
  // A consent to A does not count for B, for more scopes, or for both together.
  expect([await isSilent({ resource: A }), await isSilent({ resource: B })]).toEqual([true, false]);
  expect(await isSilent({ resource: A, scope: "openid email profile" })).toBe(false);
  const both = `${app.url({ scope: "openid email", resource: A })}&resource=${B}`;
  expect((await walk(browser, baseUrl, both)).page.text).toContain("Service b");
  expect((await start({ resource: B, prompt: "none" })).left?.searchParams.get("error")).toBe("consent_required");
  // The page warns of an application on the device. A request without any scope needs consent, too.
  const onDevice = await start({ resource: B, redirect_uri: "http://127.0.0.1:4711/cb" });
  expect(onDevice.page.text).toMatch(/127\.0\.0\.1:4711[\s\S]*Asker/);
  const quiet = await relyingParty(iam, realm, { clientId: "quiet", consentRequired: true, scopes: ["offline_access"] });
  expect((await walk(browser, baseUrl, quiet.url({ scope: "", resource: B }))).page.text).toContain("Service b");
  await allow({ resource: B, scope: "openid" });
  expect([await isSilent({ resource: B, scope: "openid" }), await isSilent({ resource: B })]).toEqual([true, false]);

  const [consent, ...none] = (await browser.get(`/realms/${realm.name}/account/gdpr/consents`)).body;
  expect(none).toEqual([]);
  expect(consent).toMatchObject({
    clientId: "asks",
    scopes: ["email", "openid"],
    resources: [
      { resource: A, scopes: ["email", "openid"] },
      { resource: B, scopes: ["openid"] },
    ],
  });
  expect((await master.get(`/users/${user.userId}/gdpr/consents/asks`)).body).toEqual(consent);
  expect((await browser.get(`/realms/${realm.name}/account/gdpr/export`)).body.consents).toEqual([consent]);
  expect((await browser.get(`/realms/${realm.name}/account/applications`)).body).toMatchObject([{ clientId: "asks", resources: [A, B] }]);
  expect((await realm.events("type=CONSENT_GRANTED")).map(({ detail }) => detail)).toContain(`email openid at ${A}`);

  // Once the indicator belongs to another API, the consent to the former one does not apply to it.
  const [{ id, secret: _, ...state }] = (await master.get("/clients?search=api-b")).body;
  await master.put(`/clients/${id}`, { ...state, resourceIndicators: [] });
  await api(realm, "api-c", { resourceIndicators: [B], resourceAccess: "everyone" });
  expect(await isSilent({ resource: B, scope: "openid" })).toBe(false);

  expect((await browser.delete(`/realms/${realm.name}/account/gdpr/consents/asks`)).status).toBe(204);
  expect((await browser.get(`/realms/${realm.name}/account/gdpr/consents`)).body).toEqual([]);
  expect((await app.post("/token", { grant_type: "refresh_token", refresh_token: tokens.body.refresh_token })).body.error).toBe(
    "invalid_grant",
  );
  expect([await isSilent({}), await isSilent({ resource: A })]).toEqual([false, false]);
  await allow({ resource: A });
  expect((await master.delete(`/clients/${app.id}`)).status).toBe(204);
  expect(await iam.core.db.selectFrom("resource_consents").select("resource").where("realm_id", "=", realm.name).execute()).toEqual([]);
});
