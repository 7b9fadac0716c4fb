import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, pathParams, recordRoutes } from "../../platform/http/index.ts";
import { memberRoutes } from "./members.routes.ts";
import { groupRoleRoutes } from "./roles.routes.ts";
import { CreateGroup, Group, GroupQuery, UpdateGroup } from "./schema.ts";
import { createGroup, readGroup, removeGroup, saveGroup, searchGroups } from "./service.ts";

const tags = ["Groups"];
const params = pathParams("groupId");
const read = { permission: "view-users" } as const;
const write = { permission: "manage-organizations" } as const;

/** Mounted under /admin/realms/:realm/groups. */
export const groupRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/", {
    tags,
    record: Group,
    list: { config: read, summary: "List groups", query: GroupQuery, run: (ctx, _params, query) => searchGroups(ctx, query) },
    create: {
      config: write,
      summary: "Create a group",
      body: CreateGroup,
      id: ({ groupId }) => groupId,
      run: (ctx, _params, body) => createGroup(ctx, body),
    },
  });

  recordRoutes(app, "/:groupId", {
    tags,
    params,
    record: Group,
    read: { config: read, summary: "Read a group", run: (ctx, { groupId }) => readGroup(ctx, groupId) },
    replace: {
      config: write,
      summary: "Update or move a group",
      ofPut: "An omitted `parentId` counts as null.",
      description: "If `parentId` is null, the group moves to the top. Its roles are changed separately.",
      body: UpdateGroup,
      run: (ctx, { groupId }, body) => saveGroup(ctx, groupId, body),
    },
    remove: {
      config: write,
      summary: "Delete a group and the groups below it",
      description: "The members of these groups immediately lose the roles that the groups granted. The users themselves are not deleted.",
      run: (ctx, { groupId }) => removeGroup(ctx, groupId),
    },
  });

  await app.register(memberRoutes, { prefix: "/:groupId/members" });
  await app.register(groupRoleRoutes, { prefix: "/:groupId/roles" });
};
