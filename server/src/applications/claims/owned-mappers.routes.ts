import type { FastifyInstance } from "fastify";
import Type, { type TSchema } from "typebox";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { created, paged, pathParams, recordRoutes, route } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import type { OwnedMapper, OwnedMappers } from "./owned-mappers.ts";

interface MapperRoutes<Input, State> {
  readonly tags: string[];
  /** The owner's parameter in the path. */
  readonly param: string;
  /** The owner in summaries: `a client`. */
  readonly of: string;
  readonly mappers: OwnedMappers<Input, State>;
  readonly record: TSchema;
  readonly create: TSchema;
  readonly update: TSchema;
}

const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;

/** The routes of an application's own mappers. Mounted where the application is. */
export function mapperRoutes<Input, State extends { readonly claim: string }>(
  app: FastifyInstance,
  { tags, param, of, mappers, record, create, update }: MapperRoutes<Input, State>,
): void {
  const params = pathParams(param);
  const keyOf = (given: unknown): string => (given as Record<string, string>)[param]!;
  const list: ShortList<OwnedMapper<State>> = {
    sorts: { name: ({ name }) => name, createdAt: ({ createdAt }) => createdAt },
    names: ({ name, claim }) => [name, claim],
    ids: ({ mapperId }) => [mapperId],
  };
  route(app, "GET", "/mappers", {
    config: read,
    summary: `List ${of}'s own claim mappers`,
    tags,
    params,
    querystring: ListQuery,
    response: { 200: Type.Array(record) },
    handler: async (req, reply) => {
      const found = await req.read((ctx: ReadCtx) => mappers.list(ctx, keyOf(req.params)));
      return paged(reply, pageInMemory(found, list, req.query as ListQuery));
    },
  });

  route(app, "POST", "/mappers", {
    config: write,
    summary: `Add a claim mapper to ${of}`,
    tags,
    params,
    body: create,
    response: { 201: record },
    handler: async (req, reply) => {
      const mapper = await req.transact((ctx: Ctx) => mappers.create(ctx, keyOf(req.params), req.body as Input));
      return created(reply, mapper.mapperId, mapper);
    },
  });

  const idOf = (given: unknown): string => (given as { mapperId: string }).mapperId;
  recordRoutes(app, "/mappers/:mapperId", {
    tags,
    params: pathParams(param, "mapperId") as TSchema,
    record,
    read: {
      config: read,
      summary: `Read a claim mapper of ${of}`,
      run: (ctx, given) => mappers.read(ctx, keyOf(given), idOf(given)),
    },
    replace: {
      config: write,
      summary: `Update a claim mapper of ${of}`,
      body: update,
      run: (ctx, given, body) => mappers.save(ctx, keyOf(given), idOf(given), body as Parameters<typeof mappers.save>[3]),
    },
    remove: {
      config: write,
      summary: `Delete a claim mapper of ${of}`,
      run: (ctx, given) => mappers.remove(ctx, keyOf(given), idOf(given)),
    },
  });
}
