import { directoryUnavailable, type FoundAccount, isUnavailable, isUncounted } from "../../directory/credentials/index.ts";
import { findRequiredActions, findUserByLogin } from "../../directory/users/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import { isOverloaded } from "../../platform/passwords/index.ts";
import { type Answer, AskedAgain, findSignInUser, isProven, isTicked, type Proof, type SignInParts } from "../authenticators/index.ts";
import { type Ask, directlyAnswered } from "../flows/index.ts";
import { knownBrowser } from "../known-browsers/index.ts";
import { type Attempt, countAttempt, countFound, isByMail } from "./attempts.ts";
import { reasonOf, recordFailure, recordLock, refusalOf } from "./failures.ts";
import { assertNotMovedOn } from "./interactions.store.ts";
import { decline, hold, keep, keepAnswer } from "./keep.ts";
import { leaveFor } from "./leave.ts";
import { askForOwner, withoutOwner } from "./link.ts";
import { hasNewActions, positionOf } from "./position.ts";
import {
  type After,
  type Asking,
  advance,
  authenticationOf,
  type Completion,
  canTrustBy,
  contextOf,
  impossible,
  type Outcome,
  originOf,
  type Position,
  type Run,
} from "./run.ts";

export type Form = Readonly<Record<string, string>>;

/** A step of the position, and the form that was submitted for it. */
export interface Answered {
  readonly step: Ask;
  readonly form: Form;
}

/** Answers a step. An attempt is counted before it is checked, outside a transaction, and accepted in one that locks the user. */
async function answerStep<T>(
  parts: SignInParts,
  { run, steps }: Asking,
  ask: Ask,
  form: Form,
  completion: Completion<T>,
): Promise<Outcome<T>> {
  const { realm, visitor, progress } = run;
  const { question } = ask;
  const login = question.nameIn?.(form);
  const askAgain = (after: After, now: Run = typedInto(run, login, form)): Asking => ({
    ...{ outcome: "ask", run: now, after },
    steps: [ask, ...steps.filter(({ path }) => path !== ask.path)],
  });
  // Overload is checked first, so that a flood of requests costs as little as possible.
  if (question.counted === "password" && parts.hasher.isOverloaded()) return askAgain({ kind: "overloaded" });
  const named = login === undefined ? null : { login, user: await findUserByLogin(parts.db, realm.realmId, login) };
  let userId = named ? (named.user?.userId ?? null) : progress.userId;
  const typed = login ?? progress.login ?? "";
  const isSecond = isProven(progress) || run.purpose === "confirm";
  const browserOf = (id: string | null) => knownBrowser(parts.db, realm.realmId, id, visitor.deviceToken, clock.now());
  const counted = question.countedFor ? await question.countedFor(contextOf(parts, run, ask)) : question.counted;
  let attempt = counted === null ? null : await count(counted);
  if (attempt && attempt.retryAfterSeconds !== null) return askAgain({ kind: "wait", retryAfterSeconds: attempt.retryAfterSeconds });

  const result = await attemptAnswer()
    .then(async (answered) => {
      // The form was submitted twice: the other request was right and has consumed the code.
      if (answered.outcome === "wrong" && run.interaction) await assertNotMovedOn(parts.db, realm.realmId, run.interaction);
      return answered;
    })
    .catch(async (error) => {
      // The answer was not judged, because of overload or because the sign-in moved on in another tab.
      if (isUncounted(error)) await attempt?.takeBack();
      else await recordWrong(typed);
      if (isOverloaded(error)) return askAgain({ kind: "overloaded" });
      if (isUnavailable(error)) return askAgain({ kind: "unavailable" });
      throw error;
    });
  if (result.outcome !== "wrong") return result;
  await recordWrong(result.login ?? typed);
  const { title, text } = result;
  return askAgain({ kind: "wrong", text, ...(title && { title }) });

  async function count(factor: string): Promise<Attempt> {
    const guesser = {
      ...{ login: typed, userId, sourceIp: visitor.sourceIp },
      byMail: !isSecond && isByMail(named ? named.user : run.user, typed),
      knownBrowser: await browserOf(userId),
    };
    return countAttempt(parts, originOf(run, typed), realm, guesser, factor);
  }

  /** Counts the attempt from here on for the account that the name led to. */
  async function attempted(account: FoundAccount): Promise<boolean> {
    userId = account.userId;
    if (!attempt) return true;
    const found = { ...account, knownBrowser: await browserOf(userId) };
    const counted = await countFound(parts, originOf(run, typed), realm, attempt, found);
    attempt = counted ?? attempt;
    return counted !== null;
  }

  async function attemptAnswer(again = true): Promise<Outcome<T> | (Answer & { outcome: "wrong" })> {
    const answer = await question.answer(contextOf(parts, run, ask, { named, attempted }), form);
    if (answer.outcome === "wrong") return answer;
    if (answer.outcome !== "passed") await attempt?.takeBack();
    if (answer.outcome === "declined") return decline(parts, run);
    if (answer.outcome === "leave") return leaveFor(parts, run, ask, answer);
    if (answer.outcome === "prove") return askOwner(parts, await askForOwner(parts, run, ask, answer));
    if (answer.outcome === "instead") {
      const other = withoutOwner(run, ask);
      const accepted = await accept(parts, other.run, other.ask, answer.proof, null, completion);
      return typeof accepted === "string" ? refusalOf(question) : accepted;
    }
    if (answer.outcome === "again") return shownAgain(answer);
    const trusts = canTrustBy(run, ask) && isTicked(form.trustDevice);
    const answered = trusts ? { ...run, progress: { ...progress, trust: true } } : run;
    const refusal = refusalOf(question);
    const accepted = await accept(parts, answered, ask, answer.proof, attempt, completion).catch(async (error: unknown) => {
      if (!(error instanceof AskedAgain)) throw error;
      await attempt?.takeBack();
      return shownAgain(error.answer);
    });
    if (accepted === "refused") return { ...refusal, ...(answer.proof.login !== undefined && { login: answer.proof.login }) };
    if (accepted !== "changed") return accepted;
    // The credential changed between check and accept, so it is checked once more.
    return again ? attemptAnswer(false) : refusal;
  }

  async function shownAgain(answer: Answer & { outcome: "again" }): Promise<Outcome<T>> {
    const { notice, problem } = answer;
    return askAgain({ kind: "again", ...(notice && { notice }), ...(problem && { problem }) }, await keepAnswer(parts, run, ask, answer));
  }

  async function recordWrong(name: string): Promise<void> {
    const type = isSecond ? "MFA_FAILURE" : "LOGIN_FAILURE";
    const isFailure = question.factor !== null;
    if (!isFailure && !attempt?.locksUser && !completion.failed) return;
    await parts.work.transact(originOf(run, name), async (ctx) => {
      if (isFailure)
        recordFailure(ctx, { type, userId, attempt, detail: reasonOf(ask.name, named?.user ?? null, userId !== null || typed === "") });
      else recordLock(ctx, userId, attempt);
      await completion.failed?.(ctx);
    });
    if (isFailure && type === "LOGIN_FAILURE") parts.metrics.login(realm.realmId, "failure");
  }
}

