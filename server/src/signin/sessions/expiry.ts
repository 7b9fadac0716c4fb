import { clock } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { deleteExpiredSessions } from "./end.store.ts";
import { endDependents } from "./service.ts";

/** Sessions per transaction. */
const BATCH = 500;

/**
 * Ends expired sessions: their grants end and their participants are notified. No LOGOUT event, because the user did not sign out. Each batch has
 * its own transaction.
 */
export async function endExpiredSessions(work: UnitOfWork, batch = BATCH): Promise<void> {
  const origin = { realm: "master", actor: systemActor("master"), sourceIp: null };
  for (;;) {
    const count = await work.transact(origin, async (ctx) => {
      const ended = await deleteExpiredSessions(ctx.tx, clock.now(), batch);
      await endDependents(ctx, ended);
      return ended.length;
    });
    if (count < batch) return;
  }
}
