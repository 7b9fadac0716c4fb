import Fastify, { type FastifyContextConfig as Config } from "fastify";
import { describe, expect, test } from "vitest";
import { anonymous, bearer, browser, declare, link } from "../../platform/http/index.ts";
import { guardRealmRoutes, type RealmGateParts, refuseUnguardedRoutes } from "./index.ts";

/** Starts a server whose only route has this config. */
async function start(config: Config, method: "get" | "post" = "post"): Promise<void> {
  const app = Fastify();
  app.register(
    async (realm) => {
      guardRealmRoutes(realm, { audiences: { account: {} }, limits: { signIns: {} } } as unknown as RealmGateParts);
      realm.register(async (room) => void room[method]("/new", { config }, async () => ({})));
    },
    { prefix: "/realms/:realm" },
  );
  await app.ready();
  await app.close();
}

describe("a server with a route of a realm does not start, and says which,", () => {
  test.each<[what: string, config: Config, message: RegExp]>([
    ["that declares no caller", {}, /POST \/realms\/:realm\/new declares no caller/],
    ["that declares no form of errors", { caller: anonymous() }, /declares no form of errors/],
    ["that takes a browser's form without CSRF", { caller: browser(), errors: "page" }, /declares no csrf/],
    ["that takes a link's form without CSRF", { caller: link(), errors: "page" }, /declares no csrf/],
    ["whose limit does not exist", { caller: anonymous(), errors: "problem", limit: "often" }, /the limit often, which does not exist/],
    [
      "whose audience does not exist",
      { caller: bearer({ audience: "scim" }), errors: "problem" },
      /the audience scim, which does not exist/,
    ],
  ])("%s", async (_what, config, message) => {
    await expect(start(config)).rejects.toThrow(message);
  });

  test("and starts where all is declared, by the route or by its room", async () => {
    await start({ caller: browser(), csrf: "form", errors: "page", limit: "signIns" });
    await start({ caller: browser(), errors: "page" }, "get");
    await start({ caller: link({ in: "header" }), errors: "problem" });
    const app = Fastify();
    app.register(
      async (realm) => {
        guardRealmRoutes(realm, { audiences: {}, limits: {} } as unknown as RealmGateParts);
        realm.register(async (room) => {
          declare(room, { caller: anonymous(), errors: "problem" });
          room.post("/new", async () => ({}));
        });
      },
      { prefix: "/realms/:realm" },
    );
    await app.ready();
    await app.close();
  });
});

describe("a route with a realm that is registered outside of the gate", () => {
  async function startOutside(path: string, config: Config, method: "get" | "post" = "get"): Promise<void> {
    const app = Fastify();
    refuseUnguardedRoutes(app);
    app.register(async (outside) => void outside[method](path, { config }, async () => ({})));
    await app.ready();
    await app.close();
  }

  const read = { caller: anonymous(), errors: "problem" } as const;

  test.each<[what: string, path: string, config: Config, method: "get" | "post", message: RegExp]>([
    ["that declares nothing", "/realms/:realm/metadata", {}, "get", /GET \/realms\/:realm\/metadata declares no caller/],
    ["at another path", "/.well-known/metadata/realms/:realm", {}, "get", /declares no caller/],
    ["without a form of errors", "/realms/:realm", { caller: anonymous() }, "get", /declares no form of errors/],
    ["whose caller is not anonymous", "/:realm/metadata", { ...read, caller: browser() }, "get", /more than an anonymous read/],
    ["that writes", "/realms/:realm/metadata", read, "post", /more than an anonymous read/],
    ["that names a limit", "/realms/:realm/metadata", { ...read, limit: "signIns" }, "get", /the limit signIns/],
  ])("%s keeps the server from starting", async (_what, path, config, method, message) => {
    await expect(startOutside(path, config, method)).rejects.toThrow(message);
  });

  test("starts as an anonymous read; routes of the admin API and of the gate have their own checks", async () => {
    await startOutside("/realms/:realm/metadata", read);
    await startOutside("/admin/realms/:realm/users", {}, "post");
    const app = Fastify();
    refuseUnguardedRoutes(app);
    app.register(
      async (realm) => {
        guardRealmRoutes(realm, { audiences: {}, limits: {} } as unknown as RealmGateParts);
        realm.post("/new", { config: { caller: browser(), csrf: "form", errors: "page" } }, async () => ({}));
      },
      { prefix: "/realms/:realm" },
    );
    await app.ready();
    await app.close();
  });
});
