import { invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { keepAttributesApart } from "../attribute-uses/index.ts";
import { findEntries, spellEntries } from "./entries.store.ts";
import { authzErrors, inUse } from "./errors.ts";
import type { PolicyType } from "./evaluator/index.ts";
import { configOf, jsRefused, refuseBadAggregate } from "./policies.rules.ts";
import type { AuthzPolicy, CreateAuthzPolicy, UpdateAuthzPolicy } from "./policies.schema.ts";
import {
  aggregatesOf,
  deletePolicy,
  type EntryKind,
  findPolicy,
  insertPolicy,
  listPolicies,
  type PolicyState,
  policyUsers,
  type StoredEntry,
  type StoredPolicy,
  shareEntries,
  updatePolicy,
} from "./policies.store.ts";
import { isWriting, mayViewUsers, modelChanged, openServer, takeServer } from "./service.ts";
import { countOf, type Server } from "./store.ts";

const MOST_POLICIES = 5_000;

type Versioned = AuthzPolicy & { readonly version: number };
type Spelled = string | { readonly name?: string; readonly path?: string; readonly required?: boolean; readonly extendChildren?: boolean };

const memberOf = { role: "roles", user: "users", client: "clients", group: "groups", "client-scope": "clientScopes" } as const;
const kindOf = (type: PolicyType): EntryKind | null => (type in memberOf ? (type as EntryKind) : null);

export async function searchPolicies(ctx: ReadCtx, id: string, query: ListQuery & { readonly type?: string }): Promise<Page<Versioned>> {
  const page = await listPolicies(ctx.tx, await openServer(ctx, id), query);
  return { ...page, rows: await spelled(ctx, page.rows) };
}

export async function readPolicy(ctx: ReadCtx, id: string, name: string): Promise<Versioned> {
  const server = await openServer(ctx, id);
  const [policy] = await spelled(ctx, [await policyNamed(ctx, server, name)]);
  return policy!;
}

async function policyNamed(ctx: ReadCtx, server: Server, name: string): Promise<StoredPolicy> {
  const policy = await findPolicy(ctx.tx, server, name);
  if (!policy) throw authzErrors.policy_not_found();
  return policy;
}

/** With names in the place of ids. Users stay ids for those who may not view users. */
export async function spelled(ctx: ReadCtx, policies: readonly StoredPolicy[]): Promise<Versioned[]> {
  const names = new Map<string, string>();
  for (const kind of Object.keys(memberOf) as EntryKind[]) {
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

function shown(kind: EntryKind, { id, required, extendChildren }: StoredEntry): unknown {
  if (kind === "role" || kind === "client-scope") return { name: id, required };
  return kind === "group" ? { path: id, extendChildren } : id;
}

/** The treatment of users that the realm does not have: documents of other realms may name some, and the policy is undecided about them. */
type UnknownUsers = "refuse" | "lose";

export async function createPolicy(ctx: Ctx, id: string, input: CreateAuthzPolicy, unknown: UnknownUsers = "refuse"): Promise<Versioned> {
  const server = await takeServer(ctx, id);
  if ((await countOf(ctx.tx, server, "authz_policies")) >= MOST_POLICIES) throw authzErrors.too_many();
  const policy = await checkedPolicy(ctx, server, input, null, new Map(), unknown);
  await insertPolicy(ctx.tx, server, policy, ctx.now);
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
  // Others name it, and mean this kind of policy.
  refuseReadOnly(current, input, ["name", "type", "createdAt"]);
  expectVersion(ctx, current.version);
  const state = await checkedPolicy(ctx, server, { ...input, name, type: current.type }, current, new Map(), unknown);
  await updatePolicy(ctx.tx, server, state);
  await keepPolicyApart(ctx, state);
  await modelChanged(ctx, server, "ADMIN_UPDATE", `policy ${name}`);
  return readPolicy(ctx, id, name);
}

async function keepPolicyApart(ctx: Ctx, { type }: PolicyState): Promise<void> {
  if (type === "attribute" || type === "regex") await keepAttributesApart(ctx, type === "regex" ? "targetClaim" : "path");
}

export async function removePolicy(ctx: Ctx, id: string, name: string): Promise<void> {
  const server = await takeServer(ctx, id);
  const { version } = await policyNamed(ctx, server, name);
  expectVersion(ctx, version);
  const users = await policyUsers(ctx.tx, server, name);
  if (users.length > 0) throw inUse("this policy", "Permissions and policies", users);
  await deletePolicy(ctx.tx, server, name);
  await modelChanged(ctx, server, "ADMIN_DELETE", `policy ${name}`);
}

/** Everything that a write must hold, also for the dry runs of `evaluate`, which know further policies. */
export async function checkedPolicy(
  ctx: ReadCtx,
  server: Server,
  input: CreateAuthzPolicy,
  current: StoredPolicy | null,
  further: ReadonlyMap<string, readonly string[]> = new Map(),
  unknown: UnknownUsers = "refuse",
): Promise<PolicyState> {
  const { name, type, description = null, logic = "POSITIVE", decisionStrategy = "UNANIMOUS" } = input;
  if (type === "js") throw jsRefused();
  const config = configOf(input, type);
  if (type === "aggregate") refuseBadAggregate(name, config.policies ?? [], new Map([...(await aggregatesOf(ctx.tx, server)), ...further]));
  const kind = kindOf(type);
  const entries = kind === null ? [] : await resolved(ctx, kind, (input[memberOf[kind]] ?? []) as Spelled[], current, unknown);
  return { name, type, description, logic, decisionStrategy, config, entries };
}

const nameOf = (one: Spelled): string => (typeof one === "string" ? one : (one.name ?? one.path ?? ""));

async function resolved(
  ctx: ReadCtx,
  kind: EntryKind,
  named: readonly Spelled[],
  current: StoredPolicy | null,
  unknown: UnknownUsers,
): Promise<StoredEntry[]> {
  const field = memberOf[kind];
  const kept = new Set((current?.entries ?? []).map(({ id }) => id));
  const found = await findEntries(ctx.tx, ctx.realm, kind, [...new Set(named.map(nameOf))]);
  // Without view-users, whether a name exists is not for them to see.
  if (kind === "user" && !mayViewUsers(ctx) && named.some((one) => !kept.has(found.get(nameOf(one)) ?? "")))
    throw authzErrors.view_users_needed();
  const given = kind === "user" && unknown === "lose" ? named.filter((one) => found.has(nameOf(one))) : named;
  const lost = given.length < named.length ? [{ id: null, required: false, extendChildren: false }] : [];
  const errors = given
    .map(nameOf)
    .filter((name) => !found.has(name))
    .map((name) => ({
      field,
      code: `unknown_${kind.replace("-", "_")}`,
      message: `There is no ${kind.replace("-", " ")} “${name}” in this realm`,
    }));
  if (errors.length > 0) throw invalidFields(errors);
  const entries = new Map<string, StoredEntry>();
  for (const one of given) {
    const id = found.get(nameOf(one))!;
    const flags = typeof one === "string" ? {} : one;
    entries.set(id, { id, required: flags.required ?? false, extendChildren: flags.extendChildren ?? false });
  }
  const existing = isWriting(ctx) ? await shareEntries(ctx.tx, ctx.realm, kind, [...entries.keys()]) : entries;
  const deleted = given.map(nameOf).find((name) => !existing.has(found.get(name)!));
  if (deleted !== undefined) throw invalidFields([{ field, code: "deleted", message: `“${deleted}” was deleted just now` }]);
  return [...entries.values(), ...lost];
}
