import type { Ctx } from "../../platform/context.ts";
import type { Answer, Question } from "../authenticators/index.ts";
import type { Attempt } from "./attempts.ts";

type Failed = Pick<Attempt, "locksUser"> | null;

/** Records a wrong answer. `attempt` is null if the answer cannot be guessed and is not counted. */
export function recordFailure(ctx: Ctx, userId: string | null, attempt: Failed, type: "LOGIN_FAILURE" | "MFA_FAILURE"): void {
  ctx.audit({ category: "AUTHN", type, outcome: "FAILURE", actor: { id: userId, name: ctx.actor.name, kind: ctx.actor.kind } });
  recordLock(ctx, userId, attempt);
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
