import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { catalogue } from "../../tenancy/permissions/index.ts";
import { AdminRole, CataloguedPermission, CreateRole, Role, UpdateAdminRole, UpdateRole } from "./schema.ts";
import { createRole, grantPermissions, makeDefault, readRole, removeRole, saveRole, searchAdminRoles, searchRoles } from "./service.ts";

const params = Type.Object({ realm: Type.String(), roleId: Type.String() });
const read = { permission: "view-users" } as const;
const write = { permission: "manage-roles" } as const;

/** Mounted under /admin/realms/:realm/roles. */
export const roleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const tags = ["Roles"];

  app.get(
    "/",
    { config: read, schema: { summary: "List roles", tags, querystring: ListQuery, response: { 200: Type.Array(Role) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchRoles(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    { config: write, schema: { summary: "Create a role", tags, body: CreateRole, response: { 201: Role } } },
    async (req, reply) => {
      const role = await req.transact((ctx) => createRole(ctx, req.body));
      return reply.code(201).header("etag", etag(role.version)).send(role);
    },
  );

  app.get("/:roleId", { config: read, schema: { summary: "Read a role", tags, params, response: { 200: Role } } }, async (req, reply) => {
    const role = await req.read((ctx) => readRole(ctx, req.params.roleId));
    reply.header("etag", etag(role.version));
    return role;
  });

  app.put(
    "/:roleId",
    { config: write, schema: { summary: "Update a role", tags, params, body: UpdateRole, response: { 200: Role } } },
    async (req, reply) => {
      const role = await req.transact((ctx) => saveRole(ctx, req.params.roleId, req.body));
      reply.header("etag", etag(role.version));
      return role;
    },
  );

  app.delete(
    "/:roleId",
    { config: write, schema: { summary: "Delete a role", tags, params, response: { 204: Type.Null({ description: "Deleted" }) } } },
    async (req, reply) => {
      await req.transact((ctx) => removeRole(ctx, req.params.roleId));
      return reply.code(204).send(null);
    },
  );

  app.put(
    "/:roleId/default",
    {
      config: write,
      schema: { summary: "Make a role the realm's default", description: "Every new user gets it.", tags, params, response: { 200: Role } },
    },
    async (req, reply) => {
      const role = await req.transact((ctx) => makeDefault(ctx, req.params.roleId));
      reply.header("etag", etag(role.version));
      return role;
    },
  );
};

/** Mounted under /admin/realms/:realm/admin-roles. */
export const adminRoleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const tags = ["Admin roles"];

  app.get(
    "/",
    {
      config: read,
      schema: {
        summary: "List roles with their admin permissions",
        tags,
        querystring: ListQuery,
        response: { 200: Type.Array(AdminRole) },
      },
    },
    async (req, reply) => {
      const page = await req.read((ctx) => searchAdminRoles(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.get(
    "/permissions",
    { config: read, schema: { summary: "The catalogue of permissions", tags, response: { 200: Type.Array(CataloguedPermission) } } },
    async () => [...catalogue],
  );

  app.put(
    "/:roleId",
    {
      config: write,
      schema: { summary: "Set a role's admin permissions", tags, params, body: UpdateAdminRole, response: { 200: AdminRole } },
    },
    async (req, reply) => {
      const { entry, version } = await req.transact((ctx) => grantPermissions(ctx, req.params.roleId, req.body));
      reply.header("etag", etag(version));
      return entry;
    },
  );
};
