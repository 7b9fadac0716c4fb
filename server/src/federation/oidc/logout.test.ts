import { expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import type { Browser } from "../../testing/browser.ts";
import type { SharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import { openidBroker } from "../../testing/openid-broker.ts";
import { type OpenidPeer, type PeerAnswer, signedByAnother, withOtherContent } from "../../testing/openid-peer.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, relyingParty } from "../../testing/relying-party.ts";
import { isSignedIn } from "../../testing/step-pages.ts";
import { brokeredSessionsOf, recordBrokeredSession } from "../brokers/brokered-sessions.store.ts";

let iam: SharedHarness;
let peer: OpenidPeer;
const { brokered, signIn: arrive } = openidBroker((stage) => {
  ({ iam, peer } = stage);
  peer.discover({ end_session_endpoint: `${peer.issuer}/end` });
});

async function signIn(realm: RealmUnderTest, answer: PeerAnswer = {}, browser = iam.browser()) {
  const { back } = await arrive(realm, answer, browser);
  expect(isSignedIn(back, realm.name), back.text).toBe(true);
  return browser;
}
const isIn = async (realm: RealmUnderTest, browser: Browser) => (await browser.get(`/realms/${realm.name}/account/profile`)).status === 200;
const signOut = async (realm: RealmUnderTest, browser: Browser, form: Record<string, string> = {}) => {
  await browser.get(`/realms/${realm.name}/logout`);
  return browser.request("POST", `/realms/${realm.name}/logout`, {
    form: { ...form, _csrf: browser.cookies.get("XSRF-TOKEN")! },
    csrf: false,
  });
};
const hopOf = (text: string) => new URL(/href="([^"]+)" data-hop/.exec(text)![1]!.replaceAll("&amp;", "&"));

const sealedOf = async (realm: RealmUnderTest) =>
  (await iam.core.db.selectFrom("brokered_sessions").select("sealed").where("realm_id", "=", realm.name).execute()).map(
    (row) => row.sealed,
  );

test("a logout continues at the provider and returns to its target, in the same browser and once", async () => {
  const realm = await brokered();
  const party = await relyingParty(iam, realm, { postLogoutRedirectUris: [CALLBACK] });
  const browser = await signIn(realm, { claims: { sid: "their-session" } });
  expect(await isIn(realm, browser)).toBe(true);
  expect(await sealedOf(realm)).toEqual([expect.any(String)]);
  const done = await signOut(realm, browser, { client_id: party.clientId, post_logout_redirect_uri: CALLBACK, state: "s" });
  expect([done.status, await isIn(realm, browser)], "signed out here before anything else").toEqual([303, false]);
  const page = await browser.get(String(done.headers.location));
  expect(page.text, "on without the provider, if it does not answer").toContain(`${CALLBACK}?state=s`);
  const hop = hopOf(page.text);
  expect(`${hop.origin}${hop.pathname}`).toBe(`${peer.issuer}/end`);
  const { state = "", id_token_hint: hint = "", ...sent } = Object.fromEntries(hop.searchParams);
  const returnTo = `${iam.config.baseUrl}/realms/${realm.name}/broker/corp/endpoint/logout_response`;
  expect(sent).toEqual({ client_id: "gatehouse", post_logout_redirect_uri: returnTo });
  expect(JSON.parse(Buffer.from(hint.split(".")[1]!, "base64url").toString())).toMatchObject({ sid: "their-session", aud: "gatehouse" });
  const stored = JSON.stringify(await iam.core.db.selectFrom("broker_logouts").selectAll().execute());
  expect(stored, "not in the open").not.toContain(hint.slice(0, 40));

  const path = `${returnTo.slice(iam.config.baseUrl.length)}?state=${state}`;
  const signedOut = `/realms/${realm.name}/login?signed_out=1`;
  expect((await iam.browser().get(path)).headers.location, "another browser").toBe(signedOut);
  expect((await browser.get(path)).headers.location).toBe(`${CALLBACK}?state=s`);
  expect((await browser.get(path)).headers.location, "once").toBe(signedOut);
  expect((await browser.get(String(done.headers.location))).headers.location).toBe(signedOut);
});

test("a logout of a session that came by two providers continues at both, the latest first", async () => {
  const realm = await brokered();
  const boss = realm.asMaster();
  const { config: known } = (await boss.get("/identity-providers/corp")).body;
  const config = { ...known, clientSecret: "a-secret" };
  const other = await boss.post("/identity-providers", { alias: "other", protocol: "oidc", config });
  expect(other.status, other.text).toBe(201);
  const browser = await signIn(realm);
  const { db, work, vault } = iam.core;
  const row = await db.selectFrom("brokered_sessions").selectAll().where("realm_id", "=", realm.name).executeTakeFirstOrThrow();
  const sessionId = row.session_id;
  const added = db.selectFrom("identity_providers").select("provider_id").where("realm_id", "=", realm.name).where("alias", "=", "other");
  const { provider_id: providerId } = await added.executeTakeFirstOrThrow();
  await work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, async (ctx) => {
    const [there] = await brokeredSessionsOf(ctx.tx, vault, realm.name, sessionId);
    await recordBrokeredSession(ctx.tx, vault, realm.name, sessionId, { ...there!, providerId }, ctx.now + 1);
  });
  let { location } = (await signOut(realm, browser)).headers;
  for (const alias of ["other", "corp"]) {
    expect(location).toContain(`/broker/${alias}/logout?`);
    const returnTo = new URL(hopOf((await browser.get(String(location))).text).searchParams.get("post_logout_redirect_uri")!);
    const { searchParams } = new URL(String(location), iam.config.baseUrl);
    ({ location } = (await browser.get(`${returnTo.pathname}?${searchParams}`)).headers);
  }
  expect(location).toBe(`/realms/${realm.name}/login?signed_out=1`);
});

