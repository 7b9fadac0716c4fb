import { randomInt } from "node:crypto";
import { holdUserForSignIn } from "../../directory/users/index.ts";
import { MINUTE } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { safeEqual, sha256 } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { StepContext } from "./authenticator.ts";
import * as store from "./challenges.store.ts";

export const CHALLENGE_LIFETIME = 2 * MINUTE;
/** An approval waits this long for the page to look again. */
const GRACE = MINUTE;
/** So many may wait for one user at the same time: two browsers and one more. */
const MAX_OPEN = 3;
/** An attacker with the password and no phone must not be able to ask until the user taps the wrong button. */
const MAX_IGNORED = 3;
const PAUSE = 10 * MINUTE;
/** Enough for a slip of the finger, too few to guess one of ninety numbers. */
const MAX_WRONG_NUMBERS = 3;
const USER_AGENT_LENGTH = 512;

const keptId = ({ data }: StepContext): string | null => (typeof data?.challengeId === "string" ? data.challengeId : null);

/** The challenge that the step waits for. */
export async function challengeOf(at: StepContext, kind: store.Challenge["kind"]): Promise<store.Challenge | null> {
  const id = keptId(at);
  return id === null ? null : store.findChallenge(at.parts.db, at.realm.realmId, kind, id, at.now);
}

/** The screen that waits. `previous`: the challenge that this one replaces. */
export const waitingOf = (at: StepContext, challengeId: string) => ({
  ...{ challengeId, previous: keptId(at), clientId: at.request.clientId ?? null, preSession: at.visitor.preSession },
  ...{ sessionId: at.visitor.session?.sessionId ?? null, sourceIp: at.visitor.sourceIp, userAgent: at.visitor.userAgent },
});
type Waiting = ReturnType<typeof waitingOf>;

const draftOf = (waiting: Waiting, number: string, data: store.ChallengeData, now: number) => ({
  id: waiting.challengeId,
  browserHash: sha256(waiting.preSession),
  sessionId: waiting.sessionId,
  number,
  data,
  clientId: waiting.clientId,
  sourceIp: waiting.sourceIp,
  userAgent: waiting.userAgent === null ? null : cut(waiting.userAgent, USER_AGENT_LENGTH),
  expiresAt: now + CHALLENGE_LIFETIME,
});

/**
 * Asks a user whether a sign-in is theirs. Null, with nothing asked: they denied one a moment ago, left too many unanswered, have enough
 * of them open, or may not sign in.
 */
export async function startPush(ctx: Ctx, userId: string, waiting: Waiting): Promise<{ readonly expiresAt: number } | null> {
  // Held to write: of two that ask at once, the second counts the first.
  if (!(await holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite: true }))) return null;
  if (waiting.previous !== null) await store.withdrawChallenge(ctx.tx, ctx.realm, waiting.previous, ctx.now);
  const recent = await store.recentPushes(ctx.tx, ctx.realm, userId, ctx.now - 2 * PAUSE, ctx.now);
  const isTired = recent.ignored >= MAX_IGNORED && (recent.ignoredAt ?? 0) + PAUSE > ctx.now;
  const saidNo = recent.deniedAt !== null && recent.deniedAt + PAUSE > ctx.now;
  if (recent.open >= MAX_OPEN || isTired || saidNo) return null;
  // Typed on the phone, not picked among a few there: a tap without looking at the other screen approves nothing.
  const draft = draftOf(waiting, String(randomInt(10, 100)), {}, ctx.now);
  await store.insertChallenge(ctx.tx, ctx.realm, { ...draft, kind: "push", userId }, ctx.now);
  return { expiresAt: draft.expiresAt };
}

/** Offers a screen to the user who confirms it from a phone. */
export async function startQr(ctx: Ctx, waiting: Waiting, freshMs: number): Promise<void> {
  if (waiting.previous !== null) await store.withdrawChallenge(ctx.tx, ctx.realm, waiting.previous, ctx.now);
  const number = String(randomInt(1_000, 10_000));
  await store.insertChallenge(ctx.tx, ctx.realm, { ...draftOf(waiting, number, { freshMs }, ctx.now), kind: "qr", userId: null }, ctx.now);
}

/** `again`: a wrong number, of which a few are allowed. `wrong`: the last of them, which ended it. */
export type Answered = "approved" | "again" | "wrong" | "gone";

/** The right number lets the sign-in go on; the third wrong one ends it. */
export async function approveChallenge(ctx: Ctx, challenge: store.Challenge, userId: string, number: string): Promise<Answered> {
  const answered = { id: challenge.id, userId };
  if (safeEqual(number.trim(), challenge.number))
    return (await store.answerChallenge(ctx.tx, ctx.realm, answered, "APPROVED", ctx.now, GRACE)) ? "approved" : "gone";
  const status = await store.countWrongNumber(ctx.tx, ctx.realm, answered, MAX_WRONG_NUMBERS, ctx.now);
  if (status === null) return "gone";
  ctx.audit({ category: "AUTHN", type: "MFA_FAILURE", outcome: "FAILURE", detail: "push: a wrong number was typed" });
  return status === "WRONG" ? "wrong" : "again";
}

/** The user reports that another person tries to sign in as them. */
export async function denyChallenge(ctx: Ctx, challenge: store.Challenge, userId: string): Promise<boolean> {
  if (!(await store.answerChallenge(ctx.tx, ctx.realm, { id: challenge.id, userId }, "DENIED", ctx.now, 0))) return false;
  ctx.audit({
    category: "SECURITY",
    type: "PUSH_DENIED",
    resourceType: "users",
    resourceId: userId,
    detail: [challenge.clientId, challenge.sourceIp].filter((part) => part !== null).join(" from "),
  });
  return true;
}

/** The screen that shows the picture may go on as this user. */
export const confirmChallenge = (
  ctx: Ctx,
  challenge: store.Challenge,
  { userId, amr }: { readonly userId: string; readonly amr: readonly string[] },
): Promise<boolean> => store.answerChallenge(ctx.tx, ctx.realm, { id: challenge.id, userId }, "APPROVED", ctx.now, GRACE, { amr });

/** `user.sessions_revoked`: a screen may have been let in from a session that an attacker had, and may still wait to go on. */
export const endApprovals = (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> =>
  store.endApproved(ctx.tx, ctx.realm, userId, ctx.now);
