import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

const ORIGIN = "https://console.example";
const EXPOSED = "ETag, Link, Location, X-Total-Count, X-Total-Estimated, Retry-After, WWW-Authenticate";

let iam: SharedHarness;
let admin: string;
beforeAll(async () => {
  iam = await sharedHarness();
  admin = `${iam.config.baseUrl}/admin`;
});
afterAll(() => iam?.close());

interface Robot {
  readonly id: string;
  readonly token: string;
}

/** A client of a realm that may call the admin API from `ORIGIN`, and its token. */
async function robot(of: string, members: Record<string, unknown> = {}): Promise<Robot> {
  const boss = (await iam.realm()).asMaster().browser;
  const at = `/admin/realms/${of}/clients`;
  const clientId = `robot-${Math.random()}`;
  const made = await boss.post(at, { clientId, grantTypes: ["client_credentials"], webOrigins: [ORIGIN], ...members });
  expect(made.status, made.text).toBe(201);
  const { id, secret } = made.body;
  expect((await boss.put(`${at}/${id}/allowed-resources`, { allowedResources: [admin] })).status).toBe(200);
  expect((await boss.post(`${at}/${id}/service-account/roles`, { name: "admin" })).status).toBe(200);
  const form = { grant_type: "client_credentials", resource: admin, client_id: clientId, client_secret: secret };
  const token = (await iam.browser().request("POST", `/realms/${of}/token`, { form, csrf: false })).body.access_token;
  return { id, token };
}

const allowed = ({ headers }: Answer) => headers["access-control-allow-origin"];
const preflight = (url: string, origin = ORIGIN, method = "GET") =>
  iam.browser().request("OPTIONS", url, {
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": "authorization" },
  });
const call = (realm: RealmUnderTest, path: string, token: string, headers: Record<string, string> = {}) =>
  realm.anonymous().get(path, { headers: { origin: ORIGIN, authorization: `Bearer ${token}`, ...headers } });

/** Every path of the running server below /admin, read from its own tree. */
function adminPaths(realm: string): string[] {
  const paths = Object.keys(iam.server.app.swagger().paths ?? {}).filter((path) => path.startsWith("/admin/"));
  return paths.map((path) => path.replace("{realm}", realm).replace(/\{\w+\}/g, "x"));
}

