import { type Verdict, verdictOf } from "./verdict.ts";

export const operators = ["eq", "ne", "in", "exists", "lt", "gt"] as const;

export interface AttributeConfig {
  /** A path with dots, below `user`, `client`, `token`, `resource` or `request`. */
  readonly path: string;
  readonly operator: (typeof operators)[number];
  readonly value?: unknown;
  /** Used instead of `value`: the path whose value is compared. */
  readonly valuePath?: string;
}

/** The data that paths are read from. Pushed data is below `request` only, so that it cannot replace data of the server. */
export interface Facts {
  readonly user: Readonly<Record<string, unknown>> | null;
  readonly client: Readonly<Record<string, unknown>> | null;
  readonly token: Readonly<Record<string, unknown>> | null;
  readonly resource: Readonly<Record<string, unknown>> | null;
  readonly request: Readonly<Record<string, unknown>>;
}

export const roots: readonly string[] = ["user", "client", "token", "resource", "request"] satisfies (keyof Facts)[];

export const PATH = "^(user|client|token|resource|request)(\\.[^.]{1,128}){1,8}$";

/** Returns the value at the path, or undefined if there is none. A name may contain a dot if no shorter name matches. */
export function factAt(facts: Facts, path: string): unknown {
  const names = path.split(".");
  let at: unknown = facts;
  for (const [index, name] of names.entries()) {
    if (typeof at !== "object" || at === null || Array.isArray(at)) return undefined;
    if (!Object.hasOwn(at, name)) {
      const rest = names.slice(index).join(".");
      return Object.hasOwn(at, rest) ? (at as Record<string, unknown>)[rest] : undefined;
    }
    at = (at as Record<string, unknown>)[name];
  }
  return at ?? undefined;
}

const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
/** Returns a list of values, of which each may match. Returns null for any other value. */
function scalars(value: unknown): readonly string[] | null {
  const values = Array.isArray(value) ? value : [value];
  return values.length > 0 && values.every(isScalar) ? values.map(String) : null;
}

/** Compares the attribute. A value that is absent, or not of the type that the comparison needs, is UNKNOWN. */
export function attributeVerdict({ path, operator, value, valuePath }: AttributeConfig, facts: Facts): Verdict {
  const found = factAt(facts, path);
  if (operator === "exists") return verdictOf((found !== undefined) === (value !== false));
  const [left, right] = [scalars(found), scalars(valuePath === undefined ? value : factAt(facts, valuePath))];
  if (left === null || right === null) return "UNKNOWN";
  switch (operator) {
    case "eq":
    case "in":
      return verdictOf(left.some((each) => right.includes(each)));
    case "ne":
      return verdictOf(!left.some((each) => right.includes(each)));
    default:
      return compareNumbers(left, operator, right);
  }
}

function compareNumbers(left: readonly string[], operator: "lt" | "gt", right: readonly string[]): Verdict {
  const numbers = [...left, ...right].map((text) => (text.trim() === "" ? Number.NaN : Number(text)));
  const [one, other] = numbers;
  if (numbers.length !== 2 || !numbers.every(Number.isFinite)) return "UNKNOWN";
  return verdictOf(operator === "lt" ? one! < other! : one! > other!);
}
