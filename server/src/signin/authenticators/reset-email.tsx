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

/** The state that the mailed link continues with, in any browser. */
export interface ResetLink {
  /** The progress after the code, as if it had been typed. */
  readonly progress: Progress;
  readonly email: string;
  readonly username: string;
  /** The browser and the sign-in that requested the mail: in that browser the link returns to the request. */
  readonly browserHash: string;
  readonly interactionId: string | null;
}

/** For a forgotten password: a mail to the account's address, if there is such an account; the page does not reveal whether there is. */
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
 * Errors are not shown, not even a full mailbox: they would reveal that there is an account. Nor does the time reveal it: the same is done for a name
 * that nobody has, and for an account that gets no mail.
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
  if (mailed.failure !== null) parts.log.warn({ realm: ctx.realm, failure: mailed.failure }, "a mail to reset a password could not leave");
  return { ...afterMail(at, mailed), failure: null };
}
