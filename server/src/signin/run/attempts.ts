import {
  type AttemptCounter,
  clearAttempts,
  type FoundAccount,
  forgetAttempts,
  lowerAttempts,
  raiseAttempts,
  raiseTwoAttempts,
  succeedAttempts,
} from "../../directory/credentials/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { loginKey } from "../../kernel/text.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { addressSubject } from "../../platform/rate-limit/index.ts";
import type { Origin, UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

export interface Attempt {
  /** The seconds to wait. Null if the attempt is allowed. */
  readonly retryAfterSeconds: number | null;
  /** True if the user gets locked when this attempt fails. */
  readonly locksUser: boolean;
  /** Reverts the count, after overload or an error of the server. */
  takeBack(): Promise<void>;
  /** Resets the counters, in the transaction that accepts the answer. */
  succeeded(ctx: Ctx): Promise<void>;
}

export interface Guesser {
  readonly login: string;
  readonly userId: string | null;
  readonly sourceIp: string;
  /**
   * True if the user was identified by email address, before a proof. Username and address have separate counters: a shared lock would
   * reveal that they belong to one user.
   */
  readonly byMail?: boolean;
  /** A browser with which the user has signed in before. It has its own counter, so attackers cannot lock the user out of it. */
  readonly knownBrowser?: string | null;
}

/** An account at a password source, found by a name that no user has. */
export interface FoundGuesser extends FoundAccount {
  readonly knownBrowser: string | null;
}

/** Tells whether the login name was the user's email address. */
export const isByMail = (user: { readonly username: string } | null, login: string): boolean =>
  user !== null && loginKey(user.username) !== loginKey(login);

/**
 * Counts an attempt before the answer is checked, in its own statement, so that concurrent guesses cannot exceed the limit. Each factor has
 * its own counters, such as `address:password` and `user:totp`.
 */
export async function countAttempt(
  { db, work }: { readonly db: Db; readonly work: UnitOfWork },
  origin: Origin,
  { settings }: RealmSnapshot,
  who: Guesser,
  factor = "password",
): Promise<Attempt> {
  const { bruteForce } = settings;
  const byAddress: AttemptCounter = {
    kind: `address:${factor}`,
    subject: addressSubject(who.sourceIp),
    policy: { ...bruteForce, maxFailures: bruteForce.maxFailuresPerAddress, growingWaits: false },
  };
  const named = { subject: userSubject(who), byMail: who.userId !== null && who.byMail === true, knownBrowser: who.knownBrowser ?? null };
  const byUser: AttemptCounter = { ...counterOf(named, factor), policy: { ...bruteForce, growingWaits: true } };
  const attempt = {
    takeBack: () => work.transact(origin, (ctx) => takeBack(ctx, [byAddress, byUser])),
    succeeded: (ctx: Ctx) => succeedAttempts(ctx.tx, ctx.realm, byAddress, byUser),
  };
  if (!bruteForce.enabled) return { ...attempt, takeBack: async () => {}, retryAfterSeconds: null, locksUser: false };
  // The address is counted first, because a blocked address must not raise the user's counter.
  const [address, user] = await raiseTwoAttempts(db, origin.realm, byAddress, byUser, clock.now());
  if (!user) return { ...attempt, retryAfterSeconds: secondsUntil(address.retryAt), locksUser: false };
  if (user.allowed) return { ...attempt, retryAfterSeconds: null, locksUser: user.justLocked && !who.knownBrowser };
  // The attempt is refused unchecked, so the count of the address is reverted.
  await work.transact(origin, (ctx) => takeBack(ctx, [byAddress]));
  return { ...attempt, retryAfterSeconds: secondsUntil(user.retryAt), locksUser: false };
}

/**
 * Counts an attempt also for the account that the typed name led to, by the counter of its user, so that another spelling of the name gets
 * no further guesses. Returns null if the account may not be tried now. The caller answers as for a wrong password, because a wait would
 * reveal that the name leads to an account.
 */
export async function countFound(
  { db, work }: { readonly db: Db; readonly work: UnitOfWork },
  origin: Origin,
  { settings: { bruteForce } }: RealmSnapshot,
  attempt: Attempt,
  { userId, id, knownBrowser }: FoundGuesser,
): Promise<Attempt | null> {
  if (!bruteForce.enabled) return attempt;
  const { kind, subject } = counterOf({ subject: userId ?? `found:${sha256(id)}`, knownBrowser, byMail: false }, "password");
  const counted = await raiseAttempts(db, origin.realm, kind, subject, { ...bruteForce, growingWaits: true }, clock.now());
  if (!counted.allowed) return null;
  return {
    retryAfterSeconds: null,
    locksUser: attempt.locksUser || (counted.justLocked && !knownBrowser),
    async takeBack() {
      await attempt.takeBack();
      await work.transact(origin, (ctx) => takeBack(ctx, [{ kind, subject }]));
    },
    async succeeded(ctx) {
      await attempt.succeeded(ctx);
      await clearAttempts(ctx.tx, ctx.realm, kind, subject);
    },
  };
}

const secondsUntil = (retryAt: number | null): number | null =>
  retryAt === null ? null : Math.max(1, Math.ceil((retryAt - clock.now()) / SECOND));

async function takeBack(ctx: Ctx, counters: readonly Pick<AttemptCounter, "kind" | "subject">[]): Promise<void> {
  for (const { kind, subject } of counters) await lowerAttempts(ctx.tx, ctx.realm, kind, subject);
}

const counterOf = (
  { subject, byMail, knownBrowser }: Pick<Guesser, "knownBrowser"> & { readonly subject: string; readonly byMail: boolean },
  factor: string,
): Pick<AttemptCounter, "kind" | "subject"> =>
  knownBrowser ? { kind: `browser:${factor}`, subject: knownBrowser } : { kind: `user:${factor}${byMail ? ":mail" : ""}`, subject };

/** Returns the subject of the user's counter. Unknown login names are counted like known ones: a lock must not reveal which exist. */
const userSubject = ({ userId, login }: { userId: string | null; login: string }) => userId ?? `unknown:${sha256(loginKey(login))}`;

/** Deletes on `user.erased` the user's counters, and those of their login names from before the account existed. */
export async function forgetAttemptsOf(
  ctx: Ctx,
  { userId, username, email }: { readonly userId: string; readonly username: string; readonly email: string | null },
): Promise<void> {
  const names = [username, ...(email === null ? [] : [email])].map((login) => userSubject({ userId: null, login }));
  await forgetAttempts(ctx.tx, ctx.realm, [userId, ...names]);
}
