import { Gauge, type Registry } from "prom-client";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import { queueDepth } from "../../platform/jobs/index.ts";
import { webhookBacklog } from "../../tenancy/webhooks/index.ts";
import { cached } from "./cached.ts";

export interface GaugeParts {
  readonly db: Db;
  /** Null for the embedded database. */
  readonly pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number } | null;
  readonly hasher: { stats(): { running: number; waiting: number } };
  /** Set only if audit events are forwarded. */
  readonly forwarder?: { lag(): Promise<{ waiting: number; oldestMs: number }> } | null;
}

const QUEUE_KEPT = 5 * SECOND;
const TIMEOUT = 2 * SECOND;

/** Exposes values of the moment of the scrape. The queues of all nodes take one query each, at most every 5 s; the other values are in memory. */
export function exposeGauges(registry: Registry, { db, pool, hasher, forwarder }: GaugeParts): void {
  const registers = [registry];
  const readQueue = cached(QUEUE_KEPT, TIMEOUT, () => queueDepth(db, clock.now()));
  // Metrics are needed most when the database is gone, so the scrape still answers then, and says that there was no answer.
  const queue = () =>
    readQueue().then(
      (depth) => ({ ...depth, up: 1 }),
      () => ({ waiting: Number.NaN, dead: Number.NaN, oldestMs: Number.NaN, up: 0 }),
    );

  const gauge = (name: string, help: string, value: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await value());
      },
    });
  gauge("svc_database_up", "Whether the database answered the last look at the job queue", async () => (await queue()).up);
  gauge("svc_jobs_waiting", "Jobs of all nodes that are due and not finished", async () => (await queue()).waiting);
  gauge("svc_jobs_dead", "Jobs of all nodes that failed for the last time", async () => (await queue()).dead);
  gauge("svc_jobs_oldest_waiting_seconds", "How long the oldest due job has been waiting", async () => (await queue()).oldestMs / 1000);
  gauge("svc_password_hashes_running", "Passwords being hashed on this node", () => hasher.stats().running);
  gauge("svc_password_hashes_waiting", "Passwords waiting to be hashed on this node", () => hasher.stats().waiting);

  const readBacklog = cached(QUEUE_KEPT, TIMEOUT, () => webhookBacklog(db, clock.now()));
  const backlog = () => readBacklog().catch(() => ({ waiting: Number.NaN, oldestMs: Number.NaN }));
  const dueHelp = "Webhook deliveries of all nodes that are due and not sent, counted to 10,000";
  gauge("svc_webhook_deliveries_waiting", dueHelp, async () => (await backlog()).waiting);
  const dueSince = "How long the oldest webhook delivery that is due has been waiting";
  gauge("svc_webhook_deliveries_oldest_waiting_seconds", dueSince, async () => (await backlog()).oldestMs / 1000);

  if (forwarder) {
    const readLag = cached(QUEUE_KEPT, TIMEOUT, () => forwarder.lag());
    const lag = () => readLag().catch(() => ({ waiting: Number.NaN, oldestMs: Number.NaN }));
    gauge(
      "svc_audit_forwarder_waiting",
      "Audit events of all nodes not forwarded yet, counted to 10,000",
      async () => (await lag()).waiting,
    );
    const oldest = "How long the oldest audit event that is not forwarded yet has been waiting";
    gauge("svc_audit_forwarder_oldest_waiting_seconds", oldest, async () => (await lag()).oldestMs / 1000);
  }

  if (!pool) return;
  gauge("svc_database_connections", "Open connections of this node", () => pool.totalCount);
  gauge("svc_database_connections_idle", "Open connections of this node that are idle", () => pool.idleCount);
  gauge("svc_database_connections_waiting", "Queries of this node that wait for a connection", () => pool.waitingCount);
}
