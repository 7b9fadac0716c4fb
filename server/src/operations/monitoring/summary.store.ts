import { sql } from "kysely";
import { addTo } from "../../kernel/lists.ts";
import type { Db } from "../../platform/db/index.ts";
import { countUpTo } from "../../platform/paging/index.ts";
import type { RealmMetric } from "../../platform/telemetry/metrics.ts";

/** The first hour of each window. */
export interface Since {
  readonly hour: number;
  readonly day: number;
  readonly week: number;
}

export interface HourSum {
  readonly metric: RealmMetric;
  readonly outcome: string;
  readonly last_hour: number;
  readonly last_day: number;
  readonly last_week: number;
}

const EXACT = 10_000;

const sums = ({ hour, day }: Since) => sql`
  metric, outcome,
  coalesce(sum(count) filter (where hour >= ${hour}), 0)::bigint as last_hour,
  coalesce(sum(count) filter (where hour >= ${day}), 0)::bigint as last_day,
  sum(count)::bigint as last_week`;

/** Passes the realms as one parameter, so that the statement is the same for any size of the page. */
const oneOfThese = (realms: readonly string[]) => sql`(select value from json_array_elements_text(${JSON.stringify(realms)}::text::json))`;

/** Reads the sums that triggers keep for all realms, so that it takes no longer with ten thousand realms. */
export async function sumHours(db: Db, since: Since): Promise<HourSum[]> {
  const { rows } = await sql<HourSum>`
    select ${sums(since)} from metric_hours_of_all where hour >= ${since.week} group by metric, outcome`.execute(db);
  return rows;
}

export async function sumHoursPerRealm(db: Db, since: Since, realms: readonly string[]): Promise<Map<string, HourSum[]>> {
  const { rows } = await sql<HourSum & { realm_id: string }>`
    select realm_id, ${sums(since)} from metric_hours
    where realm_id in ${oneOfThese(realms)} and hour >= ${since.week}
    group by realm_id, metric, outcome`.execute(db);
  const found = new Map<string, HourSum[]>();
  for (const row of rows) addTo(found, row.realm_id, row);
  return found;
}

const usersOf = (db: Db, realm: string) => db.selectFrom("users").where("realm_id", "=", realm);
const sessionsOf = (db: Db, realm: string, now: number) =>
  db.selectFrom("sessions").where("realm_id", "=", realm).where("expires_at", ">", now);

export interface Counts {
  readonly users: number;
  readonly activeSessions: number;
}

export async function countOfAll(db: Db, now: number): Promise<Counts> {
  const [users, sessions] = await Promise.all([
    countUpTo(db, db.selectFrom("users")),
    countUpTo(db, db.selectFrom("sessions").where("expires_at", ">", now)),
  ]);
  return { users: users.total, activeSessions: sessions.total };
}

/**
 * Counts the realms of a page in one query; only realms with more than can be counted cheaply are counted one by one. The order is that of an index:
 * if one realm had most of the sessions, Postgres would otherwise read the whole table for each realm that has none.
 */
export async function countPerRealm(db: Db, realms: readonly string[], now: number): Promise<Map<string, Counts>> {
  const { rows } = await sql<{ realm_id: string; users: number; sessions: number }>`
    select r.realm_id,
      (select count(*) from (select 1 from users u where u.realm_id = r.realm_id order by u.user_id limit ${EXACT + 1}) counted) as users,
      (select count(*) from (select 1 from sessions s where s.realm_id = r.realm_id and s.expires_at > ${now}
        order by s.last_seen_at limit ${EXACT + 1}) counted) as sessions
    from realms r where r.realm_id in ${oneOfThese(realms)}`.execute(db);
  const found = new Map<string, Counts>();
  for (const { realm_id, users, sessions } of rows) {
    found.set(realm_id, {
      users: users <= EXACT ? users : (await countUpTo(db, usersOf(db, realm_id))).total,
      activeSessions: sessions <= EXACT ? sessions : (await countUpTo(db, sessionsOf(db, realm_id, now))).total,
    });
  }
  return found;
}

export async function waitingJobsPerRealm(db: Db, realms: readonly string[], now: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ realm_id: string; waiting: number }>`
    select realm_id, count(*) as waiting from jobs
    where dead_at is null and run_at <= ${now} and realm_id in ${oneOfThese(realms)}
    group by realm_id`.execute(db);
  return new Map(rows.map(({ realm_id, waiting }) => [realm_id, waiting]));
}
