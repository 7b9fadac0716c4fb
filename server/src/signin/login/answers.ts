import { findRequiredActions, findUserByLogin, holdUserForSignIn, type RequiredAction } from "../../directory/users/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import type { MessageUser } from "../../tenancy/messaging/index.ts";
import { type Attempt, countAttempt } from "../attempts/index.ts";
import {
  type Answer,
  amrOf,
  hasPassed,
  isNew,
  isProven,
  isTicked,
  type Proof,
  type SignInParts,
  type SignInUser,
  toProofs,
} from "../authenticators/index.ts";
import type { Ask } from "../flows/index.ts";
import { assertNotMovedOn, completeInteraction, type Interaction } from "../interactions/index.ts";
import { knownBrowser, noteBrowser } from "../known-devices/index.ts";
import { isByMail, isOverloaded, recordFailure, recordLock } from "../passwords/index.ts";
import { levelOf, type StartedSession, startSession } from "../sessions/index.ts";
import { actionQuestions } from "./actions.ts";
import {
  actionPath,
  advance,
  contextOf,
  keep,
  keepData,
  keepProgress,
  originOf,
  type Position,
  positionOf,
  restarted,
  type SignIn,
} from "./sign-in.ts";

export type Outcome =
  | {
      readonly outcome: "signed-in";
      readonly session: StartedSession;
      readonly returnTo: string;
      readonly userId: string;
      /** For the cookie by which the browser is known again; null where it stays as it is. */
      readonly deviceToken: string | null;
    }
  /** The next step waits at the sign-in's page. */
  | { readonly outcome: "next"; readonly interactionId: string }
  | { readonly outcome: "wrong"; readonly ask: Ask; readonly answer: Answer & { outcome: "wrong" }; readonly signIn: SignIn }
  | { readonly outcome: "again"; readonly ask: Ask; readonly answer: Answer & { outcome: "again" }; readonly signIn: SignIn }
  | { readonly outcome: "wait"; readonly ask: Ask; readonly retryAfterSeconds: number }
  | { readonly outcome: "overloaded"; readonly ask: Ask }
  /** `returnTo`: where whoever asked for the sign-in waits to be told. */
  | { readonly outcome: "declined"; readonly returnTo: string | null }
  /** The session that was there is enough. */
  | { readonly outcome: "resumed"; readonly returnTo: string }
  | { readonly outcome: "stuck"; readonly signIn: SignIn; readonly unmet: boolean };

/** One of the steps that can be asked was answered elsewhere; null where none was. */
export async function goOnFromElsewhere(parts: SignInParts, signIn: SignIn, asks: readonly Ask[]): Promise<Outcome | null> {
  for (const ask of asks) {
    const proof = await ask.question.answeredElsewhere?.(contextOf(parts, signIn, ask));
    const accepted = proof ? await accept(parts, signIn, ask, proof, null) : null;
    if (accepted === null || accepted === "changed") continue;
    if (accepted === "refused") return stuck(signIn);
    proof?.accepted?.();
    return accepted;
  }
  return null;
}

