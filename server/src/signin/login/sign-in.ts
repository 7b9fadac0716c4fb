import { type RequiredAction, requiredActions } from "../../directory/users/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import {
  authenticators,
  findSignInUser,
  freshProgress,
  hasPassed,
  levelOf,
  type PassedStep,
  type Progress,
  type Proof,
  type SignInParts,
  type SignInRequest,
  type SignInUser,
  type StepContext,
  sessionFactor,
  type VisitorFacts,
  withPassed,
} from "../authenticators/index.ts";
import { type Ask, type Flow, type FlowsSnapshot, secondFactors, type Verdict, walk } from "../flows/index.ts";
import { type Interaction, interactionErrors, saveInteractionState, startInteraction } from "../interactions/index.ts";
import { stranger } from "../passwords/index.ts";
import { actionQuestions } from "./actions.ts";
import { lacksOwnFactor } from "./reset-guard.ts";

/** A sign-in under way, as one request meets it. */
export interface SignIn {
  readonly realm: RealmSnapshot;
  readonly flows: FlowsSnapshot;
  readonly visitor: VisitorFacts;
  readonly request: SignInRequest;
  /** None for the first page of a plain sign-in. */
  readonly interaction: Interaction | null;
  readonly progress: Progress;
  readonly user: SignInUser | null;
  /** Where to go on, for a sign-in that nothing else asked for. */
  readonly returnTo: string;
}

export type Position =
  /** The first is to be shown; the others are other ways. */
  | { readonly kind: "ask"; readonly asks: readonly [Ask, ...Ask[]] }
  | { readonly kind: "done" }
  /** Nothing that this user could do leads on. `unmet`: to the level that was asked for. */
  | { readonly kind: "stuck"; readonly unmet: boolean };

const STEP_UP = "step-up";
/** The authenticator by which a session that is there counts. */
export const SESSION = "cookie";

/** As far as the interaction has come; from the beginning, where the flow is another by now. */
export async function openSignIn(
  parts: SignInParts,
  asked: Pick<SignIn, "realm" | "flows" | "visitor" | "interaction" | "returnTo">,
): Promise<SignIn> {
  const { realm, flows, visitor, interaction } = asked;
  const request = (interaction?.request ?? {}) as SignInRequest;
  const kept = interaction?.state as Partial<Progress> | undefined;
  const isCurrent = kept?.flow !== undefined && flows.byAlias.get(kept.flow)?.version === kept.flowVersion;
  // Signed out meanwhile, or somebody else is signed in: what that session had proven counts no more.
  const isOwn = kept?.sessionId === undefined || kept.sessionId === visitor.session?.sessionId;
  const progress = isCurrent && isOwn ? (kept as Progress) : beginning(flowFor(flows, request, visitor), request, visitor);
  const user = progress.userId === null ? null : await findSignInUser(parts.db, realm.realmId, progress.userId, clock.now());
  return { ...asked, request, progress, user };
}

/** Whoever is signed in and has to prove more is asked for that alone. */
const stepsUp = ({ acr, reauthenticate }: SignInRequest, { session }: VisitorFacts): boolean =>
  session !== null && session.impersonator === null && !reauthenticate && Number(acr ?? 0) > Number(session.acr ?? 1);

function flowFor({ byAlias }: FlowsSnapshot, request: SignInRequest, visitor: VisitorFacts): Flow {
  const flow = byAlias.get(stepsUp(request, visitor) ? STEP_UP : (request.flow ?? "browser"));
  // Renamed or deleted since: whoever asked knows by now which it is to be.
  if (!flow) throw interactionErrors.gone();
  return flow;
}

function beginning(flow: Flow, request: SignInRequest, visitor: VisitorFacts): Progress {
  const fresh = freshProgress(flow);
  const { session } = visitor;
  if (flow.alias !== STEP_UP || !session || !stepsUp(request, visitor)) return fresh;
  const earlier = { path: "session", authenticator: SESSION, factor: sessionFactor(session), amr: session.amr, at: session.authTime };
  const { userId, username: login, remembered: remember, sessionId } = session;
  return { ...fresh, userId, login, passed: [earlier], remember, sessionId };
}

