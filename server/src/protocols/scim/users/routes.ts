import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { noContent, noContentAnswer, pathParams } from "../../../platform/http/index.ts";
import { callOf } from "../call.ts";
import { readListRequest } from "../listing/query.ts";
import { readOperations } from "../patch/operations.ts";
import { listOf, sendCreated, sendResource } from "../replies.ts";
import { listParameters, refusals, ScimList, ScimPatch, ScimSearch, ScimUser, shownParameters } from "../schema/documents.ts";
import { projectionOf } from "../schema/projection.ts";
import { userType } from "../schema/resource-types.ts";
import { createUser, listUsers, patchUser, readUser, removeUser, replaceUser, type UserParts } from "./service.ts";

const read = { permission: "view-users" } as const;
const write = { permission: "manage-users" } as const;
const params = pathParams("id");

/** Mounted under /realms/:realm/scim/v2/Users. */
export const scimUserRoutes: FastifyPluginAsyncTypebox<UserParts & { readonly baseUrl: string }> = async (app, parts) => {
  const { baseUrl } = parts;
  const list = async (request: FastifyRequest, sent: Record<string, unknown>) => {
    const listed = readListRequest(userType, sent);
    return listOf(await listUsers(callOf(request, baseUrl), listed), listed, projectionOf(userType, sent));
  };

  app.get(
    "/",
    {
      config: read,
      schema: {
        operationId: "listScimUsers",
        summary: "List users (RFC 7644)",
        querystring: listParameters,
        response: { 200: ScimList, ...refusals },
      },
    },
    (request) => list(request, request.query),
  );

  app.post(
    "/.search",
    {
      config: read,
      schema: {
        operationId: "searchScimUsers",
        summary: "Search users (RFC 7644 §3.4.3)",
        body: ScimSearch,
        response: { 200: ScimList, ...refusals },
      },
    },
    (request) => list(request, request.body),
  );

  app.post(
    "/",
    {
      config: write,
      schema: {
        operationId: "createScimUser",
        summary: "Create a user (RFC 7644)",
        querystring: shownParameters,
        body: ScimUser,
        response: { 201: ScimUser, ...refusals },
      },
    },
    async (request, reply) => sendCreated(reply, userType, await createUser(callOf(request, baseUrl), parts, request.body)),
  );

  app.get(
    "/:id",
    {
      config: read,
      schema: {
        operationId: "readScimUser",
        summary: "Read a user (RFC 7644)",
        params,
        querystring: shownParameters,
        response: { 200: ScimUser, ...refusals },
      },
    },
    async (request, reply) => sendResource(reply, userType, await readUser(callOf(request, baseUrl), request.params.id)),
  );

  app.put(
    "/:id",
    {
      config: write,
      schema: {
        operationId: "replaceScimUser",
        summary: "Replace a user (RFC 7644)",
        description: "`active` and `externalId` stay if they are left out; other attributes are removed.",
        params,
        querystring: shownParameters,
        body: ScimUser,
        response: { 200: ScimUser, ...refusals },
      },
    },
    async (request, reply) =>
      sendResource(reply, userType, await replaceUser(callOf(request, baseUrl), parts, request.params.id, request.body)),
  );

  app.patch(
    "/:id",
    {
      config: write,
      schema: {
        operationId: "patchScimUser",
        summary: "Change a user (RFC 7644 §3.5.2)",
        params,
        querystring: shownParameters,
        body: ScimPatch,
        response: { 200: ScimUser, ...refusals },
      },
    },
    async (request, reply) =>
      sendResource(reply, userType, await patchUser(callOf(request, baseUrl), parts, request.params.id, readOperations(request.body))),
  );

  app.delete(
    "/:id",
    {
      config: write,
      schema: {
        operationId: "deleteScimUser",
        summary: "Delete a user (RFC 7644)",
        description: "The account is deleted. With a token of an organization, a user of several organizations only leaves this one.",
        params,
        response: { ...noContentAnswer("Deleted"), ...refusals },
      },
    },
    async (request, reply) => noContent(reply, await removeUser(callOf(request, baseUrl), request.params.id)),
  );
};
