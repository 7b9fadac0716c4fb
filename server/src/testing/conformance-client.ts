// Acts as the relying party of the OpenID Foundation's conformance suite. It registers itself, fills in the forms of our pages, and checks everything that it
// gets. See docs/conformance.md.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { expect } from "vitest";
import { responseTypes } from "../applications/clients/index.ts";
import { clock, SECOND } from "../kernel/clock.ts";
import type { App } from "../platform/http/index.ts";
import { type Answer, Browser } from "./browser.ts";
import type { RealmUnderTest } from "./realm.ts";
import { submit, walk } from "./relying-party.ts";

export const REDIRECT = "https://suite.example/test/a/gatehouse/callback";

type Params = Readonly<Record<string, string>>;
// biome-ignore lint/suspicious/noExplicitAny: metadata and answers of every shape
type Json = any;

export interface Issuer {
  readonly app: App;
  readonly realm: RealmUnderTest;
  readonly user: { readonly userId: string; readonly username: string; readonly password: string };
  readonly metadata: Json;
  browser(): Browser;
  /** Returns the path of an address on this server. */
  path(url: string): string;
  keys(): Promise<ReturnType<typeof createLocalJWKSet>>;
}

const OPEN = { requireInitialAccessToken: false, allowedResponseTypes: [...responseTypes] };

/** Prepares a realm with anonymous registration, also for the implicit flow, and a user with all claims. */
export async function openIssuer(app: App, realm: RealmUnderTest, baseUrl: string): Promise<Issuer> {
  const opened = await realm.asMaster().put("/provisioning", { registration: OPEN });
  expect(opened.status, opened.text).toBe(200);
  const offered = await realm.asMaster().put("/settings", { oidc: { implicitFlow: true } });
  expect(offered.status, offered.text).toBe(200);
  const user = await realm.user();
  const known = (await realm.asMaster().get(`/users/${user.userId}`)).body;
  const answered = await realm.asMaster().put(`/users/${user.userId}`, { ...known, email: "ada@example.com", attributes: PERSON });
  expect(answered.status, answered.text).toBe(200);
  const browser = () => new Browser(app);
  const { body: metadata } = await browser().get(`/realms/${realm.name}/.well-known/openid-configuration`);
  const path = (url: string) => url.slice(baseUrl.length);
  const keys = async () => createLocalJWKSet((await browser().get(path(metadata.jwks_uri))).body);
  return { app, realm, user, metadata, browser, path, keys };
}

const PERSON = {
  ...{ firstName: ["Ada"], lastName: ["Lovelace"], middleName: ["King"], nickname: ["ada"], gender: ["female"], birthdate: ["1815-12-10"] },
  ...{ profile: ["https://ada.example/"], picture: ["https://ada.example/a.png"], website: ["https://ada.example/w"] },
  ...{ zoneinfo: ["Europe/London"], locale: ["en-GB"], phoneNumber: ["+44 20 7946 0000"], phoneNumberVerified: ["true"] },
  ...{ formattedAddress: ["12 St James Square"], streetAddress: ["12 St James Square"], locality: ["London"], country: ["GB"] },
  ...{ region: ["London"], postalCode: ["SW1Y 4JH"] },
};

export interface ConformanceClient {
  readonly metadata: Json;
  /** Returns the address of an authorization request. Undefined parameters are left out. */
  url(params?: Readonly<Record<string, string | undefined>>): string;
  /** Goes from the request to the answer, through every page that asks something. */
  authorize(browser: Browser, params?: Readonly<Record<string, string | undefined>>): Promise<URLSearchParams>;
  /** Sends a request to the token endpoint, with the client's authentication. */
  token(form: Params): Promise<Answer>;
  exchange(answer: URLSearchParams): Promise<Answer>;
  /** Runs the whole flow, with every check that the suite makes each time. */
  complete(browser: Browser, params?: Readonly<Record<string, string | undefined>>): Promise<Completed>;
  checkIdToken(jwt: string, expected?: { nonce?: string | undefined; accessToken?: string; alg?: string }): Promise<JWTPayload>;
  /** Deletes the registration by RFC 7592. */
  unregister(): Promise<Answer>;
  sign(claims: JWTPayload, header?: object): Promise<string>;
  /** Signs with another key afterwards. */
  useKey(key: ClientKey): void;
}

export interface Completed {
  readonly answer: URLSearchParams;
  readonly tokens: Json;
  readonly idToken: JWTPayload;
  readonly userinfo: Json;
}

