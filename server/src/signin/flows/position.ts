import {
  type Authenticator,
  authenticators,
  carriedFrom,
  hasPassed,
  isCarried,
  isNew,
  isProven,
  type Progress,
  type Proof,
  type Question,
  SESSION,
  type SignInUser,
  type StepContext,
} from "../authenticators/index.ts";
import { type Factor, isRecentlyAuthenticated, levelOf } from "../sessions/index.ts";
import { type AuthenticatorStep, isSubFlow, type Step, type SubFlow } from "./flow.ts";

/** A step that can be asked now. */
export interface Ask {
  readonly path: string;
  /** The step's authenticator, or the required action that sets it up. */
  readonly name: string;
  readonly question: Question;
  readonly config: Readonly<Record<string, unknown>>;
}

/** A step that passed without asking. */
export interface Silently {
  readonly path: string;
  readonly name: string;
  readonly proof: Proof;
}

export type Verdict =
  | { readonly status: "passed" }
  /** The first step is shown. The others are alternatives. */
  | { readonly status: "ask"; readonly asks: readonly Ask[] }
  /** Evaluation continues after this step. */
  | { readonly status: "silent"; readonly step: Silently }
  /** A credential has to be set up, which needs recent authentication. */
  | { readonly status: "unproven" }
  | { readonly status: "impossible" };

/** The input of `walk`. */
export interface Walk {
  readonly progress: Progress;
  readonly user: SignInUser | null;
  /** True if the user has a second factor that the realm asks for. */
  readonly needsSecondFactor: boolean;
  readonly now: number;
  /** True in a step-up, whose steps the session's proofs do not pass. */
  readonly onTop?: boolean;
  authenticator(name: string): Authenticator | undefined;
  /** Returns the required action that sets up a missing credential. */
  setUp(action: NonNullable<Question["setUp"]>): Question | undefined;
  contextOf(path: string, config: Readonly<Record<string, unknown>>): StepContext;
}

const PASSED: Verdict = { status: "passed" };
const UNPROVEN: Verdict = { status: "unproven" };
const IMPOSSIBLE: Verdict = { status: "impossible" };

/**
 * Evaluates a list of steps. REQUIRED steps, and CONDITIONAL ones whose conditions hold, have to be passed in order. Without any of these,
 * one ALTERNATIVE is enough.
 */
export async function walk(world: Walk, steps: readonly Step[], prefix: string): Promise<Verdict> {
  const required: [Step, string][] = [];
  const alternatives: [Step, string][] = [];
  for (const [index, step] of steps.entries()) {
    const path = `${prefix}${index}`;
    if (!isOn(step) || conditionOf(world, step)) continue;
    if (step.requirement === "ALTERNATIVE") alternatives.push([step, path]);
    else if (step.requirement === "REQUIRED" || isProvenIn(world, step, path) || (await applies(world, step, path)))
      required.push([step, path]);
  }
  if (required.length > 0) return inTurn(world, required);
  return alternatives.length > 0 ? oneOf(world, alternatives) : PASSED;
}

async function inTurn(world: Walk, steps: readonly [Step, string][]): Promise<Verdict> {
  for (const [step, path] of steps) {
    const verdict = await at(world, step, path);
    if (verdict.status !== "passed") return verdict;
  }
  return PASSED;
}

async function oneOf(world: Walk, steps: readonly [Step, string][]): Promise<Verdict> {
  const begun = ([, path]: [Step, string]) => world.progress.passed.some((passed) => isWithin(passed.path, path));
  // An alternative that was begun continues while it can be passed. To choose another one restarts the sign-in.
  for (const [step, path] of steps.filter(begun)) {
    const verdict = await at(world, step, path);
    if (verdict.status !== "impossible") return verdict;
  }
  const asks: Ask[] = [];
  let unproven = false;
  for (const [step, path] of steps.filter((each) => !begun(each))) {
    if (!(await maySkip(world, step, steps))) continue;
    const verdict = await at(world, step, path);
    if (verdict.status === "passed" || verdict.status === "silent") return verdict;
    if (verdict.status === "ask") asks.push(...verdict.asks);
    unproven ||= verdict.status === "unproven";
  }
  if (asks.length > 0) return { status: "ask", asks: chosenFirst(asks, world.progress.chosen) };
  if (unproven) return UNPROVEN;
  return setUpOf(world, steps);
}