/** Somebody answers a step. */
export async function answerStep(parts: SignInParts, signIn: SignIn, ask: Ask, form: Readonly<Record<string, string>>): Promise<Outcome> {
  const { realm, visitor, progress } = signIn;
  const { question } = ask;
  // Before anything is read or counted: a flood costs others as little as can be.
  if (question.counted === "password" && parts.hasher.isOverloaded()) return { outcome: "overloaded", ask };
  const login = question.nameIn?.(form);
  const named = login === undefined ? null : { login, user: await findUserByLogin(parts.db, realm.realmId, login) };
  const userId = named ? (named.user?.userId ?? null) : progress.userId;
  const who = { login: named?.login ?? progress.login ?? "", userId, sourceIp: visitor.sourceIp };
  const origin = originOf(signIn, who.login);
  const count = async (factor: string) =>
    countAttempt(
      parts,
      origin,
      realm,
      {
        ...who,
        byMail: !isProven(progress) && isByMail(named ? named.user : signIn.user, who.login),
        knownBrowser: await knownBrowser(parts.db, realm.realmId, userId, visitor.deviceToken, clock.now()),
      },
      factor,
    );
  const attempt = question.counted === null ? null : await count(question.counted);
  if (attempt && attempt.retryAt !== null)
    return { outcome: "wait", ask, retryAfterSeconds: Math.max(1, Math.ceil((attempt.retryAt - clock.now()) / SECOND)) };

  const at = contextOf(parts, signIn, ask, named);
  // Only a second factor gives a browser the right to go without one.
  const trusts = question.factor !== null && isProven(progress) && isTicked(form.trustDevice);
  const answered = trusts ? { ...signIn, progress: { ...progress, trust: true } } : signIn;
  const refusal = question.refusal ?? ({ title: "credentialsTitle", text: "credentialsText" } as const);
  const attemptAnswer = async (again = true): Promise<Outcome | (Answer & { outcome: "wrong" })> => {
    const answer = await question.answer(at, form);
    if (answer.outcome === "wrong") return answer;
    if (answer.outcome === "declined") {
      await attempt?.takeBack();
      return decline(parts, signIn);
    }
    if (answer.outcome === "again") {
      await attempt?.takeBack();
      return { outcome: "again", ask, answer, signIn: await keepAnswer(parts, signIn, ask, answer) };
    }
    const { login } = answer.proof;
    const accepted = await accept(parts, answered, ask, answer.proof, attempt);
    if (accepted === "refused") return { outcome: "wrong", ...refusal, ...(login !== undefined && { login }) };
    if (accepted !== "changed") {
      answer.proof.accepted?.();
      return accepted;
    }
    // What was right a moment ago is so no more: asking once more tells.
    return again ? attemptAnswer(false) : { outcome: "wrong", ...refusal };
  };
  const answerOnce = async () => {
    const told = await attemptAnswer();
    // Sent twice, by two clicks: the other one was right, and used it up.
    if (told.outcome === "wrong" && signIn.interaction) await assertNotMovedOn(parts.db, realm.realmId, signIn.interaction);
    return told;
  };
  const result = await answerOnce().catch(async (error) => {
    // Overload, or a sign-in that moved on in another tab, says nothing about the answer.
    await attempt?.takeBack();
    if (isOverloaded(error)) return { outcome: "overloaded", ask } as const;
    throw error;
  });
  if (result.outcome !== "wrong" || "ask" in result) return result;
  const type = isProven(progress) ? "MFA_FAILURE" : "LOGIN_FAILURE";
  if (question.factor !== null) {
    await parts.work.transact(originOf(signIn, result.login ?? who.login), async (ctx) =>
      recordFailure(ctx, userId, attempt ?? { locksUser: false }, type),
    );
    if (type === "LOGIN_FAILURE") parts.metrics.login(realm.realmId, "failure");
  } else if (attempt?.locksUser) {
    await parts.work.transact(originOf(signIn, who.login), async (ctx) => recordLock(ctx, userId, attempt));
  }
  const typed = named ? { ...progress, login: named.login, remember: form.rememberMe !== undefined } : progress;
  return { outcome: "wrong", ask, answer: result, signIn: { ...signIn, progress: typed } };
}

/** The step counts: what it uses up, how far the sign-in is now, or the session, all in one transaction. */
async function accept(
  parts: SignInParts,
  signIn: SignIn,
  ask: Ask,
  proof: Proof,
  attempt: Attempt | null,
): Promise<Outcome | "refused" | "changed"> {
  const { progress } = signIn;
  // Nobody goes on as somebody else than whom they began as.
  if (progress.userId !== null && proof.userId !== null && proof.userId !== progress.userId) return "refused";
  // Nor as nobody: a name that nobody has must not do what somebody else's does not.
  if (progress.userId === null && progress.login !== null && ask.question.identifies && !ask.question.nameIn) return "refused";
  const wasProven = isProven(progress);
  const step = { path: ask.path, authenticator: ask.name, factor: proof.factor, amr: proof.amr, at: clock.now() };
  const next = await positionOf(parts, await advance(parts, signIn, step, proof));
  const { userId, login } = next.signIn.progress;

  return parts.work.transact(originOf(next.signIn, login ?? ""), async (ctx): Promise<Outcome | "refused" | "changed"> => {
    const holds = userId !== null && isProven(next.signIn.progress);
    // Held until commit: whoever disables the user or changes the password now finds this session and ends it.
    const user = holds ? await holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite: proof.writesUser ?? false }) : null;
    if (holds && !user) return "refused";
    if (proof.accept && !(await proof.accept(ctx))) return "changed";
    await attempt?.succeeded(ctx);
    const actor = { id: userId, name: user?.username ?? login ?? "" };
    if (proof.factor !== null && wasProven) ctx.audit({ category: "AUTHN", type: "MFA_SUCCESS", actor, detail: ask.name });
    // A password that has just expired, or an action that an administrator has just asked for, comes first.
    const mustDo =
      next.position.kind === "done" &&
      user !== null &&
      // Only this transaction can have changed them since, and one that does says that it writes to the user.
      hasNewActions(next.signIn, proof.writesUser ? await findRequiredActions(ctx.tx, ctx.realm, userId!) : user.requiredActions);
    if (next.position.kind !== "done" || mustDo) {
      tellChallenge(parts, ctx, next.position, next.signIn, actor, wasProven);
      const { interactionId } = await keep(ctx, next.signIn, signIn.interaction);
      return { outcome: "next", interactionId };
    }
    if (!user) return "refused";
    return finish(parts, ctx, next.signIn, user.username);
  });
}

/** Those that were there before have been asked, or cannot be. */
const hasNewActions = ({ progress, user }: SignIn, actions: readonly RequiredAction[]): boolean =>
  actions.some(
    (action) =>
      actionQuestions[action] !== undefined && !user?.requiredActions.includes(action) && !hasPassed(progress, actionPath(action)),
  );

