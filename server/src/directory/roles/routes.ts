import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { collectionRoutes, paged, pathParams, recordRoutes, route, versioned } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { catalogue } from "../../tenancy/permissions/index.ts";
import { AdminRole, CataloguedPermission, CreateRole, Role, UpdateAdminRole, UpdateRole } from "./schema.ts";
import {
  createRole,
  grantPermissions,
  makeDefault,
  readAdminRole,
  readRole,
  removeRole,
  saveRole,
  searchAdminRoles,
  searchRoles,
} from "./service.ts";

const params = pathParams("roleId");
const read = { permission: "view-users" } as const;
const write = { permission: "manage-roles" } as const;

/** Mounted under /admin/realms/:realm/roles. */
export const roleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const tags = ["Roles"];

  collectionRoutes(app, "/", {
    tags,
    record: Role,
    list: { config: read, summary: "List roles", query: ListQuery, run: (ctx, _params, query) => searchRoles(ctx, query) },
    create: {
      config: write,
      summary: "Create a role",
      body: CreateRole,
      id: ({ roleId }) => roleId,
      run: (ctx, _params, body) => createRole(ctx, body),
    },
  });

  recordRoutes(app, "/:roleId", {
    tags,
    params,
    record: Role,
    read: { config: read, summary: "Read a role", run: (ctx, { roleId }) => readRole(ctx, roleId) },
    replace: {
      config: write,
      summary: "Update a role",
      body: UpdateRole,
      run: (ctx, { roleId }, body) => saveRole(ctx, roleId, body),
    },
    remove: { config: write, summary: "Delete a role", run: (ctx, { roleId }) => removeRole(ctx, roleId) },
  });

  route(app, "PUT", "/:roleId/default", {
    config: write,
    summary: "Make a role the realm's default",
    description: "Every new user gets this role.",
    tags,
    params,
    response: { 200: Role },
    handler: async (req, reply) => versioned(reply, await req.transact((ctx) => makeDefault(ctx, req.params.roleId))),
  });
};

const permissionList: ShortList<(typeof catalogue)[number]> = {
  sorts: { key: ({ key }) => key, label: ({ label }) => label },
  names: ({ key, label }) => [key, label],
};

/** Mounted under /admin/realms/:realm/admin-roles. */
export const adminRoleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const tags = ["Admin roles"];

  collectionRoutes(app, "/", {
    tags,
    record: AdminRole,
    list: {
      config: read,
      summary: "List roles with their admin permissions",
      query: ListQuery,
      run: (ctx, _params, query) => searchAdminRoles(ctx, query),
    },
  });

  route(app, "GET", "/permissions", {
    config: read,
    summary: "List the permissions",
    tags,
    querystring: ListQuery,
    response: { 200: Type.Array(CataloguedPermission) },
    handler: async (req, reply) => paged(reply, pageInMemory([...catalogue], permissionList, req.query)),
  });

  recordRoutes(app, "/:roleId", {
    tags,
    params,
    record: AdminRole,
    read: { config: read, summary: "Read a role's admin permissions", run: (ctx, { roleId }) => readAdminRole(ctx, roleId) },
    replace: {
      config: write,
      summary: "Set a role's admin permissions",
      body: UpdateAdminRole,
      run: (ctx, { roleId }, body) => grantPermissions(ctx, roleId, body),
    },
  });
};
