import { Counter, Histogram, type Registry } from "prom-client";
import type { Report } from "./runs.store.ts";

/** The metrics are labelled by protocol. There are too many aliases, and they are a private matter of each realm. */
export interface DirectoryMetrics {
  /** Counts a password that a directory checked. `unavailable`: the directory could not answer. */
  signIn(protocol: string, outcome: "success" | "failure" | "unavailable"): void;
  /** Counts an attempt to write a new password into a directory. */
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
    help: "Entries of directories that a sync processed, by the outcome for their users",
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
