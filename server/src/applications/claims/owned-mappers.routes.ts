import type { FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import { crudRoutes, pathParams } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import type { OwnedMapper, OwnedMappers } from "./owned-mappers.ts";

interface MapperRoutes<Input, State> {
  readonly tags: string[];
  /** The owner's parameter in the path. */
  readonly param: string;
  /** The owner in summaries, such as `a client`. */
  readonly of: string;
  readonly mappers: OwnedMappers<Input, State>;
  readonly record: TSchema;
  readonly create: TSchema;
  readonly update: TSchema;
}

/** The routes of an application's own mappers. Mounted where the application is. */
export function mapperRoutes<Input, State extends { readonly claim: string }>(
  app: FastifyInstance,
  { tags, param, of, mappers, record, create, update }: MapperRoutes<Input, State>,
): void {
  const keyOf = (given: unknown): string => (given as Record<string, string>)[param]!;
  const idOf = (given: unknown): string => (given as { mapperId: string }).mapperId;
  const list: ShortList<OwnedMapper<State>> = {
    sorts: { name: ({ name }) => name, createdAt: ({ createdAt }) => createdAt },
    names: ({ name, claim }) => [name, claim],
    ids: ({ mapperId }) => [mapperId],
  };
  crudRoutes(app, ["/mappers", "/mappers/:mapperId"], {
    tags,
    names: [`a claim mapper of ${of}`, `${of}'s own claim mappers`],
    readers: { permission: "view-clients" },
    writers: { permission: "manage-clients" },
    params: pathParams(param) as TSchema,
    itemParams: pathParams(param, "mapperId") as TSchema,
    record,
    list: { query: ListQuery, run: async (ctx, given, query) => pageInMemory(await mappers.list(ctx, keyOf(given)), list, query) },
    create: {
      summary: `Add a claim mapper to ${of}`,
      body: create,
      id: (made) => (made as OwnedMapper<State>).mapperId,
      run: (ctx, given, body) => mappers.create(ctx, keyOf(given), body as Input),
    },
    read: { run: (ctx, given) => mappers.read(ctx, keyOf(given), idOf(given)) },
    replace: {
      body: update,
      run: (ctx, given, body) => mappers.save(ctx, keyOf(given), idOf(given), body as Parameters<typeof mappers.save>[3]),
    },
    remove: { run: (ctx, given) => mappers.remove(ctx, keyOf(given), idOf(given)) },
  });
}
