import { boolean, element, octets, sequence } from "./ber.ts";

/** A search filter (RFC 4511 §4.5.1.7). Values are bytes that need no escaping, so nothing can be injected. */
export type Filter = FilterOf<Buffer>;

type Comparison = "equal" | "atLeast" | "atMost" | "approximately";

type FilterOf<V> =
  | { readonly kind: "and" | "or"; readonly filters: readonly FilterOf<V>[] }
  | { readonly kind: "not"; readonly filter: FilterOf<V> }
  | { readonly kind: "present"; readonly attribute: string }
  | { readonly kind: Comparison; readonly attribute: string; readonly value: V }
  | { readonly kind: "substrings"; readonly attribute: string; readonly parts: readonly V[] }
  | { readonly kind: "extensible"; readonly attribute: string; readonly rule: string; readonly dn: boolean; readonly value: V };

/** The placeholder of the user name in a template. */
export const PLACEHOLDER = "{0}";
/** The bytes of a value, with null for each placeholder. */
type Pieces = readonly (Buffer | null)[];

export interface FilterTemplate {
  /** Returns the filter for one name, which is inserted into the parsed filter as bytes. */
  of(name: string): Filter;
  /** The filter for every name. Null if the name is in a comparison that has no "any value". */
  readonly all: Filter | null;
  readonly hasPlaceholder: boolean;
}

export class FilterSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FilterSyntaxError";
  }
}

const MAX_LENGTH = 4_096;
const MAX_DEPTH = 20;
// RFC 4512 §1.4: a name or an object identifier, followed by options.
const ATTRIBUTE = /^(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)+)(?:;[a-z0-9-]+)*$/i;

/** Tells whether an attribute may be requested by this name, such as `mail` or `2.5.4.4`. */
export const isAttributeName = (written: string): boolean => written.length <= 128 && ATTRIBUTE.test(written);

export const equals = (attribute: string, value: Buffer | string): Filter => ({
  kind: "equal",
  attribute,
  value: Buffer.from(value as string),
});
export const present = (attribute: string): Filter => ({ kind: "present", attribute });
export const atLeast = (attribute: string, value: string): Filter => ({ kind: "atLeast", attribute, value: Buffer.from(value) });
export const allOf = (...filters: readonly Filter[]): Filter => ({ kind: "and", filters });
export const anyOf = (...filters: readonly Filter[]): Filter => ({ kind: "or", filters });
/** Returns a comparison by a matching rule of the directory's own, such as AD's "in chain". */
export const matches = (attribute: string, rule: string, value: string): Filter => ({
  kind: "extensible",
  attribute,
  rule,
  dn: false,
  value: Buffer.from(value),
});

/** Parses a filter in the notation of RFC 4515. */
export function parseFilter(written: string): Filter {
  return mapped(parsed(written), (pieces) =>
    Buffer.from(pieces.map((piece) => piece?.toString("latin1") ?? PLACEHOLDER).join(""), "latin1"),
  );
}

/** Parses a filter in which `{0}` stands for the user name. The placeholder may be in values only. */
export function parseTemplate(written: string): FilterTemplate {
  const template = parsed(written);
  return {
    of(name) {
      const bytes = Buffer.from(name, "utf8");
      return mapped(template, (pieces) => Buffer.concat(pieces.map((piece) => piece ?? bytes)));
    },
    all: everyName(template),
    hasPlaceholder: hasPlaceholder(template),
  };
}

function parsed(written: string): FilterOf<Pieces> {
  if (written.length > MAX_LENGTH) throw new FilterSyntaxError(`A filter has at most ${MAX_LENGTH} characters.`);
  const reading = { written, at: 0 };
  const filter = readFilter(reading, 0);
  if (reading.at !== written.length) throw new FilterSyntaxError(`The filter ends at position ${reading.at}, but more follows.`);
  return filter;
}

interface Reading {
  readonly written: string;
  at: number;
}

function take(reading: Reading, character: string): void {
  if (reading.written[reading.at] !== character) throw new FilterSyntaxError(`Expected "${character}" at position ${reading.at}.`);
  reading.at++;
}

