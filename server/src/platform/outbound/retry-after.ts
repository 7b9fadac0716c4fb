import { clock, SECOND } from "../../kernel/clock.ts";

/** Returns how long a peer asks us to wait (RFC 9110 §10.2.3), as seconds or as a date, limited to `longest`. Returns null if it does not say. */
export function retryAfterMs(value: string | undefined, longest: number): number | null {
  if (value === undefined) return null;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * SECOND : Date.parse(value) - clock.now();
  return Number.isFinite(ms) ? Math.min(longest, Math.max(0, ms)) : null;
}
