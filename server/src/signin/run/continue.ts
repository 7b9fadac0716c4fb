import type { SignInParts } from "../authenticators/index.ts";
import { type Ask, directlyAnswered } from "../flows/index.ts";
import { accept, answerStep, type Completion, type Form, passUnasked } from "./answer.ts";
import { contextOf, impossible, type Outcome, type Position } from "./run.ts";

/** A step of the position, and its submitted form. */
export interface Answered {
  readonly step: Ask;
  readonly form: Form;
}

/** Continues a run. Without an answer: by what was answered on another device, or by what the session has proven. */
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
  // Other questions have a field `code`, too; the password grant sends the code of an authenticator app.
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

/** The browser has returned from another site, and its token was used up (`takeReturn`). Null: no step waits for the answer any more. */
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
