import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type GateParts, guardAdminRoutes } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** The routes of the running server, read from its own tree: nothing can be forgotten here. */
function adminRoutes(): { method: string; path: string }[] {
  const parents: string[] = [];
  const routes = iam.server.app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const found = /^(.*?)(?:├── |└── )(.*?)(?: \((.*)\))?$/.exec(line);
      if (!found) return [];
      const depth = found[1]!.length / 4;
      parents.splice(depth, Number.POSITIVE_INFINITY, found[2]!);
      const path = parents.join("");
      return (found[3]?.split(", ") ?? []).map((method) => ({ method, path }));
    });
  // Preflights are answered outside the gate: cors.test.ts.
  return routes.filter(({ method, path }) => path.startsWith("/admin/") && method !== "OPTIONS");
}

const at = (path: string, realm: string) => path.replace(":realm", realm).replace(/:\w+/g, newId());
const body = (method: string) => (["POST", "PUT", "PATCH"].includes(method) ? { body: {} } : {});

describe("every admin route of the running server", () => {
  test("is seen by this test", () => {
    const routes = adminRoutes().map(({ method, path }) => `${method} ${path}`);
    expect(routes.length).toBeGreaterThan(40);
    expect(routes).toContain("GET /admin/audit/config");
    expect(routes).toContain("PUT /admin/realms/:realm/users/:userId/password");
    expect(routes).toContain("DELETE /admin/realms/:realm/keys/:keyId");
  });

  test("refuses an anonymous caller with 401", async () => {
    const realm = await iam.realm();
    for (const { method, path } of adminRoutes()) {
      const answer = await iam.browser().request(method, at(path, realm.name), body(method));
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
  });

  test("refuses a caller without a permission with 403, of the realm as of master", async () => {
    const realm = await iam.realm();
    const plain = await realm.as();
    const plainOfMaster = await iam.ofMaster(`plain-${realm.name}`);

    for (const { method, path } of adminRoutes()) {
      const url = at(path, realm.name);
      const ofMaster = await plainOfMaster.request(method, url, body(method));
      expect([method, path, ofMaster.status]).toEqual([method, path, 403]);
      const ofRealm = await plain.browser.request(method, url, body(method));
      // A route for sessions of master refuses the realm's own session.
      const expected = /^\/admin\/realms\/:realm\//.test(path) ? 403 : 401;
      expect([method, path, ofRealm.status]).toEqual([method, path, expected]);
    }
  });

  test("is a 404 in an unknown realm, for every caller", async () => {
    for (const { method, path } of adminRoutes().filter(({ path }) => path.includes(":realm"))) {
      const answer = await iam.browser().request(method, at(path, "nowhere"), body(method));
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
  });
});

describe("a route that does not say who may use it", () => {
  const boot = async (route: { config?: object; schema?: object; url?: string }) => {
    const app = Fastify();
    await app.register(async (admin) => {
      guardAdminRoutes(admin, {} as GateParts);
      admin.get(route.url ?? "/admin/realms/:realm/things", { config: {}, schema: {}, ...route }, async () => null);
    });
    await app.ready();
  };
  const response = { 200: { type: "object" } };

  test("keeps the server from starting", async () => {
    await expect(boot({ config: { permission: "any" }, schema: { response } })).resolves.toBeUndefined();
    await expect(boot({ schema: { response } })).rejects.toThrow("declares no permission");
    await expect(boot({ config: { permission: "any" } })).rejects.toThrow("declares no response schema");
    await expect(boot({ config: { permission: "any" }, schema: { response: {} } })).rejects.toThrow("declares no response schema");
    const serverWide = { schema: { response }, url: "/admin/things" };
    await expect(boot({ ...serverWide, config: { permission: "any" } })).rejects.toThrow("masterOnly");
    await expect(boot({ ...serverWide, config: { permission: "any", masterOnly: true } })).resolves.toBeUndefined();
  });
});
