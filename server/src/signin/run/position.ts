import { type RequiredAction, requiredActions } from "../../directory/users/index.ts";
import { clock } from "../../kernel/clock.ts";
import {
  authenticators,
  findSignInUser,
  hasPassed,
  isNew,
  linkAccount,
  type Progress,
  type SignInParts,
  type SignInRequest,
} from "../authenticators/index.ts";
import { type Ask, type Flow, type Silently, type Verdict, walk } from "../flows/index.ts";
import { actionQuestions } from "../required-actions/index.ts";
import { hasSecondFactor, isRecentlyAuthenticated, levelOf } from "../sessions/index.ts";
import { startInteraction } from "./interactions.ts";
import { ownerProven } from "./link.ts";
import { advance, contextOf, onlyRecent, type Position, type Run, restarted } from "./run.ts";

const STEP_UP = "step-up";

/** Where the run stands: through the flow, then what the requested level needs on top, then what the user has to do. */
export async function positionOf(parts: SignInParts, run: Run): Promise<Position> {
  if (run.confirm) return hasPassed(run.progress, run.confirm.ask.path) ? pass(run) : ask(run, [run.confirm.ask]);
  const position = await provenBy(parts, run);
  if (position.outcome !== "pass" || run.purpose !== "sign-in") return position;
  const action = await actionLeft(parts, position.run);
  if (!action) return position;
  if (changesCredentials(position.run, action) && !isRecent(position.run)) return proveAnew(parts, position.run);
  return ask(position.run, [action]);
}

const pass = (run: Run): Position => ({ outcome: "pass", run });
const ask = (run: Run, steps: readonly Ask[]): Position => ({ outcome: "ask", run, steps: steps as [Ask, ...Ask[]] });
const refuse = (run: Run, reason: "impossible" | "unmet"): Position => ({ outcome: "refuse", run, reason, returnTo: null });

/** The same without what the user has to do. */
export async function provenBy(parts: SignInParts, run: Run): Promise<Position> {
  const { flows, progress, request } = run;
  const verdict = await walkOn(parts, run, flows!.byAlias.get(progress.flow)!, "");
  if (verdict.status !== "passed") return follow(parts, run, verdict);
  if (progress.link?.proven === false) return ownerStands(parts, run);
  const isMissing = request.recent === true && !isRecent(run);
  if (!isMissing && !isBelow(progress, request)) return pass(run);
  const more = await stepUp(parts, run);
  if (more.status === "ask" || more.status === "silent") return follow(parts, run, more);
  if (more.status === "unproven") return proveAnew(parts, run);
  // A wish that cannot be met leaves them signed in as they were.
  const isDemand = isMissing || request.acrEssential === true;
  return isDemand ? refuse(run, isMissing ? "impossible" : "unmet") : pass(run);
}

/** The owner of an account that is to be linked has passed the flow: with the second factor, where they have one. */
async function ownerStands(parts: SignInParts, run: Run): Promise<Position> {
  if (isRecent(run)) return provenBy(parts, { ...run, progress: ownerProven(run.progress) });
  const more = await stepUp(parts, run);
  return follow(parts, run, more.status === "ask" || more.status === "silent" ? more : { status: "impossible" });
}

async function follow(parts: SignInParts, run: Run, verdict: Verdict): Promise<Position> {
  if (verdict.status === "silent") return provenBy(parts, await passSilently(parts, run, verdict.step));
  if (verdict.status === "unproven") return proveAnew(parts, run);
  return verdict.status === "ask" ? ask(run, verdict.asks) : refuse(run, "impossible");
}

/** Recent authentication, before something that changes how the user signs in: what is missing of it is asked for. */
async function proveAnew(parts: SignInParts, run: Run): Promise<Position> {
  if (!run.request.recent)
    return positionOf(parts, { ...run, request: { ...run.request, recent: true }, progress: onlyRecent(run.progress) });
  // The flow was passed just now as far as it goes: the second factor that the user has is missing.
  const more = await stepUp(parts, run);
  return follow(parts, run, more.status === "ask" || more.status === "silent" ? more : { status: "impossible" });
}

function isRecent({ progress, user }: Run): boolean {
  return isRecentlyAuthenticated(progress.passed, user !== null && hasSecondFactor(user.credentials), clock.now());
}

const changing: readonly string[] = ["UPDATE_PASSWORD", "CONFIGURE_TOTP", "CONFIGURE_PASSKEY", "LINK_ACCOUNT"];

