import { isObject } from "../../../kernel/json.ts";
import { loginKey } from "../../../kernel/text.ts";
import type { Attribute, Resource } from "../schema/attribute.ts";
import { type AttributePath, valueAt } from "../schema/paths.ts";
import { type Comparable, comparedAttribute, type Filter, type Operator } from "./parser.ts";

/** Tells whether a resource matches a filter. An attribute that it does not have matches only `ne` and `not`. */
export const matches = (filter: Filter, resource: Resource): boolean => matchesWith(filter, resource, new Map());

/** The texts of one resource and their folded forms: a filter has many terms about the same long text. */
type Folded = Map<string, string>;

function matchesWith(filter: Filter, resource: Resource, folded: Folded): boolean {
  const holdsFor = (part: Filter) => matchesWith(part, resource, folded);
  switch (filter.is) {
    case "and":
      return filter.parts.every(holdsFor);
    case "or":
      return filter.parts.some(holdsFor);
    case "not":
      return !holdsFor(filter.of);
    case "present":
      return valuesAt(resource, filter.path, false).some(isPresent);
    case "element":
      return listOf(valueAt(resource, filter.path)).some((each) => isObject(each) && matchesWith(filter.of, each, folded));
    case "compare":
      return compares(valuesAt(resource, filter.path, true), comparedAttribute(filter.path)!, filter.by, filter.value, folded);
  }
}

/** Returns the number of comparisons that a filter makes for each resource. */
export function termsOf(filter: Filter): number {
  switch (filter.is) {
    case "and":
    case "or":
      return filter.parts.reduce((sum, part) => sum + termsOf(part), 0);
    case "not":
    case "element":
      return termsOf(filter.of);
    default:
      return 1;
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

function compares(values: readonly unknown[], attribute: Attribute, by: Operator, wanted: Comparable, folded: Folded): boolean {
  if (wanted === null) return by === "eq" ? !values.some(isPresent) : values.some(isPresent);
  if (by === "ne") return !compares(values, attribute, "eq", wanted, folded);
  if (attribute.type === "boolean") return values.some((value) => value === wanted);
  const key = attribute.type === "dateTime" ? (value: unknown) => Date.parse(String(value)) : keyOf(attribute, folded);
  const wantedKey = key(wanted);
  return values.some((value) => holds(key(value), by, wantedKey));
}

/** Returns the form in which texts are compared, as for login names: letter case and Unicode form make no difference. */
const keyOf =
  ({ caseExact = false }: Attribute, folded: Folded) =>
  (value: unknown): string => {
    const text = String(value);
    if (caseExact) return text;
    const known = folded.get(text);
    if (known !== undefined) return known;
    const key = loginKey(text);
    folded.set(text, key);
    return key;
  };

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
