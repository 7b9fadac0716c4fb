import type { RealmMetric } from "../../platform/telemetry/metrics.ts";
import type { Window } from "./schema.ts";

/** Returns the figures of a period from its sums by metric and outcome. */
export const figuresOf = (sum: (metric: RealmMetric, outcome: string) => number): Window => ({
  logins: { success: sum("login", "success"), failure: sum("login", "failure") },
  tokens: sum("tokens", ""),
  mfaChallenges: sum("mfa_challenge", ""),
  adminWrites: { success: sum("admin_write", "success"), denied: sum("admin_write", "denied") },
});
