import type { Config } from "../../config.ts";

export type Severity = "ok" | "warning" | "problem";

/** The result of one check. `advice` says how to correct a fault. */
export interface Finding {
  readonly check: string;
  readonly severity: Severity;
  readonly message: string;
  readonly advice?: string;
}

/** Checks one thing, changes nothing, and gives up by itself after a few seconds. */
export type Check = (config: Config) => Promise<readonly Finding[]>;

/** The longest time that a check waits for another machine. */
export const TIMEOUT_MS = 3000;

export const ok = (check: string, message: string): Finding => ({ check, severity: "ok", message });
export const warning = (check: string, message: string, advice: string): Finding => ({ check, severity: "warning", message, advice });
export const problem = (check: string, message: string, advice: string): Finding => ({ check, severity: "problem", message, advice });
