import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../kernel/errors.ts";
import { isObject } from "../../kernel/json.ts";
import { declare, methodNotAllowed, parseJson, pathParams, route, token } from "../../platform/http/index.ts";
import { runBulk } from "./bulk.ts";
import { callOf, connectionOf } from "./call.ts";
import { resourceTypeDocuments, schemaDocuments, serviceProviderConfig } from "./discovery.ts";
import { SCIM_JSON, scimErrors, sendScimError } from "./errors.ts";
import { scimGroupRoutes } from "./groups/routes.ts";
import { listGroups } from "./groups/service.ts";
import { type ListRequest, readListRequest } from "./listing/query.ts";
import type { Resource, ResourceType } from "./schema/attribute.ts";
import { LIST_RESPONSE, refusals, ScimBulk, ScimBulkAnswer, ScimDocument, ScimList, ScimSearch } from "./schema/documents.ts";
import { projectionOf } from "./schema/projection.ts";
import { groupType, userType } from "./schema/resource-types.ts";
import { scimUserRoutes } from "./users/routes.ts";
import { listUsers, type UserParts } from "./users/service.ts";

export interface ScimParts extends UserParts {
  readonly baseUrl: string;
  readonly provisioning: { get(realm: string): Promise<{ readonly scim: { readonly enabled: boolean } } | null | undefined> };
}

/** Mounted under /realms/:realm/scim/v2. */
export const scimRoutes: FastifyPluginAsyncTypebox<ScimParts> = async (app, options) => {
  const { provisioning, realms, hasher, breaches, directoryPasswords, baseUrl } = options;
  const parts = { realms, hasher, breaches, baseUrl, ...(directoryPasswords && { directoryPasswords }) };
  declare(app, { tags: ["SCIM"], caller: token({ kind: "scim" }), limit: "scim", errors: "scim", codes: "scim" });
  app.addHook("onRoute", (route) => {
    if (route.schema) route.schema = { consumes: ["application/scim+json"], produces: ["application/scim+json"], ...route.schema };
  });
  app.decorateRequest("scimToken", null as never);
  // Schemas are only documentation: other members that a provisioning client sends are ignored, and errors are those of RFC 7644.
  app.setValidatorCompiler(() => () => true);
  app.removeContentTypeParser(["application/x-www-form-urlencoded", "text/plain"]);
  app.addContentTypeParser("application/scim+json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

  app.addHook("onRequest", async (request) => {
    if (request.is404) return;
    if (!(await provisioning.get(request.realmId))?.scim.enabled) throw scimErrors.disabled();
  });
  app.addHook("onSend", async (_request, reply, payload) => {
    if (payload !== null && payload !== "") reply.type(SCIM_JSON);
    return payload;
  });

  await app.register(discoveryRoutes, { baseUrl });
  await app.register(scimUserRoutes, { ...parts, prefix: "/Users" });
  await app.register(scimGroupRoutes, { baseUrl, prefix: "/Groups" });

  route(app, "POST", "/.search", {
    config: { permission: "view-users" },
    operationId: "searchScim",
    summary: "Search users and groups (RFC 7644 §3.4.3)",
    body: ScimSearch,
    response: { 200: ScimList, ...refusals },
    handler: (request) => searchAll(request, baseUrl),
  });

  route(app, "POST", "/Bulk", {
    config: { permission: ["manage-users", "manage-organizations"] },
    operationId: "runScimBulk",
    summary: "Run many operations (RFC 7644 §3.7)",
    description:
      "Each operation is a transaction of its own, with its own status. `bulkId` refers to a resource that another operation creates.",
    body: ScimBulk,
    response: { 200: ScimBulkAnswer, ...refusals },
    handler: (request) => runBulk(request, parts),
  });

  // RFC 7644 §3.11: `/Me` would be the resource of the calling user.
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0]!;
    const served = app.servedPaths.at(path);
    if (served) return sendScimError(methodNotAllowed(served), request, reply);
    const isMe = /\/Me\/?$/.test(path);
    return sendScimError(isMe ? scimErrors.no_me() : scimErrors.not_found(), request, reply);
  });
};

/** RFC 7644 §4: serves the capabilities of the server. */
const discoveryRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  const urlOf = (request: FastifyRequest) => connectionOf(request, baseUrl).url;
  const params = pathParams("id");

  route(app, "GET", "/ServiceProviderConfig", {
    operationId: "readScimConfig",
    summary: "Read the capabilities of the SCIM server (RFC 7643 §5)",
    response: { 200: ScimDocument, ...refusals },
    handler: async (request) => serviceProviderConfig(urlOf(request)),
  });

  const documents = [
    { path: "/ResourceTypes", id: "ScimResourceType", about: "resource types (RFC 7643 §6)", of: resourceTypeDocuments },
    { path: "/Schemas", id: "ScimSchema", about: "schemas (RFC 7643 §7)", of: schemaDocuments },
  ];
  for (const { path, id, about, of } of documents) {
    route(app, "GET", path, {
      operationId: `list${id}s`,
      summary: `List ${about}`,
      response: { 200: ScimList, ...refusals },
      handler: async (request): Promise<Resource> => {
        // RFC 7644 §4: they are always listed whole.
        if ((request.query as { filter?: unknown }).filter !== undefined) throw scimErrors.no_filter();
        const all = of(urlOf(request));
        return { schemas: [LIST_RESPONSE], totalResults: all.length, itemsPerPage: all.length, startIndex: 1, Resources: all };
      },
    });
    route(app, "GET", `${path}/:id`, {
      operationId: `read${id}`,
      summary: `Read one of the ${about}`,
      params,
      response: { 200: ScimDocument, ...refusals },
      handler: async (request): Promise<Resource> => {
        const found = of(urlOf(request)).find((each) => String(each.id).toLowerCase() === request.params.id.toLowerCase());
        if (!found) throw scimErrors.not_found();
        return found;
      },
    });
  }
};

/** RFC 7644 §3.4.2.1: searches users, then groups. A filter by an attribute that only one type has finds only that type. */
async function searchAll(request: FastifyRequest, baseUrl: string): Promise<Resource> {
  const sent = isObject(request.body) ? request.body : {};
  const call = callOf(request, baseUrl);
  const { cursor: _, ...paged } = sent;
  const users = listRequest(userType, paged);
  const groups = listRequest(groupType, paged);
  const asked = requested(users, groups);
  const shownUsers = projectionOf(userType, sent);
  const shownGroups = projectionOf(groupType, sent);
  const found = users instanceof AppError ? { total: 0, resources: [] } : await listUsers(call, users);
  const rest = {
    startIndex: Math.max(1, asked.startIndex - found.total),
    count: asked.count - found.resources.length,
  };
  const more =
    groups instanceof AppError ? { total: 0, resources: [] } : await listGroups(call, { ...groups, ...rest }, shownGroups.shows("members"));
  const resources = [...found.resources.map(shownUsers.of), ...more.resources.map(shownGroups.of)];
  return {
    schemas: [LIST_RESPONSE],
    totalResults: found.total + more.total,
    itemsPerPage: resources.length,
    startIndex: asked.startIndex,
    Resources: resources,
  };
}

/** Reads the request for one type. An unknown attribute in the filter is an error only if no type has it. */
function listRequest(type: ResourceType, sent: Record<string, unknown>): ListRequest | AppError {
  try {
    return readListRequest(type, sent);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function requested(users: ListRequest | AppError, groups: ListRequest | AppError): ListRequest {
  if (!(users instanceof AppError)) return users;
  if (!(groups instanceof AppError)) return groups;
  throw users;
}
