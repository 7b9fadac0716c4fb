import type { FastifyInstance, FastifySchema } from "fastify";
import Type from "typebox";

/** A text that is one of `values`, as JSON Schema's `enum`. */
export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...options });

/** The keyword of texts that `isShownLine` accepts. */
export const SHOWN = "x-shown";

/** Invisible characters: controls, bidirectional marks, fillers, variation selectors, line separators, the Braille blank. */
const UNSEEN = "\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800";

const visible = (what: string, example: string) => ({
  minLength: 1,
  maxLength: 255,
  pattern: `^[^${UNSEEN}\\s]([^${UNSEEN}]*[^${UNSEEN}\\s])?$`,
  description: `${what} has no control or invisible characters and no space at either end`,
  examples: [example],
});

/** A display name of visible characters. */
export const visibleName = (what: string, example: string) => Type.String(visible(what, example));

/**
 * A line of text for people, such as a display name. Unlike the names of records it may have characters that join letters or select the shape of a sign. A
 * keyword of ours checks it in requests: a pattern would also be checked in answers, which may hold texts of older releases.
 */
export const shownText = (options: Type.TStringOptions = {}) =>
  Type.String({
    ...{ minLength: 1, maxLength: 255, description: "one line of visible text, without control, hidden and direction characters" },
    ...options,
    [SHOWN]: true,
  });

/** One line of text for machines and headers. Unlike `shownText` it may have hidden characters. */
export const lineText = (description: string, maxLength = 255) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$", description });

export const time = Type.Integer({ description: "A time in epoch milliseconds" });
export const creationTime = Type.Integer({ description: "The time of creation, in epoch milliseconds" });

/** Excludes `.` and `..`, which HTTP clients remove from a path, also if written as %2E: such a record would be out of reach, at another record's address. */
export const NO_DOT_SEGMENT = "(?!\\.{1,2}$)";

/** A name that is a segment of its record's path. The pattern begins with `^`. */
export const pathName = ({ pattern, description, ...options }: Type.TStringOptions & { pattern: string; description: string }) =>
  Type.String({ ...options, pattern: `^${NO_DOT_SEGMENT}${pattern.slice(1)}`, description: `${description}, and is neither . nor ..` });
export const visiblePathName = (what: string, example: string) => pathName(visible(what, example));

/** Returns a check by the schema for texts that no route has validated. */
export function fitsSchema(schema: Type.TString): (text: string) => boolean {
  const { pattern, maxLength } = schema as unknown as { readonly pattern: string; readonly maxLength: number };
  const expression = new RegExp(pattern, "u");
  return (text) => text.length > 0 && text.length <= maxLength && expression.test(text);
}

interface Schema {
  $id?: string;
  [keyword: string]: unknown;
}

/** Creates one store for the whole server. Fastify's own would copy every named schema for every plugin, which took a quarter of a start. */
export function schemaStore() {
  const named: Record<string, Schema> = {};
  return {
    add(schema: unknown) {
      const { $id } = schema as Schema;
      if (!$id) throw new Error("A shared schema needs a name");
      // Fastify adds the same schema again for every plugin.
      if (named[$id] !== undefined && named[$id] !== schema) throw new Error(`Two shared schemas are called ${$id}`);
      named[$id] = schema as Schema;
    },
    getSchema: (id: string) => named[id],
    getSchemas: (): Record<string, unknown> => named,
  };
}

/** Returns the named schemas that a schema refers to, directly or through others. */
export function referredTo(schema: unknown, named: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as { $ref?: unknown };
    const id = typeof $ref === "string" ? $ref.split("#", 1).join() : "";
    if (id !== "" && !(id in found) && id in named) {
      found[id] = named[id];
      visit(named[id]);
    }
    for (const member of Object.values(value)) visit(member);
  };
  visit(schema);
  return found;
}

/** A schema with references in place of named schemas, and these named schemas, the innermost first. */
interface Shared {
  readonly schema: unknown;
  readonly named: readonly Schema[];
}

/** These are kept for the process, which may start several servers with the same routes, as tests do. */
const sharedForms = new WeakMap<object, Shared>();

function sharedForm(value: unknown): Shared {
  if (typeof value !== "object" || value === null) return { schema: value, named: [] };
  const known = sharedForms.get(value);
  if (known) return known;
  const named = new Set<Schema>();
  const share = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(share);
    if (typeof part !== "object" || part === null) return part;
    if (part === value || !(part as Schema).$id)
      return Object.fromEntries(Object.entries(part).map(([keyword, member]) => [keyword, share(member)]));
    const inner = sharedForm(part);
    for (const one of inner.named) named.add(one);
    return inner.schema;
  };
  const members = share(value);
  const { $id } = value as Schema;
  const form = { schema: $id ? { $ref: `${$id}#` } : members, named: $id ? [...named, members as Schema] : [...named] };
  sharedForms.set(value, form);
  return form;
}

/** Replaces named schemas by references to shared components, so that OpenAPI says `User` instead of an inline copy. */
export function shareNamedSchemas(app: FastifyInstance): void {
  const share = (value: unknown): unknown => {
    const { schema, named } = sharedForm(value);
    for (const one of named) if (!app.getSchema(one.$id!)) app.addSchema(one);
    return schema;
  };

  app.addHook("onRoute", (route) => {
    if (!route.schema) return;
    const { body, response, querystring, params } = route.schema as FastifySchema & { response?: Record<string, unknown> };
    route.schema = {
      ...route.schema,
      ...(body !== undefined && { body: share(body) }),
      ...(querystring !== undefined && { querystring: inline(querystring) }),
      ...(params !== undefined && { params: inline(params) }),
      ...(response !== undefined && {
        response: Object.fromEntries(Object.entries(response).map(([status, schema]) => [status, share(schema)])),
      }),
    };
  });
}

/** Makes our own APIs answer an unknown query member with 400, also on routes without any. Protocol endpoints ignore unknown ones. */
export function refuseUnknownQuery(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { querystring = { type: "object", properties: {}, additionalProperties: false } } = route.schema ?? {};
    if ((querystring as Schema).additionalProperties !== false)
      throw new Error(`${route.method} ${route.url} ignores unknown query members`);
    route.schema = { ...route.schema, querystring };
  });
}

/** OpenAPI lists parameters one by one, so they are not replaced by a reference. */
const inline = (schema: unknown): unknown => {
  const { $id: _, ...rest } = schema as Schema;
  return rest;
};

/** The schema parts of pages: a page, a redirect, and a form field that may be missing. */
export const page = (description: string) => Type.String({ description });
export const redirect = (description: string) => Type.Null({ description });
export const field = (maxLength: number, description?: string) =>
  Type.Optional(Type.String({ maxLength, ...(description && { description }) }));
