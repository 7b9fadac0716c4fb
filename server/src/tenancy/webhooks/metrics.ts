import { Counter, Histogram, type Registry } from "prom-client";
import type { Attempt } from "./attempt.ts";
import type { Outcome } from "./claims.store.ts";

const words = { DELIVERED: "delivered", PENDING: "failed", DEAD: "dead" } as const;

/** Creates the metrics of this node's deliveries. operations/monitoring reports the backlog of all nodes. */
export function createWebhookMetrics(registry: Registry) {
  const registers = [registry];
  const outcomes = new Counter({
    name: "svc_webhook_deliveries_total",
    help: "Attempts to deliver an event to a webhook: delivered, failed (tried again later) or dead (given up)",
    labelNames: ["outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "svc_webhook_delivery_duration_seconds",
    help: "Time from the request to the end of the receiver's answer, or to giving up on it",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  // The counters exist from the start, because a rate would miss the first failure if it created the counter.
  for (const outcome of Object.values(words)) outcomes.inc({ outcome }, 0);
  return {
    attempted: ({ latencyMs }: Attempt) => durations.observe(latencyMs / 1000),
    ended: ({ status }: Outcome) => outcomes.inc({ outcome: words[status] }),
  };
}

export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;
