import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { bodyAsRead, callRoute, collectionRoutes, created, pathParams, route } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { join, leave, readMember, searchMembers } from "./members.service.ts";
import { AddGroupMember, GroupMember } from "./schema.ts";

const tags = ["Groups"];
const params = pathParams("groupId");
const itemParams = pathParams("groupId", "userId");
const write = { permission: "manage-organizations" } as const;

/** Mounted under /admin/realms/:realm/groups/:groupId/members. */
export const memberRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/", {
    tags,
    params,
    record: GroupMember,
    list: {
      config: { permission: "view-users" },
      summary: "List a group's members",
      query: ListQuery,
      run: (ctx, { groupId }, query) => searchMembers(ctx, groupId, query),
    },
  });

  route(app, "POST", "/", {
    config: write,
    summary: "Add a member to a group",
    description: "Returns 201 with the membership, or 200 if the user was already a member.",
    tags,
    params,
    body: AddGroupMember,
    response: { 200: GroupMember, 201: GroupMember },
    handler: async (req, reply) => {
      const { member, joined } = await req.transact((ctx) => join(ctx, req.params.groupId, req.body.userId));
      return joined ? created(reply, member.userId, member) : member;
    },
  });

  callRoute(app, "GET", "/:userId", {
    config: { permission: "view-users" },
    operationId: "getGroupMember",
    summary: "Read a membership in a group",
    tags,
    params: itemParams,
    answer: GroupMember,
    read: (ctx, { params }) => readMember(ctx, params.groupId, params.userId),
  });

  // Both methods do the same. An existing member is no error.
  for (const method of ["PUT", "POST"] as const)
    callRoute(app, method, "/:userId", {
      config: write,
      operationId: `${method === "PUT" ? "set" : "add"}GroupMember`,
      summary: `Make a user a member of a group${method === "POST" ? " (the same as PUT)" : ""}`,
      tags,
      params: itemParams,
      body: bodyAsRead(GroupMember),
      async transact(ctx, { params, body }) {
        const { member, joined } = await join(ctx, params.groupId, params.userId);
        // To undo a removal, a caller sends the member as it was before.
        refuseReadOnly(member, body ?? {}, ["userId", "username", "email", "enabled", ...(joined ? [] : ["joinedAt" as const])]);
      },
    });

  callRoute(app, "DELETE", "/:userId", {
    config: write,
    summary: "Remove a member from a group",
    tags,
    params: itemParams,
    transact: (ctx, { params }) => leave(ctx, params.groupId, params.userId),
  });
};
