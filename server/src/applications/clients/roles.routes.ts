import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { AssignRole, CreateRole, givenRoles, Role, roleNameMembers } from "../../directory/roles/index.ts";
import { created, noContent, noContentAnswer, paged, pathParams, recordRoutes } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory } from "../../platform/paging/index.ts";
import { mapperRoutes } from "../claims/index.ts";
import { clientMappers } from "./mappers.ts";
import { createClientRole, readClientRole, removeClientRole, searchClientRoles } from "./roles.service.ts";
import { ClientMapper, CreateClientMapper, ServiceAccountRole, UpdateClientMapper } from "./schema.ts";
import { grantToServiceAccount, readServiceAccountRoles, takeFromServiceAccount } from "./service-accounts.service.ts";

const tags = ["Clients"];
const params = pathParams("clientId");
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;
const done = noContentAnswer();

/** The roles, mappers and service account of one client. Mounted under /admin/realms/:realm/clients/:clientId. */
export const clientRoleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  // `manage-roles` is for the roles of clients, too.
  const readRoles = { permission: ["view-clients", "manage-roles"] } as const;
  const writeRoles = { permission: ["manage-clients", "manage-roles"] } as const;

  app.get(
    "/roles",
    {
      config: readRoles,
      schema: { summary: "List a client's roles", tags, params, querystring: ListQuery, response: { 200: Type.Array(Role) } },
    },
    async (req, reply) => paged(reply, await req.read((ctx) => searchClientRoles(ctx, req.params.clientId, req.query))),
  );

  app.post(
    "/roles",
    { config: writeRoles, schema: { summary: "Create a role of a client", tags, params, body: CreateRole, response: { 201: Role } } },
    async (req, reply) => {
      const role = await req.transact((ctx) => createClientRole(ctx, req.params.clientId, req.body));
      return created(reply, role.name, role);
    },
  );

  recordRoutes(app, "/roles/:roleName", {
    tags,
    params: pathParams("clientId", "roleName"),
    record: Role,
    read: {
      config: readRoles,
      summary: "Read a role of a client",
      run: (ctx, { clientId, roleName }) => readClientRole(ctx, clientId, roleName),
    },
    remove: {
      config: writeRoles,
      summary: "Delete a role of a client",
      run: (ctx, { clientId, roleName }) => removeClientRole(ctx, clientId, roleName),
    },
  });

  mapperRoutes(app as unknown as FastifyInstance, {
    ...{ tags, param: "clientId", of: "a client", mappers: clientMappers },
    ...{ record: ClientMapper, create: CreateClientMapper, update: UpdateClientMapper },
  });

  app.get(
    "/service-account/roles",
    {
      config: read,
      schema: {
        summary: "List the roles of a client's service account",
        tags,
        params,
        querystring: ListQuery,
        response: { 200: Type.Array(ServiceAccountRole) },
      },
    },
    async (req, reply) => {
      const roles = await req.read((ctx) => readServiceAccountRoles(ctx, req.params.clientId));
      return paged(reply, pageInMemory(roles, givenRoles, req.query));
    },
  );

  app.post(
    "/service-account/roles",
    {
      config: write,
      schema: {
        summary: "Give a role to a client's service account",
        tags,
        params,
        body: AssignRole,
        response: { 200: Type.Array(ServiceAccountRole) },
      },
    },
    (req) => req.transact((ctx) => grantToServiceAccount(ctx, req.params.clientId, req.body)),
  );

  app.delete(
    "/service-account/roles",
    {
      config: write,
      schema: {
        summary: "Take a role from a client's service account",
        tags,
        params,
        querystring: Type.Object(
          { name: Type.Optional(roleNameMembers.name), clientId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) },
          { additionalProperties: false },
        ),
        response: done,
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => takeFromServiceAccount(ctx, req.params.clientId, req.query));
      return noContent(reply);
    },
  );
};
