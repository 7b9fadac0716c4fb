import type { Draft, Schema } from "./schema.ts";

/** Returns the schema that applies to a draft: the parts that `allOf` adds for its values (`if` and `then`) replace the general ones. */
export function schemaFor(schema: Schema, draft: Draft): Schema {
  const added = (schema.allOf ?? []).flatMap((part) => (part.then && isTrue(part.if, draft) ? [part.then] : []));
  const properties = { ...schema.properties };
  for (const part of added)
    for (const [name, inner] of Object.entries(part.properties ?? {})) properties[name] = { ...properties[name], ...inner };
  return { ...schema, properties, required: [schema, ...added].flatMap(({ required }) => required ?? []) };
}

const isTrue = (condition: Schema | undefined, draft: Draft): boolean =>
  Object.entries(condition?.properties ?? {}).every(([name, inner]) => draft[name] === inner.const);
