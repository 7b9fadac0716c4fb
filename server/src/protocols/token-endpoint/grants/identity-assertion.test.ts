// Cross-app access (ID-JAG) between two realms: one is the identity provider of the other.
import type { Server as HttpServer } from "node:http";
import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../../../test/peers/index.mjs";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty, submit, walk } from "../../../testing/relying-party.ts";

let iam: SharedHarness;
let startMcpServer: (options: object) => Promise<{ http: HttpServer; resource: string }>;
const started: HttpServer[] = [];
beforeAll(async () => {
  const port = await freePort();
  iam = await sharedHarness({ GATEHOUSE_MODE: "development", GATEHOUSE_BASE_URL: `http://localhost:${port}` });
  await iam.server.app.listen({ port, host: "localhost" });
  ({ startMcpServer } = await import(new URL("../../../../../examples/mcp-server/server.mjs", import.meta.url).href));
});
afterAll(async () => {
  for (const http of started) http.close();
  await iam?.close();
});

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
const payloadOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1]!, "base64url").toString());
const issuerOf = ({ name }: RealmUnderTest) => `${iam.config.baseUrl}/realms/${name}`;

/** Creates two realms. `home` knows the user. `away` has the API, and a user who signed in by its identity provider `home`. */
async function twoRealms() {
  const [home, away] = [await iam.realm(), await iam.realm()];
  const [A, B] = [issuerOf(home), issuerOf(away)];
  const user = await home.user();
  const complete = { email: `${user.username}@example.com`, emailVerified: true, attributes: { firstName: "Ada", lastName: "Lovelace" } };
  expect((await home.asMaster().patch(`/users/${user.userId}`, complete)).status).toBe(200);
  const broker = await relyingParty(iam, home, {
    ...{ clientId: "away", publicClient: false, redirectUris: [`${B}/broker/home/endpoint`] },
  });
  const config = { issuer: A, clientId: "away", clientSecret: broker.secret, acceptIdentityAssertions: true, trustEmail: true };
  const provider = { alias: "home", displayName: "Home", protocol: "oidc", enabled: true, config };
  const made = await away.asMaster().post("/identity-providers", provider);
  expect(made.status, made.text).toBe(201);
  await away.asMaster().post("/client-scopes", { name: "tools" });
  const { http, resource } = await startMcpServer({ resource: "http://localhost:0/mcp", issuer: B, scopes: ["tools"] });
  started.push(http);
  const open = { resourceIndicators: [resource], resourceScopes: ["tools"], resourceAccess: "everyone", grantTypes: [] };
  expect((await away.asMaster().post("/clients", { clientId: "mcp", ...open })).status).toBe(201);
  const there = await relyingParty(iam, away, { clientId: "app-there", publicClient: false, redirectUris: [], grantTypes: ["jwt-bearer"] });
  const app = await relyingParty(iam, home, {
    ...{ clientId: "app", publicClient: false, grantTypes: ["authorization_code", "refresh_token", "token-exchange"] },
    crossAppAccess: [{ issuer: B, clientId: "app-there", scopes: ["tools", "other"] }],
  });
  // The first sign-in by `home` creates the user in `away`, and the link.
  const visitor = iam.browser();
  const { page } = await walk(visitor, iam.config.baseUrl, `/realms/${away.name}/broker/home/login`);
  const signedIn = await submit(visitor, iam.config.baseUrl, page, { username: user.username, password: user.password });
  const [{ userId: linked }] = (await away.asMaster().get(`/users?search=${user.username}`)).body;
  expect(linked, signedIn.page.text).toEqual(expect.any(String));
  const tokens = (await app.signIn(iam.browser(), user, { scope: "openid email" })).body;
  return { home, away, A, B, user, app, there, resource, linked, tokens };
}

const exchange = (app: Party, subject_token: string, form: Record<string, string>) =>
  app.post("/token", { grant_type: EXCHANGE, requested_token_type: ID_JAG, subject_token, subject_token_type: ID_TOKEN, ...form });

