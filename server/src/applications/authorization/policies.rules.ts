import { AppError, type FieldError, invalidFields } from "../../kernel/errors.ts";
import { patternFault } from "../../kernel/pattern.ts";
import { type PolicyConfig, type PolicyType, timeRanges, zoneOf } from "./evaluator/index.ts";
import type { CreateAuthzPolicy, TypeMember } from "./policies.schema.ts";

/** The deepest chain of aggregates. */
const MOST_DEEP = 10;

const timeMembers = ["timeZone", "notBefore", "notOnOrAfter", ...timeRanges, ...timeRanges.map((range) => `${range}End` as const)] as const;

/** The members of each type: of all others, none is taken. */
const membersOf: Readonly<Record<PolicyType, readonly TypeMember[]>> = {
  role: ["roles"],
  user: ["users"],
  client: ["clients"],
  group: ["groups"],
  "client-scope": ["clientScopes"],
  time: timeMembers,
  regex: ["targetClaim", "pattern", "targetContextAttributes"],
  attribute: ["path", "operator", "value", "valuePath"],
  aggregate: ["policies"],
};
const needed: Readonly<Partial<Record<PolicyType, readonly TypeMember[]>>> = {
  role: ["roles"],
  user: ["users"],
  client: ["clients"],
  group: ["groups"],
  "client-scope": ["clientScopes"],
  regex: ["targetClaim", "pattern"],
  attribute: ["path", "operator"],
  aggregate: ["policies"],
};
const allMembers = Object.values(membersOf).flat();

export const jsRefused = () =>
  new AppError(
    "authz.js_refused",
    400,
    "Policies of type js are not supported: code of administrators does not run in the server. Use attribute, regex and aggregate policies instead",
    { errors: [{ field: "type", code: "js_refused", message: "type js is not supported: use attribute, regex and aggregate" }] },
  );

/** Refuses what a policy of the type cannot have, needs, or cannot use. Returns its configuration. */
export function configOf(input: Omit<CreateAuthzPolicy, "type">, type: PolicyType): PolicyConfig {
  const given = allMembers.filter((member) => input[member] !== undefined);
  const errors: FieldError[] = given
    .filter((member) => !membersOf[type].includes(member))
    .map((field) => ({ field, code: "other_type", message: `${field} is not for policies of type ${type}` }));
  for (const field of needed[type] ?? [])
    if (!given.includes(field)) errors.push({ field, code: "required", message: `${field} is needed in a policy of type ${type}` });
  if (errors.length === 0) errors.push(...(checks[type]?.(input) ?? []));
  if (errors.length > 0) throw invalidFields(errors);
  const own = ["role", "user", "client", "group", "client-scope"].includes(type) ? [] : membersOf[type];
  return Object.fromEntries(own.filter((member) => input[member] !== undefined).map((member) => [member, input[member]])) as PolicyConfig;
}

type Input = Omit<CreateAuthzPolicy, "type">;
const checks: Readonly<Partial<Record<PolicyType, (input: Input) => FieldError[]>>> = {
  time: (input) => {
    const errors: FieldError[] = [];
    if (timeMembers.every((member) => member === "timeZone" || input[member] === undefined))
      errors.push({ field: "notBefore", code: "required", message: "A time policy needs notBefore, notOnOrAfter or one of its ranges" });
    for (const range of timeRanges)
      if (input[`${range}End`] !== undefined && input[range] === undefined)
        errors.push({ field: range, code: "required", message: `${range}End needs ${range}` });
    if (input.year !== undefined && input.yearEnd !== undefined && input.yearEnd < input.year)
      errors.push({ field: "yearEnd", code: "range", message: "yearEnd is before year" });
    try {
      zoneOf(input.timeZone ?? "UTC");
    } catch {
      errors.push({
        field: "timeZone",
        code: "unknown_zone",
        message: `There is no time zone “${input.timeZone}”. It is named as in Europe/Oslo`,
      });
    }
    return errors;
  },
  regex: ({ pattern = "" }) => {
    const fault = patternFault(pattern);
    return fault === null ? [] : [{ field: "pattern", code: "pattern", message: `pattern ${fault}` }];
  },
  attribute: ({ operator, value, valuePath }) => {
    if (value !== undefined && valuePath !== undefined)
      return [{ field: "valuePath", code: "ambiguous", message: "Give value or valuePath, not both" }];
    if (operator === "exists")
      return valuePath === undefined && (value === undefined || typeof value === "boolean")
        ? []
        : [{ field: "value", code: "boolean", message: "value of exists is true or false" }];
    if (value === undefined && valuePath === undefined)
      return [{ field: "value", code: "required", message: "value or valuePath is needed" }];
    if (
      (operator === "lt" || operator === "gt") &&
      value !== undefined &&
      !Number.isFinite(Number(Array.isArray(value) ? Number.NaN : value))
    )
      return [{ field: "value", code: "number", message: `value of ${operator} is a number` }];
    return [];
  },
};

/** Refuses aggregates that include themselves, are nested too deeply, or name what is not there. `included` holds the others. */
export function refuseBadAggregate(name: string, policies: readonly string[], included: ReadonlyMap<string, readonly string[]>): void {
  const refuse = (code: string, message: string): never => {
    throw invalidFields([{ field: "policies", code, message }]);
  };
  const unknown = policies.find((each) => each !== name && !included.has(each));
  if (unknown !== undefined) refuse("unknown_policy", `The client has no policy “${unknown}”`);
  const all = new Map([...included, [name, policies]]);
  const depths = new Map<string, number>();
  const depthOf = (policy: string, above: readonly string[]): number => {
    if (above.includes(policy)) refuse("cycle", `The policies include each other: ${[...above, policy].join(" → ")}`);
    const known = depths.get(policy);
    if (known !== undefined) return known;
    if (above.length > MOST_DEEP) refuse("too_deep", `Aggregates may be nested ${MOST_DEEP} deep`);
    const below = all.get(policy) ?? [];
    const depth = below.length === 0 ? 0 : 1 + Math.max(...below.map((each) => depthOf(each, [...above, policy])));
    depths.set(policy, depth);
    return depth;
  };
  // The aggregates above it became deeper, too.
  for (const policy of all.keys()) if (depthOf(policy, []) > MOST_DEEP) refuse("too_deep", `Aggregates may be nested ${MOST_DEEP} deep`);
}
