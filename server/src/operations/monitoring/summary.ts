import { DAY, HOUR } from "../../kernel/clock.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { queueDepth } from "../../platform/jobs/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { hourOf } from "../../platform/telemetry/metrics.ts";
import { searchRealms } from "../../tenancy/realms/index.ts";
import { figuresOf } from "./figures.ts";
import type { Figures, MetricsSummary, Window } from "./schema.ts";
import { countOfAll, countPerRealm, type HourSum, sumHours, sumHoursPerRealm, waitingJobsPerRealm } from "./summary.store.ts";

/** Summarizes the server's activity. Totals come from aggregates, the list from the realms of one page: nothing walks over all realms. */
export async function summarize(ctx: ReadCtx, query: ListQuery): Promise<{ page: Page<unknown>; summary: MetricsSummary }> {
  const since = { hour: hourOf(ctx.now - HOUR), day: hourOf(ctx.now - DAY), week: hourOf(ctx.now - 7 * DAY) };
  const page = await searchRealms(ctx, query);
  const names = page.rows.map(({ realm }) => realm);
  const [hours, counts, queue, hoursPerRealm, countsPerRealm, jobsPerRealm] = await Promise.all([
    sumHours(ctx.tx, since),
    countOfAll(ctx.tx, ctx.now),
    queueDepth(ctx.tx, ctx.now),
    sumHoursPerRealm(ctx.tx, since, names),
    countPerRealm(ctx.tx, names, ctx.now),
    waitingJobsPerRealm(ctx.tx, names, ctx.now),
  ]);
  const realms = names.map((realm) => ({
    realm,
    ...windows(hoursPerRealm.get(realm) ?? []),
    ...(countsPerRealm.get(realm) ?? { users: 0, activeSessions: 0 }),
    queueDepth: jobsPerRealm.get(realm) ?? 0,
  }));
  return { page, summary: { generatedAt: ctx.now, total: { ...windows(hours), ...counts, queueDepth: queue.waiting }, realms } };
}

const windows = (sums: readonly HourSum[]): Pick<Figures, "lastHour" | "lastDay" | "lastWeek"> => ({
  lastHour: windowOf(sums, "last_hour"),
  lastDay: windowOf(sums, "last_day"),
  lastWeek: windowOf(sums, "last_week"),
});

const windowOf = (sums: readonly HourSum[], window: "last_hour" | "last_day" | "last_week"): Window =>
  figuresOf((metric, outcome) => sums.find((sum) => sum.metric === metric && sum.outcome === outcome)?.[window] ?? 0);
