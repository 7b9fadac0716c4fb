import type { FastifyContextConfig } from "fastify";
import type { TSchema } from "typebox";
import { type CreateItem, collectionRoutes, type ListItems } from "./collections.ts";
import { type Operation, type ReadRecord, type RemoveRecord, type ReplaceRecord, type Routes, recordRoutes } from "./records.ts";

type Described<T> = Partial<Operation> & T;

interface CrudRoutes<P extends TSchema, K extends TSchema, R extends TSchema, Q extends TSchema, C extends TSchema, U extends TSchema> {
  readonly tags: string[];
  /** In summaries: `a role`, `roles`. */
  readonly names: readonly [one: string, many: string];
  readonly readers: FastifyContextConfig;
  readonly writers: FastifyContextConfig;
  /** The collection's, where its path has some. */
  readonly params?: P;
  readonly itemParams: K;
  readonly record: R;
  readonly list: Described<ListItems<P, R, Q>>;
  readonly create: Described<CreateItem<P, R, C>>;
  readonly read: Described<ReadRecord<K, R, TSchema>>;
  readonly replace?: Described<ReplaceRecord<K, R, U, TSchema>>;
  readonly remove: Described<RemoveRecord<K, TSchema>>;
}

/** A collection and its records: `collectionRoutes` and `recordRoutes`, with the summaries that such routes have everywhere. */
export function crudRoutes<
  P extends TSchema,
  K extends TSchema,
  R extends TSchema,
  Q extends TSchema,
  C extends TSchema,
  U extends TSchema,
>(app: Routes, [collection, item]: readonly [collection: string, item: string], crud: CrudRoutes<P, K, R, Q, C, U>): void {
  const { tags, params, itemParams, record, list, create, read, replace, remove } = crud;
  const [one, many] = crud.names;
  const readers = { config: crud.readers };
  const writers = { config: crud.writers };
  collectionRoutes(app, collection, {
    ...{ tags, record, ...(params && { params }) },
    list: { ...readers, summary: `List ${many}`, ...list },
    create: { ...writers, summary: `Create ${one}`, ...create },
  });
  recordRoutes(app, item, {
    ...{ tags, record, params: itemParams },
    read: { ...readers, summary: `Read ${one}`, ...read },
    ...(replace && { replace: { ...writers, summary: `Update ${one}`, ...replace } }),
    remove: { ...writers, summary: `Delete ${one}`, ...remove },
  });
}
