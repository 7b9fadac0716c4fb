import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import { noContent, noContentAnswer } from "../../../platform/http/index.ts";
import type { ScimCall } from "../call.ts";
import { SCIM_JSON } from "../errors.ts";
import { projectionFor, sendResource } from "../replies.ts";
import { resourceRoutes } from "../resource.routes.ts";
import type { Resource } from "../schema/attribute.ts";
import { ScimGroup } from "../schema/documents.ts";
import type { Projection } from "../schema/projection.ts";
import { groupType } from "../schema/resource-types.ts";
import { createGroup, listGroups, MANY_MEMBERS, patchGroup, type ReadGroup, readGroup, removeGroup, replaceGroup } from "./service.ts";

/** Mounted under /realms/:realm/scim/v2/Groups. */
export const scimGroupRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  resourceRoutes(app, {
    baseUrl,
    type: groupType,
    document: ScimGroup,
    names: { one: "Group", whole: "a group and its members" },
    manage: "manage-organizations",
    descriptions: {
      list: "Returns the groups at the top of the realm. With `excludedAttributes=members` the members are not read.",
      patch: "204 for a group of more than 1000 members, unless `attributes` are requested.",
      delete: "Also deletes the groups below it. The members are not deleted.",
    },
    patchAnswers: noContentAnswer("Changed"),
    list: (call, listed, projection) => listGroups(call, listed, projection.shows("members")),
    create: async (reply, call, body) => {
      const made = await read(reply, call, await createGroup(call, body));
      reply.code(201).header("location", (made.group.meta as { location: string }).location);
      return sendGroup(reply, made);
    },
    read: async (reply, call, id) => sendGroup(reply, await read(reply, call, id)),
    replace: async (reply, call, id, body) => {
      await replaceGroup(call, id, body);
      return sendGroup(reply, await read(reply, call, id));
    },
    patch: async (reply, call, id, operations) => {
      await patchGroup(call, id, operations);
      const projection = projectionFor(groupType, reply.request);
      const isLarge = (memberCount: number) => memberCount > MANY_MEMBERS && projection.isDefault;
      const changed = await readGroup(call, id, (memberCount) => projection.shows("members") && !isLarge(memberCount));
      return isLarge(changed.memberCount) ? (noContent(reply) as never) : sendGroup(reply, changed);
    },
    remove: removeGroup,
  });
};

const read = (reply: FastifyReply, call: ScimCall, id: string): Promise<ReadGroup> =>
  readGroup(call, id, () => projectionFor(groupType, reply.request).shows("members"));

/** Sends a group with its members, which are read while a large group is sent. */
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
