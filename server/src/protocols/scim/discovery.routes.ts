import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { pathParams } from "../../platform/http/index.ts";
import { connectionOf } from "./connection.ts";
import { resourceTypeDocuments, schemaDocuments, serviceProviderConfig } from "./discovery.ts";
import { scimErrors } from "./errors.ts";
import type { Resource } from "./schema/attribute.ts";
import { LIST_RESPONSE, refusals, ScimDocument, ScimList } from "./schema/documents.ts";

/** RFC 7644 §4: what the server supports. */
export const discoveryRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  const urlOf = (request: FastifyRequest) => connectionOf(request, baseUrl).url;
  const params = pathParams("id");

  app.get(
    "/ServiceProviderConfig",
    {
      schema: {
        operationId: "readScimConfig",
        summary: "The capabilities of the SCIM server (RFC 7643 §5)",
        response: { 200: ScimDocument, ...refusals },
      },
    },
    async (request) => serviceProviderConfig(urlOf(request)),
  );

  const documents = [
    { path: "/ResourceTypes", id: "ScimResourceType", about: "resource types (RFC 7643 §6)", of: resourceTypeDocuments },
    { path: "/Schemas", id: "ScimSchema", about: "schemas (RFC 7643 §7)", of: schemaDocuments },
  ];
  for (const { path, id, about, of } of documents) {
    app.get(
      path,
      { schema: { operationId: `list${id}s`, summary: `List ${about}`, response: { 200: ScimList, ...refusals } } },
      async (request): Promise<Resource> => {
        // RFC 7644 §4: they are always listed whole.
        if ((request.query as { filter?: unknown }).filter !== undefined) throw scimErrors.no_filter();
        const all = of(urlOf(request));
        return { schemas: [LIST_RESPONSE], totalResults: all.length, itemsPerPage: all.length, startIndex: 1, Resources: all };
      },
    );
    app.get(
      `${path}/:id`,
      { schema: { operationId: `read${id}`, summary: `Read one of the ${about}`, params, response: { 200: ScimDocument, ...refusals } } },
      async (request): Promise<Resource> => {
        const found = of(urlOf(request)).find((each) => String(each.id).toLowerCase() === request.params.id.toLowerCase());
        if (!found) throw scimErrors.not_found();
        return found;
      },
    );
  }
};
