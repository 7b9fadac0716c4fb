import { type RequiredAction, requiredActions } from "../../directory/users/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import {
  findSignInUser,
  hasPassed,
  isNew,
  linkAccount,
  type Progress,
  type Question,
  type SignInParts,
  type SignInRequest,
  setUpIn,
  type VisitorFacts,
} from "../authenticators/index.ts";
import {
  type Ask,
  authenticatorOf,
  type Flow,
  type Flows,
  type FlowsSnapshot,
  type Silently,
  STEP_UP,
  type Verdict,
  walk,
} from "../flows/index.ts";
import { actionQuestions } from "../required-actions/index.ts";
import { isRecentlyAuthenticated, isSecondFactor, type LiveSession, levelOf, secondFactors } from "../sessions/index.ts";
import { startInteraction } from "./interactions.store.ts";
import { linkPrefix, orNewAccount, ownerProven } from "./link.ts";
import { advance, contextOf, impossible, needsSecondFactor, onlyRecent, openSignIn, type Position, type Run, restarted } from "./run.ts";

/** Returns the next step of a run: of its flow, then step-up to the requested level, then required actions. */
export async function positionOf(parts: SignInParts, run: Run): Promise<Position> {
  if (run.confirm) return hasPassed(run.progress, run.confirm.ask.path) ? pass(run) : ask(run, [run.confirm.ask]);
  const unread = unreadCodes(run);
  if (unread) return ask(run, [unread]);
  const position = await provenBy(parts, run);
  if (position.outcome !== "pass" || run.purpose !== "sign-in") return position;
  const action = await actionLeft(parts, position.run);
  if (!action) return position;
  if (changesCredentials(position.run, action) && !isRecent(position.run)) return askForRecentProof(parts, position.run);
  return ask(position.run, [action]);
}

/** Finds a second factor that was set up in this sign-in, and whose recovery codes the user still has to save. */
function unreadCodes({ progress }: Run): Ask | null {
  for (const [path, data] of Object.entries(progress.data)) {
    const name = setUpIn(data);
    const question = name && actionQuestions[name];
    if (question && !hasPassed(progress, path)) return { path, name, question, config: {} };
  }
  return null;
}

const pass = (run: Run): Position => ({ outcome: "pass", run });
const ask = (run: Run, steps: readonly Ask[]): Position => ({ outcome: "ask", run, steps: steps as [Ask, ...Ask[]] });

/** Returns the next step as `positionOf` does, without required actions. */
async function provenBy(parts: SignInParts, run: Run): Promise<Position> {
  const { flows, progress, request } = run;
  const verdict = await walkOn(parts, run, flows!.byAlias.get(progress.flow)!, linkPrefix(progress));
  if (verdict.status !== "passed") return follow(parts, run, orNewAccount(run, verdict));
  if (progress.link?.proven === false) return ownerStands(parts, run);
  const isMissing = request.recent === true && !isRecent(run);
  if (!isMissing && !isBelow(progress, request)) return pass(run);
  const more = await stepUp(parts, run, isMissing);
  if (more.status === "ask" || more.status === "silent") return follow(parts, run, more);
  if (more.status === "unproven") return askForRecentProof(parts, run);
  // A voluntary level that cannot be reached does not fail the sign-in.
  if (isMissing) return impossible(run);
  return request.acrEssential === true ? { ...impossible(run), reason: "unmet" } : pass(run);
}

/** Continues after the owner has passed the first-broker-login flow. A second factor is required if they have one. */
async function ownerStands(parts: SignInParts, run: Run): Promise<Position> {
  if (isRecent(run)) return provenBy(parts, { ...run, progress: ownerProven(run.progress) });
  return askMore(parts, run);
}

async function follow(parts: SignInParts, run: Run, verdict: Verdict): Promise<Position> {
  if (verdict.status === "silent") return provenBy(parts, await passSilently(parts, run, verdict.step));
  if (verdict.status === "unproven") return askForRecentProof(parts, run);
  return verdict.status === "ask" ? ask(run, verdict.asks) : impossible(run);
}

/** Asks for a factor on top of the flow. If none can be asked, the sign-in is impossible. */
async function askMore(parts: SignInParts, run: Run): Promise<Position> {
  const more = await stepUp(parts, run, true);
  return follow(parts, run, more.status === "ask" || more.status === "silent" ? more : { status: "impossible" });
}

/** Asks for recent authentication, before a change of credentials. */
async function askForRecentProof(parts: SignInParts, run: Run): Promise<Position> {
  if (!run.request.recent)
    return positionOf(parts, { ...run, request: { ...run.request, recent: true }, progress: onlyRecent(run.progress) });
  // The flow was passed, so only the user's second factor is missing.
  return askMore(parts, run);
}

