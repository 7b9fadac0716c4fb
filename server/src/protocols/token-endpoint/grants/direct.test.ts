import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { grantConsent } from "../../../directory/consents/index.ts";
import { clock, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { systemActor } from "../../../platform/context.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { CALLBACK, type Party, relyingParty } from "../../../testing/relying-party.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const payloadOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1]!, "base64url").toString());
const userinfo = (realm: RealmUnderTest, token: string) =>
  iam.browser().get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
const sessionsOf = async (realm: RealmUnderTest, userId: string) => (await realm.asMaster().get(`/sessions?search=${userId}`)).body;

describe("the password grant", () => {
  const legacy = (realm: RealmUnderTest, members: Record<string, unknown> = {}) =>
    relyingParty(iam, realm, {
      clientId: "legacy",
      publicClient: false,
      grantTypes: ["password", "refresh_token"],
      redirectUris: [],
      ...members,
    });
  const signIn = (party: Party, username: string, password: string, more: Record<string, string> = {}) =>
    party.post("/token", { grant_type: "password", username, password, ...more });

  test("gives tokens that live without a session, and refresh", async () => {
    const realm = await iam.realm();
    const [user, app] = [await realm.user(), await legacy(realm)];
    const tokens = await signIn(app, user.username, user.password, { scope: "openid profile" });
    expect(tokens.status, tokens.text).toBe(200);
    expect(tokens.headers["set-cookie"]).toBeUndefined();
    expect(payloadOf(tokens.body.id_token)).toMatchObject({ sub: user.userId, aud: "legacy", amr: ["pwd"] });
    expect((await userinfo(realm, tokens.body.access_token)).body.preferred_username).toBe(user.username);
    expect(await sessionsOf(realm, user.userId)).toEqual([]);
    const again = await app.post("/token", { grant_type: "refresh_token", refresh_token: tokens.body.refresh_token });
    expect(again.status, again.text).toBe(200);
    expect(await realm.events("type=LOGIN_SUCCESS")).toMatchObject([{ actor: user.username, detail: "password grant" }]);
    expect(await iam.core.metrics.registry.metrics()).toContain(`svc_tokens_issued_total{realm="${realm.name}",grant_type="password"} 3`);

    await realm.asMaster().put(`/users/${user.userId}`, { ...(await realm.asMaster().get(`/users/${user.userId}`)).body, enabled: false });
    expect((await userinfo(realm, again.body.access_token)).status).toBe(401);
    expect((await signIn(app, user.username, user.password)).body.error).toBe("invalid_grant");
  });

  test("is refused for a client that does not list it, for scopes that it may not request, and for malformed requests", async () => {
    const realm = await iam.realm();
    const [user, app] = [await realm.user(), await legacy(realm, { scopes: ["openid"] })];
    const plain = await relyingParty(iam, realm);
    expect((await signIn(plain, user.username, user.password)).body.error).toBe("unauthorized_client");
    expect((await signIn(app, user.username, user.password, { scope: "openid email" })).body.error).toBe("invalid_scope");
    expect((await signIn(app, user.username, user.password, { resource: "https://elsewhere.example" })).body.error).toBe("invalid_target");
    expect((await signIn(app, "a\u0000b", "x")).body.error).toBe("invalid_request");
    expect((await signIn(app, "", "")).body.error).toBe("invalid_request");
    expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
  });

  test("counts wrong passwords together with the sign-in page, with the same waits", async () => {
    const realm = await iam.realm();
    const [user, app] = [await realm.user(), await legacy(realm)];
    for (let n = 0; n < 5; n++) expect((await signIn(app, user.username, "wrong")).body.error_description).toContain("is wrong");
    const early = await signIn(app, user.username, user.password);
    expect([early.status, early.body.error]).toEqual([400, "invalid_grant"]);
    expect(Number(early.headers["retry-after"])).toBeGreaterThan(0);
    expect((await iam.browser().trySignIn(realm.name, user.username, user.password)).status).toBe(429);
    expect(await realm.events("type=LOGIN_FAILURE")).toHaveLength(5);
    clock.advance(MINUTE);
    expect((await signIn(app, user.username, user.password)).status).toBe(200);
  });

  test("is refused where the flow requires more than a password", async () => {
    const realm = await iam.realm();
    const [user, app] = [await realm.user(), await legacy(realm)];
    const asking = await legacy(realm, { clientId: "asking", consentRequired: true });
    expect((await signIn(asking, user.username, user.password)).body.error_description).toContain("has not allowed");
    expect((await realm.asMaster().put(`/users/${user.userId}/required-actions`, ["UPDATE_PASSWORD"])).status).toBeLessThan(300);
    const refused = await signIn(app, user.username, user.password);
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_grant"]);
    expect(refused.body.error_description).toContain("has open required actions");
    expect((await realm.events("type=LOGIN_FAILURE")).map(({ detail }) => detail)).toEqual([
      "password grant: UPDATE_PASSWORD",
      "password grant: consent",
    ]);
    expect(await iam.core.db.selectFrom("oidc_grants").select("grant_id").where("realm_id", "=", realm.name).execute()).toEqual([]);
  });
});

