import { describe, expect, test } from "vitest";
import { compilePattern, newEffort } from "../../../kernel/pattern.ts";
import { leastCpuTime } from "../../../testing/cpu-time.ts";
import { attributeVerdict } from "./attribute.ts";
import {
  type Asked,
  type EvaluatedResource,
  evaluate,
  type Model,
  modelOf,
  type PermissionModel,
  type PolicyModel,
  type Subject,
} from "./index.ts";
import { timeVerdict } from "./time.ts";

/** Generates the same numbers each time (mulberry32). */
function numbers(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  const one = <T>(values: readonly T[]): T => values[below(values.length)]!;
  return { below, one, some: <T>(values: readonly T[], most: number) => Array.from({ length: 1 + below(most) }, () => one(values)) };
}

const ROLES = ["r0", "r1", "r2", "r3"];
const GROUPS = ["g0", "g1", "g2"];
const SCOPES = ["view", "edit", "delete"];
const TYPES = ["album", "photo"];
const STRATEGIES = ["UNANIMOUS", "AFFIRMATIVE", "CONSENSUS"] as const;

function randomModel({ below, one, some }: ReturnType<typeof numbers>): Model & { permissions: PermissionModel[]; list: PolicyModel[] } {
  const entry = (id: string) => ({ id, required: below(4) === 0, extendChildren: below(2) === 0, isLost: below(8) === 0 });
  const list: PolicyModel[] = [];
  for (let at = 0; at < 200; at++) {
    const type = at < 5 ? "role" : one(["role", "group", "user", "attribute", "aggregate", "client-scope"] as const);
    const names = { role: ROLES, group: GROUPS, user: ["u0", "u1"], "client-scope": ["s0", "s1"] };
    const values = type in names ? names[type as keyof typeof names] : [];
    list.push({
      name: `p${at}`,
      type,
      logic: below(4) === 0 ? "NEGATIVE" : "POSITIVE",
      decisionStrategy: one(STRATEGIES),
      entries: [...new Set(some(values.length > 0 ? values : ["x"], 3))].map(entry).filter(() => values.length > 0),
      config:
        type === "aggregate"
          ? {
              policies: some(
                list.map(({ name }) => name),
                4,
              ),
            }
          : type === "attribute"
            ? { path: one(["user.level", "request.level"]), operator: one(["eq", "ne", "exists", "gt"] as const), value: 3 }
            : {},
    });
  }
  const permissions: PermissionModel[] = Array.from({ length: 60 }, (_, at) => {
    const type = one(["resource", "scope"] as const);
    const target = below(3);
    const byType = type === "resource" ? target > 0 : target === 0;
    const isGeneral = type === "scope" && target === 1;
    return {
      name: `n${at}`,
      type,
      decisionStrategy: one(STRATEGIES),
      resources: byType || isGeneral ? [] : some(["a", "b", "c"], 2),
      resourceType: byType ? one(TYPES) : null,
      isGeneral,
      scopes: type === "scope" ? some(SCOPES, 2) : [],
      policies:
        below(12) === 0
          ? []
          : some(
              list.map(({ name }) => name),
              3,
            ),
    };
  });
  const settings = {
    policyEnforcementMode: one(["ENFORCING", "ENFORCING", "PERMISSIVE", "DISABLED"] as const),
    decisionStrategy: one(["UNANIMOUS", "AFFIRMATIVE"] as const),
  };
  return { ...modelOf(settings, list, permissions), permissions, list };
}

const subject = (members: Partial<Subject> = {}): Subject => ({
  ...{ kind: "user", id: "u0", isEnabled: true, roles: new Set(), groups: new Set(), groupsAbove: new Set(), clientId: null },
  ...{ scopes: null, user: {}, client: null, token: null },
  ...members,
});
const resource = (members: Partial<EvaluatedResource> = {}): EvaluatedResource => ({
  ...{ id: "a", name: "a", type: null, scopes: ["view"], ownerId: null, ownerManagedAccess: false, attributes: {}, shares: new Map() },
  ...members,
});

