import { usePassword } from "../../directory/credentials/index.ts";
import { addRequiredAction, findUserByLogin, holdUserForSignIn } from "../../directory/users/index.ts";
import { clock, DAY, SECOND } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { cut, loginKey } from "../../kernel/text.ts";
import type { Actor, Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { type Attempt, countAttempt } from "../attempts/index.ts";
import type { PasswordAnswer, PasswordQuestion, PasswordSource } from "./sources.ts";
import type { PasswordUpgrades } from "./upgrades.ts";

export interface PasswordProofParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly metrics: Metrics;
  readonly sources: readonly PasswordSource[];
  readonly upgrades: PasswordUpgrades;
}

/** A password that somebody brings. */
export interface PasswordProof {
  readonly realm: RealmSnapshot;
  readonly login: string;
  readonly password: string;
  readonly sourceIp: string;
}

/** Whose password was right; they are kept from being shut out until commit. */
export interface ProvenUser {
  readonly userId: string;
  readonly username: string;
}

export type ProofOutcome<T> =
  | { readonly outcome: "proven"; readonly value: T }
  | { readonly outcome: "refused" }
  | { readonly outcome: "wait"; readonly retryAfterSeconds: number };

/** Whether the user was named by the mail address. */
export const isByMail = (user: { readonly username: string } | null, login: string): boolean =>
  user !== null && loginKey(user.username) !== loginKey(login);

export type RightPassword = PasswordAnswer & { verdict: "right" };

/**
 * What every sign-in by password goes through: counters, sources, locks, changes meanwhile, events of failures. `proven` runs in the
 * transaction in which the password was right; what it starts, the event and the count of success are its own.
 */
export async function provePassword<T>(
  parts: PasswordProofParts,
  input: PasswordProof,
  proven: (ctx: Ctx, user: ProvenUser) => Promise<T>,
): Promise<ProofOutcome<T>> {
  const { realm, login } = input;
  const user = await findUserByLogin(parts.db, realm.realmId, login);
  const userId = user?.userId ?? null;
  const origin = { realm: realm.realmId, actor: stranger(realm.realmId, login), sourceIp: input.sourceIp };

  const attempt = await countAttempt(parts, origin, realm, { login, userId, sourceIp: input.sourceIp, byMail: isByMail(user, login) });
  if (attempt.retryAt !== null)
    return { outcome: "wait", retryAfterSeconds: Math.max(1, Math.ceil((attempt.retryAt - clock.now()) / SECOND)) };

  const tryPassword = async (again = true): Promise<{ value: T } | null> => {
    const answer = await checkPassword(parts.sources, { realm: realm.realmId, login, password: input.password }, user);
    if (!answer) return null;
    const accepted = await parts.work.transact(origin, (ctx) => accept(ctx, realm, answer, attempt, proven));
    if (accepted !== "password-changed") {
      const { userId, checked, outdated } = answer;
      if (accepted && checked !== undefined && outdated)
        parts.upgrades.soon({ realm: realm.realmId, userId, password: input.password, checked });
      return accepted;
    }
    // Somebody set another password, or another sign-in stored a better hash of this one: asking once more tells which.
    return again ? tryPassword(false) : null;
  };
  const accepted = await tryPassword().catch(async (error) => {
    // Overload, or a sign-in that moved on in another tab, says nothing about the password.
    await attempt.takeBack();
    throw error;
  });
  if (accepted) return { outcome: "proven", value: accepted.value };
  await parts.work.transact(origin, async (ctx) => recordFailure(ctx, userId, attempt));
  parts.metrics.login(realm.realmId, "failure");
  return { outcome: "refused" };
}

/** Null when the user may not sign in any more. */
async function accept<T>(
  ctx: Ctx,
  realm: RealmSnapshot,
  answer: RightPassword,
  attempt: Attempt,
  proven: (ctx: Ctx, user: ProvenUser) => Promise<T>,
): Promise<{ value: T } | "password-changed" | null> {
  const { userId } = answer;
  const hasExpired = isExpired(realm, answer, ctx.now);
  // Held until commit: whoever disables the user or changes the password now finds this session and ends it.
  const user = await holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite: hasExpired });
  if (!user) return null;
  if (!(await acceptPassword(ctx, answer, hasExpired))) return "password-changed";
  await attempt.succeeded(ctx);
  return { value: await proven(ctx, { userId, username: user.username }) };
}

/** The realm wants it replaced by now. */
export const isExpired = ({ settings: { passwordPolicy } }: RealmSnapshot, { setAt }: RightPassword, now: number): boolean =>
  setAt !== undefined && passwordPolicy.maxAgeDays !== null && setAt + passwordPolicy.maxAgeDays * DAY <= now;

/** Of a user who is held. False when the password is another by now. */
export async function acceptPassword(ctx: Ctx, { userId, checked }: RightPassword, hasExpired: boolean): Promise<boolean> {
  if (checked !== undefined && !(await usePassword(ctx.tx, ctx.realm, userId, checked, ctx.now))) return false;
  if (hasExpired) await addRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PASSWORD");
  return true;
}

export function recordFailure(
  ctx: Ctx,
  userId: string | null,
  attempt: Pick<Attempt, "locksUser">,
  type: "LOGIN_FAILURE" | "MFA_FAILURE" = "LOGIN_FAILURE",
): void {
  ctx.audit({ category: "AUTHN", type, outcome: "FAILURE", actor: { id: userId, name: ctx.actor.name } });
  recordLock(ctx, userId, attempt);
}

/** What is guessed need not be a factor: the lock is told all the same. */
export function recordLock(ctx: Ctx, userId: string | null, attempt: Pick<Attempt, "locksUser">): void {
  if (attempt.locksUser && userId !== null)
    ctx.audit({
      category: "SECURITY",
      type: "USER_LOCKED",
      resourceType: "users",
      resourceId: userId,
      detail: "too many failed attempts",
    });
}

/** Null for a wrong one, and for somebody who may not sign in: both take the time of a right one. */
export async function checkPassword(
  sources: readonly PasswordSource[],
  asked: Omit<PasswordQuestion, "userId">,
  user: { readonly userId: string; readonly enabled: boolean; readonly locked: boolean } | null,
): Promise<RightPassword | null> {
  for (const source of sources) {
    const answer = await source.check({ ...asked, userId: user?.userId ?? null });
    if (answer.verdict === "unknown") continue;
    const isShutOut = user !== null && (!user.enabled || user.locked);
    return answer.verdict === "right" && !isShutOut ? answer : null;
  }
  return null;
}

/** Nobody yet: the trail shows what was typed. */
export const stranger = (realm: string, login: string): Actor => ({
  id: "anonymous",
  name: cut(login, 255),
  realm,
  permissions: new Set(),
  sessionId: null,
  impersonator: null,
});

export const isOverloaded = (error: unknown): error is AppError => error instanceof AppError && error.code === "auth.overloaded";
