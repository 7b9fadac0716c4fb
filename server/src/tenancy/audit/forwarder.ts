import { Counter, type Registry } from "prom-client";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { type Db, inTransaction } from "../../platform/db/index.ts";
import { createLoop, pollEvery } from "../../platform/loop.ts";
import {
  createForwarderCursor,
  type ForwarderCursor,
  findForwarderCursor,
  forwarderLag,
  letGo,
  moveHeldCursor,
  noteFailure,
  removeForwarderCursor,
  takeHold,
} from "./lease.store.ts";
import type { AuditEventRecord, ForwarderState } from "./schema.ts";
import { toEventRecord } from "./store.ts";
import { lockCursor, type Position, readStream, type StreamedEvent } from "./stream.store.ts";
import type { Handover } from "./transports.ts";

export interface Forwarder {
  start(): Promise<void>;
  /** Stops after the running batch. Unsent events stay in the table. */
  stop(): Promise<void>;
  /** Reports that there is something to send, so that it is sent soon, not at the next poll. */
  wake(): void;
  /** Sends one batch, if there is one and if it is this node's turn. */
  turn(): Promise<Turn>;
  lag(): Promise<{ waiting: number; oldestMs: number }>;
  state(): Promise<ForwarderState>;
}

/** `more`: it sent events, and there are more. `waiting`: it waits for the next try. `elsewhere`: another node forwards. */
export type Turn = "idle" | "sent" | "more" | "failed" | "waiting" | "elsewhere";

interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface ForwarderParts {
  readonly db: Db;
  readonly log: Log;
  readonly registry: Registry;
  /** True if no other node can forward, as on the embedded database. A hold that exists at the start was then left by a crash. */
  readonly alone: boolean;
  /** The categories of events that are sent; events of others are skipped. */
  readonly categories: readonly string[];
  /** The time that `send` may take. */
  readonly timeoutMs: number;
  readonly send: (events: readonly AuditEventRecord[]) => Handover | Promise<Handover>;
}

/** Commits come in bursts: a short wait puts their events into one batch. */
const GATHER = 100;
const BATCH = 500;
const BATCH_BYTES = 1024 * 1024;
/** The time by which a hold exceeds its purpose, because clocks of nodes differ and databases can be slow. */
const MARGIN = 10 * SECOND;
/** Returns the wait after a number of failures: 1 s, 2 s, 4 s, up to a minute, plus or minus a fifth of jitter. */
const backoff = (failures: number): number => Math.round(Math.min(MINUTE, 2 ** (failures - 1) * SECOND) * (0.8 + Math.random() * 0.4));
const LEFT_OUT = "(left out: the receiver refused the whole event as too large)";

/**
 * Forwards audit events in commit order, at least once. One node at a time does so. Its position is kept in `event_cursors` and moves only after an
 * acknowledgement, so neither a crash nor an outage of the receiver loses an event.
 */
