import { AppError, type FieldError, invalidFields } from "../../kernel/errors.ts";
import { patternFault } from "../../kernel/pattern.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { findRole } from "../access/index.ts";
import { keepAttributesApart } from "../attribute-uses/index.ts";
import { findEntries, spellEntries } from "./entries.store.ts";
import { authzErrors, inUse } from "./errors.ts";
import { type PolicyConfig, type PolicyType, timeRanges, zoneOf } from "./evaluator/index.ts";
import type { AuthzPolicy, CreateAuthzPolicy, TypeMember, UpdateAuthzPolicy } from "./policies.schema.ts";
import * as store from "./policies.store.ts";
import { isWriting, mayViewUsers, modelChanged, openServer, takeServer } from "./service.ts";
import { countOf, type Server } from "./store.ts";

const MOST_POLICIES = 5_000;

type Versioned = AuthzPolicy & { readonly version: number };
type Spelled = string | { readonly name?: string; readonly path?: string; readonly required?: boolean; readonly extendChildren?: boolean };

const memberOf = { role: "roles", user: "users", client: "clients", group: "groups", "client-scope": "clientScopes" } as const;
const kindOf = (type: PolicyType): store.EntryKind | null => (type in memberOf ? (type as store.EntryKind) : null);

export async function searchPolicies(ctx: ReadCtx, id: string, query: ListQuery & { readonly type?: string }): Promise<Page<Versioned>> {
  const page = await store.listPolicies(ctx.tx, await openServer(ctx, id), query);
  return { ...page, rows: await spelled(ctx, page.rows) };
}

export async function readPolicy(ctx: ReadCtx, id: string, name: string): Promise<Versioned> {
  const server = await openServer(ctx, id);
  const [policy] = await spelled(ctx, [await policyNamed(ctx, server, name)]);
  return policy!;
}

async function policyNamed(ctx: ReadCtx, server: Server, name: string): Promise<store.StoredPolicy> {
  const policy = await store.findPolicy(ctx.tx, server, name);
  if (!policy) throw authzErrors.policy_not_found();
  return policy;
}

/** Replaces ids by names. Users stay ids for administrators who may not view users. */
export async function spelled(ctx: ReadCtx, policies: readonly store.StoredPolicy[]): Promise<Versioned[]> {
  const names = new Map<string, string>();
  for (const kind of Object.keys(memberOf) as store.EntryKind[]) {
    if (kind === "user" && !mayViewUsers(ctx)) continue;
    const ids = policies
      .filter(({ type }) => type === kind)
      .flatMap(({ entries }) => entries.flatMap(({ id }) => (id === null ? [] : [id])));
    for (const [id, name] of await spellEntries(ctx.tx, ctx.realm, kind, [...new Set(ids)])) names.set(id, name);
  }
  return policies.map(({ entries, config, ...policy }) => {
    const kind = kindOf(policy.type);
    const left = entries.filter(({ id }) => id !== null).map((entry) => ({ ...entry, id: names.get(entry.id!) ?? entry.id! }));
    return { ...policy, ...config, ...(kind && { [memberOf[kind]]: left.map((entry) => shown(kind, entry)) }) } as Versioned;
  });
}

function shown(kind: store.EntryKind, { id, required, extendChildren }: store.StoredEntry): unknown {
  if (kind === "role" || kind === "client-scope") return { name: id, required };
  return kind === "group" ? { path: id, extendChildren } : id;
}

/** The treatment of users that the realm does not have. Documents of other realms may name some, about whom the policy is undecided. */
type UnknownUsers = "refuse" | "lose";

export async function createPolicy(ctx: Ctx, id: string, input: CreateAuthzPolicy, unknown: UnknownUsers = "refuse"): Promise<Versioned> {
  const server = await takeServer(ctx, id);
  if ((await countOf(ctx.tx, server, "authz_policies")) >= MOST_POLICIES) throw authzErrors.too_many();
  const policy = await checkedPolicy(ctx, server, input, null, new Map(), unknown);
  await store.insertPolicy(ctx.tx, server, policy, ctx.now);
  await keepPolicyApart(ctx, policy);
  await modelChanged(ctx, server, "ADMIN_CREATE", `policy ${policy.name}`);
  return readPolicy(ctx, id, policy.name);
}

