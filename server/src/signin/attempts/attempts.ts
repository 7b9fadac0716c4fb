import { isIPv6 } from "node:net";
import { type AttemptPolicy, clearAttempts, forgetAttempts, lowerAttempts, raiseAttempts } from "../../directory/credentials/index.ts";
import { loginKey } from "../../kernel/text.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Origin, UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

interface CountedBy {
  /** `address:password`, `user:totp`: what is counted, and of whom. */
  readonly kind: `${"address" | "user"}:${string}`;
  readonly subject: string;
  readonly policy: AttemptPolicy;
}

export interface Attempt {
  /** When to come again; null when the attempt may go on. */
  readonly retryAt: number | null;
  /** This attempt, should it fail, locks the user. */
  readonly locksUser: boolean;
  /** It was no attempt after all: overload, or a fault of ours. */
  takeBack(): Promise<void>;
  /** The answer was right. In the transaction in which it counts. */
  succeeded(ctx: Ctx): Promise<void>;
}

export interface Guesser {
  readonly login: string;
  readonly userId: string | null;
  readonly sourceIp: string;
}

/**
 * Raised before the answer is looked at, in a transaction of its own, so that a flood of guesses cannot run ahead of the count. Each
 * kind of factor has counters of its own.
 */
export async function countAttempt(
  work: UnitOfWork,
  origin: Origin,
  { settings }: RealmSnapshot,
  who: Guesser,
  factor = "password",
): Promise<Attempt> {
  const { bruteForce } = settings;
  // The address comes first: one that has to wait must not touch what is known of the user.
  const counters: readonly CountedBy[] = [
    {
      kind: `address:${factor}`,
      subject: addressSubject(who.sourceIp),
      policy: { ...bruteForce, maxFailures: bruteForce.maxFailuresPerAddress, growingWaits: false },
    },
    { kind: `user:${factor}`, subject: userSubject(who), policy: { ...bruteForce, growingWaits: true } },
  ];
  const attempt = {
    takeBack: () => work.transact(origin, (ctx) => takeBack(ctx, counters)),
    async succeeded(ctx: Ctx) {
      const [address, user] = counters as [CountedBy, CountedBy];
      await lowerAttempts(ctx.tx, ctx.realm, address.kind, address.subject);
      await clearAttempts(ctx.tx, ctx.realm, user.kind, user.subject);
    },
  };
  if (!bruteForce.enabled) return { ...attempt, takeBack: async () => {}, retryAt: null, locksUser: false };
  const state = await work.transact(origin, async (ctx) => {
    const raised: CountedBy[] = [];
    let locksUser = false;
    for (const counter of counters) {
      const { allowed, retryAt, justLocked } = await raiseAttempts(
        ctx.tx,
        ctx.realm,
        counter.kind,
        counter.subject,
        counter.policy,
        ctx.now,
      );
      if (!allowed) {
        // Refused without a try: what was counted for the other counter goes back.
        await takeBack(ctx, raised);
        return { retryAt, locksUser: false };
      }
      raised.push(counter);
      locksUser ||= counter.kind.startsWith("user:") && justLocked;
    }
    return { retryAt: null, locksUser };
  });
  return { ...attempt, ...state };
}

async function takeBack(ctx: Ctx, counters: readonly CountedBy[]): Promise<void> {
  for (const { kind, subject } of counters) await lowerAttempts(ctx.tx, ctx.realm, kind, subject);
}

/** A name that nobody has is counted like one that somebody has, or the lock would tell which exist. */
const userSubject = ({ userId, login }: { userId: string | null; login: string }) => userId ?? `unknown:${sha256(loginKey(login))}`;

/** `user.erased`: the user's counters, and those of their names from when nobody had them. */
export async function forgetAttemptsOf(
  ctx: Ctx,
  { userId, username, email }: { readonly userId: string; readonly username: string; readonly email: string | null },
): Promise<void> {
  const names = [username, ...(email === null ? [] : [email])].map((login) => userSubject({ userId: null, login }));
  await forgetAttempts(ctx.tx, ctx.realm, [userId, ...names]);
}

/** Whoever has one IPv6 address has the whole /64 it is in, so that is what counts. */
export function addressSubject(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [address = ""] = ip.split("%");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const known = groups(head).length + groups(tail).length;
  const all = [...groups(head), ...Array<string>(tail === undefined ? 0 : 8 - known).fill("0"), ...groups(tail)];
  return `${all.slice(0, 4).join(":")}::/64`;
}
