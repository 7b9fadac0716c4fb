/** RFC 7643 §2: the characteristics of an attribute, as `/Schemas` announces them. */
export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "dateTime" | "reference" | "complex" | "binary";
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly mutability: "readWrite" | "readOnly" | "writeOnly" | "immutable";
  readonly returned: "always" | "default" | "request" | "never";
  readonly uniqueness?: "none" | "server";
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

type Options = Partial<Omit<Attribute, "name" | "description">>;

const of =
  (type: Attribute["type"]) =>
  (name: string, description: string, options: Options = {}): Attribute => ({
    name,
    type,
    multiValued: false,
    description,
    required: false,
    ...(type === "string" && { caseExact: false }),
    ...((type === "reference" || type === "binary") && { caseExact: true }),
    mutability: "readWrite",
    returned: "default",
    ...(type !== "complex" && type !== "boolean" && { uniqueness: "none" }),
    ...options,
  });

export const string = of("string");
export const boolean = of("boolean");
export const dateTime = of("dateTime");
export const binary = of("binary");
export const reference = (name: string, description: string, types: readonly string[], options: Options = {}) =>
  of("reference")(name, description, { referenceTypes: types, ...options });
export const complex = (name: string, description: string, subAttributes: readonly Attribute[], options: Options = {}) =>
  of("complex")(name, description, { subAttributes, ...options });

/** RFC 7643 §2.4: makes a multi-valued attribute with the default sub-attributes. */
export const plural = (name: string, description: string, value: Attribute, types: readonly string[] = []) =>
  complex(
    name,
    description,
    [
      value,
      string("display", "A name for people"),
      string("type", "What it is used for", types.length > 0 ? { canonicalValues: types } : {}),
      boolean("primary", "Whether it is the preferred one; at most one is"),
    ],
    { multiValued: true },
  );

/** RFC 7643 §3.1: the attributes of every resource, which schemas do not list. */
export const commonAttributes: readonly Attribute[] = [
  string("id", "Assigned by the server", { caseExact: true, mutability: "readOnly", returned: "always", uniqueness: "server" }),
  string("externalId", "The id that the provisioning client has for it", { caseExact: true }),
  reference("schemas", "The schemas of the resource", ["uri"], { multiValued: true, mutability: "readOnly", returned: "always" }),
  complex(
    "meta",
    "About the resource",
    [
      string("resourceType", "Its type", { caseExact: true, mutability: "readOnly" }),
      dateTime("created", "When it was created", { mutability: "readOnly" }),
      dateTime("lastModified", "When it was changed last", { mutability: "readOnly" }),
      reference("location", "Its address", ["uri"], { mutability: "readOnly" }),
      string("version", "Its ETag", { caseExact: true, mutability: "readOnly" }),
    ],
    { mutability: "readOnly" },
  ),
];

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

export interface ResourceType {
  readonly name: "User" | "Group";
  readonly endpoint: "/Users" | "/Groups";
  readonly description: string;
  readonly schema: Schema;
  readonly extensions: readonly Schema[];
}

/** A resource, or a part of one that a client sent. Its members have the names of the schema. */
export type Resource = Record<string, unknown>;

/** RFC 7643 §2.1: finds an attribute by name, ignoring case. */
export const named = <T extends { readonly name: string }>(list: readonly T[], name: string): T | undefined => {
  const wanted = name.toLowerCase();
  return list.find((each) => each.name.toLowerCase() === wanted);
};

export const subAttribute = (attribute: Attribute, name: string): Attribute | undefined => named(attribute.subAttributes ?? [], name);