describe("a page of an origin that a client of the admin API names", () => {
  test("calls with a bearer token and reads the answer, also a refusal, and never with credentials", async () => {
    const realm = await iam.realm();
    const { token } = await robot(realm.name);
    const answers = [
      await call(realm, "/users", token),
      await call(realm, "/users/unknown", token),
      await call(realm, "/users?size=none", token),
      await call(realm, "/users", "no.valid.token"),
      await realm.anonymous().post("/users", { username: "ada" }, { headers: { origin: ORIGIN, authorization: `Bearer ${token}` } }),
      await realm.anonymous().get("/users", { headers: { origin: ORIGIN } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 401, 201, 401]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({ "access-control-allow-origin": ORIGIN, "access-control-expose-headers": EXPOSED, vary: "Origin" });
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
    }
  });

  test("is answered a preflight on every admin path of its realm", async () => {
    const realm = await iam.realm();
    await robot(realm.name);
    const paths = adminPaths(realm.name);
    expect(paths.length).toBeGreaterThan(40);
    for (const path of paths) {
      const { status, headers, text } = await preflight(path);
      expect([path, status, text, headers.vary]).toEqual([path, 204, "", "Origin"]);
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
      // Realms themselves, and what is over all of them, take master's tokens only.
      const isOfRealm = path.startsWith(`/admin/realms/${realm.name}/`);
      expect([path, headers["access-control-allow-origin"]]).toEqual([path, isOfRealm ? ORIGIN : undefined]);
    }
    expect((await preflight(`/admin/realms/${realm.name}/users`, ORIGIN, "DELETE")).headers).toMatchObject({
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": "Authorization, Content-Type, If-Match, If-None-Match",
    });
    expect(allowed(await realm.anonymous().get("", { headers: { origin: ORIGIN } }))).toBeUndefined();
  });

  test("brings no session: with cookies it reads nothing", async () => {
    const realm = await iam.realm();
    const { token } = await robot(realm.name);
    const signedIn = await realm.admin();
    const read = await signedIn.get("/users", { headers: { origin: ORIGIN } });
    expect([read.status, allowed(read), read.headers.vary]).toEqual([200, undefined, "Origin"]);
    const both = await signedIn.get("/users", { headers: { origin: ORIGIN, authorization: `Bearer ${token}` } });
    expect([both.status, allowed(both)]).toEqual([400, undefined]);
  });
});

describe("no header is given to", () => {
  test("an origin that is not exactly one of them", async () => {
    const realm = await iam.realm();
    const { token } = await robot(realm.name, { webOrigins: [ORIGIN, "+"], redirectUris: ["https://back.example/cb"] });
    const others = [
      "https://evil.example",
      "null",
      "*",
      "+",
      "http://console.example",
      `${ORIGIN}:8443`,
      `${ORIGIN}/`,
      `${ORIGIN}.evil.example`,
      "https://sub.console.example",
      ORIGIN.toUpperCase(),
    ];
    for (const origin of others) {
      const answer = await call(realm, "/users", token, { origin });
      expect([origin, answer.status, allowed(answer), answer.headers.vary]).toEqual([origin, 200, undefined, "Origin"]);
      const requested = await preflight(`/admin/realms/${realm.name}/users`, origin, "PUT");
      expect([origin, requested.status, allowed(requested)]).toEqual([origin, 204, undefined]);
      for (const name of Object.keys(requested.headers)) expect(name).not.toMatch(/^access-control/);
    }
    for (const origin of [ORIGIN, "https://back.example"]) expect(allowed(await call(realm, "/users", token, { origin }))).toBe(origin);
    const direct = await realm.anonymous().get("/users", { headers: { authorization: `Bearer ${token}` } });
    expect([direct.status, allowed(direct), direct.headers.vary]).toEqual([200, undefined, "Origin"]);
  });

  test("an origin that only a client without the admin audience names, a disabled one, or one of another realm", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const boss = realm.asMaster();
    await robot(other.name);
    const { id } = (await boss.post("/clients", { clientId: "shop", grantTypes: ["client_credentials"], webOrigins: [ORIGIN] })).body;
    const isAllowed = async () => allowed(await preflight(`/admin/realms/${realm.name}/users`)) === ORIGIN;
    const save = async (members: object) => {
      const { body } = await boss.get(`/clients/${id}`);
      const saved = await boss.put(`/clients/${id}`, { ...body, ...members });
      expect(saved.status, saved.text).toBe(200);
    };
    expect(await isAllowed()).toBe(false);
    await boss.put(`/clients/${id}/allowed-resources`, { allowedResources: ["https://api.example/admin"] });
    expect(await isAllowed()).toBe(false);
    // Each change counts with the next request.
    await save({ audience: [admin] });
    expect(await isAllowed()).toBe(true);
    await save({ enabled: false });
    expect(await isAllowed()).toBe(false);
    await save({ enabled: true, audience: [] });
    expect(await isAllowed()).toBe(false);
    await boss.put(`/clients/${id}/allowed-resources`, { allowedResources: [admin] });
    expect(await isAllowed()).toBe(true);
    await save({ webOrigins: [] });
    expect(await isAllowed()).toBe(false);
  });
});

test("the origins of master's clients count in every realm, as their tokens do, and for what is over all realms", async () => {
  const realm = await iam.realm();
  const origin = "https://operator.example";
  const { id, token } = await robot("master", { webOrigins: [origin] });
  for (const path of [`/admin/realms/${realm.name}/users`, `/admin/realms/${realm.name}`, "/admin/realms", "/admin/audit/config"]) {
    const answer = await iam.browser().get(path, { headers: { origin, authorization: `Bearer ${token}` } });
    expect([path, answer.status, allowed(answer)]).toEqual([path, 200, origin]);
    expect([path, allowed(await preflight(path, origin))]).toEqual([path, origin]);
  }
  const unknown = await iam.browser().get("/admin/realms/nowhere/users", { headers: { origin, authorization: `Bearer ${token}` } });
  expect([unknown.status, allowed(unknown)]).toEqual([404, origin]);
  expect(allowed(await preflight("/admin/realms/nowhere/users", origin))).toBe(origin);
  for (const name of ["%00", "..%2fmaster", "a".repeat(3_000)])
    expect((await preflight(`/admin/realms/${name}/users`, origin)).status).toBeLessThan(500);
  await realm.asMaster().browser.delete(`/admin/realms/master/clients/${id}`);
  expect(allowed(await preflight("/admin/realms", origin))).toBeUndefined();
});
