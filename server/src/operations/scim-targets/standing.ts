import type { ScimTarget } from "./schema.ts";
import type { StateColumns } from "./states.store.ts";

const NO_SECRET = "The target has no secret. Please set it.";

const minutes = (ms: number): string => {
  const count = Math.max(1, Math.round(ms / 60_000));
  return count === 1 ? "a minute" : `${count} minutes`;
};

/** Returns the state of a target, in a word and in a sentence. */
export function standingOf(
  row: Pick<
    StateColumns,
    | "paused_until"
    | "pause_reason"
    | "suspended_at"
    | "suspended_reason"
    | "sync_requested_at"
    | "last_sync_at"
    | "last_sent_at"
    | "held_at"
  >,
  target: { readonly enabled: boolean; readonly hasSecret: boolean; readonly failing: boolean; readonly waiting: boolean },
  now: number,
): ScimTarget["status"] {
  const pausedUntil = row.paused_until > now ? row.paused_until : null;
  const times = { pausedUntil, suspendedAt: row.suspended_at, lastSyncAt: row.last_sync_at, lastSentAt: row.last_sent_at };
  const as = (state: ScimTarget["status"]["state"], message: string) => ({ state, message, ...times });
  if (!target.enabled) return as("DISABLED", "The target is disabled: nothing is sent.");
  if (!target.hasSecret) return as("SUSPENDED", NO_SECRET);
  if (row.suspended_at !== null)
    return as(
      "SUSPENDED",
      `${row.suspended_reason ?? "The target refuses us."} Please correct the target; it is also tried again by itself.`,
    );
  if (pausedUntil !== null)
    return as("PAUSED", `${row.pause_reason ?? "The target asked us to wait."} It is tried again in ${minutes(pausedUntil - now)}.`);
  if (row.held_at !== null)
    return as(
      "WAITING_FOR_CONFIRMATION",
      "More accounts than usual would be deactivated or deleted. Please look at the objects that are HELD, then confirm it or correct the target.",
    );
  if (row.sync_requested_at !== null) return as("WORKING", "All users and groups are being compared with what was sent.");
  if (target.waiting) return as("WORKING", "Changes are being sent.");
  if (target.failing) return as("FAILING", "Some users or groups were refused. The objects that are FAILED or DEAD say why.");
  return as("OK", row.last_sync_at === null ? "Nothing has been sent yet." : "All changes were sent.");
}
