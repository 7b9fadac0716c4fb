import { expect, test } from "vitest";
import { isWithinNetworks } from "../authenticators/conditions.ts";
import { builtInFlows } from "./built-in.ts";
import { brokenFlowRules } from "./check.ts";
import { purposeOf } from "./purpose.ts";
import type { StepInput } from "./schema.ts";

type Requirement = StepInput["requirement"];
const step = (authenticator: string, requirement: Requirement = "REQUIRED", config?: Record<string, unknown>): StepInput => ({
  authenticator,
  requirement,
  ...(config && { config }),
});
const list = (alias: string, requirement: Requirement, steps: StepInput[]): StepInput => ({ alias, requirement, steps });
const office = step("condition-network", "REQUIRED", { networks: ["10.0.0.0/8"] });
const credentials = step("username-password");

const verdict = (...steps: StepInput[]) => brokenFlowRules(steps, "sign-in").map(({ field, code }) => `${field} ${code}`);

test("the built-in flows keep the rules", () => {
  for (const { alias, steps } of builtInFlows)
    expect([alias, brokenFlowRules(steps as StepInput[], purposeOf(alias))]).toEqual([alias, []]);
});

test("accepts a flow that a user can pass, and only with proof", () => {
  expect(verdict(credentials)).toEqual([]);
  expect(verdict(step("username"), step("password"))).toEqual([]);
  expect(verdict(step("cookie", "ALTERNATIVE"), list("forms", "ALTERNATIVE", [step("username"), step("password")]))).toEqual([]);
  expect(verdict(credentials, list("more", "CONDITIONAL", [office, step("password")]))).toEqual([]);
  expect(verdict(credentials, step("username", "DISABLED"), list("off", "DISABLED", [step("password", "ALTERNATIVE")]))).toEqual([]);
});

test.each<[string, StepInput[], string]>([
  ["an authenticator that there is not", [step("palm-reading")], "steps.0.authenticator unknown_authenticator"],
  ["one of Object's own members", [step("constructor")], "steps.0.authenticator unknown_authenticator"],
  ["what is neither step nor list", [{ requirement: "REQUIRED" }], "steps.0.authenticator required"],
  ["what is both", [{ ...list("a", "REQUIRED", [credentials]), authenticator: "password" }], "steps.0.authenticator unknown"],
  ["a list without a name", [{ requirement: "REQUIRED", steps: [credentials] }], "steps.0.alias required"],
  ["a name on a step", [{ ...credentials, alias: "a" }], "steps.0.alias unknown"],
  ["config of a list", [{ ...list("a", "REQUIRED", [credentials]), config: {} }], "steps.0.config unknown"],
  ["a name twice", [list("a", "REQUIRED", [credentials, list("a", "REQUIRED", [credentials])])], "steps.0.steps.1.alias duplicate"],
  ["unknown config", [step("username-password", "REQUIRED", { colour: "red" })], "steps.0.config.colour unknown"],
  [
    "config that is missing",
    [credentials, list("a", "CONDITIONAL", [step("condition-role"), step("password")])],
    "steps.1.steps.0.config.roles required",
  ],
  ["alternatives beside required steps", [credentials, step("cookie", "ALTERNATIVE")], "steps.1.requirement never_asked"],
  ["an empty list", [credentials, list("a", "REQUIRED", [])], "steps.1.steps empty"],
  ["a list of disabled steps", [credentials, list("a", "REQUIRED", [step("password", "DISABLED")])], "steps.1.steps empty"],
  ["a list of nothing but conditions", [credentials, list("a", "CONDITIONAL", [office])], "steps.1.steps empty"],
  ["a conditional step", [credentials, step("password", "CONDITIONAL")], "steps.1.requirement conditional"],
  ["a conditional list without a condition", [credentials, list("a", "CONDITIONAL", [step("password")])], "steps.1.steps no_condition"],
  [
    "one whose condition is disabled",
    [credentials, list("a", "CONDITIONAL", [{ ...office, requirement: "DISABLED" }, step("password")])],
    "steps.1.steps no_condition",
  ],
  ["a condition on its own", [office, credentials], "steps.0.authenticator condition_alone"],
  [
    "a condition in a list that is not conditional",
    [list("a", "REQUIRED", [office, credentials])],
    "steps.0.steps.0.authenticator condition_alone",
  ],
  [
    "a condition as an alternative",
    [credentials, list("a", "CONDITIONAL", [{ ...office, requirement: "ALTERNATIVE" }, step("password")])],
    "steps.1.steps.0.requirement condition",
  ],
  ["a question without a user", [step("password")], "steps.0.authenticator needs_user"],
  [
    "a name that is asked for only sometimes",
    [list("a", "CONDITIONAL", [office, step("username")]), step("password")],
    "steps.1.authenticator needs_user",
  ],
  ["everything disabled", [step("username-password", "DISABLED")], "steps empty"],
  ["a name alone", [step("username")], "steps no_proof"],
  [
    "a way that proves nothing",
    [step("cookie", "ALTERNATIVE"), credentials && step("username-password", "ALTERNATIVE"), step("username", "ALTERNATIVE")],
    "steps.2 no_proof",
  ],
  [
    "a way deep inside that proves nothing",
    [step("username-password", "ALTERNATIVE"), list("a", "ALTERNATIVE", [step("username")])],
    "steps.1.steps no_proof",
  ],
  ["proof that is asked for only sometimes", [list("a", "CONDITIONAL", [office, credentials])], "steps no_proof"],
  ["nothing but the session", [step("cookie", "ALTERNATIVE")], "steps nobody"],
  ["a session that is required", [step("cookie"), credentials], "steps.0.requirement silent"],
])("refuses %s", (_, steps, expected) => {
  expect(verdict(...steps)).toEqual([expected]);
});

