import type { FastifyRequest } from "fastify";
import { AppError } from "../../kernel/errors.ts";
import { callOf } from "./call.ts";
import { listGroups } from "./groups/service.ts";
import { type ListRequest, readListRequest } from "./listing/query.ts";
import { isObject, type Resource, type ResourceType } from "./schema/attribute.ts";
import { LIST_RESPONSE } from "./schema/documents.ts";
import { projectionOf } from "./schema/projection.ts";
import { groupType, userType } from "./schema/resource-types.ts";
import { listUsers } from "./users/service.ts";

/** RFC 7644 §3.4.2.1: over users and groups, one after the other. A filter by an attribute that only one of them has finds only these. */
export async function searchAll(request: FastifyRequest, baseUrl: string): Promise<Resource> {
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

/** A filter that the type does not have is an error only if no type has it. */
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
