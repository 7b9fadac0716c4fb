import { scimError } from "../errors.ts";
import { type Filter, parseValueFilter } from "../filter/parser.ts";
import { type Attribute, type ResourceType, subAttribute } from "../schema/attribute.ts";
import { extensionOf, findAttribute, splitUrn } from "../schema/paths.ts";

/** The target of an operation (RFC 7644 §3.5.2). */
export type Target =
  | { readonly is: "extension"; readonly extension: string }
  | {
      readonly is: "attribute";
      readonly extension: string | null;
      readonly attribute: Attribute;
      /** The filter for elements of a multi-valued attribute, or null for all of it. */
      readonly filter: Filter | null;
      readonly sub: Attribute | null;
      /** The client's text, for messages. */
      readonly path: string;
    };
export type AttributeTarget = Extract<Target, { is: "attribute" }>;

export const invalidPath = (message: string) => scimError("invalidPath", message);

/** RFC 7644 figure 7: finds `attr`, `attr.sub`, `attr[filter]` or `attr[filter].sub`, with a URN or without. Undefined if unknown. */
export function findTarget(type: ResourceType, path: string): Target | undefined {
  const extension = extensionOf(type, path);
  if (extension !== undefined) return { is: "extension", extension };
  const bracket = path.indexOf("[");
  if (bracket === -1) {
    const found = findAttribute(type, path);
    return found && { is: "attribute", ...found, filter: null, path };
  }
  const found = findAttribute(type, path.slice(0, bracket));
  if (!found) return undefined;
  const { attribute } = found;
  const close = path.lastIndexOf("]");
  if (close < bracket || found.sub || !attribute.subAttributes || !attribute.multiValued)
    throw invalidPath(`${path}: a filter in brackets is for the elements of a multi-valued attribute`);
  const filter = parseValueFilter(attribute, path.slice(bracket + 1, close));
  const behind = path.slice(close + 1);
  if (behind === "") return { is: "attribute", ...found, filter, path };
  const sub = behind.startsWith(".") ? subAttribute(attribute, behind.slice(1)) : undefined;
  return sub && { is: "attribute", ...found, filter, sub, path };
}

/** Parses a path. Refuses one that no schema has. */
export function parsePath(type: ResourceType, path: unknown): Target {
  if (typeof path !== "string" || path.trim() === "") throw invalidPath("path must be a text");
  const text = path.trim();
  const target = findTarget(type, text);
  if (!target) throw invalidPath(`${splitUrn(type, text).name}: there is no such attribute`);
  return target;
}