/** A second factor is about to be asked for. */
function tellChallenge(
  parts: SignInParts,
  ctx: Ctx,
  position: Position,
  { realm, progress }: SignIn,
  actor: { id: string | null; name: string },
  wasProven: boolean,
): void {
  const [first] = position.kind === "ask" ? position.asks : [];
  if (!first || first.question.factor === null || wasProven || !isProven(progress)) return;
  ctx.audit({ category: "AUTHN", type: "MFA_CHALLENGE", actor, detail: first.name });
  ctx.afterCommit(() => parts.metrics.mfaChallenge(realm.realmId));
}

async function finish(parts: SignInParts, ctx: Ctx, signIn: SignIn, username: string): Promise<Outcome> {
  const { realm, visitor, progress, interaction, returnTo } = signIn;
  const userId = progress.userId!;
  const level = levelOf(progress.passed);
  // An action that was done in a session proves nothing new: its sign-in stays as old as it is.
  const goesOn = progress.sessionId !== undefined && !progress.passed.some((step) => isNew(step) && step.factor !== null);
  const session = await startSession(ctx, realm.settings.sessions, {
    userId,
    remember: progress.remember,
    acr: level ?? "1",
    amr: amrOf(progress),
    proofs: toProofs(progress),
    ...(goesOn && visitor.session && { authTime: visitor.session.authTime }),
    sourceIp: visitor.sourceIp,
    userAgent: visitor.userAgent,
    previous: visitor.session,
  });
  if (interaction) await completeInteraction(ctx, interaction, { userId, sessionId: session.sessionId });
  if (!goesOn) {
    ctx.audit({ category: "AUTHN", type: "LOGIN_SUCCESS", actor: { id: userId, name: username } });
    ctx.afterCommit(() => parts.metrics.login(realm.realmId, "success"));
  }
  const deviceToken = await noteBrowser(ctx, parts, {
    ...{ realm, token: visitor.deviceToken, userAgent: visitor.userAgent, locale: visitor.locale, trust: progress.trust === true },
    user: addresseeOf(signIn.user!),
  });
  return { outcome: "signed-in", session, returnTo: interaction?.returnTo ?? returnTo, userId, deviceToken };
}

const stuck = (signIn: SignIn): Outcome => ({ outcome: "stuck", signIn, unmet: false });

/** An application waits for what comes of it, and can be told that nothing does. */
export const isAsked = (interaction: Interaction | null): boolean => interaction?.kind === "oidc";

/** Of an application that asked: where it is told. */
export async function giveUp(parts: SignInParts, signIn: SignIn, unmet: boolean): Promise<string> {
  const interaction = signIn.interaction!;
  const error = unmet ? "unmet_authentication_requirements" : "access_denied";
  await parts.work.transact(originOf(signIn), (ctx) => completeInteraction(ctx, interaction, { error }));
  return interaction.returnTo;
}

/** Nobody is signed in. An application that asked for it is told; otherwise one can begin again. */
async function decline(parts: SignInParts, signIn: SignIn): Promise<Outcome> {
  if (isAsked(signIn.interaction)) return { outcome: "declined", returnTo: await giveUp(parts, signIn, false) };
  await keepProgress(parts, restarted(signIn));
  return { outcome: "declined", returnTo: null };
}

const addresseeOf = ({ userId: id, username, email, attributes }: SignInUser): MessageUser => ({
  ...{ id, username, email },
  attributes: attributes as MessageUser["attributes"],
});

/** Without a question left: a session that is there already is enough. */
export async function finishSilently(parts: SignInParts, signIn: SignIn): Promise<Outcome> {
  const { userId, login, passed } = signIn.progress;
  const { interaction, visitor } = signIn;
  if (userId === null || !isProven(signIn.progress)) return stuck(signIn);
  return parts.work.transact(originOf(signIn, login ?? ""), async (ctx): Promise<Outcome> => {
    const user = await holdUserForSignIn(ctx.tx, ctx.realm, userId);
    if (!user) return stuck(signIn);
    if (passed.some(isNew) || visitor.session?.userId !== userId || !interaction) return finish(parts, ctx, signIn, user.username);
    // Nothing was proven just now, so the session stays as it is, with the time of its sign-in.
    await completeInteraction(ctx, interaction, { userId, sessionId: visitor.session!.sessionId });
    return { outcome: "resumed", returnTo: interaction.returnTo };
  });
}

async function keepAnswer(parts: SignInParts, signIn: SignIn, ask: Ask, { data, commit }: Answer & { outcome: "again" }): Promise<SignIn> {
  if (data === undefined && !commit) return signIn;
  return parts.work.transact(originOf(signIn), async (ctx) =>
    keepData(ctx, signIn, ask, (await commit?.(ctx)) ?? data ?? signIn.progress.data[ask.path] ?? {}),
  );
}
