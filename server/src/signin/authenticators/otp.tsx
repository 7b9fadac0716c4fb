import { randomInt } from "node:crypto";
import { confirmEmail } from "../../directory/users/index.ts";
import { MINUTE } from "../../kernel/clock.ts";
import { CodeField, type Messages, Named } from "../../pages/index.ts";
import { type Proof, type Question, question, type StepContext, type TextKey } from "./authenticator.ts";
import {
  addressOf,
  canReach,
  isSecret,
  mayTry,
  resend,
  resendWait,
  SPENT,
  sendSecret,
  sentOf,
  shownAddress,
  type Way,
} from "./sent.store.ts";
import { typedDigits } from "./totp.tsx";

const DIGITS = 6;

const way = (channel: Way["channel"], templateKey: Way["templateKey"]): Way => ({
  channel,
  templateKey,
  lifetime: 5 * MINUTE,
  newSecret: () => String(randomInt(10 ** DIGITS)).padStart(DIGITS, "0"),
  valuesOf: (code) => ({ code }),
});

interface Words {
  readonly displayName: string;
  readonly description: string;
  readonly title: TextKey;
  readonly choice: TextKey;
  readonly maybe: TextKey;
}

/** Makes a question that sends a code to the user and asks for it. */
const otp = (name: string, by: Way, words: Words, proofOf: (at: StepContext, address: string) => Omit<Proof, "factor">): Question => ({
  ...question,
  displayName: words.displayName,
  description: words.description,
  factor: "possession",
  counted: name,
  fields: ["code"],
  choice: words.choice,
  available: canReach(by),
  begin: async (at) => sendSecret(by, at),
  page: (at, text) => ({
    title: words.title,
    lead: <Lead at={at} by={by} text={text} maybe={text[words.maybe]} />,
    body: <CodeField text={text} digits={DIGITS} resend={resendWait(at)} alert={at.alert} />,
    errorAtField: true,
  }),
  answer: async (at, form) => {
    const sent = sentOf(at);
    if (form.resend !== undefined || !sent) return resend(by, at);
    if (at.now >= sent.expiresAt || !(await mayTry(at, sent.nonce))) return SPENT;
    if (!isSecret(by, at, sent, typedDigits(form.code))) return { outcome: "wrong", title: "codeWrongTitle", text: "codeWrongText" };
    return { outcome: "passed", proof: { ...proofOf(at, addressOf(by, at.user)!), factor: "possession" } };
  },
});

const Lead = ({ at, by, text, maybe }: { at: StepContext; by: Way; text: Messages; maybe: string }) => {
  const address = shownAddress(by, at);
  const sent = sentOf(at);
  if (address !== null && sent?.failed) return <>{text.codeNotSent}</>;
  return (
    <>
      {address === null ? maybe : <Named template={text.codeSentText} values={{ address }} />}
      {sent && sent.sends > 1 ? ` ${text.codeResent}` : null}
    </>
  );
};

/** Returns the proof of reading the user's mail, which also confirms the address. */
export const mailProof = ({ user }: StepContext, address: string, amr: readonly string[]): Omit<Proof, "factor"> => {
  const { userId, emailVerified } = user!;
  return { userId, amr, writesUser: !emailVerified, accept: async (ctx) => emailVerified || confirmEmail(ctx, userId, address) };
};

export const emailOtp = otp(
  "email-otp",
  way("EMAIL", "otp-email"),
  {
    displayName: "Code by email",
    description: "Sends a code to the user's email address and asks for it",
    ...{ title: "emailOtpTitle", choice: "chooseEmailOtp", maybe: "emailCodeMaybeText" },
  },
  (at, address) => mailProof(at, address, ["otp", "email"]),
);

export const smsOtp = otp(
  "sms-otp",
  way("SMS", "otp-sms"),
  {
    displayName: "Code by text message",
    description: "Sends a code to the telephone number in the user's attribute `phoneNumber` and asks for it",
    ...{ title: "smsOtpTitle", choice: "chooseSmsOtp", maybe: "smsCodeMaybeText" },
  },
  ({ user }) => ({ userId: user!.userId, amr: ["otp", "sms"] }),
);