/** Keeps the typed values when the form is shown again. */
const typedInto = (run: Run, login: string | undefined, form: Form): Run =>
  login === undefined ? run : { ...run, progress: { ...run.progress, login, remember: form.rememberMe !== undefined } };

/** Accepts a proof: consumes the credential and stores the progress, or completes the sign-in, in one transaction. */
export async function accept<T>(
  parts: SignInParts,
  run: Run,
  ask: Ask,
  proof: Proof,
  attempt: Attempt | null,
  completion: Completion<T>,
): Promise<Outcome<T> | "refused" | "changed"> {
  const { progress } = run;
  // A sign-in never changes its user.
  if (progress.userId !== null && proof.userId !== null && proof.userId !== progress.userId) return "refused";
  // After an unknown login name, another user's passkey is refused as well: otherwise the difference would reveal which names exist.
  if (progress.userId === null && progress.login !== null && ask.question.identifies && !ask.question.nameIn) return "refused";
  const wasProven = isProven(progress);
  const step = { path: ask.path, authenticator: ask.name, factor: proof.factor, amr: proof.amr, at: clock.now() };
  const next = await positionOf(parts, await advance(parts, run, step, proof));
  const { userId, login } = next.run.progress;
  if (next.outcome === "pass" && userId !== null) {
    const standing = await parts.entryChecks.standing(run.realm.realmId, userId, "sign-in");
    if (standing === "gone") return "refused";
    if (standing === "unreachable") throw directoryUnavailable();
    await completion.prepare?.(authenticationOf(next.run, login ?? ""));
  }

  const holds = userId !== null && isProven(next.run.progress);
  const accepted = await parts.work.transact(originOf(next.run, login ?? ""), async (ctx): Promise<Accepted<T>> => {
    const user = holds ? await hold(ctx, userId, proof.writesUser) : null;
    if (holds && !user) return "refused";
    if (proof.accept && !(await proof.accept(ctx))) return "changed";
    await attempt?.succeeded(ctx);
    const actor = { id: userId, name: user?.username ?? login ?? "" };
    const isStored = run.purpose === "sign-in";
    if (isStored && proof.factor !== null && wasProven) ctx.audit({ category: "AUTHN", type: "MFA_SUCCESS", actor, detail: ask.name });
    if (next.outcome === "pass") {
      if (!user) return "refused";
      // The row is locked, so the actions can only have changed in this transaction, by a proof with `writesUser`.
      const actions = proof.writesUser ? await findRequiredActions(ctx.tx, ctx.realm, userId!) : user.requiredActions;
      // Required actions that were added meanwhile, for example by an expired password, come before completion.
      if (isStored && hasNewActions(next.run, actions)) return { asksMore: await keep(ctx, next.run) };
      return { outcome: "pass", run: next.run, value: await completion.complete(ctx, authenticationOf(next.run, user.username)) };
    }
    if (!isStored) return next;
    if (!wasProven) auditChallenge(parts, ctx, next, actor);
    return { ...next, run: await keep(ctx, next.run) };
  });
  if (typeof accepted === "string") return accepted;
  proof.accepted?.();
  if (!("asksMore" in accepted)) return accepted;
  const user = await findSignInUser(parts.db, run.realm.realmId, userId!, clock.now());
  const more = await positionOf(parts, { ...accepted.asksMore, user });
  return more.outcome === "pass" ? passUnasked(parts, more.run, completion) : more;
}

