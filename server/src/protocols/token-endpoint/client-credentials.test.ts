import { createHash, createPublicKey, verify } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import type { Grant } from "./grant.ts";
import { grants } from "./grants/index.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

let made = 0;
type Machine = { id: string; clientId: string; secret: string };
const machine = async (more: object = {}): Promise<Machine> => {
  const answer = await realm.asMaster().post("/clients", { clientId: `machine${made++}`, grantTypes: ["client_credentials"], ...more });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};

const basic = ({ clientId, secret }: Pick<Machine, "clientId" | "secret">) =>
  `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString("base64")}`;

const ask = async (form: Record<string, string> | string, headers: Record<string, string> = {}) => {
  const answer = await iam.server.app.inject({
    method: "POST",
    url: `/realms/${realm.name}/token`,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    payload: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
};
const grant = { grant_type: "client_credentials" };
const token = (client: Pick<Machine, "clientId" | "secret">, form: Record<string, string> = {}) =>
  ask({ ...grant, ...form }, { authorization: basic(client) });

const part = (jwt: string, at: number) => JSON.parse(Buffer.from(jwt.split(".")[at]!, "base64url").toString());
const header = (answer: { body: { access_token: string } }) => part(answer.body.access_token, 0);
const payload = (answer: { body: { access_token: string } }) => part(answer.body.access_token, 1);

async function isSigned(jwt: string): Promise<boolean> {
  const { keys } = (await iam.server.app.inject({ url: `/realms/${realm.name}/jwks` })).json();
  const { kid, alg } = part(jwt, 0);
  const key = createPublicKey({ key: keys.find((each: { kid: string }) => each.kid === kid), format: "jwk" });
  const [head, body, signature] = jwt.split(".");
  const how = alg === "ES256" ? { key, dsaEncoding: "ieee-p1363" as const } : key;
  return verify("sha256", Buffer.from(`${head}.${body}`), how, Buffer.from(signature!, "base64url"));
}

describe("a token in a client's own name", () => {
  test("is a signed JWT (RFC 9068) that names its client", async () => {
    const client = await machine();
    const answer = await token(client);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/json; charset=utf-8" });
    expect(answer.body).toEqual({ access_token: expect.any(String), expires_in: 300, token_type: "Bearer", scope: "email profile roles" });
    expect(header(answer)).toEqual({ alg: "RS256", typ: "at+jwt", kid: expect.any(String) });
    const issuer = `${iam.config.baseUrl}/realms/${realm.name}`;
    const claims = payload(answer);
    expect(claims).toMatchObject({
      iss: issuer,
      aud: issuer,
      sub: client.clientId,
      client_id: client.clientId,
      scope: "email profile roles",
    });
    expect(claims.exp - claims.iat).toBe(300);
    expect(claims).not.toHaveProperty("gid");
    expect(await isSigned(answer.body.access_token)).toBe(true);
    expect(payload(await token(client)).jti).not.toBe(claims.jti);
  });

  test("is the same for the default resource, with roles, audiences and its own lifetime", async () => {
    const client = await machine({ audience: ["https://api.example"], accessTokenLifetime: 77 });
    await realm.asMaster().post("/roles", { name: "exporter" });
    await realm.asMaster().post(`/clients/${client.id}/service-account/roles`, { name: "exporter" });
    const plain = await token(client);
    const named = await token(client, { resource: `${iam.config.baseUrl}/realms/${realm.name}` });
    const { jti: _jti, iat: _iat, exp: _exp, ...claims } = payload(plain);
    const { jti: _other, iat: _then, exp: _until, ...same } = payload(named);
    expect(claims).toEqual(same);
    expect(claims.roles).toEqual(["exporter"]);
    expect(claims.aud).toEqual([expect.stringContaining(realm.name), "https://api.example"]);
    expect(header(plain)).toEqual(header(named));
    const { access_token: _a, ...answer } = plain.body;
    const { access_token: _b, ...sameAnswer } = named.body;
    expect(answer).toEqual(sameAnswer);
    expect(answer.expires_in).toBe(77);
  });

  test("is refused for a resource that the client may not address, and for two", async () => {
    const client = await machine();
    const issuer = encodeURIComponent(`${iam.config.baseUrl}/realms/${realm.name}`);
    expect(await token(client, { resource: "https://api.example" })).toMatchObject({ status: 400, body: { error: "invalid_target" } });
    const twice = await ask(`grant_type=client_credentials&resource=${issuer}&resource=${issuer}`, { authorization: basic(client) });
    expect(twice).toMatchObject({ status: 400, body: { error: "invalid_target" } });
  });

  test("accepts the secret in the header or in the form, and not in both", async () => {
    const client = await machine();
    const inForm = { client_id: client.clientId, client_secret: client.secret };
    expect(await ask({ ...grant, ...inForm })).toMatchObject({ status: 200 });
    expect(await token(client, { client_id: client.clientId })).toMatchObject({ status: 200 });
    expect(await token(client, { client_id: "another" })).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await token(client, inForm)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(
      await ask(`grant_type=client_credentials&client_id=${client.clientId}&client_secret=${client.secret}&client_secret=x`),
    ).toMatchObject({
      status: 400,
    });
  });

  test("contains the claims of its scopes, and no scope that the client may not request", async () => {
    const client = await machine({ scopes: ["email", "groups"] });
    expect((await token(client)).body.scope).toBe("email");
    expect((await token(client, { scope: "groups email groups" })).body.scope).toBe("groups email");
    expect((await token(client, { scope: "nonsense groups" })).body.scope).toBe("groups");
    expect(await token(client, { scope: "nonsense" })).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
    expect(await token(client, { scope: "email roles" })).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
    expect(await token(client, { scope: 'e"mail' })).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
  });

  test("contains the roles that the client has now, under their current names", async () => {
    const client = await machine();
    const { body: inner } = await realm.asMaster().post("/roles", { name: "inner" });
    const { body: outer } = await realm.asMaster().post("/roles", { name: "outer" });
    const roles = async () => payload(await token(client)).roles;
    expect(await roles()).toEqual([]);
    await realm.asMaster().post(`/clients/${client.id}/service-account/roles`, { name: "outer" });
    expect(await roles()).toEqual(["outer"]);
    await realm.asMaster().put(`/roles/${outer.roleId}`, { name: "outer", compositeRoles: ["inner"] });
    expect(await roles()).toEqual(["inner", "outer"]);
    await realm.asMaster().patch(`/roles/${inner.roleId}`, { name: "core" });
    expect(await roles()).toEqual(["core", "outer"]);
    await realm.asMaster().delete(`/roles/${inner.roleId}`);
    expect(await roles()).toEqual(["outer"]);
    await realm.asMaster().delete(`/clients/${client.id}/service-account/roles?name=outer`);
    expect(await roles()).toEqual([]);
  });

  test("is signed with ES256 where the client asks for it", async () => {
    const client = await machine({ accessTokenAlg: "ES256" });
    const answer = await token(client);
    expect(header(answer)).toMatchObject({ alg: "ES256", kid: expect.stringMatching(/-ec$/) });
    expect(await isSigned(answer.body.access_token)).toBe(true);
  });

  test("remains invalid when the client is enabled again, or another client gets its id", async () => {
    const admin = realm.asMaster();
    const watch = await machine({ introspectAll: true });
    const isActive = async (jwt: string): Promise<boolean> => {
      const { body } = await iam.browser().request("POST", `/realms/${realm.name}/introspect`, {
        form: { token: jwt, client_id: watch.clientId, client_secret: watch.secret },
        csrf: false,
      });
      expect(body).not.toHaveProperty("client_epoch");
      return body.active;
    };
    const client = await machine();
    const first = (await token(client)).body.access_token;
    expect(await isActive(first)).toBe(true);
    expect((await admin.patch(`/clients/${client.id}`, { name: "renamed" })).status).toBe(200);
    expect(await isActive(first), "another change ends nothing").toBe(true);
    for (const enabled of [false, true]) expect((await admin.patch(`/clients/${client.id}`, { enabled })).status).toBe(200);
    expect(await isActive(first)).toBe(false);
    const second = (await token(client)).body.access_token;
    expect(await isActive(second)).toBe(true);
    expect((await admin.delete(`/clients/${client.id}`)).status).toBe(204);
    const again = await machine({ clientId: client.clientId });
    expect(await isActive(second)).toBe(false);
    expect(await isActive((await token(again)).body.access_token)).toBe(true);
  });

  test("is counted", async () => {
    const client = await machine();
    const count = async () =>
      Number(
        new RegExp(`^svc_tokens_issued_total\\{realm="${realm.name}",grant_type="client_credentials"\\} (\\d+)$`, "m").exec(
          await iam.core.metrics.registry.metrics(),
        )?.[1] ?? 0,
      );
    const before = await count();
    await token(client);
    await token(client, { resource: `${iam.config.baseUrl}/realms/${realm.name}` });
    expect(await count()).toBe(before + 2);
  });
});

describe("is refused", () => {
  test.each<[string, (client: Machine) => Promise<unknown>, number, string]>([
    ["a wrong secret", (client) => token({ ...client, secret: `${client.secret}x` }), 401, "invalid_client"],
    ["a secret of the same length", (client) => token({ ...client, secret: "x".repeat(client.secret.length) }), 401, "invalid_client"],
    ["an unknown client", (client) => token({ ...client, clientId: "nobody" }), 401, "invalid_client"],
    ["no secret", (client) => ask({ ...grant, client_id: client.clientId }), 401, "invalid_client"],
    ["no client at all", () => ask(grant), 401, "invalid_client"],
    [
      "an assertion that is no JWT",
      () => ask({ ...grant, client_assertion: "x", client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" }),
      401,
      "invalid_client",
    ],
    [
      "another type of body",
      (client) => ask("{}", { authorization: basic(client), "content-type": "application/json" }),
      400,
      "invalid_request",
    ],
    ["a body too long", (client) => token(client, { scope: "x".repeat(60_000) }), 413, "invalid_request"],
  ])("%s", async (_what, send, status, error) => {
    expect(await send(await machine())).toMatchObject({ status, body: { error } });
  });

  // RFC 6749 §5.2
  test.each([
    "Basic ???",
    `Basic ${Buffer.from("no colon").toString("base64")}`,
    `Basic ${Buffer.from("%zz:x").toString("base64")}`,
    "Bearer x",
  ])("the header %j, with a challenge, at every endpoint", async (authorization) => {
    for (const path of ["token", "introspect", "revoke", "par", "agent/delegation/token"]) {
      const refused = await iam.browser().request("POST", `/realms/${realm.name}/${path}`, {
        form: { ...grant, token: "x" },
        headers: { authorization },
        csrf: false,
      });
      const isToken = path === "agent/delegation/token" && authorization.startsWith("Bearer");
      expect([path, refused.status, refused.body.error]).toEqual([path, 401, isToken ? "invalid_token" : "invalid_client"]);
      expect(refused.headers["www-authenticate"], path).toMatch(isToken ? /^Bearer realm=/ : /^Basic realm=/);
    }
  });

  onPostgres("a client that may not, is public, is disabled, or must prove a key", async () => {
    const web = await machine({ grantTypes: ["authorization_code"], redirectUris: ["https://app.example/cb"] });
    expect(await token(web)).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
    const bound = await machine({ requireDpop: true });
    expect(await token(bound)).toMatchObject({ status: 400, body: { error: "invalid_dpop_proof" } });
    const client = await machine();
    expect(await token(client)).toMatchObject({ status: 200 });
    const { body } = await realm.asMaster().get(`/clients/${client.id}`);
    expect(await realm.asMaster().put(`/clients/${client.id}`, { ...body, enabled: false })).toMatchObject({ status: 200 });
    expect(await token(client)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });

  test("a client of another realm", async () => {
    const elsewhere = await iam.realm();
    const { body } = await elsewhere.asMaster().post("/clients", { clientId: "elsewhere", grantTypes: ["client_credentials"] });
    expect(await token(body)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });

  test("the old secret, once its overlap has ended; the new one is valid at once", async () => {
    const client = await machine();
    await token(client);
    const { body } = await realm.asMaster().post(`/clients/${client.id}/secret`, { overlapSeconds: 60 });
    expect(await token({ ...client, secret: body.secret })).toMatchObject({ status: 200 });
    expect(await token(client)).toMatchObject({ status: 200 });
    clock.advance(61 * SECOND);
    expect(await token(client)).toMatchObject({ status: 401 });
    expect(await token({ ...client, secret: body.secret })).toMatchObject({ status: 200 });
  });
});

describe("the audit trail", () => {
  const failures = (clientId: string) => realm.events(`type=CLIENT_LOGIN_FAILURE&actor=${clientId}`);

  test("records that a client was refused: the first time immediately, the others as a number", async () => {
    const client = await machine();
    const wrong = { ...client, secret: "guess" };
    for (let n = 0; n < 30; n++) await token(wrong);
    await expect.poll(async () => (await failures(client.clientId)).length).toBeGreaterThan(0);
    await iam.server.activity.flush();
    const [first, ...rest] = (await failures(client.clientId)).reverse();
    expect(first).toMatchObject({
      category: "AUTHN",
      outcome: "FAILURE",
      resourceType: "clients",
      resourceId: client.id,
      sourceIp: "127.0.0.1",
    });
    // On a slow machine, the server may have recorded some of them earlier.
    const counted = rest.map(({ detail }) => Number(/^(\d+) more since the last event$/.exec(detail!)?.[1]));
    expect(counted.reduce((sum, count) => sum + count)).toBe(29);
    await iam.server.activity.flush();
    expect(await failures(client.clientId)).toHaveLength(1 + rest.length);
  });

  test("is not filled by unknown client ids", async () => {
    // The requests are concurrent, because each flush may add an event, and a slow machine has several meanwhile.
    await Promise.all(Array.from({ length: 50 }, (_, n) => ask({ ...grant, client_id: `ghost-${n}`, client_secret: "boo" })));
    await iam.server.activity.flush();
    const recorded = (await realm.events("type=CLIENT_LOGIN_FAILURE")).filter(({ actor }) => /^(ghost|\(several)/.test(actor));
    expect(recorded.length).toBeGreaterThan(0);
    expect(recorded.length).toBeLessThanOrEqual(2);
  });

  test("reports refusals at the other endpoints of clients", async () => {
    const client = await machine();
    const answer = await iam.server.app.inject({
      method: "POST",
      url: `/realms/${realm.name}/introspect`,
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: basic({ ...client, secret: "guess" }) },
      payload: "token=x",
    });
    expect(answer.statusCode).toBe(401);
    await expect.poll(() => failures(client.clientId)).toHaveLength(1);
  });

  test("records each token only where the realm is configured so", async () => {
    const client = await machine();
    const logins = () => realm.events(`type=CLIENT_LOGIN&actor=${client.clientId}`);
    await token(client);
    expect(await logins()).toHaveLength(0);
    expect(await realm.asMaster().put("/settings", { auditClientLogins: true })).toMatchObject({ status: 200 });
    await token(client);
    await token(client, { resource: `${iam.config.baseUrl}/realms/${realm.name}` });
    const answered = await logins();
    expect(answered).toHaveLength(2);
    expect(answered[0]).toMatchObject({ category: "AUTHN", outcome: "SUCCESS", resourceType: "clients", resourceId: client.id });
    await realm.asMaster().put("/settings", { auditClientLogins: false });
  });
});

describe("service-account sessions", () => {
  const list = async (search: string) => (await (await realm.as("view-events")).get(`/sessions/service-accounts?search=${search}`)).body;

  onPostgres("show which clients hold tokens, until the last has expired", async () => {
    const client = await machine({ name: "Nightly export" });
    await token(client);
    await token(client);
    await iam.server.activity.flush();
    await token(client, { resource: `${iam.config.baseUrl}/realms/${realm.name}` });
    await iam.server.activity.flush();
    const [session] = await list(client.clientId);
    expect(session).toMatchObject({ id: client.id, clientId: client.clientId, name: "Nightly export", tokens: 3, sourceIp: "127.0.0.1" });
    expect(session.expiresAt).toBeGreaterThan(session.lastSeenAt);
    expect(session.lastSeenAt).toBeGreaterThanOrEqual(session.createdAt);
    clock.advance(6 * MINUTE);
    expect(await list(client.clientId)).toEqual([]);
    await token(client);
    await iam.server.activity.flush();
    expect((await list(client.clientId))[0]).toMatchObject({ tokens: 1 });
  });

  test("end with their client", async () => {
    const client = await machine();
    await token(client);
    expect(await realm.asMaster().delete(`/clients/${client.id}`)).toMatchObject({ status: 204 });
    await iam.server.activity.flush();
    expect(await list(client.clientId)).toEqual([]);
  });
});

onPostgres("the key's name does not change what is signed", async () => {
  const client = await machine();
  const before = await token(client);
  expect(await realm.asMaster().post("/keys/rotate")).toMatchObject({ status: 201 });
  const after = await token(client);
  expect(header(after).kid).not.toBe(header(before).kid);
  for (const { body } of [before, after]) expect(await isSigned(body.access_token)).toBe(true);
  expect(createHash("sha256").update(before.body.access_token).digest("hex")).not.toBe(
    createHash("sha256").update(after.body.access_token).digest("hex"),
  );
});

describe("a grant", () => {
  /** Runs with another grant in place of client credentials. */
  const withGrant = async <T>(change: Partial<Grant>, run: () => Promise<T>): Promise<T> => {
    const listed = grants as Record<string, Grant>;
    const original = listed.client_credentials!;
    listed.client_credentials = { ...original, ...change };
    return run().finally(() => {
      listed.client_credentials = original;
    });
  };

  test("may answer with a decision instead of tokens: nothing is counted, and a user must have access to the client", async () => {
    const client = await machine();
    const recorded: unknown[] = [];
    const record: Grant["record"] = async (_ctx, _source, expiresAt) => void recorded.push(expiresAt);
    const body = [{ rsid: "r1", scopes: ["view"] }];
    const issue: Grant["issue"] = () => ({ kind: "decision", userId: null, body });
    expect(await withGrant({ issue, record }, () => token(client))).toMatchObject({ status: 200, body });
    expect(recorded).toEqual([null]);
    const { roleId } = (await realm.asMaster().post("/roles", { name: "buyers" })).body;
    const { userId } = (await realm.asMaster().post("/users", { username: "stranger", roles: [] })).body;
    const shop = await machine({ allowedRoles: [roleId] });
    const about: Grant["issue"] = () => ({ kind: "decision", userId, body });
    expect(await withGrant({ issue: about, record }, () => token(shop))).toMatchObject({ status: 400, body: { error: "access_denied" } });
  });

  test("may add claims, which replace mapped ones and never those of the protocol", async () => {
    const client = await machine();
    const mapper = { name: "tier", claim: "tier", source: "constant", value: "silver", targets: ["accessToken"] };
    expect((await realm.asMaster().post(`/clients/${client.id}/mappers`, mapper)).status).toBe(201);
    const extraClaims = {
      tier: "gold",
      workload_iss: "w1",
      sub: "forged",
      iss: "forged",
      exp: 1,
      aud: "forged",
      jti: "forged",
      client_id: "x",
    };
    const { issue: original } = grants.client_credentials;
    const answer = await withGrant({ issue: async (...given) => ({ ...(await original(...given)), extraClaims }) as never }, () =>
      token(client),
    );
    const claims = payload(answer);
    expect(claims).toMatchObject({ tier: "gold", workload_iss: "w1", sub: client.clientId, client_id: client.clientId });
    for (const name of ["iss", "exp", "aud", "jti"] as const) expect(claims[name]).not.toBe(extraClaims[name]);
    expect(payload(await token(client))).toMatchObject({ tier: "silver" });
  });
});
