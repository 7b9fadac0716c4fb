import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { ClientScope, CreateClientScope, UpdateClientScope } from "./schema.ts";
import { addClaim, createScope, dropClaim, readScope, removeScope, saveScope, searchScopes } from "./service.ts";

const params = Type.Object({ realm: Type.String(), scopeId: Type.String() });
const claimParams = Type.Object({ realm: Type.String(), scopeId: Type.String(), claimId: Type.String() });
const read = { permission: ["manage-authorization", "view-clients"] } as const;
const write = { permission: "manage-authorization" } as const;
const tags = ["Client scopes"];

/** Mounted under /admin/realms/:realm/client-scopes. */
export const clientScopeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    { config: read, schema: { summary: "List client scopes", tags, querystring: ListQuery, response: { 200: Type.Array(ClientScope) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchScopes(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    { config: write, schema: { summary: "Create a client scope", tags, body: CreateClientScope, response: { 201: ClientScope } } },
    async (req, reply) => {
      const scope = await req.transact((ctx) => createScope(ctx, req.body));
      return reply.code(201).header("etag", etag(scope.version)).send(scope);
    },
  );

  app.get(
    "/:scopeId",
    { config: read, schema: { summary: "Read a client scope", tags, params, response: { 200: ClientScope } } },
    async (req, reply) => {
      const scope = await req.read((ctx) => readScope(ctx, req.params.scopeId));
      reply.header("etag", etag(scope.version));
      return scope;
    },
  );

  app.put(
    "/:scopeId",
    { config: write, schema: { summary: "Update a client scope", tags, params, body: UpdateClientScope, response: { 200: ClientScope } } },
    async (req, reply) => {
      const scope = await req.transact((ctx) => saveScope(ctx, req.params.scopeId, req.body));
      reply.header("etag", etag(scope.version));
      return scope;
    },
  );

  app.delete(
    "/:scopeId",
    {
      config: write,
      schema: {
        summary: "Delete a client scope",
        description: "Refused for `openid` and `offline_access`, and while clients list it. Its claim mappers stay.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeScope(ctx, req.params.scopeId));
      return reply.code(204).send(null);
    },
  );

  app.put(
    "/:scopeId/claims/:claimId",
    {
      config: write,
      schema: {
        summary: "Attach a claim mapper to a client scope",
        tags,
        params: claimParams,
        response: { 204: Type.Null({ description: "Attached" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => addClaim(ctx, req.params.scopeId, req.params.claimId));
      return reply.code(204).send(null);
    },
  );

  app.delete(
    "/:scopeId/claims/:claimId",
    {
      config: write,
      schema: {
        summary: "Detach a claim mapper from a client scope",
        tags,
        params: claimParams,
        response: { 204: Type.Null({ description: "Detached" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => dropClaim(ctx, req.params.scopeId, req.params.claimId));
      return reply.code(204).send(null);
    },
  );
};
