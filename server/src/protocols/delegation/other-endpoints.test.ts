import { afterAll, beforeAll, expect, test } from "vitest";
import { grantConsent } from "../../directory/consents/index.ts";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Party, relyingParty } from "../../testing/relying-party.ts";

// The rules of delegation apply wherever an agent or a client gets a user's token by the token of another client.

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const UMA = "urn:ietf:params:oauth:grant-type:uma-ticket";
const ok = ({ status, text, body }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};
const claimsOf = ({ access_token }: { access_token: string }) =>
  JSON.parse(Buffer.from(access_token.split(".")[1]!, "base64url").toString());

/** Creates users with the role `staff`, who may view and edit `doc` of `api`. A token of `app` names all clients below in `aud`. */
async function stage() {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  for (const name of ["a", "b", "c"]) ok(await boss.post("/client-scopes", { name, assignment: "OPTIONAL" }));
  ok(await boss.post("/roles", { name: "staff" }));
  const user = await realm.user("ada");
  ok(await boss.patch(`/users/${user.userId}`, { roles: ["user", "staff"] }));
  const owner = await realm.user("owen");
  const audience = ["api", "bot", "third", "plain"];
  const app = await relyingParty(iam, realm, { audience });
  const party = (clientId: string, members: object = {}) =>
    relyingParty(iam, realm, {
      clientId,
      publicClient: false,
      redirectUris: [],
      grantTypes: ["client_credentials", UMA, EXCHANGE],
      ...members,
    });
  const api = await party("api");
  // An administrator lets the agent address the API.
  const bot = await party("bot", { audience: ["api"] });
  const { id: agentId } = ok(await boss.post("/agents", { name: "bot", clientId: "bot", ownerUserId: owner.userId, scopes: ["c"] }));
  ok(await boss.post(`/agents/${agentId}/activate`));
  const add = async (path: string, body: object) => ok(await boss.post(`/clients/${api.id}/authz${path}`, body));
  ok(await boss.put(`/clients/${api.id}/authz/settings`, { enabled: true }));
  for (const name of ["view", "edit"]) await add("/scopes", { name });
  await add("/resources", { name: "doc", scopes: ["view", "edit"] });
  await add("/policies", { name: "staff", type: "role", roles: ["staff"] });
  await add("/permissions", { name: "doc", type: "resource", resources: ["doc"], policies: ["staff"] });

  const browser = iam.browser();
  const signIn = async (scope: string) => ok(await app.signIn(iam.browser(), user, { scope: `openid ${scope}` })).access_token as string;
  const token = ok(await app.signIn(browser, user, { scope: "openid a b" })).access_token as string;
  const uma = (by: Party, form: Record<string, string> = {}, subject = token) =>
    by.post("/token", { grant_type: UMA, audience: "api", permission: "doc#view", subject_token: subject, ...form });
  const exchange = (by: Party, subject = token, form: Record<string, string> = {}) =>
    by.post("/token", { grant_type: EXCHANGE, subject_token: subject, subject_token_type: ACCESS_TOKEN, ...form });
  const delegate = async (subject = token, form: Record<string, string> = {}) => {
    const own = ok(await bot.post("/token", { grant_type: "client_credentials" })).access_token;
    return iam.browser().request("POST", `/realms/${realm.name}/agent/delegation/token`, {
      form: { grant_type: EXCHANGE, subject_token: subject, subject_token_type: ACCESS_TOKEN, ...form },
      headers: { authorization: `Bearer ${own}` },
      csrf: false,
    });
  };
  const consent = (clientId: string, scopes: string[]) =>
    iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
      grantConsent(ctx, { userId: user.userId, clientId, resource: null }, scopes),
    );
  const introspects = async (value: string) => {
    watch ??= await party("watch", { introspectAll: true, grantTypes: ["client_credentials"] });
    return (await watch.post("/introspect", { token: value })).body;
  };
  let watch: Party | undefined;
  return { realm, boss, user, app, api, bot, party, add, signIn, token, uma, exchange, delegate, consent, introspects };
}