export function contextOf(
  parts: SignInParts,
  signIn: SignIn,
  { path, config }: Pick<Ask, "path" | "config">,
  named: StepContext["named"] = null,
): StepContext {
  const { realm, visitor, request, interaction, progress, user } = signIn;
  return {
    ...{ parts, realm, visitor, request, progress, user, path, config, named, alert: null },
    interactionId: interaction?.interactionId ?? null,
    data: progress.data[path] ?? null,
    now: clock.now(),
  };
}

/** Where it stands: through the flow, then what the level that was asked for needs on top, then what the user has to do. */
export async function positionOf(parts: SignInParts, signIn: SignIn): Promise<{ position: Position; signIn: SignIn }> {
  const { flows, progress, request } = signIn;
  const isStepUp = progress.flow === STEP_UP;
  const verdict = await walkOn(parts, signIn, flows.byAlias.get(progress.flow)!, "");
  if (verdict.status === "silent") return positionOf(parts, await passSilently(parts, signIn, verdict.step));
  // A wish that cannot be met leaves them signed in as they were.
  const isOver = verdict.status === "passed" || (verdict.status === "impossible" && isStepUp && !request.acrEssential);
  if (!isOver) return { position: asPosition(verdict, isStepUp), signIn };
  if (await lacksOwnFactor(parts, signIn)) {
    const own = { ...flows.byAlias.get(progress.flow)!, steps: secondFactors };
    return { position: asPosition(await walkOn(parts, signIn, own, "own-factor:")), signIn };
  }
  if (isBelow(progress, request)) {
    const stepUp = flows.byAlias.get(STEP_UP)!;
    // Of this version of it: what was passed of an older one may have been something else.
    const more = isStepUp ? verdict : await walkOn(parts, signIn, stepUp, `${STEP_UP}@${stepUp.version}:`);
    if (more.status === "ask") return { position: asPosition(more), signIn };
    if (more.status === "silent") return positionOf(parts, await passSilently(parts, signIn, more.step));
    if (request.acrEssential) return { position: { kind: "stuck", unmet: true }, signIn };
  }
  return { position: (await actionsLeft(parts, signIn)) ?? { kind: "done" }, signIn };
}

/** Not as sure as was asked for. */
const isBelow = (progress: Progress, { acr }: SignInRequest): boolean => Number(levelOf(progress) ?? 0) < Number(acr ?? 0);

const walkOn = (parts: SignInParts, signIn: SignIn, flow: Flow, prefix: string): Promise<Verdict> =>
  walk(
    {
      progress: signIn.progress,
      user: signIn.user,
      authenticator: (name) => (Object.hasOwn(authenticators, name) ? authenticators[name] : undefined),
      // Nobody has to set up anything for what an application merely wishes.
      setUp: (action) => (flow.alias === STEP_UP && !signIn.request.acrEssential ? undefined : actionQuestions[action]),
      contextOf: (path, config) => contextOf(parts, signIn, { path, config }),
    },
    flow.steps,
    prefix,
  );

const asPosition = (verdict: Verdict, unmet = false): Position =>
  verdict.status === "ask" ? { kind: "ask", asks: verdict.asks as [Ask, ...Ask[]] } : { kind: "stuck", unmet };

async function passSilently(
  parts: SignInParts,
  signIn: SignIn,
  { path, name, proof }: { readonly path: string; readonly name: string; readonly proof: Proof },
): Promise<SignIn> {
  const passed = await advance(parts, signIn, { path, authenticator: name, factor: proof.factor, amr: proof.amr, at: clock.now() }, proof);
  const { session } = signIn.visitor;
  return name === SESSION && session ? { ...passed, progress: { ...passed.progress, sessionId: session.sessionId } } : passed;
}

