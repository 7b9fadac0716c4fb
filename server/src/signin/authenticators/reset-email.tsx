import { findUser } from "../../directory/users/index.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import { MailedCode, Named } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Mailed, mailLink } from "../action-tokens/index.ts";
import { type Question, question, type StepContext } from "./authenticator.ts";
import { afterMail, answerMailedCode, mailWait, resendMail } from "./mailed-code.ts";
import { type Progress, withPassed } from "./progress.ts";
import { NO_ADDRESS } from "./sent.store.ts";
import { addresseeOf } from "./user.store.ts";

const MINUTES = 30;
export const RESET_PATH = "reset-password";

/** The state with which the mailed link continues, in any browser. */
export interface ResetLink {
  /** The progress after the code, as if it had been typed. */
  readonly progress: Progress;
  readonly email: string;
  readonly username: string;
  /** The browser and the sign-in that requested the mail. In that browser the link returns to the request. */
  readonly browserHash: string;
  readonly interactionId: string | null;
}

/** Mails a link and a code to the address of an account whose password was forgotten. The page does not reveal whether there is one. */
export const resetEmail: Question = {
  ...question,
  displayName: "Email to a user who forgot their password",
  description: "Emails a link and a code to the person who was named in an earlier step, and waits for one of them to come back",
  factor: "possession",
  counted: "reset-email",
  fields: ["code"],
  choice: "chooseResetEmail",
  available: async () => true,
  begin: async (at) => ({ data: {}, commit: async (ctx) => ({ ...(await send(ctx, at)) }) }),
  page: (at, text) => ({
    title: "resetSentTitle",
    errorAtField: true,
    lead: <Named template={text.resetSentText} values={{ account: at.progress.login ?? "" }} />,
    body: <MailedCode text={text} alert={at.alert} resend={mailWait(at)} />,
  }),
  answer: async (at, { code = "", resend }) => {
    if (resend !== undefined) return resendMail(at, (ctx) => send(ctx, at));
    const proof = { userId: at.user?.userId ?? null, factor: "possession", amr: ["email"], writesUser: true } as const;
    return answerMailedCode(at, "reset-password", code, proof);
  },
};

/**
 * Sends the mail. Errors are not shown, not even a full mailbox, because they would reveal that there is an account. The time does not
 * reveal it either: the work is the same for an unknown name, and for an account that gets no mail.
 */
async function send(ctx: Ctx, at: StepContext): Promise<Mailed> {
  const { parts, user, visitor, path, progress, interactionId, now } = at;
  const account = await findUser(ctx.tx, ctx.realm, user?.userId ?? newId(), ctx.now);
  const step = { path, authenticator: "reset-email", factor: "possession", amr: ["email"], at: now } as const;
  const email = user?.email ?? NO_ADDRESS.EMAIL;
  const data: ResetLink = {
    progress: withPassed(progress, step, { userId: user?.userId ?? null }),
    email,
    username: user?.username ?? "",
    browserHash: sha256(visitor.preSession),
    interactionId,
  };
  const mailed = await mailLink(ctx, parts, {
    ...{ kind: "reset-password", templateKey: "reset-password-email", path: RESET_PATH, minutes: MINUTES },
    to: email,
    user: user && addresseeOf(user),
    locale: visitor.locale,
    data: { ...data },
    keeps: user?.email != null && account !== null && account.enabled && !account.lockedByAdmin,
  });
  if (mailed.failure !== null)
    parts.log.warn({ realm: ctx.realm, failure: mailed.failure }, "a mail to reset a password could not be sent");
  return { ...afterMail(at, mailed), failure: null };
}