test("a client that gets a token needs the user's consent, even if no scope remains", async () => {
  const { boss, bot, party, token, uma, exchange, consent, introspects, signIn, user } = await stage();
  const third = await party("third", { consentRequired: true, scopes: ["c"] });
  for (const client of [third, bot]) {
    expect(await uma(client), client.clientId).toMatchObject({ status: 400, body: { error_description: /has not allowed/ } });
  }
  // An agent gets no decision either. A client without an agent, to which the token was sent, may ask.
  expect((await uma(bot, { response_mode: "decision" })).status).toBe(400);
  expect((await uma(third, { response_mode: "decision" })).body).toEqual({ result: true });
  // Administrators decide about the agent itself as the audience, but not whether the agent may act for the user.
  for (const form of [{}, { audience: "bot" }])
    expect(await exchange(bot, token, form)).toMatchObject({ status: 400, body: { error_description: /has not allowed/ } });

  await consent("third", []);
  const rpt = ok(await uma(third)).access_token;
  expect(await introspects(rpt)).toMatchObject({ active: true });
  expect((await boss.delete(`/users/${user.userId}/gdpr/consents/third`)).status).toBe(204);
  expect(await introspects(rpt), "without a scope, too").toEqual({ active: false });
  await consent("third", ["c"]);
  expect((await uma(third, {}, await signIn("c"))).status).toBe(200);
});

test("an agent has the permissions that both it and the user have at a resource server, with every kind of token", async () => {
  const { realm, boss, bot, uma, exchange, delegate, consent, signIn } = await stage();
  await consent("bot", ["c"]);
  const subject = await signIn("c");
  const delegated = ok(await delegate(subject)).access_token;
  for (const token of [subject, delegated]) {
    expect((await uma(bot, {}, token)).status).toBe(403);
    expect((await uma(bot, { response_mode: "decision" }, token)).status).toBe(403);
  }
  ok(await boss.post(`/clients/${bot.id}/service-account/roles`, { name: "staff" }));
  for (const token of [subject, delegated]) expect((await uma(bot, {}, token)).status, "both hold the role").toBe(200);
  // In each way, the audit trail records that the agent acts for the user.
  const before = (await realm.events("type=DELEGATION_ISSUED")).length;
  const { scope } = ok(await exchange(bot, subject));
  const events = await realm.events("type=DELEGATION_ISSUED");
  expect(events).toHaveLength(before + 1);
  expect(events[0]).toMatchObject({ actor: "bot", actorKind: "agent", detail: `scopes ${scope}` });
});

test("a consent that was withdrawn and given again makes no token active again", async () => {
  const { boss, user, delegate, consent, introspects, signIn, party, uma } = await stage();
  const third = await party("third", { consentRequired: true, scopes: ["c"] });
  for (const name of ["bot", "third"]) await consent(name, ["c"]);
  const subject = await signIn("c");
  const held = [ok(await delegate(subject)).access_token, ok(await uma(third, {}, subject)).access_token];
  for (const token of held) expect(await introspects(token)).toMatchObject({ active: true });
  for (const name of ["bot", "third"]) expect((await boss.delete(`/users/${user.userId}/gdpr/consents/${name}`)).status).toBe(204);
  clock.advance(MINUTE);
  for (const name of ["bot", "third"]) await consent(name, ["c"]);
  for (const token of held) expect(await introspects(token)).toEqual({ active: false });
  expect(await introspects(ok(await delegate(subject)).access_token)).toMatchObject({ active: true });
});

test("an administrator who acts as the user gets no token for an agent, at any endpoint", async () => {
  const { realm, app, bot, boss, user, uma, exchange, delegate, consent } = await stage();
  await consent("bot", ["c", "openid"]);
  const player = await realm.as("manage-users", "view-users");
  const { url } = ok(await player.post(`/users/${user.userId}/impersonate`));
  await player.browser.get(url.slice(iam.config.baseUrl.length));
  const played = ok(await app.signIn(player.browser, { username: "", password: "" }, { scope: "openid c" })).access_token;
  ok(await boss.post(`/clients/${bot.id}/service-account/roles`, { name: "staff" }));
  const refused = { status: 400, body: { error_description: /only the user can do this/ } };
  expect(await delegate(played)).toMatchObject(refused);
  expect(await exchange(bot, played)).toMatchObject(refused);
  expect(await uma(bot, {}, played)).toMatchObject(refused);
});

