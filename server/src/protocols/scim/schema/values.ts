import { isObject } from "../../../kernel/json.ts";
import { invalidValue } from "../errors.ts";
import { type Attribute, type Resource, subAttribute } from "./attribute.ts";

/** The limit of values of one multi-valued attribute of a user. */
export const MAX_ELEMENTS = 200;
/** The limit of members of a group in one request. */
const MAX_MEMBERS = 50_000;
const MAX_TEXT = 65_536;

/**
 * Normalises a value for its attribute. Returns undefined for one that unassigns it (RFC 7643 §2.5). Provisioning clients also send
 * booleans as text, a complex value as the text of its `value`, or a single value in a list. Unknown members are left out.
 */
export function normalise(attribute: Attribute, value: unknown, path: string): unknown {
  if (!attribute.multiValued) return single(attribute, Array.isArray(value) ? firstOf(value, path) : value, path);
  if (value === null || value === undefined) return undefined;
  const list = (Array.isArray(value) ? value : [value]).flatMap((each) => single(attribute, each, path) ?? []);
  const most = attribute.name === "members" ? MAX_MEMBERS : MAX_ELEMENTS;
  if (list.length > most) throw invalidValue(path, `has more than ${most} values`);
  return list.length === 0 ? undefined : list;
}

function firstOf(list: readonly unknown[], path: string): unknown {
  if (list.length > 1) throw invalidValue(path, "has one value, not several");
  return list[0];
}

/** Normalises a single value, or one element of a multi-valued attribute. */
export function single(attribute: Attribute, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return undefined;
  switch (attribute.type) {
    case "boolean":
      return booleanOf(value, path);
    case "complex":
      return complexOf(attribute, value, path);
    default:
      return textOf(value, path);
  }
}

function booleanOf(value: unknown, path: string): boolean {
  const text = typeof value === "boolean" || typeof value === "string" ? String(value).toLowerCase() : "";
  if (text !== "true" && text !== "false") throw invalidValue(path, "must be true or false");
  return text === "true";
}

function textOf(value: unknown, path: string): string {
  if (typeof value === "object") throw invalidValue(path, "must be a text");
  const text = String(value);
  if (text.length > MAX_TEXT) throw invalidValue(path, `is longer than ${MAX_TEXT} characters`);
  return text;
}

function complexOf(attribute: Attribute, value: unknown, path: string): Resource | undefined {
  const main = subAttribute(attribute, "value");
  if (!isObject(value)) {
    if (!main || typeof value === "object") throw invalidValue(path, "must be an object");
    return { value: textOf(value, path) };
  }
  const members: Resource = {};
  for (const [name, member] of Object.entries(value)) {
    const sub = subAttribute(attribute, name);
    // RFC 7644 §3.5.1: read-only members are ignored.
    if (!sub || sub.mutability === "readOnly") continue;
    const normal = normalise(sub, member, `${path}.${sub.name}`);
    if (normal !== undefined) members[sub.name] = normal;
  }
  return Object.keys(members).length === 0 ? undefined : members;
}