test("refuses a text that is no network, and names it", () => {
  const networks = [
    "10.0.0.0/8",
    "10.0.0.0/33",
    "::1/129",
    "2001:db8::/32",
    "example.com",
    "10.0.0.1",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "1.2.3",
  ];
  const steps = [credentials, list("a", "CONDITIONAL", [step("condition-network", "REQUIRED", { networks }), step("password")])];
  expect(verdict(...steps)).toEqual([1, 2, 4, 6, 7, 8].map((index) => `steps.1.steps.0.config.networks.${index} format`));
});

test.each(["10.1.2.3", "::ffff:10.1.2.3", "::FFFF:a01:203", "0:0:0:0:0:ffff:a01:203"])("%s lies in 10.0.0.0/8", (address) => {
  expect(isWithinNetworks(address, ["nonsense", "10.0.0.0/8"])).toBe(true);
  expect(isWithinNetworks(address, ["11.0.0.0/8", "::/96"])).toBe(false);
});

test("a flow has at most a hundred steps", () => {
  const wide = (alias: string) => list(alias, "REQUIRED", Array<StepInput>(25).fill(credentials));
  expect(verdict(wide("a"), wide("b"), wide("c"))).toEqual([]);
  expect(verdict(wide("a"), wide("b"), wide("c"), wide("d"))).toEqual(["steps too_many"]);
});

test("each purpose has its own beginning and end", () => {
  const of = (purpose: Parameters<typeof brokenFlowRules>[1], ...steps: StepInput[]) =>
    brokenFlowRules(steps, purpose).map(({ code }) => code);
  expect(of("step-up", step("password"))).toEqual([]);
  expect(of("registration", step("username", "DISABLED"))).toEqual([]);
  expect(of("direct-grant", credentials)).toEqual([]);
  expect(of("direct-grant", step("cookie", "ALTERNATIVE"), step("username-password", "ALTERNATIVE"))).toEqual(["no_page"]);
});
