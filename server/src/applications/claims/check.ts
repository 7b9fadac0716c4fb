import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { isTooDeep } from "../../kernel/json.ts";
import { didYouMean } from "../../kernel/suggest.ts";
import { claimPath, isFree } from "./path.ts";
import { choices, type MapperState } from "./schema.ts";

/** What a schema cannot say of a mapper. */
export function checkMapper(mapper: MapperState): void {
  const errors = [...claimErrors(mapper.claim), ...valueErrors(mapper)];
  if (errors.length > 0) throw invalidFields(errors);
}

/** The same where the value is not written as a claim. */
export function checkSource(mapper: MapperState): void {
  const errors = valueErrors(mapper);
  if (errors.length > 0) throw invalidFields(errors);
}

function claimErrors(claim: string): FieldError[] {
  const path = claimPath(claim);
  if (!path) {
    const message = "claim must be up to 8 names with a dot between them, none of them empty, __proto__, constructor or prototype";
    return [{ field: "claim", code: "format", message }];
  }
  if (isFree(path)) return [];
  return [{ field: "claim", code: "reserved", message: `claim: ${path[0]} is said by the protocol itself; choose another name` }];
}

function valueErrors({ source, value, type }: MapperState): FieldError[] {
  const refuse = (message: string): FieldError[] => [{ field: "value", code: "enum", message: `value: ${message}` }];
  if (source === "attribute") return value ? [] : refuse("name the user attribute");
  if (source === "constant") {
    if (value === null) return refuse("say what the constant is");
    return converts(value, type) ? [] : refuse(`this text is no ${type}`);
  }
  if (value === null) return [];
  if (source === "roles") {
    const known = ["realm", "client", "clients"].includes(value) || /^client:.+$/.test(value);
    return known ? [] : refuse("roles are `realm`, `client`, `clients` or `client:<client id>`");
  }
  const known: readonly string[] = choices[source];
  return known.includes(value) ? [] : refuse(`${source} knows ${known.join(", ")}.${didYouMean(value, known)}`);
}

const converts = (value: string, type: MapperState["type"]): boolean => convert(value, type) !== undefined;

/** A value as the type that the mapper asks for; undefined where it cannot be one. */
export function convert(value: string | number | boolean, type: MapperState["type"]): unknown {
  if (type === "string") return String(value);
  if (type === "json") return typeof value === "string" ? parsed(value) : value;
  if (typeof value === type) return value;
  const text = String(value).trim();
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  const number = text === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

function parsed(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text, (key, value) => (key === "__proto__" ? undefined : value));
  } catch {
    return undefined; // refused when configured; an attribute that is no JSON is left out
  }
}
