import { setTimeout as sleep } from "node:timers/promises";
import { clock, SECOND } from "../../kernel/clock.ts";
import { NO_ID } from "../../kernel/ids.ts";
import type { Vault } from "../../kernel/vault.ts";
import { systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { toEvent } from "../audit/index.ts";
import { MASTER } from "../realms/index.ts";
import { ATTEMPT_MS, type Attempt, messageOf, send } from "./attempt.ts";
import {
  type Claim,
  claimDeliveries,
  dueWebhooks,
  type Outcome,
  releaseAllClaims,
  releaseClaims,
  storeOutcomes,
  type Want,
} from "./claims.store.ts";
import { WEBHOOK_DEAD } from "./event-types.ts";
import { createLanes } from "./lanes.ts";
import type { WebhookMetrics } from "./metrics.ts";
import { outcomeOf, withoutEvent } from "./schedule.ts";
import { secretsOf } from "./store.ts";

export interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface DispatchParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly metrics: WebhookMetrics;
  readonly log: Log;
  /** The waits before each retry, in milliseconds. */
  readonly waits: readonly number[];
  /** True if no other node can have this database open. */
  readonly alone: boolean;
  /** The time limit of one attempt, in milliseconds. */
  readonly timeoutMs?: number;
  /** The time for which a stopping node waits for receivers before it closes the connections. */
  readonly shutdownMs?: number;
  /** Reports that attempts have ended: there are outcomes to store, and there is room for more. */
  readonly onEnd: () => void;
}

/** The lease of a delivery, longer than an attempt and the storage of its outcome take. After a crash, other nodes wait this long. */
const LEASE = 15 * SECOND;
/** The number of webhooks that one query returns. */
const WEBHOOKS = 500;
const OUTCOMES = 500;
const SHUTDOWN_TIMEOUT = 5 * SECOND;

