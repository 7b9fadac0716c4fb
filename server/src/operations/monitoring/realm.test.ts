import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harness, harness } from "../../testing/harness.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_BASE_URL: "https://id.example.org" });
});
afterAll(() => iam?.close());

const up = { status: "UP" };

describe("GET /health of a realm", () => {
  test("is UP with the database, an active signing key and a configuration", async () => {
    const realm = await iam.realm();
    expect(await realm.asMaster().get("/health")).toMatchObject({
      status: 200,
      body: { status: "UP", components: { db: up, signingKey: up, snapshot: up } },
    });
  });

  test("is DOWN without an active signing key", async () => {
    const realm = await iam.realm();
    await iam.core.db.updateTable("realm_keys").set({ status: "RETAINED" }).where("realm_id", "=", realm.name).execute();
    expect(await realm.asMaster().get("/health")).toMatchObject({
      status: 503,
      body: { status: "DOWN", components: { db: up, signingKey: { status: "DOWN" }, snapshot: up } },
    });
  });
});

describe("GET /endpoints of a realm", () => {
  test("lists addresses below the base URL that all answer", async () => {
    const realm = await iam.realm();
    const { browser } = realm.asMaster();
    const { status, body } = await realm.asMaster().get("/endpoints");
    const base = "https://id.example.org";
    expect(status).toBe(200);
    const here = `${base}/realms/${realm.name}`;
    expect(body).toMatchObject({ issuer: here, jwks: `${here}/jwks`, login: `${here}/login`, admin: `${base}/admin/realms/${realm.name}` });
    // Every endpoint of the discovery document is listed, at the same address.
    const { body: discovery } = await browser.get(`/realms/${realm.name}/.well-known/openid-configuration`);
    const named = Object.entries(discovery as Record<string, unknown>).filter(([member]) => /_(endpoint|uri)$/.test(member));
    expect(named.length).toBeGreaterThan(9);
    for (const [member, url] of named) expect(Object.values(body), member).toContain(url);
    // The issuer is a name; everything else is a place.
    const { issuer: _, account: _beginning, samlStart: _start, ...places } = body as Record<string, string>;
    expect(Object.keys(places).length).toBeGreaterThan(10);
    for (const [name, url] of Object.entries(places)) {
      expect(url.startsWith(`${base}/`), name).toBe(true);
      // An endpoint that takes forms only, or requires parameters, says so; an unknown one is a 404.
      const requested = await browser.get(new URL(url).pathname);
      expect(requested.status === 404 && (await browser.post(new URL(url).pathname, {})).status === 404, `${name} ${url}`).toBe(false);
    }
  });
});

test.each(["/health", "/endpoints"])("%s is for holders of any admin permission in the realm", async (path) => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  expect((await (await realm.as("view-clients")).get(path)).status).toBe(200);
  expect((await (await realm.as()).get(path)).status).toBe(403);
  expect((await realm.anonymous().get(path)).status).toBe(401);
  const outsider = await other.as("realm-admin");
  expect((await outsider.browser.get(`/admin/realms/${realm.name}${path}`)).status).toBe(401);
  expect((await realm.asMaster().browser.get(`/admin/realms/no-such-realm${path}`)).status).toBe(404);
});

test("there is no security.txt where the operator names no contact", async () => {
  expect((await iam.browser().get("/.well-known/security.txt")).status).toBe(404);
});