onPostgres("a logout stays here where the provider has no address for it, it is off, or the session came by a password", async () => {
  const realm = await brokered({ logoutUpstream: false });
  const last = `/realms/${realm.name}/login?signed_out=1`;
  expect((await signOut(realm, await signIn(realm))).headers.location).toBe(last);
  const user = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  expect((await signOut(realm, browser)).headers.location).toBe(last);
  // Discovery is never requested where every address is configured.
  const addresses = { authorizationUrl: "/authorize", tokenUrl: "/token", jwksUrl: "/jwks", userinfoUrl: "/userinfo" };
  const fixed = await brokered(Object.fromEntries(Object.entries(addresses).map(([member, path]) => [member, `${peer.issuer}${path}`])));
  const there = await signIn(fixed);
  // The ID token would be of no use to a logout.
  expect(await sealedOf(fixed)).toEqual([null]);
  expect((await signOut(fixed, there)).headers.location).toBe(`/realms/${fixed.name}/login?signed_out=1`);
});

test("the provider ends the session that it names, or all of a subject, by a logout token that counts once", async () => {
  const realm = await brokered();
  const path = `/realms/${realm.name}/broker/corp/backchannel-logout`;
  const logout = async (claims: Record<string, unknown>, header?: Record<string, unknown>) =>
    iam.browser().request("POST", path, { form: { logout_token: await peer.sign(claims, header) }, csrf: false });
  const first = await signIn(realm, { claims: { sid: "one" } });
  const second = await signIn(realm, { claims: { sid: "two" } });
  const other = await signIn(realm, { claims: { sid: "three", sub: "subject-2", preferred_username: "eve", email: "eve@example.com" } });
  const byPassword = iam.browser();
  const user = await realm.user();
  await byPassword.signIn(realm.name, user.username, user.password);

  const now = Math.floor(clock.now() / 1000);
  const refused: [string, Record<string, unknown>, Record<string, unknown>?][] = [
    ["another audience", { sid: "one", aud: "another" }],
    ["another issuer", { sid: "one", iss: "https://evil.example" }],
    ["neither session nor subject", {}],
    ["expired", { sid: "one", iat: now - 600, exp: now - 120 }],
    ["from the future", { sid: "one", iat: now + 600, exp: now + 900 }],
    ["valid for years", { sid: "one", exp: now + 10 ** 8 }],
    ["no end", { sid: "one", exp: undefined }],
    ["no id", { sid: "one", jti: undefined }],
    ["a nonce: an ID token", { sid: "one", nonce: "n" }],
    ["no event", { sid: "one", events: undefined }],
    ["another event", { sid: "one", events: { "https://example.com/other": {} } }],
    ["an event that is no object", { sid: "one", events: { "http://schemas.openid.net/event/backchannel-logout": true } }],
    ["an access token", { sid: "one" }, { typ: "at+jwt" }],
    ["an unknown key", { sid: "one" }, { kid: "another" }],
    ["an algorithm that was not agreed", { sid: "one" }, { typ: "logout+jwt", alg: "PS256" }],
  ];
  for (const [what, claims, header] of refused) {
    const answer = await logout(claims, header);
    expect([what, answer.status, answer.body.error], answer.text).toEqual([what, 400, "invalid_request"]);
  }
  const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${(await peer.sign({ sid: "one" })).split(".")[1]}.`;
  const forged = [withOtherContent(await peer.sign({ sid: "unknown" }), { sid: "one" }), signedByAnother(await peer.sign({ sid: "one" }))];
  for (const logout_token of [unsigned, ...forged])
    expect((await iam.browser().request("POST", path, { form: { logout_token }, csrf: false })).status).toBe(400);
  expect(await logout({ sid: "one", sub: "subject-2" }), "of another subject: nothing ends").toMatchObject({ status: 200 });
  expect(await logout({ sid: "unknown" })).toMatchObject({ status: 200 });
  for (const browser of [first, second, other, byPassword]) expect(await isIn(realm, browser)).toBe(true);

  const token = await peer.sign({ sid: "one" });
  const post = () => iam.browser().request("POST", path, { form: { logout_token: token }, csrf: false });
  const both = await Promise.all([post(), post()]);
  expect(both.map(({ status }) => status).sort(), "two at once").toEqual([200, 400]);
  expect([await isIn(realm, first), await isIn(realm, second), await isIn(realm, other)]).toEqual([false, true, true]);
  const again = await signIn(realm, { claims: { sid: "one" } });
  clock.advance(MINUTE);
  await iam.server.jobs.runDue();
  expect((await post()).status, "replayed, after what has run out was deleted").toBe(400);
  expect(await isIn(realm, again)).toBe(true);

  expect((await logout({ sub: "subject-1" })).status).toBe(200);
  expect([await isIn(realm, second), await isIn(realm, again), await isIn(realm, other), await isIn(realm, byPassword)]).toEqual([
    ...[false, false, true, true],
  ]);
  expect((await realm.events("type=LOGOUT")).map(({ detail }: { detail: string }) => detail)).toEqual(Array(3).fill("asked by corp"));
  // The same token at a provider of another realm that trusts the same issuer.
  const elsewhere = await brokered();
  const theirs = await signIn(elsewhere, { claims: { sid: "three" } });
  expect((await logout({ sid: "three", sub: "subject-2" })).status).toBe(200);
  expect([await isIn(realm, other), await isIn(elsewhere, theirs)]).toEqual([false, true]);
  // A session with a long name is the only one to end, as any other.
  const long = "s".repeat(1000);
  const [named, kept] = [await signIn(realm, { claims: { sid: long } }), await signIn(realm, { claims: { sid: "four" } })];
  expect((await logout({ sid: long, sub: "subject-1" })).status).toBe(200);
  expect([await isIn(realm, named), await isIn(realm, kept)]).toEqual([false, true]);
});

test("tokens are kept sealed where it is configured, refreshed once at a time, read by the user's own token alone, and go with the link", async () => {
  const realm = await brokered({ storeTokens: true });
  const party = await relyingParty(iam, realm, { scopes: ["openid", "account"], firstParty: true });
  const tokens = { refresh_token: "their-refresh-token", expires_in: 60, scope: "openid mail" };
  const answer: PeerAnswer = { tokens: { ...tokens, access_token: "their-access-token" } };
  const browser = await signIn(realm, answer);
  const stored = JSON.stringify(await iam.core.db.selectFrom("identity_link_tokens").selectAll().execute());
  expect(stored).not.toMatch(/their-(access|refresh)-token/);
  const bearerOf = async (scope: string) => ({
    authorization: `Bearer ${(await party.exchange(new URL(String((await browser.get(party.url({ scope }))).headers.location)))).body.access_token}`,
  });
  const path = `/realms/${realm.name}/account/linked-accounts/corp/token`;
  const [headers, plain] = [await bearerOf("openid account"), await bearerOf("openid")];
  const read = () => iam.browser().get(path, { headers });
  const seen = await read();
  expect(seen, seen.text).toMatchObject({
    status: 200,
    body: { accessToken: "their-access-token", tokenType: "Bearer", scope: "openid mail" },
  });
  expect([seen.headers["cache-control"], seen.text.includes("refresh")]).toEqual(["no-store", false]);
  expect((await iam.browser().get(path, { headers: plain })).status, "without the scope").toBe(403);
  expect((await browser.get(path)).status, "by the session").toBe(403);
  expect(await realm.events("type=LINK_TOKEN_READ")).toMatchObject([{ category: "SECURITY", actor: "ada", detail: "corp" }]);
  const [user] = (await realm.asMaster().get("/users?search=ada")).body;
  const exported = await realm.asMaster().get(`/users/${user.userId}/gdpr/export`);
  expect(exported.body.federatedLinks).toMatchObject([{ alias: "corp", tokensKept: true }]);
  expect(exported.text).not.toContain("their-");

  clock.advance(MINUTE);
  const left = peer.calls.length;
  let refreshes = 0;
  peer.answer({
    refresh: ({ form }) => [
      200,
      { access_token: `fresh-${++refreshes}-${form.get("refresh_token")}`, refresh_token: "rotated", expires_in: 60 },
    ],
  });
  const together = await Promise.all([read(), read(), read()]);
  expect(together.map(({ body }) => body.accessToken)).toEqual(Array(3).fill("fresh-1-their-refresh-token"));
  expect(peer.calls.slice(left).filter(({ path: at }) => at === "/token")).toHaveLength(1);
  clock.advance(MINUTE);
  peer.answer({ refresh: () => [503, {}] });
  expect((await read()).status).toBe(503);
  peer.answer({ refresh: ({ form }) => [200, { access_token: `fresh-${form.get("refresh_token")}`, expires_in: 60 }] });
  expect((await read()).body.accessToken, "a failure loses nothing, and a refresh token that is not sent again stays").toBe(
    "fresh-rotated",
  );
  clock.advance(MINUTE);
  peer.answer({ refresh: () => [400, { error: "invalid_grant" }] });
  expect([(await read()).status, (await read()).status], "refused for good").toEqual([409, 404]);

  await signIn(realm, answer, browser);
  expect((await read()).status).toBe(200);
  const boss = realm.asMaster();
  const { body: provider } = await boss.get("/identity-providers/corp");
  await boss.put("/identity-providers/corp", { ...provider, config: { ...provider.config, storeTokens: false } });
  expect((await read()).status, "they are kept no more").toBe(404);
  const count = async () =>
    (await iam.core.db.selectFrom("identity_link_tokens").selectAll().where("realm_id", "=", realm.name).execute()).length;
  expect(await count()).toBe(0);
  const { body: saved } = await boss.get("/identity-providers/corp");
  await boss.put("/identity-providers/corp", { ...saved, config: { ...saved.config, storeTokens: true } });
  await signIn(realm, answer, browser);
  expect(await count()).toBe(1);
  const { body: here } = await boss.get("/identity-providers/corp");
  const at = (tokenUrl: string) => ({ ...here, config: { ...here.config, tokenUrl, clientSecret: "of-their-own" } });
  expect((await boss.put("/identity-providers/corp", at("http://127.0.0.1:9/token"))).status).toBe(200);
  expect(await count(), "another host never gets a refresh token").toBe(0);
  expect((await boss.put("/identity-providers/corp", at(`${peer.issuer}/token`))).status).toBe(200);
  await signIn(realm, answer, browser);
  expect(await count()).toBe(1);
  expect((await boss.delete(`/users/${user.userId}`)).status, "with the user goes the link, and with the link the tokens").toBe(204);
  expect(await count()).toBe(0);
});
