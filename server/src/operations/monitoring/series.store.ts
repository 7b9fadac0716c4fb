import { sql } from "kysely";
import type { Db } from "../../platform/db/index.ts";
import type { RealmMetric } from "../../platform/telemetry/metrics.ts";

export interface StepSum {
  readonly start: number;
  readonly metric: RealmMetric;
  readonly outcome: string;
  readonly count: number;
}

/** Sums the hours of one realm by steps. It reads by the primary key. */
export async function sumSteps(db: Db, realm: string, from: number, to: number, step: number): Promise<StepSum[]> {
  const { rows } = await sql<StepSum>`
    select hour - hour % ${step}::bigint as start, metric, outcome, sum(count)::bigint as count from metric_hours
    where realm_id = ${realm} and hour >= ${from} and hour < ${to}
    group by 1, 2, 3`.execute(db);
  return rows;
}
