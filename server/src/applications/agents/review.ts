import { DAY } from "../../kernel/clock.ts";
import type { Settings } from "../../tenancy/settings/index.ts";

/** When an agent has to be reviewed that was activated or attested at `since`, and when it is suspended for want of it. */
export function reviewTimes({ reviewDays, suspendOverdueAfterDays }: Settings["agents"], since: number) {
  const reviewDueAt = since + reviewDays * DAY;
  return { reviewDueAt, suspendAt: suspendOverdueAfterDays === null ? null : reviewDueAt + suspendOverdueAfterDays * DAY };
}
