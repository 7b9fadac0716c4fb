import { clock } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { deleteExpiredSessions } from "./end.store.ts";
import { endWithThem } from "./service.ts";

/** One transaction is never longer than this many sessions and what ends with them. */
const BATCH = 500;

/**
 * Ends the sessions whose time is over as any other ending would: their grants end and their participants are notified. Nobody has signed
 * out, so there is no LOGOUT event. Each batch commits by itself: a process that is killed loses nothing, and the next run goes on.
 */
export async function endExpiredSessions(work: UnitOfWork, batch = BATCH): Promise<void> {
  const origin = { realm: "master", actor: systemActor("master"), sourceIp: null };
  for (;;) {
    const count = await work.transact(origin, async (ctx) => {
      const ended = await deleteExpiredSessions(ctx.tx, clock.now(), batch);
      await endWithThem(ctx, ended);
      return ended.length;
    });
    if (count < batch) return;
  }
}
