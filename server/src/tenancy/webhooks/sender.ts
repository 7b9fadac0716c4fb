import type { Registry } from "prom-client";
import { SECOND } from "../../kernel/clock.ts";
import { createLoop, pollEvery } from "../../platform/loop.ts";
import type { Position } from "../audit/index.ts";
import { hasPending } from "./claims.store.ts";
import { createDispatcher, type DispatchParts } from "./dispatch.ts";
import { fanOut } from "./fan-out.ts";
import { createWebhookMetrics } from "./metrics.ts";

export interface WebhookSender {
  start(): Promise<void>;
  /** Reports that this node has committed events, so that deliveries are created soon, not at the next poll. */
  wake(): void;
  /** Creates the deliveries of all events, sends those that are due, and returns the number of attempts. It serves tests. */
  runDue(): Promise<number>;
  /** Stops claiming, and waits a limited time for running attempts. */
  stop(): Promise<void>;
}

/** The poll interval while deliveries wait for their next attempt. */
const RETRY_POLL = SECOND;
/** The delay before events are taken. Sign-ins come in bursts, whose events are taken together. */
const GATHER = 100;

/** Runs all webhook work of this node: it turns events into deliveries, and sends deliveries. */
export function createWebhookSender({
  registry,
  ...parts
}: Omit<DispatchParts, "metrics" | "onEnd"> & { readonly registry: Registry }): WebhookSender {
  const { db, log, alone } = parts;
  let position: Position | null = null;
  const dispatcher = createDispatcher({ ...parts, metrics: createWebhookMetrics(registry), onEnd: () => sendLoop.wake() });

  const spread = async () => {
    const made = await fanOut(db, position);
    position = made.position;
    if (made.deliveries > 0) sendLoop.wake();
    return made;
  };
  const spreadLoop = createLoop(
    async () => (await spread()).more,
    pollEvery(alone),
    (err) => log.warn({ err }, "could not make webhook deliveries of new events; they are made at the next turn"),
  );
  const sendLoop = createLoop(
    async () => {
      // Both run at once: a delivery keeps its lease while its outcome is stored, so it cannot be taken again.
      const [looked, stored] = await Promise.allSettled([dispatcher.look(), dispatcher.store()]);
      if (stored.status === "rejected") throw stored.reason;
      if (looked.status === "rejected") throw looked.reason;
      if (alone && (await hasPending(db))) sendLoop.wake(RETRY_POLL);
      return looked.value.more;
    },
    pollEvery(alone),
    (err) => log.warn({ err }, "could not look for webhook deliveries, or store how they ended; both are tried again"),
  );

  return {
    async start() {
      await dispatcher.takeOver();
      spreadLoop.start();
      sendLoop.start();
      // Deliveries from before this start may be waiting.
      spreadLoop.wake(RETRY_POLL);
      sendLoop.wake(RETRY_POLL);
    },
    wake: () => {
      spreadLoop.wake(GATHER);
      // The commit may have enabled a webhook, or reset a delivery.
      if (alone) sendLoop.wake(GATHER);
    },
    async runDue() {
      while ((await spread()).more);
      let attempts = 0;
      for (;;) {
        let begun = 0;
        for (let more = true; more; ) {
          const looked = await dispatcher.look();
          begun += looked.begun;
          more = looked.more;
        }
        attempts += begun;
        const wasBusy = dispatcher.busy() > 0;
        await dispatcher.settled();
        await dispatcher.store();
        if (begun === 0 && !wasBusy) return attempts;
      }
    },
    async stop() {
      await spreadLoop.stop();
      await sendLoop.stop();
      await dispatcher.stop();
    },
  };
}
