import { sql } from "kysely";
import type { Tx } from "../../platform/db/index.ts";

/** The lifetimes of sessions. */
interface Lifetimes {
  readonly idleMs: number;
  readonly absoluteMs: number;
  /** The lifetime of “keep me signed in”. Null if it is not offered. */
  readonly rememberedMs: number | null;
}

/** Shortens sessions that began with longer lifetimes. None lives longer than before. */
export async function shortenSessions(tx: Tx, realm: string, { idleMs, absoluteMs, rememberedMs }: Lifetimes): Promise<void> {
  await sql`
    update sessions s set remembered = n.remembered, absolute_expiry = n.absolute_expiry, expires_at = n.expires_at
    from (
      select k.session_id, k.remembered, least(k.absolute_expiry, k.until) as absolute_expiry,
        least(k.expires_at, k.until, case when k.remembered then k.expires_at else k.last_seen_at + ${idleMs}::bigint end) as expires_at
      from (
        select session_id, absolute_expiry, expires_at, last_seen_at, remembered and ${rememberedMs !== null} as remembered,
          auth_time + case when remembered then ${rememberedMs ?? absoluteMs}::bigint else ${absoluteMs}::bigint end as until
        from sessions where realm_id = ${realm} and impersonator is null) k) n
    where s.realm_id = ${realm} and s.session_id = n.session_id
      and (s.remembered, s.absolute_expiry, s.expires_at) is distinct from (n.remembered, n.absolute_expiry, n.expires_at)`.execute(tx);
}
