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

/** The lifetime of the link, which may be read later. The code works only while the page is open. */
const MINUTES = 24 * 60;
export const VERIFY_EMAIL_PATH = "verify-email";

/** Asks for the code from a mail on this page, or for its link in any browser. */
export const verifyEmail: Question = {
  ...question,
  displayName: "Confirm the email address",
  description: "Mails a link and a code to the user's address, and waits for one of them to come back",
  factor: null,
  counted: "verify-email",
  fields: ["code"],
  choice: "chooseVerifyEmail",
  // Without an address there is nothing to confirm, and without a provider no mail can be sent: the action waits and the sign-in continues.
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
