import type { Outbound } from "../../platform/outbound/index.ts";
import { UpstreamError } from "../oidc/metadata.ts";

/**
 * Gives all calls of a request to a provider one deadline. Each call has a limit of its own, but one after another they add up. `work` makes its calls by the
 * given outbound; at the deadline they are aborted, and no more begin. What it shares with other requests (a document that is being read) continues for them,
 * but this request no longer waits. With `waits` false, `work` itself ends after the deadline and reports what it has.
 */
export async function withinDeadline<T>(
  outbound: Outbound,
  timeoutMs: number,
  work: (outbound: Outbound) => Promise<T>,
  { waits = true }: { readonly waits?: boolean } = {},
): Promise<T> {
  const limit = new AbortController();
  const { signal } = limit;
  const timer = setTimeout(() => limit.abort(new UpstreamError("timeout", "The provider took too long to answer.")), timeoutMs);
  const bounded: Outbound = Object.assign(Object.create(outbound) as Outbound, {
    fetch: ((url, request) => outbound.fetch(url, { ...request, signal })) as Outbound["fetch"],
  });
  try {
    if (!waits) return await work(bounded);
    return await new Promise<T>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      work(bounded).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
  }
}
