import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import Type from "typebox";
import { refuseBy } from "../../platform/http/index.ts";
import { type RealmSnapshots, unknownRealm } from "../../tenancy/realms/index.ts";
import { preflight } from "../gate/index.ts";
import { sendRegistrationError } from "./errors.ts";
import { RegisteredClient, RegistrationProblem, RegistrationRequest, RegistrationUpdate } from "./metadata.schema.ts";
import {
  admit,
  authenticate,
  type Caller,
  type RegistrationTools,
  readRegistration,
  register,
  removeRegistration,
  replaceRegistration,
} from "./service.ts";

export interface RegistrationRouteParts extends RegistrationTools {
  readonly realms: RealmSnapshots;
  readonly limit: onRequestAsyncHookHandler;
}

const tags = ["Protocol"];
const params = Type.Object({ realm: Type.String() });
const clientParams = Type.Object({ realm: Type.String(), clientInternalId: Type.String() });
const refusals = { "4xx": RegistrationProblem };

/** Far more than a client with twenty keys needs. */
const BODY_LIMIT = 128 * 1024;

/** Mounted under /realms/:realm/connect/register. */
export const registrationRoutes: FastifyPluginAsyncTypebox<RegistrationRouteParts> = async (app, parts) => {
  const { realms, limit } = parts;
  refuseBy(app, "oauth", sendRegistrationError);
  // What a page of another site can send without asking us first is not taken here at all.
  app.removeContentTypeParser(["application/x-www-form-urlencoded", "text/plain"]);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("cache-control", "no-store");
    // Nothing here looks at cookies, so scripts of any origin may do what anybody may.
    reply.header("access-control-allow-origin", "*");
    if (!(await realms.get((request.params as { realm: string }).realm))) throw unknownRealm();
  });
  app.addHook("preValidation", async (request) => {
    request.body = withoutEmpty(request.body);
  });

  // Who asks comes before what they ask for.
  const route = { onRequest: limit, bodyLimit: BODY_LIMIT, attachValidation: true };
  app.post(
    "/",
    {
      ...route,
      schema: {
        operationId: "registerClient",
        summary: "Register a client (RFC 7591)",
        description:
          "With an initial access token as `Authorization: Bearer`, unless the realm lets anybody register. See `/provisioning`.",
        tags,
        params,
        body: RegistrationRequest,
        response: { 201: RegisteredClient, ...refusals },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const admission = await admit(parts, caller);
      if (request.validationError) throw request.validationError;
      return reply.code(201).send(await register(parts, caller, admission, request.body));
    },
  );
  app.options("/", { schema: { hide: true } }, preflight("POST"));

  const changes = "With the registration access token. The answer brings a new one, and the old one works until that was used.";
  app.get(
    "/:clientInternalId",
    {
      ...route,
      schema: {
        operationId: "readRegistration",
        summary: "Read a registered client (RFC 7592)",
        description: "With the registration access token, which stays the same.",
        tags,
        params: clientParams,
        response: { 200: RegisteredClient, ...refusals },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      return readRegistration(parts, caller, await authenticate(parts, caller, request.params.clientInternalId));
    },
  );

  app.put(
    "/:clientInternalId",
    {
      ...route,
      schema: {
        operationId: "replaceRegistration",
        summary: "Replace a registered client's metadata (RFC 7592)",
        description: `${changes} What is left out returns to its default; what an administrator decided stays.`,
        tags,
        params: clientParams,
        body: RegistrationUpdate,
        response: { 200: RegisteredClient, ...refusals },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const client = await authenticate(parts, caller, request.params.clientInternalId);
      if (request.validationError) throw request.validationError;
      return replaceRegistration(parts, caller, client, request.body);
    },
  );

  app.delete(
    "/:clientInternalId",
    {
      ...route,
      schema: {
        operationId: "removeRegistration",
        summary: "Delete a registered client (RFC 7592)",
        description: "With its registration access token. Its grants and tokens end with it.",
        tags,
        params: clientParams,
        response: { 204: Type.Null({ description: "Deleted" }), ...refusals },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      await removeRegistration(parts, caller, await authenticate(parts, caller, request.params.clientInternalId));
      return reply.code(204).send(null);
    },
  );
  app.options("/:clientInternalId", { schema: { hide: true } }, preflight("GET, PUT, DELETE"));
};

/** RFC 6750 §2.1: by the header only. */
function callerOf(request: FastifyRequest): Caller {
  const { realm } = request.params as { realm: string };
  const { authorization } = request.headers;
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? "")?.[1] ?? null;
  // Whatever else stands there was meant to open the door, so it is a token that does not.
  return { realm, token: token ?? (authorization === undefined ? null : ""), sourceIp: request.ip };
}

/** RFC 7592 §2.2: null means left out, and so do the empty texts that some clients send. */
function withoutEmpty(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== ""));
}
