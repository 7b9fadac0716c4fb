import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { allowMessages } from "../../testing/outbox.ts";
import { dpopKey } from "../../testing/proof.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { giveTotp } from "../../testing/totp.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The cleanup would delete rows by the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const at = (realm: RealmUnderTest, path = "/profile") => `/realms/${realm.name}/account${path}`;
const bearing = (token: string, more: Record<string, string> = {}) => ({ headers: { authorization: `Bearer ${token}`, ...more } });
const enter = (realm: RealmUnderTest, token: string) => iam.browser().get(at(realm), bearing(token));
const INVALID = [401, "account.bearer"];

async function tokensOf(party: Party, user: { username: string; password: string }, params: Record<string, string> = {}) {
  const answer = await party.signIn(iam.browser(), user, params);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as { access_token: string; id_token: string; refresh_token: string };
}

describe("a user's access token", () => {
  test("opens the account as the session does, without CSRF", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const party = await relyingParty(iam, realm, { scopes: ["openid", "account"] });
    const { access_token: token } = await tokensOf(party, user, { scope: "openid account" });
    expect((await enter(realm, token)).body).toMatchObject({ userId: user.userId });
    const saved = await iam.browser().put(at(realm), { firstName: "Ada" }, bearing(token));
    expect(saved.body).toMatchObject({ firstName: "Ada" });
    expect((await realm.events("type=PROFILE_CHANGED"))[0]).toMatchObject({ actor: user.username, impersonator: null });
    const { body: sessions } = await iam.browser().get(at(realm, "/sessions"), bearing(token));
    expect(sessions).toMatchObject([{ current: true, clients: ["app"] }]);
    // The session of the token is the one that remains.
    const change = { currentPassword: user.password, newPassword: "an altogether different one" };
    expect((await iam.browser().put(at(realm, "/password"), change, bearing(token))).status).toBe(204);
    expect((await enter(realm, token)).status).toBe(200);
  });

  test("without the scope account reads for a first-party application, and changes neither mail address nor credentials", async () => {
    const realm = await iam.realm();
    await allowMessages(realm);
    const user = await realm.user();
    const party = await relyingParty(iam, realm, { firstParty: true });
    const { access_token: token } = await tokensOf(party, user);
    expect((await enter(realm, token)).status).toBe(200);
    const by = bearing(token);
    const refused = [403, "account.insufficient_scope"];
    const put = await iam.browser().put(at(realm), { email: "mine@evil.example" }, by);
    expect(refusal(put)).toEqual(refused);
    expect(put.headers["www-authenticate"]).toMatch(/error="insufficient_scope".*scope="account"/);
    expect(refusal(await iam.browser().post(at(realm, "/credentials"), { type: "recovery-code" }, by))).toEqual(refused);
    expect(refusal(await iam.browser().delete(at(realm, "/sessions"), by))).toEqual(refused);
    expect(refusal(await iam.browser().delete(at(realm, ""), by))).toEqual(refused);
    expect((await realm.asMaster().get(`/users/${user.userId}/credentials`)).body).toHaveLength(1);
    // The client cannot request the scope either, because only an administrator gives it.
    const { left } = await walk(iam.browser(), iam.config.baseUrl, party.url({ scope: "openid account", prompt: "none" }));
    expect(left?.searchParams.get("error")).toBe("invalid_scope");
  });

  test("changes nothing by which the user signs in if its session is older than ten minutes, and the error says what to ask for", async () => {
    const realm = await iam.realm();
    await allowMessages(realm);
    const user = await realm.user();
    const members = {
      scopes: ["openid", "account", "offline_access"],
      accessTokenLifetime: 86_400,
      grantTypes: ["authorization_code", "refresh_token"],
    };
    const party = await relyingParty(iam, realm, members);
    const browser = iam.browser();
    const token = (await party.signIn(browser, user, { scope: "openid account" })).body.access_token;
    const mint = (by: string) => iam.browser().post(at(realm, "/credentials"), { type: "recovery-code" }, bearing(by));
    expect((await mint(token)).status).toBe(201);
    clock.advance(10 * MINUTE + SECOND);
    const stale = await mint(token);
    expect(refusal(stale)).toEqual([403, "auth.recent_authentication_required"]);
    expect(stale.headers["www-authenticate"]).toMatch(/^Bearer error="insufficient_user_authentication", .*max_age="600"$/);
    expect(refusal(await iam.browser().put(at(realm), { email: "new@example.com" }, bearing(token)))).toEqual(refusal(stale));
    expect(refusal(await iam.browser().put(at(realm), { attributes: { phoneNumber: "+31" } }, bearing(token)))).toEqual(refusal(stale));
    expect((await iam.browser().put(at(realm), { firstName: "Ada" }, bearing(token))).status, "a name opens nothing").toBe(200);
    // The session counts as it is now: the same token works once its user has signed in again.
    const { page } = await walk(browser, iam.config.baseUrl, party.url({ max_age: "600" }));
    await submit(browser, iam.config.baseUrl, page, { username: user.username, password: user.password });
    expect((await mint(token)).status).toBe(201);
    // A token without a session has no authentication.
    const offline = await tokensOf(party, user, { scope: "openid account offline_access" });
    expect(refusal(await mint(offline.access_token))).toEqual(refusal(stale));
    const code = await giveTotp(iam, realm.name, user.userId);
    const weak = await mint(token);
    const insufficient = [403, "auth.insufficient_authentication"];
    expect(refusal(weak), "the second factor that there is by now was not shown").toEqual(insufficient);
    expect(weak.headers["www-authenticate"]).toContain('acr_values="2"');
    const stepUp = JSON.stringify({ id_token: { acr: { essential: true, values: ["2"] } } });
    const more = await walk(browser, iam.config.baseUrl, party.url({ claims: stepUp }));
    await submit(browser, iam.config.baseUrl, more.page, { code: code() });
    expect((await mint(token)).status).toBe(201);
  });

  test("needs the scope account for a third-party application, also to read, and is for the realm itself", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const party = await relyingParty(iam, realm);
    const answer = await enter(realm, (await tokensOf(party, user)).access_token);
    expect(refusal(answer)).toEqual([403, "account.insufficient_scope"]);
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer realm="[^"]+", error="insufficient_scope", .*scope="account"/);
    const { body: client } = await realm.asMaster().get(`/clients/${party.id}`);
    await realm.asMaster().put(`/clients/${party.id}`, { ...client, scopes: ["openid", "account"] });
    expect((await enter(realm, (await tokensOf(party, user, { scope: "openid account" })).access_token)).status).toBe(200);

    await realm.asMaster().put(`/clients/${party.id}/allowed-resources`, { allowedResources: ["https://api.example"] });
    const elsewhere = (await tokensOf(party, user, { resource: "https://api.example", scope: "openid account" })).access_token;
    expect(refusal(await enter(realm, elsewhere))).toEqual(INVALID);
  });

  test("does not change how an administrator signs in", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("view-users");
    const party = await relyingParty(iam, realm, { firstParty: true, scopes: ["openid", "account"] });
    const owner = { username: admin.username, password: "a password for tests" };
    const { access_token: token } = await tokensOf(party, owner, { scope: "openid account" });
    await allowMessages(realm);
    const refused = [403, "account.administrator"];
    const by = bearing(token);
    expect(refusal(await iam.browser().put(at(realm), { email: "mine@example.com" }, by))).toEqual(refused);
    expect(refusal(await iam.browser().post(at(realm, "/credentials"), { type: "enrollment-token" }, by))).toEqual(refused);
    const { body: credentials } = await iam.browser().get(at(realm, "/credentials"), by);
    expect(refusal(await iam.browser().delete(at(realm, `/credentials/password/${credentials[0].id}`), by))).toEqual(refused);
    expect((await iam.browser().put(at(realm), { firstName: "Ada" }, by)).status).toBe(200);
    expect((await admin.browser.put(at(realm), { email: "own@example.com" })).status).toBe(200);
  });

  test("gets the reason of the refusal, and the metadata address (WWW-Authenticate)", async () => {
    const realm = await iam.realm();
    const issuer = `${iam.config.baseUrl}/realms/${realm.name}`;
    const metadata = `resource_metadata="${issuer}/.well-known/oauth-protected-resource"`;
    expect((await iam.browser().get(at(realm))).headers["www-authenticate"]).toBe(`Bearer realm="${issuer}", ${metadata}`);
    const refused = await enter(realm, "abc");
    expect(refused.headers["www-authenticate"]).toMatch(/^Bearer realm="[^"]+", error="invalid_token", error_description="[^"]+", /);
    expect(refused.headers["www-authenticate"]).toContain(metadata);
    const { body } = await iam.browser().get(metadata.replace(/^.*="http:..[^/]+|"$/g, ""));
    expect(body).toMatchObject({ resource: issuer, authorization_servers: [issuer] });
  });
});

