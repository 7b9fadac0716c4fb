import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import { noContent, noContentAnswer, pathParams, route } from "../../platform/http/index.ts";
import type { Permission } from "../../tenancy/permissions/index.ts";
import { callOf, type ScimCall } from "./call.ts";
import type { ListedPage } from "./listing/listing.ts";
import { type ListRequest, readListRequest } from "./listing/query.ts";
import { type Operation, readOperations } from "./patch/operations.ts";
import { listOf } from "./replies.ts";
import type { Resource, ResourceType } from "./schema/attribute.ts";
import { listParameters, refusals, ScimList, ScimPatch, ScimSearch, type ScimUser, shownParameters } from "./schema/documents.ts";
import { type Projection, projectionOf } from "./schema/projection.ts";

interface ScimResource {
  readonly baseUrl: string;
  readonly type: ResourceType;
  readonly document: typeof ScimUser;
  /** The names in operation ids and summaries. `whole` names everything that PUT and PATCH change. */
  readonly names: { readonly one: "User" | "Group"; readonly whole: string };
  readonly manage: Permission;
  readonly descriptions: { readonly list?: string; readonly replace?: string; readonly patch?: string; readonly delete: string };
  /** The responses of PATCH other than the resource. */
  readonly patchAnswers?: Partial<ReturnType<typeof noContentAnswer>>;
  list(call: ScimCall, listed: ListRequest, projection: Projection): Promise<ListedPage>;
  /** Creates a resource. This and the next three send the resource as it is afterwards. */
  create(reply: FastifyReply, call: ScimCall, body: unknown): Promise<Resource>;
  read(reply: FastifyReply, call: ScimCall, id: string): Promise<Resource>;
  replace(reply: FastifyReply, call: ScimCall, id: string, body: unknown): Promise<Resource>;
  patch(reply: FastifyReply, call: ScimCall, id: string, operations: readonly Operation[]): Promise<Resource>;
  remove(call: ScimCall, id: string): Promise<void>;
}

const view = { permission: "view-users" } as const;
const params = pathParams("id");

/** RFC 7644 §3.2: adds the routes of a resource type. */
export function resourceRoutes(app: Parameters<FastifyPluginAsyncTypebox>[0], resource: ScimResource): void {
  const { baseUrl, type, document, descriptions } = resource;
  const { one, whole } = resource.names;
  const [noun, write] = [one.toLowerCase(), { permission: resource.manage }];
  const described = (description: string | undefined) => (description === undefined ? {} : { description });
  const call = (request: FastifyRequest) => callOf(request, baseUrl);
  const list = async (request: FastifyRequest, sent: unknown) => {
    const parameters = sent as Record<string, unknown>;
    const [listed, projection] = [readListRequest(type, parameters), projectionOf(type, parameters)];
    return listOf(await resource.list(call(request), listed, projection), listed, projection);
  };
  const shown = { querystring: shownParameters, response: { 200: document, ...refusals } };

  route(app, "GET", "/", {
    config: view,
    operationId: `listScim${one}s`,
    summary: `List ${noun}s (RFC 7644)`,
    querystring: listParameters,
    ...described(descriptions.list),
    response: { 200: ScimList, ...refusals },
    handler: (request) => list(request, request.query),
  });
  route(app, "POST", "/.search", {
    config: view,
    operationId: `searchScim${one}s`,
    summary: `Search ${noun}s (RFC 7644 §3.4.3)`,
    body: ScimSearch,
    response: { 200: ScimList, ...refusals },
    handler: (request) => list(request, request.body),
  });

  const created = { ...shown, body: document, response: { 201: document, ...refusals } };
  route(app, "POST", "/", {
    config: write,
    operationId: `createScim${one}`,
    summary: `Create a ${noun} (RFC 7644)`,
    ...created,
    handler: (request, reply) => resource.create(reply, call(request), request.body),
  });

  route(app, "GET", "/:id", {
    config: view,
    operationId: `readScim${one}`,
    summary: `Read a ${noun} (RFC 7644)`,
    params,
    ...shown,
    handler: (request, reply) => resource.read(reply, call(request), request.params.id),
  });

  const replaced = { ...described(descriptions.replace), params, ...shown, body: document };
  route(app, "PUT", "/:id", {
    config: write,
    operationId: `replaceScim${one}`,
    summary: `Replace ${whole} (RFC 7644)`,
    ...replaced,
    handler: (request, reply) => resource.replace(reply, call(request), request.params.id, request.body),
  });

  const answers = { 200: document, ...resource.patchAnswers, ...refusals };
  const patched = { ...described(descriptions.patch), params, ...shown, body: ScimPatch, response: answers };
  route(app, "PATCH", "/:id", {
    config: write,
    operationId: `patchScim${one}`,
    summary: `Change ${whole} (RFC 7644 §3.5.2)`,
    ...patched,
    handler: (request, reply) => resource.patch(reply, call(request), request.params.id, readOperations(request.body)),
  });

  const deleted = { ...described(descriptions.delete), params, response: { ...noContentAnswer("Deleted"), ...refusals } };
  route(app, "DELETE", "/:id", {
    config: write,
    operationId: `deleteScim${one}`,
    summary: `Delete a ${noun} (RFC 7644)`,
    ...deleted,
    handler: async (request, reply) => noContent(reply, await resource.remove(call(request), request.params.id)),
  });
}