test("where the realm says so, a token that names the agent is enough at the token endpoint", async () => {
  const { boss, bot, exchange, signIn } = await stage();
  const subject = await signIn("c");
  expect((await exchange(bot, subject)).status).toBe(400);
  ok(await boss.patch("/settings", { agents: { allowDelegationWithoutConsent: true } }));
  expect(ok(await exchange(bot, subject)).scope).toContain("c");
});

test("an API to which a token was sent gets nothing with it at another one, in any form, also after an exchange", async () => {
  const { realm, boss, user, party, uma, exchange } = await stage();
  const note = await relyingParty(iam, realm, { clientId: "note", audience: ["greedy"] });
  const greedy = await party("greedy");
  const token = ok(await note.signIn(iam.browser(), user, { scope: "openid" })).access_token;
  const exchanged = ok(await exchange(greedy, token)).access_token;
  const refused = { status: 400, body: { error: "invalid_target", error_description: /not meant for this resource server/ } };
  for (const subject of [token, exchanged])
    for (const form of [{}, { response_mode: "decision" }, { response_mode: "permissions" }])
      expect(await uma(greedy, form, subject)).toMatchObject(refused);
  // It decides about its own resources, and the application itself asks everywhere.
  ok(await boss.put(`/clients/${greedy.id}/authz/settings`, { enabled: true, policyEnforcementMode: "DISABLED" }));
  ok(await boss.post(`/clients/${greedy.id}/authz/resources`, { name: "own" }));
  const own = { audience: "greedy", permission: "own", response_mode: "decision" };
  for (const subject of [token, exchanged]) expect((await uma(greedy, own, subject)).body).toEqual({ result: true });
  ok(await boss.patch(`/clients/${note.id}`, { grantTypes: ["authorization_code", "uma-ticket"] }));
  expect((await uma(note, { client_id: "note", response_mode: "decision" }, token)).body).toEqual({ result: true });
});

test("a policy for clients judges the client that gets the token, or the one that sent it to the resource server", async () => {
  const { api, add, party, uma, token } = await stage();
  const plain = await party("plain");
  await add("/policies", { name: "by app", type: "client", clients: ["app"] });
  await add("/resources", { name: "ours", scopes: ["view"] });
  await add("/permissions", { name: "ours", type: "resource", resources: ["ours"], policies: ["by app"] });
  expect((await uma(plain, { permission: "ours#view" })).status).toBe(403);
  expect((await uma(api, { permission: "ours#view", response_mode: "decision" }, token)).body).toEqual({ result: true });
});

test("an earlier RPT whose resource is gone does not hinder, and an RPT has no scopes of another API", async () => {
  const { boss, api, add, party, uma } = await stage();
  const plain = await party("plain", { scopes: ["openid", "a", "b"] });
  const { resourceId } = await add("/resources", { name: "passing", scopes: ["view"] });
  await add("/permissions", { name: "passing", type: "resource", resources: ["passing"], policies: ["staff"] });
  const rpt = ok(await uma(plain, { permission: "passing#view" })).access_token;
  for (const path of ["permissions/passing", `resources/${resourceId}`])
    expect((await boss.delete(`/clients/${api.id}/authz/${path}`)).status).toBe(204);
  const upgraded = claimsOf(ok(await uma(plain, { rpt })));
  expect(upgraded.authorization.permissions).toMatchObject([{ rsname: "doc" }]);
  expect(upgraded.scope.split(" ")).toContain("a");
  ok(await boss.patch(`/clients/${api.id}`, { resourceIndicators: ["https://api.example/"], resourceScopes: ["b"] }));
  expect(claimsOf(ok(await uma(plain))).scope.split(" ")).not.toContain("a");
});
