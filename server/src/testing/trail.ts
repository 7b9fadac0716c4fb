import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "../platform/db/index.ts";

/**
 * Waits until no open transaction holds back events of the trail. Transaction ids are per cluster, which tests share, so a transaction in another test's
 * database makes readers wait, too.
 */
export async function settled(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ open: boolean }>`
      select exists (
        select 1 from audit_events
        where xid >= pg_snapshot_xmin(pg_current_snapshot()) and xid < pg_snapshot_xmax(pg_current_snapshot())
      ) as open`.execute(db);
    if (!rows[0]!.open) return;
    await sleep(5);
  }
}
