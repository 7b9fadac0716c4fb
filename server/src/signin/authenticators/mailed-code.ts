import { confirmEmail } from "../../directory/users/index.ts";
import type { Ctx } from "../../platform/context.ts";
import {
  type ActionToken,
  isMailedCode,
  type Mailed,
  mayResend,
  resendWait,
  type TokenKind,
  takeTokenByHash,
} from "../action-tokens/index.ts";
import type { Answer, Proof, StepContext } from "./authenticator.ts";
import { mayTry, SPENT } from "./sent.store.ts";

/** Returns the data of a step that waits for a mailed code. */
export const mailedOf = ({ data }: Pick<StepContext, "data">): Mailed | null => data as Mailed | null;

/** Returns after how many seconds the user can ask for another mail. */
export function mailWait(at: StepContext): number {
  const mailed = mailedOf(at);
  return mailed?.failure === null ? resendWait(mailed, at.now) : 0;
}

/** Sends another mail, unless one was sent moments ago. */
export function resendMail(at: StepContext, send: (ctx: Ctx) => Promise<Mailed>): Answer {
  const mailed = mailedOf(at);
  if (mailed && mailed.failure === null && !mayResend(mailed, at.now))
    return { outcome: "again", problem: { title: "mailedWaitTitle", text: "mailedWaitText" } };
  return { outcome: "again", notice: "mailedAgain", commit: async (ctx) => ({ ...(await send(ctx)) }) };
}

/** Returns the data of the step after another mail. If it cannot be sent, the code before it stays valid, and the page says so. */
export const afterMail = (at: StepContext, next: Mailed): Mailed =>
  next.failure === null ? next : { ...(mailedOf(at) ?? next), sentAt: next.sentAt, failure: next.failure };

/** Confirms the address that a mail with a link or code went to. Returns false if the token was used, or if the address has changed. */
export const confirmMailed = async (ctx: Ctx, taken: ActionToken | null): Promise<boolean> =>
  taken !== null && taken.userId !== null && confirmEmail(ctx, taken.userId, String(taken.data.email));

/** Checks the code of the latest mail. The link in that mail is used up with it. After too many wrong codes only the link works. */
export async function answerMailedCode(at: StepContext, kind: TokenKind, typed: string, proof: Omit<Proof, "accept">): Promise<Answer> {
  const mailed = mailedOf(at);
  if (mailed && !(await mayTry(at, mailed.tokenHash))) return SPENT;
  if (!mailed || !isMailedCode(at.parts.vault, mailed, typed))
    return { outcome: "wrong", title: "mailedWrongTitle", text: "mailedWrongText" };
  return {
    outcome: "passed",
    proof: {
      ...proof,
      accept: async (ctx) => {
        const taken = await takeTokenByHash(ctx, kind, mailed.tokenHash);
        return taken?.userId === proof.userId && confirmMailed(ctx, taken);
      },
    },
  };
}
