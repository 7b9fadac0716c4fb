import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grantConsent } from "../../directory/consents/index.ts";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import { type Answer, Browser } from "../../testing/browser.ts";
import { type Node, type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { dpopKey } from "../../testing/proof.ts";
import { relyingParty, submit, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ok = ({ status, text, body }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};
const claimsOf = ({ body }: Pick<Answer, "body">) => JSON.parse(Buffer.from(body.access_token.split(".")[1], "base64url").toString());

interface AgentUnderTest {
  readonly id: string;
  readonly clientId: string;
  readonly client: string;
  readonly secret: string;
}

/** Creates a realm with scopes a, b and c, a user who is signed in to an application, and agents. */
async function stage(more: { scopes?: string[] } = {}) {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  for (const name of ["a", "b", "c"]) ok(await boss.post("/client-scopes", { name, assignment: "OPTIONAL" }));
  const user = await realm.user("ada");
  const owner = await realm.user("owen");
  const app = await relyingParty(iam, realm);
  const browser = iam.browser();
  const answer = await app.signIn(browser, user, { scope: "openid a b c" });
  const token = ok(answer).access_token as string;

  const agent = async (clientId: string, settings: object = {}, scopes = more.scopes ?? ["b", "c"]): Promise<AgentUnderTest> => {
    const grantTypes = ["client_credentials"];
    const { id: client, secret } = ok(await boss.post("/clients", { clientId, grantTypes, ...settings }));
    const { id } = ok(await boss.post("/agents", { name: clientId, clientId, ownerUserId: owner.userId, scopes }));
    ok(await boss.post(`/agents/${id}/activate`));
    return { id, clientId, client, secret };
  };
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    iam.browser().request("POST", `/realms/${realm.name}${path}`, { form, headers, csrf: false });
  const authenticated = ({ clientId, secret }: AgentUnderTest) => ({ client_id: clientId, client_secret: secret });
  const own = async (of: AgentUnderTest, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    ok(await post("/token", { grant_type: "client_credentials", ...authenticated(of), ...form }, headers)).access_token as string;
  const consent = (of: Pick<AgentUnderTest, "clientId">, scopes: string[]) =>
    iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
      grantConsent(ctx, { userId: user.userId, clientId: of.clientId, resource: null }, scopes),
    );
  /** Delegates with the agent's token in the header. */
  const delegate = async (of: AgentUnderTest, form: Record<string, string> = {}, subject = token): Promise<Answer> =>
    post(
      "/agent/delegation/token",
      { grant_type: EXCHANGE, subject_token: subject, subject_token_type: ACCESS_TOKEN, ...form },
      { authorization: `Bearer ${await own(of)}` },
    );
  const introspects = async (value: string) => {
    watch ??= ok(await boss.post("/clients", { clientId: "watch", grantTypes: ["client_credentials"], introspectAll: true })).secret;
    return (await post("/introspect", { token: value, client_id: "watch", client_secret: watch! })).body;
  };
  let watch: string | undefined;
  return { realm, boss, user, app, browser, token, agent, post, authenticated, own, consent, delegate, introspects };
}

test("an agent acts for a user who allowed it: scopes shrink, act nests, and ending one agent, or the consent, ends the chain", async () => {
  const { realm, boss, user, token, agent, post, authenticated, own, consent, delegate, introspects } = await stage();
  const [first, second] = [await agent("first"), await agent("second", { firstParty: true })];
  await consent(first, ["a", "b"]);
  await consent(second, ["b"]);

  const answer = await delegate(first);
  expect(ok(answer)).toMatchObject({ issued_token_type: ACCESS_TOKEN, token_type: "Bearer", scope: "b" });
  expect(answer.body.refresh_token).toBeUndefined();
  const claims = claimsOf(answer);
  expect(claims).toMatchObject({ sub: user.userId, client_id: "first", nhi: true, agent_id: first.id, scope: "b" });
  expect(claims.act).toEqual({ sub: "first", client_id: "first", agent_id: first.id, sub_profile: "ai_agent" });
  expect(claims.exp).toBeLessThanOrEqual(JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()).exp);
  expect((await delegate(first, { scope: "c" })).body).toMatchObject({ error: "invalid_request" });

  // The second agent uses client authentication and actor_token, on the token of the first.
  const through = await post("/agent/delegation/token", {
    ...{ grant_type: EXCHANGE, subject_token: answer.body.access_token, subject_token_type: ACCESS_TOKEN, ...authenticated(second) },
    ...{ actor_token: await own(second), actor_token_type: ACCESS_TOKEN, scope: "b" },
  });
  expect(claimsOf(through).act).toEqual({ ...claims.act, sub: "second", client_id: "second", agent_id: second.id, act: claims.act });
  const chained = through.body.access_token;
  expect(await introspects(chained)).toMatchObject({ active: true, nhi: true, agent_id: second.id, username: "ada" });

  // The token identifies the user at userinfo, but reads no account, changes nothing, and opens no admin API.
  const by = (value: string) => ({ headers: { authorization: `Bearer ${value}` } });
  expect((await iam.browser().get(`/realms/${realm.name}/userinfo`, by(chained))).status).toBe(403); // the token lacks openid
  expect((await iam.browser().get(`/realms/${realm.name}/account/profile`, by(chained))).status).toBe(403);
  expect((await realm.anonymous().get("/users", by(chained))).status).toBe(401);

  // An agent may not be twice in a chain.
  expect((await delegate(first, {}, chained)).body).toMatchObject({ error: "invalid_request", error_description: /chain already/ });
  expect((await delegate(second, {}, chained)).body).toMatchObject({ error: "invalid_request", error_description: /chain already/ });

  for (const [end, again] of [
    [() => boss.post(`/agents/${first.id}/suspend`), () => boss.post(`/agents/${first.id}/activate`)],
    [() => boss.patch(`/clients/${first.client}`, { enabled: false }), () => boss.patch(`/clients/${first.client}`, { enabled: true })],
    [() => boss.patch(`/agents/${first.id}`, { expiresAt: 1 }), () => boss.patch(`/agents/${first.id}`, { expiresAt: null })],
  ] as const) {
    ok(await end());
    expect(await introspects(chained)).toEqual({ active: false });
    ok(await again());
    expect(await introspects(chained)).toMatchObject({ active: true });
  }
  expect((await boss.delete(`/users/${user.userId}/gdpr/consents/first`)).status).toBe(204);
  expect(await introspects(chained)).toEqual({ active: false });
  expect(await introspects(answer.body.access_token)).toEqual({ active: false });

  const [issued] = await realm.events("type=DELEGATION_ISSUED");
  expect(issued).toMatchObject({ actor: "second", actorKind: "agent", resourceId: user.userId, detail: "scopes b, through first" });
});

test("the new token expires with the user's, also when the second ends while it is made", async () => {
  const { token, agent, consent, delegate } = await stage();
  const made = await agent("first");
  await consent(made, ["b"]);
  const { exp } = claimsOf({ body: { access_token: token } });
  // The clock moves by a quarter of a second per millisecond, for less than the token's lifetime.
  let ticks = 0;
  const ticking = setInterval(() => {
    if (ticks++ < 800) clock.advance(SECOND / 4);
  }, 1);
  try {
    for (let n = 0; n < 30; n++) expect(claimsOf(await delegate(made)).exp).toBeLessThanOrEqual(exp);
  } finally {
    clearInterval(ticking);
    clock.reset();
  }
});

test("the user's sign-in by the agent's own client is marked, too, and gives the agent no permission of the user", async () => {
  const { realm, boss, agent } = await stage({ scopes: [] });
  const admin = `${iam.config.baseUrl}/admin`;
  const made = await agent("assistant", {
    ...{
      grantTypes: ["client_credentials", "authorization_code", "refresh_token"],
      redirectUris: ["https://app.example/cb"],
      firstParty: true,
    },
  });
  ok(await boss.put(`/clients/${made.client}/allowed-resources`, { allowedResources: [admin] }));
  const party = await relyingParty(iam, realm, { clientId: "other" });
  const holder = await realm.as("realm-admin");
  const url = party.url({ client_id: "assistant", resource: admin, scope: "openid" });
  const { page } = await walk(holder.browser, iam.config.baseUrl, url);
  // The user is asked although the client is first-party, and sees who owns the agent.
  expect(page.text).toMatch(/assistant[\s\S]*owen/);
  const { left } = await submit(holder.browser, iam.config.baseUrl, page, { decision: "allow" });
  const code = left?.searchParams.get("code") ?? "";
  const answer = await iam.browser().request("POST", `/realms/${realm.name}/token`, {
    form: {
      ...{ grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: party.verifier },
      ...{ client_id: "assistant", client_secret: made.secret },
    },
    csrf: false,
  });
  expect(claimsOf(answer)).toMatchObject({ nhi: true, agent_id: made.id, aud: admin, act: { client_id: "assistant", agent_id: made.id } });
  const users = (token: string) => realm.anonymous().get("/users", { headers: { authorization: `Bearer ${token}` } });
  expect((await users(answer.body.access_token)).status).toBe(403);
  const inOwnName = async () =>
    ok(
      await iam.browser().request("POST", `/realms/${realm.name}/token`, {
        form: { grant_type: "client_credentials", resource: admin, client_id: "assistant", client_secret: made.secret },
        csrf: false,
      }),
    ).access_token;
  expect((await users(await inOwnName())).status).toBe(403);
  ok(await boss.post(`/clients/${made.client}/service-account/roles`, { name: "admin" }));
  expect((await users(await inOwnName())).status).toBe(200);
});

test("a client that becomes an agent's loses its earlier consents and grants, even those that are stored concurrently", async () => {
  const { realm, boss, user, consent } = await stage();
  const { db } = iam.core;
  /** Stores the client's grants again, as a request does that began before they ended. */
  const copyGrants = async (clientId: string): Promise<() => Promise<void>> => {
    const grants = sql`select grant_id from oidc_grants where realm_id = ${realm.name} and client_id = ${clientId}`;
    const rows: { table: ReturnType<typeof sql.table>; row: string }[] = [];
    for (const table of ["oidc_grants", "oidc_records"].map((name) => sql.table(name))) {
      const found = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${table} t where grant_id in (${grants})`.execute(db);
      rows.push(...found.rows.map(({ row }) => ({ table, row })));
    }
    return async () => {
      for (const { table, row } of rows)
        await sql`insert into ${table} select * from jsonb_populate_record(null::${table}, ${row}::text::jsonb)`.execute(db);
    };
  };
  const owner = (await boss.get("/users?search=owen")).body[0].userId;
  const create = (clientId: string) => boss.post("/agents", { name: clientId, clientId, ownerUserId: owner });
  const change = async (clientId: string) => {
    const { id } = ok(await boss.post("/agents", { name: clientId, ownerUserId: owner }));
    return boss.patch(`/agents/${id}`, { clientId });
  };
  const signIn = { username: user.username, password: user.password };
  for (const [clientId, bind] of Object.entries({ created: create, changed: change })) {
    const party = await relyingParty(iam, realm, {
      ...{
        clientId,
        publicClient: false,
        firstParty: true,
        grantTypes: ["password", "refresh_token", "client_credentials"],
        redirectUris: [],
      },
    });
    const refresh = (token: string) => party.post("/token", { grant_type: "refresh_token", refresh_token: token });
    const first = ok(await party.post("/token", { grant_type: "password", ...signIn })).refresh_token;
    const { refresh_token: last, scope } = ok(await refresh(first));
    await consent({ clientId }, scope.split(" "));
    const storeAgain = await copyGrants(clientId);
    const { id } = ok(await bind(clientId));
    ok(await boss.post(`/agents/${id}/activate`));
    expect(await refresh(last), clientId).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    await storeAgain();
    const refused = { error: "invalid_grant", error_description: expect.stringContaining("has not allowed this agent") };
    expect(await refresh(last), clientId).toMatchObject({ status: 400, body: refused });
    await consent({ clientId }, scope.split(" "));
    expect(claimsOf(await refresh(last)), clientId).toMatchObject({ agent_id: id, scope });
    ok(await party.post("/token", { grant_type: "client_credentials" }));
  }
});

describe("is refused", () => {
  test("every request that parts 3.1 and 3.2 of the rules name, with an event and a reason", async () => {
    const { realm, boss, user, token, app, agent, post, own, consent, delegate } = await stage();
    const bot = await agent("bot");
    const plain = ok(await boss.post("/clients", { clientId: "plain", grantTypes: ["client_credentials"] })) as { secret: string };
    const plainAgent = { id: "", client: "", clientId: "plain", secret: plain.secret };
    expect((await delegate(bot)).body.error_description).toMatch(/has not allowed this agent to act/);
    await consent(bot, ["b"]);
    ok(await delegate(bot));

    // These are tokens that are not a user's own access token.
    const signedIn = ok(await app.signIn(iam.browser(), user, { scope: "openid b" }));
    const player = await realm.as("manage-users", "view-users");
    const { url } = ok(await player.post(`/users/${user.userId}/impersonate`));
    await player.browser.get(url.slice(iam.config.baseUrl.length));
    const played = ok(await app.signIn(player.browser, { username: "", password: "" }, { scope: "openid b" })).access_token;
    const elsewhere = await stage();
    const subjects: [string, string][] = [
      [await own(bot), "must be a user's"],
      [signedIn.id_token, "not valid here"],
      [played, "only the user can do this"],
      [elsewhere.token, "not valid here"],
      [`${token}x`, "not valid here"],
      ["", "are needed"],
    ];
    for (const [subject, reason] of subjects)
      expect((await delegate(bot, {}, subject)).body, reason).toMatchObject({
        error: "invalid_request",
        error_description: expect.stringContaining(reason),
      });

    // These are the forms.
    const forms: [Record<string, string>, string][] = [
      [{ grant_type: "client_credentials" }, "unsupported_grant_type"],
      [{ subject_token_type: "urn:ietf:params:oauth:token-type:id_token" }, "invalid_request"],
      [{ requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" }, "invalid_request"],
      [{ actor_token: token, actor_token_type: ACCESS_TOKEN }, "invalid_request"],
      [{ scope: "a" }, "invalid_scope"],
      [{ scope: "c" }, "invalid_request"],
      [{ scope: "offline_access" }, "invalid_scope"],
      [{ audience: "https://api.example" }, "invalid_target"],
    ];
    for (const [form, error] of forms) expect((await delegate(bot, form)).body.error, JSON.stringify(form)).toBe(error);

    // These are callers: none, not an agent's, with a user's token, with another's actor token, with one for another audience.
    const asked = { grant_type: EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN };
    const at = "/agent/delegation/token";
    const actor = (actor_token: string) => ({ actor_token, actor_token_type: ACCESS_TOKEN });
    expect((await post(at, asked)).status).toBe(401);
    expect((await post(at, { ...asked, client_id: "bot", client_secret: "wrong" })).status).toBe(401);
    expect((await post(at, asked, { authorization: `Bearer ${token}` })).body.error).toBe("unauthorized_client");
    expect((await post(at, asked, { authorization: "Bearer nonsense" })).status).toBe(401);
    expect((await post(at, asked, { authorization: `Bearer ${await own(plainAgent)}` })).body.error).toBe("unauthorized_client");
    const authenticated = { ...asked, client_id: "bot", client_secret: bot.secret };
    const other = await agent("other");
    expect((await post(at, authenticated)).body.error_description).toMatch(/actor_token and actor_token_type are needed/);
    expect((await post(at, { ...authenticated, ...actor(await own(other)) })).body.error_description).toMatch(
      /was not issued to this client/,
    );
    const acting = ok(await delegate(bot)).access_token;
    expect((await post(at, { ...authenticated, ...actor(acting) })).body.error_description).toMatch(/actor's own/);
    expect((await post(at, asked, { authorization: `Bearer ${acting}` })).body.error_description).toMatch(/actor's own/);
    ok(await boss.put(`/clients/${bot.client}/allowed-resources`, { allowedResources: ["https://api.example"] }));
    const away = await own(bot, { resource: "https://api.example" });
    expect((await post(at, { ...authenticated, ...actor(away) })).body.error_description).toMatch(/not for this realm/);
    expect((await post(at, asked, { authorization: `Bearer ${away}` })).status).toBe(401);
    ok(await post(at, { ...authenticated, ...actor(await own(bot)) }));

    // A bound actor token needs its key, and then the new token is bound, too.
    const proof = dpopKey();
    const endpoint = (path: string) => `${iam.config.baseUrl}/realms/${realm.name}${path}`;
    const bound = await own(bot, {}, { dpop: proof("POST", endpoint("/token")) });
    expect((await post(at, { ...authenticated, ...actor(bound) })).body.error_description).toMatch(/bound to a key/);
    const kept = await post(at, { ...authenticated, ...actor(bound) }, { dpop: proof("POST", endpoint(at)) });
    expect(ok(kept).token_type).toBe("DPoP");
    expect(claimsOf(kept).cnf.jkt).toEqual(expect.any(String));

    // These are may_act, and realms that require no consent.
    ok(await boss.patch(`/clients/${app.id}`, { mayAct: "other" }));
    const named = ok(await app.signIn(iam.browser(), user, { scope: "openid b" })).access_token;
    expect((await delegate(bot, {}, named)).body.error_description).toMatch(/names another party/);
    expect((await delegate(other, {}, named)).body.error_description).toMatch(/has not allowed/);
    ok(await boss.patch("/settings", { agents: { allowDelegationWithoutConsent: true } }));
    expect(ok(await delegate(other, {}, named)).scope).toBe("b");
    expect((await delegate(other, {}, token)).body.error_description).toMatch(/has not allowed/);

    await iam.server.activity.flush();
    const events = await realm.events("type=DELEGATION_REJECTED");
    expect(events.length).toBeGreaterThan(15);
    expect(events[0]).toMatchObject({ actorKind: "agent", outcome: "FAILURE", detail: expect.any(String) });

    // Nothing works any more once the user's session or the agent has ended.
    ok(await boss.post(`/agents/${bot.id}/suspend`));
    expect((await post(at, { ...authenticated, ...actor(acting) })).status).toBe(401);
  });

  test("a sixth party: chains end at five", async () => {
    const { agent, consent, delegate, token } = await stage({ scopes: ["b"] });
    let held = token;
    for (let depth = 1; depth <= 6; depth++) {
      const next = await agent(`link${depth}`);
      await consent(next, ["b"]);
      const answer = await delegate(next, {}, held);
      if (depth === 6) expect(answer.body).toMatchObject({ error: "invalid_request", error_description: /no more than 5/ });
      else held = ok(answer).access_token;
    }
  });
});

describe("on another node", () => {
  let second: Node;
  beforeAll(async () => {
    second = await iam.secondNode();
  });

  test("a suspended agent gets nothing with its next request, and its tokens are not active there", async () => {
    const { realm, boss, agent, own, consent, delegate } = await stage();
    const bot = await agent("bot");
    await consent(bot, ["b"]);
    const there = new Browser(second.server.app);
    const ask = (path: string, form: Record<string, string>) =>
      there.request("POST", `/realms/${realm.name}${path}`, {
        form: { client_id: "bot", client_secret: bot.secret, ...form },
        csrf: false,
      });
    const held = ok(await delegate(bot)).access_token;
    // The other node has the client in its snapshot.
    const token = ok(await ask("/token", { grant_type: "client_credentials" })).access_token;
    const userinfo = () => there.get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${held}` } });
    expect((await userinfo()).status).toBe(403);
    const watch = ok(await boss.post("/clients", { clientId: "watch", grantTypes: ["client_credentials"], introspectAll: true })).secret;
    const isActive = async (value: string) =>
      (await ask("/introspect", { token: value, client_id: "watch", client_secret: watch })).body.active;
    expect(await isActive(token)).toBe(true);
    ok(await boss.post(`/agents/${bot.id}/suspend`));
    expect(await ask("/token", { grant_type: "client_credentials" })).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect([await isActive(token), await isActive(held), (await userinfo()).status]).toEqual([false, false, 401]);
    ok(await boss.post(`/agents/${bot.id}/activate`));
    expect([await isActive(token), await isActive(held), (await userinfo()).status]).toEqual([true, true, 403]);
    clock.advance(10 * MINUTE);
    expect(await own(bot)).toEqual(expect.any(String));
  });
});
