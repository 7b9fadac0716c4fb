import type { Destination } from "../../federation/index.ts";
import { clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type Actor, anonymousActor, type Ctx } from "../../platform/context.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import {
  amrOf,
  carriedFrom,
  findSignInUser,
  freshProgress,
  isNew,
  isProven,
  type PassedStep,
  type Problem,
  type Progress,
  type Proof,
  type Question,
  SESSION,
  type SignInParts,
  type SignInRequest,
  type SignInUser,
  type StepContext,
  type TextKey,
  toProofs,
  type VisitorFacts,
  withPassed,
} from "../authenticators/index.ts";
import { type Ask, DEFAULT_DIRECT_FLOW, type Flow, type FlowsSnapshot, isSignInFlow } from "../flows/index.ts";
import { factorOf, hasSecondFactor, isSecondFactor, levelOf, recentProofs, type SessionProof } from "../sessions/index.ts";
import { type Interaction, interactionErrors } from "./interactions.store.ts";

/** The state of a sign-in during one request. */
export interface Run {
  /** Only a `sign-in` is stored between its steps and asks on pages. The other runs are answered by the request that opens them. */
  readonly purpose: "sign-in" | "direct-grant" | "confirm";
  readonly realm: RealmSnapshot;
  readonly flows: FlowsSnapshot | null;
  readonly visitor: VisitorFacts;
  readonly request: SignInRequest;
  /** Null if it is not stored yet, or never will be. */
  readonly interaction: Interaction | null;
  readonly progress: Progress;
  readonly user: SignInUser | null;
  /** The address at which the browser continues, if no client requested the sign-in. */
  readonly returnTo: string;
  /** The only step of a `confirm` run, and the signed-in user. */
  readonly confirm?: { readonly ask: Ask; readonly actor: Actor };
}

/** The reason why the same step is asked again. */
export type After =
  | { readonly kind: "wrong"; readonly title?: TextKey; readonly text: TextKey }
  | { readonly kind: "again"; readonly notice?: TextKey; readonly problem?: Problem }
  | { readonly kind: "wait"; readonly retryAfterSeconds: number }
  | { readonly kind: "overloaded" }
  /** The directory that checks the password does not respond. */
  | { readonly kind: "unavailable" };

/** The first step is shown, the others are alternatives. Without `after` these are new steps. */
export interface Asking {
  readonly outcome: "ask";
  readonly run: Run;
  readonly steps: readonly [Ask, ...Ask[]];
  readonly after?: After;
}

/** A final refusal. `impossible`: the user cannot pass. `unmet`: the requested level cannot be reached. */
export interface Refused {
  readonly outcome: "refuse";
  readonly run: Run;
  readonly reason: "impossible" | "unmet" | "declined";
  /** The address at which the client gets its error, for `declined`. */
  readonly returnTo: string | null;
}

export const impossible = (run: Run): Refused => ({ outcome: "refuse", run, reason: "impossible", returnTo: null });

/** The evaluated state of a run. `pass` means that nothing is left to ask. */
export type Position = Asking | Refused | { readonly outcome: "pass"; readonly run: Run };

/** The result of continuing a run. */
export type Outcome<T> =
  | Asking
  | Refused
  /** A redirect to another site, which returns the `state`. */
  | { readonly outcome: "leave"; readonly run: Run; readonly to: Destination }
  | { readonly outcome: "pass"; readonly run: Run; readonly value: T };

/** Opens a sign-in in a browser from the stored progress. It restarts if the flow has changed. */
export async function openSignIn(
  parts: SignInParts,
  opened: Pick<Run, "realm" | "visitor" | "interaction" | "returnTo"> & { readonly flows: FlowsSnapshot },
): Promise<Run> {
  const { realm, flows, visitor, interaction } = opened;
  const request = (interaction?.request ?? {}) as SignInRequest;
  const kept = interaction?.state as Partial<Progress> | undefined;
  const isPresent = (flow: Pick<Progress, "flow" | "flowVersion">) => flows.byAlias.get(flow.flow)?.version === flow.flowVersion;
  const isCurrent = kept?.flow !== undefined && isPresent(kept as Progress) && (kept.link === undefined || isPresent(kept.link));
  // After the user signed out, or another one signed in, the proofs of the former session do not count.
  const isOwn = kept?.sessionId === undefined || kept.sessionId === visitor.session?.sessionId;
  const begun = isCurrent && isOwn ? (kept as Progress) : beginning({ flows, request, visitor, interaction });
  const progress = request.recent ? onlyRecent(begun) : begun;
  const { session } = visitor;
  // The session was read with its user, by this request.
  const known = session?.userId === progress.userId ? session.user : undefined;
  return { ...opened, purpose: "sign-in", request, progress, user: known ?? (await userIn(parts, realm, progress)) };
}