describe("token exchange", () => {
  const API = "https://orders.example";
  /** Creates a front end whose tokens go to `orders`, which calls `stock`. */
  async function shop(realm: RealmUnderTest) {
    const [user, browser] = [await realm.user(), iam.browser()];
    const front = await relyingParty(iam, realm, { clientId: "front", audience: ["orders", "stock", API] });
    const api = { publicClient: false, redirectUris: [], grantTypes: ["token-exchange", "client_credentials"] };
    const orders = await relyingParty(iam, realm, { ...api, clientId: "orders", audience: ["stock", "everything"] });
    const stock = await relyingParty(iam, realm, { ...api, clientId: "stock" });
    const tokens = (await front.signIn(browser, user, { scope: "openid profile email" })).body;
    return { user, front, orders, stock, tokens };
  }
  const exchange = (party: Party, subject_token: string, more: Record<string, string> = {}) =>
    party.post("/token", { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, ...more });
  const ownToken = async (party: Party): Promise<string> =>
    (await party.post("/token", { grant_type: "client_credentials" })).body.access_token;

  test("gives the audience of a token one of the same user and grant, with no more access", async () => {
    const realm = await iam.realm();
    const { user, orders, tokens } = await shop(realm);
    const before = payloadOf(tokens.access_token);
    const answer = await exchange(orders, tokens.access_token);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ issued_token_type: ACCESS_TOKEN, token_type: "Bearer", scope: "openid profile email" });
    expect(answer.body).not.toHaveProperty("refresh_token");
    const after = payloadOf(answer.body.access_token);
    expect(after).toMatchObject({ sub: user.userId, client_id: "orders", gid: before.gid, sid: before.sid });
    expect(after.aud).not.toContain("everything");
    expect(new Set(after.aud)).toEqual(new Set([before.iss, "orders", "stock"]));
    expect(after.exp).toBeLessThanOrEqual(before.exp);
    expect(after).not.toHaveProperty("act");
    expect(await iam.core.metrics.registry.metrics()).toContain(
      `svc_tokens_issued_total{realm="${realm.name}",grant_type="${EXCHANGE}"} 1`,
    );

    const narrow = await exchange(orders, tokens.access_token, { scope: "email", audience: "stock" });
    expect(payloadOf(narrow.body.access_token)).toMatchObject({ aud: "stock", scope: "email" });
    // A dropped scope is not regained by another exchange.
    expect((await exchange(orders, narrow.body.access_token, { scope: "email profile" })).body.error).toBe("invalid_scope");
    expect((await exchange(orders, narrow.body.access_token, { audience: "orders" })).body.error).toBe("invalid_target");

    await realm.asMaster().delete(`/sessions/${before.sid}`);
    expect((await userinfo(realm, answer.body.access_token)).status).toBe(401);
    expect((await exchange(orders, answer.body.access_token)).body.error).toBe("invalid_request");
  });

  test("names the actor, and the prior actors", async () => {
    const realm = await iam.realm();
    const { orders, stock, tokens } = await shop(realm);
    const first = await exchange(orders, tokens.access_token, { actor_token: await ownToken(orders), actor_token_type: ACCESS_TOKEN });
    expect(first.status, first.text).toBe(200);
    expect(payloadOf(first.body.access_token).act).toEqual({ sub: "orders", client_id: "orders" });
    const second = await exchange(stock, first.body.access_token, { actor_token: await ownToken(stock), actor_token_type: ACCESS_TOKEN });
    expect(second.status, second.text).toBe(200);
    const act = { sub: "stock", client_id: "stock", act: { sub: "orders", client_id: "orders" } };
    expect(payloadOf(second.body.access_token).act).toEqual(act);
    const silent = await exchange(stock, second.body.access_token);
    expect(payloadOf(silent.body.access_token).act, "no actor is dropped").toEqual(act);

    const theirs = await exchange(orders, tokens.access_token, { actor_token: await ownToken(stock), actor_token_type: ACCESS_TOKEN });
    expect(theirs.body.error, "another user's actor token").toBe("invalid_request");
    const played = await exchange(orders, tokens.access_token, { actor_token: first.body.access_token, actor_token_type: ACCESS_TOKEN });
    expect(played.body.error, "a delegated token is not the actor's own").toBe("invalid_request");
  });

  test("is refused to clients that the token was not issued for, and for every kind of token but a live one of a user", async () => {
    const [realm, elsewhere] = [await iam.realm(), await iam.realm()];
    const { front, orders, tokens } = await shop(realm);
    const there = await shop(elsewhere);
    const outsider = await relyingParty(iam, realm, {
      clientId: "outsider",
      publicClient: false,
      redirectUris: [],
      grantTypes: ["token-exchange"],
    });
    const error = async (answer: ReturnType<typeof exchange>) => (await answer).body.error;
    expect(await error(exchange(outsider, tokens.access_token))).toBe("invalid_request");
    expect(await error(exchange(front, tokens.access_token)), "not listed").toBe("unauthorized_client");
    expect(await error(exchange(orders, there.tokens.access_token)), "of another realm").toBe("invalid_request");
    expect(await error(exchange(orders, tokens.id_token))).toBe("invalid_request");
    expect(await error(exchange(orders, await ownToken(orders))), "no user").toBe("invalid_request");
    const [head, body] = tokens.access_token.split(".");
    expect(await error(exchange(orders, `${head}.${body}.AAAA`))).toBe("invalid_request");
    expect(await error(exchange(orders, tokens.access_token, { subject_token_type: "urn:ietf:params:oauth:token-type:id_token" }))).toBe(
      "invalid_request",
    );
    expect(
      await error(exchange(orders, tokens.access_token, { requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" })),
    ).toBe("invalid_request");
    expect(await error(exchange(orders, tokens.access_token, { scope: "openid phone" }))).toBe("invalid_scope");
    for (const target of ["everything", "https://elsewhere.example"])
      expect(await error(exchange(orders, tokens.access_token, { audience: target }))).toBe("invalid_target");
    expect(await error(exchange(orders, tokens.access_token, { resource: API })), "not among its own").toBe("invalid_target");
    clock.advance(6 * MINUTE);
    expect(await error(exchange(orders, tokens.access_token))).toBe("invalid_request");
  });

  test("never outlives the subject token, and needs the user's consent if the client does", async () => {
    const realm = await iam.realm();
    const { tokens } = await shop(realm);
    const api = { publicClient: false, redirectUris: [CALLBACK], grantTypes: ["token-exchange", "authorization_code"] };
    const asking = await relyingParty(iam, realm, { ...api, clientId: "asking", consentRequired: true });
    expect((await exchange(asking, tokens.access_token)).body.error).toBe("invalid_request");
    const user = await realm.user();
    const front = await relyingParty(iam, realm, { clientId: "wide", audience: ["long", "asking"], accessTokenLifetime: 60 });
    const long = await relyingParty(iam, realm, { ...api, clientId: "long", accessTokenLifetime: 3600 });
    const short = (await front.signIn(iam.browser(), user)).body.access_token;
    const { exp } = payloadOf((await exchange(long, short)).body.access_token);
    expect(exp - payloadOf(short).iat).toBeLessThanOrEqual(60);
    expect((await exchange(asking, short)).body.error_description).toContain("has not allowed");
    expect(exp * SECOND).toBeLessThanOrEqual(clock.now() + MINUTE);

    // The client needs the user's consent as long as the token is used.
    await iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
      grantConsent(ctx, { userId: user.userId, clientId: "asking", resource: null }, ["openid"]),
    );
    const allowed = (await exchange(asking, short)).body.access_token;
    const isActive = async () => (await asking.post("/introspect", { token: allowed })).body.active;
    expect(await isActive()).toBe(true);
    expect((await realm.asMaster().delete(`/users/${user.userId}/gdpr/consents/asking`)).status).toBe(204);
    expect(await isActive()).toBe(false);
  });
});
