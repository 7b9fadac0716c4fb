import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag } from "../../platform/http/index.ts";
import { saveAllowedResources } from "./resources.service.ts";
import { clientRoleRoutes } from "./roles.routes.ts";
import {
  AllowedResources,
  Client,
  ClientQuery,
  ClientSecret,
  CreateClient,
  CreatedClient,
  RegenerateSecret,
  UpdateClient,
  UpdatedClient,
} from "./schema.ts";
import { regenerateSecret, revealSecret } from "./secrets.service.ts";
import { type ClientTools, createClient, readClient, removeClient, saveClient, searchClients, shown } from "./service.ts";

const tags = ["Clients"];
const params = Type.Object({ realm: Type.String(), clientId: Type.String({ description: "The client's `id`, not OAuth's client id" }) });
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;

/** Mounted under /admin/realms/:realm/clients. */
export const clientRoutes: FastifyPluginAsyncTypebox<ClientTools> = async (app, tools) => {
  await app.register(clientRoleRoutes, { prefix: "/:clientId" });

  app.get(
    "/",
    { config: read, schema: { summary: "List clients", tags, querystring: ClientQuery, response: { 200: Type.Array(Client) } } },
    async (req, reply) => {
      const page = await req.read((ctx) => searchClients(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    {
      config: write,
      schema: {
        summary: "Create a client",
        description:
          "A confidential client's secret is in the answer, and in no other: the one that the request brings as `secret`, or a generated one.",
        tags,
        body: CreateClient,
        response: { 201: CreatedClient },
      },
    },
    async (req, reply) => {
      const { client, secret } = await req.transact((ctx) => createClient(ctx, tools, req.body));
      return reply
        .code(201)
        .header("etag", etag(client.version))
        .send({ ...shown(client), ...(secret !== null && { secret }) });
    },
  );

  app.get(
    "/:clientId",
    { config: read, schema: { summary: "Read a client", tags, params, response: { 200: Client } } },
    async (req, reply) => {
      const client = await req.read((ctx) => readClient(ctx, req.params.clientId));
      reply.header("etag", etag(client.version));
      return shown(client);
    },
  );

  app.put(
    "/:clientId",
    {
      config: write,
      schema: {
        summary: "Replace a client's state",
        description:
          "What is left out returns to its default, except `enabled` and `publicClient`. The client id cannot be changed. A client that becomes confidential gets a secret, which is in this answer alone: the `secret` of the request, or a generated one. Of a client that has a secret, `secret` replaces it at once; left out, it is kept.",
        tags,
        params,
        body: UpdateClient,
        response: { 200: UpdatedClient },
      },
    },
    async (req, reply) => {
      const { client, secret } = await req.transact((ctx) => saveClient(ctx, tools, req.params.clientId, req.body));
      reply.header("etag", etag(client.version));
      return { ...shown(client), ...(secret !== null && { secret }) };
    },
  );

  app.delete(
    "/:clientId",
    {
      config: write,
      schema: {
        summary: "Delete a client",
        description: "Its roles, mappers, grants and tokens go with it.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeClient(ctx, tools, req.params.clientId));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/:clientId/secret",
    {
      // Nobody who may only look at clients may become one.
      config: { ...write, recentAuthentication: true },
      schema: {
        summary: "Reveal a client's secret",
        description: "Leaves a security event. Refused where the realm setting `clientSecretReveal` is false.",
        tags,
        params,
        response: { 200: ClientSecret },
      },
    },
    (req) => req.transact((ctx) => revealSecret(ctx, tools, req.params.clientId)),
  );

  app.post(
    "/:clientId/secret",
    {
      config: write,
      schema: {
        operationId: "regenerateClientSecret",
        summary: "Make a new secret for a client",
        description: "The old one ends at once, or after `overlapSeconds`, so that the client can change over without a gap.",
        tags,
        params,
        body: RegenerateSecret,
        response: { 200: ClientSecret },
      },
    },
    (req) => req.transact((ctx) => regenerateSecret(ctx, tools, req.params.clientId, req.body)),
  );

  app.get(
    "/:clientId/allowed-resources",
    {
      config: read,
      schema: { summary: "Read the resources that a client may ask tokens for", tags, params, response: { 200: AllowedResources } },
    },
    async (req, reply) => {
      const client = await req.read((ctx) => readClient(ctx, req.params.clientId));
      reply.header("etag", etag(client.version));
      return { allowedResources: [...client.allowedResources] };
    },
  );

  app.put(
    "/:clientId/allowed-resources",
    {
      config: write,
      schema: {
        summary: "Set the resources that a client may ask tokens for",
        tags,
        params,
        body: AllowedResources,
        response: { 200: AllowedResources },
      },
    },
    async (req, reply) => {
      const client = await req.transact((ctx) => saveAllowedResources(ctx, tools, req.params.clientId, req.body));
      reply.header("etag", etag(client.version));
      return { allowedResources: [...client.allowedResources] };
    },
  );
};
