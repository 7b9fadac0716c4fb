import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import type { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { receiver as startReceiver } from "../../testing/receiver.ts";
import { type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const CIBA = "urn:openid:params:grant-type:ciba";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness({ GATEHOUSE_MODE: "development" });
  await iam.server.jobs.stop();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const payloadOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1]!, "base64url").toString());
const userinfo = (realm: RealmUnderTest, token: string) =>
  iam.browser().get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${token}` } });

/** Opens a page as a user who may have to sign in first. */
async function open(browser: Browser, path: string, user: { username: string; password: string }) {
  const { baseUrl } = iam.config;
  const { page } = await walk(browser, baseUrl, path);
  if (!page.text.includes('name="password"')) return page;
  return (await submit(browser, baseUrl, page, { username: user.username, password: user.password })).page;
}
const press = async (browser: Browser, page: Awaited<ReturnType<typeof open>>, fields: Record<string, string>) =>
  (await submit(browser, iam.config.baseUrl, page, fields)).page;

describe("a device", () => {
  const television = (realm: RealmUnderTest, members: Record<string, unknown> = {}) =>
    relyingParty(iam, realm, { clientId: "tv", name: "Television", grantTypes: ["device", "refresh_token"], redirectUris: [], ...members });
  const start = async (party: Party, form: Record<string, string> = {}) => {
    const answer = await party.post("/device/authorize", { scope: "openid profile", ...form });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as { device_code: string; user_code: string; verification_uri: string; verification_uri_complete: string };
  };
  const poll = (party: Party, device_code: string) => party.post("/token", { grant_type: DEVICE, device_code });
  const confirm = async (browser: Browser, realm: RealmUnderTest, user: { username: string; password: string }, code: string) =>
    press(browser, await open(browser, `/realms/${realm.name}/device?user_code=${code}`, user), { user_code: code });

  test("gets tokens once the signed-in user has seen and allowed the request", async () => {
    const realm = await iam.realm();
    const [user, tv, browser] = [await realm.user(), await television(realm, { consentRequired: true }), iam.browser()];
    const requested = await start(tv);
    expect(requested.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(requested.verification_uri_complete).toBe(`${iam.config.baseUrl}/realms/${realm.name}/device?user_code=${requested.user_code}`);
    expect((await poll(tv, requested.device_code)).body.error).toBe("authorization_pending");

    const page = await confirm(browser, realm, user, requested.user_code.toLowerCase());
    expect(page.text).toContain("Television");
    expect(page.text).toContain(requested.user_code);
    expect(page.text).toContain("See your name");
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect((await press(browser, page, { decision: "allow" })).text).toContain("Your device is connected");

    const tokens = await poll(tv, requested.device_code);
    expect(tokens.status, tokens.text).toBe(200);
    expect(payloadOf(tokens.body.id_token)).toMatchObject({ sub: user.userId, amr: ["pwd"], aud: "tv" });
    expect(tokens.body.refresh_token).toBeTypeOf("string");
    expect((await userinfo(realm, tokens.body.access_token)).body).toMatchObject({ sub: user.userId, preferred_username: user.username });
    expect(await realm.events("type=DEVICE_APPROVED")).toMatchObject([{ actor: user.username, detail: "tv" }]);
    expect(await realm.events("type=CONSENT_GRANTED")).toHaveLength(1);
    expect(await iam.core.metrics.registry.metrics()).toContain(`svc_tokens_issued_total{realm="${realm.name}",grant_type="${DEVICE}"} 3`);
  });

  test("is connected on pages that offer the other languages, answers to forms too", async () => {
    const realm = await iam.realm();
    const [user, tv, browser] = [await realm.user(), await television(realm), iam.browser()];
    const { user_code, device_code } = await start(tv);
    const inDutch = (page: { text: string }) => /href="([^"]+lang=nl)"/.exec(page.text)![1]!.replaceAll("&amp;", "&");
    const asked = await confirm(browser, realm, user, user_code);
    const dutch = await browser.get(inDutch(asked));
    expect(dutch.text).toContain('<html lang="nl"');
    expect(dutch.text, "the code stays typed").toContain(`value="${user_code}"`);
    const unknown = await press(browser, dutch, { user_code: "BBBB-BBBB" });
    expect([unknown.status, (await browser.get(inDutch(unknown))).text.includes('value="BBBB-BBBB"')]).toEqual([400, true]);
    await browser.get(`/realms/${realm.name}/device?lang=en`);

    const denied = await press(browser, asked, { decision: "deny" });
    expect(denied.text).toContain("You denied it");
    const link = inDutch(denied);
    expect(link).toMatch(new RegExp(`^/realms/${realm.name}/message\\?shown=`));
    const again = await browser.get(link);
    expect([again.status, again.text]).toEqual([200, expect.stringContaining("Het apparaat is geweigerd")]);
    expect(again.text, "and from there on").toContain(`lang=fr"`);
    expect((await poll(tv, device_code)).body.error).toBe("access_denied");
    // The link works only in the same browser and realm, unchanged, and for an hour.
    expect((await iam.browser().get(link)).status).toBe(404);
    const [content = "", signature] = new URLSearchParams(link.split("?")[1]).get("shown")!.split(".");
    const forged = Buffer.from(content, "base64url").toString().replace("device-denied", "device-allowed");
    for (const shown of [`${Buffer.from(forged).toString("base64url")}.${signature}`, content, `${content}.${signature}.x`, "."])
      expect((await browser.get(`/realms/${realm.name}/message?${new URLSearchParams({ shown })}`)).status, shown).toBe(404);
    expect((await browser.get(link.replace(realm.name, (await iam.realm()).name))).status).toBe(404);
    clock.advance(61 * MINUTE);
    expect((await browser.get(link)).status).toBe(404);
  });

  test("whose request is refused keeps status, request id and links in another language", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    await browser.get(`/realms/${realm.name}/login`);
    const refused = await browser.request("POST", `/realms/${realm.name}/login/link`, {
      form: { interaction: "gone", step: "x", token: "y" },
      headers: { "accept-language": "en" },
    });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("Please try once more")]);
    const german = /href="([^"]+lang=de)"/.exec(refused.text)![1]!.replaceAll("&amp;", "&");
    const shown = await browser.get(german);
    expect([shown.status, shown.text]).toEqual([403, expect.stringContaining('<html lang="de"')]);
    expect(shown.text, "its number and its way on").toMatch(new RegExp(`href="/realms/${realm.name}/login".*<code>[0-9a-f-]{36}</code>`));
    const party = await relyingParty(iam, realm);
    const wrong = await iam.browser().get(party.url({ redirect_uri: "https://evil.example/cb" }));
    const french = /href="([^"]+lang=fr)"/.exec(wrong.text)![1]!.replaceAll("&amp;", "&");
    expect((await iam.browser().get(french)).text).toContain('<html lang="fr"');
  });

  onPostgres("that brings its code twice loses what it got, and another client gets nothing for it", async () => {
    const realm = await iam.realm();
    const [user, tv, browser] = [await realm.user(), await television(realm), iam.browser()];
    const other = await television(realm, { clientId: "radio" });
    const { device_code, user_code } = await start(tv);
    expect((await poll(other, device_code)).body.error).toBe("invalid_grant");
    await press(browser, await confirm(browser, realm, user, user_code), { decision: "allow" });
    expect((await poll(other, device_code)).body.error).toBe("invalid_grant");
    const tokens = await poll(tv, device_code);
    expect(tokens.status, tokens.text).toBe(200);
    expect((await poll(tv, device_code)).body.error).toBe("invalid_grant");
    expect((await userinfo(realm, tokens.body.access_token)).status).toBe(401);
    expect((await tv.post("/token", { grant_type: "refresh_token", refresh_token: tokens.body.refresh_token })).body.error).toBe(
      "invalid_grant",
    );
  });

  onPostgres("gets slow_down, access_denied and expired_token", async () => {
    const realm = await iam.realm();
    const [user, tv, browser] = [await realm.user(), await television(realm), iam.browser()];
    const [first, second] = [await start(tv), await start(tv)];
    expect((await poll(tv, first.device_code)).body.error).toBe("authorization_pending");
    expect((await poll(tv, first.device_code)).body.error).toBe("slow_down");
    clock.advance(6 * SECOND); // the interval is ten seconds now
    expect((await poll(tv, first.device_code)).body.error).toBe("slow_down");
    clock.advance(16 * SECOND);
    expect((await poll(tv, first.device_code)).body.error).toBe("authorization_pending");
    expect((await poll(await television(realm, { clientId: "radio" }), second.device_code)).body.error).toBe("invalid_grant");
    expect((await poll(tv, second.device_code)).body.error, "another client's question is not its own").toBe("authorization_pending");

    expect((await press(browser, await confirm(browser, realm, user, first.user_code), { decision: "deny" })).text).toContain(
      "You denied it",
    );
    expect((await poll(tv, first.device_code)).body.error).toBe("access_denied");
    clock.advance(11 * MINUTE);
    expect((await poll(tv, second.device_code)).body.error).toBe("expired_token");
    expect((await confirm(browser, realm, user, second.user_code)).status).toBe(400);
    expect(await realm.events("type=DEVICE_APPROVED")).toEqual([]);
  });

  test("is answered once, by a form of ours, in its own realm", async () => {
    const [realm, elsewhere] = [await iam.realm(), await iam.realm()];
    const [user, tv, browser] = [await realm.user(), await television(realm), iam.browser()];
    const requested = await start(tv);
    const outsider = await elsewhere.user();
    expect((await confirm(iam.browser(), elsewhere, outsider, requested.user_code)).status).toBe(400);

    const page = await confirm(browser, realm, user, requested.user_code);
    const path = `/realms/${realm.name}/device`;
    const forged = await browser.request("POST", path, { form: { user_code: requested.user_code, decision: "allow" }, csrf: false });
    expect(forged.status).toBe(403);
    expect((await poll(tv, requested.device_code)).body.error).toBe("authorization_pending");
    const form = { user_code: requested.user_code, _csrf: browser.cookies.get("XSRF-TOKEN")! };
    const tabs = await Promise.all(
      ["allow", "deny", "allow"].map((decision) => browser.request("POST", path, { form: { ...form, decision }, csrf: false })),
    );
    expect(tabs.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(page.status).toBe(200);
    const grants = await iam.core.db.selectFrom("oidc_grants").select("grant_id").where("realm_id", "=", realm.name).execute();
    expect(grants.length, "what came too late left nothing behind").toBe(tabs[1]!.status === 200 ? 0 : 1);
  });

  test("is protected against guesses of its code: user and address have to wait", async () => {
    const realm = await iam.realm();
    const [user, tv, browser] = [await realm.user(), await television(realm), iam.browser()];
    const requested = await start(tv);
    await open(browser, `/realms/${realm.name}/device`, user);
    const guess = (user_code: string, by = browser) =>
      by.request("POST", `/realms/${realm.name}/device`, { form: { user_code, _csrf: by.cookies.get("XSRF-TOKEN")! }, csrf: false });
    for (let n = 0; n < 12; n++) expect((await guess("AAAA-1111")).status, "no code looks like that: nothing was guessed").toBe(400);
    for (let n = 0; n < 10; n++) expect((await guess("BCDF-GHJK")).status).toBe(400);
    const late = await guess(requested.user_code);
    expect([late.status, Number(late.headers["retry-after"]) > 0]).toEqual([429, true]);
    const again = iam.browser();
    await open(again, `/realms/${realm.name}/device`, user);
    expect((await guess(requested.user_code, again)).status, "another session is the same user").toBe(429);
    clock.advance(16 * MINUTE);
    expect((await guess("BCDF-GHJK", again)).status).toBe(400);
  });

  test("ends with the session it was allowed in, unless it may stay", async () => {
    const realm = await iam.realm();
    const [user, tv, browser] = [await realm.user(), await television(realm), iam.browser()];
    const answers = [];
    for (const scope of ["openid", "openid offline_access"]) {
      const requested = await start(tv, { scope });
      await press(browser, await confirm(browser, realm, user, requested.user_code), { decision: "allow" });
      answers.push((await poll(tv, requested.device_code)).body);
    }
    const [bound, staying] = answers;
    expect(payloadOf(bound.access_token).sid).toBeTypeOf("string");
    const [session] = (await realm.asMaster().get(`/sessions?search=${user.userId}`)).body;
    await realm.asMaster().delete(`/sessions/${session.id}`);
    expect((await userinfo(realm, bound.access_token)).status).toBe(401);
    expect((await userinfo(realm, staying.access_token)).status).toBe(200);
  });

  test("is refused if its client does not list the grant", async () => {
    const realm = await iam.realm();
    const app = await relyingParty(iam, realm);
    expect((await app.post("/device/authorize", { scope: "openid" })).body.error).toBe("unauthorized_client");
    expect((await poll(app, "x")).body.error).toBe("unauthorized_client");
  });
});

