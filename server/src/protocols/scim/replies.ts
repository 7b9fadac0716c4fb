import type { FastifyReply, FastifyRequest } from "fastify";
import { isKnown } from "../../platform/versions.ts";
import type { ListedPage } from "./listing/listing.ts";
import type { ListRequest } from "./listing/query.ts";
import type { Resource, ResourceType } from "./schema/attribute.ts";
import { LIST_RESPONSE } from "./schema/documents.ts";
import { type Projection, projectionOf } from "./schema/projection.ts";

const metaOf = ({ meta }: Resource) => meta as { readonly location: string; readonly version: string };

export const projectionFor = (type: ResourceType, request: FastifyRequest): Projection =>
  projectionOf(type, request.query as Record<string, unknown>);

/** RFC 7644 §3.14: sends a resource with its ETag, or a 304 if the client has this version. */
export function sendResource(reply: FastifyReply, type: ResourceType, resource: Resource): Resource {
  const { request } = reply;
  const { version } = metaOf(resource);
  reply.header("etag", version);
  if (request.method === "GET" && isKnown(request.headers["if-none-match"], version)) return reply.code(304).send() as never;
  return projectionFor(type, request).of(resource);
}

/** RFC 7644 §3.3: sends a created resource. */
export function sendCreated(reply: FastifyReply, type: ResourceType, resource: Resource): Resource {
  reply.code(201).header("location", metaOf(resource).location);
  return sendResource(reply, type, resource);
}

/** RFC 7644 §3.4.2: makes the response of a list, which may be empty. */
export function listOf(
  { total, resources, nextCursor }: ListedPage,
  { cursor, startIndex }: ListRequest,
  projection: Projection,
): Resource {
  return {
    schemas: [LIST_RESPONSE],
    totalResults: total,
    itemsPerPage: resources.length,
    ...(cursor === undefined ? { startIndex } : nextCursor !== null && { nextCursor }),
    Resources: resources.map(projection.of),
  };
}
