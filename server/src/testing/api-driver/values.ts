import type { Schema } from "../../operations/api-docs/index.ts";
import { AWKWARD_TEXT, type Random } from "./random.ts";

/** Makes values of a schema, and values that do not fit it. */
export interface Values {
  /** Returns a value that fits the schema in lengths, types and names. `member` is its name, if it has one. */
  fitting(schema: Schema, member?: string): unknown;
  /** Returns such a value with a fault in it. */
  broken(schema: Schema): unknown;
}

export interface ValueSources {
  readonly random: Random;
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The values that members of that name had in earlier answers: ids of existing records, names that are taken. */
  known(member: string): readonly unknown[];
}

const MAX_DEPTH = 6;
const TEXT_OF_FORMAT: Readonly<Record<string, string>> = {
  uuid: "0197f1c4-6f2a-7c3e-9d5b-2f1e8a7b6c5d",
  email: "ada@example.com",
  uri: "https://app.example.com/callback",
  "date-time": "2026-01-02T03:04:05.000Z",
  date: "2026-01-02",
};

export function valuesOf({ random, schemas, known }: ValueSources): Values {
  const resolved = (schema: Schema): Schema => (schema.$ref ? resolved(schemas[schema.$ref.split("/").at(-1)!]!) : schema);

  function fitting(given: Schema, member = "", depth = 0): unknown {
    const schema = resolved(given);
    const { examples, enum: allowed, anyOf, oneOf, allOf, type } = schema as Schema & Record<string, Schema[] | undefined>;
    if ("const" in schema) return schema.const;
    if (allowed) return random.pick(allowed);
    const before = known(member);
    if (before.length > 0 && type === "string" && random.chance(0.4)) return random.pick(before);
    if (examples && examples.length > 0 && random.chance(0.5)) return varied(random.pick(examples));
    const alternatives = anyOf ?? oneOf;
    if (alternatives) return fitting(random.pick(alternatives), member, depth);
    if (allOf) return Object.assign({}, ...allOf.map((part) => fitting(part, member, depth)));
    const kind = Array.isArray(type) ? random.pick(type) : type;
    switch (kind) {
      case "object":
        return objectOf(schema, depth);
      case "array":
        return depth > MAX_DEPTH
          ? []
          : Array.from({ length: random.below(3) }, () => fitting((schema.items ?? {}) as Schema, member, depth + 1));
      case "string":
        return textOf(schema);
      case "integer":
      case "number":
        return numberOf(schema);
      case "boolean":
        return random.chance(0.5);
      case "null":
        return null;
      default:
        return random.pick([null, true, 1, "text", [], {}]);
    }
  }

  function objectOf({ properties = {}, required = [], additionalProperties }: Schema, depth: number): object {
    const isNeeded = (name: string) => (required as string[]).includes(name);
    const members = Object.entries(properties)
      .filter(([name]) => isNeeded(name) || (depth < MAX_DEPTH && random.chance(0.35)))
      .map(([name, schema]) => [name, fitting(schema, name, depth + 1)]);
    if (typeof additionalProperties === "object" && random.chance(0.3))
      members.push(["more", fitting(additionalProperties as Schema, "", depth + 1)]);
    return Object.fromEntries(members);
  }

  /** Returns an example with a name that is not taken yet, and half of the time with values of existing records. */
  function varied(example: unknown): unknown {
    if (typeof example !== "object" || example === null || Array.isArray(example)) return example;
    const isMixed = random.chance(0.5);
    return Object.fromEntries(
      Object.entries(example).map(([name, value]) => {
        const isName = typeof value === "string" && /name$|^alias$|^clientId$|^realm$/i.test(name) && /^[a-z0-9-]+$/i.test(value);
        if (isName && random.chance(0.8)) return [name, `${value}${random.below(1_000_000)}`];
        const before = typeof value === "string" && (isMixed || /(Id|_id|_secret)$/.test(name)) ? known(name) : [];
        return [name, before.length > 0 ? random.pick(before) : value];
      }),
    );
  }

  function textOf({ format, minLength = 0, maxLength = 40 }: Schema): string {
    if (typeof format === "string" && format in TEXT_OF_FORMAT) return TEXT_OF_FORMAT[format]!;
    const text = `${random.pick(["a", "shop", "ada", "order", "https://app.example.com/", "S3cure-enough-pass"])}${random.below(1_000_000)}`;
    return text.padEnd(minLength as number, "x").slice(0, maxLength as number);
  }

  function numberOf({ minimum = 0, maximum = 1_000 }: Schema): number {
    const [least, most] = [minimum as number, Math.min(maximum as number, (minimum as number) + 1_000)];
    return random.pick([least, most, Math.floor((least + most) / 2)]);
  }

  const wrongValues = () => random.pick<unknown>([null, true, -1, 1e308, 1.5, [], {}, [[]], { a: { b: {} } }, ...AWKWARD_TEXT]);

  function broken(schema: Schema): unknown {
    const value = fitting(schema);
    if (typeof value !== "object" || value === null || random.chance(0.1)) return wrongValues();
    const names = Object.keys(value);
    const name = names.length > 0 ? random.pick(names) : "";
    const copy = Array.isArray(value) ? [...value] : { ...value };
    const members = copy as Record<string, unknown>;
    const harm = random.below(4);
    if (harm === 0 && name !== "") delete members[name];
    else if (harm === 1 && !Array.isArray(copy))
      members[random.pick(["unknown", "__proto__ ", "id", "realmId", "constructor"])] = wrongValues();
    else if (name !== "") members[name] = nested(members[name]);
    else return wrongValues();
    return copy;
  }

  /** Puts a fault into the value, or in its place. */
  function nested(value: unknown): unknown {
    if (typeof value !== "object" || value === null || random.chance(0.4)) return wrongValues();
    const names = Object.keys(value);
    if (names.length === 0) return wrongValues();
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    const name = random.pick(names);
    copy[name] = nested(copy[name]);
    return copy;
  }

  return { fitting: (schema, member) => fitting(schema, member), broken };
}
