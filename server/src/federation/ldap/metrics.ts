import { Counter, Histogram, type Registry } from "prom-client";
import type { Report } from "./runs.store.ts";

/** By protocol: aliases are too many, and a realm's own affair. */
export interface DirectoryMetrics {
  /** A password that a directory was asked about. `unavailable`: it could not answer. */
  signIn(protocol: string, outcome: "success" | "failure" | "unavailable"): void;
  /** A new password that was to be written into a directory. */
  passwordWrite(protocol: string, outcome: "success" | "refused"): void;
  synced(protocol: string, run: { readonly outcome: "success" | "failure"; readonly seconds: number; readonly report: Report }): void;
}

const COUNTS = ["created", "updated", "disabled", "skipped", "failed"] as const;

export function createDirectoryMetrics(registry: Registry): DirectoryMetrics {
  const registers = [registry];
  const signIns = new Counter({
    ...{ name: "svc_directory_login_total", help: "Passwords checked by directories", labelNames: ["protocol", "outcome"], registers },
  });
  const writes = new Counter({
    ...{ name: "svc_directory_password_total", help: "Passwords written to directories", labelNames: ["protocol", "outcome"], registers },
  });
  const entries = new Counter({
    name: "svc_directory_sync_entries_total",
    help: "Entries of directories that a sync dealt with, by what became of their users",
    labelNames: ["protocol", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "svc_directory_sync_duration_seconds",
    help: "How long syncs of directories take",
    labelNames: ["protocol", "outcome"],
    buckets: [0.5, 1, 5, 15, 60, 300, 900, 3_600],
    registers,
  });
  return {
    signIn: (protocol, outcome) => signIns.inc({ protocol, outcome }),
    passwordWrite: (protocol, outcome) => writes.inc({ protocol, outcome }),
    synced(protocol, { outcome, seconds, report }) {
      durations.observe({ protocol, outcome }, seconds);
      for (const count of COUNTS) entries.inc({ protocol, outcome: count }, report[count]);
    },
  };
}