/** What was begun within the sign-in may be finished. */
const changesCredentials = ({ progress, realm }: Run, { name, path }: Ask): boolean =>
  progress.data[path] === undefined && (changing.includes(name) || (name === "UPDATE_PROFILE" && realm.settings.account.changeEmail));

/** A sign-in for what a signed-in user has to do; null where none of it can be asked. */
export async function beginActions(parts: SignInParts, run: Run): Promise<string | null> {
  const { session } = run.visitor;
  const user = session && (await findSignInUser(parts.db, run.realm.realmId, session.userId, clock.now()));
  if (!user || !(await actionLeft(parts, { ...run, user }))) return null;
  const { realm, visitor, returnTo } = run;
  const place = { tx: parts.db, realm: realm.realmId, now: clock.now() };
  return startInteraction(place, { kind: "login", browser: visitor.preSession, request: {}, returnTo });
}

/** An answer to a step is meant to count, also where a session that has begun meanwhile would do without. */
export async function positionToAnswer(parts: SignInParts, run: Run, step: string | undefined): Promise<Position> {
  const found = await positionOf(parts, run);
  if (stepOf(found, step) !== null || run.progress.passed.some(isNew)) return found;
  return positionOf(parts, restarted({ ...run, request: { ...run.request, reauthenticate: true } }));
}

/** The step that an answer is meant for: the one it names, as long as that can be asked now. */
export const stepOf = (position: Position, path: string | undefined): Ask | null =>
  position.outcome !== "ask" ? null : path === undefined ? position.steps[0] : (position.steps.find((step) => step.path === path) ?? null);

/** Not as sure as was requested. */
const isBelow = ({ passed }: Progress, { acr }: SignInRequest): boolean => Number(levelOf(passed) ?? 0) < Number(acr ?? 0);

const walkOn = (parts: SignInParts, run: Run, flow: Flow, prefix: string): Promise<Verdict> =>
  walk(
    {
      progress: run.progress,
      user: run.user,
      now: clock.now(),
      onTop: flow.alias === STEP_UP,
      authenticator: (name) => (Object.hasOwn(authenticators, name) ? authenticators[name] : undefined),
      setUp: (action) => (maySetUp(run, flow) ? actionQuestions[action] : undefined),
      contextOf: (path, config) => contextOf(parts, run, { path, config }),
    },
    flow.steps,
    prefix,
  );

/** On a page, and not for what a client merely wishes. */
const maySetUp = ({ purpose, request }: Run, { alias }: Flow): boolean =>
  purpose === "sign-in" && (alias !== STEP_UP || request.acrEssential === true);

/** Of this version of the flow: what was passed of an older one may have been something else. */
function stepUp(parts: SignInParts, run: Run): Promise<Verdict> {
  const flow = run.flows!.byAlias.get(STEP_UP)!;
  return walkOn(parts, run, flow, `${STEP_UP}@${flow.version}:`);
}

const passSilently = (parts: SignInParts, run: Run, { path, name, proof }: Silently): Promise<Run> =>
  advance(parts, run, { path, authenticator: name, factor: proof.factor, amr: proof.amr, at: clock.now() }, proof);

/** One page each, in their order; those that cannot be asked wait for a sign-in in which they can. */
export async function actionLeft(parts: SignInParts, run: Run): Promise<Ask | null> {
  const { user, progress, request } = run;
  if (!user) return null;
  const wanted = requiredActions.filter((action) => user.requiredActions.includes(action) || request.actions?.includes(action));
  for (const action of wanted) {
    const question = actionQuestions[action];
    if (!question || hasPassed(progress, actionPath(action))) continue;
    const asked = { path: actionPath(action), name: action, question, config: {} };
    if (await question.available(contextOf(parts, run, asked))) return asked;
  }
  return request.link !== undefined && !hasPassed(progress, LINK_PATH)
    ? { path: LINK_PATH, name: LINK_ACCOUNT, question: linkAccount, config: {} }
    : null;
}

/** Asked for by the user, of no other; so it is none of the actions that an administrator can give. */
const LINK_ACCOUNT = "LINK_ACCOUNT";
const LINK_PATH = `action:${LINK_ACCOUNT}`;

const actionPath = (action: RequiredAction) => `action:${action}`;

/** Those that were there before have been asked, or cannot be. */
export const hasNewActions = ({ progress, user }: Run, actions: readonly RequiredAction[]): boolean =>
  actions.some(
    (action) =>
      actionQuestions[action] !== undefined && !user?.requiredActions.includes(action) && !hasPassed(progress, actionPath(action)),
  );
