import {
  type Authenticator,
  hasPassed,
  isCarried,
  isProven,
  type Progress,
  type Proof,
  type Question,
  SESSION,
  type SignInUser,
  type StepContext,
} from "../authenticators/index.ts";
import { hasSecondFactor, isRecentlyAuthenticated, levelOf } from "../sessions/index.ts";
import { certainLevel } from "./certain.ts";
import { type AuthenticatorStep, isSubFlow, type Step } from "./flow.ts";

/** Something that can be asked now. */
export interface Ask {
  readonly path: string;
  /** The name of the step's authenticator; of a required action, where that is asked in its place. */
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
  /** The first is to be shown; the others are other ways. */
  | { readonly status: "ask"; readonly asks: readonly Ask[] }
  /** Goes on at once from there. */
  | { readonly status: "silent"; readonly step: Silently }
  /** Something has to be set up, which takes recent authentication first. */
  | { readonly status: "unproven" }
  | { readonly status: "impossible" };

/** What the walk needs of the world. */
export interface Walk {
  readonly progress: Progress;
  readonly user: SignInUser | null;
  readonly now: number;
  /** Asks for more than there is: what the session proved before does not pass its steps. */
  readonly onTop?: boolean;
  authenticator(name: string): Authenticator | undefined;
  /** What sets up that for which the user has nothing yet. */
  setUp(action: NonNullable<Question["setUp"]>): Question | undefined;
  contextOf(path: string, config: Readonly<Record<string, unknown>>): StepContext;
}

const PASSED: Verdict = { status: "passed" };
const UNPROVEN: Verdict = { status: "unproven" };
const IMPOSSIBLE: Verdict = { status: "impossible" };

/**
 * Where in a list of steps the user is. Those that are required, and the conditional ones whose conditions hold, have to be passed one
 * after the other; where there are none of these, one of the alternatives is enough.
 */
export async function walk(world: Walk, steps: readonly Step[], prefix: string): Promise<Verdict> {
  const must: [Step, string][] = [];
  const may: [Step, string][] = [];
  for (const [index, step] of steps.entries()) {
    const path = `${prefix}${index}`;
    if (step.requirement === "DISABLED" || conditionOf(world, step)) continue;
    if (step.requirement === "ALTERNATIVE") may.push([step, path]);
    else if (step.requirement === "REQUIRED" || (await applies(world, step, path))) must.push([step, path]);
  }
  if (must.length > 0) return inTurn(world, must);
  return may.length > 0 ? oneOf(world, may) : PASSED;
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
  // An alternative that was begun goes on, as long as it leads on: to begin again is to choose another.
  for (const [step, path] of steps.filter(begun)) {
    const verdict = await at(world, step, path);
    if (verdict.status !== "impossible") return verdict;
  }
  const asks: Ask[] = [];
  let unproven = false;
  for (const [step, path] of steps.filter((each) => !begun(each))) {
    if (!maySkip(world, step, steps)) continue;
    const verdict = await at(world, step, path);
    if (verdict.status === "passed" || verdict.status === "silent") return verdict;
    if (verdict.status === "ask") asks.push(...verdict.asks);
    unproven ||= verdict.status === "unproven";
  }
  if (asks.length > 0) return { status: "ask", asks: chosenFirst(asks, world.progress.chosen) };
  if (unproven) return UNPROVEN;
  return setUpOf(world, steps);
}

/** The session stands in for the other ways of its list, so it has to be as sure as each of them makes certain. */
function maySkip({ progress }: Walk, step: Step, ways: readonly [Step, string][]): boolean {
  if (isSubFlow(step) || step.authenticator !== SESSION) return true;
  return Number(levelOf(progress.passed) ?? 0) >= certainLevel(ways.map(([way]) => way));
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
  // Set up a moment ago, as an action after the flow: that has shown it, and the flow does not begin to ask for it now.
  if (authenticator.setUp !== null && world.progress.passed.some(({ authenticator: name }) => name === authenticator.setUp)) return PASSED;
  const needsSomebody = !authenticator.identifies && world.progress.userId === null && world.progress.login === null;
  if (!needsSomebody && (await authenticator.available(context)))
    return { status: "ask", asks: [{ path, name: step.authenticator, question: authenticator, config: step.config }] };
  return step.requirement === "REQUIRED" ? setUpOf(world, [[step, path]]) : IMPOSSIBLE;
}

/** For an authenticated user who has nothing of what is asked: they are asked to set it up, and that is the step. */
async function setUpOf(world: Walk, steps: readonly [Step, string][]): Promise<Verdict> {
  if (!isProven(world.progress) || world.progress.userId === null) return IMPOSSIBLE;
  for (const [step, path] of steps) {
    if (isSubFlow(step)) continue;
    const authenticator = world.authenticator(step.authenticator);
    const action = authenticator?.kind === "question" ? authenticator.setUp : null;
    const question = action === null || step.config.setUp === false ? undefined : world.setUp(action);
    if (!question || !action) continue;
    // A session that was left open adds no credential, nor a second factor without the one that is there.
    const hasBegun = world.progress.data[path] !== undefined;
    if (!hasBegun && !isRecentlyAuthenticated(world.progress.passed, needsSecondFactor(world), world.now)) return UNPROVEN;
    return { status: "ask", asks: [{ path, name: action, question, config: {} }] };
  }
  return IMPOSSIBLE;
}

const needsSecondFactor = ({ user }: Walk): boolean => user !== null && hasSecondFactor(user.credentials);

const conditionOf = (world: Walk, step: Step) => {
  const authenticator = isSubFlow(step) ? undefined : world.authenticator(step.authenticator);
  return authenticator?.kind === "condition" ? authenticator : undefined;
};

/** A conditional sub-flow is asked for when all conditions in it hold. */
async function applies(world: Walk, step: Step, path: string): Promise<boolean> {
  if (!isSubFlow(step)) return false;
  for (const [index, each] of step.steps.entries()) {
    const condition = each.requirement === "DISABLED" ? undefined : conditionOf(world, each);
    if (condition && !(await condition.holds(world.contextOf(`${path}.${index}`, (each as AuthenticatorStep).config)))) return false;
  }
  return true;
}

const isWithin = (path: string, ancestor: string) => path === ancestor || path.startsWith(`${ancestor}.`);

const chosenFirst = (asks: readonly Ask[], chosen: string | null): readonly Ask[] => [
  ...asks.filter(({ path }) => path === chosen),
  ...asks.filter(({ path }) => path !== chosen),
];
