import { sql } from "kysely";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { clock, DAY, HOUR, MINUTE } from "../../kernel/clock.ts";
import { type Db, deleteInBatches } from "../db/index.ts";
import { createRealmSeries } from "./realm-series.ts";

declare module "../db/tables.ts" {
  interface Tables {
    metric_hours: { realm_id: string; hour: number; metric: RealmMetric; outcome: string; count: number };
    /** The hours of all realms added up. */
    metric_hours_of_all: { hour: number; metric: RealmMetric; outcome: string; count: number };
  }
}

/** The counters per realm: of this node for Prometheus, and of all nodes for the summary. */
export type RealmMetric = "login" | "tokens" | "mfa_challenge" | "admin_write";

export interface Metrics {
  readonly registry: Registry;
  login(realm: string, outcome: "success" | "failure"): void;
  /** Counts tokens of every kind that the server issued. */
  tokens(realm: string, count?: number, grantType?: string): void;
  mfaChallenge(realm: string): void;
  /** Counts sign-ins to SAML service providers, and messages of theirs that were refused. */
  samlLogin(realm: string, outcome: "success" | "failure"): void;
  adminWrite(realm: string, method: string, outcome: "success" | "denied"): void;
  request(method: string, route: string, status: number, seconds: number): void;
  /** Adds the counts since the last flush to the hourly totals of all nodes, and drops unused series. */
  flush(db: Db): Promise<void>;
}

interface Tally {
  realm: string;
  hour: number;
  metric: RealmMetric;
  outcome: string;
  count: number;
}

/** The rows of one statement; a row is about a hundred bytes. */
const FLUSH_ROWS = 1_000;
/** The summary shows a week. The additional day allows for clocks that differ. */
export const KEEP_HOURS = 8 * DAY;

export const hourOf = (time: number): number => Math.floor(time / HOUR) * HOUR;

/** The observers behind the metrics of the process live as long as the process, so all its nodes share one set of them. */
let processMetrics: Registry | undefined;

function addMetricsOfProcess(registry: Registry): void {
  if (!processMetrics) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  for (const { name } of processMetrics.getMetricsAsArray()) registry.registerMetric(processMetrics.getSingleMetric(name)!);
}

/** Creates the registry of a node. Each node has its own, so that two nodes in one process (tests) do not share counters. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  addMetricsOfProcess(registry);
  const logins = new Counter({ name: "svc_login_total", help: "Sign-ins by outcome", labelNames: ["realm", "outcome"], registers });
  const tokens = new Counter({ name: "svc_tokens_issued_total", help: "Tokens issued", labelNames: ["realm", "grant_type"], registers });
  const challenges = new Counter({ name: "svc_mfa_challenge_total", help: "Second factors requested", labelNames: ["realm"], registers });
  const samlLogins = new Counter({
    name: "svc_saml_login_total",
    help: "Sign-ins to SAML service providers by outcome; failures are also messages that were refused",
    labelNames: ["realm", "outcome"],
    registers,
  });
  const writes = new Counter({
    name: "svc_admin_write_total",
    help: "Writes to the admin API; denied are those refused with 401 or 403",
    labelNames: ["realm", "method", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time to answer, by route and status",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const series = createRealmSeries();
  let deletedSought = clock.now();

  let tallies = new Map<string, Tally>();
  const tally = (added: Tally) => {
    const key = `${added.hour} ${added.metric} ${added.outcome} ${added.realm}`;
    const known = tallies.get(key);
    if (known) known.count += added.count;
    else tallies.set(key, added);
  };
  const count = (counter: Counter, labels: { realm: string; [label: string]: string }, metric: RealmMetric, added = 1) => {
    series.use(counter, labels);
    counter.inc(labels, added);
    tally({ realm: labels.realm, hour: hourOf(clock.now()), metric, outcome: labels.outcome ?? "", count: added });
  };

  const storeTallies = async (db: Db) => {
    const waiting = [...tallies.values()];
    tallies = new Map();
    try {
      while (waiting.length > 0) {
        await addToHours(db, waiting.slice(0, FLUSH_ROWS));
        waiting.splice(0, FLUSH_ROWS);
      }
    } finally {
      // Counts that did not reach the database are added again at the next flush.
      for (const left of waiting) tally(left);
    }
  };

  return {
    registry,
    login: (realm, outcome) => count(logins, { realm, outcome }, "login"),
    tokens: (realm, added, grantType = "other") => count(tokens, { realm, grant_type: grantType }, "tokens", added),
    mfaChallenge: (realm) => count(challenges, { realm }, "mfa_challenge"),
    samlLogin(realm, outcome) {
      series.use(samlLogins, { realm, outcome });
      samlLogins.inc({ realm, outcome });
    },
    adminWrite: (realm, method, outcome) => count(writes, { realm, method, outcome }, "admin_write"),
    request: (method, route, status, seconds) => durations.observe({ method, route, status }, seconds),
    async flush(db) {
      series.dropIdle();
      await storeTallies(db);
      if (Math.abs(clock.now() - deletedSought) < MINUTE) return;
      deletedSought = clock.now();
      series.keepOnly(await livingRealms(db, series.realms()));
    },
  };
}

/**
 * Adds the counts. Rows are ordered so that two nodes cannot deadlock. Realms that were deleted meanwhile are skipped. Triggers add up `metric_hours_of_all`.
 */
async function addToHours(db: Db, tallies: readonly Tally[]): Promise<void> {
  await sql`
    insert into metric_hours as m (realm_id, hour, metric, outcome, count)
    select t.realm, t.hour, t.metric, t.outcome, t.count
    from json_to_recordset(${JSON.stringify(tallies)}::text::json) as t (realm text, hour bigint, metric text, outcome text, count bigint)
    where exists (select 1 from realms r where r.realm_id = t.realm and r.deleted_at is null)
    order by t.realm, t.hour, t.metric, t.outcome
    on conflict (realm_id, hour, metric, outcome) do update set count = m.count + excluded.count`.execute(db);
}

async function livingRealms(db: Db, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const { rows } = await sql<{ realm_id: string }>`
    select r.realm_id from json_array_elements_text(${JSON.stringify(names)}::text::json) as n (name)
    join realms r on r.realm_id = n.name and r.deleted_at is null`.execute(db);
  return new Set(rows.map(({ realm_id }) => realm_id));
}

/** Deletes hours beyond the week that the summary shows. A recurring job calls it. */
export async function deleteOldHours(db: Db, now: number): Promise<void> {
  for (const table of ["metric_hours", "metric_hours_of_all"] as const) await deleteInBatches(db, table, sql`hour < ${now - KEEP_HOURS}`);
}
