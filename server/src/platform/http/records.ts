import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { Static, TSchema } from "typebox";
import { AppError } from "../../kernel/errors.ts";
import { createTurns } from "../../kernel/turns.ts";
import type { Ctx, ReadCtx } from "../context.ts";
import { lockName, lockRealm } from "../db/index.ts";
import { etag, expectVersion, isPreconditionFailed } from "../versions.ts";
import { MERGE_PATCH } from "./bodies.ts";
import { mergePatch, patchSchema } from "./merge-patch.ts";
import { noContent, noContentAnswer, versioned } from "./replies.ts";

export interface Operation {
  readonly config?: FastifyContextConfig;
  readonly summary: string;
  readonly description?: string;
  readonly operationId?: string;
}

type Versioned<R extends TSchema> = Static<R> & { readonly version: number };

export interface ReadRecord<P extends TSchema, R extends TSchema, Q extends TSchema> {
  run(ctx: ReadCtx, params: Static<P>, query: Static<Q>): Promise<Versioned<R>>;
}

export interface ReplaceRecord<P extends TSchema, R extends TSchema, B extends TSchema, Q extends TSchema> {
  /** The full state, as a named schema. */
  readonly body: B;
  /** The response of PUT and PATCH, if it has more members than GET's. */
  readonly answer?: TSchema;
  /** Replaces the record. `patched` are the members that a PATCH names; it leaves the others as they are. */
  run(ctx: Ctx, params: Static<P>, body: Static<B>, query: Static<Q>, patched?: readonly string[]): Promise<Versioned<R>>;
  /** Maps a member to the member that it follows. A PATCH that changes the latter and does not name the former returns the former to its default. */
  readonly follows?: Readonly<Record<string, string>>;
  /** Restricts the methods, if PUT or PATCH has another path or meaning. */
  readonly methods?: readonly ("PUT" | "PATCH")[];
  /** The beginning of PUT's description, such as the defaults of members that are left out, because a PATCH keeps those. */
  readonly ofPut?: string;
}

export interface RemoveRecord<P extends TSchema, Q extends TSchema> {
  run(ctx: Ctx, params: Static<P>, query: Static<Q>): Promise<unknown>;
}

interface RecordRoutes<P extends TSchema, R extends TSchema, B extends TSchema, Q extends TSchema> {
  readonly tags: string[];
  readonly params: P;
  /** The query parameters, for records that the path alone does not identify. */
  readonly querystring?: Q;
  /** The response of GET, PUT and PATCH. */
  readonly record: R;
  readonly read: Operation & ReadRecord<P, R, Q>;
  readonly replace?: Operation & ReplaceRecord<P, R, B, Q>;
  readonly remove?: Operation & RemoveRecord<P, Q>;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** True for a route of a record with a version: `ETag` and `If-Match`. False for a route below such a record that is not a part of it. */
    readonly versioned?: boolean;
    /** True if the route writes the whole record and no part of it, such as a membership: `If-None-Match` counts, too. */
    readonly writesRecord?: boolean;
  }
}

export interface Routes {
  // biome-ignore lint/suspicious/noExplicitAny: fastify's own type depends on the type provider of the instance
  route(options: any): unknown;
}

export const textsOf = ({ summary, description, operationId }: Operation) => ({
  summary,
  ...(description !== undefined && { description }),
  ...(operationId !== undefined && { operationId }),
});

