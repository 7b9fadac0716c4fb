import { MINUTE } from "../../kernel/clock.ts";
import { randomToken } from "../../kernel/vault.ts";
import { LinkWaiting, Named } from "../../pages/index.ts";
import { type Proof, type Question, question, type StepContext } from "./authenticator.ts";
import { mailProof } from "./otp.tsx";
import {
  addressOf,
  canReach,
  confirmed,
  isConfirmed,
  isSecret,
  resend,
  resendWait,
  sendSecret,
  sentOf,
  shownAddress,
  type Way,
} from "./sent.store.ts";

/** The page that waits looks at this interval whether the link was opened. */
const LOOK_AGAIN_SECONDS = 4;

const mail: Way = {
  channel: "EMAIL",
  templateKey: "magic-link-email",
  lifetime: 10 * MINUTE,
  newSecret: randomToken,
  valuesOf: (token, { parts, realm, interactionId, path }) => {
    if (interactionId === null) throw new Error("A link is mailed in a sign-in that has said whose it is, and so has a row");
    const query = new URLSearchParams({ interaction: interactionId, step: path, token });
    return { link: `${parts.baseUrl}/realms/${realm.realmId}/login/link?${query}` };
  },
};

/** A link that is mailed, and opened in the browser that waits for it. */
export const magicLink: Question = {
  ...question,
  displayName: "Link by email",
  description: "Emails a link; opening it in the same browser and pressing the button there goes on",
  factor: "possession",
  // 256 bits: guessing is no use.
  counted: null,
  fields: [],
  choice: "chooseMagicLink",
  available: (at) => canReach(mail, at),
  begin: async (at) => sendSecret(mail, at),
  answeredElsewhere: async (at) => proofOf(at),
  page: (at, text) => {
    const address = shownAddress(mail, at);
    const sent = sentOf(at);
    const isUnsent = address !== null && sent?.failed;
    return {
      title: "linkTitle",
      lead: (
        <>
          {isUnsent ? (
            text.codeNotSent
          ) : address === null ? (
            text.linkMaybeText
          ) : (
            <Named template={text.linkSentText} values={{ address }} />
          )}
          {!isUnsent && sent && sent.sends > 1 ? ` ${text.linkResent}` : null}
        </>
      ),
      body: <LinkWaiting text={text} resend={resendWait(at)} />,
      refreshSeconds: LOOK_AGAIN_SECONDS,
    };
  },
  answer: async (at, form) => {
    const sent = sentOf(at);
    if (form.resend !== undefined || !sent) return resend(mail, at);
    if (form.token !== undefined) {
      if (!fitsLink(at, form.token)) return { outcome: "again", problem: { title: "signInLinkGoneTitle", text: "signInLinkGoneText" } };
      // Confirmed by this very change: a second one finds no link any more.
      return { outcome: "again", data: { ...confirmed(mail, at, sent) } };
    }
    const proof = proofOf(at);
    return proof ? { outcome: "passed", proof } : { outcome: "again", notice: "linkNotYet" };
  },
};

/** Tells whether the token is that of the link that was mailed last. */
export function fitsLink(at: StepContext, token: string): boolean {
  const sent = sentOf(at);
  return sent !== null && !sent.confirmed && isSecret(mail, at, sent, token);
}

function proofOf(at: StepContext): Proof | null {
  const sent = sentOf(at);
  if (!sent || !isConfirmed(mail, at, sent)) return null;
  return { ...mailProof(at, addressOf(mail, at.user)!, ["email"]), factor: "possession" };
}
