import { encodeQR } from "qr";
import Type from "typebox";
import { MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { QrEnded, QrWaiting } from "../../pages/index.ts";
import { factorOf } from "../sessions/index.ts";
import { type Kept, type Proof, type Question, question, type StepContext } from "./authenticator.ts";
import { challengeOf, startQr, waitingOf } from "./challenges.service.ts";
import { type Challenge, useChallenge } from "./challenges.store.ts";

const LOOK_EVERY_SECONDS = 5;
const FRESH_MINUTES = 5;
/** ISO/IEC 18004 requires four modules around the code. */
const QUIET_ZONE = 4;

/** Shows a QR code. The user of a phone that is signed in scans it and confirms, and this screen continues as that user. */
export const qr: Question = {
  ...question,
  displayName: "QR code",
  description: "Shows a QR code; a phone that is signed in confirms it, and this browser goes on as that user",
  config: Type.Object(
    {
      freshMinutes: Type.Optional(
        Type.Integer({
          ...{ minimum: 1, maximum: 1_440, default: FRESH_MINUTES },
          description: "The user's sign-in on the phone may be this old; an older one asks the user to sign in there again",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  identifies: true,
  factor: "possession",
  counted: null, // there is nothing to guess: the answer is given on the phone
  fields: [],
  choice: "chooseQr",
  available: async () => true,
  begin: async (at) => show(at),
  async page(at, text) {
    const challenge = await challengeOf(at, "qr");
    if (challenge?.status !== "PENDING" && challenge?.status !== "APPROVED")
      return { title: "qrExpiredTitle", lead: text.qrExpiredText, body: <QrEnded text={text} /> };
    const url = `${at.parts.baseUrl}/realms/${at.realm.realmId}/qr/${challenge.id}`;
    return {
      title: "qrTitle",
      lead: text.qrText,
      body: <QrWaiting text={text} cells={encodeQR(url, "raw", { border: QUIET_ZONE, ecc: "medium" })} code={challenge.number} />,
      refreshSeconds: LOOK_EVERY_SECONDS,
    };
  },
  answeredElsewhere: async (at) => proofOf(await challengeOf(at, "qr")),
  async answer(at, form) {
    const challenge = await challengeOf(at, "qr");
    const proof = proofOf(challenge);
    if (proof) return { outcome: "passed", proof };
    if (form.resend !== undefined) return { outcome: "again", ...show(at) };
    return challenge?.status === "PENDING" ? { outcome: "again", notice: "qrNotYet" } : { outcome: "again" };
  },
};

function proofOf(challenge: Challenge | null): Proof | null {
  if (challenge?.status !== "APPROVED" || challenge.userId === null) return null;
  const { id, userId, data } = challenge;
  const amr = data.amr ?? [];
  // A phone that was signed in by a password or a provider alone proves only that, because anyone who can sign in so has such a phone.
  const proven = factorOf(amr) === "knowledge" ? { factor: "knowledge" as const, amr } : { factor: "possession" as const, amr: ["qr"] };
  return { userId, ...proven, accept: (ctx) => useChallenge(ctx.tx, ctx.realm, { id, userId }, ctx.now) };
}

function show(at: StepContext): Kept {
  const waiting = waitingOf(at, newId());
  const { freshMinutes = FRESH_MINUTES } = at.config as { readonly freshMinutes?: number };
  return {
    data: { challengeId: waiting.challengeId },
    async commit(ctx) {
      await startQr(ctx, waiting, freshMinutes * MINUTE);
      return undefined;
    },
  };
}
