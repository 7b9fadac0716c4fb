import { type AttemptPolicy, lowerAttempts, raiseAttempts } from "../../directory/credentials/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Origin, UnitOfWork } from "../../platform/unit-of-work.ts";
import { addressSubject } from "../../signin/run/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

interface CountedBy {
  readonly kind: "address:device" | "user:device";
  readonly subject: string;
  readonly policy: AttemptPolicy;
}

export interface CodeAttempt {
  /** The time to wait; null: the attempt is allowed. */
  readonly retryAt: number | null;
  /** The code was right. */
  takeBack(): Promise<void>;
}

/**
 * RFC 8628 §5.1: user codes are short, so guesses are limited per user and per address. Counted before the lookup, and also where a realm has
 * disabled brute-force protection.
 */
export async function countCode(
  work: UnitOfWork,
  origin: Origin,
  { settings: { bruteForce } }: RealmSnapshot,
  who: { readonly userId: string; readonly sourceIp: string },
): Promise<CodeAttempt> {
  const policy = { ...bruteForce, growingWaits: false };
  const counters: readonly CountedBy[] = [
    { kind: "address:device", subject: addressSubject(who.sourceIp), policy: { ...policy, maxFailures: bruteForce.maxFailuresPerAddress } },
    { kind: "user:device", subject: who.userId, policy },
  ];
  const retryAt = await work.transact(origin, async (ctx) => {
    const raised: CountedBy[] = [];
    for (const counter of counters) {
      const state = await raiseAttempts(ctx.tx, ctx.realm, counter.kind, counter.subject, counter.policy, ctx.now);
      if (!state.allowed) {
        await lower(ctx, raised);
        return state.retryAt;
      }
      raised.push(counter);
    }
    return null;
  });
  return { retryAt, takeBack: () => work.transact(origin, (ctx) => lower(ctx, counters)) };
}

async function lower(ctx: Ctx, counters: readonly CountedBy[]): Promise<void> {
  for (const { kind, subject } of counters) await lowerAttempts(ctx.tx, ctx.realm, kind, subject);
}
