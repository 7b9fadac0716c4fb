import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { anonymous, declare, route } from "../../../platform/http/index.ts";
import { PATHS } from "../identity.ts";
import { answerSoap } from "../refusals.ts";
import { type ArtifactParts, resolveArtifact } from "./service.ts";

/** The size limit of a body. An ArtifactResolve with its signature and certificate is a few kilobytes. */
const BODY_LIMIT = 64 * 1024;

/** Mounted under /realms/:realm. */
export const artifactRoutes: FastifyPluginAsyncTypebox<ArtifactParts> = async (app, parts) => {
  declare(app, { caller: anonymous(), csrf: "none", limit: "samlMessages", errors: "problem" });
  app.removeAllContentTypeParsers();
  // SAML bindings §3.2.3 requires text/xml, but some clients send application/soap+xml. The reader refuses a body that is not XML.
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body));

  route(app, "POST", PATHS.artifact, {
    summary: "Resolve an artifact (SAML 2.0 artifact resolution, SOAP)",
    description: "Only the service provider for which the artifact was issued can resolve it, once and within a minute.",
    consumes: ["text/xml"],
    produces: ["text/xml"],
    tags: ["Protocol"],
    params: Type.Object({ realm: Type.String() }),
    response: {
      200: Type.String({ description: "A SOAP envelope with an ArtifactResponse" }),
      400: Type.String({ description: "A SOAP fault: the message was refused" }),
    },
    handler: async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      return answerSoap(parts.refusals, { request, reply }, () => resolveArtifact(parts, request.realmId, body));
    },
  });
};