function isRecent(run: Run): boolean {
  return isRecentlyAuthenticated(run.progress.passed, needsSecondFactor(run), clock.now());
}

const changing: readonly string[] = ["UPDATE_PASSWORD", "CONFIGURE_TOTP", "CONFIGURE_PASSKEY", "LINK_ACCOUNT"];

/** Tells whether the action changes credentials. An action that was begun in this sign-in may be finished, so it does not count. */
const changesCredentials = ({ progress, realm }: Run, { name, path }: Ask): boolean =>
  progress.data[path] === undefined && (changing.includes(name) || (name === "UPDATE_PROFILE" && realm.settings.account.changeEmail));

/** Starts a sign-in for the required actions of a signed-in user. Returns null if none can be asked. */
export async function beginActions(parts: SignInParts, run: Run): Promise<string | null> {
  const { session } = run.visitor;
  const user = session && (await findSignInUser(parts.db, run.realm.realmId, session.userId, clock.now()));
  if (!user || !(await actionLeft(parts, { ...run, user }))) return null;
  const { realm, visitor, returnTo } = run;
  const place = { tx: parts.db, realm: realm.realmId, now: clock.now() };
  return startInteraction(place, { kind: "login", browser: visitor.preSession, request: {}, returnTo });
}

/** Returns the position for an answer. If a session that began meanwhile would skip the step, the step is asked anyway. */
export async function positionToAnswer(parts: SignInParts, run: Run, step: string | undefined): Promise<Position> {
  const found = await positionOf(parts, run);
  if (stepOf(found, step) !== null || run.progress.passed.some(isNew)) return found;
  return positionOf(parts, restarted({ ...run, request: { ...run.request, reauthenticate: true } }));
}

/** Returns the step that an answer names, if it can be asked now. */
export const stepOf = (position: Position, path: string | undefined): Ask | null =>
  position.outcome !== "ask" ? null : path === undefined ? position.steps[0] : (position.steps.find((step) => step.path === path) ?? null);

/** Tells whether the proofs are below the requested level. */
const isBelow = ({ passed }: Progress, { acr }: SignInRequest): boolean => Number(levelOf(passed) ?? 0) < Number(acr ?? 0);

const walkOn = (parts: SignInParts, run: Run, flow: Flow, prefix: string): Promise<Verdict> =>
  walk(
    {
      progress: run.progress,
      user: run.user,
      needsSecondFactor: needsSecondFactor(run),
      now: clock.now(),
      onTop: flow.alias === STEP_UP,
      authenticator: authenticatorOf,
      setUp: (action) => (maySetUp(run, flow) ? actionQuestions[action] : undefined),
      contextOf: (path, config) => contextOf(parts, run, { path, config }),
    },
    flow.steps,
    prefix,
  );

/** Tells whether a credential may be set up: only on a page, and not for a voluntary level. */
const maySetUp = ({ purpose, request }: Run, { alias }: Flow): boolean =>
  purpose === "sign-in" && (alias !== STEP_UP || request.acrEssential === true);

/**
 * Evaluates the step-up flow. Its prefix contains the flow's version, so steps passed in an older version do not count. With `forRecent`,
 * only the user's second factors count and are asked for.
 */
async function stepUp(parts: SignInParts, run: Run, forRecent: boolean): Promise<Verdict> {
  const flow = run.flows!.byAlias.get(STEP_UP)!;
  const prefix = `${STEP_UP}@${flow.version}:`;
  if (!forRecent || !run.user) return walkOn(parts, run, flow, prefix);
  const needed = needsSecondFactor(run);
  const passed = run.progress.passed.filter(({ path, authenticator }) => !path.startsWith(prefix) || isSecondFactor(needed, authenticator));
  const verdict = await walkOn(parts, { ...run, progress: { ...run.progress, passed } }, flow, prefix);
  if (verdict.status === "silent" || (!needed && verdict.status !== "ask")) return verdict;
  const own = verdict.status === "ask" ? verdict.asks.filter(({ name }) => isSecondFactor(needed, name)) : [];
  const isOffered = !needed || own.some(({ name }) => secondFactors.includes(name));
  const asks = isOffered ? own : [...own, ...(await secondFactorAsks(parts, run, own))];
  return asks.length > 0 ? { status: "ask", asks } : { status: "impossible" };
}

/**
 * Returns the user's second factors that another flow than `step-up` asks for. Without them, a user of that flow could not be asked for a
 * factor that they have.
 */
