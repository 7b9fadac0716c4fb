import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { AssignRole, CreateRole, Role, roleNameMembers } from "../../directory/roles/index.ts";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { createMapper, readMappers, removeMapper, saveMapper } from "./mappers.service.ts";
import { createClientRole, removeClientRole, searchClientRoles } from "./roles.service.ts";
import { ClientMapper, CreateClientMapper, ServiceAccountRole, UpdateClientMapper } from "./schema.ts";
import { grantToServiceAccount, readServiceAccountRoles, takeFromServiceAccount } from "./service-accounts.service.ts";

const tags = ["Clients"];
const params = Type.Object({ realm: Type.String(), clientId: Type.String() });
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;
const done = { 204: Type.Null({ description: "Done" }) };

/** What belongs to one client: its roles, its mappers, its service account. Mounted under /admin/realms/:realm/clients/:clientId. */
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
    async (req, reply) => {
      const page = await req.read((ctx) => searchClientRoles(ctx, req.params.clientId, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/roles",
    { config: writeRoles, schema: { summary: "Create a role of a client", tags, params, body: CreateRole, response: { 201: Role } } },
    async (req, reply) => {
      const role = await req.transact((ctx) => createClientRole(ctx, req.params.clientId, req.body));
      return reply.code(201).header("etag", etag(role.version)).send(role);
    },
  );

  app.delete(
    "/roles/:roleName",
    {
      config: writeRoles,
      schema: {
        summary: "Delete a role of a client",
        tags,
        params: Type.Object({ realm: Type.String(), clientId: Type.String(), roleName: Type.String() }),
        response: done,
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeClientRole(ctx, req.params.clientId, req.params.roleName));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/mappers",
    { config: read, schema: { summary: "List a client's own claim mappers", tags, params, response: { 200: Type.Array(ClientMapper) } } },
    (req) => req.read((ctx) => readMappers(ctx, req.params.clientId)),
  );

  app.post(
    "/mappers",
    {
      config: write,
      schema: { summary: "Add a claim mapper to a client", tags, params, body: CreateClientMapper, response: { 201: ClientMapper } },
    },
    async (req, reply) => {
      const mapper = await req.transact((ctx) => createMapper(ctx, req.params.clientId, req.body));
      return reply.code(201).header("etag", etag(mapper.version)).send(mapper);
    },
  );

  const mapperParams = Type.Object({ realm: Type.String(), clientId: Type.String(), mapperId: Type.String() });
  app.put(
    "/mappers/:mapperId",
    {
      config: write,
      schema: {
        summary: "Update a claim mapper of a client",
        tags,
        params: mapperParams,
        body: UpdateClientMapper,
        response: { 200: ClientMapper },
      },
    },
    async (req, reply) => {
      const mapper = await req.transact((ctx) => saveMapper(ctx, req.params.clientId, req.params.mapperId, req.body));
      reply.header("etag", etag(mapper.version));
      return mapper;
    },
  );

  app.delete(
    "/mappers/:mapperId",
    { config: write, schema: { summary: "Delete a claim mapper of a client", tags, params: mapperParams, response: done } },
    async (req, reply) => {
      await req.transact((ctx) => removeMapper(ctx, req.params.clientId, req.params.mapperId));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/service-account/roles",
    {
      config: read,
      schema: { summary: "List the roles of a client's service account", tags, params, response: { 200: Type.Array(ServiceAccountRole) } },
    },
    (req) => req.read((ctx) => readServiceAccountRoles(ctx, req.params.clientId)),
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
      return reply.code(204).send(null);
    },
  );
};
