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

/** The data of a step that waits for a mailed code. */
export const mailedOf = ({ data }: Pick<StepContext, "data">): Mailed | null => data as Mailed | null;

/** After how many seconds another mail can be asked for. */
export function mailWait(at: StepContext): number {
  const mailed = mailedOf(at);
  return mailed?.failure === null ? resendWait(mailed, at.now) : 0;
}

/** Another mail, unless one has just left. */
export function resendMail(at: StepContext, send: (ctx: Ctx) => Promise<Mailed>): Answer {
  const mailed = mailedOf(at);
  if (mailed && mailed.failure === null && !mayResend(mailed, at.now))
    return { outcome: "again", problem: { title: "mailedWaitTitle", text: "mailedWaitText" } };
  return { outcome: "again", notice: "mailedAgain", commit: async (ctx) => ({ ...(await send(ctx)) }) };
}

/** The data of the step after another mail. Where none can leave, the code of the one before goes on to count: the page says to use it. */
export const afterMail = (at: StepContext, next: Mailed): Mailed =>
  next.failure === null ? next : { ...(mailedOf(at) ?? next), sentAt: next.sentAt, failure: next.failure };

/** The link or code of a mail confirms the address that the mail went to. False: it was used, or the user has another address by now. */
export const confirmMailed = async (ctx: Ctx, taken: ActionToken | null): Promise<boolean> =>
  taken !== null && taken.userId !== null && confirmEmail(ctx, taken.userId, String(taken.data.email));

/** The code of the latest mail; the link that came with it is used up together with it. After too many wrong ones only the link works. */
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