function readFilter(reading: Reading, depth: number): FilterOf<Pieces> {
  if (depth > MAX_DEPTH) throw new FilterSyntaxError(`A filter is at most ${MAX_DEPTH} levels deep.`);
  take(reading, "(");
  const filter = readComponent(reading, depth);
  take(reading, ")");
  return filter;
}

function readComponent(reading: Reading, depth: number): FilterOf<Pieces> {
  const sign = reading.written[reading.at];
  if (sign === "!") {
    reading.at++;
    return { kind: "not", filter: readFilter(reading, depth + 1) };
  }
  if (sign !== "&" && sign !== "|") return readItem(reading);
  reading.at++;
  const filters: FilterOf<Pieces>[] = [];
  while (reading.written[reading.at] === "(") filters.push(readFilter(reading, depth + 1));
  // RFC 4526 gives "(&)" and "(|)" a meaning that not every directory supports.
  if (filters.length === 0) throw new FilterSyntaxError(`"${sign}" needs a filter at position ${reading.at}.`);
  return { kind: sign === "&" ? "and" : "or", filters };
}

const COMPARISONS: Record<string, Comparison> = { ">": "atLeast", "<": "atMost", "~": "approximately" };

function readItem(reading: Reading): FilterOf<Pieces> {
  const start = reading.at;
  const end = nextOf(reading, "()");
  const item = reading.written.slice(start, end);
  const equal = item.indexOf("=");
  if (equal < 1) throw new FilterSyntaxError(`Expected a comparison such as (uid=…) at position ${start}.`);
  const before = item[equal - 1]!;
  const written = item.slice(equal + 1);
  reading.at = end;
  if (before === ":") return extensible(item.slice(0, equal - 1), unescaped(written, start));
  const kind = COMPARISONS[before];
  const attribute = named(item.slice(0, kind ? equal - 1 : equal), start);
  if (kind) return { kind, attribute, value: unescaped(written, start) };
  if (written === "*") return { kind: "present", attribute };
  const parts = written.split("*");
  if (parts.length === 1) return { kind: "equal", attribute, value: unescaped(written, start) };
  if (parts.slice(1, -1).includes("")) throw new FilterSyntaxError(`Two "*" follow each other at position ${start}.`);
  return { kind: "substrings", attribute, parts: parts.map((part) => unescaped(part, start)) };
}

function nextOf(reading: Reading, characters: string): number {
  let at = reading.at;
  while (at < reading.written.length && !characters.includes(reading.written[at]!)) at++;
  return at;
}

function named(written: string, at: number): string {
  if (!isAttributeName(written)) throw new FilterSyntaxError(`Position ${at} does not name an attribute.`);
  return written;
}

/** Reads `attribute:dn:rule:=value`, in which at least the attribute or the rule is given. */
function extensible(written: string, value: Pieces): FilterOf<Pieces> {
  const [attribute = "", ...rest] = written.split(":");
  const dn = rest[0]?.toLowerCase() === "dn";
  const rules = dn ? rest.slice(1) : rest;
  const rule = rules[0] ?? "";
  const isWell = (name: string) => name === "" || isAttributeName(name);
  if (rules.length > 1 || !isWell(attribute) || !isWell(rule) || (attribute === "" && rule === "")) {
    throw new FilterSyntaxError(`"${written}:=" is not a comparison by a matching rule.`);
  }
  return { kind: "extensible", attribute, rule, dn, value };
}

/** Returns the bytes of a value that is escaped by RFC 4515 §3, with null for each placeholder. */
function unescaped(written: string, at: number): Pieces {
  if (/[*\0]/.test(written)) throw new FilterSyntaxError(`A value at position ${at} has a character that must be escaped.`);
  if (/\\(?![0-9a-f]{2})/i.test(written)) throw new FilterSyntaxError(`"\\" is followed by two hexadecimal digits, at position ${at}.`);
  const bytes = (text: string) =>
    Buffer.concat(
      text.split(/(\\[0-9a-f]{2})/i).map((part) => (part.startsWith("\\") ? Buffer.from(part.slice(1), "hex") : Buffer.from(part, "utf8"))),
    );
  return written.split(PLACEHOLDER).flatMap((part, i) => (i === 0 ? [bytes(part)] : [null, bytes(part)]));
}

