import type { PasswordAnswer, PasswordQuestion, PasswordSource } from "../../directory/credentials/index.ts";
import { usePassword } from "../../directory/credentials/index.ts";
import { addRequiredAction } from "../../directory/users/index.ts";
import { DAY } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

/** Tells whether the user was named by the mail address. */
export const isByMail = (user: { readonly username: string } | null, login: string): boolean =>
  user !== null && loginKey(user.username) !== loginKey(login);

export type RightPassword = PasswordAnswer & { verdict: "right" };

/** The realm wants it replaced by now, or its source does. */
export const isExpired = ({ settings: { passwordPolicy } }: RealmSnapshot, { setAt, mustChange }: RightPassword, now: number): boolean =>
  mustChange === true || (setAt !== undefined && passwordPolicy.maxAgeDays !== null && setAt + passwordPolicy.maxAgeDays * DAY <= now);

/** The user's row must be locked. Returns false when the password has changed since. */
export async function acceptPassword(ctx: Ctx, { userId, checked, accepted }: RightPassword, hasExpired: boolean): Promise<boolean> {
  if (checked !== undefined && !(await usePassword(ctx.tx, ctx.realm, userId, checked, ctx.now))) return false;
  if (hasExpired) await addRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PASSWORD");
  await accepted?.(ctx);
  return true;
}

/**
 * Null for a wrong one, and for a user who may not sign in: both take the time of a right one. `elsewhere`: right, but it has to be replaced
 * first, where it is kept.
 */
export async function checkPassword(
  sources: readonly PasswordSource[],
  asked: Omit<PasswordQuestion, "userId">,
  user: { readonly userId: string; readonly enabled: boolean; readonly locked: boolean } | null,
): Promise<RightPassword | "elsewhere" | null> {
  const question = { ...asked, userId: user?.userId ?? null };
  let decided: PasswordSource | null = null;
  for (const source of sources) {
    const answer = await source.check(question);
    if (answer.verdict === "unknown") continue;
    decided = source;
    const isShutOut = user !== null && (!user.enabled || user.locked);
    if (!isShutOut && answer.verdict !== "wrong") return answer.verdict === "elsewhere" ? "elsewhere" : answer;
    break;
  }
  // A wrong password of a local user gets the answer, and takes the time, of a name that no user has.
  if (user !== null) for (const source of sources) if (source !== decided) await source.probe?.(question);
  return null;
}

export const isOverloaded = (error: unknown): error is AppError => error instanceof AppError && error.code === "auth.overloaded";
