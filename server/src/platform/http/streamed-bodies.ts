import { Readable } from "node:stream";
import type { FastifyInstance, FastifySchemaCompiler } from "fastify";
import { allowSlowBody } from "./client-errors.ts";
import { buildValidator } from "./validation.ts";

/**
 * Gives the routes of this plugin their body as a stream of any length, in `request.body`. The result is the compiler for a route whose handler validates the
 * body item by item; everything else of the request is validated as usual.
 */
// biome-ignore lint/suspicious/noExplicitAny: fastify's own type depends on the type provider of the instance
export function streamBodies(app: FastifyInstance<any, any, any, any, any>, contentType: string): FastifySchemaCompiler<unknown> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(contentType, (request, payload, done) => {
    allowSlowBody(request.raw, payload);
    done(null, payload);
  });
  // Fastify parses no body, and so makes no stream, for a request that has neither a length nor a content type.
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.routeOptions.schema?.body !== undefined) request.body ??= Readable.from([]);
    done();
  });
  const standard = buildValidator({});
  return (route) => (route.httpPart === "body" ? () => true : standard(route as never));
}
