import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";

export interface DryRun<T> {
  /** The report of what would happen, or has happened. */
  readonly report: T | null;
  readonly error: unknown;
  readonly busy: boolean;
  /** Null if it was refused. */
  run(dryRun: boolean): Promise<T | null>;
  /** The choice has changed: the report is about another one. */
  reset(): void;
}

/** Something that is first tried, then done; the page shows the report of either. */
export function useDryRun<T>(call: (dryRun: boolean, last: T | null) => Promise<T>): DryRun<T> {
  const { realm } = useRealm();
  const client = useQueryClient();
  const [report, setReport] = useState<T | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  return {
    report,
    error,
    busy,
    reset: () => setReport(null),
    async run(dryRun) {
      setBusy(true);
      setError(null);
      try {
        const made = await call(dryRun, report);
        setReport(made);
        if (!dryRun) await client.invalidateQueries({ queryKey: [realm] });
        return made;
      } catch (reason) {
        setError(reason);
        return null;
      } finally {
        setBusy(false);
      }
    },
  };
}
