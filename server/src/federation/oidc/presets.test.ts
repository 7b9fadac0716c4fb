import { createPublicKey } from "node:crypto";
import { jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import type { SharedHarness } from "../../testing/harness.ts";
import { CLIENT_SECRET, KEY, leastConfig, pem } from "../../testing/identity-providers.ts";
import { openidBroker } from "../../testing/openid-broker.ts";
import type { OpenidPeer, PeerAnswer, PeerCall } from "../../testing/openid-peer.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, walk } from "../../testing/relying-party.ts";
import { answerPage, followed, isSignedIn } from "../../testing/step-pages.ts";
import type { ProtocolName } from "../providers/protocols.ts";

let iam: SharedHarness;
let peer: OpenidPeer;
openidBroker((stage) => {
  ({ iam, peer } = stage);
});

type Preset = ProtocolName;
type Config = Record<string, unknown>;

/** A preset with everything as it comes, but for the addresses. */
async function offered(protocol: Preset, config: Config) {
  const realm = await iam.realm();
  const body = { alias: protocol, protocol, config: { ...leastConfig[protocol], trustEmail: true, ...config } };
  const created = await realm.asMaster().post("/identity-providers", body);
  expect(created.status, created.text).toBe(201);
  return realm;
}

/** The addresses of the peer, in place of those that the preset fixes. */
const placed = (...members: string[]): Config => {
  const paths: Config = { authorizationUrl: "/authorize", tokenUrl: "/token", jwksUrl: "/jwks", userinfoUrl: "/userinfo", issuer: "" };
  return Object.fromEntries(members.map((member) => [member, `${peer.issuer}${paths[member]}`]));
};

const endpoint = (realm: RealmUnderTest, alias: string) => `/realms/${realm.name}/broker/${alias}/endpoint`;

async function leave(realm: RealmUnderTest, alias: string, browser = iam.browser()) {
  const answer = await browser.get(`/realms/${realm.name}/broker/${alias}/login`);
  expect(answer.status, answer.text).toBe(303);
  return { browser, left: new URL(String(answer.headers.location)) };
}

async function signIn(realm: RealmUnderTest, protocol: Preset, answer: PeerAnswer, browser = iam.browser()) {
  const { left } = await leave(realm, protocol, browser);
  const query = new URLSearchParams(peer.signIn(left, { isClient: bySecret, ...answer }));
  return { browser, left, back: await browser.get(`${endpoint(realm, protocol)}?${query}`) };
}

/** The form asks for what the provider did not send. */
async function completed(browser: Browser, realm: RealmUnderTest, back: Answer, fields: Record<string, string>) {
  expect([back.status, isSignedIn(back, realm.name)], back.text).toEqual([303, false]);
  const page = await followed(browser, back);
  expect(page.text).toContain('name="firstName"');
  return answerPage(browser, realm.name, page, { firstName: "Ada", lastName: "Lovelace", ...fields });
}

const bySecret = ({ form, headers }: PeerCall) =>
  form.get("client_id") === "gatehouse" && form.get("client_secret") === CLIENT_SECRET && headers.authorization === undefined;

const named = { given_name: "Ada", family_name: "Lovelace" };

async function linked(realm: RealmUnderTest, alias: string) {
  const users = (await realm.asMaster().get("/users")).body.filter(({ username }: { username: string }) => username !== "admin");
  const links = [];
  for (const { userId, email, emailVerified } of users)
    for (const { subject } of (await realm.asMaster().get(`/users/${userId}/linked-accounts`)).body)
      links.push({ subject, email, emailVerified });
  expect(links.length, `each is linked to ${alias}`).toBe(users.length);
  return links;
}

async function expectRefused(realm: RealmUnderTest, protocol: Preset, answer: PeerAnswer) {
  const { browser, back } = await signIn(realm, protocol, answer);
  expect([back.status, browser.cookies.has(`gh_${realm.name}`)], back.text).toEqual([400, false]);
}

describe("GitHub", () => {
  const config = () => ({ ...placed("authorizationUrl", "tokenUrl"), userinfoUrl: `${peer.issuer}/user` });
  const account = (more: object = {}, emails: unknown = [{ email: "ada@example.com", primary: true, verified: true }]) => ({
    hasIdToken: false,
    pages: { "/user": { id: 4711, login: "ada", name: "Ada", email: "boss@example.com", ...more }, "/user/emails": emails },
  });

  test("has no ID token: the number decides, and of the addresses only the primary verified one", async () => {
    const realm = await offered("github", config());
    const { browser, left, back } = await signIn(realm, "github", account());
    expect(left.searchParams.get("scope")).toBe("read:user user:email");
    expect(left.searchParams.has("nonce")).toBe(false);
    expect(peer.calls.findLast(({ path }) => path === "/user")!.headers["user-agent"], "GitHub refuses those without").toBeTruthy();
    const done = await completed(browser, realm, back, {});
    expect(isSignedIn(done, realm.name), done.text).toBe(true);
    expect(await linked(realm, "github")).toEqual([{ subject: "4711", email: "ada@example.com", emailVerified: true }]);

    // Renamed, and another who took the name.
    expect(isSignedIn((await signIn(realm, "github", account({ login: "countess" }))).back, realm.name)).toBe(true);
    const other = await signIn(realm, "github", account({ id: 4712 }, [{ email: "eve@example.com", primary: true, verified: false }]));
    expect(isSignedIn(await completed(other.browser, realm, other.back, { email: "" }), realm.name)).toBe(true);
    const links = await linked(realm, "github");
    expect(links.map(({ subject }) => subject).sort()).toEqual(["4711", "4712"]);
    expect(links.find(({ subject }) => subject === "4712")).toMatchObject({ email: null, emailVerified: false });
  });

  test("answers errors with status 200, and a number that JSON cannot hold is no subject", async () => {
    const realm = await offered("github", config());
    await expectRefused(realm, "github", { ...account(), tokenBody: '{"error":"bad_verification_code","error_description":"…"}' });
    await expectRefused(realm, "github", account({ id: 2 ** 53 }));
    await expectRefused(realm, "github", account({}, { message: "Not Found" }));
    expect(await linked(realm, "github")).toEqual([]);
  });
});

describe("Microsoft", () => {
  const tid = newId();
  const config = (more: Config = {}) => ({
    issuer: `${peer.issuer}/{tenant}/v2.0`,
    authorizationUrl: `${peer.issuer}/{tenant}/authorize`,
    ...placed("tokenUrl", "jwksUrl"),
    ...more,
  });
  const account = (claims: Config = {}, of = tid): PeerAnswer => ({
    claims: { ...named, iss: `${peer.issuer}/${of}/v2.0`, tid: of, oid: "oid-1", sub: newId(), email_verified: true, ...claims },
  });
  /** It names no issuer in its answer. */
  const signInBy = async (realm: RealmUnderTest, answer: PeerAnswer) => {
    const { browser, left } = await leave(realm, "microsoft");
    const { iss: _, ...query } = peer.signIn(left, { isClient: bySecret, ...answer });
    return { left, back: await browser.get(`${endpoint(realm, "microsoft")}?${new URLSearchParams(query)}`) };
  };

  test("is of the tenant that the token names; tenant and object are the subject, and its addresses are never verified", async () => {
    const realm = await offered("microsoft", config());
    const { left, back } = await signInBy(realm, account());
    expect(left.pathname).toBe("/common/authorize");
    expect(isSignedIn(back, realm.name), back.text).toBe(true);
    expect(isSignedIn((await signInBy(realm, account())).back, realm.name), "another `sub` for the same user").toBe(true);
    expect(await linked(realm, "microsoft")).toEqual([{ subject: `${tid}/oid-1`, email: "ada@example.com", emailVerified: false }]);
    expect(isSignedIn((await signInBy(realm, account({}, newId()))).back, realm.name), "another tenant's user").toBe(true);
    expect((await linked(realm, "microsoft")).length).toBe(2);
    expect(isSignedIn((await signInBy(realm, account({ oid: "oid-2", email: "b@example.com", xms_edov: true }))).back, realm.name)).toBe(
      true,
    );
    expect((await linked(realm, "microsoft")).find(({ email }) => email === "b@example.com")).toMatchObject({ emailVerified: true });
  });

  test.each([
    ["a tenant that is not the issuer's", {}, () => account({ tid: newId() })],
    ["a token without a tenant", {}, () => account({ tid: undefined })],
    ["a token without an object", {}, () => account({ oid: undefined })],
    ["another tenant than the one", { tenant: tid }, () => account({}, newId())],
    ["a tenant that is not allowed", { allowedTenants: [newId()] }, () => account()],
    ["a private account where organizations are wanted", { tenant: "organizations" }, () => account({}, CONSUMERS)],
  ])("refuses %s", async (_what, more, answer) => {
    const realm = await offered("microsoft", config(more));
    const { back } = await signInBy(realm, answer());
    expect([back.status, isSignedIn(back, realm.name)], back.text).toEqual([400, false]);
    expect(await linked(realm, "microsoft")).toEqual([]);
  });
  const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad";
});

describe("Apple", () => {
  const clientId = String(leastConfig.apple.clientId);
  const config = () => placed("issuer", "authorizationUrl", "tokenUrl", "jwksUrl");
  /** Verifies the secret as Apple does. */
  const isClient = async ({ form }: PeerCall) => {
    const options = { issuer: "TEAM123456", subject: clientId, audience: peer.issuer, algorithms: ["ES256"] };
    const { payload, protectedHeader } = await jwtVerify(form.get("client_secret")!, createPublicKey(KEY), options);
    return protectedHeader.kid === "KEY1234567" && payload.exp! - payload.iat! <= 300 && form.get("client_id") === clientId;
  };
  const account = (claims: Config = {}): PeerAnswer => ({ isClient, claims: { aud: clientId, email_verified: "true", ...claims } });

  /** Its form comes from another site: without cookies that are Lax. */
  async function posted(realm: RealmUnderTest, more: Record<string, string>, answer = account()) {
    const { browser, left } = await leave(realm, "apple");
    const { iss: _, ...form } = peer.signIn(left, answer);
    const elsewhere = await iam.browser().request("POST", endpoint(realm, "apple"), { form: { ...form, ...more }, csrf: false });
    expect([elsewhere.status, elsewhere.headers["set-cookie"]], elsewhere.text).toEqual([303, undefined]);
    return { browser, left, back: await browser.get(String(elsewhere.headers.location)) };
  }

  test("posts its answer without cookies, says the name once, and takes a secret signed for the request", async () => {
    const realm = await offered("apple", config());
    const user = { name: { firstName: "Ada", lastName: "Lovelace" }, email: "boss@example.com", sub: "another" };
    const { left, back } = await posted(realm, { user: JSON.stringify(user) });
    expect(Object.fromEntries(left.searchParams)).toMatchObject({ response_mode: "form_post", scope: "name email" });
    expect(isSignedIn(back, realm.name), back.text).toBe(true);
    expect(await linked(realm, "apple"), "only what is signed counts").toEqual([
      { subject: "subject-1", email: "ada@example.com", emailVerified: true },
    ]);
    const [{ attributes }] = (await realm.asMaster().get("/users?search=ada")).body;
    expect(attributes).toMatchObject({ firstName: "Ada", lastName: "Lovelace" });
    expect(isSignedIn((await posted(realm, {})).back, realm.name), "no name the second time").toBe(true);
    for (const text of ["null", "{", '{"name":null}', '{"name":{"firstName":7}}'])
      expect(isSignedIn((await posted(realm, { user: text })).back, realm.name), text).toBe(true);
  });

  test("takes no form that belongs to another browser's sign-in, or to none", async () => {
    const realm = await offered("apple", config());
    const { left } = await leave(realm, "apple");
    const form = peer.signIn(left, account());
    for (const sent of [form, { ...form, state: "made-up" }]) {
      const browser = iam.browser();
      const elsewhere = await browser.request("POST", endpoint(realm, "apple"), { form: sent, csrf: false });
      expect((await browser.get(String(elsewhere.headers.location))).status).toBe(400);
      expect(browser.cookies.has(`gh_${realm.name}`)).toBe(false);
    }
    expect((await posted(realm, {}, account({ nonce: undefined }))).back.status).toBe(400);
    expect(await linked(realm, "apple")).toEqual([]);
  });
});

describe("Facebook", () => {
  const config = () => ({ ...placed("authorizationUrl", "tokenUrl"), userinfoUrl: `${peer.issuer}/me?fields=id,name,email` });
  const account = (more: object = {}) => ({
    hasIdToken: false,
    pages: { "/me": { id: "1020", name: "Ada Lovelace", first_name: "Ada", last_name: "Lovelace", ...more } },
  });

  test("may return no address or an unverified one; the profile is requested with a proof of the secret", async () => {
    const realm = await offered("facebook", config());
    const { browser, back } = await signIn(realm, "facebook", account());
    const asked = peer.calls.findLast(({ path }) => path === "/me")!.query;
    expect(asked.get("fields")).toBe("id,name,email");
    // HMAC-SHA256 of the access token `at` under the client's secret.
    expect(asked.get("appsecret_proof")).toBe(PROOF);
    // The realm cannot send mail, so no address can be confirmed: the user goes on without one.
    const done = await completed(browser, realm, back, { email: "" });
    expect(isSignedIn(done, realm.name), done.text).toBe(true);
    const other = await signIn(realm, "facebook", account({ id: "1021", email: "b@example.com", email_verified: true }));
    expect(isSignedIn(other.back, realm.name), other.back.text).toBe(true);
    expect((await linked(realm, "facebook")).find(({ subject }) => subject === "1021")).toMatchObject({ emailVerified: false });
  });
  const PROOF = "a66e77aa3d3a7ffaaa0f41b43f132f7c0dba57651b5f9ef7748a43aa8ff8479f";
});

test("LinkedIn brings no nonce back, and refuses a code verifier", async () => {
  const realm = await offered("linkedin", placed("issuer", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl"));
  const { back } = await signIn(realm, "linkedin", {
    ...{ refusesPkce: true, claims: { ...named, nonce: undefined, locale: { country: "US", language: "en" } } },
  });
  expect(isSignedIn(back, realm.name), back.text).toBe(true);
  expect(await linked(realm, "linkedin")).toEqual([{ subject: "subject-1", email: "ada@example.com", emailVerified: true }]);
  await expectRefused(realm, "linkedin", { claims: { aud: "another", nonce: undefined } });
});

test("GitLab is found by its issuer, and has the rest in its profile", async () => {
  const realm = await offered("gitlab", placed("issuer"));
  const { back } = await signIn(realm, "gitlab", {
    claims: { email: undefined, email_verified: undefined },
    userinfo: { ...named, email: "ada@example.com", email_verified: true, nickname: "ada" },
  });
  expect(isSignedIn(back, realm.name), back.text).toBe(true);
  expect(await linked(realm, "gitlab")).toEqual([{ subject: "subject-1", email: "ada@example.com", emailVerified: true }]);
  await expectRefused(realm, "gitlab", { claims: { nonce: undefined } });
});

test("Google's addresses count in its own domains only, a hosted domain is checked, and it chooses an account anew", async () => {
  const places = placed("issuer", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl");
  const realm = await offered("google", places);
  for (const [sub, claims] of Object.entries({
    elsewhere: {},
    gmail: { email: "ada@gmail.com" },
    workspace: { email: "a@corp.example", hd: "corp.example" },
  }))
    expect(isSignedIn((await signIn(realm, "google", { claims: { ...named, ...claims, sub } })).back, realm.name)).toBe(true);
  const verified = (await linked(realm, "google")).map(({ subject, emailVerified }) => [subject, emailVerified]).sort();
  expect(verified).toEqual([
    ["elsewhere", false],
    ["gmail", true],
    ["workspace", true],
  ]);
  // It knows no prompt=login.
  const party = await relyingParty(iam, realm);
  const { left } = await walk(iam.browser(), iam.config.baseUrl, party.url({ prompt: "login", idp_hint: "google" }));
  expect(left?.searchParams.get("prompt")).toBe("select_account");

  const hosted = await offered("google", { ...places, hostedDomain: "corp.example" });
  await expectRefused(hosted, "google", { claims: named });
  await expectRefused(hosted, "google", { claims: { ...named, email: "a@corp.example", hd: "evil.example" } });
  const { left: asked, back } = await signIn(hosted, "google", { claims: { ...named, hd: "corp.example" } });
  expect([asked.searchParams.get("hd"), isSignedIn(back, hosted.name)]).toEqual(["corp.example", true]);
});

test("plain OAuth 2 knows people by the claim that is configured, whatever the answer says of an issuer", async () => {
  const places = placed("authorizationUrl", "tokenUrl", "userinfoUrl");
  const realm = await offered("oauth2", { ...places, subjectClaim: "uid" });
  const account = (userinfo: Config) => ({ hasIdToken: false, userinfo: { ...named, email: "ada@example.com", ...userinfo } });
  const { back } = await signIn(realm, "oauth2", account({ uid: 42, email_verified: true }));
  expect(isSignedIn(back, realm.name), back.text).toBe(true);
  expect(await linked(realm, "oauth2")).toEqual([{ subject: "42", email: "ada@example.com", emailVerified: true }]);
  for (const uid of [undefined, "", null, {}, ["42"], 2 ** 53 + 2, 1.5, true]) await expectRefused(realm, "oauth2", account({ uid }));
  expect((await linked(realm, "oauth2")).length).toBe(1);
});

describe("the token endpoint gets", () => {
  const awkward = "a secret: +%é&'()*";
  const signInWith = async (config: Config, isClient: (call: PeerCall) => unknown) => {
    const realm = await offered("oidc", { issuer: peer.issuer, ...config });
    return isSignedIn((await signIn(realm, "oidc", { claims: named, isClient })).back, realm.name);
  };

  test("a secret by Basic authentication, encoded as RFC 6749 says", async () => {
    const isClient = ({ form, headers }: PeerCall) => {
      const [id, secret] = Buffer.from(headers.authorization!.slice(6), "base64").toString().split(":");
      return !form.has("client_secret") && [id, secret].map((part) => decodeURIComponent(part!)).join("|") === `gatehouse|${awkward}`;
    };
    expect(await signInWith({ clientAuthMethod: "client_secret_basic", clientSecret: awkward }, isClient)).toBe(true);
    const posts = ({ form, headers }: PeerCall) => form.get("client_secret") === awkward && headers.authorization === undefined;
    expect(await signInWith({ clientSecret: awkward }, posts), "by default in the form").toBe(true);
  });

  test.each(["rsa", "ec", "ed25519"] as const)("an assertion signed by a private key: %s", async (type) => {
    const privateKey = pem(type);
    const seen = new Set<unknown>();
    const isClient = async ({ form, headers }: PeerCall) => {
      const options = { issuer: "gatehouse", subject: "gatehouse", audience: `${peer.issuer}/token`, requiredClaims: ["jti", "exp"] };
      const { payload, protectedHeader } = await jwtVerify(form.get("client_assertion")!, createPublicKey(privateKey), options);
      seen.add(payload.jti);
      const type = form.get("client_assertion_type") === "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
      return type && protectedHeader.kid === "key-1" && !form.has("client_secret") && headers.authorization === undefined;
    };
    const config = { privateKey, keyId: "key-1", clientSecret: undefined };
    expect(await signInWith(config, isClient)).toBe(true);
    expect(await signInWith({ ...config, clientAuthMethod: "private_key_jwt" }, isClient)).toBe(true);
    expect(seen.size, "each is used once").toBe(2);
  });

  test("nothing but the id of a public client", async () => {
    const isClient = ({ form, headers }: PeerCall) =>
      form.get("client_id") === "gatehouse" && !form.has("client_secret") && headers.authorization === undefined;
    expect(await signInWith({ clientAuthMethod: "none", clientSecret: undefined }, isClient)).toBe(true);
  });
});

test("Discord has no ID token: its id is the subject, and an address counts where it says so", async () => {
  const realm = await offered("discord", { ...placed("authorizationUrl", "tokenUrl"), userinfoUrl: `${peer.issuer}/me` });
  const account = (more: object = {}) => ({
    hasIdToken: false,
    pages: { "/me": { id: "80351110224678912", username: "ada", global_name: "Ada", email: "ada@example.com", verified: true, ...more } },
  });
  const { browser, left, back } = await signIn(realm, "discord", account());
  expect([left.searchParams.get("scope"), left.searchParams.has("nonce")]).toEqual(["identify email", false]);
  expect(isSignedIn(await completed(browser, realm, back, { lastName: "Lovelace" }), realm.name)).toBe(true);
  expect(await linked(realm, "discord")).toEqual([{ subject: "80351110224678912", email: "ada@example.com", emailVerified: true }]);
  const other = await signIn(realm, "discord", account({ id: "80351110224678913", email: "eve@example.com", verified: false }));
  await completed(other.browser, realm, other.back, { lastName: "Lovelace" });
  expect((await linked(realm, "discord")).find(({ subject }) => subject.endsWith("3"))).toMatchObject({ emailVerified: false });
});
