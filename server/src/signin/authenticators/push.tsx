import { sql } from "kysely";
import { AppError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { findProvider, type MessageUser, pushTokensOf } from "../../tenancy/messaging/index.ts";
import { PushEnded, PushWaiting } from "../pages/index.ts";
import { type Kept, type Proof, type Question, question, type StepContext, type TextKey } from "./authenticator.ts";
import { startPush } from "./challenges.service.ts";
import { type Challenge, type ChallengeStatus, findChallenge, useChallenge } from "./challenges.store.ts";
import { isProven } from "./progress.ts";

/** How often the page looks whether the phone has answered. */
const LOOK_EVERY_SECONDS = 5;

/** An enrolled phone asks its owner: is it you? They type the number that this page shows. */
export const push: Question = {
  ...question,
  displayName: "Push",
  description: "Asks on an enrolled phone; its owner types the number that the page shows",
  factor: "possession",
  counted: null, // the number is typed on the phone, and counted there
  fields: [],
  choice: "choosePush",
  // Never as the first step: an attacker who knows a login name could trigger prompts on the user's phone.
  available: async ({ user, progress }) => isProven(progress) && (user?.credentials.has("push") ?? false),
  begin: async (at) => ask(at),
  async page(at, text) {
    const challenge = await challengeOf(at);
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
  answeredElsewhere: async (at) => proofOf(at, await challengeOf(at)),
  async answer(at, form) {
    const challenge = await challengeOf(at);
    const proof = proofOf(at, challenge);
    if (proof) return { outcome: "passed", proof };
    if (form.resend !== undefined) return { outcome: "again", ...ask(at) };
    return challenge?.status === "PENDING" ? { outcome: "again", notice: "pushNotYet" } : { outcome: "again" };
  },
};

const challengeOf = async ({ parts, realm, data, now }: StepContext): Promise<Challenge | null> =>
  typeof data?.challengeId === "string" ? findChallenge(parts.db, realm.realmId, "push", data.challengeId, now) : null;

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

/** The question and the messages that bring it are there together, or neither is. */
function ask(at: StepContext): Kept {
  const challengeId = newId();
  const previous = typeof at.data?.challengeId === "string" ? at.data.challengeId : null;
  const { visitor, request, user } = at;
  return {
    data: {},
    commit: async (ctx) => {
      const started =
        user &&
        (await startPush(ctx, user.userId, {
          ...{ challengeId, previous, clientId: request.clientId ?? null, preSession: visitor.preSession },
          ...{ sessionId: visitor.session?.sessionId ?? null, sourceIp: visitor.sourceIp, userAgent: visitor.userAgent },
        }));
      if (!started) return {};
      await ring(ctx, at, challengeId, started.expiresAt);
      return { challengeId };
    },
  };
}

/** Every phone that the realm's provider reaches. Without one the question still waits: apps look by themselves, too. */
async function ring(ctx: Ctx, { parts, user, realm }: StepContext, challengeId: string, expiresAt: number): Promise<void> {
  const provider = await findProvider(ctx.tx, parts.vault, ctx.realm, "PUSH");
  const devices = provider ? await pushTokensOf(ctx.tx, ctx.realm, user!.userId, provider.driver) : [];
  const { userId: id, username, email, attributes } = user!;
  for (const device of devices) {
    await sql`savepoint message`.execute(ctx.tx);
    try {
      await parts.messages.send(ctx, {
        templateKey: "push-approval",
        to: device.id,
        user: { id, username, email, attributes: attributes as MessageUser["attributes"] },
        values: { ttlSeconds: Math.ceil((expiresAt - ctx.now) / 1000) },
        // Never the number: it is what only the screen that waits shows.
        data: { type: "push-approval", challenge: challengeId, url: `${parts.baseUrl}/realms/${realm.realmId}/push/${challengeId}` },
        expiresAt,
      });
    } catch (error) {
      await sql`rollback to savepoint message`.execute(ctx.tx);
      // Turned off, or too many for this phone: another one may still ring.
      if (!(error instanceof AppError) || !error.code.startsWith("messaging.")) throw error;
      parts.log.info({ realm: ctx.realm, code: error.code }, "a phone could not be asked to approve a sign-in");
    }
  }
}
