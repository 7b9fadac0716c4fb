import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { isKnown } from "../../platform/http/index.ts";
import { issuerFor } from "./engine.routes.ts";
import { discoveryDocument, type Kept, protectedResource } from "./metadata.ts";
import { preflight } from "./oauth.ts";
import type { Issuer, Issuers } from "./provider.ts";

const params = Type.Object({ realm: Type.String() });
const Metadata = Type.Object({ issuer: Type.Optional(Type.String()) }, { $id: "IssuerMetadata", additionalProperties: true });

const documents: readonly { readonly name: string; readonly summary: string; readonly of: (issuer: Issuer) => Kept }[] = [
  { name: "openid-configuration", summary: "What the issuer can do (OpenID Connect Discovery)", of: discoveryDocument },
  { name: "oauth-authorization-server", summary: "The same, as RFC 8414 calls it", of: discoveryDocument },
  { name: "oauth-protected-resource", summary: "The realm as a protected resource (RFC 9728)", of: protectedResource },
];

/** Under /realms/:realm, and as RFC 8414 §3 and RFC 9728 §3 insert it: /.well-known/…/realms/:realm. */
export const metadataRoutes: FastifyPluginAsyncTypebox<{ issuers: Issuers }> = async (app, { issuers }) => {
  for (const { name, summary, of } of documents) {
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const { body, etag } = of(await issuerFor(issuers, request));
      reply.headers({
        "content-type": "application/json; charset=utf-8",
        "cache-control": "public, max-age=60",
        "access-control-allow-origin": "*",
        etag,
      });
      return isKnown(request.headers["if-none-match"], etag) ? reply.code(304).send("") : reply.send(body);
    };
    for (const path of [`/realms/:realm/.well-known/${name}`, `/.well-known/${name}/realms/:realm`]) {
      const schema = { summary, tags: ["Protocol"], params, response: { 200: Metadata } };
      // Kept as text: serialising it anew for each relying party would be the cost of the request.
      app.get(path, { schema, serializerCompiler: () => (body: unknown) => body as string }, answer as never);
      app.options(path, { schema: { hide: true } }, preflight("GET"));
    }
  }
};