/** Sends due deliveries. Each webhook has its own lane, so that a slow receiver does not delay others. */
export function createDispatcher(parts: DispatchParts) {
  const { db, work, vault, outbound, metrics, log, waits, onEnd, timeoutMs = ATTEMPT_MS, shutdownMs = SHUTDOWN_TIMEOUT } = parts;
  const lanes = createLanes();
  const sending = new Set<Promise<void>>();
  // Each attempt has a controller of its own: on Node 20, a shared signal would remember every listener that it ever had.
  const running = new Set<AbortController>();
  let ended: Outcome[] = [];
  const abandoned: Claim[] = [];
  let storing: Promise<void> = Promise.resolve();
  let after = NO_ID;
  let stopped = false;

  const attempt = async (claim: Claim): Promise<Attempt | null> => {
    const now = clock.now();
    const hangUp = new AbortController();
    running.add(hangUp);
    try {
      const event = toEvent(claim.event!);
      const message = messageOf(event, claim.url, secretsOf(vault, claim.realm_id, claim.webhook_id, claim, now));
      return await send(outbound, message, now, timeoutMs, hangUp.signal);
    } catch (err) {
      if (hangUp.signal.aborted) return null;
      log.error({ err, webhookId: claim.webhook_id, deliveryId: claim.delivery_id }, "a webhook delivery could not be prepared");
      const error = "The server could not prepare this delivery; its log says why.";
      return { delivered: false, status: null, answer: null, error, latencyMs: 0, timedOut: false, retryAfterMs: 0 };
    } finally {
      running.delete(hangUp);
    }
  };

  const deliver = async (claim: Claim) => {
    lanes.begin(claim.webhook_id);
    const made = claim.event && (await attempt(claim));
    lanes.end(claim.webhook_id, made);
    if (made) metrics.attempted(made);
    if (!claim.event) ended.push(withoutEvent(claim, clock.now()));
    else if (made) ended.push(outcomeOf(claim, made, waits, clock.now()));
    else abandoned.push(claim);
    onEnd();
  };

  const begin = (claim: Claim) => {
    const done = deliver(claim);
    sending.add(done);
    void done.finally(() => sending.delete(done));
  };

  /** Takes and begins due deliveries, as far as there is room. Returns how many it began, and whether there may be more to begin immediately. */
  const look = async (): Promise<{ begun: number; more: boolean }> => {
    if (stopped || !lanes.hasRoom()) return { begun: 0, more: false };
    const webhooks = await dueWebhooks(db, after, WEBHOOKS, clock.now());
    const wants: Want[] = [];
    const taken = { all: 0, slow: 0 };
    let ranOut = false;
    after = webhooks.length < WEBHOOKS ? NO_ID : webhooks.at(-1)!;
    for (const [at, webhook] of webhooks.entries()) {
      if (!lanes.hasRoom(taken.all)) {
        // Round robin: the next poll begins after the last webhook that got a slot.
        after = webhooks[at - 1] ?? NO_ID;
        ranOut = true;
        break;
      }
      const places = lanes.free(webhook, taken);
      if (places === 0) continue;
      wants.push({ webhook, places });
      taken.all += places;
      if (lanes.isSlow(webhook)) taken.slow += places;
    }
    const claims = wants.length === 0 ? [] : await claimDeliveries(db, wants, clock.now(), LEASE);
    if (stopped) await releaseClaims(db, claims);
    else for (const claim of claims) begin(claim);
    // Room that was reserved for deliveries which were not found is free again.
    const hasRoom = !ranOut || claims.length < taken.all;
    return { begun: claims.length, more: after !== NO_ID && hasRoom };
  };

  const storeBatch = async (outcomes: readonly Outcome[]) => {
    const origin = { realm: MASTER, actor: systemActor(MASTER), sourceIp: null };
    const stored = await work.transact(origin, async (ctx) => {
      const held = await storeOutcomes(ctx.tx, outcomes);
      for (const { claim, attempts, error } of outcomes.filter(({ status, claim }) => status === "DEAD" && held.has(claim.delivery_id)))
        ctx.audit({
          realm: claim.realm_id,
          category: "ADMIN",
          type: WEBHOOK_DEAD,
          resourceType: "webhooks",
          resourceId: claim.webhook_id,
          outcome: "FAILURE",
          detail: `delivery ${claim.delivery_id} of ${claim.event_type} ${claim.event_id} was given up after ${attempts} attempts: ${error}`,
        });
      return held;
    });
    for (const outcome of outcomes) if (stored.has(outcome.claim.delivery_id)) metrics.ended(outcome);
  };

  /** Stores the outcomes of attempts, many at a time. An outcome that cannot be stored is kept until its lease ends, when others may take the delivery. */
  const store = async () => {
    while (ended.length > 0) {
      const batch = ended.splice(0, OUTCOMES);
      try {
        await storeBatch(batch);
      } catch (error) {
        const now = clock.shared();
        ended = [...batch.filter(({ claim }) => claim.locked_until > now), ...ended];
        throw error;
      }
    }
  };

  return {
    /** Releases the deliveries of a killed process, which would otherwise wait for their leases to end. */
    takeOver: async () => void (parts.alone && (await releaseAllClaims(db))),
    look,
    store(): Promise<void> {
      storing = storing.then(store, store);
      return storing;
    },
    /** The number of running attempts. */
    busy: (): number => sending.size,
    settled: async () => void (await Promise.all(sending)),
    /** Waits for running attempts, then closes connections and releases unsent deliveries. */
    async stop() {
      stopped = true;
      const patience = new AbortController();
      await Promise.race([Promise.all(sending), sleep(shutdownMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
      patience.abort();
      for (const attempt of running) attempt.abort(new Error("The server is shutting down"));
      await Promise.all(sending);
      try {
        await this.store();
        await releaseClaims(db, abandoned);
      } catch (err) {
        log.warn({ err }, "could not store how webhook deliveries ended; they are sent again");
      }
    },
  };
}
