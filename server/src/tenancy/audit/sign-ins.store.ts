import { sql } from "kysely";
import type { Db } from "../../platform/db/index.ts";

export interface SignInEvent {
  readonly id: string;
  readonly ts: number;
  readonly type: string;
  readonly outcome: "SUCCESS" | "FAILURE";
  readonly sourceIp: string | null;
  readonly detail: string | null;
}

const PAGE = 1_000;

/** Returns a user's sign-ins and sign-outs (AUTHN), newest first. It reads a page at a time, so that each statement is short. */
export async function signInsOf(db: Db, realm: string, userId: string, limit: number): Promise<SignInEvent[]> {
  const events: SignInEvent[] = [];
  for (let full = true; full && events.length < limit; ) {
    const last = events.at(-1);
    const size = Math.min(PAGE, limit - events.length);
    const rows = await db
      .selectFrom("audit_events")
      .select(["event_id", "ts", "type", "outcome", "source_ip", "detail"])
      .where("realm_id", "=", realm)
      .where("actor_id", "=", userId)
      .where("category", "=", "AUTHN")
      // Events of an impersonation, and their source IPs, belong to the administrator.
      .where("impersonator", "is", null)
      .$if(last !== undefined, (q) => q.where(sql<boolean>`(ts, event_id) < (${last?.ts}::bigint, ${last?.id}::uuid)`))
      .orderBy(sql`ts desc, event_id desc`)
      .limit(size)
      .execute();
    for (const row of rows) {
      const { event_id: id, ts, type, outcome, source_ip: sourceIp, detail } = row;
      events.push({ id, ts, type, outcome, sourceIp, detail });
    }
    full = rows.length === size;
  }
  return events;
}

/** The categories that users recognize in their account's history: sign-ins, sign-outs and changes. */
const OWN: readonly ("AUTHN" | "SECURITY")[] = ["AUTHN", "SECURITY"];

/** Returns the events for the user's own page, newest first, after `before`. */
export async function ownEventsOf(
  db: Db,
  realm: string,
  userId: string,
  { before, limit }: { readonly before: Pick<SignInEvent, "ts" | "id"> | null; readonly limit: number },
): Promise<SignInEvent[]> {
  const rows = await db
    .selectFrom("audit_events")
    .select(["event_id as id", "ts", "type", "outcome", "source_ip as sourceIp", "detail"])
    .where("realm_id", "=", realm)
    .where("actor_id", "=", userId)
    .where("category", "in", OWN)
    .where("impersonator", "is", null)
    .$if(before !== null, (q) => q.where(sql<boolean>`(ts, event_id) < (${before?.ts}::bigint, ${before?.id}::uuid)`))
    .orderBy(sql`ts desc, event_id desc`)
    .limit(limit)
    .execute();
  return rows;
}