async function secondFactorAsks(parts: SignInParts, run: Run, known: readonly Ask[]): Promise<readonly Ask[]> {
  const verdict = await walkOn(parts, run, run.flows!.bySecondFactor, `${STEP_UP}@own:`);
  return verdict.status === "ask" ? verdict.asks.filter(({ name }) => known.every((ask) => ask.name !== name)) : [];
}

const passSilently = (parts: SignInParts, run: Run, { path, name, proof }: Silently): Promise<Run> =>
  advance(parts, run, { path, authenticator: name, factor: proof.factor, amr: proof.amr, at: clock.now() }, proof);

/** Returns the first open required action, in order. Actions that cannot be asked are skipped. */
async function actionLeft(parts: SignInParts, run: Run): Promise<Ask | null> {
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

/** Tells whether the step is on top of the flow. */
export const isStepUp = ({ path }: Ask): boolean => path.startsWith(`${STEP_UP}@`);

/** Tells whether a required action takes the place of a step, to set up the credential that the step asks for. */
export const isSetUp = ({ name, question }: Ask): boolean => (actionQuestions as Readonly<Record<string, Question>>)[name] === question;

/** The name of the action to link an account. Only the user can ask for it, so administrators cannot require it. */
const LINK_ACCOUNT = "LINK_ACCOUNT";
const LINK_PATH = `action:${LINK_ACCOUNT}`;

const actionPath = (action: RequiredAction) => `action:${action}`;

/** Tells whether actions were added since the user was read. Earlier ones were asked, or cannot be asked. */
export const hasNewActions = ({ progress, user }: Run, actions: readonly RequiredAction[]): boolean =>
  actions.some(
    (action) =>
      actionQuestions[action] !== undefined && !user?.requiredActions.includes(action) && !hasPassed(progress, actionPath(action)),
  );

/** `proof`: the flow asks for a proof that the session does not have. `action`: a required action is open. */
export type SessionStanding = "enough" | "proof" | "action";

interface AskedOfSession {
  readonly realm: RealmSnapshot;
  readonly flows: FlowsSnapshot;
  readonly visitor: VisitorFacts & { readonly session: LiveSession };
  /** The request of the sign-in that would be needed. */
  readonly request: SignInRequest;
}

/**
 * Decides how far a session counts, in one place for all: it is sufficient for a request if its proofs pass the flow that the request names
 * (by default the realm's own) for its user as they are now, and no required action is open. Otherwise a sign-in with the same request
 * continues from the session. The session was read with its user, so a flow whose conditions read neither roles nor browsers is judged
 * without a query.
 */
export async function standingOf(parts: SignInParts, { realm, flows, visitor, request }: AskedOfSession): Promise<SessionStanding> {
  const { session } = visitor;
  // An impersonator is not asked for the user's factors.
  if (session.impersonator !== null) return "enough";
  // The sign-in refuses a user who is no longer in their directory.
  const isMissing =
    session.user.isFromDirectory && (await parts.entryChecks.standing(realm.realmId, session.userId, "renewal")) !== "stands";
  if (isMissing) return "proof";
  if (!flows.byAlias.has(request.flow ?? "browser")) return "proof"; // renamed or deleted meanwhile: the sign-in shows the error
  const interaction = {
    ...{ interactionId: "", kind: "standing", browser: "", returnTo: "", version: 0 },
    ...{ request: { ...request }, state: {}, result: null },
  };
  const standing = await provenBy(parts, await openSignIn(parts, { realm, flows, visitor, interaction, returnTo: "" }));
  if (standing.outcome !== "pass") return "proof";
  return (await actionLeft(parts, standing.run)) ? "action" : "enough";
}

/** The origin of a request that is judged apart from a page: a browser's cookie, or an application with a token. */
export interface RequestFacts {
  readonly sourceIp: string;
  readonly userAgent: string | null;
  readonly deviceToken?: string | null;
}

export type Standings = ReturnType<typeof createStandings>;

/** Creates `standingOf` for all realms, for callers that have a session and no sign-in. */
export const createStandings =
  (parts: SignInParts, flows: Flows) =>
  async (realm: RealmSnapshot, session: LiveSession, from: RequestFacts, request: SignInRequest = {}): Promise<SessionStanding> => {
    const ofRealm = await flows.get(realm.realmId);
    if (!ofRealm) return "proof"; // the realm was deleted
    const locale = realm.settings.defaultLocale as VisitorFacts["locale"];
    const visitor = { session, preSession: "", locale, deviceToken: null, ...from };
    return standingOf(parts, { realm, flows: ofRealm, visitor, request });
  };
