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

/** Routes by the segments of their URLs, so that a path is compared with few of them: anyone can ask for paths that do not exist. */
interface Branch {
  readonly literals: Map<string, Branch>;
  /** The branch behind a parameter, such as `:realm`, whatever its name. */
  parameter: Branch | null;
  /** The routes that end here. */
  readonly routes: RouteOptions[];
  /** The routes that end here with `*`, which takes the rest of the path. */
  readonly wildcards: RouteOptions[];
}

const newBranch = (): Branch => ({ literals: new Map(), parameter: null, routes: [], wildcards: [] });
const methodsOf = ({ method }: RouteOptions): string[] => [method].flat();

export function createServedPaths(): ServedPaths {
  const root = newBranch();
  return {
    add(route) {
      const segments = route.url.split("/");
      const isWildcard = segments.at(-1) === "*";
      let branch = root;
      for (const segment of isWildcard ? segments.slice(0, -1) : segments) {
        if (/^:\w+$/.test(segment)) {
          branch.parameter ??= newBranch();
          branch = branch.parameter;
        } else {
          if (/[:*]/.test(segment)) throw new Error(`${route.url}: a parameter is a whole segment`);
          const next = branch.literals.get(segment) ?? newBranch();
          branch.literals.set(segment, next);
          branch = next;
        }
      }
      (isWildcard ? branch.wildcards : branch.routes).push(route);
    },
    at(path) {
      const found = routesAt(root, path.split("/"), 0);
      const served = found.find((route) => methodsOf(route).some((method) => method !== "OPTIONS"));
      if (!served) return null; // preflights of the admin API are answered at addresses that do not exist, too
      return { methods: [...new Set(found.flatMap(methodsOf))].sort(), config: served.config ?? {} };
    },
  };
}

function routesAt(branch: Branch, segments: readonly string[], from: number): readonly RouteOptions[] {
  const segment = segments[from];
  if (segment === undefined) return branch.routes;
  const literal = branch.literals.get(segment);
  return [
    ...(literal ? routesAt(literal, segments, from + 1) : []),
    ...(branch.parameter && segment !== "" ? routesAt(branch.parameter, segments, from + 1) : []),
    ...branch.wildcards,
  ];
}

/** RFC 9110 §15.5.6: makes the error for a path that has other methods. */
export const methodNotAllowed = ({ methods }: Pick<ServedPath, "methods">): AppError => {
  const allow = methods.join(", ");
  return new AppError("request.method_not_allowed", 405, `This address takes ${allow}`, { headers: { allow } });
};