describe("a client that asks for a user elsewhere (CIBA)", () => {
  const bank = (realm: RealmUnderTest, members: Record<string, unknown> = {}) =>
    relyingParty(iam, realm, { clientId: "bank", name: "Bank", publicClient: false, redirectUris: [], grantTypes: ["CIBA"], ...members });
  const ask = (party: Party, form: Record<string, string>) => party.post("/backchannel/authorize", { scope: "openid", ...form });
  const poll = (party: Party, auth_req_id: string) => party.post("/token", { grant_type: CIBA, auth_req_id });
  const look = async (browser: Browser, realm: RealmUnderTest, user: { username: string; password: string }) => {
    const list = await open(browser, `/realms/${realm.name}/ciba`, user);
    const [, href] = /href="(\/realms\/[^"]*\/ciba\/[^"]+)"/.exec(list.text) ?? [];
    return { list, href, page: href === undefined ? null : await browser.get(href) };
  };

  test("gets tokens once the user has compared the message and allowed it", async () => {
    const realm = await iam.realm();
    const [user, party, browser] = [await realm.user(), await bank(realm), iam.browser()];
    const requested = await ask(party, { login_hint: user.username, binding_message: "Pay 12 €, W4SCT" });
    expect(requested.status, requested.text).toBe(200);
    const id = requested.body.auth_req_id;
    expect((await poll(party, id)).body.error).toBe("authorization_pending");
    expect((await poll(party, id)).body.error).toBe("slow_down");

    const { page, href } = await look(browser, realm, user);
    expect(page!.text).toContain("Pay 12 €, W4SCT");
    expect((await browser.request("POST", href!, { form: { decision: "allow" }, csrf: false })).status).toBe(403);
    expect((await look(iam.browser(), realm, await realm.user())).list.text).toContain("Nothing is waiting");
    const other = iam.browser();
    await open(other, `/realms/${realm.name}/ciba`, await realm.user());
    expect((await other.get(href!)).status, "another user's").toBe(404);

    expect((await press(browser, page!, { decision: "allow" })).text).toContain("You allowed it");
    expect((await browser.get(href!)).status).toBe(404);
    const tokens = await poll(party, id);
    expect(tokens.status, tokens.text).toBe(200);
    expect(payloadOf(tokens.body.id_token)).toMatchObject({ sub: user.userId, aud: "bank" });
    expect(await realm.events("type=CIBA_APPROVED")).toMatchObject([{ actor: user.username, detail: "bank" }]);
    expect((await poll(party, id)).body.error).toBe("invalid_grant");
    expect((await userinfo(realm, tokens.body.access_token)).status).toBe(401);
  });

  test("and is an agent's shows the agent, its owner and all that it wants to do; the token carries just that, and marks the agent", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const [user, owner, browser] = [await realm.user(), await realm.user("owen"), iam.browser()];
    await boss.patch("/settings", { tokens: { authorizationDetailsTypes: ["payment"] } });
    const party = await bank(realm, { firstParty: true });
    const agent = (await boss.post("/agents", { name: "Payment bot", clientId: "bank", ownerUserId: owner.userId })).body;
    expect((await ask(party, { login_hint: user.username })).status, "not active yet").toBe(401);
    await boss.post(`/agents/${agent.id}/activate`);
    const details = [{ type: "payment", actions: ["initiate"], instructedAmount: { currency: "EUR", amount: "50.00" } }];
    const unknown = await ask(party, { login_hint: user.username, authorization_details: JSON.stringify([{ type: "transfer" }]) });
    expect(unknown.body.error).toBe("invalid_authorization_details");
    const hidden = JSON.stringify([{ type: "payment", amount: "\u202e00.05" }]);
    expect((await ask(party, { login_hint: user.username, authorization_details: hidden })).body.error).toBe(
      "invalid_authorization_details",
    );
    const requested = await ask(party, { login_hint: user.username, authorization_details: JSON.stringify(details) });
    expect(requested.status, requested.text).toBe(200);
    const { page, href } = await look(browser, realm, user);
    for (const shown of ["Payment bot", "owen", "payment", "initiate", "50.00", "EUR"]) expect(page!.text).toContain(shown);
    await boss.post(`/agents/${agent.id}/suspend`);
    expect((await browser.get(href!)).status, "of an agent that is not active").toBe(404);
    await boss.post(`/agents/${agent.id}/activate`);
    await press(browser, await browser.get(href!), { decision: "allow" });
    const tokens = await poll(party, requested.body.auth_req_id);
    expect(tokens.body.authorization_details).toEqual(details);
    expect(payloadOf(tokens.body.access_token)).toMatchObject({
      ...{ authorization_details: details, nhi: true, agent_id: agent.id },
      act: { sub: "bank", client_id: "bank", agent_id: agent.id },
    });
    const { body: consents } = await boss.get(`/users/${user.userId}/gdpr/consents`);
    expect(consents, "also of a first-party client").toMatchObject([{ clientId: "bank", scopes: ["openid"] }]);
  });

  test("finds users by name or by its own ID token, and gets a clear error for what it cannot ask", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const party = await bank(realm, { grantTypes: ["CIBA", "authorization_code"], redirectUris: ["https://app.example/cb"] });
    const { body } = await party.signIn(iam.browser(), user);
    expect((await ask(party, { id_token_hint: body.id_token })).status).toBe(200);
    const outsider = await bank(realm, { clientId: "outsider" });
    expect((await ask(outsider, { id_token_hint: body.id_token })).body.error).toBe("invalid_request");
    expect((await ask(party, { login_hint: "nobody" })).body.error).toBe("unknown_user_id");
    expect((await ask(party, { login_hint: "no\u0000body" })).body.error).toBe("invalid_request");
    expect((await ask(party, { login_hint_token: "x" })).body.error_description).toContain("login_hint_token is not supported");
    expect((await ask(party, { login_hint: user.username, binding_message: "a\nb" })).body.error).toBe("invalid_binding_message");
    expect((await ask(party, { login_hint: user.username, scope: "openid nonsense phone" })).status).toBe(200);
    await realm.asMaster().put(`/users/${user.userId}`, { ...(await realm.asMaster().get(`/users/${user.userId}`)).body, enabled: false });
    expect((await ask(party, { login_hint: user.username })).body.error).toBe("unknown_user_id");
    expect((await ask(party, { id_token_hint: body.id_token })).body.error).toBe("unknown_user_id");
  });

  onPostgres("at most ten requests wait for one user, however many are sent at once", async () => {
    const realm = await iam.realm();
    const [user, other, party] = [await realm.user(), await realm.user(), await bank(realm)];
    const answers = await Promise.all(Array.from({ length: 25 }, () => ask(party, { login_hint: user.username })));
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(10);
    const refused = { error: "access_denied", error_description: expect.stringContaining("wait for this user") };
    for (const answer of answers) if (!taken.includes(answer)) expect(answer).toMatchObject({ status: 400, body: refused });
    expect((await ask(party, { login_hint: other.username })).status).toBe(200);
    clock.advance(10 * MINUTE);
    expect((await ask(party, { login_hint: user.username })).status, "the others have expired").toBe(200);
  });

  test("signs a request with every claim that CIBA asks for", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const party = await bank(realm, { jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", use: "sig", alg: "ES256" }] } });
    const now = Math.floor(clock.now() / SECOND);
    const aud = `${iam.config.baseUrl}/realms/${realm.name}`;
    const whole = { iss: "bank", aud, iat: now, nbf: now, exp: now + 60, jti: "one", scope: "openid", login_hint: user.username };
    const send = async (claims: object) => {
      const request = await new SignJWT({ ...claims }).setProtectedHeader({ alg: "ES256", kid: "k1" }).sign(privateKey);
      return party.post("/backchannel/authorize", { request });
    };
    expect((await send(whole)).status).toBe(200);
    for (const name of ["iss", "aud", "iat", "nbf", "exp", "jti"]) {
      const { status, body } = await send({ ...whole, [name]: undefined });
      expect([status, body.error], `without ${name}`).toEqual([400, "invalid_request"]);
    }
  });

  test("cannot send too many requests to a user, and its requests expire", async () => {
    const realm = await iam.realm();
    const [user, party] = [await realm.user(), await bank(realm)];
    const first = (await ask(party, { login_hint: user.username })).body.auth_req_id;
    for (let n = 1; n < 10; n++) expect((await ask(party, { login_hint: user.username })).status).toBe(200);
    expect((await ask(party, { login_hint: user.username })).body.error).toBe("access_denied");
    clock.advance(11 * MINUTE);
    expect((await poll(party, first)).body.error).toBe("expired_token");
    expect((await look(iam.browser(), realm, user)).list.text).toContain("Nothing is waiting");
  });

  test("is pinged when there is an answer, with its own token; neither that nor the request's id is stored", async () => {
    const realm = await iam.realm();
    const [user, browser, receiver] = [await realm.user(), iam.browser(), await startReceiver()];
    const party = await bank(realm, { cibaDeliveryMode: "ping", cibaNotificationEndpoint: `${receiver.url}/ping` });
    expect((await ask(party, { login_hint: user.username })).body.error, "it says no token").toBe("invalid_request");
    const requested = await ask(party, { login_hint: user.username, client_notification_token: "a-token-of-the-bank" });
    const stored = JSON.stringify(
      await iam.core.db.selectFrom("oidc_records").select(["record_id", "payload"]).where("realm_id", "=", realm.name).execute(),
    );
    for (const secret of ["a-token-of-the-bank", requested.body.auth_req_id, user.username]) expect(stored).not.toContain(secret);
    const { page } = await look(browser, realm, user);
    await press(browser, page!, { decision: "deny" });
    expect(receiver.received).toEqual([]);
    await iam.server.jobs.runDue();
    const [ping] = await receiver.until(1);
    expect(ping).toMatchObject({ path: "/ping", body: { auth_req_id: requested.body.auth_req_id } });
    expect(ping!.headers.authorization).toBe("Bearer a-token-of-the-bank");
    expect((await poll(party, requested.body.auth_req_id)).body.error).toBe("access_denied");
    await receiver.close();
  });
});
