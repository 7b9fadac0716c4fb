import { SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { PushEnded, PushWaiting } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { findProvider, pushTokensOf } from "../../tenancy/messaging/index.ts";
import { type Kept, type Proof, type Question, question, type StepContext, type TextKey } from "./authenticator.ts";
import { challengeOf, startPush, waitingOf } from "./challenges.service.ts";
import { type Challenge, type ChallengeStatus, useChallenge } from "./challenges.store.ts";
import { isProven } from "./progress.ts";
import { trySend } from "./sent.store.ts";
import { addresseeOf } from "./user.store.ts";

/** The interval at which the page checks whether the phone has answered. */
const LOOK_EVERY_SECONDS = 5;

/** Asks on an enrolled phone whether the sign-in is its owner's. They type the number that this page shows. */
export const push: Question = {
  ...question,
  displayName: "Push",
  description: "Asks on an enrolled phone; its owner types the number that the page shows",
  factor: "possession",
  counted: null, // the number is typed on the phone, and counted there
  fields: [],
  choice: "choosePush",
  // Push is never the first step: an attacker who knows a login name could trigger prompts on the user's phone.
  available: async ({ user, progress }) => isProven(progress) && (user?.credentials.has("push") ?? false),
  begin: async (at) => ask(at),
  async page(at, text) {
    const challenge = await challengeOf(at, "push");
    if (challenge?.status === "PENDING" || challenge?.status === "APPROVED")
      return {
        title: "pushTitle",
        lead: text.pushText,
        body: <PushWaiting text={text} number={challenge.number} />,
        refreshSeconds: LOOK_EVERY_SECONDS,
      };
    const [title, lead] = ended(challenge);
    return { title, lead: text[lead], body: <PushEnded text={text} /> };
  },
  answeredElsewhere: async (at) => proofOf(at, await challengeOf(at, "push")),
  async answer(at, form) {
    const challenge = await challengeOf(at, "push");
    const proof = proofOf(at, challenge);
    if (proof) return { outcome: "passed", proof };
    if (form.resend !== undefined) return { outcome: "again", ...ask(at) };
    return challenge?.status === "PENDING" ? { outcome: "again", notice: "pushNotYet" } : { outcome: "again" };
  },
};

function proofOf({ user }: StepContext, challenge: Challenge | null): Proof | null {
  if (challenge?.status !== "APPROVED" || user === null || challenge.userId !== user.userId) return null;
  const { userId } = user;
  return {
    userId,
    factor: "possession",
    amr: ["push"],
    accept: (ctx) => useChallenge(ctx.tx, ctx.realm, { id: challenge.id, userId }, ctx.now),
  };
}

const ENDED: Partial<Record<ChallengeStatus, readonly [title: TextKey, text: TextKey]>> = {
  DENIED: ["pushDeniedTitle", "pushDeniedText"],
  WRONG: ["pushStoppedTitle", "pushStoppedText"],
};
const ended = (challenge: Challenge | null): readonly [title: TextKey, text: TextKey] =>
  challenge ? (ENDED[challenge.status] ?? ["pushExpiredTitle", "pushExpiredText"]) : ["pushPausedTitle", "pushPausedText"];

/** Creates the challenge and its messages in one transaction. */
function ask(at: StepContext): Kept {
  const { user } = at;
  return {
    data: {},
    commit: async (ctx) => {
      const waiting = waitingOf(at, newId());
      const started = user && (await startPush(ctx, user.userId, waiting));
      if (!started) return {};
      await ring(ctx, at, waiting.challengeId, started.expiresAt);
      return { challengeId: waiting.challengeId };
    },
  };
}

/**
 * Notifies every phone that the realm's provider reaches. Without one, the challenge still waits, because apps also ask for challenges
 * themselves.
 */
async function ring(ctx: Ctx, at: StepContext, challengeId: string, expiresAt: number): Promise<void> {
  const { parts, realm } = at;
  const user = addresseeOf(at.user!);
  const provider = await findProvider(ctx.tx, parts.vault, ctx.realm, "PUSH");
  const devices = provider ? await pushTokensOf(ctx.tx, ctx.realm, user.id, provider.driver) : [];
  for (const device of devices)
    await trySend(ctx, at, {
      ...{ templateKey: "push-approval", to: device.id, user, expiresAt },
      values: { ttlSeconds: Math.ceil((expiresAt - ctx.now) / SECOND) },
      // The message never contains the number, which only the waiting screen may show.
      data: { type: "push-approval", challenge: challengeId, url: `${parts.baseUrl}/realms/${realm.realmId}/push/${challengeId}` },
    });
}