export function createForwarder({ db, log, registry, alone, categories, timeoutMs, send }: ForwarderParts): Forwarder {
  const forwarded = new Counter({
    name: "svc_audit_forwarded_total",
    help: "Audit events sent to the HTTP receiver by this node; each try that fails counts its events as failure",
    labelNames: ["outcome"],
    registers: [registry],
  });
  /** The end of this node's hold; 0 if it has none. */
  let held = 0;
  let failures = 0;
  let retryAt = 0;
  let lastWarning = { at: 0, reason: "" };
  /** The number of events in a batch. It is halved while the receiver finds batches too large. */
  let limit = BATCH;
  /** The event that was too large even alone. */
  let tooLargeId: string | null = null;

  const turn = async (): Promise<Turn> => {
    const now = clock.now();
    if (now < retryAt) return "waiting";
    const cursor = await findForwarderCursor(db);
    if (!cursor) {
      await createForwarderCursor(db);
      log.warn(
        {},
        "the audit forwarder has lost its position: a node without GATEHOUSE_AUDIT_HTTP_URL removes it; forwarding continues from now",
      );
      return "idle";
    }
    if (cursor.lockedUntil > clock.shared() && cursor.lockedUntil !== held) return "elsewhere";
    const read = await readStream(db, cursor.position, BATCH);
    if (read.length === 0) return rest(cursor);
    const until = clock.shared() + timeoutMs + MARGIN;
    if (!(await takeHold(db, cursor.position, held, until))) return lost();
    held = until;
    return handOver(read);
  };

  /** Ends a turn without events. A cursor that came with a dump may have to find its position in this cluster first. */
  const rest = async ({ isForeign }: ForwarderCursor): Promise<Turn> => {
    if (held !== 0) await letGo(db, held);
    held = 0;
    if (isForeign) await inTransaction(db, (tx) => lockCursor(tx, "forwarder"));
    return "idle";
  };

  const lost = (): Turn => {
    held = 0;
    return "elsewhere";
  };

  const handOver = async (read: readonly StreamedEvent[]): Promise<Turn> => {
    const { events, upTo, all } = nextBatch(read, new Set(categories), limit);
    const batch = events.map((event) => (event.id === tooLargeId ? { ...event, detail: LEFT_OUT } : event));
    const answer: Handover = batch.length === 0 ? { taken: true } : await send(batch);
    if (!answer.taken) {
      if (batch.length > 0) forwarded.inc({ outcome: "failure" }, batch.length);
      return answer.tooLarge && makeSmaller(batch) ? "more" : failed(answer.reason);
    }
    const more = !all || read.length === BATCH;
    const until = more ? clock.shared() + MARGIN : 0;
    if (!(await moveHeldCursor(db, upTo, held, clock.now(), until))) {
      log.warn({}, "forwarding took so long that another node took over; some audit events are sent twice");
      return lost();
    }
    held = until;
    succeeded(batch);
    return more ? "more" : "sent";
  };

  /** Reduces the next batch. Returns false if that is impossible. */
  const makeSmaller = (batch: readonly AuditEventRecord[]): boolean => {
    const [first] = batch;
    if (batch.length > 1) limit = Math.floor(batch.length / 2);
    else if (first!.detail !== null && first!.id !== tooLargeId) tooLargeId = first!.id;
    else return false;
    return true;
  };

  const succeeded = (batch: readonly AuditEventRecord[]) => {
    forwarded.inc({ outcome: "success" }, batch.length);
    for (const { id, realm, type } of batch)
      if (id === tooLargeId)
        log.error({ eventId: id, realm, type }, "the receiver refused an audit event as too large; it was forwarded without its detail");
    if (failures > 0) log.info({ failures }, "audit events are forwarded again");
    failures = 0;
    tooLargeId = null;
    limit = Math.min(BATCH, limit * 2);
  };

  const failed = async (reason: string): Promise<Turn> => {
    const wait = backoff(++failures);
    retryAt = clock.now() + wait;
    const isNews = reason !== lastWarning.reason || failures === 1 || clock.now() - lastWarning.at >= 5 * MINUTE;
    if (isNews) {
      lastWarning = { at: clock.now(), reason };
      log.warn({ reason, failures, nextTryMs: wait }, "audit events could not be forwarded; they wait in the database and are tried again");
    }
    const until = clock.shared() + wait + MARGIN;
    held = (await noteFailure(db, held, until, reason)) ? until : 0;
    return "failed";
  };

  const loop = createLoop(
    async () => {
      const more = (await turn()) === "more";
      if (retryAt > clock.now()) loop.wake(retryAt - clock.now());
      return more;
    },
    pollEvery(alone),
    (err) => log.warn({ err }, "could not look for audit events to forward; trying again"),
  );

  return {
    turn,
    lag: () => forwarderLag(db, clock.now()),
    async state() {
      const [cursor, { oldestMs }] = await Promise.all([findForwarderCursor(db), forwarderLag(db, clock.now())]);
      return {
        lastMovedAt: cursor?.movedAt ? new Date(cursor.movedAt).toISOString() : null,
        lagSeconds: Math.round(oldestMs / SECOND),
        lastError: cursor?.lastError ?? null,
      };
    },
    async start() {
      if (await createForwarderCursor(db)) log.info({}, "audit events are forwarded from now on");
      const left = alone ? ((await findForwarderCursor(db))?.lockedUntil ?? 0) : 0;
      if (left !== 0) await letGo(db, left);
      loop.start();
      loop.wake();
    },
    wake: () => loop.wake(GATHER),
    async stop() {
      await loop.stop();
      if (held !== 0) await letGo(db, held);
      held = 0;
    },
  };
}

/** Removes the cursor, because without a receiver it does not move, and retention would wait for it for ever. */
export async function forgetForwarder(db: Db, log: Log): Promise<void> {
  if (await removeForwarderCursor(db))
    log.info({}, "GATEHOUSE_AUDIT_HTTP_URL is not set any more: what was not forwarded yet will not be, also if it is set again");
}

/** Returns the events that fit into one request, the last position, and whether they are all that was read. */
function nextBatch(read: readonly StreamedEvent[], categories: ReadonlySet<string>, limit: number) {
  const events: AuditEventRecord[] = [];
  let bytes = 0;
  let upTo: Position = read[0]!.position;
  for (const { event, position } of read) {
    if (categories.has(event.category)) {
      const record = toEventRecord(event);
      bytes += Buffer.byteLength(JSON.stringify(record));
      if (events.length === limit || (bytes > BATCH_BYTES && events.length > 0)) return { events, upTo, all: false };
      events.push(record);
    }
    upTo = position;
  }
  return { events, upTo, all: true };
}
