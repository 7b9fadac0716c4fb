import Fastify, { type FastifyContextConfig as Config } from "fastify";
import { describe, expect, test } from "vitest";
import { anonymous, bearer, browser, declare, link } from "../../platform/http/index.ts";
import { guardRealmRoutes, type RealmGateParts } from "./index.ts";

/** A server whose only route declares this. */
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