type Accepted<T> = Outcome<T> | { readonly asksMore: Run } | "refused" | "changed";

/** Records that a second factor is requested. */
function auditChallenge(parts: SignInParts, ctx: Ctx, next: Position, actor: { id: string | null; name: string }): void {
  const { realm, progress } = next.run;
  const [first] = next.outcome === "ask" ? next.steps : [];
  if (!first || first.question.factor === null || !isProven(progress)) return;
  ctx.audit({ category: "AUTHN", type: "MFA_CHALLENGE", actor, detail: first.name });
  ctx.afterCommit(() => parts.metrics.mfaChallenge(realm.realmId));
}

/** Completes a run without a question, because the proofs of the session are sufficient. */
async function passUnasked<T>(parts: SignInParts, run: Run, { complete }: Completion<T>): Promise<Outcome<T>> {
  const { userId, login } = run.progress;
  if (userId === null || !isProven(run.progress)) return impossible(run);
  if ((await parts.entryChecks.standing(run.realm.realmId, userId, "renewal")) !== "stands") return impossible(run);
  return parts.work.transact(originOf(run, login ?? ""), async (ctx): Promise<Outcome<T>> => {
    const user = await hold(ctx, userId);
    return user ? { outcome: "pass", run, value: await complete(ctx, authenticationOf(run, user.username)) } : impossible(run);
  });
}

/** Asks the owner of the account. They have proven nothing yet, so `pass` is impossible. */
async function askOwner(parts: SignInParts, run: Run): Promise<Outcome<never>> {
  const position = await positionOf(parts, run);
  return position.outcome === "pass" ? impossible(run) : position;
}

/** Continues a run: with an answer, or by an answer on another device, or by the proofs of the session. */
export async function continueSignIn<T>(
  parts: SignInParts,
  position: Position,
  answer: Answered | null,
  completion: Completion<T>,
): Promise<Outcome<T>> {
  if (position.outcome === "refuse") return position;
  if (position.outcome === "pass") return passUnasked(parts, position.run, completion);
  if (answer) return answerStep(parts, position, answer.step, answer.form, completion);
  for (const step of position.steps) {
    const proof = await step.question.answeredElsewhere?.(contextOf(parts, position.run, step));
    const accepted = proof ? await accept(parts, position.run, step, proof, null, completion) : null;
    if (accepted === null || accepted === "changed") continue;
    return accepted === "refused" ? impossible(position.run) : accepted;
  }
  return position;
}

/** Answers as many steps as possible from one form, for runs without pages. A step that it cannot answer is returned as `ask`. */
export async function continueDirectly<T>(
  parts: SignInParts,
  position: Position,
  form: Form,
  completion: Completion<T>,
): Promise<Outcome<T>> {
  const isGrant = position.run.purpose === "direct-grant";
  // Other questions have a field `code` too. The password grant sends the code of an authenticator app.
  const canAnswer = ({ name, question: { fields } }: Ask) =>
    (!isGrant || directlyAnswered.includes(name)) && fields.length > 0 && fields.every((field) => form[field]);
  let at = position;
  for (;;) {
    const step = at.outcome === "ask" ? at.steps.find(canAnswer) : undefined;
    const next = await continueSignIn(parts, at, step ? { step, form } : null, completion);
    if (!step || next.outcome !== "ask" || next.after) return next;
    at = next;
  }
}

/**
 * Continues a run after the browser returned from another site, and its token was used up (`takeReturn`). Returns null if no step waits for
 * the answer any more.
 */
export async function returnToSignIn<T>(
  parts: SignInParts,
  position: Position,
  answer: Form,
  completion: Completion<T>,
): Promise<Outcome<T> | null> {
  const { left, ...progress } = position.run.progress;
  const step = position.outcome === "ask" ? position.steps.find(({ path }) => path === left?.path) : undefined;
  const returned = step?.question.returned;
  if (position.outcome !== "ask" || !step || !returned || left?.hash !== undefined) return null;
  const question = { ...step.question, answer: returned };
  return answerStep(parts, { ...position, run: { ...position.run, progress } }, { ...step, question }, answer, completion);
}
