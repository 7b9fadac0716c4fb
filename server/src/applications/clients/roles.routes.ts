import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { AssignRole, CreateRole, givenRoles, Role, roleNameMembers } from "../../directory/roles/index.ts";
import { collectionRoutes, noContent, noContentAnswer, pathParams, recordRoutes } from "../../platform/http/index.ts";
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

  collectionRoutes(app, "/roles", {
    tags,
    params,
    record: Role,
    list: {
      config: readRoles,
      summary: "List a client's roles",
      query: ListQuery,
      run: (ctx, { clientId }, query) => searchClientRoles(ctx, clientId, query),
    },
    create: {
      config: writeRoles,
      summary: "Create a role of a client",
      body: CreateRole,
      id: ({ name }) => name,
      run: (ctx, { clientId }, body) => createClientRole(ctx, clientId, body),
    },
  });

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

  collectionRoutes(app, "/service-account/roles", {
    tags,
    params,
    record: ServiceAccountRole,
    list: {
      config: read,
      summary: "List the roles of a client's service account",
      query: ListQuery,
      run: async (ctx, { clientId }, query) => pageInMemory(await readServiceAccountRoles(ctx, clientId), givenRoles, query),
    },
  });

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
    async (req, reply) => noContent(reply, await req.transact((ctx) => takeFromServiceAccount(ctx, req.params.clientId, req.query))),
  );
};
