import { clock } from "../../kernel/clock.ts";
import { type Actor, anonymousActor } from "../../platform/context.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import {
  carriedFrom,
  findSignInUser,
  freshProgress,
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
  type VisitorFacts,
  withPassed,
} from "../authenticators/index.ts";
import type { Destination } from "../brokers/index.ts";
import { type Ask, DEFAULT_DIRECT_FLOW, type Flow, type FlowsSnapshot, isSignInFlow } from "../flows/index.ts";
import { factorOf, recentProofs } from "../sessions/index.ts";
import { type Interaction, interactionErrors } from "./interactions.ts";

/** A sign-in, as one request finds it. */
export interface Run {
  /** Only a `sign-in` is stored between its steps and asks on pages; the others are answered by the request that opens them. */
  readonly purpose: "sign-in" | "direct-grant" | "confirm";
  readonly realm: RealmSnapshot;
  readonly flows: FlowsSnapshot | null;
  readonly visitor: VisitorFacts;
  readonly request: SignInRequest;
  /** Null for the first page of a plain sign-in, and for what is not stored. */
  readonly interaction: Interaction | null;
  readonly progress: Progress;
  readonly user: SignInUser | null;
  /** Where to go on, for a sign-in that no client requested. */
  readonly returnTo: string;
  /** `confirm`: the one step, and the signed-in user who takes it. */
  readonly confirm?: { readonly ask: Ask; readonly actor: Actor };
}

/** Why the same step is asked again. */
export type After =
  | { readonly kind: "wrong"; readonly title?: TextKey; readonly text: TextKey }
  | { readonly kind: "again"; readonly notice?: TextKey; readonly problem?: Problem }
  | { readonly kind: "wait"; readonly retryAfterSeconds: number }
  | { readonly kind: "overloaded" }
  /** Where the password is kept does not answer. */
  | { readonly kind: "unavailable" };

/** The first step is to be shown; the others are alternatives. Without `after` the run has moved on to them. */
export interface Asking {
  readonly outcome: "ask";
  readonly run: Run;
  readonly steps: readonly [Ask, ...Ask[]];
  readonly after?: After;
}

/** Final. `impossible`: nothing that this user could do leads on. `unmet`: not to the level that was requested. */
export interface Refused {
  readonly outcome: "refuse";
  readonly run: Run;
  readonly reason: "impossible" | "unmet" | "declined";
  /** `declined`: where the client that requested the sign-in gets its answer. */
  readonly returnTo: string | null;
}

/** Where a run stands. `pass`: nothing is left to ask. */
export type Position = Asking | Refused | { readonly outcome: "pass"; readonly run: Run };

/** What comes of continuing it. */
export type Outcome<T> =
  | Asking
  | Refused
  /** On to another site, which sends the browser back with the `state`. */
  | { readonly outcome: "leave"; readonly run: Run; readonly to: Destination }
  | { readonly outcome: "pass"; readonly run: Run; readonly value: T };

/** A sign-in in a browser: as far as the interaction has come; from the beginning, where the flow has changed since. */
export async function openSignIn(
  parts: SignInParts,
  opened: Pick<Run, "realm" | "visitor" | "interaction" | "returnTo"> & { readonly flows: FlowsSnapshot },
): Promise<Run> {
  const { realm, flows, visitor, interaction } = opened;
  const request = (interaction?.request ?? {}) as SignInRequest;
  const kept = interaction?.state as Partial<Progress> | undefined;
  const isCurrent = kept?.flow !== undefined && flows.byAlias.get(kept.flow)?.version === kept.flowVersion;
  // Signed out meanwhile, or signed in as another user: what that session had proven counts no more.
  const isOwn = kept?.sessionId === undefined || kept.sessionId === visitor.session?.sessionId;
  const begun = isCurrent && isOwn ? (kept as Progress) : beginning({ flows, request, visitor, interaction });
  const progress = request.recent ? onlyRecent(begun) : begun;
  const user = progress.userId === null ? null : await findSignInUser(parts.db, realm.realmId, progress.userId, clock.now());
  return { ...opened, purpose: "sign-in", request, progress, user };
}

