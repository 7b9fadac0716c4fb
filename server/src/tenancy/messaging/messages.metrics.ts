import { Counter, Histogram, type Registry } from "prom-client";
import type { Channel } from "./driver.ts";

/** `failed` is an attempt that will be repeated, `dead` a message that was given up. */
type MessageOutcome = "sent" | "failed" | "expired" | "dead" | "limited";

export interface MessageMetrics {
  count(channel: Channel, outcome: MessageOutcome): void;
  /** Records the time from the request until the provider accepted the message. */
  took(channel: Channel, seconds: number): void;
}

export function createMessageMetrics(registry: Registry): MessageMetrics {
  const registers = [registry];
  const messages = new Counter({ name: "svc_messages_total", help: "Messages by outcome", labelNames: ["channel", "outcome"], registers });
  const latency = new Histogram({
    name: "svc_message_latency_seconds",
    help: "Time from the request for a message until its provider accepted it",
    labelNames: ["channel"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
    registers,
  });
  return {
    count: (channel, outcome) => messages.inc({ channel, outcome }),
    took: (channel, seconds) => latency.observe({ channel }, Math.max(0, seconds)),
  };
}
