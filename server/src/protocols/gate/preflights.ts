import type { FastifyInstance, FastifySchema, RouteOptions } from "fastify";
import { anonymous, callersOf, type publish } from "../../platform/http/index.ts";
import { preflight } from "./oauth.ts";

const OPEN = { caller: anonymous(), errors: "problem" } as const;

/** Publishes a document outside of the gate, with its preflight. */
export function publishAt(app: FastifyInstance, path: string, schema: FastifySchema, published: ReturnType<typeof publish>): void {
  app.get(path, { schema, ...published });
  app.options(path, { config: OPEN, schema: { hide: true } }, preflight("GET"));
}

export interface Declared {
  readonly url: string;
  readonly method: RouteOptions["method"];
  /** The route, whose declaration is complete once all plugins are loaded. */
  readonly route: RouteOptions;
}

/** Answers preflights of the routes that scripts of other origins may call. */
export function answerPreflights(app: FastifyInstance, routes: readonly Declared[]): void {
  for (const [url, methods] of crossOrigin(routes))
    app.options(url.slice(app.prefix.length), { config: OPEN, schema: { hide: true } }, preflight(methods));
}

/** Returns the methods by path of routes that take no cookie, including documents, which scripts of other origins may call. */
function crossOrigin(routes: readonly Declared[]): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>();
  for (const { url, method, route } of routes)
    if (
      route.config?.document ||
      callersOf(route.config ?? {}).some(({ by }) => by === "bearer" || by === "client" || by === "registration")
    )
      found.set(url, new Set([...(found.get(url) ?? []), ...[method].flat()]));
  for (const { url, method } of routes) if (method === "OPTIONS") found.delete(url);
  return new Map([...found].map(([url, methods]) => [url, [...methods].filter((each) => each !== "HEAD").join(",")]));
}