export async function savePolicy(
  ctx: Ctx,
  id: string,
  name: string,
  input: UpdateAuthzPolicy,
  unknown: UnknownUsers = "refuse",
): Promise<Versioned> {
  const server = await takeServer(ctx, id);
  const current = await policyNamed(ctx, server, name);
  if (input.type === "js") throw jsRefused();
  // Other policies and permissions name it, and mean this type of policy.
  refuseReadOnly(current, input, ["name", "type", "createdAt"]);
  expectVersion(ctx, current.version);
  const state = await checkedPolicy(ctx, server, { ...input, name, type: current.type }, current, new Map(), unknown);
  await store.updatePolicy(ctx.tx, server, state);
  await keepPolicyApart(ctx, state);
  await modelChanged(ctx, server, "ADMIN_UPDATE", `policy ${name}`);
  return readPolicy(ctx, id, name);
}

async function keepPolicyApart(ctx: Ctx, { type }: store.PolicyState): Promise<void> {
  if (type === "attribute" || type === "regex") await keepAttributesApart(ctx, type === "regex" ? "targetClaim" : "path");
}

export async function removePolicy(ctx: Ctx, id: string, name: string): Promise<void> {
  const server = await takeServer(ctx, id);
  const { version } = await policyNamed(ctx, server, name);
  expectVersion(ctx, version);
  const users = await store.policyUsers(ctx.tx, server, name);
  if (users.length > 0) throw inUse("this policy", "Permissions and policies", users);
  await store.deletePolicy(ctx.tx, server, name);
  await modelChanged(ctx, server, "ADMIN_DELETE", `policy ${name}`);
}

/** Checks the rules of every write. The dry runs of `evaluate`, which know further policies, call it too. */
export async function checkedPolicy(
  ctx: ReadCtx,
  server: Server,
  input: CreateAuthzPolicy,
  current: store.StoredPolicy | null,
  further: ReadonlyMap<string, readonly string[]> = new Map(),
  unknown: UnknownUsers = "refuse",
): Promise<store.PolicyState> {
  const { name, type, description = null, logic = "POSITIVE", decisionStrategy = "UNANIMOUS" } = input;
  if (type === "js") throw jsRefused();
  const config = configOf(input, type);
  if (type === "aggregate")
    refuseBadAggregate(name, config.policies ?? [], new Map([...(await store.aggregatesOf(ctx.tx, server)), ...further]));
  const kind = kindOf(type);
  const entries = kind === null ? [] : await resolved(ctx, kind, (input[memberOf[kind]] ?? []) as Spelled[], current, unknown);
  return { name, type, description, logic, decisionStrategy, config, entries };
}

const nameOf = (one: Spelled): string => (typeof one === "string" ? one : (one.name ?? one.path ?? ""));

async function resolved(
  ctx: ReadCtx,
  kind: store.EntryKind,
  named: readonly Spelled[],
  current: store.StoredPolicy | null,
  unknown: UnknownUsers,
): Promise<store.StoredEntry[]> {
  const field = memberOf[kind];
  const kept = new Set((current?.entries ?? []).map(({ id }) => id));
  const names = [...new Set(named.map(nameOf))];
  const found = kind === "role" ? await rolesNamed(ctx, field, names, [...kept]) : await findEntries(ctx.tx, ctx.realm, kind, names);
  // Without view-users, the caller must not learn whether a name exists.
  if (kind === "user" && !mayViewUsers(ctx) && named.some((one) => !kept.has(found.get(nameOf(one)) ?? "")))
    throw authzErrors.view_users_needed();
  const given = kind === "user" && unknown === "lose" ? named.filter((one) => found.has(nameOf(one))) : named;
  const errors = given
    .map(nameOf)
    .filter((name) => !found.has(name))
    .map((name) => ({
      field,
      code: `unknown_${kind.replace("-", "_")}`,
      message: `There is no ${kind.replace("-", " ")} “${name}” in this realm`,
    }));
  if (errors.length > 0) throw invalidFields(errors);
  const entries = new Map<string, store.StoredEntry>();
  for (const one of given) {
    const id = found.get(nameOf(one))!;
    const flags = typeof one === "string" ? {} : one;
    entries.set(id, { id, required: flags.required ?? false, extendChildren: flags.extendChildren ?? false });
  }
  const existing = isWriting(ctx) ? await store.shareEntries(ctx.tx, ctx.realm, kind, [...entries.keys()]) : entries;
  const deleted = given.map(nameOf).find((name) => !existing.has(found.get(name)!));
  if (deleted !== undefined) throw invalidFields([{ field, code: "deleted", message: `“${deleted}” was deleted just now` }]);
  const isLost = kind === "user" && (given.length < named.length || losesUsers([...entries.keys()], current));
  return [...entries.values(), ...(isLost ? [LOST] : [])];
}

