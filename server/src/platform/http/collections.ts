import type { FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static, type TSchema } from "typebox";
import type { Ctx, ReadCtx } from "../context.ts";
import type { Page } from "../paging/index.ts";
import { type Operation, type Routes, textsOf } from "./records.ts";
import { created, paged } from "./replies.ts";

export interface ListItems<P extends TSchema, R extends TSchema, Q extends TSchema> {
  readonly query: Q;
  run(ctx: ReadCtx, params: Static<P>, query: Static<Q>): Promise<Page<Static<R>>>;
}

export interface CreateItem<P extends TSchema, R extends TSchema, B extends TSchema> {
  readonly body: B;
  /** The response of POST, if it has more members than an item of the list. */
  readonly answer?: TSchema;
  /** Returns the last segment of the item's address, or its last segments. */
  id(made: Static<R>): string | readonly string[];
  run(ctx: Ctx, params: Static<P>, body: Static<B>): Promise<Static<R>>;
}

interface CollectionRoutes<P extends TSchema, R extends TSchema, Q extends TSchema, B extends TSchema> {
  readonly tags?: string[];
  readonly params?: P;
  /** An item of the list, and the response of POST. */
  readonly record: R;
  readonly list?: Operation & ListItems<P, R, Q>;
  readonly create?: Operation & CreateItem<P, R, B>;
}

/** Adds the routes of a collection: GET with pages, and POST, which answers 201 with the item and its address. */
export function collectionRoutes<P extends TSchema, R extends TSchema, Q extends TSchema, B extends TSchema>(
  app: Routes,
  url: string,
  { tags, params, record, list, create }: CollectionRoutes<P, R, Q, B>,
): void {
  const about = { ...(tags !== undefined && { tags }), ...(params !== undefined && { params }) };
  if (list)
    app.route({
      method: "GET",
      url,
      ...(list.config && { config: list.config }),
      schema: { ...textsOf(list), ...about, querystring: list.query, response: { 200: Type.Array(record) } },
      handler: async (req: FastifyRequest, reply: FastifyReply) =>
        paged(reply, await req.read((ctx) => list.run(ctx, req.params as Static<P>, req.query as Static<Q>))),
    });
  if (create)
    app.route({
      method: "POST",
      url,
      ...(create.config && { config: create.config }),
      schema: { ...textsOf(create), ...about, body: create.body, response: { 201: create.answer ?? record } },
      handler: async (req: FastifyRequest, reply: FastifyReply) => {
        const made = await req.transact((ctx) => create.run(ctx, req.params as Static<P>, req.body as Static<B>));
        return created(reply, create.id(made), made as object);
      },
    });
}