/** Adds the item routes of a record: GET, PUT with PATCH beside it, and DELETE. Every record with PUT can also be patched. */
export function recordRoutes<P extends TSchema, R extends TSchema, B extends TSchema, Q extends TSchema>(
  app: Routes,
  url: string,
  { tags, params, querystring, record, read, replace, remove }: RecordRoutes<P, R, B, Q>,
): void {
  const route = (method: string, operation: Operation, schema: object, handler: RouteOptions["handler"]) => {
    const input = { params, ...(querystring !== undefined && { querystring }) };
    app.route({
      method,
      url,
      config: { ...operation.config, versioned: true, writesRecord: true },
      schema: { ...textsOf(operation), tags, ...input, response: { 200: record }, ...schema },
      handler,
    });
  };
  const named = (request: FastifyRequest) => ({ params: request.params as Static<P>, query: request.query as Static<Q> });

  route("GET", read, {}, async (req, reply) => {
    const { params, query } = named(req);
    return versioned(reply, await req.read((ctx) => read.run(ctx, params, query)));
  });

  const answer = replace?.answer && { response: { 200: replace.answer } };
  const methods = replace?.methods ?? ["PUT", "PATCH"];
  if (replace && methods.includes("PUT")) {
    const description = [replace.ofPut, replace.description].filter((text) => text !== undefined).join(" ") || undefined;
    route("PUT", { ...replace, description } as typeof replace, { body: replace.body, ...answer }, async (req, reply) => {
      const { params, query } = named(req);
      return versioned(reply, await req.transact((ctx) => replace.run(ctx, params, req.body as Static<B>, query)));
    });
  }
  if (replace && methods.includes("PATCH")) {
    const { body, follows = {} } = replace;
    const operation = {
      ...replace,
      summary: replace.summary.replace(/^(Replace|Update|Set|Save)\b/, "Change"),
      operationId: replace.operationId?.replace(/^update/, "patch"),
    };
    const inTurn = createTurns();
    const accepted = [MERGE_PATCH, "application/json"];
    route("PATCH", operation as typeof replace, { body: patchSchema(body), consumes: accepted, ...answer }, async (req, reply) => {
      const { params, query } = named(req);
      const record = JSON.stringify([params, query]);
      // Patches of one record take turns: here, so that those that wait hold no connection, and in the database, for other nodes.
      const patchOnce = (holdsRealm: boolean) =>
        req.transact(async (ctx) => {
          await lockName(ctx.tx, "patch", ctx.realm, url, record);
          if (holdsRealm) await lockRealm(ctx.tx, ctx.realm);
          const current = await read.run(ctx, params, query);
          expectVersion(ctx, current.version);
          const merged = merge(req, reply, current as Record<string, unknown>, body, follows);
          // Optimistic locking: the save fails if the record has changed since the read.
          return replace.run({ ...ctx, ifMatch: etag(current.version) }, params, merged as Static<B>, query, Object.keys(req.body ?? {}));
        });
      return versioned(reply, await inTurn(record, () => untilUnchanged(req, patchOnce)));
    });
  }

  if (remove)
    route("DELETE", remove, { response: noContentAnswer("Deleted") }, async (req, reply) => {
      const { params, query } = named(req);
      await req.transact((ctx) => remove.run(ctx, params, query));
      return noContent(reply);
    });
}

/** Applies the patch to the record as GET shows it, and validates the result like the body of a PUT. */
function merge(
  request: FastifyRequest,
  reply: FastifyReply,
  current: Record<string, unknown>,
  body: TSchema,
  follows: Readonly<Record<string, string>>,
): unknown {
  const shown = JSON.parse(String(reply.serializeInput(current, "200")));
  const patch = request.body as Record<string, unknown>;
  const merged = mergePatch(shown, patch, body as unknown as Record<string, unknown>) as Record<string, unknown>;
  for (const [member, leader] of Object.entries(follows))
    if (!Object.hasOwn(patch, member) && merged[leader] !== shown[leader]) delete merged[member];
  const validate = request.compileValidationSchema(bodyReference(body), "body");
  if (!validate(merged)) throw Object.assign(new Error("invalid"), { validation: validate.errors, validationContext: "body" });
  return merged;
}

const references = new Map<string, { $ref: string }>();
/** Returns the same object each time, because compiled schemas are cached by it. */
function bodyReference(body: TSchema): { $ref: string } {
  const { $id } = body as { $id?: string };
  if (!$id) throw new Error("The schema of a record's full state needs a name");
  const known = references.get($id) ?? { $ref: `${$id}#` };
  references.set($id, known);
  return known;
}

/** The number of times that a PATCH is tried if concurrent changes win. */
const TRIES = 10;

/**
 * Repeats a patch that lost against a concurrent change, so that it is applied to the changed record. A caller that named the version which the patch must apply
 * to gets the error instead. A refusal of members that the patch does not name may come from something renamed since the read, such as a role of the user: the
 * patch is tried once more while the realm is held.
 */
async function untilUnchanged<T>(request: FastifyRequest, work: (holdsRealm: boolean) => Promise<T>): Promise<T> {
  const isConditional = (request.headers["if-match"] ?? "*").trim() !== "*";
  let holdsRealm = false;
  for (let tries = 1; ; tries++) {
    try {
      return await work(holdsRealm);
    } catch (error) {
      const isRenamed: boolean = !holdsRealm && concernsOthers(error, request.body);
      if (tries === TRIES || !(isRenamed || (isPreconditionFailed(error) && !isConditional))) throw error;
      holdsRealm ||= isRenamed;
    }
  }
}

/** Tells whether a refusal names only members that the patch leaves as they are. */
function concernsOthers(error: unknown, patch: unknown): boolean {
  if (!(error instanceof AppError) || error.status !== 400 || !error.errors?.length) return false;
  return error.errors.every(({ field }) => {
    let at: unknown = patch;
    for (const member of field.split(/[.[]/)) {
      if (typeof at !== "object" || at === null || Array.isArray(at)) return false;
      if (!Object.hasOwn(at, member)) return true;
      at = (at as Record<string, unknown>)[member];
    }
    return false;
  });
}
