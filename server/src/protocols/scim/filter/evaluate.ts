import { isObject } from "../../../kernel/json.ts";
import { loginKey } from "../../../kernel/text.ts";
import type { Attribute, Resource } from "../schema/attribute.ts";
import { type AttributePath, valueAt } from "../schema/paths.ts";
import { type Comparable, comparedAttribute, type Filter, type Operator } from "./parser.ts";

/** Tells whether a resource matches a filter. An attribute that it does not have matches only `ne` and `not`. */
export function matches(filter: Filter, resource: Resource): boolean {
  switch (filter.is) {
    case "and":
      return filter.parts.every((part) => matches(part, resource));
    case "or":
      return filter.parts.some((part) => matches(part, resource));
    case "not":
      return !matches(filter.of, resource);
    case "present":
      return valuesAt(resource, filter.path, false).some(isPresent);
    case "element":
      return listOf(valueAt(resource, filter.path)).some((each) => isObject(each) && matches(filter.of, each));
    case "compare":
      return compares(valuesAt(resource, filter.path, true), comparedAttribute(filter.path)!, filter.by, filter.value);
  }
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

/** RFC 7644 §3.4.2.2: tells whether a value is present (`pr`), that is, not empty. */
const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(isObject(value) && Object.keys(value).length === 0);

/** Returns the values at a path. For a multi-valued attribute these are the values of every element. */
function valuesAt(resource: Resource, path: AttributePath, compared: boolean): readonly unknown[] {
  const values = listOf(valueAt(resource, path));
  const sub = compared ? (path.attribute.type === "complex" ? comparedAttribute(path) : null) : path.sub;
  return sub ? values.flatMap((each) => (isObject(each) ? listOf(each[sub.name]) : [])) : values;
}

function compares(values: readonly unknown[], attribute: Attribute, by: Operator, wanted: Comparable): boolean {
  if (wanted === null) return by === "eq" ? !values.some(isPresent) : values.some(isPresent);
  if (by === "ne") return !compares(values, attribute, "eq", wanted);
  if (attribute.type === "boolean") return values.some((value) => value === wanted);
  const key = attribute.type === "dateTime" ? (value: unknown) => Date.parse(String(value)) : keyOf(attribute);
  return values.some((value) => holds(key(value), by, key(wanted)));
}

/** Returns the form in which texts are compared, as for login names: letter case and Unicode form make no difference. */
const keyOf =
  ({ caseExact = false }: Attribute) =>
  (value: unknown): string =>
    caseExact ? String(value) : loginKey(String(value));

function holds(value: string | number, by: Operator, wanted: string | number): boolean {
  switch (by) {
    case "eq":
      return value === wanted;
    case "co":
      return String(value).includes(String(wanted));
    case "sw":
      return String(value).startsWith(String(wanted));
    case "ew":
      return String(value).endsWith(String(wanted));
    case "gt":
      return value > wanted;
    case "ge":
      return value >= wanted;
    case "lt":
      return value < wanted;
    default:
      return value <= wanted;
  }
}
