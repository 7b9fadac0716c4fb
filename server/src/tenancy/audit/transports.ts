import type { DestinationStream } from "pino";
import { createOutbound, type Outbound, OutboundError } from "../../platform/outbound/index.ts";
import type { AuditEventRecord } from "./schema.ts";

/** The result of a batch. `reason` is for the log and for administrators, and contains neither token nor answer. */
export type Handover = { readonly taken: true } | { readonly taken: false; readonly tooLarge: boolean; readonly reason: string };

/** A way for audit events to leave the server. */
export interface AuditTransport<Receiver> {
  /** Sends events, oldest first. The receiver accepts all of them or none. The same event may be sent again. */
  send(receiver: Receiver, events: readonly AuditEventRecord[]): Handover | Promise<Handover>;
}

const taken: Handover = { taken: true };

/** Writes one JSON object per line. */
const stdout: AuditTransport<DestinationStream> = {
  send(output, events) {
    for (const event of events) output.write(`${JSON.stringify(event)}\n`);
    return taken;
  },
};

export interface HttpReceiver {
  readonly outbound: Pick<Outbound, "fetch">;
  readonly url: URL;
  readonly authorization: string | null;
  readonly timeoutMs: number;
}

/** Returns the receiver that the operator configured. An internal address is allowed without an extra setting. */
export function httpReceiver(given: {
  httpUrl: string;
  httpToken: string | null;
  timeoutMs: number;
}): HttpReceiver & { outbound: Outbound } {
  const url = new URL(given.httpUrl);
  const named = url.username !== "" || url.password !== "";
  const user = [url.username, url.password].map(decodeURIComponent).join(":");
  url.username = "";
  url.password = "";
  const authorization =
    given.httpToken !== null ? `Bearer ${given.httpToken}` : named ? `Basic ${Buffer.from(user).toString("base64")}` : null;
  const outbound = createOutbound({ allowedHosts: [url.host], allowLoopbackHttp: false });
  return { outbound, url, authorization, timeoutMs: given.timeoutMs };
}

/** The number of bytes that are read of a response. It is not used, but reading a short one to its end keeps the connection usable. */
const ANSWER_BYTES = 4_096;

/** Posts one JSON array, which Vector, Fluent Bit, Fluentd, Logstash and most hosted collectors accept unchanged. */
const http: AuditTransport<HttpReceiver> = {
  async send({ outbound, url, authorization, timeoutMs }, events) {
    try {
      const { status } = await outbound.fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...(authorization !== null && { authorization }) },
        body: JSON.stringify(events),
        timeoutMs,
        maxBytes: ANSWER_BYTES,
        overflow: "truncate",
        // An operator chose the address, and within their own network plain http is acceptable.
        requireHttps: false,
      });
      if (status >= 200 && status < 300) return taken;
      const redirects = status >= 300 && status < 400;
      return { taken: false, tooLarge: status === 413, reason: `answered ${status}${redirects ? "; redirects are not followed" : ""}` };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { taken: false, tooLarge: false, reason: error.message };
    }
  },
};

export const transports = { stdout, http } satisfies Record<string, AuditTransport<never>>;
