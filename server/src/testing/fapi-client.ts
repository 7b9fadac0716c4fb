// A client of the FAPI 2.0 Security Profile: private_key_jwt, DPoP, PAR, PKCE. A test can change every part of a request.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { clock, SECOND } from "../kernel/clock.ts";
import type { Answer, Browser } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";
import { CALLBACK, submit, walk } from "./relying-party.ts";

type Params = Record<string, string>;
/** Claims, of which undefined members are left out. */
type Claims = Record<string, unknown>;

export interface FapiClient {
  readonly clientId: string;
  readonly id: string;
  readonly issuer: string;
  readonly keys: GenerateKeyPairResult;
  sign(claims: Claims, header?: Record<string, unknown>, key?: GenerateKeyPairResult["privateKey"]): Promise<string>;
  /** Returns a client assertion (RFC 7523). */
  assertion(claims?: Claims, header?: Record<string, unknown>): Promise<string>;
  /** Returns a DPoP proof (RFC 9449). `claims` replace its own. */
  proof(path: string, claims?: Claims, key?: GenerateKeyPairResult, header?: Record<string, unknown>): Promise<string>;
  /** Returns the parameters of an authorization request. */
  request(params?: Params): Params;
  /** Returns these as a request object (RFC 9101). */
  requestObject(params?: Params, claims?: Claims, header?: Record<string, unknown>): Promise<string>;
  /** Sends a POST as this client, with its assertion unless the form has one. */
  post(path: string, form: Params, headers?: Params): Promise<Answer>;
  push(params?: Params): Promise<Answer>;
  /** Signs a user in with a pushed request. */
  authorize(browser: Browser, user: { username: string; password: string }, pushed: Params): Promise<URL>;
  exchange(code: string, form?: Params, headers?: Params): Promise<Answer>;
  refresh(token: string, headers?: Params): Promise<Answer>;
}

const now = () => Math.floor(clock.now() / SECOND);

export async function fapiClient(iam: SharedHarness, realm: RealmUnderTest, members: Record<string, unknown> = {}): Promise<FapiClient> {
  const alg = "ES256";
  const keys = await generateKeyPair(alg, { extractable: true });
  const dpop = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "k1", use: "sig" };
  const made = await realm.asMaster().post("/clients", {
    clientId: "bank",
    profile: "fapi2-security",
    redirectUris: [CALLBACK],
    jwks: { keys: [jwk] },
    ...members,
  });
  if (made.status !== 201) throw new Error(`could not create a client: ${made.status} ${made.text}`);
  const { clientId, id } = made.body;
  const { baseUrl } = iam.config;
  const issuer = `${baseUrl}/realms/${realm.name}`;
  const verifier = randomBytes(32).toString("base64url");

  const client: FapiClient = {
    clientId,
    id,
    issuer,
    keys,
    sign: (claims, header = {}, key = keys.privateKey) =>
      new SignJWT(JSON.parse(JSON.stringify(claims)) as JWTPayload).setProtectedHeader({ alg, kid: "k1", ...header }).sign(key),
    assertion: (claims = {}, header = {}) =>
      client.sign({ iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat: now(), exp: now() + 60, ...claims }, header),
    async proof(path, claims = {}, key = dpop, header = {}) {
      const head = { typ: "dpop+jwt", jwk: await exportJWK(key.publicKey), kid: undefined, ...header };
      const payload = { jti: randomUUID(), htm: "POST", htu: `${issuer}${path}`, iat: now(), ...claims };
      return client.sign(payload, head, key.privateKey);
    },
    request: (params = {}) => ({
      client_id: clientId,
      redirect_uri: CALLBACK,
      response_type: "code",
      scope: "openid",
      state: "st",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...params,
    }),
    requestObject: (params = {}, claims = {}, header = {}) =>
      client.sign(
        { ...client.request(params), iss: clientId, aud: issuer, jti: randomUUID(), nbf: now(), exp: now() + 300, ...claims },
        { typ: "oauth-authz-req+jwt", ...header },
      ),
    async post(path, form, headers = {}) {
      const credentials = {
        client_id: clientId,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: form.client_assertion ?? (await client.assertion()),
      };
      return iam.browser().request("POST", `/realms/${realm.name}${path}`, { form: { ...credentials, ...form }, headers, csrf: false });
    },
    push: (params) => client.post("/par", client.request(params)),
    async authorize(browser, user, { request_uri, ...others }) {
      const query = new URLSearchParams({ client_id: clientId, request_uri: request_uri!, ...others });
      const { page, left } = await walk(browser, baseUrl, `/realms/${realm.name}/authorize?${query}`);
      const to = left ?? (await submit(browser, baseUrl, page, { username: user.username, password: user.password })).left;
      if (!to) throw new Error(`the request led nowhere: ${page.status} ${page.text}`);
      return to;
    },
    exchange: async (code, form = {}, headers) =>
      client.post(
        "/token",
        { grant_type: "authorization_code", code, redirect_uri: CALLBACK, code_verifier: verifier, ...form },
        headers ?? { dpop: await client.proof("/token") },
      ),
    refresh: async (token, headers) =>
      client.post("/token", { grant_type: "refresh_token", refresh_token: token }, headers ?? { dpop: await client.proof("/token") }),
  };
  return client;
}