/**
 * Tells whether the session may replace the alternatives of its list. It may if its proofs pass one of them now, with every condition
 * evaluated for this user; or if they reach the level of every alternative, and pass every conditional sub-flow that applies to this user
 * now.
 */
async function maySkip(world: Walk, step: Step, ways: readonly [Step, string][]): Promise<boolean> {
  if (isSubFlow(step) || step.authenticator !== SESSION) return true;
  const others = ways.filter(([way]) => isSubFlow(way) || way.authenticator !== SESSION);
  for (const [way, path] of others)
    if (isProvenIn(world, way, path, false) && (await at(world, way, path)).status === "passed") return true;
  if (Number(levelOf(world.progress.passed) ?? 0) < certainLevel(ways.map(([way]) => way))) return false;
  for (const [way, path] of others) if (!(await meetsConditions(world, way, path))) return false;
  return true;
}

/** Tells whether each conditional sub-flow of a step that applies now is passed. */
async function meetsConditions(world: Walk, step: Step, path: string): Promise<boolean> {
  if (!isSubFlow(step) || !isOn(step)) return true;
  if (step.requirement === "CONDITIONAL") {
    if (isProvenIn(world, step, path) || !(await applies(world, step, path))) return true;
    return (await at(world, step, path)).status === "passed";
  }
  for (const [index, each] of step.steps.entries()) if (!(await meetsConditions(world, each, `${path}.${index}`))) return false;
  return true;
}

/**
 * Tells whether the present proofs pass a step, judged by their names only: it reads nothing and evaluates no condition. With
 * `withConditional`, conditional sub-flows have to be passed as well, whether they apply or not.
 */
function isProvenIn(world: Walk, step: Step, path: string, withConditional = true): boolean {
  if (!isSubFlow(step)) return hasPassed(world.progress, path) || (!world.onTop && isCarried(world.progress, step.authenticator));
  const asked = step.steps.flatMap((each, index) => (!isOn(each) || conditionOf(world, each) ? [] : [[each, `${path}.${index}`] as const]));
  const proves = ([each, at]: readonly [Step, string]) => isProvenIn(world, each, at, withConditional);
  const needed = asked.filter(([{ requirement }]) => requirement === "REQUIRED" || (withConditional && requirement === "CONDITIONAL"));
  if (needed.length > 0) return needed.every(proves);
  return asked.some((each) => each[0].requirement === "ALTERNATIVE" && proves(each));
}

async function at(world: Walk, step: Step, path: string): Promise<Verdict> {
  if (isSubFlow(step)) return walk(world, step.steps, `${path}.`);
  if (hasPassed(world.progress, path)) return PASSED;
  if (!world.onTop && isCarried(world.progress, step.authenticator)) return PASSED;
  const authenticator = world.authenticator(step.authenticator);
  const context = world.contextOf(path, step.config);
  if (authenticator?.kind === "silent") {
    const proof = await authenticator.passes(context);
    return proof ? { status: "silent", step: { path, name: step.authenticator, proof } } : IMPOSSIBLE;
  }
  if (authenticator?.kind !== "question") return IMPOSSIBLE;
  if (await authenticator.settled?.(context)) return PASSED;
  // The user set up this credential in the sign-in, which has proven it.
  if (authenticator.setUp !== null && world.progress.passed.some(({ authenticator: name }) => name === authenticator.setUp)) return PASSED;
  const needsUser = !authenticator.identifies && world.progress.userId === null && world.progress.login === null;
  if (!needsUser && (await authenticator.available(context)))
    return { status: "ask", asks: [{ path, name: step.authenticator, question: authenticator, config: step.config }] };
  return step.requirement === "REQUIRED" ? setUpOf(world, [[step, path]]) : IMPOSSIBLE;
}

