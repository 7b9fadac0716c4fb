import { sql } from "kysely";
import { AppError } from "../../kernel/errors.ts";
import { type Db, deleteExpired, type Tx } from "../../platform/db/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    message_limits: { realm_id: string; subject: string; full_until: number; expires_at: number };
  }
}

export interface LimitRule {
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Takes one from a bucket of the realm, in the transaction that sends. A rollback returns it, and a concurrent caller waits for the outcome. The rule is GCRA,
 * which platform/rate-limit explains. Returns the milliseconds to wait; 0 means that one was taken.
 */
export async function takeFromLimit(tx: Tx, realm: string, subject: string, { limit, windowMs }: LimitRule, now: number): Promise<number> {
  const perTake = Math.ceil(windowMs / limit);
  const burst = perTake * limit;
  const { rows } = await sql<{ full_until: number }>`
    insert into message_limits as l (realm_id, subject, full_until, expires_at)
    values (${realm}, ${subject}, ${now + perTake}, ${now + perTake})
    on conflict (realm_id, subject) do update set
      full_until = greatest(l.full_until, ${now}::bigint) + ${perTake}, expires_at = greatest(l.full_until, ${now}::bigint) + ${perTake}
    where greatest(l.full_until, ${now}::bigint) + ${perTake} <= ${now + burst}
    returning l.full_until`.execute(tx);
  if (rows.length > 0) return 0;
  const { full_until: fullUntil } = await tx
    .selectFrom("message_limits")
    .select("full_until")
    .where("realm_id", "=", realm)
    .where("subject", "=", subject)
    .executeTakeFirstOrThrow();
  return Math.max(1, fullUntil + perTake - burst - now);
}

/** Deletes expired rows, as a recurring job. An expired row means a full bucket, and so does a missing one. */
export const deleteExpiredLimits = (db: Db, now: number): Promise<void> => deleteExpired(db, "message_limits", now);

export function tooMany(waitMs: number, whose: "recipient" | "user" | "realm"): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const who = { recipient: "to this recipient", user: "for this user", realm: "in this realm" }[whose];
  const message = `Too many messages were sent ${who}. Please try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
  return new AppError("messaging.too_many", 429, message, { headers: { "retry-after": String(seconds) } });
}
