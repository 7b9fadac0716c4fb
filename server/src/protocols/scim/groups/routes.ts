import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import { noContent, noContentAnswer, pathParams } from "../../../platform/http/index.ts";
import { callOf } from "../call.ts";
import { SCIM_JSON } from "../errors.ts";
import { readListRequest } from "../listing/query.ts";
import { readOperations } from "../patch/operations.ts";
import { listOf, projectionFor, sendResource } from "../replies.ts";
import type { Resource } from "../schema/attribute.ts";
import { listParameters, refusals, ScimGroup, ScimList, ScimPatch, ScimSearch, shownParameters } from "../schema/documents.ts";
import { type Projection, projectionOf } from "../schema/projection.ts";
import { groupType } from "../schema/resource-types.ts";
import { createGroup, listGroups, MANY_MEMBERS, patchGroup, type ReadGroup, readGroup, removeGroup, replaceGroup } from "./service.ts";

const read = { permission: "view-users" } as const;
const write = { permission: "manage-organizations" } as const;
const params = pathParams("id");

/** Mounted under /realms/:realm/scim/v2/Groups. */
export const scimGroupRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  const list = async (request: FastifyRequest, sent: Record<string, unknown>) => {
    const listed = readListRequest(groupType, sent);
    const projection = projectionOf(groupType, sent);
    return listOf(await listGroups(callOf(request, baseUrl), listed, projection.shows("members")), listed, projection);
  };

  app.get(
    "/",
    {
      config: read,
      schema: {
        operationId: "listScimGroups",
        summary: "List groups (RFC 7644)",
        description: "The groups at the top of the realm. With `excludedAttributes=members` the members are not read.",
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
        operationId: "searchScimGroups",
        summary: "Search groups (RFC 7644 §3.4.3)",
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
        operationId: "createScimGroup",
        summary: "Create a group (RFC 7644)",
        querystring: shownParameters,
        body: ScimGroup,
        response: { 201: ScimGroup, ...refusals },
      },
    },
    async (request, reply) => {
      const call = callOf(request, baseUrl);
      const made = await readGroup(call, await createGroup(call, request.body));
      reply.code(201).header("location", (made.group.meta as { location: string }).location);
      return sendGroup(reply, made);
    },
  );

  app.get(
    "/:id",
    {
      config: read,
      schema: {
        operationId: "readScimGroup",
        summary: "Read a group (RFC 7644)",
        params,
        querystring: shownParameters,
        response: { 200: ScimGroup, ...refusals },
      },
    },
    async (request, reply) => sendGroup(reply, await readGroup(callOf(request, baseUrl), request.params.id)),
  );

  app.put(
    "/:id",
    {
      config: write,
      schema: {
        operationId: "replaceScimGroup",
        summary: "Replace a group and its members (RFC 7644)",
        params,
        querystring: shownParameters,
        body: ScimGroup,
        response: { 200: ScimGroup, ...refusals },
      },
    },
    async (request, reply) => {
      const call = callOf(request, baseUrl);
      await replaceGroup(call, request.params.id, request.body);
      return sendGroup(reply, await readGroup(call, request.params.id));
    },
  );

  app.patch(
    "/:id",
    {
      config: write,
      schema: {
        operationId: "patchScimGroup",
        summary: "Change a group and its members (RFC 7644 §3.5.2)",
        description: "204 for a group of more than 1000 members, unless `attributes` are asked for.",
        params,
        querystring: shownParameters,
        body: ScimPatch,
        response: { 200: ScimGroup, ...noContentAnswer("Changed"), ...refusals },
      },
    },
    async (request, reply) => {
      const call = callOf(request, baseUrl);
      await patchGroup(call, request.params.id, readOperations(request.body));
      const changed = await readGroup(call, request.params.id);
      const isLarge = changed.memberCount > MANY_MEMBERS && projectionFor(groupType, request).isDefault;
      return isLarge ? (noContent(reply) as never) : sendGroup(reply, changed);
    },
  );

  app.delete(
    "/:id",
    {
      config: write,
      schema: {
        operationId: "deleteScimGroup",
        summary: "Delete a group (RFC 7644)",
        description: "The groups below it go with it; the members stay.",
        params,
        response: { ...noContentAnswer("Deleted"), ...refusals },
      },
    },
    async (request, reply) => noContent(reply, await removeGroup(callOf(request, baseUrl), request.params.id)),
  );
};

/** With its members, which are read while a large group is sent. */
async function sendGroup(reply: FastifyReply, { group, memberCount, members }: ReadGroup): Promise<Resource> {
  const projection = projectionFor(groupType, reply.request);
  if (!projection.shows("members")) return sendResource(reply, groupType, group);
  if (memberCount > MANY_MEMBERS) {
    const head = sendResource(reply, groupType, group);
    return reply.sent ? head : (reply.type(SCIM_JSON).send(Readable.from(texts(head, members(), projection))) as never);
  }
  const all: Resource[] = [];
  for await (const chunk of members()) all.push(...chunk);
  return sendResource(reply, groupType, { ...group, members: all });
}

async function* texts(head: Resource, members: AsyncGenerator<Resource[]>, projection: Projection): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"members":[`;
  let separator = "";
  for await (const chunk of members) {
    const shown = projection.of({ members: chunk }).members as Resource[];
    yield separator + JSON.stringify(shown).slice(1, -1);
    separator = ",";
  }
  yield "]}";
}