export async function advance(parts: SignInParts, signIn: SignIn, step: PassedStep, proof: Proof): Promise<SignIn> {
  const progress = withPassed(signIn.progress, step, proof);
  const { userId } = progress;
  const isSame = userId !== null && signIn.user?.userId === userId;
  const user = userId === null ? null : isSame ? signIn.user : await findSignInUser(parts.db, signIn.realm.realmId, userId, clock.now());
  return { ...signIn, progress, user };
}

/** One page each, in their order; those that cannot be asked wait for a sign-in in which they can. */
async function actionsLeft(parts: SignInParts, signIn: SignIn): Promise<Position | null> {
  const { user, progress, request } = signIn;
  if (!user) return null;
  const wanted = requiredActions.filter((action) => user.requiredActions.includes(action) || request.actions?.includes(action));
  for (const action of wanted) {
    const question = actionQuestions[action];
    if (!question || hasPassed(progress, actionPath(action))) continue;
    const ask = { path: actionPath(action), name: action, question, config: {} };
    if (await question.available(contextOf(parts, signIn, ask))) return { kind: "ask", asks: [ask] };
  }
  return null;
}

export const actionPath = (action: RequiredAction) => `action:${action}`;

/** The step's own preparations, once: what it keeps is stored before its page is shown. */
export async function beginStep(parts: SignInParts, signIn: SignIn, ask: Ask): Promise<SignIn> {
  if (!ask.question.begin || signIn.progress.data[ask.path]) return signIn;
  const { data, commit } = await ask.question.begin(contextOf(parts, signIn, ask));
  return parts.work.transact(originOf(signIn), async (ctx) => keepData(ctx, signIn, ask, (await commit?.(ctx)) ?? data));
}

export async function keepData(ctx: Ctx, signIn: SignIn, { path }: Ask, data: Readonly<Record<string, unknown>>): Promise<SignIn> {
  const progress = { ...signIn.progress, data: { ...signIn.progress.data, [path]: data } };
  return { ...signIn, progress, interaction: await keep(ctx, { ...signIn, progress }, signIn.interaction) };
}

/** One of several ways is chosen, or all of it is begun anew. */
export async function keepProgress(parts: SignInParts, signIn: SignIn): Promise<string> {
  const row = await parts.work.transact(originOf(signIn), (ctx) => keep(ctx, signIn, signIn.interaction));
  return row.interactionId;
}

export const restarted = (signIn: SignIn): SignIn => ({
  ...signIn,
  progress: beginning(flowFor(signIn.flows, signIn.request, signIn.visitor), signIn.request, signIn.visitor),
  user: null,
});

/** The first step that has to be remembered gives the sign-in its row. */
export async function keep(
  ctx: Ctx,
  { progress, visitor, returnTo, request }: SignIn,
  interaction: Interaction | null,
): Promise<Interaction> {
  if (interaction) {
    await saveInteractionState(ctx, interaction, { ...progress });
    return { ...interaction, state: { ...progress }, version: interaction.version + 1 };
  }
  const interactionId = await startInteraction(ctx, {
    kind: "login",
    browser: visitor.preSession,
    request: { ...request },
    state: { ...progress },
    returnTo,
  });
  return { interactionId, kind: "login", request: { ...request }, state: { ...progress }, result: null, returnTo, version: 1 };
}

export const originOf = ({ realm, visitor, user, progress }: SignIn, login?: string) => ({
  realm: realm.realmId,
  actor: stranger(realm.realmId, login ?? user?.username ?? progress.login ?? ""),
  sourceIp: visitor.sourceIp,
});

/** The question that an answer is meant for: the one it names, as long as that can be asked now. */
export const askFor = (position: Position, path: string | undefined): Ask | null =>
  position.kind !== "ask" ? null : path === undefined ? position.asks[0] : (position.asks.find((ask) => ask.path === path) ?? null);
