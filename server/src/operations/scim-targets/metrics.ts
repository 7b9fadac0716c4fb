import { Counter, Histogram, type Registry } from "prom-client";

const requestOutcomes = ["ok", "refused", "busy", "denied", "unreachable", "fault"] as const;
const objectOutcomes = ["sent", "failed", "dead"] as const;

/** Counters of this node for SCIM targets. */
export function createScimTargetMetrics(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: "svc_scim_target_requests_total",
    help: "Requests to SCIM targets: ok, refused (4xx), busy (429, 503), denied (401, redirects), unreachable, or fault (5xx, timeouts)",
    labelNames: ["outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "svc_scim_target_request_duration_seconds",
    help: "Time from a request to a SCIM target to the end of its answer, or to giving up on it",
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const objects = new Counter({
    name: "svc_scim_target_objects_total",
    help: "Users and groups that were sent to a SCIM target, refused by it (failed), or given up after many attempts (dead)",
    labelNames: ["outcome"],
    registers,
  });
  // The series exist from the start: the rate of a counter that appears with its first failure would miss that failure.
  for (const outcome of requestOutcomes) requests.inc({ outcome }, 0);
  for (const outcome of objectOutcomes) objects.inc({ outcome }, 0);
  return {
    requested(outcome: (typeof requestOutcomes)[number], seconds: number) {
      requests.inc({ outcome });
      durations.observe(seconds);
    },
    ended: (outcome: (typeof objectOutcomes)[number]) => objects.inc({ outcome }),
  };
}
