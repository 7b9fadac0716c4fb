import { randomInt } from "node:crypto";
import { holdUserForSignIn } from "../../directory/users/index.ts";
import { MINUTE } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { safeEqual, sha256 } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { StepContext } from "./authenticator.ts";
import * as store from "./challenges.store.ts";

export const CHALLENGE_LIFETIME = 2 * MINUTE;
/** An approval is valid this long, so that the page can notice it. */
const GRACE = MINUTE;
/** The challenges that may be open for one user at the same time: two browsers and one more. */
const MAX_OPEN = 3;
/**
 * The challenges without an answer before a pause. An attacker who has the password and no phone must not ask until the user taps the wrong
 * button.
 */
const MAX_IGNORED = 3;
const PAUSE = 10 * MINUTE;
/** Enough for a typing error, and too few to guess one of ninety numbers. */
const MAX_WRONG_NUMBERS = 3;
const USER_AGENT_LENGTH = 512;

const keptId = ({ data }: StepContext): string | null => (typeof data?.challengeId === "string" ? data.challengeId : null);

/** Finds the challenge that the step waits for. */
export async function challengeOf(at: StepContext, kind: store.Challenge["kind"]): Promise<store.Challenge | null> {
  const id = keptId(at);
  return id === null ? null : store.findChallenge(at.parts.db, at.realm.realmId, kind, id, at.now);
}

/** Describes the screen that waits. `previous` is the challenge that this one replaces. */
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
 * Asks a user whether a sign-in is theirs. Returns null without asking if they denied one a moment ago, left too many unanswered, have too
 * many open, or may not sign in.
 */
export async function startPush(ctx: Ctx, userId: string, waiting: Waiting): Promise<{ readonly expiresAt: number } | null> {
  // The user is locked for writing, so that the second of two concurrent requests counts the first.
  if (!(await holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite: true }))) return null;
  if (waiting.previous !== null) await store.withdrawChallenge(ctx.tx, ctx.realm, waiting.previous, ctx.now);
  const recent = await store.recentPushes(ctx.tx, ctx.realm, userId, ctx.now - 2 * PAUSE, ctx.now);
  const hasIgnoredTooMany = recent.ignored >= MAX_IGNORED && (recent.ignoredAt ?? 0) + PAUSE > ctx.now;
  const hasJustDenied = recent.deniedAt !== null && recent.deniedAt + PAUSE > ctx.now;
  if (recent.open >= MAX_OPEN || hasIgnoredTooMany || hasJustDenied) return null;
  // The user types the number on the phone and does not pick it from a few, so a tap without a look at the other screen approves nothing.
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

/** `again` is a wrong number, of which a few are allowed. `wrong` is the last of them, which ended the challenge. */
export type Answered = "approved" | "again" | "wrong" | "gone";

/** Approves the challenge if the number is right. The third wrong number ends it. */
export async function approveChallenge(ctx: Ctx, challenge: store.Challenge, userId: string, number: string): Promise<Answered> {
  const answered = { id: challenge.id, userId };
  if (safeEqual(number.trim(), challenge.number))
    return (await store.answerChallenge(ctx.tx, ctx.realm, answered, "APPROVED", ctx.now, GRACE)) ? "approved" : "gone";
  const status = await store.countWrongNumber(ctx.tx, ctx.realm, answered, MAX_WRONG_NUMBERS, ctx.now);
  if (status === null) return "gone";
  ctx.audit({ category: "AUTHN", type: "MFA_FAILURE", outcome: "FAILURE", detail: "push: a wrong number was typed" });
  return status === "WRONG" ? "wrong" : "again";
}

/** Denies the challenge: the user reports that another person tries to sign in as them. */
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

/** Lets the screen that shows the QR code continue as this user. */
export const confirmChallenge = (
  ctx: Ctx,
  challenge: store.Challenge,
  { userId, amr }: { readonly userId: string; readonly amr: readonly string[] },
): Promise<boolean> => store.answerChallenge(ctx.tx, ctx.realm, { id: challenge.id, userId }, "APPROVED", ctx.now, GRACE, { amr });

/**
 * Ends open approvals on `user.sessions_revoked`. An attacker may have approved a screen from a session, and the screen may still wait to
 * continue.
 */
export const endApprovals = (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> =>
  store.endApproved(ctx.tx, ctx.realm, userId, ctx.now);