/** Implements the rules again, as directly as possible: true, false or null for a policy, without index and cache. */
function naive(model: ReturnType<typeof randomModel>, who: Subject, request: Record<string, unknown>, { resource: of, scopes }: Asked) {
  const combine = (strategy: string, values: (boolean | null)[]): boolean | null => {
    if (values.length === 0) return false;
    // The function tries every outcome of the unknown values. The result is decided if all of them agree.
    const unknown = values.filter((value) => value === null).length;
    const outcomes = new Set<boolean>();
    for (let permits = 0; permits <= unknown; permits++) {
      const yes = values.filter((value) => value === true).length + permits;
      const no = values.length - yes;
      outcomes.add(strategy === "UNANIMOUS" ? no === 0 : strategy === "AFFIRMATIVE" ? yes > 0 : yes > no);
    }
    return outcomes.size === 1 ? [...outcomes][0]! : null;
  };
  const policy = (name: string): boolean | null => {
    const { type, logic, entries, config, decisionStrategy } = model.list.find((each) => each.name === name)!;
    const raw = ((): boolean | null => {
      if (type === "aggregate") return combine(decisionStrategy, config.policies!.map(policy));
      if (type === "attribute") {
        const value = (config.path === "user.level" ? who.user : request)?.level;
        if (config.operator === "exists") return value !== undefined;
        if (value === undefined) return null;
        return config.operator === "eq" ? value === 3 : config.operator === "ne" ? value !== 3 : Number(value) > 3;
      }
      if (type === "client-scope" && who.scopes === null) return null;
      const has = (id: string, below: boolean) =>
        type === "role"
          ? who.roles.has(id)
          : type === "user"
            ? who.id === id
            : type === "group"
              ? who.groups.has(id) || (below && who.groupsAbove.has(id))
              : who.scopes!.has(id);
      const value = (each: (typeof entries)[number]) => (each.isLost ? null : has(each.id, each.extendChildren));
      const required = entries.filter((each) => each.required).map(value);
      const any = entries.map(value);
      if (required.includes(false) || any.every((each) => each === false)) return false;
      return required.every((each) => each === true) && any.includes(true) ? true : null;
    })();
    return raw === null ? null : logic === "NEGATIVE" ? !raw : raw;
  };
  const { policyEnforcementMode: mode, decisionStrategy } = model.settings;
  const wanted = scopes ?? of!.scopes;
  return wanted.filter((scope) => {
    if (!of!.scopes.includes(scope)) return false;
    if (mode === "DISABLED") return true;
    const verdicts = model.permissions
      .filter(({ type, resources, resourceType, isGeneral, scopes: its }) => {
        const isFor = resources.includes(of!.id) || (resourceType !== null && resourceType === of!.type) || isGeneral;
        return isFor && (type === "resource" || its.includes(scope));
      })
      .map((each) => combine(each.decisionStrategy, each.policies.map(policy)) === true);
    if (verdicts.length === 0) return mode === "PERMISSIVE";
    return decisionStrategy === "AFFIRMATIVE" ? verdicts.includes(true) : verdicts.every(Boolean);
  });
}

test("random models of 200 policies: equal to a naive evaluator", () => {
  let [permitted, denied] = [0, 0];
  for (let seed = 1; seed <= 40; seed++) {
    const random = numbers(seed);
    const model = randomModel(random);
    for (let round = 0; round < 25; round++) {
      const who = subject({
        id: random.one(["u0", "u1", "u2"]),
        roles: new Set(random.some(ROLES, 3)),
        groups: new Set(random.some(GROUPS, 2)),
        groupsAbove: new Set(random.some(GROUPS, 2)),
        scopes: random.below(2) === 0 ? null : new Set(random.some(["s0", "s1"], 2)),
        user: random.below(2) === 0 ? {} : { level: random.below(6) },
      });
      const request = random.below(2) === 0 ? {} : { level: random.below(6) };
      const asked = {
        resource: resource({
          id: random.one(["a", "b", "c", "d"]),
          type: random.one([...TYPES, null]),
          scopes: [...new Set(random.some(SCOPES, 3))],
        }),
        scopes: random.below(2) === 0 ? null : [...new Set(random.some(SCOPES, 2))],
      };
      const [answer] = evaluate(model, { subjects: [who], request, now: 0 }, [asked]);
      const allowed = naive(model, who, request, asked);
      expect([...answer!.allowedScopes].sort(), `seed ${seed}, round ${round}`).toEqual([...allowed].sort());
      const wanted = asked.scopes ?? asked.resource.scopes;
      expect(answer!.status).toBe((asked.scopes ? allowed.length === wanted.length : allowed.length > 0) ? "PERMIT" : "DENY");
      answer!.status === "PERMIT" ? permitted++ : denied++;
    }
  }
  // Both answers occur often.
  expect(Math.min(permitted, denied)).toBeGreaterThan(100);
});

