import type { Registry } from "prom-client";
import { clock, SECOND } from "../../kernel/clock.ts";
import { createTurns } from "../../kernel/turns.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import { createLoop, pollEvery } from "../../platform/loop.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { noteChanges } from "./changes.store.ts";
import { leaseOf, runLane } from "./lane.ts";
import { createScimTargetMetrics } from "./metrics.ts";
import { hasPendingObjects } from "./objects.store.ts";
import { createPeer } from "./peer.ts";
import { digestKey, openSecret } from "./secrets.ts";
import { claimTargets, type HeldTarget, releaseAllTargets, releaseTarget } from "./states.store.ts";

export interface ScimSender {
  start(): Promise<void>;
  /** Called when this node has committed something, which may concern users, groups or targets. */
  wake(): void;
  /** Notes all changes and sends what is due, until nothing is left; for tests. Returns how many lanes ran. */
  runDue(): Promise<number>;
  /** Aborts running requests. Objects that may not have arrived are searched at the target again. */
  stop(): Promise<void>;
}

export interface SenderParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly registry: Registry;
  readonly log: { warn(details: object, message: string): void; error(details: object, message: string): void };
  /** True if no other node can have this database open. */
  readonly alone: boolean;
}

/** The number of targets to which one node sends at once. Each has its own lane, so that a slow or dead one does not delay others. */
const LANES = 32;
const GATHER = 100;
const RETRY_POLL = SECOND;

/** Sends everything from this node to SCIM targets: it notes changes for each target, and brings each target up to date. */
export function createScimSender({ registry, ...parts }: SenderParts): ScimSender {
  const { db, work, vault, outbound, log, alone } = parts;
  const metrics = createScimTargetMetrics(registry);
  const lanes = new Set<Promise<void>>();
  const running = new Set<AbortController>();
  let isStopped = false;

  const run = async (target: HeldTarget) => {
    const hangUp = new AbortController();
    running.add(hangUp);
    let more = false;
    try {
      const secret = openSecret(vault, target.realm, target.targetId, target.sealed);
      const { url, settings } = target;
      const peer = createPeer({
        outbound,
        url,
        settings,
        secret,
        signal: hangUp.signal,
        beforeRequest: leaseOf(db, target),
        onRequest: metrics.requested,
      });
      more = await runLane({ db, work, target, peer, key: await digestKey(db, vault), signal: hangUp.signal, ended: metrics.ended });
    } catch (err) {
      // After an error of this server the lease is kept, so the next attempt is made when it ends.
      if (!hangUp.signal.aborted) {
        log.error(
          { err, realm: target.realm, targetId: target.targetId },
          "a SCIM target could not be brought up to date; it is tried again",
        );
        return;
      }
    } finally {
      running.delete(hangUp);
    }
    await releaseTarget(db, target).catch((err) =>
      log.warn({ err, targetId: target.targetId }, "could not release a SCIM target; it is taken again when its lease ends"),
    );
    if (more) sendLoop.wake();
  };

  const turns = createTurns();
  const note = () => turns("note", () => noteChanges(db));
  const look = () => turns("look", claim);
  const claim = async (): Promise<number> => {
    if (isStopped) return 0;
    const targets = await claimTargets(db, LANES - lanes.size, clock.now());
    for (const target of targets) {
      const lane = run(target).finally(() => {
        lanes.delete(lane);
        if (lanes.size === LANES - 1) sendLoop.wake();
      });
      lanes.add(lane);
    }
    return targets.length;
  };

  const noteLoop = createLoop(
    async () => {
      const { noted, more } = await note();
      if (noted > 0) sendLoop.wake();
      return more;
    },
    pollEvery(alone),
    (err) => log.warn({ err }, "could not note changes for SCIM targets; they are noted at the next turn"),
  );
  const sendLoop = createLoop(
    async () => {
      await look();
      if (alone && (await hasPendingObjects(db))) sendLoop.wake(RETRY_POLL);
      return false;
    },
    pollEvery(alone),
    (err) => log.warn({ err }, "could not look for SCIM targets with something to send; it is tried again"),
  );

  return {
    async start() {
      if (alone) await releaseAllTargets(db);
      noteLoop.start();
      sendLoop.start();
      noteLoop.wake(RETRY_POLL);
      sendLoop.wake(RETRY_POLL);
    },
    wake() {
      noteLoop.wake(GATHER);
      // The commit may be of a new target, or of a requested sync.
      if (alone) sendLoop.wake(GATHER);
    },
    async runDue() {
      for (let total = 0; ; ) {
        while ((await note()).more);
        const begun = await look();
        total += begun;
        const wasBusy = lanes.size > 0;
        await Promise.all(lanes);
        if (begun === 0 && !wasBusy) return total;
      }
    },
    async stop() {
      isStopped = true;
      await noteLoop.stop();
      await sendLoop.stop();
      for (const lane of running) lane.abort(new Error("The server is shutting down"));
      await Promise.all(lanes);
    },
  };
}
