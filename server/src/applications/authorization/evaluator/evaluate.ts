import { newEffort, type PatternEffort } from "../../../kernel/pattern.ts";
import type { Model, PermissionModel } from "./model.ts";
import { createDecider, type PolicyResult, type Situation, type Subject } from "./policies.ts";
import { combine, type Strategy, type Verdict } from "./verdict.ts";

export interface EvaluatedResource {
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
  readonly scopes: readonly string[];
  /** The id of a user. Null if the resource server itself is the owner. */
  readonly ownerId: string | null;
  readonly ownerManagedAccess: boolean;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** The scopes that the owner shared, by the user's id. An empty text is the resource itself, if it has no scopes. */
  readonly shares: ReadonlyMap<string, readonly string[]>;
}

/** The object of one evaluation: a resource, or scopes alone. */
export interface Asked {
  readonly resource: EvaluatedResource | null;
  /** Null means all scopes of the resource. */
  readonly scopes: readonly string[] | null;
}

export interface PermissionResult {
  readonly name: string;
  readonly type: PermissionModel["type"];
  readonly decisionStrategy: Strategy;
  readonly status: "PERMIT" | "DENY";
  readonly policies: readonly PolicyResult[];
}

export interface AskedResult {
  readonly asked: Asked;
  /** With named scopes, PERMIT means that all of them are allowed. Without, it means that at least one is. */
  readonly status: "PERMIT" | "DENY";
  readonly allowedScopes: readonly string[];
  readonly deniedScopes: readonly string[];
  readonly reason: string;
  readonly permissions: readonly PermissionResult[];
}

export interface Question {
  /** The subject first, then its actors. A permission needs every one of them. */
  readonly subjects: readonly Subject[];
  /** The claims that the request pushed. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly now: number;
  /** The effort for patterns, if several questions share it. */
  readonly effort?: PatternEffort;
}

/** Stands for a resource without scopes, which is evaluated as a whole. */
const WHOLE = "";

/** Evaluates requests. It is a pure function, the same for `evaluate`, tokens and AuthZEN. See docs/authorization.md for the steps. */
export function evaluate(model: Model, question: Question, asked: readonly Asked[]): AskedResult[] {
  const shared = { effort: newEffort(), ...question };
  return asked.map((each) => question.subjects.map((subject) => judge(model, shared, subject, each)).reduce(both));
}

/** Combines the results of a delegation: only the intersection of both is allowed. */
function both(one: AskedResult, other: AskedResult): AskedResult {
  const allowedScopes = one.allowedScopes.filter((scope) => other.allowedScopes.includes(scope));
  const denied = new Set([...one.deniedScopes, ...other.deniedScopes]);
  const isAllowed = one.status === "PERMIT" && other.status === "PERMIT" && (allowedScopes.length > 0 || one.allowedScopes.length === 0);
  return {
    asked: one.asked,
    status: isAllowed ? "PERMIT" : "DENY",
    allowedScopes,
    deniedScopes: [...denied],
    reason: [one.reason, other.reason].join("; actor: "),
    permissions: [...one.permissions, ...other.permissions],
  };
}

/** The rule that combines permissions, for people. */
const RULES = {
  UNANIMOUS: "all permissions that apply must permit",
  AFFIRMATIVE: "one of the permissions that apply must permit",
  CONSENSUS: "more of the permissions that apply must permit than deny",
} as const;

function judge(model: Model, { request, now, effort }: Required<Question>, subject: Subject, asked: Asked): AskedResult {
  const { resource } = asked;
  const own = resource?.scopes ?? asked.scopes ?? [];
  const wanted = [...new Set(asked.scopes?.length ? asked.scopes : own.length > 0 ? own : [WHOLE])];
  const possible = wanted.filter((scope) => scope === WHOLE || own.includes(scope));
  const answer = (isAllowed: (scope: string) => boolean, reason: string, permissions: readonly PermissionResult[] = []): AskedResult => {
    const allowed = possible.filter(isAllowed);
    const isEnough = asked.scopes?.length ? allowed.length === wanted.length : allowed.length > 0;
    const scopes = (list: readonly string[]) => list.filter((scope) => scope !== WHOLE);
    return {
      asked,
      status: isEnough ? "PERMIT" : "DENY",
      allowedScopes: scopes(allowed),
      deniedScopes: scopes(wanted.filter((scope) => !allowed.includes(scope))),
      reason,
      permissions,
    };
  };
  if (!subject.isEnabled) return answer(() => false, "the subject is disabled");
  const { policyEnforcementMode: mode, decisionStrategy } = model.settings;
  if (mode === "DISABLED") return answer(() => true, "enforcement is disabled");
  if (resource?.ownerManagedAccess && subject.kind === "user" && resource.ownerId === subject.id) return answer(() => true, "the owner");

  const situation: Situation = { subject, request, now, effort, resource: resource && factsOfResource(resource) };
  const decide = createDecider(model, situation);
  const results = applicable(model, resource, possible).map((permission) => ({ permission, result: permissionResult(permission, decide) }));
  const covers = (permission: PermissionModel, scope: string) => permission.type === "resource" || permission.scopes.includes(scope);
  const shared = resource?.ownerManagedAccess ? (resource.shares.get(subject.id) ?? []) : [];
  const isAllowed = (scope: string): boolean => {
    if (subject.kind === "user" && shared.includes(scope)) return true;
    const verdicts = results.filter(({ permission }) => covers(permission, scope)).map(({ result }) => result.status as Verdict);
    if (verdicts.length === 0) return mode === "PERMISSIVE" && !resource?.ownerManagedAccess;
    return combine(decisionStrategy, verdicts) === "PERMIT";
  };
  const reason = results.length > 0 ? RULES[decisionStrategy] : "no permission applies";
  return answer(
    isAllowed,
    shared.length > 0 ? `${reason}; the owner shared ${shared.join(" ")}`.trimEnd() : reason,
    results.map(({ result }) => result),
  );
}

function factsOfResource({ id, name, type, ownerId, attributes }: EvaluatedResource) {
  return { id, name, type: type ?? undefined, owner: ownerId ?? undefined, attributes };
}

/** Returns the permissions that name the resource or its type, and scope permissions on a requested scope. */
function applicable(
  { byResource, byType, byScope }: Model,
  resource: EvaluatedResource | null,
  scopes: readonly string[],
): PermissionModel[] {
  const found = new Set<PermissionModel>();
  if (resource) for (const permission of byResource.get(resource.id) ?? []) found.add(permission);
  if (resource?.type) for (const permission of byType.get(resource.type) ?? []) found.add(permission);
  for (const scope of scopes) for (const permission of byScope.get(scope) ?? []) found.add(permission);
  const isAsked = ({ type, scopes: its }: PermissionModel) => type === "resource" || its.some((scope) => scopes.includes(scope));
  return [...found].filter(isAsked);
}

function permissionResult(
  { name, type, decisionStrategy, policies }: PermissionModel,
  decide: (name: string) => PolicyResult,
): PermissionResult {
  const results = policies.map(decide);
  const verdict = combine(
    decisionStrategy,
    results.map(({ status }) => status),
  );
  return { name, type, decisionStrategy, status: verdict === "PERMIT" ? "PERMIT" : "DENY", policies: results };
}