function mapped<V, W>(filter: FilterOf<V>, change: (value: V) => W): FilterOf<W> {
  switch (filter.kind) {
    case "and":
    case "or":
      return { kind: filter.kind, filters: filter.filters.map((inner) => mapped(inner, change)) };
    case "not":
      return { kind: "not", filter: mapped(filter.filter, change) };
    case "present":
      return filter;
    case "substrings":
      return { ...filter, parts: filter.parts.map(change) };
    default:
      return { ...filter, value: change(filter.value) };
  }
}

const holed = (pieces: Pieces): boolean => pieces.includes(null);

function hasPlaceholder(filter: FilterOf<Pieces>): boolean {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.filters.some(hasPlaceholder);
    case "not":
      return hasPlaceholder(filter.filter);
    case "present":
      return false;
    case "substrings":
      return filter.parts.some(holed);
    default:
      return holed(filter.value);
  }
}

/** Replaces the name by "any value". Returns null for a template with the name below "not": there, "any value" would exclude every entry. */
function everyName(filter: FilterOf<Pieces>): Filter | null {
  switch (filter.kind) {
    case "and":
    case "or": {
      const filters = filter.filters.map(everyName);
      return filters.includes(null) ? null : { kind: filter.kind, filters: filters as Filter[] };
    }
    case "present":
      return filter;
    case "equal":
      return withAny(filter.attribute, [filter.value]);
    case "substrings":
      return withAny(filter.attribute, filter.parts);
    default:
      return hasPlaceholder(filter) ? null : mapped(filter, (pieces) => Buffer.concat(pieces.map((piece) => piece ?? Buffer.alloc(0))));
  }
}

function withAny(attribute: string, values: readonly Pieces[]): Filter {
  const parts: Buffer[] = [];
  for (const value of values) {
    let current: Buffer = Buffer.alloc(0);
    for (const piece of value) {
      if (piece === null) {
        parts.push(current);
        current = Buffer.alloc(0);
      } else current = Buffer.concat([current, piece]);
    }
    parts.push(current);
  }
  if (parts.length === 1) return { kind: "equal", attribute, value: parts[0]! };
  // Two adjacent "any" are one.
  const kept = parts.filter((part, i) => part.length > 0 || i === 0 || i === parts.length - 1);
  return kept.every((part) => part.length === 0) ? { kind: "present", attribute } : { kind: "substrings", attribute, parts: kept };
}

const CHOICE = {
  and: 0xa0,
  or: 0xa1,
  not: 0xa2,
  equal: 0xa3,
  substrings: 0xa4,
  atLeast: 0xa5,
  atMost: 0xa6,
  present: 0x87,
  approximately: 0xa8,
  extensible: 0xa9,
} as const;

/** Encodes a filter as it is sent. */
export function encodeFilter(filter: Filter): Buffer {
  const tag = CHOICE[filter.kind];
  switch (filter.kind) {
    case "and":
    case "or":
      return element(tag, ...filter.filters.map(encodeFilter));
    case "not":
      return element(tag, encodeFilter(filter.filter));
    case "present":
      return element(tag, filter.attribute);
    case "substrings": {
      const last = filter.parts.length - 1;
      const parts = filter.parts.flatMap((part, i) =>
        part.length === 0 ? [] : [element(i === 0 ? 0x80 : i === last ? 0x82 : 0x81, part)],
      );
      return element(tag, octets(filter.attribute), sequence(...parts));
    }
    case "extensible":
      return element(
        tag,
        ...(filter.rule === "" ? [] : [element(0x81, filter.rule)]),
        ...(filter.attribute === "" ? [] : [element(0x82, filter.attribute)]),
        element(0x83, filter.value),
        ...(filter.dn ? [element(0x84, boolean(true).subarray(2))] : []),
      );
    default:
      return element(tag, octets(filter.attribute), octets(filter.value));
  }
}
