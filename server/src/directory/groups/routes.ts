import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag } from "../../platform/http/index.ts";
import { memberRoutes } from "./members.routes.ts";
import { groupRoleRoutes } from "./roles.routes.ts";
import { CreateGroup, Group, GroupQuery, UpdateGroup } from "./schema.ts";
import { createGroup, readGroup, removeGroup, saveGroup, searchGroups } from "./service.ts";

const tags = ["Groups"];
const params = Type.Object({ realm: Type.String(), groupId: Type.String() });
const read = { permission: "view-users" } as const;
const write = { permission: "manage-organizations" } as const;

/** Mounted under /admin/realms/:realm/groups. */
export const groupRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    { config: read, schema: { summary: "List groups", tags, querystring: GroupQuery, response: { 200: Type.Array(Group) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchGroups(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    { config: write, schema: { summary: "Create a group", tags, body: CreateGroup, response: { 201: Group } } },
    async (req, reply) => {
      const group = await req.transact((ctx) => createGroup(ctx, req.body));
      return reply.code(201).header("etag", etag(group.version)).send(group);
    },
  );

  app.get(
    "/:groupId",
    { config: read, schema: { summary: "Read a group", tags, params, response: { 200: Group } } },
    async (req, reply) => {
      const group = await req.read((ctx) => readGroup(ctx, req.params.groupId));
      reply.header("etag", etag(group.version));
      return group;
    },
  );

  app.put(
    "/:groupId",
    {
      config: write,
      schema: {
        summary: "Update a group, or move it",
        description: "A `parentId` that is left out stays; null moves the group to the top. What it grants is changed by its roles.",
        tags,
        params,
        body: UpdateGroup,
        response: { 200: Group },
      },
    },
    async (req, reply) => {
      const group = await req.transact((ctx) => saveGroup(ctx, req.params.groupId, req.body));
      reply.header("etag", etag(group.version));
      return group;
    },
  );

  app.delete(
    "/:groupId",
    {
      config: write,
      schema: {
        summary: "Delete a group and the groups below it",
        description: "Their members lose what the groups granted, at once; the users themselves stay.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeGroup(ctx, req.params.groupId));
      return reply.code(204).send(null);
    },
  );

  await app.register(memberRoutes, { prefix: "/:groupId/members" });
  await app.register(groupRoleRoutes, { prefix: "/:groupId/roles" });
};