/** Finds the user of a sign-in. A typed name is looked up even if no user has it, so that the time does not reveal who has an account. */
const userIn = async (
  { db }: Pick<SignInParts, "db">,
  { realmId }: RealmSnapshot,
  { userId, login }: Progress,
): Promise<SignInUser | null> => (userId === null && login === null ? null : findSignInUser(db, realmId, userId ?? newId(), clock.now()));

/** Opens a password grant: one request contains every answer, so the run is not stored. Returns null if its flow was deleted. */
export function openDirectGrant({
  realm,
  flows,
  client,
  sourceIp,
  requestId,
}: Pick<Run, "realm"> & {
  readonly flows: FlowsSnapshot;
  readonly client: { readonly clientId: string; readonly flow: string | null };
  readonly sourceIp: string;
  readonly requestId: string;
}): Run | null {
  const flow = flows.byAlias.get(client.flow ?? DEFAULT_DIRECT_FLOW);
  if (!flow) return null;
  const request = { clientId: client.clientId, flow: flow.alias };
  return {
    ...{ purpose: "direct-grant", realm, flows, request, interaction: null, progress: freshProgress(flow), user: null, returnTo: "" },
    visitor: noBrowser(realm, { sourceIp, requestId }),
  };
}

/** Opens a run in which a signed-in user confirms something by a factor. The question binds its proof to the content that is confirmed. */
export async function openConfirmation(
  parts: Pick<SignInParts, "db">,
  opened: {
    readonly realm: RealmSnapshot;
    readonly user: { readonly userId: string; readonly username: string; readonly amr: readonly string[] };
    readonly actor: Actor;
    readonly sourceIp: string;
    readonly requestId: string;
    readonly factor: { readonly name: string; readonly question: Question };
  },
): Promise<Run> {
  const { realm, actor, sourceIp, requestId, factor } = opened;
  const { userId, username, amr } = opened.user;
  const now = clock.now();
  const session = carriedFrom([{ flow: "", authenticator: SESSION, factor: factorOf(amr), amr, at: now }]);
  return {
    ...{ purpose: "confirm", realm, flows: null, request: {}, interaction: null, returnTo: "" },
    visitor: noBrowser(realm, { sourceIp, requestId }),
    progress: { ...freshProgress({ alias: "", version: 0 }), userId, login: username, passed: session },
    user: await findSignInUser(parts.db, realm.realmId, userId, now),
    confirm: { actor, ask: { ...factor, path: "confirm", config: {} } },
  };
}

const noBrowser = (realm: RealmSnapshot, from: Pick<VisitorFacts, "sourceIp" | "requestId">): VisitorFacts => ({
  ...{ session: null, preSession: "", userAgent: null, deviceToken: null, ...from },
  locale: realm.settings.defaultLocale as VisitorFacts["locale"],
});

function flowFor({ byAlias }: FlowsSnapshot, request: SignInRequest): Flow {
  const flow = byAlias.get(request.flow ?? "browser");
  // The flow was renamed or deleted since the request.
  if (!flow) throw interactionErrors.gone();
  return flow;
}

type Beginning = Pick<Run, "request" | "visitor" | "interaction"> & { readonly flows: FlowsSnapshot };

/** Returns the initial progress. The proofs of a session are carried over, unless the request asks to reauthenticate. */
function beginning({ flows, request, visitor: { session }, interaction }: Beginning): Progress {
  const flow = flowFor(flows, request);
  const fresh = freshProgress(flow);
  const isPlain = interaction === null || request.reauthenticate || !isSignInFlow(flow.alias);
  if (isPlain || !session || session.impersonator !== null) return fresh;
  const { userId, username: login, remembered: remember, sessionId, proofs } = session;
  return { ...fresh, userId, login, passed: carriedFrom(proofs), remember, sessionId };
}

