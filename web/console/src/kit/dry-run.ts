import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";

export interface DryRun<T> {
  /** The report of what would happen, or of what has happened. */
  readonly report: T | null;
  readonly error: unknown;
  readonly busy: boolean;
  /** Resolves to null if it was refused. */
  run(dryRun: boolean): Promise<T | null>;
  /** Clears the report, which is about another choice. */
  reset(): void;
}

/** Runs a call first as a dry run and then for real. The page shows the report of either. */
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