/** Asks an authenticated user without the credential to set it up instead, or another one of the list. */
async function setUpOf(world: Walk, steps: readonly [Step, string][]): Promise<Verdict> {
  if (!isProven(world.progress) || world.progress.userId === null) return IMPOSSIBLE;
  const asks: Ask[] = [];
  for (const [step, path] of steps) {
    if (isSubFlow(step)) continue;
    const authenticator = world.authenticator(step.authenticator);
    const action = authenticator?.kind === "question" ? authenticator.setUp : null;
    const question = action === null || step.config.setUp === false ? undefined : world.setUp(action);
    if (!question || !action) continue;
    // Adding a credential needs recent authentication, with the second factor if the user has one.
    const hasBegun = world.progress.data[path] !== undefined;
    if (!hasBegun && !isRecentlyAuthenticated(world.progress.passed, world.needsSecondFactor, world.now)) return UNPROVEN;
    asks.push({ path, name: action, question, config: {} });
  }
  return asks.length > 0 ? { status: "ask", asks: chosenFirst(asks, world.progress.chosen) } : IMPOSSIBLE;
}

const conditionOf = (world: Walk, step: Step) => {
  const authenticator = isSubFlow(step) ? undefined : world.authenticator(step.authenticator);
  return authenticator?.kind === "condition" ? authenticator : undefined;
};

/** Tells whether a conditional sub-flow applies: it does if all its conditions hold. */
async function applies(world: Walk, step: Step, path: string): Promise<boolean> {
  if (!isSubFlow(step)) return false;
  for (const [index, each] of step.steps.entries()) {
    const condition = isOn(each) ? conditionOf(world, each) : undefined;
    const config = (each as AuthenticatorStep).config;
    const passedBy = (names: readonly string[]) => isPassedBy(world, step, path, names);
    if (condition && !(await condition.holds(world.contextOf(`${path}.${index}`, config), passedBy))) return false;
  }
  return true;
}

/** Tells whether these authenticators pass a sub-flow, as if a session had proven them. */
async function isPassedBy(world: Walk, step: SubFlow, path: string, names: readonly string[]): Promise<boolean> {
  const proofs = names.map((authenticator) => ({ flow: "", authenticator, factor: null, amr: [], at: world.now }));
  const passed = [...world.progress.passed.filter(isNew), ...carriedFrom(proofs)];
  const progress = { ...world.progress, passed, sessionId: world.progress.sessionId ?? "" };
  return (await walk({ ...world, progress, onTop: false }, step.steps, `${path}.`)).status === "passed";
}

const isWithin = (path: string, ancestor: string) => path === ancestor || path.startsWith(`${ancestor}.`);

export const chosenFirst = (asks: readonly Ask[], chosen: string | null): readonly Ask[] => [
  ...asks.filter(({ path }) => path === chosen),
  ...asks.filter(({ path }) => path !== chosen),
];

type Kind = Exclude<Factor, "both">;

/** Returns the lowest level of these alternatives. Silent steps (the session) do not count. */
function certainLevel(ways: readonly Step[]): number {
  const levels = ways.filter((way) => !isSilent(way)).map((way) => Number(levelOf([...kindsOf(way)].map((factor) => ({ factor }))) ?? 0));
  return levels.length === 0 ? 0 : Math.min(...levels);
}

export const authenticatorOf = (name: string): Authenticator | undefined =>
  Object.hasOwn(authenticators, name) ? authenticators[name] : undefined;

const kindOf = (step: Step) => (isSubFlow(step) ? undefined : authenticatorOf(step.authenticator)?.kind);

export const isOn = (step: Step): boolean => step.requirement !== "DISABLED";
export const isCondition = (step: Step): boolean => kindOf(step) === "condition";

/** Tells whether a step can only be passed by a session. */
export const isSilent = (step: Step): boolean =>
  isSubFlow(step) ? step.steps.filter((each) => isOn(each) && !isCondition(each)).every(isSilent) : kindOf(step) === "silent";

/** Returns the factors that every path through the step proves. */
function kindsOf(step: Step): Set<Kind> {
  if (!isSubFlow(step)) {
    const authenticator = authenticatorOf(step.authenticator);
    const factor = authenticator?.kind === "question" ? authenticator.factor : null;
    return new Set(factor === "both" ? ["knowledge", "possession"] : factor === null ? [] : [factor]);
  }
  const required = step.steps.filter(({ requirement }) => requirement === "REQUIRED");
  if (required.length > 0) return new Set(required.flatMap((each) => [...kindsOf(each)]));
  const ways = step.steps.filter((each) => each.requirement === "ALTERNATIVE" && !isSilent(each)).map(kindsOf);
  return new Set([...(ways[0] ?? [])].filter((kind) => ways.every((way) => way.has(kind))));
}