test("the SDK's provider calls an MCP server of another realm for a user of this one, without a page; invalid requests are refused", async () => {
  const { home, away, A, B, user, app, there, resource, linked, tokens } = await twoRealms();
  const authProvider = new CrossAppAccessProvider({
    ...{ clientId: there.clientId, clientSecret: there.secret!, expectedIssuer: B },
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      const request = { audience: authorizationServerUrl, resource: resourceUrl, scope, fetchFn };
      const credentials = { clientId: app.clientId, clientSecret: app.secret!, idToken: tokens.id_token };
      return (await discoverAndRequestJwtAuthGrant({ idpUrl: A, ...request, ...credentials } as never)).jwtAuthGrant;
    },
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(resource), { authProvider }) as never);
  const { content } = (await client.callTool({ name: "whoami" })) as { content: { text: string }[] };
  expect(JSON.parse(content[0]!.text)).toEqual({ sub: linked, client: "app-there", scopes: ["tools"] });
  await client.close();
  expect((await home.events("type=IDENTITY_ASSERTION_ISSUED"))[0]).toMatchObject({ actor: user.username, detail: `app for ${B}` });
  expect((await away.events("type=LOGIN_SUCCESS"))[0]).toMatchObject({ detail: "identity assertion of home" });

  // This part checks the assertion itself.
  const to = { audience: B, resource, scope: "tools" };
  const issued = await exchange(app, tokens.id_token, to);
  expect(issued.body).toMatchObject({ issued_token_type: ID_JAG, token_type: "N_A", expires_in: 300, scope: "tools" });
  expect(issued.body).not.toHaveProperty("refresh_token");
  const jag: string = issued.body.access_token;
  expect(JSON.parse(Buffer.from(jag.split(".")[0]!, "base64url").toString()).typ).toBe("oauth-id-jag+jwt");
  const claims = payloadOf(jag);
  expect(claims).toMatchObject({ iss: A, sub: user.userId, aud: B, client_id: "app-there", resource, scope: "tools" });
  expect(claims.exp - claims.iat).toBe(300);
  for (const name of [home.name, away.name])
    expect((await iam.browser().get(`/realms/${name}/userinfo`, { headers: { authorization: `Bearer ${jag}` } })).status).toBe(401);
  expect((await exchange(app, jag, to)).body.error, "an assertion is no ID token").toBe("invalid_request");

  // These are the refusals of the issuer.
  const machine = await relyingParty(iam, home, {
    clientId: "else",
    publicClient: false,
    grantTypes: ["token-exchange"],
    redirectUris: [],
  });
  const refusals: [string, Promise<{ body: { error: string } }>, string][] = [
    ["another client's ID token", exchange(machine, tokens.id_token, to), "invalid_target"],
    ["a server that is not listed", exchange(app, tokens.id_token, { ...to, audience: `${B}/` }), "invalid_target"],
    ["no server", exchange(app, tokens.id_token, { resource }), "invalid_request"],
    ["a scope beyond the list", exchange(app, tokens.id_token, { ...to, scope: "tools admin" }), "invalid_scope"],
    ["a fragment", exchange(app, tokens.id_token, { ...to, resource: `${resource}#x` }), "invalid_target"],
    ["an access token", exchange(app, tokens.access_token, to), "invalid_request"],
    ["an actor", exchange(app, tokens.id_token, { ...to, actor_token: tokens.access_token }), "invalid_request"],
    [
      "another type",
      exchange(app, tokens.id_token, { ...to, subject_token_type: "urn:ietf:params:oauth:token-type:saml2" }),
      "invalid_request",
    ],
  ];
  for (const [why, answer, error] of refusals) expect((await answer).body.error, why).toBe(error);

  // These are the refusals of the receiver.
  const take = (party: Party, assertion: string, form: Record<string, string> = {}) =>
    party.post("/token", { grant_type: JWT_BEARER, assertion, ...form });
  const other = await relyingParty(iam, away, { clientId: "other", publicClient: false, redirectUris: [], grantTypes: ["jwt-bearer"] });
  expect((await take(other, jag)).body.error, "replayed by another client").toBe("invalid_grant");
  expect((await take(there, jag, { scope: "email" })).body.error, "a scope that it does not have").toBe("invalid_scope");
  expect((await take(there, jag, { resource: B })).body.error, "another resource").toBe("invalid_target");
  const both = await Promise.all([take(there, jag), take(there, jag)]);
  expect(both.map(({ status }) => status).sort(), "twice at once").toEqual([200, 400]);
  const got = both.find(({ status }) => status === 200)!.body;
  expect(got).not.toHaveProperty("refresh_token");
  expect(payloadOf(got.access_token)).toMatchObject({ sub: linked, aud: resource, scope: "tools", client_id: "app-there" });
  const [head, body, signature] = jag.split(".") as [string, string, string];
  const changed = Buffer.from(JSON.stringify({ ...claims, jti: "new", sub: "someone" })).toString("base64url");
  const forged = await new SignJWT({ ...claims, jti: "forged" })
    .setProtectedHeader({ alg: "HS256", typ: "oauth-id-jag+jwt" })
    .sign(Buffer.alloc(32));
  const stranger = Buffer.from(JSON.stringify({ ...claims, iss: "https://evil.example" })).toString("base64url");
  for (const bad of [
    tokens.id_token,
    tokens.access_token,
    `${head}.${changed}.${signature}`,
    `${head}.${stranger}.${signature}`,
    forged,
    `${head}.${body}.`,
    "x",
    "x".repeat(20_000),
  ])
    expect((await take(there, bad)).body.error, bad.slice(0, 60)).toBe("invalid_grant");
  const fresh = async () => (await exchange(app, tokens.id_token, to)).body.access_token as string;
  const late = await fresh();
  clock.advance(7 * MINUTE);
  expect((await take(there, late)).body.error, "expired").toBe("invalid_grant");
  clock.reset();

  // Clients of both realms may require a role.
  for (const [realm, party, ask] of [
    [away, there, async () => take(there, await fresh())],
    [home, app, () => exchange(app, tokens.id_token, to)],
  ] as const) {
    await realm.asMaster().post("/roles", { name: "staff" });
    await realm.asMaster().patch(`/clients/${party.id}`, { allowedRoles: ["staff"] });
    const signIns = await realm.events("type=LOGIN_SUCCESS");
    expect((await ask()).body.error, party.clientId).toBe("access_denied");
    expect(await realm.events("type=LOGIN_SUCCESS"), "the trail tells of no sign-in").toEqual(signIns);
    await realm.asMaster().patch(`/clients/${party.id}`, { allowedRoles: [] });
  }

  // Three things end the acceptance: the provider's setting, the link, and the session at home.
  const asMaster = away.asMaster();
  const { body: provider } = await asMaster.get("/identity-providers/home");
  const accept = (acceptIdentityAssertions: boolean) =>
    asMaster.put("/identity-providers/home", { ...provider, config: { ...provider.config, acceptIdentityAssertions } });
  expect((await accept(false)).status).toBe(200);
  expect((await take(there, await fresh())).body.error).toBe("invalid_grant");
  await accept(true);
  const { body: record } = await asMaster.get(`/users/${linked}`);
  await asMaster.put(`/users/${linked}`, { ...record, enabled: false });
  expect((await take(there, await fresh())).body.error).toBe("invalid_grant");
  await asMaster.put(`/users/${linked}`, { ...record, enabled: true });
  expect((await take(there, await fresh())).status).toBe(200);
  // The password leaves the user another way to sign in.
  await asMaster.put(`/users/${linked}/password`, { newPassword: "another way to sign in" });
  expect((await asMaster.delete(`/users/${linked}/linked-accounts/home`)).status).toBe(204);
  expect((await take(there, await fresh())).body.error, "no link").toBe("invalid_grant");
  await home.asMaster().delete(`/sessions/${payloadOf(tokens.id_token).sid}`);
  expect((await exchange(app, tokens.id_token, to)).body.error, "signed out").toBe("invalid_request");

  // Only administrators configure either side: clients can register neither.
  const twice = [
    { issuer: B, clientId: "a", scopes: [] },
    { issuer: B, clientId: "b", scopes: [] },
  ];
  const faults = (
    await home.asMaster().post("/clients", { clientId: "x", crossAppAccess: [...twice, { ...twice[0], issuer: "http://b.example" }] })
  ).body;
  expect(faults.errors.map(({ field }: { field: string }) => field)).toEqual(["crossAppAccess.1.issuer", "crossAppAccess.2.issuer"]);
  await home.asMaster().put("/provisioning", { registration: { requireInitialAccessToken: false } });
  const wish = { redirect_uris: [CALLBACK], crossAppAccess: twice, grant_types: ["authorization_code", JWT_BEARER] };
  expect((await iam.browser().post(`/realms/${home.name}/connect/register`, wish)).status).toBe(400);
});
