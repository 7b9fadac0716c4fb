import { isObject } from "../../../kernel/json.ts";
import { type Attribute, commonAttributes, named, type Resource, type ResourceType, subAttribute } from "./attribute.ts";

/** An attribute of a resource type, by its full path. */
export interface AttributePath {
  /** The URN of the extension that it belongs to, or null for the core. */
  readonly extension: string | null;
  readonly attribute: Attribute;
  readonly sub: Attribute | null;
}

/** RFC 7644 §3.10: separates a name from the URN of its schema, and returns the extension of the URN. */
export function splitUrn(type: ResourceType, text: string): { extension: string | null; isQualified: boolean; name: string } {
  const lower = text.toLowerCase();
  for (const { id } of [type.schema, ...type.extensions])
    if (lower.startsWith(`${id.toLowerCase()}:`))
      return { extension: id === type.schema.id ? null : id, isQualified: true, name: text.slice(id.length + 1) };
  return { extension: null, isQualified: false, name: text };
}

/** Returns the extension whose whole URN is the text. */
export const extensionOf = (type: ResourceType, text: string): string | undefined =>
  type.extensions.find(({ id }) => id.toLowerCase() === text.toLowerCase())?.id;

/**
 * RFC 7644 §3.10: finds `userName`, `name.givenName` or the same after the URN of the schema. Provisioning clients also omit the URN of an
 * extension (`manager`), and no core attribute has such a name. Returns undefined if no schema has it.
 */
export function findAttribute(type: ResourceType, text: string): AttributePath | undefined {
  const { extension, isQualified, name } = splitUrn(type, text);
  const [first = "", second, ...rest] = name.split(".");
  if (rest.length > 0) return undefined;
  const inCore = () => {
    const attribute = named(type.schema.attributes, first) ?? named(commonAttributes, first);
    return attribute && { extension: null, attribute };
  };
  const inExtension = (urn: string | null) => {
    for (const schema of type.extensions) {
      const attribute = urn === null || urn === schema.id ? named(schema.attributes, first) : undefined;
      if (attribute) return { extension: schema.id, attribute };
    }
    return undefined;
  };
  const found = extension !== null ? inExtension(extension) : (inCore() ?? (isQualified ? undefined : inExtension(null)));
  if (!found || second === undefined) return found && { ...found, sub: null };
  const sub = subAttribute(found.attribute, second);
  return sub && { ...found, sub };
}

export const spell = ({ extension, attribute, sub }: AttributePath): string =>
  `${extension === null ? "" : `${extension}:`}${attribute.name}${sub ? `.${sub.name}` : ""}`;

/** Returns the value of an attribute in the resource, with its sub-attributes. */
export function valueAt(resource: Resource, { extension, attribute }: Pick<AttributePath, "extension" | "attribute">): unknown {
  const from = extension === null ? resource : resource[extension];
  return isObject(from) ? from[attribute.name] : undefined;
}
