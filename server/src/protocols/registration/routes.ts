import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { declare, noContent, noContentAnswer, pathParams, registration, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { RegisteredClient, RegistrationProblem, RegistrationRequest, RegistrationUpdate } from "./metadata/metadata.schema.ts";
import * as service from "./service.ts";

const clientParams = pathParams("clientInternalId");
const refusals = { "4xx": RegistrationProblem };

/** The size limit of a body, enough for a client with twenty keys. */
const BODY_LIMIT = 128 * 1024;

/** Mounted under /realms/:realm/connect/register. */
export const registrationRoutes: FastifyPluginAsyncTypebox<service.RegistrationTools> = async (app, parts) => {
  declare(app, { tags: ["Protocol"], caller: registration(), limit: "clientRegistrations", errors: "registration" });
  // Content types that other sites can send without a preflight are refused.
  app.removeContentTypeParser(["application/x-www-form-urlencoded", "text/plain"]);
  // No cookies are used, so any origin may read the responses.
  app.addHook("onSend", async (_request, reply) => void reply.header("access-control-allow-origin", "*"));
  app.addHook("preValidation", async (request) => {
    request.body = withoutEmpty(request.body);
  });

  const authenticated = async (request: FastifyRequest, id: string) => {
    const caller = callerOf(request);
    return [caller, await service.authenticate(parts, caller, id)] as const;
  };
  // Authorisation is checked before the schema.
  const unchecked = { bodyLimit: BODY_LIMIT, attachValidation: true };
  route(app, "POST", "/", {
    ...unchecked,
    operationId: "registerClient",
    summary: "Register a client (RFC 7591)",
    description:
      "Needs an initial access token as `Authorization: Bearer`, unless the realm allows anonymous registration. See `/provisioning`.",
    body: RegistrationRequest,
    response: { 201: RegisteredClient, ...refusals },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const admission = await service.admit(parts, caller);
      if (request.validationError) throw request.validationError;
      return reply.code(201).send(await service.register(parts, caller, admission, request.body));
    },
  });

  const changes = "Needs the registration access token. The response contains a new one; the old one works until the new one is used.";
  route(app, "GET", "/:clientInternalId", {
    ...unchecked,
    operationId: "readRegistration",
    summary: "Read a registered client (RFC 7592)",
    description: "Needs the registration access token, which is not replaced.",
    params: clientParams,
    response: { 200: RegisteredClient, ...refusals },
    handler: async (request) => service.readRegistration(parts, ...(await authenticated(request, request.params.clientInternalId))),
  });

  route(app, "PUT", "/:clientInternalId", {
    ...unchecked,
    operationId: "replaceRegistration",
    summary: "Replace a registered client's metadata (RFC 7592)",
    description: `${changes} An omitted member returns to its default. The settings of an administrator are kept.`,
    params: clientParams,
    body: RegistrationUpdate,
    response: { 200: RegisteredClient, ...refusals },
    handler: async (request) => {
      const [caller, client] = await authenticated(request, request.params.clientInternalId);
      if (request.validationError) throw request.validationError;
      return service.replaceRegistration(parts, caller, client, request.body);
    },
  });

  route(app, "DELETE", "/:clientInternalId", {
    ...unchecked,
    operationId: "removeRegistration",
    summary: "Delete a registered client (RFC 7592)",
    description: "Needs the registration access token. Also ends the grants and tokens of the client.",
    params: clientParams,
    response: { ...noContentAnswer("Deleted"), ...refusals },
    handler: async (request, reply) =>
      noContent(reply, await service.removeRegistration(parts, ...(await authenticated(request, request.params.clientInternalId)))),
  });
};

const callerOf = (request: FastifyRequest): service.Caller => ({
  ...{ realm: request.realmId, token: request.presentedToken, from: requestSource(request) },
});

/** RFC 7592 §2.2: removes null members, and empty texts, which some clients send, because they are treated as omitted. */
function withoutEmpty(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== ""));
}