test("the owner of an owner-managed resource, users with whom it is shared, and actors", () => {
  const model = modelOf({ policyEnforcementMode: "PERMISSIVE", decisionStrategy: "UNANIMOUS" }, [], []);
  const own = resource({ ownerId: "u0", ownerManagedAccess: true, scopes: ["view", "edit"], shares: new Map([["u1", ["view"]]]) });
  const allowed = (...subjects: Subject[]) =>
    evaluate(model, { subjects, request: {}, now: 0 }, [{ resource: own, scopes: null }])[0]!.allowedScopes;
  expect(allowed(subject())).toEqual(["view", "edit"]);
  expect(allowed(subject({ id: "u1" }))).toEqual(["view"]);
  expect(allowed(subject({ id: "u2" }))).toEqual([]);
  expect(allowed(subject(), subject({ id: "u1" })), "what both may").toEqual(["view"]);
  expect(allowed(subject({ isEnabled: false }))).toEqual([]);
});

describe("time", () => {
  const at = (text: string) => Date.parse(text);
  test("is read in a time zone, and ranges may cross midnight", () => {
    const night = { hour: 22, hourEnd: 6, timeZone: "Europe/Oslo" };
    expect(timeVerdict(night, at("2026-07-01T21:30:00Z")), "23:30 in Oslo").toBe("PERMIT");
    expect(timeVerdict(night, at("2026-07-01T04:30:00Z")), "6:30 in Oslo: the hour is included").toBe("PERMIT");
    expect(timeVerdict(night, at("2026-07-01T05:30:00Z"))).toBe("DENY");
    expect(timeVerdict({ notBefore: "2026-07-01 00:00:00" }, at("2026-06-30T23:59:59Z"))).toBe("DENY");
    expect(timeVerdict({ notOnOrAfter: "2026-07-01 00:00:00" }, at("2026-07-01T00:00:00Z"))).toBe("DENY");
    expect(timeVerdict({ month: 11, monthEnd: 2, dayMonth: 1 }, at("2026-01-01T00:00:00Z"))).toBe("PERMIT");
  });
});

