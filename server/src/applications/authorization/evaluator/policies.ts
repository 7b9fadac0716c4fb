import { compilePattern, MAX_SUBJECT, type Pattern, type PatternEffort } from "../../../kernel/pattern.ts";
import { type AttributeConfig, attributeVerdict, type Facts, factAt } from "./attribute.ts";
import type { Entry, Model, PolicyModel, PolicyType } from "./model.ts";
import { timeVerdict } from "./time.ts";
import { all, any, combine, negate, type Verdict, verdictOf } from "./verdict.ts";

/** A user, or a client in its own name, as the directory has them now. */
export interface Subject {
  readonly kind: "user" | "client";
  readonly id: string;
  /** If false, everything is denied. */
  readonly isEnabled: boolean;
  readonly roles: ReadonlySet<string>;
  /** The user's groups, and all groups above them. */
  readonly groups: ReadonlySet<string>;
  readonly groupsAbove: ReadonlySet<string>;
  /** The id of the client that the request comes from, or that the subject is. Null if it is unknown. */
  readonly clientId: string | null;
  /** The ids of the client scopes of the token. Null if there is no token. */
  readonly scopes: ReadonlySet<string> | null;
  readonly user: Facts["user"];
  readonly client: Facts["client"];
  readonly token: Facts["token"];
}

export interface Situation {
  readonly subject: Subject;
  readonly resource: Facts["resource"];
  readonly request: Facts["request"];
  readonly now: number;
  readonly effort: PatternEffort;
}

export interface PolicyResult {
  readonly name: string;
  readonly type: PolicyType;
  readonly logic: PolicyModel["logic"];
  readonly status: Verdict;
  readonly reason: string;
}

type Raw = readonly [Verdict, reason: string];
type Judge = (policy: PolicyModel, situation: Situation, decide: (name: string) => PolicyResult) => Raw;

const MISSING = "something that the policy names was deleted";

/** Tells for each entry whether the subject has it. A deleted entry is UNKNOWN. */
const held = (entries: readonly Entry[], has: (entry: Entry) => boolean): Verdict[] =>
  entries.map((entry) => (entry.isLost ? "UNKNOWN" : verdictOf(has(entry))));

function named(entries: readonly Entry[], has: (entry: Entry) => boolean, so: string, notSo: string): Raw {
  const required = held(
    entries.filter((entry) => entry.required),
    has,
  );
  const verdict = entries.length === 0 ? "UNKNOWN" : all([all(required), any(held(entries, has))]);
  if (verdict === "UNKNOWN") return [verdict, MISSING];
  return [verdict, `the subject ${verdict === "PERMIT" ? so : notSo}`];
}

const patterns = new WeakMap<PolicyModel, Pattern>();
function patternOf(policy: PolicyModel): Pattern {
  const known = patterns.get(policy) ?? compilePattern(policy.config.pattern ?? "");
  patterns.set(policy, known);
  return known;
}

const factsOf = ({ subject, resource, request }: Situation): Facts => ({
  user: subject.user,
  client: subject.client,
  token: subject.token,
  resource,
  request,
});

/** Decides each type of policy. */
const judges: Readonly<Record<PolicyType, Judge>> = {
  role: ({ entries }, { subject }) => named(entries, ({ id }) => subject.roles.has(id), "holds the roles", "does not hold the roles"),
  user: ({ entries }, { subject }) =>
    named(entries, ({ id }) => subject.kind === "user" && subject.id === id, "is one of the users", "is not one of the users"),
  client: ({ entries }, { subject }) =>
    subject.clientId === null
      ? ["UNKNOWN", "no client is known"]
      : named(entries, ({ id }) => subject.clientId === id, "comes from one of the clients", "comes from none of the clients"),
  group: ({ entries }, { subject }) =>
    named(
      entries,
      ({ id, extendChildren }) => subject.groups.has(id) || (extendChildren && subject.groupsAbove.has(id)),
      "is in a group",
      "is in none of the groups",
    ),
  "client-scope": ({ entries }, { subject: { scopes } }) =>
    scopes === null
      ? ["UNKNOWN", "there is no token with scopes"]
      : named(entries, ({ id }) => scopes.has(id), "has the client scopes", "does not have the client scopes"),
  time: ({ config }, { now }) => {
    const verdict = timeVerdict(config, now);
    return [verdict, verdict === "PERMIT" ? "the time is within" : "the time is outside"];
  },
  regex: (policy, situation) => {
    const { targetClaim = "", targetContextAttributes = false } = policy.config;
    const value = claimOf(situation, targetClaim, targetContextAttributes);
    if (value === null) return ["UNKNOWN", `${targetClaim} is absent, or not one text`];
    if (value.length > MAX_SUBJECT) return ["UNKNOWN", `${targetClaim} is longer than ${MAX_SUBJECT} characters`];
    const matches = patternOf(policy)(value, situation.effort);
    if (matches === null) return ["UNKNOWN", `${targetClaim} takes too long to compare`];
    return [verdictOf(matches), matches ? `${targetClaim} matches` : `${targetClaim} does not match`];
  },
  attribute: ({ config }, situation) => {
    const { path, operator } = config as AttributeConfig;
    const verdict = attributeVerdict(config as AttributeConfig, factsOf(situation));
    const reasons = {
      PERMIT: `${path} ${operator}: true`,
      DENY: `${path} ${operator}: false`,
      UNKNOWN: `${path} ${operator}: absent, or of another kind`,
    };
    return [verdict, reasons[verdict]];
  },
  aggregate: ({ config, decisionStrategy }, _situation, decide) => {
    const results = (config.policies ?? []).map(decide);
    const verdict = combine(
      decisionStrategy,
      results.map(({ status }) => status),
    );
    return [verdict, `${decisionStrategy.toLowerCase()} of ${results.map(({ name, status }) => `${name}: ${status}`).join(", ")}`];
  },
};

/** Returns a single text or number of the subject, or of the pushed claims. */
function claimOf(situation: Situation, name: string, isPushed: boolean): string | null {
  const facts = factsOf(situation);
  const { user } = facts;
  const attributes = (user?.attributes ?? {}) as Record<string, unknown>;
  const places = isPushed ? [facts.request] : [facts.token ?? {}, user ?? {}, attributes, facts.client ?? {}];
  for (const place of places) {
    const found = factAt({ ...facts, request: place }, `request.${name}`);
    const value = Array.isArray(found) && found.length === 1 ? found[0] : found;
    if (["string", "number", "boolean"].includes(typeof value)) return String(value);
    if (value !== undefined) return null;
  }
  return null;
}

/** Creates a function that decides policies for one subject and resource, each once. */
export function createDecider({ policies }: Model, situation: Situation): (name: string) => PolicyResult {
  const decided = new Map<string, PolicyResult>();
  const decide = (name: string): PolicyResult => {
    const known = decided.get(name);
    if (known) return known;
    const policy = policies.get(name);
    if (!policy) return { name, type: "aggregate", logic: "POSITIVE", status: "UNKNOWN", reason: "there is no such policy" };
    const [verdict, reason] = judges[policy.type](policy, situation, decide);
    const isNegative = policy.logic === "NEGATIVE";
    const status = isNegative ? negate(verdict) : verdict;
    const result = { name, type: policy.type, logic: policy.logic, status, reason: isNegative ? `not (${reason})` : reason };
    decided.set(name, result);
    return result;
  };
  return decide;
}
