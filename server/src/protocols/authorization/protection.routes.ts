import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import * as authz from "../../applications/authorization/index.ts";
import { bearer, created, declare, noContent, noContentAnswer, paged, pathParams, route } from "../../platform/http/index.ts";
import { listQuery, mapPage } from "../../platform/paging/index.ts";
import { resourceServerOf } from "./caller.ts";
import { PermissionRequests, RegisteredResource, ResourceDescription, Ticket } from "./protection.schema.ts";
import { assertMayManage, notFound, register, replace, shown, ticketFor } from "./protection.service.ts";

export interface ProtectionParts {
  readonly resourceServers: authz.ResourceServers;
  readonly baseUrl: string;
}

const text = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));
const Query = listQuery({
  ...{ name: text(255), uri: text(2048), type: text(255), owner: text(255), scope: text(255) },
  deep: Type.Optional(Type.Boolean({ default: false, description: "True: return descriptions instead of ids" })),
});
const params = pathParams("id");

/** Mounted under /realms/:realm/authz/protection: UMA 2.0 Federated Authorization, with the paths of Keycloak. */
export const protectionRoutes: FastifyPluginAsyncTypebox<ProtectionParts> = async (app, { resourceServers, baseUrl }) => {
  // UMA 2.0 Federated Authorization §6 has its own error for a wrong method.
  const errors = { errors: "oauth", wrongMethod: "unsupported_method_type" } as const;
  declare(app, { tags: ["Authorization services"], caller: bearer({ audience: "protection" }), limit: "decisions", ...errors });
  app.removeContentTypeParser(["application/x-www-form-urlencoded", "text/plain"]);
  const accountOf = (realm: string) => `${baseUrl}/realms/${realm}/account`;
  const show = (server: authz.ResourceServer, row: Parameters<typeof shown>[2]) => shown(server, accountOf(server.realm), row);

  route(app, "POST", "/permission", {
    summary: "Request a permission ticket (UMA 2.0 Federated Authorization §4)",
    description: "The resource server gives the ticket to the client that lacks the permission. It works once, within five minutes.",
    body: PermissionRequests,
    response: { 201: Ticket },
    handler: async (req, reply) => {
      const server = await resourceServerOf(resourceServers, req);
      const ticket = await req.transact((ctx) => ticketFor(ctx, server, req.body));
      return reply.code(201).header("cache-control", "no-store").send({ ticket });
    },
  });

  route(app, "GET", "/resource_set", {
    operationId: "listUmaResources",
    summary: "List the resources of the resource server (UMA 2.0 Federated Authorization §3.2.5)",
    description: "Returns ids, or descriptions with `deep=true`.",
    querystring: Query,
    response: { 200: Type.Array(Type.Union([Type.String(), RegisteredResource])) },
    handler: async (req, reply) => {
      const server = await resourceServerOf(resourceServers, req);
      const { deep = false, ...query } = req.query;
      const page = await req.read((ctx) => authz.searchRegistered(ctx, server, query));
      return paged(
        reply,
        mapPage(page, (row) => (deep ? show(server, row) : row.resourceId)),
      );
    },
  });

  route(app, "POST", "/resource_set", {
    operationId: "registerUmaResource",
    summary: "Register a resource (UMA 2.0 Federated Authorization §3.2.1)",
    description: "Scopes that the resource server does not have yet are created, too.",
    body: ResourceDescription,
    response: { 201: RegisteredResource },
    handler: async (req, reply) => {
      const server = await resourceServerOf(resourceServers, req);
      const row = await req.transact((ctx) => register(ctx, server, req.body));
      return created(reply, row.resourceId, show(server, row));
    },
  });

  route(app, "GET", "/resource_set/:id", {
    operationId: "readUmaResource",
    summary: "Read a resource (UMA 2.0 Federated Authorization §3.2.2)",
    params,
    response: { 200: RegisteredResource },
    handler: async (req) => {
      const server = await resourceServerOf(resourceServers, req);
      const row = await req.read((ctx) => authz.findRegistered(ctx, server, req.params.id));
      if (!row) throw notFound();
      return show(server, row);
    },
  });

  route(app, "PUT", "/resource_set/:id", {
    operationId: "replaceUmaResource",
    summary: "Replace a resource (UMA 2.0 Federated Authorization §3.2.3)",
    params,
    body: ResourceDescription,
    response: { 200: RegisteredResource },
    handler: async (req) => {
      const server = await resourceServerOf(resourceServers, req);
      return show(server, await req.transact((ctx) => replace(ctx, server, req.params.id, req.body)));
    },
  });

  route(app, "DELETE", "/resource_set/:id", {
    operationId: "deleteUmaResource",
    summary: "Delete a resource (UMA 2.0 Federated Authorization §3.2.4)",
    params,
    response: noContentAnswer("Deleted"),
    handler: async (req, reply) => {
      const server = await resourceServerOf(resourceServers, req);
      assertMayManage(server);
      if (!(await req.transact((ctx) => authz.removeRegistered(ctx, server, req.params.id)))) throw notFound();
      return noContent(reply);
    },
  });
};