/** Restarts a run. A user who has declined to link an account is not led to the provider again. */
export function restarted(run: Run): Run {
  const { link } = run.progress;
  const data = link ? { [link.step.path]: { alias: link.alias, declined: true } } : {};
  return { ...run, progress: { ...beginning({ ...run, flows: run.flows! }), data }, user: null };
}

/** Tells whether the user has declined to link an account, and has typed no name since. */
export const hasDeclinedLink = ({ progress: { login, data } }: Run): boolean =>
  login === null && Object.values(data).some(({ declined }) => declined === true);

/** Drops proofs that are not recent. The session step is evaluated again. */
export const onlyRecent = (progress: Progress): Progress => ({
  ...progress,
  passed: recentProofs(progress.passed, clock.now()).filter(({ authenticator }) => authenticator !== SESSION),
});

/**
 * Removes an address that the user never confirmed while an account is to be linked: a code to it must not link the account, because its
 * owner may be another person.
 */
const reachable = (user: SignInUser, { link }: Progress): SignInUser =>
  link?.proven === false && !link.isConfirmed ? { ...user, email: null } : user;

const UNANSWERED = { named: null, attempted: async () => false };

export function contextOf(
  parts: SignInParts,
  run: Run,
  { path, config }: Pick<Ask, "path" | "config">,
  { named, attempted }: Pick<StepContext, "named" | "attempted"> = UNANSWERED,
): StepContext {
  const { realm, visitor, request, interaction, progress } = run;
  const user = run.user && reachable(run.user, progress);
  return {
    ...{ parts, realm, visitor, request, progress, user, path, config, named, attempted, alert: null },
    needsSecondFactor: needsSecondFactor(run),
    interactionId: interaction?.interactionId ?? null,
    data: progress.data[path] ?? null,
    now: clock.now(),
  };
}

/** Tells whether the step may make the browser trusted. Only the user's second factor may. */
export const canTrustBy = (run: Run, { name, question }: Ask): boolean =>
  question.factor !== null && isProven(run.progress) && run.user !== null && isSecondFactor(needsSecondFactor(run), name);

/** Tells whether the user has a second factor that the realm asks for. */
export const needsSecondFactor = ({ flows, user }: Pick<Run, "flows" | "user">): boolean =>
  user !== null && flows !== null && hasSecondFactor(user.credentials, flows.secondFactors);

/** Adds a passed step. */
export async function advance(parts: SignInParts, run: Run, step: PassedStep, proof: Proof): Promise<Run> {
  const progress = withPassed(run.progress, step, proof);
  const known = [run.user, proof.user].find((user) => user && user.userId === progress.userId);
  return { ...run, progress, user: known ?? (await userIn(parts, run.realm, progress)) };
}

export const originOf = ({ realm, visitor, user, progress, confirm }: Run, login?: string) => ({
  realm: realm.realmId,
  actor: confirm?.actor ?? anonymousActor(realm.realmId, login ?? user?.username ?? progress.login ?? ""),
  sourceIp: visitor.sourceIp,
  requestId: visitor.requestId,
});

/** An authenticated user, and how they authenticated. */
export interface Authentication {
  readonly run: Run;
  readonly userId: string;
  readonly username: string;
  readonly acr: "1" | "2";
  /** The authentication methods (RFC 8176). */
  readonly amr: readonly string[];
  readonly proofs: readonly SessionProof[];
  /** True if the session was sufficient and nothing was asked. */
  readonly isResumed: boolean;
}

/** The result of a sign-in: a session, a grant, a signed transaction. */
export interface Completion<T> {
  /** Does slow work that needs the authentication, such as a signature, before the transaction. */
  prepare?(authentication: Authentication): Promise<void>;
  /** Runs in the transaction that accepts the last proof. The user's row is locked until commit. */
  complete(ctx: Ctx, authentication: Authentication): Promise<T>;
  /** Runs in the transaction that records a wrong answer. */
  failed?(ctx: Ctx): Promise<void>;
}

export function authenticationOf(run: Run, username: string): Authentication {
  const { progress, visitor, interaction } = run;
  const userId = progress.userId!;
  return {
    ...{ run, userId, username, acr: levelOf(progress.passed) ?? "1", amr: amrOf(progress), proofs: toProofs(progress) },
    isResumed: interaction !== null && visitor.session?.userId === userId && !progress.passed.some(isNew),
  };
}