describe("refused is", () => {
  test("another realm's token, an ID token, a refresh token, a client's own, none at all, one beside a session", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const user = await realm.user();
    const tokens = await tokensOf(await relyingParty(iam, realm, { firstParty: true }), user);
    const foreign = await tokensOf(await relyingParty(iam, other, { firstParty: true }), await other.user(user.username));
    const machine = await relyingParty(iam, realm, {
      ...{ clientId: "machine", publicClient: false, firstParty: true, redirectUris: [], grantTypes: ["client_credentials"] },
    });
    const own = (await machine.post("/token", { grant_type: "client_credentials" })).body.access_token;
    const [head, body] = tokens.access_token.split(".");
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url")}.${body}.`;
    for (const token of [foreign.access_token, tokens.id_token, tokens.refresh_token, own, unsigned, `${head}.${body}.AAAA`, ""])
      expect([token, ...refusal(await enter(realm, token))]).toEqual([token, ...INVALID]);
    const browser = iam.browser();
    await browser.signIn(realm.name, user.username, user.password);
    expect(refusal(await browser.get(at(realm), bearing(tokens.access_token)))).toEqual([400, "account.two_credentials"]);
  });

  test("an expired or revoked token, or one of a deleted client, user or session, at once", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const party = await relyingParty(iam, realm, { firstParty: true });
    const fresh = async () => {
      const user = await realm.user();
      const { access_token: token } = await tokensOf(party, user);
      expect((await enter(realm, token)).status).toBe(200);
      return { user, token };
    };
    const dead = async (token: string) => expect(refusal(await enter(realm, token))).toEqual(INVALID);

    const disabled = await fresh();
    const { body } = await boss.get(`/users/${disabled.user.userId}`);
    await boss.put(`/users/${disabled.user.userId}`, { ...body, enabled: false });
    await dead(disabled.token);
    const ended = await fresh();
    const [session] = (await boss.get(`/sessions?search=${ended.user.userId}`)).body;
    await boss.delete(`/sessions/${session.id}`);
    await dead(ended.token);
    const revoked = await fresh();
    expect((await party.post("/revoke", { token: revoked.token })).status).toBe(200);
    await dead(revoked.token);
    const late = await fresh();
    clock.advance(6 * MINUTE);
    await dead(late.token);
    clock.reset();
    const { body: client } = await boss.get(`/clients/${party.id}`);
    await boss.put(`/clients/${party.id}`, { ...client, enabled: false });
    await dead(late.token);
  });

  test("a token that is bound to a key, presented as a bearer token", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { firstParty: true });
    const prove = dpopKey();
    const proof = prove("POST", `${iam.config.baseUrl}/realms/${realm.name}/token`);
    const post: Party["post"] = (path, form) =>
      iam
        .browser()
        .request("POST", `/realms/${realm.name}${path}`, { form: { client_id: "app", ...form }, headers: { dpop: proof }, csrf: false });
    Object.assign(party, { post });
    const { access_token: token } = await tokensOf(party, await realm.user());
    expect(JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()).cnf).toEqual({ jkt: expect.any(String) });
    const answer = await enter(realm, token);
    expect([refusal(answer), answer.body.detail]).toEqual([INVALID, expect.stringContaining("bound to a key")]);
    // RFC 9449 §7.1: the token opens the account with a proof, once per proof, and only with its own key.
    const by = (dpop: string) => iam.browser().get(at(realm), { headers: { authorization: `DPoP ${token}`, dpop } });
    const shown = prove("GET", `${iam.config.baseUrl}${at(realm)}`, token);
    expect((await by(shown)).status).toBe(200);
    expect(refusal(await by(shown))).toEqual(INVALID);
    expect(refusal(await by(dpopKey()("GET", `${iam.config.baseUrl}${at(realm)}`, token)))).toEqual(INVALID);
  });
});