describe("patterns", () => {
  test("match whole values as RegExp does", () => {
    for (const source of ["a*b|c+", "(?:ab|a)b?", "[a-c]{2,3}", "\\d+-\\w*", "[^x-z]+", "a{0}b", "", ".*@example\\.(com|org)", "^ab$"])
      for (const text of ["", "b", "ab", "abb", "aab", "cc", "abc", "abca", "1-a", "12-", "xyz", "a@example.com", "a@examplexcom", "a\nb"])
        expect(compilePattern(source)(text, newEffort()), `${source} ${text}`).toBe(
          new RegExp(`^(?:${source.replace(/^\^|\$$/g, "")})$`, "u").test(text),
        );
  });
  test("take time in proportion to the length of the value, whatever the pattern", () => {
    const began = process.cpuUsage().user;
    for (const bomb of ["(a+)+", "(a|a)*", "(a|aa)+", "(.*a){20}", "([a-z]+)*"]) compilePattern(bomb)(`${"a".repeat(1000)}!`, newEffort());
    expect((process.cpuUsage().user - began) / 1000, "ms").toBeLessThan(3_000);
  });
  test("take little time for a character, whatever the pattern: a value of each line of an import is compared", async () => {
    const text = "a".repeat(1000);
    const matching = (source: string, times: number) => {
      const matches = compilePattern(source);
      return async () => {
        for (let each = 0; each < times; each++) matches(text, newEffort());
      };
    };
    // Each character is compared with a class of a hundred parts, in a thousand places at once.
    const [plain, bomb] = await leastCpuTime(matching("a*", 100), matching(`([${"\\W".repeat(110)}\\w]{0,31}){31}`, 1));
    expect(bomb).toBeLessThan(20 * plain!);
  });
  test("are undecided where they take more effort than a request may cost", () => {
    const text = "a".repeat(900);
    const matches = (source: string, effort = newEffort()) => compilePattern(source)(text, effort);
    for (const ordinary of [".{0,900}", "[a-z]{1,900}", "([a-z]+[.]?)+", "(a|b|c|d|e|f|g|h)*", ".*a.*a.*"])
      expect(matches(ordinary), ordinary).toBe(true);
    expect(matches("(a?){900}a*")).toBeNull();
    const effort = newEffort();
    while (effort.left > 0) matches("(a?){900}a*", effort);
    expect([matches("a*", effort), effort.left], "another pattern of the same request").toEqual([null, 0]);
  });
  test("of all policies and resources of a request take no more effort together", () => {
    const policies = Array.from({ length: 60 }, (_, n): PolicyModel => {
      const config = { targetClaim: "x", targetContextAttributes: true, pattern: `(a?){900}b{${n}}` };
      return { name: `p${n}`, type: "regex", logic: "NEGATIVE", decisionStrategy: "UNANIMOUS", entries: [], config };
    });
    const names = policies.map(({ name }) => name);
    const permission = {
      name: "all",
      type: "resource",
      resources: ["r"],
      resourceType: "album",
      scopes: [],
      decisionStrategy: "AFFIRMATIVE",
    };
    const model = modelOf({ policyEnforcementMode: "ENFORCING", decisionStrategy: "AFFIRMATIVE" }, policies, [
      { ...permission, policies: names } as unknown as PermissionModel,
    ]);
    const effort = newEffort();
    const asked = Array.from({ length: 20 }, (): Asked => ({ resource: resource({ type: "album" }), scopes: null }));
    const results = evaluate(model, { subjects: [subject()], request: { x: "a".repeat(1000) }, now: 0, effort }, asked);
    expect(effort.left, "visits that are left").toBe(0);
    // No pattern matches, and the policies are negative: each that was decided would permit.
    expect(results.map(({ status, permissions }) => [status, permissions.length])).toEqual(asked.map(() => ["DENY", 1]));
  });
  test("refuse unknown syntax", () => {
    for (const bad of ["(a)\\1", "(?=a)", "(?<n>a)", "a**", "*a", "[a", "(a", "a)", "a{2,1}", "(a{1000}){1000}", "\\"])
      expect(() => compilePattern(bad), bad).toThrow();
  });
});

test("attributes: an absent value is undecided; pushed data replaces no other data", () => {
  const facts = {
    user: { level: 3, attributes: { team: ["a", "b"] } },
    client: null,
    token: null,
    resource: { owner: "u1" },
    request: { user: { level: 9 }, owner: "u1" },
  };
  const verdict = (path: string, operator: "eq" | "ne" | "gt" | "exists" | "in", more: object) =>
    attributeVerdict({ path, operator, ...more }, facts);
  expect(verdict("user.level", "gt", { value: 2 })).toBe("PERMIT");
  expect(verdict("user.level", "eq", { value: 9 })).toBe("DENY");
  expect(verdict("user.attributes.team", "in", { value: ["b", "c"] })).toBe("PERMIT");
  expect(verdict("user.attributes.none", "ne", { value: "x" })).toBe("UNKNOWN");
  expect(verdict("user.attributes.none", "exists", { value: false })).toBe("PERMIT");
  expect(verdict("resource.owner", "eq", { valuePath: "request.owner" })).toBe("PERMIT");
  expect(verdict("user.constructor.name", "exists", {})).toBe("DENY");
  expect(verdict("user.__proto__.x", "exists", {})).toBe("DENY");
});
