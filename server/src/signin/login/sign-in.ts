import { type RequiredAction, requiredActions } from "../../directory/users/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import {
  authenticators,
  carriedFrom,
  findSignInUser,
  freshProgress,
  hasPassed,
  isNew,
  type PassedStep,
  type Progress,
  type Proof,
  SESSION,
  type SignInParts,
  type SignInRequest,
  type SignInUser,
  type StepContext,
  type VisitorFacts,
  withPassed,
} from "../authenticators/index.ts";
import { type Ask, type Flow, type FlowsSnapshot, isSignInFlow, type Verdict, walk } from "../flows/index.ts";
import { type Interaction, interactionErrors, saveInteractionState, startInteraction } from "../interactions/index.ts";
import { stranger } from "../passwords/index.ts";
import { hasSecondFactor, isRecentlyAuthenticated, levelOf, recentProofs } from "../sessions/index.ts";
import { actionQuestions } from "./actions.ts";

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
  const begun = isCurrent && isOwn ? (kept as Progress) : beginning({ flows, request, visitor, interaction });
  const progress = request.recent ? onlyRecent(begun) : begun;
  const user = progress.userId === null ? null : await findSignInUser(parts.db, realm.realmId, progress.userId, clock.now());
  return { ...asked, request, progress, user };
}

function flowFor({ byAlias }: FlowsSnapshot, request: SignInRequest): Flow {
  const flow = byAlias.get(request.flow ?? "browser");
  // Renamed or deleted since: whoever asked knows by now which it is to be.
  if (!flow) throw interactionErrors.gone();
  return flow;
}

type Beginning = Pick<SignIn, "flows" | "request" | "visitor" | "interaction">;

/** Whoever is signed in goes on from that: what the session proved is not asked again, unless the request wants it anew. */
function beginning({ flows, request, visitor: { session }, interaction }: Beginning): Progress {
  const flow = flowFor(flows, request);
  const fresh = freshProgress(flow);
  const isPlain = interaction === null || request.reauthenticate || !isSignInFlow(flow.alias);
  if (isPlain || !session || session.impersonator !== null) return fresh;
  const { userId, username: login, remembered: remember, sessionId, proofs } = session;
  return { ...fresh, userId, login, passed: carriedFrom(proofs), remember, sessionId };
}

/** Without what was proven longer ago; a session is looked at anew. */
const onlyRecent = (progress: Progress): Progress => ({
  ...progress,
  passed: recentProofs(progress.passed, clock.now()).filter(({ authenticator }) => authenticator !== SESSION),
});

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
export async function positionOf(parts: SignInParts, signIn: SignIn): Promise<Standing> {
  const passed = await provenBy(parts, signIn);
  if (passed.position.kind !== "done") return passed;
  const action = await actionLeft(parts, passed.signIn);
  if (!action) return passed;
  if (changesCredentials(passed.signIn, action) && !isRecent(passed.signIn)) return proveAnew(parts, passed.signIn);
  return { position: { kind: "ask", asks: [action] }, signIn: passed.signIn };
}

export interface Standing {
  readonly position: Position;
  /** With what passed by itself. */
  readonly signIn: SignIn;
}

/** The same without what the user has to do. */
export async function provenBy(parts: SignInParts, signIn: SignIn): Promise<Standing> {
  const { flows, progress, request } = signIn;
  const verdict = await walkOn(parts, signIn, flows.byAlias.get(progress.flow)!, "");
  if (verdict.status !== "passed") return follow(parts, signIn, verdict);
  const isMissing = request.recent === true && !isRecent(signIn);
  if (!isMissing && !isBelow(progress, request)) return { position: { kind: "done" }, signIn };
  const more = await stepUp(parts, signIn);
  if (more.status === "ask" || more.status === "silent") return follow(parts, signIn, more);
  if (more.status === "unproven") return proveAnew(parts, signIn);
  // A wish that cannot be met leaves them signed in as they were.
  const isDemand = isMissing || request.acrEssential === true;
  return { position: isDemand ? { kind: "stuck", unmet: !isMissing } : { kind: "done" }, signIn };
}

async function follow(parts: SignInParts, signIn: SignIn, verdict: Verdict): Promise<Standing> {
  if (verdict.status === "silent") return provenBy(parts, await passSilently(parts, signIn, verdict.step));
  if (verdict.status === "unproven") return proveAnew(parts, signIn);
  const position: Position =
    verdict.status === "ask" ? { kind: "ask", asks: verdict.asks as [Ask, ...Ask[]] } : { kind: "stuck", unmet: false };
  return { position, signIn };
}

/** Recent authentication, before something that changes how the user signs in: what is missing of it is asked for. */
async function proveAnew(parts: SignInParts, signIn: SignIn): Promise<Standing> {
  if (!signIn.request.recent)
    return positionOf(parts, { ...signIn, request: { ...signIn.request, recent: true }, progress: onlyRecent(signIn.progress) });
  // The flow was passed just now as far as it goes: the second factor that the user has is missing.
  const more = await stepUp(parts, signIn);
  return follow(parts, signIn, more.status === "ask" || more.status === "silent" ? more : { status: "impossible" });
}

