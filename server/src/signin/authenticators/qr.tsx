import { encodeQR } from "qr";
import Type from "typebox";
import { MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { QrEnded, QrWaiting } from "../pages/index.ts";
import { factorOf } from "../sessions/index.ts";
import { type Kept, type Proof, type Question, question, type StepContext } from "./authenticator.ts";
import { startQr } from "./challenges.service.ts";
import { type Challenge, findChallenge, useChallenge } from "./challenges.store.ts";

const LOOK_EVERY_SECONDS = 5;
const FRESH_MINUTES = 5;
/** ISO/IEC 18004 asks for four modules around the picture. */
const QUIET_ZONE = 4;

/** A phone that is signed in lets this screen in: its user looks at the picture and confirms. */
export const qr: Question = {
  ...question,
  displayName: "QR code",
  description: "Shows a QR code; a phone that is signed in confirms it, and this browser goes on as that user",
  config: Type.Object(
    {
      freshMinutes: Type.Optional(
        Type.Integer({
          ...{ minimum: 1, maximum: 1_440, default: FRESH_MINUTES },
          description: "How long ago the user may have signed in on the phone; later they sign in there again",
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
    const challenge = await challengeOf(at);
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
  answeredElsewhere: async (at) => proofOf(await challengeOf(at)),
  async answer(at, form) {
    const challenge = await challengeOf(at);
    const proof = proofOf(challenge);
    if (proof) return { outcome: "passed", proof };
    if (form.resend !== undefined) return { outcome: "again", ...show(at) };
    return challenge?.status === "PENDING" ? { outcome: "again", notice: "qrNotYet" } : { outcome: "again" };
  },
};

const challengeOf = async ({ parts, realm, data, now }: StepContext): Promise<Challenge | null> =>
  typeof data?.challengeId === "string" ? findChallenge(parts.db, realm.realmId, "qr", data.challengeId, now) : null;

function proofOf(challenge: Challenge | null): Proof | null {
  if (challenge?.status !== "APPROVED" || challenge.userId === null) return null;
  const { id, userId, data } = challenge;
  const amr = data.amr ?? [];
  // A phone that was signed in by a password alone proves that password and nothing more: anyone who knows it has such a phone.
  const proven = factorOf(amr) === "knowledge" ? { factor: "knowledge" as const, amr } : { factor: "possession" as const, amr: ["qr"] };
  return { userId, ...proven, accept: (ctx) => useChallenge(ctx.tx, ctx.realm, { id, userId }, ctx.now) };
}

function show({ data, visitor, request, config }: StepContext): Kept {
  const challengeId = newId();
  const previous = typeof data?.challengeId === "string" ? data.challengeId : null;
  const freshMinutes = typeof config.freshMinutes === "number" ? config.freshMinutes : FRESH_MINUTES;
  return {
    data: { challengeId },
    async commit(ctx) {
      await startQr(
        ctx,
        {
          ...{ challengeId, previous, clientId: request.clientId ?? null, preSession: visitor.preSession },
          ...{ sessionId: visitor.session?.sessionId ?? null, sourceIp: visitor.sourceIp, userAgent: visitor.userAgent },
        },
        freshMinutes * MINUTE,
      );
      return undefined;
    },
  };
}
