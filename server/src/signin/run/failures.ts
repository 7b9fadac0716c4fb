import type { Ctx } from "../../platform/context.ts";
import type { Answer, NamedUser, Question } from "../authenticators/index.ts";
import type { Attempt } from "./attempts.ts";

type Failed = Pick<Attempt, "locksUser"> | null;

interface Failure {
  readonly type: "LOGIN_FAILURE" | "MFA_FAILURE";
  readonly userId: string | null;
  /** Null if the answer cannot be guessed and is not counted. */
  readonly attempt: Failed;
  /** The reason for administrators. No page shows it. */
  readonly detail: string;
}

/** Records a wrong answer. */
export function recordFailure(ctx: Ctx, { type, userId, attempt, detail }: Failure): void {
  ctx.audit({ category: "AUTHN", type, outcome: "FAILURE", actor: { id: userId, name: ctx.actor.name, kind: ctx.actor.kind }, detail });
  recordLock(ctx, userId, attempt);
}

/** Returns why an answer to a step did not count. `named` is the user whose name was typed with it, and `isKnown` says whether any name typed led to a user. */
export function reasonOf(authenticator: string, named: NamedUser | null, isKnown: boolean): string {
  if (!isKnown) return `${authenticator}: unknown name`;
  if (named?.enabled === false) return `${authenticator}: the user is disabled`;
  return `${authenticator}: ${named?.locked ? "the user is locked" : "wrong"}`;
}

/** Records the lock of a user. Counted steps that are no factor call it too. */
export function recordLock(ctx: Ctx, userId: string | null, attempt: Failed): void {
  if (attempt?.locksUser && userId !== null)
    ctx.audit({
      category: "SECURITY",
      type: "USER_LOCKED",
      resourceType: "users",
      resourceId: userId,
      detail: "too many failed attempts",
    });
}

/** Returns the message for a right answer that does not count: it was used up or replaced meanwhile, or its user may not sign in. */
export function refusalOf({ refusal, fields }: Question): Answer & { readonly outcome: "wrong" } {
  const words = fields.includes("password") ? "credentials" : fields.includes("code") ? "codeSpent" : "expired";
  return { outcome: "wrong", ...(refusal ?? { title: `${words}Title`, text: `${words}Text` }) };
}
