import type { TSchema } from "typebox";
import { isObject } from "../../kernel/json.ts";

type Json = Record<string, unknown>;

/**
 * Applies a patch (RFC 7396), with one addition for secrets. The record never shows them, so null has nothing to remove. A member that the schema calls
 * `writeOnly` therefore keeps its null, which a PUT takes for "clear it", and the member that says whether it is set is left out.
 */
export function mergePatch(target: unknown, patch: unknown, schema: Json = {}): unknown {
  if (!isObject(patch)) return patch;
  const merged: Json = isObject(target) ? { ...target } : {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const [name, value] of Object.entries(patch)) {
    const member = (Object.hasOwn(properties, name) ? properties[name] : {}) as Json;
    if (member.writeOnly === true) delete merged[`${name}Set`];
    if (value === null && member.writeOnly !== true) delete merged[name];
    else merged[name] = mergePatch(merged[name], value, member);
  }
  return merged;
}

/**
 * Returns the schema of a PATCH for a record that a PUT replaces by `schema`. It has the same members, all optional, without defaults (a member that is left
 * out is kept), and null for each member that a PUT may leave out.
 */
export function patchSchema(schema: TSchema): TSchema {
  const { $id, ...patch } = partial(schema as Json) as Json;
  const name = String($id).replace(/^(Update|Upsert|Save)?/, "Patch");
  return {
    ...patch,
    $id: name,
    description: "A merge patch (RFC 7396): omitted members are kept, and null returns a member to its default",
  } as TSchema;
}

function partial(schema: Json): Json {
  // `allOf` contains rules between members, which only the merged record can satisfy.
  const { default: _default, required = [], allOf: _rules, ...rest } = schema as Json & { required?: string[] };
  if (isObject(rest.properties)) {
    const members = Object.entries(rest.properties as Record<string, Json>).map(([name, member]) => {
      const canBeLeftOut = !required.includes(name) || member.default !== undefined;
      return [name, canBeLeftOut ? orNull(nested(member)) : nested(member)];
    });
    return { ...rest, properties: Object.fromEntries(members) };
  }
  if (isObject(rest.patternProperties)) {
    const values = Object.entries(rest.patternProperties as Record<string, Json>).map(([pattern, value]) => [
      pattern,
      orNull(nested(value)),
    ]);
    return { ...rest, patternProperties: Object.fromEntries(values) };
  }
  return rest;
}

/** Returns the partial copy of a member's schema, without the name of the complete one. Arrays are replaced, so their items stay complete. */
function nested(member: Json): Json {
  const { $id: _name, ...rest } = partial(member);
  if (!Array.isArray(rest.anyOf)) return rest;
  return { ...rest, anyOf: rest.anyOf.map((alternative) => nested(alternative as Json)) };
}

function orNull(schema: Json): Json {
  const alternatives = Array.isArray(schema.anyOf) ? (schema.anyOf as Json[]) : null;
  if (schema.type === "null" || alternatives?.some(({ type }) => type === "null")) return schema;
  const { description, ...rest } = schema;
  return { anyOf: [rest, { type: "null" }], ...(description !== undefined && { description }) };
}
