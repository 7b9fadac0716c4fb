import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { collectionRoutes, created, recordRoutes } from "../../platform/http/index.ts";
import { mapperRoutes } from "../claims/index.ts";
import { type ImportTools, samlImportRoutes } from "./import.routes.ts";
import { CreateSamlMapper, SamlMapper, UpdateSamlMapper } from "./mappers.schema.ts";
import { samlClientMappers } from "./mappers.ts";
import { CreateSamlClient, SamlClient, SamlClientQuery, UpdateSamlClient } from "./schema.ts";
import { createSamlClient, readSamlClient, removeSamlClient, saveSamlClient, searchSamlClients, shownWithNames } from "./service.ts";

const tags = ["SAML clients"];
const params = Type.Object({
  realm: Type.String(),
  entityId: Type.String({ description: "The service provider's entityID, URL-encoded" }),
});
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;

/** Mounted under /admin/realms/:realm/saml-clients. */
export const samlClientRoutes: FastifyPluginAsyncTypebox<ImportTools> = async (app, tools) => {
  const { baseUrl, outbound } = tools;
  await app.register(samlImportRoutes, { baseUrl, outbound });

  collectionRoutes(app, "/", {
    tags,
    record: SamlClient,
    list: {
      config: read,
      summary: "List SAML clients",
      query: SamlClientQuery,
      run: (ctx, _params, query) => searchSamlClients(ctx, query),
    },
  });

  app.post(
    "/",
    {
      config: write,
      schema: {
        summary: "Create a SAML client",
        description: "Members that are left out, or null, follow the realm's settings `saml`.",
        tags,
        body: CreateSamlClient,
        response: { 201: SamlClient },
      },
    },
    async (req, reply) => {
      const client = await req.transact(async (ctx) => shownWithNames(ctx, await createSamlClient(ctx, tools, req.body)));
      return created(reply, client.entityId, { ...client, applicationId: null });
    },
  );

  const mappers: FastifyPluginAsyncTypebox = async (below) =>
    mapperRoutes(below as unknown as FastifyInstance, {
      ...{ tags, param: "entityId", of: "a SAML client", mappers: samlClientMappers },
      ...{ record: SamlMapper, create: CreateSamlMapper, update: UpdateSamlMapper },
    });
  await app.register(mappers, { prefix: "/:entityId" });

  recordRoutes(app, "/:entityId", {
    tags,
    params,
    record: SamlClient,
    read: {
      config: read,
      summary: "Read a SAML client",
      run: async (ctx, { entityId }) => shownWithNames(ctx, await readSamlClient(ctx, entityId)),
    },
    replace: {
      config: write,
      summary: "Replace a SAML client's state",
      ofPut: "Members that are left out return to their defaults; `enabled` is required.",
      description: "The entityId cannot be changed.",
      body: UpdateSamlClient,
      run: async (ctx, { entityId }, body) => shownWithNames(ctx, await saveSamlClient(ctx, tools, entityId, body)),
    },
    remove: {
      config: write,
      summary: "Delete a SAML client",
      description: "Its mappers go with it.",
      run: (ctx, { entityId }) => removeSamlClient(ctx, entityId),
    },
  });
};
