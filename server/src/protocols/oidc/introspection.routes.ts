import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import { errors } from "oidc-provider";
import Type from "typebox";
import { isPublic } from "./client.ts";
import { plainCaller } from "./client-credentials.ts";
import { issuerFor } from "./engine.routes.ts";
import { introspect, revoke } from "./introspection.ts";
import { allowOrigin, authenticated, engineContext, preflight, sendOAuthError, single } from "./oauth.ts";
import type { Issuers } from "./provider.ts";

const tags = ["Protocol"];
const params = Type.Object({ realm: Type.String() });
const consumes = ["application/x-www-form-urlencoded"];
const Introspection = Type.Object({ active: Type.Boolean() }, { $id: "Introspection", additionalProperties: true });

/** Mounted under /realms/:realm. */
export const introspectionRoutes: FastifyPluginAsyncTypebox<{ issuers: Issuers }> = async (app, { issuers }) => {
  app.setErrorHandler(sendOAuthError);
  app.removeContentTypeParser(["application/json", "text/plain"]);

  /** Who asks, and about which token. */
  const asked = async (request: FastifyRequest, reply: FastifyReply, route: "introspection" | "revocation") => {
    const issuer = await issuerFor(issuers, request);
    const form = (request.body ?? {}) as Record<string, string | string[]>;
    reply.header("cache-control", "no-store");
    const client =
      (await plainCaller(issuer, request.headers, form)) ?? (await authenticated(engineContext(issuer, request, reply, route, form)));
    allowOrigin(request, reply, client);
    const token = single(form, "token");
    single(form, "token_type_hint");
    if (token === undefined) throw new errors.InvalidRequest("missing required parameter 'token'");
    return { issuer, client, token };
  };

  app.post(
    "/introspect",
    {
      schema: {
        summary: "What a token is worth now (RFC 7662)",
        description:
          "With the client's authentication; public clients are refused. Tells of tokens that were issued to the client or whose audience names it or one of its allowed resources, and with the client setting `introspectAll` of every access token of the realm. Everything else is inactive.",
        consumes,
        tags,
        params,
        response: { 200: Introspection },
      },
      serializerCompiler: () => JSON.stringify,
    },
    async (request, reply) => {
      const { issuer, client, token } = await asked(request, reply, "introspection");
      // RFC 7662 §2.1: some form of authorization is required, and a client id is public.
      if (isPublic(client)) throw new errors.InvalidClientAuth("only a client that can prove who it is may introspect");
      return (await introspect(issuer, client, token)) as { active: boolean };
    },
  );
  app.options("/introspect", { schema: { hide: true } }, preflight("POST"));

  app.post(
    "/revoke",
    {
      schema: {
        summary: "End a token (RFC 7009)",
        description: "With the client's authentication. A refresh token ends together with everything that was given with it.",
        consumes,
        tags,
        params,
        response: { 200: Type.Null({ description: "It is over, or was never known" }) },
      },
      serializerCompiler: () => () => "",
    },
    async (request, reply) => {
      const { issuer, client, token } = await asked(request, reply, "revocation");
      await revoke(issuer, client, token);
      return reply.code(200).send(null);
    },
  );
  app.options("/revoke", { schema: { hide: true } }, preflight("POST"));
};
