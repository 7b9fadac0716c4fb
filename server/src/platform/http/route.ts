import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from "fastify";
import type { Static, TSchema } from "typebox";
import type { Ctx, ReadCtx } from "../context.ts";
import type { Operation, Routes } from "./records.ts";
import { noContent, noContentAnswer } from "./replies.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The members of a route that are its schema. */
const SCHEMA = new Set([
  ...["operationId", "summary", "description", "tags", "hide", "consumes", "produces"],
  ...["params", "querystring", "body", "response"],
]);

/** The options of fastify that a route may have. Fastify ignores an option that it does not know, so `route` refuses any other name. */
const OPTIONS = [
  ...(["config", "bodyLimit", "attachValidation", "validatorCompiler", "serializerCompiler"] as const),
  ...(["preHandler", "exposeHeadRoute", "prefixTrailingSlash", "logLevel"] as const),
] as const;
type Options = Pick<RouteShorthandOptions, (typeof OPTIONS)[number]>;
const known: ReadonlySet<string> = new Set(OPTIONS);

/** A request whose parts fit the schemas of its route. */
type RequestOf<P extends TSchema, Q extends TSchema, B extends TSchema> = FastifyRequest<{
  Params: Static<P>;
  Querystring: Static<Q>;
  Body: Static<B>;
}>;

interface RouteInput<P extends TSchema, Q extends TSchema, B extends TSchema> extends Partial<Omit<Operation, "config">>, Options {
  readonly tags?: readonly string[];
  /** True for a route that the API's description leaves out. */
  readonly hide?: boolean;
  readonly params?: P;
  readonly querystring?: Q;
  readonly body?: B;
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
}

type Responses = Readonly<Record<string, TSchema>>;
type Sent<R extends Responses> = { [Status in keyof R]: Static<R[Status]> }[keyof R] | FastifyReply;

interface Route<P extends TSchema, Q extends TSchema, B extends TSchema, R extends Responses> extends RouteInput<P, Q, B> {
  readonly response?: R;
  handler(request: RequestOf<P, Q, B>, reply: FastifyReply): Sent<R> | Promise<Sent<R>>;
}

/** Adds a route that is declared in one object: its texts, schemas, config and handler. */
export function route<P extends TSchema, Q extends TSchema, B extends TSchema, R extends Responses>(
  app: Routes,
  method: Method,
  url: string,
  { handler, ...declared }: Route<P, Q, B, R>,
): void {
  const members = Object.entries(declared);
  const schema = Object.fromEntries(members.filter(([name]) => SCHEMA.has(name)));
  const options = Object.fromEntries(members.filter(([name]) => !SCHEMA.has(name)));
  // TypeScript accepts any name in an object that is spread into the declaration.
  const unknown = Object.keys(options).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`${method} ${url}: a route has no option ${unknown.join(", ")}`);
  app.route({ ...options, method, url, schema, handler });
}

interface CallRoute<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema> extends RouteInput<P, Q, B> {
  /** The schema of what the call returns, which is sent with 200. */
  readonly answer?: A;
  /** Describes the 204 that a route without `answer` sends. The default is `Done`. */
  readonly done?: string;
  /** Further responses, if the errors have another form than problem+json. */
  readonly refusals?: Responses;
  /** The call, for a route that only reads. */
  read?(ctx: ReadCtx, request: RequestOf<P, Q, B>): Promise<Static<A>>;
  /** The call, for a route that writes or leaves an event. */
  transact?(ctx: Ctx, request: RequestOf<P, Q, B>): Promise<Static<A>>;
}

/** Adds a route that makes one call of a service and sends its result. */
export function callRoute<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema>(
  app: Routes,
  method: Method,
  url: string,
  { answer, done, refusals, read, transact, ...input }: CallRoute<P, Q, B, A>,
): void {
  if ((read === undefined) === (transact === undefined))
    throw new Error(`${method} ${url}: the route needs a call, by read or by transact`);
  route(app, method, url, {
    ...input,
    response: { ...(answer ? { 200: answer } : noContentAnswer(done)), ...refusals },
    handler: async (request: RequestOf<P, Q, B>, reply) => {
      const result = read ? await request.read((ctx) => read(ctx, request)) : await request.transact((ctx) => transact!(ctx, request));
      return answer ? result : noContent(reply);
    },
  } as Route<P, Q, B, Responses>);
}