function isRecent({ progress, user }: SignIn): boolean {
  return isRecentlyAuthenticated(progress.passed, user !== null && hasSecondFactor(user.credentials), clock.now());
}

const changing: readonly string[] = ["UPDATE_PASSWORD", "CONFIGURE_TOTP", "CONFIGURE_PASSKEY"] satisfies RequiredAction[];

/** Whoever has begun with it within the sign-in may finish. */
const changesCredentials = ({ progress, realm }: SignIn, { name, path }: Ask): boolean =>
  progress.data[path] === undefined && (changing.includes(name) || (name === "UPDATE_PROFILE" && realm.settings.account.changeEmail));

/** A sign-in for what a signed-in user has to do; null where none of it can be asked. */
export async function beginActions(parts: SignInParts, signIn: SignIn): Promise<string | null> {
  const { session } = signIn.visitor;
  const user = session && (await findSignInUser(parts.db, signIn.realm.realmId, session.userId, clock.now()));
  if (!user || !(await actionLeft(parts, { ...signIn, user }))) return null;
  const { realm, visitor, returnTo } = signIn;
  const place = { tx: parts.db, realm: realm.realmId, now: clock.now() };
  return startInteraction(place, { kind: "login", browser: visitor.preSession, request: {}, returnTo });
}

/** Whoever answers a step wants that to count, also where a session that has begun meanwhile would do without. */
export async function positionToAnswer(parts: SignInParts, signIn: SignIn, step: string | undefined): Promise<Standing> {
  const found = await positionOf(parts, signIn);
  if (askFor(found.position, step) !== null || signIn.progress.passed.some(isNew)) return found;
  return positionOf(parts, restarted({ ...signIn, request: { ...signIn.request, reauthenticate: true } }));
}

/** Not as sure as was asked for. */
const isBelow = ({ passed }: Progress, { acr }: SignInRequest): boolean => Number(levelOf(passed) ?? 0) < Number(acr ?? 0);

const walkOn = (parts: SignInParts, signIn: SignIn, flow: Flow, prefix: string): Promise<Verdict> =>
  walk(
    {
      progress: signIn.progress,
      user: signIn.user,
      now: clock.now(),
      onTop: flow.alias === STEP_UP,
      authenticator: (name) => (Object.hasOwn(authenticators, name) ? authenticators[name] : undefined),
      // Nobody has to set up anything for what an application merely wishes.
      setUp: (action) => (flow.alias === STEP_UP && !signIn.request.acrEssential ? undefined : actionQuestions[action]),
      contextOf: (path, config) => contextOf(parts, signIn, { path, config }),
    },
    flow.steps,
    prefix,
  );

/** Of this version of the flow: what was passed of an older one may have been something else. */
function stepUp(parts: SignInParts, signIn: SignIn): Promise<Verdict> {
  const flow = signIn.flows.byAlias.get(STEP_UP)!;
  return walkOn(parts, signIn, flow, `${STEP_UP}@${flow.version}:`);
}

function passSilently(
  parts: SignInParts,
  signIn: SignIn,
  { path, name, proof }: { readonly path: string; readonly name: string; readonly proof: Proof },
): Promise<SignIn> {
  return advance(parts, signIn, { path, authenticator: name, factor: proof.factor, amr: proof.amr, at: clock.now() }, proof);
}

export async function advance(parts: SignInParts, signIn: SignIn, step: PassedStep, proof: Proof): Promise<SignIn> {
  const progress = withPassed(signIn.progress, step, proof);
  const { userId } = progress;
  const isSame = userId !== null && signIn.user?.userId === userId;
  const user = userId === null ? null : isSame ? signIn.user : await findSignInUser(parts.db, signIn.realm.realmId, userId, clock.now());
  return { ...signIn, progress, user };
}

/** One page each, in their order; those that cannot be asked wait for a sign-in in which they can. */
export async function actionLeft(parts: SignInParts, signIn: SignIn): Promise<Ask | null> {
  const { user, progress, request } = signIn;
  if (!user) return null;
  const wanted = requiredActions.filter((action) => user.requiredActions.includes(action) || request.actions?.includes(action));
  for (const action of wanted) {
    const question = actionQuestions[action];
    if (!question || hasPassed(progress, actionPath(action))) continue;
    const ask = { path: actionPath(action), name: action, question, config: {} };
    if (await question.available(contextOf(parts, signIn, ask))) return ask;
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
  progress: beginning(signIn),
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
  return {
    interactionId,
    browser: visitor.preSession,
    kind: "login",
    request: { ...request },
    state: { ...progress },
    result: null,
    returnTo,
    version: 1,
  };
}

export const originOf = ({ realm, visitor, user, progress }: SignIn, login?: string) => ({
  realm: realm.realmId,
  actor: stranger(realm.realmId, login ?? user?.username ?? progress.login ?? ""),
  sourceIp: visitor.sourceIp,
});

/** The question that an answer is meant for: the one it names, as long as that can be asked now. */
export const askFor = (position: Position, path: string | undefined): Ask | null =>
  position.kind !== "ask" ? null : path === undefined ? position.asks[0] : (position.asks.find((ask) => ask.path === path) ?? null);