const LOST: store.StoredEntry = { id: null, required: false, extendChildren: false };

/**
 * Tells whether the policy has lost users: it names nobody, or the users that were left before, so that a policy can be written as it was
 * read without a change.
 */
function losesUsers(ids: readonly string[], current: store.StoredPolicy | null): boolean {
  if (ids.length === 0) return true;
  const before = current?.entries.flatMap(({ id }) => id ?? []) ?? [];
  return before.length < (current?.entries.length ?? 0) && before.length === ids.length && ids.every((id) => before.includes(id));
}

/** Maps names of roles to ids. */
async function rolesNamed(
  ctx: ReadCtx,
  field: string,
  names: readonly string[],
  current: readonly (string | null)[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const errors: FieldError[] = [];
  for (const text of names) {
    const role = await findRole(ctx, { field, text, current });
    if (typeof role === "string") found.set(text, role);
    else errors.push(role);
  }
  if (errors.length > 0) throw invalidFields(errors);
  return found;
}

/** The maximum depth of aggregates. */
const MOST_DEEP = 10;

const timeMembers = ["timeZone", "notBefore", "notOnOrAfter", ...timeRanges, ...timeRanges.map((range) => `${range}End` as const)] as const;

/** The members of each type. A type accepts no other member. */
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

const jsRefused = () =>
  new AppError(
    "authz.js_refused",
    400,
    "Policies of type js are not supported: code of administrators does not run in the server. Use attribute, regex and aggregate policies instead",
    { errors: [{ field: "type", code: "js_refused", message: "type js is not supported: use attribute, regex or aggregate" }] },
  );

/** Refuses members that a policy of the type cannot have, lacks, or cannot use. Returns its configuration. */
function configOf(input: Omit<CreateAuthzPolicy, "type">, type: PolicyType): PolicyConfig {
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
        message: `There is no time zone “${input.timeZone}”. Send a name such as Europe/Oslo`,
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
      return [{ field: "valuePath", code: "ambiguous", message: "Send value or valuePath, not both" }];
    if (operator === "exists")
      return valuePath === undefined && (value === undefined || typeof value === "boolean")
        ? []
        : [{ field: "value", code: "boolean", message: "value of exists must be true or false" }];
    if (value === undefined && valuePath === undefined)
      return [{ field: "value", code: "required", message: "value or valuePath is needed" }];
    if (
      (operator === "lt" || operator === "gt") &&
      value !== undefined &&
      !Number.isFinite(Number(Array.isArray(value) ? Number.NaN : value))
    )
      return [{ field: "value", code: "number", message: `value of ${operator} must be a number` }];
    return [];
  },
};

/** Refuses aggregates that include themselves, are nested too deeply, or name policies that do not exist. `included` has the others. */
function refuseBadAggregate(name: string, policies: readonly string[], included: ReadonlyMap<string, readonly string[]>): void {
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
  // The aggregates above it became deeper too.
  for (const policy of all.keys()) if (depthOf(policy, []) > MOST_DEEP) refuse("too_deep", `Aggregates may be nested ${MOST_DEEP} deep`);
}
