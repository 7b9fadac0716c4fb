import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { AdminOrigins } from "../../applications/clients/index.ts";
import { MASTER, type RealmSnapshots } from "../../tenancy/realms/index.ts";

export interface CorsParts {
  readonly realms: RealmSnapshots;
  readonly origins: AdminOrigins;
}

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** The request headers that are allowed. X-XSRF-TOKEN is not among them, because sessions are for our own origin. */
const REQUEST_HEADERS = "Authorization, Content-Type, If-Match, If-None-Match";
const EXPOSED = "ETag, Link, Location, X-Total-Count, X-Total-Estimated, Retry-After, WWW-Authenticate";
const PREFLIGHT_SECONDS = "600";

/**
 * Lets a page of another origin read the answer, if a client that may call the admin API names that origin. `realm` is the realm whose tokens count
 * besides those of `master`; null if only those of `master` do. This is for bearer tokens only: no answer allows credentials, and an answer to a
 * request with cookies allows nothing.
 */
export async function allowAdminOrigin(
  { origins }: CorsParts,
  request: FastifyRequest,
  reply: FastifyReply,
  realm: string | null,
): Promise<boolean> {
  reply.header("vary", "Origin");
  const { origin, cookie } = request.headers;
  if (origin === undefined || cookie !== undefined) return false;
  const isNamedBy = async (of: string) => (await origins.get(of))?.origins.has(origin) ?? false;
  if (!((realm !== null && (await isNamedBy(realm))) || (await isNamedBy(MASTER)))) return false;
  reply.headers({ "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED });
  return true;
}

/** Mounted under /admin, outside the gate: a preflight brings no credentials (Fetch §3.2.2). */
export const adminPreflightRoutes: FastifyPluginAsync<CorsParts> = async (app, parts) => {
  const answer = async (request: FastifyRequest, reply: FastifyReply, realm: string | null) => {
    if (await allowAdminOrigin(parts, request, reply, realm))
      reply.headers({
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": REQUEST_HEADERS,
        "access-control-max-age": PREFLIGHT_SECONDS,
      });
    return reply.code(204).send();
  };
  const hidden = { schema: { hide: true } };
  // Realms and global resources belong to `master`.
  app.options("/*", hidden, (request, reply) => answer(request, reply, null));
  app.options<{ Params: { realm: string } }>("/realms/:realm/*", hidden, async (request, reply) =>
    answer(request, reply, (await parts.realms.get(request.params.realm))?.realmId ?? null),
  );
};
