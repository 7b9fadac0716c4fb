// Workload identity, with issuers on this machine that sign the same tokens as Kubernetes, GitHub, GitLab and AWS.
import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { ServerResponse } from "node:http";
import { SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createApp, type Server } from "../../app.ts";
import { grantConsent } from "../../directory/consents/index.ts";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { httpsPeer, sendJson } from "../../testing/https-peer.ts";
import type { Listening } from "../../testing/peer-sockets.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, relyingParty, submit, walk } from "../../testing/relying-party.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const JWT = "urn:ietf:params:oauth:token-type:jwt";
const ASSERTION = { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" };
const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const [first, second] = [rsa(), rsa()];
const curve = generateKeyPairSync("ec", { namedCurve: "secp384r1" });

let iam: SharedHarness;
let server: Server;
let peer: Listening;
let realm: RealmUnderTest;
/** The host of a test. Each test has its own issuers, because their keys are cached. */
let HOST = "";
let hosts = 0;
const pages = new Map<string, (response: ServerResponse) => unknown>();
const requested: string[] = [];
const at = (path = "") => `https://${HOST}:${peer.port}${path}`;

beforeAll(async () => {
  iam = await sharedHarness();
  const authority = await privateAuthority();
  peer = await httpsPeer(await authority.identity("*.issuer.example"), (request, response) => {
    requested.push(`${request.headers.host?.split(":")[0]}${request.path}`);
    const page = pages.get(`${request.headers.host}${request.path}`);
    return page ? page(response) : response.writeHead(404).end();
  });
  const outbound = createOutbound({
    allowedHosts: ["127.0.0.1"],
    allowLoopbackHttp: false,
    ca: authority.ca,
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  server = await createApp({ ...iam.core, metrics: createMetrics() }, { outbound });
  await server.app.ready();
  realm = await iam.realm();
});
afterAll(async () => {
  await server?.close();
  await peer?.close();
  await iam?.close();
});
beforeEach(() => {
  HOST = `h${hosts++}.issuer.example`;
  requested.length = 0;
});
afterEach(() => clock.reset());

const publish = (path: string, body: unknown, status = 200) =>
  pages.set(`${HOST}:${peer.port}${path}`, (response) => sendJson(response, status, body));
const jwk = (key: KeyObject, kid: string, more: object = {}) => ({ ...key.export({ format: "jwk" }), kid, ...more });
/** Publishes an issuer's documents. Those of Kubernetes and GitHub name no endpoint other than the keys. */
const issuer = (keys: object[] = [jwk(first.publicKey, "k1", { use: "sig", alg: "RS256" })], path = "") => {
  publish(`${path.replace(/\/$/, "")}/.well-known/openid-configuration`, { issuer: at(path), jwks_uri: at("/keys") });
  publish("/keys", { keys });
  return at(path);
};

let made = 0;
const client = async (more: object = {}) => {
  const answer = await realm.asMaster().post("/clients", { clientId: `workload${made++}`, grantTypes: ["client_credentials"], ...more });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as { id: string; clientId: string; secret?: string };
};
const AUDIENCE = () => `${iam.config.baseUrl}/realms/${realm.name}`;
const SUBJECT = "system:serviceaccount:shop:deploy";
const trust = async (more: Record<string, unknown> = {}) => {
  const body = {
    name: `credential ${made++}`,
    issuer: at(),
    subject: SUBJECT,
    audience: AUDIENCE(),
    clientId: more.clientId ?? (await client()).clientId,
    scopes: "email roles",
    ...more,
  };
  const answer = await realm.asMaster().post("/workload-identity", body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body as { id: string; clientId: string; version: number } & Record<string, unknown>;
};

const now = () => Math.floor(clock.now() / SECOND);
/** Returns claims as Kubernetes issues them for a projected volume. */
const kubernetes = () => ({
  aud: [AUDIENCE()],
  exp: now() + 3600,
  iat: now(),
  nbf: now(),
  iss: at(),
  jti: `3f1c${made++}`,
  "kubernetes.io": {
    namespace: "shop",
    node: { name: "n1", uid: "f3a0" },
    pod: { name: "deploy-0", uid: "9a1e" },
    serviceaccount: { name: "deploy", uid: "b8d2" },
    warnafter: now() + 3607,
  },
  sub: SUBJECT,
});
const sign = (claims: Record<string, unknown>, header: object = {}, key: KeyObject = first.privateKey) =>
  new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k1", ...header }).sign(key);

const post = async (form: Record<string, string> | string, path = "/workload-identity/token", remoteAddress = `192.0.2.${hosts % 250}`) => {
  const answer = await server.app.inject({
    method: "POST",
    url: `/realms/${realm.name}${path}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    remoteAddress,
    payload: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
  return { status: answer.statusCode, text: answer.body, headers: answer.headers, body: answer.json() };
};
const exchange = (token: string, more: Record<string, string> = {}) =>
  post({ grant_type: GRANT, subject_token: token, subject_token_type: JWT, ...more });
const claimsOf = ({ body }: { body: { access_token: string } }) =>
  JSON.parse(Buffer.from(body.access_token.split(".")[1]!, "base64url").toString());
const requests = (path: string) => requested.filter((each) => each === `${HOST}${path}`).length;

describe("a workload's token", () => {
  test("is exchanged, if Kubernetes issued it, for a token of the client that lasts five minutes, and the exchange is recorded", async () => {
    issuer();
    const { id, clientId } = await trust();
    const answer = await exchange(await sign(kubernetes()), { client_id: "ignored" });
    expect(answer).toMatchObject({
      status: 200,
      headers: { "cache-control": "no-store" },
      body: {
        token_type: "Bearer",
        expires_in: 300,
        scope: "email roles",
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      },
    });
    const claims = claimsOf(answer);
    expect(claims).toMatchObject({ sub: clientId, client_id: clientId, aud: AUDIENCE(), workload_iss: at(), workload_sub: SUBJECT });
    expect(claims.exp - claims.iat).toBe(300);
    expect(await realm.events(`type=WORKLOAD_TOKEN_ISSUED&resourceId=${id}`)).toMatchObject([
      { actor: clientId, outcome: "SUCCESS", detail: `issuer ${at()}, subject ${SUBJECT}` },
    ]);
    // The token may be used again, and the keys are cached.
    expect((await exchange(await sign(kubernetes()))).status).toBe(200);
    expect([requests("/.well-known/openid-configuration"), requests("/keys")]).toEqual([1, 1]);
  });

  test("meets conditions (GitHub), is signed with an elliptic curve (AWS) or is matched by another claim (GitLab, Bitbucket)", async () => {
    const github = issuer([jwk(first.publicKey, "k1"), jwk(curve.publicKey, "aws", { alg: "ES384" })], "/acme/");
    const sub = "repo:acme/shop:ref:refs/heads/main";
    await trust({ issuer: github, subject: sub, conditions: { event_name: ["push", "workflow_dispatch"], repository_id: "74" } });
    const claims = { iss: github, sub, aud: AUDIENCE(), jti: "a", nbf: now() - 600, iat: now() - 10, exp: now() + 290 };
    const of = (more: object) => sign({ ...claims, event_name: "push", repository_id: "74", ...more }, { typ: "JWT" });
    expect((await exchange(await of({}))).status).toBe(200);
    for (const more of [{ event_name: "pull_request_target" }, { repository_id: "75" }, { repository_id: ["74"] }, { event_name: null }])
      expect((await exchange(await of(more))).status, JSON.stringify(more)).toBe(401);

    const role = "arn:aws:iam::123456789012:role/deploy";
    await trust({ issuer: github, subject: role, conditions: { "https://sts\\.amazonaws\\.com/.aws_account": "123456789012" } });
    const aws = { iss: github, sub: role, aud: AUDIENCE(), iat: now(), exp: now() + 300, jti: "b" };
    const account = { "https://sts.amazonaws.com/": { aws_account: "123456789012", org_id: "o-1" } };
    expect((await exchange(await sign({ ...aws, ...account }, { alg: "ES384", kid: "aws" }, curve.privateKey))).status).toBe(200);
    expect((await exchange(await sign(aws, { alg: "ES384", kid: "aws" }, curve.privateKey))).status).toBe(401);

    await trust({ issuer: github, subject: "42", subjectClaim: "project_id" });
    const gitlab = { ...claims, sub: "project_path:acme/shop:ref_type:branch:ref:main", project_id: "42" };
    const answer = await exchange(await sign(gitlab));
    expect([answer.status, claimsOf(answer).workload_sub]).toEqual([200, gitlab.sub]);
    expect((await exchange(await sign({ ...gitlab, project_id: "43" }))).status).toBe(401);
  });

  test("is refused with the same response for every reason, and the audit trail has the reason", async () => {
    issuer([jwk(first.publicKey, "k1"), jwk(curve.publicKey, "ec")]);
    const { id, clientId } = await trust();
    const good = kubernetes();
    const head = (header: object) => Buffer.from(JSON.stringify(header)).toString("base64url");
    const body = head(good);
    const hmac = `${head({ alg: "HS256", kid: "k1" })}.${body}`;
    const secret = first.publicKey.export({ type: "spki", format: "pem" });
    const wrong: Record<string, string> = {
      "unknown issuer": await sign({ ...good, iss: `${at()}/` }),
      "other subject": await sign({ ...good, sub: "system:serviceaccount:shop:default" }),
      "a look-alike": await sign({ ...good, sub: `${SUBJECT} ` }),
      "other audience": await sign({ ...good, aud: "https://kubernetes.default.svc" }),
      "two audiences": await sign({ ...good, aud: [AUDIENCE(), "https://other.example"] }),
      "no audience": await sign({ ...good, aud: [] }),
      none: `${head({ alg: "none" })}.${body}.`,
      HS256: `${hmac}.${createHmac("sha256", secret).update(hmac).digest("base64url")}`,
      PS256: await sign(good, { alg: "PS256" }),
      "key of another type": await sign(good, { alg: "RS256", kid: "ec" }),
      "another's key": await sign(good, {}, second.privateKey),
      crit: `${head({ alg: "RS256", kid: "k1", crit: ["x"], x: 1 })}.${body}.AAAA`,
      "an access token": await sign(good, { typ: "at+jwt" }),
      expired: await sign({ ...good, iat: now() - 3000, exp: now() - 61 }),
      "from the future": await sign({ ...good, iat: now() + 90, exp: now() + 600 }),
      "not yet": await sign({ ...good, nbf: now() + 90 }),
      "too long by a second": await sign({ ...good, exp: now() + 3601 }),
      "over before it began": await sign({ ...good, iat: now() + 30, exp: now() - 30 }),
      "without exp": await sign({ ...good, exp: undefined }),
      "without iat": await sign({ ...good, iat: undefined }),
      "no sub": await sign({ ...good, sub: undefined }),
      "no token": "nonsense",
      huge: await sign({ ...good, padding: "x".repeat(20_000) }),
    };
    const answers = new Map<string, string>();
    for (const [name, token] of Object.entries(wrong)) answers.set(name, JSON.stringify(await exchange(token)));
    const right = await sign(good);
    const forms: Record<string, Parameters<typeof post>[0]> = {
      empty: {},
      "another grant": { grant_type: "client_credentials", subject_token: right, subject_token_type: JWT },
      "another type": { grant_type: GRANT, subject_token: right, subject_token_type: "urn:ietf:params:oauth:token-type:id_token" },
      twice: `grant_type=${encodeURIComponent(GRANT)}&subject_token=${right}&subject_token=${right}&subject_token_type=${encodeURIComponent(JWT)}`,
      "beyond the credential": { grant_type: GRANT, subject_token: right, subject_token_type: JWT, scope: "email profile" },
      "unknown scope": { grant_type: GRANT, subject_token: right, subject_token_type: JWT, scope: "nonsense" },
      deep: { grant_type: GRANT, subject_token: "[".repeat(5_000), subject_token_type: JWT },
    };
    for (const [name, form] of Object.entries(forms)) answers.set(name, JSON.stringify(await post(form)));
    const boss = realm.asMaster();
    await boss.patch(`/workload-identity/${id}`, { enabled: false });
    answers.set("disabled credential", JSON.stringify(await exchange(right)));
    await boss.patch(`/workload-identity/${id}`, { enabled: true });
    const [found] = (await boss.get(`/clients?search=${clientId}`)).body;
    await boss.patch(`/clients/${found.id}`, { enabled: false });
    answers.set("disabled client", JSON.stringify(await exchange(right)));
    await boss.patch(`/clients/${found.id}`, { enabled: true, grantTypes: ["authorization_code"] });
    answers.set("no client credentials", JSON.stringify(await exchange(right)));
    await boss.patch(`/clients/${found.id}`, { grantTypes: ["client_credentials"] });
    clock.advance(11 * MINUTE);
    publish("/keys", {}, 503);
    answers.set("keys that cannot be read", JSON.stringify(await exchange(await sign(kubernetes()))));

    const bodies = new Set([...answers.values()].map((each) => JSON.parse(each).text));
    expect([...answers].filter(([, each]) => JSON.parse(each).status !== 401)).toEqual([]);
    expect(bodies).toEqual(new Set(['{"error":"invalid_client","error_description":"the workload\'s token was not accepted"}']));
    await server.activity.flush();
    const details = (await realm.events("type=WORKLOAD_TOKEN_REJECTED")).map(({ detail }) => detail).join("\n");
    for (const reason of [`issuer ${at()}, subject ${SUBJECT}`, "no credential has this issuer", "more since the last event"])
      expect(details).toContain(reason);
  });

  test("causes no request if its issuer is unknown, and one in half a minute if its key is unknown; a rotated key is found at once", async () => {
    issuer();
    await trust();
    const stranger = await sign({ ...kubernetes(), sub: "somebody else" });
    expect((await exchange(stranger)).status).toBe(401);
    expect(requested).toEqual([]);
    expect((await exchange(await sign(kubernetes()))).status).toBe(200);
    for (let n = 0; n < 20; n++) expect((await exchange(await sign(kubernetes(), { kid: `unknown${n}` }))).status).toBe(401);
    expect(requests("/keys")).toBe(2);
    clock.advance(31 * SECOND);
    publish("/keys", { keys: [jwk(second.publicKey, "k2")] });
    expect((await exchange(await sign(kubernetes(), { kid: "k2" }, second.privateKey))).status).toBe(200);
    expect((await exchange(await sign(kubernetes()))).status).toBe(401);
    expect(requests("/keys")).toBe(3);
    // Without a kid, the only key that fits is used.
    expect((await exchange(await sign(kubernetes(), { kid: undefined }, second.privateKey))).status).toBe(200);
  });

  test("is refused if the issuer redirects, sends too much, names another issuer or has its keys at plain http", async () => {
    issuer();
    await trust();
    const attempt = async () => {
      clock.advance(6 * SECOND);
      return (await exchange(await sign(kubernetes()))).status;
    };
    const keys = { keys: [jwk(first.publicKey, "k1")] };
    pages.set(`${HOST}:${peer.port}/keys`, (response) => response.writeHead(302, { location: at("/moved") }).end());
    publish("/moved", keys);
    expect(await attempt()).toBe(401);
    publish("/keys", { ...keys, padding: "x".repeat(300 * 1024) });
    expect(await attempt()).toBe(401);
    publish("/keys", keys);
    publish("/.well-known/openid-configuration", { issuer: `${at()}/`, jwks_uri: at("/keys") });
    expect(await attempt()).toBe(401);
    publish("/.well-known/openid-configuration", { issuer: at(), jwks_uri: at("/keys").replace("https:", "http:") });
    expect(await attempt()).toBe(401);
    expect(requested).not.toContain(`${HOST}/moved`);
    publish("/.well-known/openid-configuration", { issuer: at(), jwks_uri: at("/keys") });
    expect(await attempt()).toBe(200);
  });

  test("is verified by keys in the credential without a request, and taken once where the credential says so", async () => {
    const jwks = { keys: [jwk(first.publicKey, "k1")] };
    await trust({ issuer: "kubernetes/serviceaccount", jwks, singleUse: true });
    const claims = { ...kubernetes(), iss: "kubernetes/serviceaccount" };
    const token = await sign(claims);
    const answers = await Promise.all([exchange(token), exchange(token), exchange(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await exchange(await sign({ ...claims, jti: undefined }))).status).toBe(401);
    expect(requested).toEqual([]);
  });

  test("is exchanged 120 times a minute from one address", async () => {
    await realm.asMaster().patch("/settings", { rateLimits: { workloadTokens: 5 } });
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await post({}, "/workload-identity/token", "192.0.2.251")).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    await realm.asMaster().patch("/settings", { rateLimits: { workloadTokens: 120 } });
  });
});

describe("as client authentication (federated_jwt)", () => {
  test("stands for the client at the token endpoint, within the credential's scopes", async () => {
    issuer();
    const { clientId, id } = await client({ authMethod: "federated_jwt", scopes: ["email", "roles", "profile"] });
    await trust({ clientId, scopes: "email" });
    const ask = async (more: Record<string, string> = {}) =>
      post({ grant_type: "client_credentials", ...ASSERTION, client_assertion: await sign(kubernetes()), ...more }, "/token");
    const answer = await ask();
    expect([answer.status, answer.body.scope, claimsOf(answer).client_id]).toEqual([200, "email", clientId]);
    expect((await ask({ client_id: clientId })).status).toBe(200);
    expect(await ask({ scope: "profile" })).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
    expect(await ask({ client_id: "another" })).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    const wrong = await sign(kubernetes(), {}, second.privateKey);
    expect((await ask({ client_assertion: wrong })).status).toBe(401);
    // The credential alone does not change how a client authenticates.
    await realm.asMaster().patch(`/clients/${id}`, { authMethod: "client_secret" });
    expect((await ask()).status).toBe(401);
  });

  test("stands for the client where users sign in, too: by a pushed request, a device and CIBA, within the credential's scopes", async () => {
    issuer();
    const grants = ["authorization_code", "refresh_token", "device", "CIBA"];
    const members = { authMethod: "federated_jwt", publicClient: false, grantTypes: grants, scopes: ["openid", "email", "profile"] };
    const [user, app] = [await realm.user(), await relyingParty(iam, realm, { clientId: `users${made++}`, ...members })];
    await trust({ clientId: app.clientId, scopes: "openid email" });
    await trust({ clientId: app.clientId, scopes: "", subject: "without scopes" });
    const ask = async (path: string, form: Record<string, string>) => {
      const answer = await post({ ...ASSERTION, client_assertion: await sign(kubernetes()), scope: "openid email", ...form }, path);
      return { ...answer, error: answer.body.error };
    };
    const request = Object.fromEntries(new URL(app.url(), AUDIENCE()).searchParams);
    const paths = { "/par": request, "/device/authorize": {}, "/backchannel/authorize": { login_hint: user.username } };
    let pushed = "";
    for (const [path, form] of Object.entries(paths)) {
      expect(await ask(path, { ...form, scope: "openid profile" }), path).toMatchObject({ status: 400, error: "invalid_scope" });
      const forged = await sign(kubernetes(), {}, second.privateKey);
      expect((await ask(path, { ...form, client_assertion: forged })).status, path).toBe(401);
      const scopeless = await sign({ ...kubernetes(), sub: "without scopes" });
      expect(await ask(path, { ...form, client_assertion: scopeless }), path).toMatchObject({ status: 400, error: "invalid_scope" });
      const answer = await ask(path, { ...form, scope: "openid email" });
      expect(answer.status, `${path} ${answer.text}`).toBe(path === "/par" ? 201 : 200);
      pushed ||= answer.body.request_uri;
    }

    const browser = iam.browser();
    const asked = new URLSearchParams({ client_id: app.clientId, request_uri: pushed });
    const { page } = await walk(browser, iam.config.baseUrl, `/realms/${realm.name}/authorize?${asked}`);
    const { left } = await submit(browser, iam.config.baseUrl, page, { username: user.username, password: user.password });
    const exchangeOf = (code: string | null | undefined) => ({
      ...{ grant_type: "authorization_code", code: code ?? "", redirect_uri: CALLBACK, code_verifier: app.verifier },
    });
    expect(await ask("/token", exchangeOf(left?.searchParams.get("code")))).toMatchObject({ status: 200, body: { scope: "openid email" } });
    // Without a pushed request, the client is not authenticated yet, so the token endpoint narrows the scopes.
    const wide = await walk(browser, iam.config.baseUrl, app.url({ scope: "openid profile" }));
    expect(await ask("/token", exchangeOf(wide.left?.searchParams.get("code")))).toMatchObject({ status: 200, body: { scope: "openid" } });
  });

  test("stands for the client at the delegation endpoint, too: its token in the header gets no scope beyond the credential's", async () => {
    issuer();
    const scopes = ["openid", "email", "profile"];
    const { id, clientId } = await client({ scopes });
    await trust({ clientId, scopes: "openid email" });
    const admin = realm.asMaster();
    const [user, owner] = [await realm.user(), await realm.user()];
    const agent = (await admin.post("/agents", { name: clientId, clientId, ownerUserId: owner.userId, scopes })).body;
    expect((await admin.post(`/agents/${agent.id}/activate`)).status).toBe(200);
    await iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
      grantConsent(ctx, { userId: user.userId, clientId, resource: null }, scopes),
    );
    const app = await relyingParty(iam, realm, { clientId: `app of ${clientId}`.replaceAll(" ", "-") });
    const subject = (await app.signIn(iam.browser(), user, { scope: scopes.join(" ") })).body.access_token;
    const delegate = (token: string, more: Record<string, string> = {}) =>
      iam.browser().request("POST", `/realms/${realm.name}/agent/delegation/token`, {
        form: { grant_type: GRANT, subject_token: subject, subject_token_type: ACCESS_TOKEN, ...more },
        headers: { authorization: `Bearer ${token}` },
        csrf: false,
      });
    const exchanged = await exchange(await sign(kubernetes()));
    await admin.patch(`/clients/${id}`, { authMethod: "federated_jwt" });
    const credentials = { grant_type: "client_credentials", ...ASSERTION, client_assertion: await sign(kubernetes()) };
    // The client's own token lacks `openid`, but the credential has it.
    const own = await post(credentials, "/token");
    expect([exchanged.body.scope, own.body.scope]).toEqual(["openid email", "email"]);
    for (const { body } of [exchanged, own]) {
      expect(await delegate(body.access_token)).toMatchObject({ status: 200, body: { scope: "openid email" } });
      expect(await delegate(body.access_token, { scope: "profile" })).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
    }
  });
});
