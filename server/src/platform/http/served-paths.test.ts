import type { RouteOptions } from "fastify";
import { expect, test } from "vitest";
import { leastCpuTime } from "../../testing/cpu-time.ts";
import { createServedPaths } from "./served-paths.ts";

function served(...routes: readonly string[]) {
  const paths = createServedPaths();
  for (const each of routes) {
    const [method, url] = each.split(" ");
    paths.add({ method, url, config: { of: each } } as unknown as RouteOptions);
  }
  return (path: string) => paths.at(path)?.methods ?? null;
}

test("a path is found by its literals, its parameters and its rest, with all its methods", () => {
  const at = served(
    "GET /users/:id",
    "PUT /users/:id",
    "POST /users/import",
    "GET /users/",
    "GET /files/*",
    "GET /",
    "GET /users/:id/roles",
  );
  expect(at("/users/1")).toEqual(["GET", "PUT"]);
  expect(at("/users/import"), "a literal and a parameter").toEqual(["GET", "POST", "PUT"]);
  expect(at("/users/")).toEqual(["GET"]);
  expect(at("/users/1/roles")).toEqual(["GET"]);
  expect(at("/users/a%2Fb/roles")).toEqual(["GET"]);
  expect(at("/files/a/b")).toEqual(["GET"]);
  expect(at("/files/")).toEqual(["GET"]);
  expect(at("/")).toEqual(["GET"]);
  for (const path of ["/users", "/users//roles", "/users/1/", "/users/1/roles/2", "/files", "/Users/1", "/constructor", "", "//"])
    expect(at(path), path).toBeNull();
});

test("a path that has only preflights is not served", () => {
  const at = served("OPTIONS /admin/*", "GET /admin/realms", "OPTIONS /admin/realms");
  expect(at("/admin/nothing")).toBeNull();
  expect(at("/admin/realms")).toEqual(["GET", "OPTIONS"]);
});

test("a path that does not exist costs much the same among ten routes and a thousand", async () => {
  const among = (many: number) => {
    const at = served(...Array.from({ length: many }, (_, n) => `GET /realms/:realm/list${n}/:id`));
    return async () => {
      for (let n = 0; n < 5_000; n++) at("/realms/acme/nothing/1");
    };
  };
  const [few, many] = await leastCpuTime(among(10), among(1_000));
  expect(many!).toBeLessThan(10 * few!);
});
