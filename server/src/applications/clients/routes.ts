import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import type { Ctx } from "../../platform/context.ts";
import { collectionRoutes, recordRoutes } from "../../platform/http/index.ts";
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
import {
  type ClientTools,
  createClient,
  readClient,
  removeClient,
  saveClient,
  searchClients,
  shownWithNames,
  type WrittenClient,
} from "./service.ts";

const tags = ["Clients"];
const params = Type.Object({ realm: Type.String(), clientId: Type.String({ description: "The client's `id`, not OAuth's client id" }) });
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;

const answer = async (ctx: Ctx, { client, secret }: WrittenClient) => ({
  ...(await shownWithNames(ctx, client)),
  ...(secret !== null && { secret }),
});

/** Mounted under /admin/realms/:realm/clients. */
export const clientRoutes: FastifyPluginAsyncTypebox<ClientTools> = async (app, tools) => {
  await app.register(clientRoleRoutes, { prefix: "/:clientId" });

  collectionRoutes(app, "/", {
    tags,
    record: Client,
    list: { config: read, summary: "List clients", query: ClientQuery, run: (ctx, _params, query) => searchClients(ctx, query) },
    create: {
      config: write,
      summary: "Create a client",
      description:
        "A confidential client's secret is in the answer, and in no other: the one that the request brings as `secret`, or a generated one.",
      body: CreateClient,
      answer: CreatedClient,
      id: ({ id }) => id,
      run: async (ctx, _params, body) => answer(ctx, await createClient(ctx, tools, body)),
    },
  });

  recordRoutes(app, "/:clientId", {
    tags,
    params,
    record: Client,
    read: {
      config: read,
      summary: "Read a client",
      run: async (ctx, { clientId }) => shownWithNames(ctx, await readClient(ctx, clientId)),
    },
    replace: {
      config: write,
      summary: "Replace a client's state",
      ofPut: "Members that are left out return to their defaults; `enabled` and `publicClient` are required.",
      description:
        "The client id cannot be changed. A client that becomes confidential gets a secret, which is in this answer alone: the `secret` of the request, or a generated one. If the client has a secret, `secret` replaces it at once; left out, it is kept.",
      body: UpdateClient,
      answer: UpdatedClient,
      follows: { authMethod: "publicClient" },
      run: async (ctx, { clientId }, body) => answer(ctx, await saveClient(ctx, tools, clientId, body)),
    },
    remove: {
      config: write,
      summary: "Delete a client",
      description: "Its roles, mappers, grants and tokens go with it.",
      run: (ctx, { clientId }) => removeClient(ctx, tools, clientId),
    },
  });

  app.get(
    "/:clientId/secret",
    {
      // The secret needs more than the permission to view clients.
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
      config: { ...write, recentAuthentication: true },
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

  const resourcesOf = ({ allowedResources, version }: { allowedResources: readonly string[]; version: number }) => ({
    allowedResources: [...allowedResources],
    version,
  });
  recordRoutes(app, "/:clientId/allowed-resources", {
    tags,
    params,
    record: AllowedResources,
    read: {
      config: read,
      summary: "Read the resources that a client may ask tokens for",
      run: async (ctx, { clientId }) => resourcesOf(await readClient(ctx, clientId)),
    },
    replace: {
      config: write,
      summary: "Set the resources that a client may ask tokens for",
      body: AllowedResources,
      run: async (ctx, { clientId }, body) => resourcesOf(await saveAllowedResources(ctx, tools, clientId, body)),
    },
  });
};
