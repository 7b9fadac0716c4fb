import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { anonymous, client, declare, noContent, notFound, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import type { SingleLogout } from "../../signin/login/index.ts";
import { authenticateClient } from "../client-auth/index.ts";
import { allowOrigin, formOf, issuerFor, single, takeForms } from "../gate/index.ts";
import { keycloakPaths } from "../proof/index.ts";
import type { TokenEndpoints } from "../token-endpoint/index.ts";
import { signOutByToken } from "./logout.ts";

/** The methods of each path. OPTIONS is for scripts of other origins, as at our own path. */
const methods: Readonly<Record<keyof typeof keycloakPaths, readonly ("GET" | "POST" | "OPTIONS")[]>> = {
  "/authorize": ["GET", "POST"],
  "/token": ["POST", "OPTIONS"],
  "/introspect": ["POST", "OPTIONS"],
  "/revoke": ["POST", "OPTIONS"],
  "/userinfo": ["GET", "POST", "OPTIONS"],
  "/jwks": ["GET"],
  "/logout": ["GET"],
  "/device/authorize": ["POST", "OPTIONS"],
  "/par": ["POST", "OPTIONS"],
  "/backchannel/authorize": ["POST", "OPTIONS"],
};

interface Parts {
  readonly root: Pick<FastifyInstance, "routing">;
  readonly issuers: TokenEndpoints;
  readonly singleLogout: Pick<SingleLogout, "begin">;
}

const ownPath = ({ realmId }: FastifyRequest, endpoint: string): string => `/realms/${encodeURIComponent(realmId)}${endpoint}`;

function assertOn({ realm }: FastifyRequest): void {
  if (!realm.settings.oidc.keycloakPaths) throw notFound();
}

/** Mounted under /realms/:realm/protocol/openid-connect. */
export const keycloakPathRoutes: FastifyPluginAsync<Parts> = async (app, { root, issuers, singleLogout }) => {
  await app.register(aliasRoutes, { root });
  await app.register(logoutRoute, { issuers, singleLogout });
};

/**
 * Routes a request again, by our own path, before anything of it is read, because libraries do not follow redirects of a POST. Caller,
 * limits and errors are those of the endpoint itself.
 */
const aliasRoutes: FastifyPluginAsync<Pick<Parts, "root">> = async (app, { root }) => {
  declare(app, { caller: anonymous(), errors: "problem" });
  for (const [here, there] of Object.entries(keycloakPaths))
    app.route({
      method: [...methods[here as keyof typeof keycloakPaths]],
      url: there,
      schema: { hide: true },
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        assertOn(request);
        const [, query] = request.raw.url!.split(/(?=\?)/, 2);
        request.raw.url = `${ownPath(request, here)}${query ?? ""}`;
        reply.hijack();
        root.routing(request.raw, reply.raw);
      },
      handler: async () => {
        throw notFound();
      },
    });
};

/** Handles Keycloak's form with a `refresh_token`. Any other form is one of OpenID Connect, which browsers send again to our own path. */
const logoutRoute: FastifyPluginAsync<Omit<Parts, "root">> = async (app, { issuers, singleLogout }) => {
  declare(app, { caller: client({ in: "pipeline" }), errors: "oauth" });
  takeForms(app);
  route(app, "POST", "/logout", {
    hide: true,
    handler: async (request, reply) => {
      assertOn(request);
      const form = formOf(request);
      const token = single(form, "refresh_token");
      if (token === undefined) return reply.redirect(ownPath(request, "/logout"), 307);
      const { parts } = await issuerFor(issuers, request);
      const from = requestSource(request);
      const caller = await authenticateClient(parts, { headers: request.headers, form, endpoint: `${parts.issuer}/logout`, ...from });
      allowOrigin(request, reply, caller);
      return noContent(reply, await signOutByToken({ ...parts, singleLogout }, caller, token, from));
    },
  });
};
