import type { IncomingMessage, Server, ServerResponse } from "node:http";
import cookie from "@fastify/cookie";
import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import formbody from "@fastify/formbody";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify";
import type { Logger } from "pino";
import type { AppError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { acceptJson, refuseEncodedBodies } from "./bodies.ts";
import { answerClientError, REQUEST_TIMEOUTS } from "./client-errors.ts";
import type { CompiledSchemas } from "./compiled-schemas.ts";
import { answerEarly } from "./early-answers.ts";
import { refusedHost } from "./host.ts";
import { type LoadLimits, shedLoad } from "./overload.ts";
import { answerProblem, asAppError, notFound, sendProblem } from "./problem.ts";
import { referredTo, schemaStore, shareNamedSchemas } from "./schemas.ts";
import { createServedPaths, methodNotAllowed, type ServedPath } from "./served-paths.ts";
import { buildValidator, PLAINLY } from "./validation.ts";

export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;

export interface ServerOptions {
  readonly logger: Logger;
  readonly trustProxy: boolean | number | string[];
  readonly secure: boolean;
  /** Requests beyond these limits are refused. Without limits none is. */
  readonly load?: LoadLimits;
  /** Called for each document that was answered before routing. Without it, no document is. */
  readonly onEarlyAnswer?: (route: string, seconds: number) => void;
  /** While it returns true, every answer ends its connection. */
  readonly isDraining?: () => boolean;
  /** The functions that servers of this process share. Without it, the server makes its own. */
  readonly compiled?: CompiledSchemas | undefined;
  /**
   * Answers a request that no route takes, with the error and what its path serves to other methods. Without it, everyone gets a problem
   * document.
   */
  readonly answerUnserved?: (error: AppError, served: ServedPath | null, request: FastifyRequest, reply: FastifyReply) => unknown;
}

const BODY_LIMIT = 1024 * 1024;
/** Some paths contain a URL-encoded SAML entity id. */
const MAX_PARAM_LENGTH = 2048;

const serializers = SerializerSelector();

/**
 * Makes the serializer of a route at its first answer, as its validator is made: making all of them took a third of a start. The maker searches all named
 * schemas that it gets, so it gets only those that the answer refers to.
 */
const lazySerializers =
  (compiled: CompiledSchemas | undefined): typeof serializers =>
  (shared, options) =>
  (route) => {
    const named = shared as Record<string, unknown>;
    const make = () => serializers(referredTo(route.schema, named), options)(route);
    let serialize: ReturnType<ReturnType<typeof serializers>> | undefined;
    return (data) => {
      serialize ??= compiled ? compiled.get("serialize", route.schema, named, make) : make();
      return serialize(data);
    };
  };

const DISPLAY_NAME = Symbol.for("fastify.display-name");

/** Names the plugins. Fastify searches all loaded modules for one without a display name, which is a tenth of the time to build a server in tests. */
function namePlugins(app: FastifyInstance): void {
  const register = app.register as (this: FastifyInstance, plugin: unknown, options?: unknown) => unknown;
  const registerNamed = function (this: FastifyInstance, plugin: unknown, options?: unknown) {
    if (typeof plugin === "function" && !(DISPLAY_NAME in plugin))
      Object.defineProperty(plugin, DISPLAY_NAME, { value: plugin.name || "unnamed" });
    return register.call(this, plugin, options);
  };
  app.register = registerNamed as unknown as FastifyInstance["register"];
}

/** Creates a bare server with the defaults of every server here: strict bodies, problem+json, request ids, security headers, quiet draining. */
export function createServer(options: ServerOptions): App {
  const { logger, trustProxy, secure, load, onEarlyAnswer, compiled, answerUnserved, isDraining = () => false } = options;
  const defaultHeaders = Object.entries({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    ...(secure && { "strict-transport-security": "max-age=31536000; includeSubDomains" }),
  });
  const store = schemaStore();
  const validators = buildValidator(store.getSchemas(), compiled);
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    trustProxy: trustProxy as boolean,
    bodyLimit: BODY_LIMIT,
    genReqId: () => newId(),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    serializerOpts: { ajv: PLAINLY },
    ...REQUEST_TIMEOUTS,
    // `refusedHost` refuses such requests, too. Node would answer them without a problem document.
    http: { ...REQUEST_TIMEOUTS.http, requireHostHeader: false },
    clientErrorHandler: answerClientError(defaultHeaders.flat()),
    forceCloseConnections: "idle",
    return503OnClosing: false,
    // These are requests that cannot be routed: broken percent-encoding, or a segment that is too long.
    frameworkErrors: (cause, request, reply) => void sendProblem(reply as FastifyReply, request as FastifyRequest, asAppError(cause)),
    schemaController: {
      bucket: (() => store) as never, // fastify's types require a return value that it never reads
      compilersFactory: {
        // biome-ignore lint/suspicious/noExplicitAny: fastify types the factories by its own compiler packages
        buildValidator: (() => validators) as any,
        buildSerializer: lazySerializers(compiled),
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  const servedPaths = createServedPaths();
  app.decorate("servedPaths", servedPaths);
  app.addHook("onRoute", (route) => servedPaths.add(route));
  namePlugins(app as unknown as FastifyInstance);
  shareNamedSchemas(app);
  refuseEncodedBodies(app as unknown as FastifyInstance);
  acceptJson(app);
  app.register(cookie);
  app.register(formbody, { bodyLimit: 64 * 1024 });

  // With the log level `debug` every request is logged, so none is answered early.
  const isWanted = () => !isDraining() && !logger.isLevelEnabled("debug");
  if (onEarlyAnswer) answerEarly(app, { defaultHeaders: defaultHeaders.flat(), isWanted, observe: onEarlyAnswer });

  // Hooks of every request use callbacks instead of promises: they never wait, and a promise for each would cost more than their work.
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    for (const [name, value] of defaultHeaders) reply.header(name, value);
    const refused = refusedHost(request.raw);
    refused ? done(refused) : done();
  });
  if (load) shedLoad(app as unknown as FastifyInstance, load);
  app.addHook("onResponse", (request, reply, done) => {
    if (logger.isLevelEnabled("debug")) {
      const { realm } = (request.params ?? {}) as { realm?: string };
      const path = request.routeOptions.url ?? "unmatched";
      request.log.debug({ method: request.method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime), realm }, "request");
    }
    done();
  });
  app.setErrorHandler(answerProblem);
  app.setNotFoundHandler((request, reply) => {
    const served = servedPaths.at(request.url.split("?", 1)[0]!);
    const error = served ? methodNotAllowed(served) : notFound();
    return answerUnserved ? answerUnserved(error, served, request, reply) : sendProblem(reply, request, error);
  });
  return app;
}
