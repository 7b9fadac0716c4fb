import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { anonymous, declare, notFound } from "../../platform/http/index.ts";

/** Below /protocol/openid-connect there, and below the realm here. */
const paths: readonly (readonly [there: string, here: string, ...methods: ("GET" | "POST")[]])[] = [
  ["/auth", "/authorize", "GET", "POST"],
  ["/token", "/token", "POST"],
  ["/token/introspect", "/introspect", "POST"],
  ["/revoke", "/revoke", "POST"],
  ["/userinfo", "/userinfo", "GET", "POST"],
  ["/certs", "/jwks", "GET"],
  ["/logout", "/logout", "GET", "POST"],
  ["/auth/device", "/device/authorize", "POST"],
  ["/ext/par/request", "/par", "POST"],
  ["/ext/ciba/auth", "/backchannel/authorize", "POST"],
];

/**
 * Mounted under /realms/:realm/protocol/openid-connect. Libraries do not follow redirects of a POST, so that the request is routed once more, by our
 * own path, before anything of it was read: caller, limits and errors are those of the endpoint itself.
 */
export const keycloakPathRoutes: FastifyPluginAsync<{ readonly root: Pick<FastifyInstance, "routing"> }> = async (app, { root }) => {
  declare(app, { caller: anonymous(), errors: "problem" });
  for (const [there, here, ...methods] of paths)
    app.route({
      method: methods,
      url: there,
      schema: { hide: true },
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        if (!request.realm.settings.oidc.keycloakPaths) throw notFound();
        const [, query] = request.raw.url!.split(/(?=\?)/, 2);
        request.raw.url = `/realms/${encodeURIComponent(request.realmId)}${here}${query ?? ""}`;
        reply.hijack();
        root.routing(request.raw, reply.raw);
      },
      handler: async () => {
        throw notFound();
      },
    });
};