/** The password grant: one request brings every answer, so the run is not stored and opens no question. Null: its flow is gone. */
export function openDirectGrant({
  realm,
  flows,
  client,
  sourceIp,
}: Pick<Run, "realm"> & {
  readonly flows: FlowsSnapshot;
  readonly client: { readonly clientId: string; readonly flow: string | null };
  readonly sourceIp: string;
}): Run | null {
  const flow = flows.byAlias.get(client.flow ?? DEFAULT_DIRECT_FLOW);
  if (!flow) return null;
  const request = { clientId: client.clientId, flow: flow.alias };
  return {
    ...{ purpose: "direct-grant", realm, flows, request, interaction: null, progress: freshProgress(flow), user: null, returnTo: "" },
    visitor: noBrowser(realm, sourceIp),
  };
}

/** What a signed-in user confirms with a factor given now. The question binds its proof to what is confirmed. */
export async function openConfirmation(
  parts: Pick<SignInParts, "db">,
  opened: {
    readonly realm: RealmSnapshot;
    readonly user: { readonly userId: string; readonly username: string; readonly amr: readonly string[] };
    readonly actor: Actor;
    readonly sourceIp: string;
    readonly factor: { readonly name: string; readonly question: Question };
  },
): Promise<Run> {
  const { realm, actor, sourceIp, factor } = opened;
  const { userId, username, amr } = opened.user;
  const now = clock.now();
  const session = carriedFrom([{ flow: "", authenticator: SESSION, factor: factorOf(amr), amr, at: now }]);
  return {
    ...{ purpose: "confirm", realm, flows: null, request: {}, interaction: null, returnTo: "" },
    visitor: noBrowser(realm, sourceIp),
    progress: { ...freshProgress({ alias: "", version: 0 }), userId, login: username, passed: session },
    user: await findSignInUser(parts.db, realm.realmId, userId, now),
    confirm: { actor, ask: { ...factor, path: "confirm", config: {} } },
  };
}

const noBrowser = (realm: RealmSnapshot, sourceIp: string): VisitorFacts => ({
  ...{ session: null, preSession: "", userAgent: null, deviceToken: null, sourceIp },
  locale: realm.settings.defaultLocale as VisitorFacts["locale"],
});

function flowFor({ byAlias }: FlowsSnapshot, request: SignInRequest): Flow {
  const flow = byAlias.get(request.flow ?? "browser");
  // Renamed or deleted since: the client requests another by now.
  if (!flow) throw interactionErrors.gone();
  return flow;
}

type Beginning = Pick<Run, "request" | "visitor" | "interaction"> & { readonly flows: FlowsSnapshot };

/** A user who is signed in goes on from that: what the session proved is not asked again, unless the request wants it anew. */
function beginning({ flows, request, visitor: { session }, interaction }: Beginning): Progress {
  const flow = flowFor(flows, request);
  const fresh = freshProgress(flow);
  const isPlain = interaction === null || request.reauthenticate || !isSignInFlow(flow.alias);
  if (isPlain || !session || session.impersonator !== null) return fresh;
  const { userId, username: login, remembered: remember, sessionId, proofs } = session;
  return { ...fresh, userId, login, passed: carriedFrom(proofs), remember, sessionId };
}

export const restarted = (run: Run): Run => ({ ...run, progress: beginning({ ...run, flows: run.flows! }), user: null });

/** Without what was proven longer ago; a session is looked at anew. */
export const onlyRecent = (progress: Progress): Progress => ({
  ...progress,
  passed: recentProofs(progress.passed, clock.now()).filter(({ authenticator }) => authenticator !== SESSION),
});

export function contextOf(
  parts: SignInParts,
  run: Run,
  { path, config }: Pick<Ask, "path" | "config">,
  named: StepContext["named"] = null,
): StepContext {
  const { realm, visitor, request, interaction, progress, user } = run;
  return {
    ...{ parts, realm, visitor, request, progress, user, path, config, named, alert: null },
    interactionId: interaction?.interactionId ?? null,
    data: progress.data[path] ?? null,
    now: clock.now(),
  };
}

/** The step is passed. */
export async function advance(parts: SignInParts, run: Run, step: PassedStep, proof: Proof): Promise<Run> {
  const progress = withPassed(run.progress, step, proof);
  const { userId } = progress;
  const isSame = userId !== null && run.user?.userId === userId;
  const user = userId === null ? null : isSame ? run.user : await findSignInUser(parts.db, run.realm.realmId, userId, clock.now());
  return { ...run, progress, user };
}

export const originOf = ({ realm, visitor, user, progress, confirm }: Run, login?: string) => ({
  realm: realm.realmId,
  actor: confirm?.actor ?? anonymousActor(realm.realmId, login ?? user?.username ?? progress.login ?? ""),
  sourceIp: visitor.sourceIp,
});
