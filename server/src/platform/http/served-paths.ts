import type { FastifyContextConfig, RouteOptions } from "fastify";
import { AppError } from "../../kernel/errors.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The routes by path. */
    readonly servedPaths: ServedPaths;
  }
}

export interface ServedPath {
  /** The methods of the path, in alphabetical order. */
  readonly methods: readonly string[];
  /** The declaration of one of its routes. */
  readonly config: FastifyContextConfig;
}

/** Finds what a path serves to other methods than the one that was requested. */
export interface ServedPaths {
  add(route: RouteOptions): void;
  at(path: string): ServedPath | null;
}

export function createServedPaths(): ServedPaths {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string>; route: RouteOptions }>();
  return {
    add(route) {
      const known = routes.get(route.url) ?? { pattern: patternOf(route.url), methods: new Set(), route };
      for (const method of [route.method].flat()) known.methods.add(method);
      routes.set(route.url, known);
    },
    at(path) {
      const found = [...routes.values()].filter(({ pattern }) => pattern.test(path));
      const served = found.find(({ methods }) => [...methods].some((method) => method !== "OPTIONS"));
      if (!served) return null; // preflights of the admin API are answered at addresses that do not exist, too
      const methods = new Set(found.flatMap((each) => [...each.methods]));
      return { methods: [...methods].sort(), config: served.route.config ?? {} };
    },
  };
}

/** Makes the pattern of a route's URL, whose only wildcards are parameters of one segment and `*` at the end. */
const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.()[\]+?^$|\\]/g, "\\$&")
      .replace(/:\w+/g, "[^/]+")
      .replace("*", ".*")}$`,
  );

/** RFC 9110 §15.5.6: makes the error for a path that has other methods. */
export const methodNotAllowed = ({ methods }: Pick<ServedPath, "methods">): AppError => {
  const allow = methods.join(", ");
  return new AppError("request.method_not_allowed", 405, `This address takes ${allow}`, { headers: { allow } });
};
