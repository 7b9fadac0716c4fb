import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { type ResourceServer, type ResourceServers, recordDecisions } from "../../applications/authorization/index.ts";
import { invalidFields } from "../../kernel/errors.ts";
import { bearer, callRoute, declare, route } from "../../platform/http/index.ts";
import { AccessError } from "./authzen.errors.ts";
import * as schemas from "./authzen.schema.ts";
import * as service from "./authzen.service.ts";
import { resourceServerOf } from "./caller.ts";

/** AuthZEN §10.1.3: the form of a caller's own request id, which is returned. Any log can contain it. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

const refusals = { "4xx": AccessError };

/** Mounted under /realms/:realm/access/v1: AuthZEN 1.0. The token's client is the resource server. */
export const authzenRoutes: FastifyPluginAsyncTypebox<{ resourceServers: ResourceServers }> = async (app, { resourceServers }) => {
  declare(app, { tags: ["AuthZEN"], caller: bearer({ audience: "protection" }), limit: "decisions", errors: "authzen", codes: "authzen" });
  app.removeContentTypeParser(["application/x-www-form-urlencoded", "text/plain"]);
  app.addHook("onSend", async (request, reply, payload) => {
    const { "x-request-id": asked } = request.headers;
    if (typeof asked === "string" && REQUEST_ID.test(asked)) reply.header("x-request-id", asked);
    reply.header("cache-control", "no-store");
    return payload;
  });
  const serverOf = (request: FastifyRequest) => resourceServerOf(resourceServers, request);

  route(app, "POST", "/evaluation", {
    operationId: "evaluateAccess",
    summary: "Evaluate an access request (AuthZEN 1.0 §6)",
    description:
      "`subject` is a `user` (id, username or email address), a `client` or an `agent` (id); `resource` has the type and the name, or id, of a resource; " +
      "`action.name` is a scope. An unknown subject, resource or action is denied.",
    body: schemas.AccessEvaluationRequest,
    response: { 200: schemas.AccessDecision, ...refusals },
    handler: async (req) => {
      const server = await serverOf(req);
      const answered = await req.read((ctx) => service.evaluateOne(ctx, server, req.body));
      await log(req, server, [answered]);
      return { decision: answered.isPermitted };
    },
  });

  route(app, "POST", "/evaluations", {
    operationId: "evaluateAccesses",
    summary: "Evaluate several access requests (AuthZEN 1.0 §7)",
    description:
      "An item that is not a valid request gets `decision: false` and `context.error`. Without `evaluations`, the body is a single request.",
    body: schemas.AccessEvaluationsRequest,
    response: { 200: schemas.AccessDecisions, ...refusals },
    handler: async (req) => {
      const server = await serverOf(req);
      const { evaluations, answered } = await req.read((ctx) =>
        service.evaluateSeveral(ctx, server, service.isSingle(req.body) ? { ...req.body, evaluations: [{}] } : req.body),
      );
      if (service.isSingle(req.body)) {
        const { error } = evaluations[0]!.context ?? {};
        if (error) throw invalidFields([{ field: error.message.split(/[ .]/, 1)[0]!, code: "required", message: error.message }]);
      }
      await log(req, server, answered);
      return service.isSingle(req.body) ? { decision: evaluations[0]!.decision } : { evaluations };
    },
  });

  callRoute(app, "POST", "/search/subject", {
    operationId: "searchAccessSubjects",
    summary: "Search the subjects that may perform an action (AuthZEN 1.0 §8.4)",
    description: "Returns the ids of users. Refused unless `subjectSearch` of the client is on.",
    body: schemas.SubjectSearchRequest,
    answer: schemas.FoundSubjects,
    refusals,
    read: async (ctx, req) => service.searchSubjects(ctx, await serverOf(req), req.body),
  });

  callRoute(app, "POST", "/search/resource", {
    operationId: "searchAccessResources",
    summary: "Search the resources on which a subject may perform an action (AuthZEN 1.0 §8.5)",
    description: "Returns the resource server's own resources by name, and those of users by id.",
    body: schemas.ResourceSearchRequest,
    answer: schemas.FoundResources,
    refusals,
    read: async (ctx, req) => service.searchResources(ctx, await serverOf(req), req.body),
  });

  callRoute(app, "POST", "/search/action", {
    operationId: "searchAccessActions",
    summary: "Search the actions that a subject may perform on a resource (AuthZEN 1.0 §8.6)",
    body: schemas.ActionSearchRequest,
    answer: schemas.FoundActions,
    refusals,
    read: async (ctx, req) => service.searchActions(ctx, await serverOf(req), req.body),
  });
};

const log = (request: FastifyRequest, server: ResourceServer, answered: readonly service.Answered[]): Promise<void> =>
  recordDecisions(
    server,
    answered.map(({ isPermitted, result, subject, asked }) => ({
      ...{ isPermitted, subject, scopes: result ? [asked.action] : ["something unknown"], resourceId: result?.asked.resource?.id ?? null },
    })),
    (work) => request.transact(work),
  );
