import { MailedCode, Named } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Mailed, mailLink } from "../action-tokens/index.ts";
import {
  addresseeOf,
  afterMail,
  answerMailedCode,
  mailedOf,
  mailWait,
  type Question,
  question,
  resendMail,
  type StepContext,
} from "../authenticators/index.ts";

/** The link is read when there is time for it; the code only while the page is open. */
const MINUTES = 24 * 60;
export const VERIFY_EMAIL_PATH = "verify-email";

/** A code from the mail on this page, or its link anywhere. */
export const verifyEmail: Question = {
  ...question,
  displayName: "Confirm the email address",
  description: "Mails a link and a code to the user's address, and waits for one of them to come back",
  factor: null,
  counted: "verify-email",
  fields: ["code"],
  choice: "chooseVerifyEmail",
  // Without an address there is nothing to confirm yet, and without a provider no mail to promise: the action waits, the sign-in does not.
  available: async ({ parts, realm, user }) =>
    user !== null && user.email !== null && (await parts.messages.canSend(parts.db, realm.realmId, "EMAIL")),
  begin: async (at) => ({ data: {}, commit: async (ctx) => ({ ...(await send(ctx, at)) }) }),
  page: (at, text) => {
    const { user, realm, interactionId, alert } = at;
    const failure = mailedOf(at)?.failure ?? null;
    const failed = { limited: text.mailedLimitedText, unavailable: text.mailedUnavailableText };
    return {
      title: "verifyEmailTitle",
      errorAtField: true,
      lead: failure ? failed[failure] : <Named template={text.verifyEmailText} values={{ address: user?.email ?? "" }} />,
      body: (
        <MailedCode
          text={text}
          alert={alert}
          resend={mailWait(at)}
          followedUrl={interactionId === null ? undefined : `/realms/${realm.realmId}/login?interaction=${interactionId}`}
        />
      ),
    };
  },
  answer: async (at, { code = "", resend }) => {
    if (resend !== undefined) return resendMail(at, (ctx) => send(ctx, at));
    return answerMailedCode(at, "verify-email", code, { userId: at.user!.userId, factor: null, amr: [], writesUser: true });
  },
};

async function send(ctx: Ctx, at: StepContext): Promise<Mailed> {
  const { parts, user, visitor } = at;
  const { email } = user!;
  const mailed = await mailLink(ctx, parts, {
    ...{ kind: "verify-email", templateKey: "verify-email", path: VERIFY_EMAIL_PATH, minutes: MINUTES, isOnlyOne: true },
    to: email!,
    user: addresseeOf(user!),
    locale: visitor.locale,
    data: { email: email! },
    keeps: true,
  });
  return afterMail(at, mailed);
}