describe("scripts of other origins", () => {
  test("are those that the client names, and never with cookies", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { firstParty: true, webOrigins: ["https://app.example"] });
    const { access_token: token } = await tokensOf(party, await realm.user());
    const preflight = await iam.browser().request("OPTIONS", at(realm), {
      headers: { origin: "https://app.example", "access-control-request-method": "PUT", "access-control-request-headers": "authorization" },
    });
    expect([preflight.status, preflight.headers["access-control-allow-headers"]]).toEqual([204, "authorization"]);
    expect(preflight.headers["access-control-allow-methods"]).toContain("PUT");
    const allowed = async (origin: string, authorization = `Bearer ${token}`) => {
      const { headers } = await iam.browser().get(at(realm), { headers: { origin, authorization } });
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
      return headers["access-control-allow-origin"];
    };
    expect(await allowed("https://app.example")).toBe("https://app.example");
    expect(await allowed("https://evil.example")).toBeUndefined();
    expect(await allowed("https://app.example", "Bearer expired")).toBe("*");
    const browser = iam.browser();
    const user = await realm.user();
    await browser.signIn(realm.name, user.username, user.password);
    const bySession = await browser.get(at(realm), { headers: { origin: "https://app.example" } });
    expect([bySession.status, bySession.headers["access-control-allow-origin"]]).toEqual([200, undefined]);
  });
});
