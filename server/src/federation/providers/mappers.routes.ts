import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { collectionRoutes, paged, pathParams, recordRoutes, route } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { CreateProviderMapper, ProviderMapper, UpdateProviderMapper } from "./mappers.schema.ts";
import { createMapper, readMapper, readMappers, removeMapper, saveMapper } from "./mappers.service.ts";

const tags = ["Identity providers"];
const config = { permission: "manage-identity-providers" } as const;
const params = pathParams("alias");

const mapperList: ShortList<ProviderMapper> = {
  sorts: { name: ({ name }) => name, type: ({ type }) => type },
  names: ({ name }) => [name],
  ids: ({ mapperId }) => [mapperId],
};

/** Mounted under /admin/realms/:realm/identity-providers/:alias/mappers. */
export const mapperRoutes: FastifyPluginAsyncTypebox = async (app) => {
  route(app, "GET", "/", {
    config: { ...config, versioned: false },
    summary: "List the mappers of an identity provider",
    tags,
    params,
    querystring: ListQuery,
    response: { 200: Type.Array(ProviderMapper) },
    handler: async (req, reply) => {
      const mappers = await req.read((ctx) => readMappers(ctx, req.params.alias));
      return paged(reply, pageInMemory(mappers, mapperList, req.query));
    },
  });

  collectionRoutes(app, "/", {
    tags,
    params,
    record: ProviderMapper,
    create: {
      config: { ...config, versioned: false },
      summary: "Create a mapper of an identity provider",
      description: "A mapper that gives a role, or a group that grants one, needs the permissions of the role.",
      body: CreateProviderMapper,
      id: ({ mapperId }) => mapperId,
      run: (ctx, { alias }, body) => createMapper(ctx, alias, body),
    },
  });

  recordRoutes(app, "/:mapperId", {
    tags,
    params: pathParams("alias", "mapperId"),
    record: ProviderMapper,
    read: {
      config,
      summary: "Read a mapper of an identity provider",
      run: (ctx, { alias, mapperId }) => readMapper(ctx, alias, mapperId),
    },
    replace: {
      config,
      summary: "Update a mapper of an identity provider",
      body: UpdateProviderMapper,
      run: (ctx, { alias, mapperId }, body) => saveMapper(ctx, alias, mapperId, body),
    },
    remove: {
      config,
      summary: "Delete a mapper of an identity provider",
      run: (ctx, { alias, mapperId }) => removeMapper(ctx, alias, mapperId),
    },
  });
};
