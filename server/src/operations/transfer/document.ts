import type { FastifySchemaValidationError } from "fastify";
import Type from "typebox";
import type { FieldError } from "../../kernel/errors.ts";
import { loginKey } from "../../kernel/text.ts";
import { buildValidator, toFieldErrors } from "../../platform/http/index.ts";
import { ordered } from "./compare.ts";
import { faulty, transferErrors } from "./errors.ts";
import { openSealing, type Sealing, type SealingHeader } from "./sealing.ts";
import type { Item, Section } from "./section.ts";
import { sections } from "./sections/index.ts";

export const DOCUMENT_SCHEMA = "gatehouse.realm/v1";

/** An item that a document asks for. */
export interface Wanted {
  readonly section: Section;
  readonly key: string;
  /** The path of the item in the document, which faults name. */
  readonly at: string;
  readonly item: Item;
}

/** A document whose items have the right form, with its secrets opened. */
export interface RealmDocument {
  /** The document's sections, including empty ones. */
  readonly sections: readonly Section[];
  readonly items: readonly Wanted[];
  /** Opens the secrets of its users, too. */
  readonly sealing: Sealing | null;
}

/** Members beside the sections. */
const HEAD = ["schema", "realm", "sealing", "users"];

export const normalKey = ({ ignoresCase = false }: Section, key: string): string => (ignoresCase ? loginKey(key) : key);

/** Numbers repeated keys if the section allows them: the second is `key#2`. */
export function numbered<T extends { readonly key: string }>(section: Section, list: readonly T[]): T[] {
  if (!section.repeats) return [...list];
  const seen = new Map<string, number>();
  return list.map((one) => {
    const count = (seen.get(one.key) ?? 0) + 1;
    seen.set(one.key, count);
    return count === 1 ? one : { ...one, key: `${one.key}#${count}` };
  });
}

/** Reads a whole document. Throws an error that names every fault of its form. */
export async function readDocument(value: unknown, passphrase: string | null): Promise<RealmDocument> {
  const body = objectOf(value, "body");
  const faults: FieldError[] = [];
  if (body.schema !== DOCUMENT_SCHEMA) faults.push(fault("schema", "schema", `schema must be ${DOCUMENT_SCHEMA}`));
  for (const member of Object.keys(body))
    if (!HEAD.includes(member) && !sections.some(({ name }) => name === member))
      faults.push(fault(member, "unknown", `${member} is not a known section: there are ${sections.map(({ name }) => name).join(", ")}`));
  if (faults.length > 0) throw faulty(faults);
  const sealing = await sealingOf(body, passphrase);
  const present = sections.filter(({ name }) => body[name] !== undefined);
  const items = present.flatMap((section) => readSection(section, body[section.name], sealing, faults));
  if (faults.length > 0) throw faulty(faults);
  return { sections: present, items, sealing };
}

const fault = (field: string, code: string, message: string): FieldError => ({ field, code, message });

function objectOf(value: unknown, field: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw faulty([fault(field, "type", `${field} must be an object`)]);
  return value as Record<string, unknown>;
}

async function sealingOf(body: Record<string, unknown>, passphrase: string | null): Promise<Sealing | null> {
  if (body.sealing === undefined) return null;
  const { salt, proof } = objectOf(body.sealing, "sealing");
  if (typeof salt !== "string" || typeof proof !== "string") throw faulty([fault("sealing", "type", "sealing must have salt and proof")]);
  if (passphrase === null) throw transferErrors.passphrase_needed();
  return openSealing(passphrase, { salt, proof } satisfies SealingHeader);
}