/** Makes a key, which has no kid by default, as the suite registers it. */
export async function clientKey(kid?: string) {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), use: "sig", alg: "RS256", ...(kid !== undefined && { kid }) }, kid };
}
export type ClientKey = Awaited<ReturnType<typeof clientKey>>;

export async function registerClient(issuer: Issuer, members: Json = {}, key?: ClientKey, mode?: "form_post"): Promise<ConformanceClient> {
  const { metadata: op, path } = issuer;
  const request = {
    client_name: "OIDF Conformance Suite",
    grant_types: ["authorization_code"],
    response_types: ["code"],
    redirect_uris: [REDIRECT],
    contacts: ["certification@oidf.example"],
    token_endpoint_auth_method: "client_secret_basic",
    ...(key && members.jwks_uri === undefined && { jwks: { keys: [key.jwk] } }),
    ...members,
  };
  const registered = await issuer.browser().post(path(op.registration_endpoint), request);
  expect(registered.status, registered.text).toBe(201);
  expect(registered.headers["content-type"]).toMatch(/^application\/json/);
  const { body: metadata } = registered;
  expect(metadata).toMatchObject({
    ...request,
    registration_client_uri: expect.stringMatching(/^https:/),
    registration_access_token: expect.any(String),
  });
  if (metadata.client_secret !== undefined) expect(metadata.client_secret_expires_at).toEqual(expect.any(Number));

  const { client_id, client_secret } = metadata;
  let signingKey = key;
  const sign = (claims: JWTPayload, header: object = {}) => {
    const now = Math.floor(clock.now() / SECOND);
    const { privateKey, kid } = signingKey!;
    return new SignJWT({ iat: now, exp: now + 60, jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: "RS256", ...(kid !== undefined && { kid }), ...header })
      .sign(privateKey);
  };
  const authentication = async (): Promise<{ form?: Params; headers?: Params }> => {
    if (metadata.token_endpoint_auth_method === "private_key_jwt") {
      const client_assertion = await sign({ iss: client_id, sub: client_id, aud: op.token_endpoint });
      return { form: { client_assertion, client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" } };
    }
    if (metadata.token_endpoint_auth_method === "client_secret_post") return { form: { client_id, client_secret } };
    const credentials = [client_id, client_secret].map(encodeURIComponent).join(":");
    return { headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } };
  };

  const client: ConformanceClient = {
    metadata,
    sign,
    useKey(next) {
      signingKey = next;
    },
    url(params = {}) {
      const all: Record<string, string | undefined> = {
        client_id,
        redirect_uri: metadata.redirect_uris[0],
        scope: "openid",
        state: randomBytes(16).toString("hex"),
        nonce: randomBytes(16).toString("hex"),
        response_type: metadata.response_types[0],
        ...(mode && { response_mode: mode }),
        ...params,
      };
      const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return `${path(op.authorization_endpoint)}?${new URLSearchParams(given)}`;
    },
    async authorize(browser, params = {}) {
      return answerOf(browser, issuer, await walk(browser, baseOf(issuer), client.url(params)), metadata.redirect_uris[0]);
    },
    async token(form) {
      const proof = await authentication();
      return issuer.browser().request("POST", path(op.token_endpoint), {
        form: { ...form, ...proof.form },
        ...(proof.headers && { headers: proof.headers }),
        csrf: false,
      });
    },
    exchange: (answer) =>
      client.token({ grant_type: "authorization_code", code: answer.get("code") ?? "", redirect_uri: metadata.redirect_uris[0] }),
    async complete(browser, params = {}) {
      const requested = { state: randomBytes(64).toString("hex"), nonce: randomBytes(16).toString("hex"), ...params };
      const answer = await client.authorize(browser, requested);
      expect(Object.fromEntries(answer), "an answer without an error").not.toHaveProperty("error");
      expect([answer.get("state"), answer.get("iss")]).toEqual([requested.state, op.issuer]);
      expect(answer.get("code")!.length, "128 bits at least").toBeGreaterThanOrEqual(22);
      const given = await client.exchange(answer);
      expect(given.status, given.text).toBe(200);
      expect(given.headers["content-type"]).toMatch(/^application\/json/);
      expect(given.headers["cache-control"]).toContain("no-store");
      const { body: tokens } = given;
      expect(tokens).toMatchObject({ access_token: expect.any(String), token_type: "Bearer", expires_in: expect.any(Number) });
      const idToken = await client.checkIdToken(tokens.id_token, { nonce: requested.nonce, accessToken: tokens.access_token });
      const answered = await issuer
        .browser()
        .get(path(op.userinfo_endpoint), { headers: { authorization: `Bearer ${tokens.access_token}` } });
      expect(answered.status, answered.text).toBe(200);
      if (answered.body) checkUserinfo(answered.body, idToken);
      return { answer, tokens, idToken, userinfo: answered.body ?? answered.text };
    },
    async checkIdToken(jwt, { nonce, accessToken, alg = "RS256" } = {}) {
      const header = decodeProtectedHeader(jwt);
      // OpenID Connect Core §10.1: the kid is needed if there are several keys, as in our sets.
      expect(header).toMatchObject({ alg, kid: expect.any(String) });
      const { payload } = await jwtVerify(jwt, await issuer.keys(), {
        ...{ issuer: op.issuer, audience: client_id, requiredClaims: ["exp", "iat", "sub"], currentDate: new Date(clock.now()) },
      });
      expect(payload.nonce).toBe(nonce);
      expect(payload.sub).toMatch(/^[ -~]{1,255}$/);
      if (accessToken !== undefined && payload.at_hash !== undefined) expect(payload.at_hash).toBe(halfHash(accessToken, alg));
      expect(payload).not.toHaveProperty("name"); // it was not requested: the scope is openid
      return payload;
    },
    unregister: () =>
      issuer.browser().delete(path(metadata.registration_client_uri), {
        headers: { authorization: `Bearer ${metadata.registration_access_token}`, accept: "application/json" },
      }),
  };
  return client;
}

const baseOf = ({ metadata }: Issuer) => new URL(metadata.issuer).origin;
export const halfHash = (text: string, alg = "RS256"): string => {
  const digest = createHash(/^Ed/.test(alg) ? "sha512" : "sha256")
    .update(text)
    .digest();
  return digest.subarray(0, digest.length / 2).toString("base64url");
};

/** Answers our pages by their forms alone, as a person would, until the browser is sent back. */
async function answerOf(
  browser: Browser,
  issuer: Issuer,
  { page, left }: { page: Answer; left: URL | null },
  redirect: string,
): Promise<URLSearchParams> {
  if (left) {
    expect(left.href.startsWith(redirect), left.href).toBe(true);
    return left.hash === "" ? left.searchParams : new URLSearchParams(left.hash.slice(1));
  }
  const posted = /<form method="post" action="([^"]+)">([\s\S]*?)<\/form>/.exec(page.text);
  if (posted) {
    // OAuth 2.0 Form Post Response Mode §2
    expect([page.status, posted[1]]).toEqual([200, redirect]);
    const fields = [...posted[2]!.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]);
    return new URLSearchParams(fields);
  }
  const { username, password } = issuer.user;
  const fields = page.text.includes('name="password"')
    ? { username, password }
    : page.text.includes('id="allow"')
      ? { decision: "allow" }
      : null;
  if (!fields) throw new Error(`a page that asks nothing: ${page.status} ${page.text.replace(/<[^>]+>/g, " ").trim()}`);
  expect(page.text, "scripts are beside the page, and wait for it").not.toMatch(/<script(?! src="[^"]+" nonce="[^"]+" defer>)/);
  return answerOf(browser, issuer, await submit(browser, baseOf(issuer), page, fields as Record<string, string>), redirect);
}

const texts = [
  "name",
  "given_name",
  "family_name",
  "middle_name",
  "nickname",
  "preferred_username",
  "profile",
  "picture",
  "website",
  "email",
];
const moreTexts = ["gender", "birthdate", "zoneinfo", "locale", "phone_number"];

/** OpenID Connect Core §5.1, §5.3.2 */
export function checkUserinfo(claims: Json, idToken: JWTPayload): void {
  expect(claims.sub).toBe(idToken.sub);
  for (const name of [...texts, ...moreTexts]) if (name in claims) expect(typeof claims[name], name).toBe("string");
  for (const name of ["email_verified", "phone_number_verified"]) if (name in claims) expect(typeof claims[name], name).toBe("boolean");
  if ("updated_at" in claims) expect(claims.updated_at, "seconds").toBeLessThan(clock.now() / SECOND + 300);
  if ("address" in claims) expect(Object.values(claims.address).every((part) => typeof part === "string")).toBe(true);
}
