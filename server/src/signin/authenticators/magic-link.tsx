import { MINUTE } from "../../kernel/clock.ts";
import { randomToken, safeEqual } from "../../kernel/vault.ts";
import { LinkCode, LinkWaiting, Named } from "../../pages/index.ts";
import { type Proof, type Question, question, type StepContext } from "./authenticator.ts";
import { mailProof } from "./otp.tsx";
import * as store from "./sent.store.ts";
import { typedDigits } from "./totp.tsx";

/** The interval at which the waiting page checks whether the link was opened. */
const LOOK_AGAIN_SECONDS = 4;

const mail: store.Way = {
  channel: "EMAIL",
  templateKey: "magic-link-email",
  lifetime: 10 * MINUTE,
  isLink: true,
  newSecret: randomToken,
  valuesOf: (token, { parts, realm, interactionId, path }) => {
    if (interactionId === null) throw new Error("A link is mailed in a sign-in that knows its user, so the sign-in has a row");
    const query = new URLSearchParams({ interaction: interactionId, step: path, token });
    return { link: `${parts.baseUrl}/realms/${realm.realmId}/login/link?${query}` };
  },
};

const DIGITS = 6;

/** Mails a link, to be opened in the browser that waits for it. Another browser shows a code to type in the waiting one. */
export const magicLink: Question = {
  ...question,
  displayName: "Link by email",
  description:
    "Emails a link; opening it in the same browser and pressing the button there goes on. Another browser shows who asked, and a code to type",
  factor: "possession",
  // The link has 256 random bits, so guessing is of no use.
  counted: null,
  fields: [],
  choice: "chooseMagicLink",
  available: store.canReach(mail),
  begin: async (at) => store.sendSecret(mail, at),
  answeredElsewhere: async (at) => proofOf(at),
  page: (at, text) => {
    const address = store.shownAddress(mail, at);
    const sent = store.sentOf(at);
    if (sent?.offered)
      return {
        title: "linkTitle",
        lead: text.linkCodeText,
        body: <LinkCode text={text} digits={DIGITS} resend={store.resendWait(at)} alert={at.alert} />,
        errorAtField: true,
      };
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
      body: <LinkWaiting text={text} resend={store.resendWait(at)} />,
      refreshSeconds: LOOK_AGAIN_SECONDS,
    };
  },
  answer: async (at, form) => {
    const sent = store.sentOf(at);
    if (form.resend !== undefined || !sent) return store.resend(mail, at);
    if (form.token !== undefined) {
      if (!fitsLink(at, form.token)) return { outcome: "again", problem: { title: "signInLinkGoneTitle", text: "signInLinkGoneText" } };
      // The link is confirmed by this change, so a second confirmation finds no link any more.
      return { outcome: "again", data: { ...store.confirmed(mail, at, sent) } };
    }
    if (sent.offered && form.code) {
      if (at.now >= sent.expiresAt || !(await store.mayTry(at, sent.nonce))) return store.SPENT;
      if (!safeEqual(store.codeFor(mail, at, sent, DIGITS), typedDigits(form.code)))
        return { outcome: "wrong", title: "codeWrongTitle", text: "codeWrongText" };
      return { outcome: "passed", proof: ownProof(at) };
    }
    const proof = proofOf(at);
    return proof ? { outcome: "passed", proof } : { outcome: "again", notice: "linkNotYet" };
  },
};

/** Tells whether the token is that of the link that was mailed last. */
export function fitsLink(at: StepContext, token: string): boolean {
  const sent = store.sentOf(at);
  return sent !== null && !sent.confirmed && store.isSecret(mail, at, sent, token);
}

function proofOf(at: StepContext): Proof | null {
  const sent = store.sentOf(at);
  if (!sent || !store.isConfirmed(mail, at, sent)) return null;
  return ownProof(at);
}

const ownProof = (at: StepContext): Proof => ({ ...mailProof(at, store.addressOf(mail, at.user)!, ["email"]), factor: "possession" });

/** A link that was opened in another browser than the sign-in's. `data` is the data of the step after that browser has shown the code. */
export interface OpenedElsewhere {
  readonly askedBy: NonNullable<store.Sent["askedBy"]>;
  readonly sentAt: number;
  readonly code: string;
  readonly data: store.Sent;
}

/** Opens a link in another browser. Returns null if it is not the link that was mailed last, or no longer works. */
export function openElsewhere(
  at: Pick<StepContext, "parts" | "realm" | "path" | "user" | "data" | "now">,
  token: string,
): OpenedElsewhere | null {
  const sent = at.data as store.Sent | null;
  if (!sent || sent.confirmed || !sent.askedBy || !store.isSecretElsewhere(mail, at, sent, token)) return null;
  return { askedBy: sent.askedBy, sentAt: sent.sentAt, code: store.codeFor(mail, at, sent, DIGITS), data: { ...sent, offered: true } };
}