function readSection(section: Section, value: unknown, sealing: Sealing | null, faults: FieldError[]): Wanted[] {
  const { name, keyOf } = section;
  if (keyOf ? !Array.isArray(value) : typeof value !== "object" || value === null || Array.isArray(value)) {
    faults.push(fault(name, "type", `${name} must be ${keyOf ? "a list" : "an object"}`));
    return [];
  }
  const validate = validatorOf(section);
  const seen = new Set<string>();
  const read = ((keyOf ? value : [value]) as unknown[]).flatMap((given, at) => {
    const place = placeOf(section, keyGiven(section, given), at);
    const item = opened(structuredClone(given), place, sealing, faults);
    const wrong = validate(item);
    faults.push(...wrong.map((one) => ({ ...one, field: `${place}.${one.field}`, message: `${place}: ${one.message}` })));
    return wrong.length > 0 ? [] : [{ section, key: keyOf ? keyOf(item as Item) : "", at: place, item: ordered(item) as Item }];
  });
  const items = numbered(section, read);
  for (const { key, at } of items) {
    const normal = normalKey(section, key);
    if (seen.has(normal)) faults.push(fault(at, "duplicate", `${at} stands in the document twice`));
    seen.add(normal);
  }
  return items;
}

/** Returns the key of an item that was not validated yet, or an empty text if it has none. */
function keyGiven({ keyOf }: Section, given: unknown): string {
  if (!keyOf || typeof given !== "object" || given === null) return "";
  try {
    const key: unknown = keyOf(given as Item);
    return typeof key === "string" ? key : "";
  } catch {
    return "";
  }
}

/** The name of an item in faults and sealed secrets. */
export const placeOf = ({ name, keyOf }: Section, key: string, at = 0): string => (keyOf ? `${name}[${key.slice(0, 100) || at}]` : name);

type Validate = (item: unknown) => FieldError[];
const validators = new Map<Section, Validate>();

/** Returns the validator of a section. Each has its own, because schemas of different features have the same names. */
function validatorOf(section: Section): Validate {
  const known = validators.get(section);
  if (known) return known;
  const compiled = buildValidator({})({ schema: section.schema, httpPart: "body" }) as unknown as {
    (item: unknown): boolean;
    errors?: FastifySchemaValidationError[];
  };
  const validate: Validate = (item) => (compiled(item) ? [] : toFieldErrors(compiled.errors ?? [], "item"));
  validators.set(section, validate);
  return validate;
}

/** The placeholder that other programs write for a secret; it must not be saved as one. */
const MASK = /^\*{4,}$/;

/** Opens sealed secrets, and refuses masks. */
function opened(value: unknown, path: string, sealing: Sealing | null, faults: FieldError[]): unknown {
  if (typeof value === "string" && MASK.test(value))
    faults.push(fault(path, "mask", `${path} is a mask, not a value: leave it out to keep what the realm has`));
  if (Array.isArray(value)) return value.map((one, at) => opened(one, `${path}.${at}`, sealing, faults));
  if (typeof value !== "object" || value === null) return value;
  const { $sealed } = value as { $sealed?: unknown };
  if ($sealed !== undefined) {
    const plain = sealing && typeof $sealed === "string" ? sealing.open($sealed, path) : null;
    if (plain !== null) return plain;
    const why = sealing ? "was changed, or belongs to another place" : "is sealed, but the document does not say how (sealing)";
    faults.push(fault(path, "sealed", `${path} ${why}`));
    return undefined;
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, opened(member, `${path}.${name}`, sealing, faults)]));
}

/** The schema in the OpenAPI document. An item has the members of the feature's own POST. */
export const RealmDocumentSchema = Type.Unsafe<Record<string, unknown>>({
  $id: "RealmDocument",
  type: "object",
  required: ["schema"],
  properties: {
    schema: { type: "string", enum: [DOCUMENT_SCHEMA] },
    realm: { type: "string", description: "The realm of the export. An import uses the realm of its address instead" },
    sealing: { type: "object", description: "The encryption of secrets, if they are sealed", additionalProperties: { type: "string" } },
    users: {
      type: "array",
      items: { type: "object", additionalProperties: true },
      description: "The users, as rows of `POST /users/import`. They come last, and can be any number",
    },
    ...Object.fromEntries(
      sections.map(({ name, keyOf }) => [
        name,
        keyOf ? { type: "array", items: { type: "object", additionalProperties: true } } : { type: "object", additionalProperties: true },
      ]),
    ),
  },
  examples: [{ schema: DOCUMENT_SCHEMA, realm: "acme", roles: [{ name: "support" }] }],
});
