import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { bodyAsRead, callRoute, collectionRoutes, pathParams } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory } from "../../platform/paging/index.ts";
import { givenRoles } from "../roles/index.ts";
import { grantRole, readGroupRole, readGroupRoles, withdrawRole } from "./roles.service.ts";
import { AddGroupRole, GroupRole } from "./schema.ts";

const tags = ["Groups"];
const params = pathParams("groupId");
const itemParams = pathParams("groupId", "roleId");
const write = { permission: "manage-organizations" } as const;

/** Mounted under /admin/realms/:realm/groups/:groupId/roles. */
export const groupRoleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/", {
    tags,
    params,
    record: GroupRole,
    list: {
      config: { permission: "view-users" },
      summary: "List the roles that a group grants",
      query: ListQuery,
      run: async (ctx, { groupId }, query) => pageInMemory(await readGroupRoles(ctx, groupId), givenRoles, query),
    },
  });

  callRoute(app, "POST", "/", {
    config: write,
    summary: "Let a group grant a role, by its name",
    tags,
    params,
    body: AddGroupRole,
    answer: Type.Array(GroupRole),
    transact: (ctx, req) => grantRole(ctx, req.params.groupId, req.body),
  });

  callRoute(app, "GET", "/:roleId", {
    config: { permission: "view-users" },
    operationId: "getGroupRole",
    summary: "Read a role that a group grants",
    tags,
    params: itemParams,
    answer: GroupRole,
    read: (ctx, { params }) => readGroupRole(ctx, params.groupId, params.roleId),
  });

  for (const method of ["PUT", "POST"] as const)
    callRoute(app, method, "/:roleId", {
      config: write,
      operationId: `${method === "PUT" ? "set" : "add"}GroupRole`,
      summary: `Let a group grant a role${method === "POST" ? " (the same as PUT)" : ""}`,
      tags,
      params: itemParams,
      body: bodyAsRead(GroupRole),
      async transact(ctx, { params: { groupId, roleId }, body }) {
        await grantRole(ctx, groupId, { roleId });
        if (body) refuseReadOnly(await readGroupRole(ctx, groupId, roleId), body, ["roleId", "name", "clientId"]);
      },
    });

  callRoute(app, "DELETE", "/:roleId", {
    config: write,
    summary: "Let a group no longer grant a role",
    tags,
    params: itemParams,
    transact: (ctx, { params }) => withdrawRole(ctx, params.groupId, params.roleId),
  });
};
