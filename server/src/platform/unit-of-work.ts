import { clock } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import type { RealmChanges } from "./cache/index.ts";
import type { Actor, ActorKind, AuditDraft, Ctx, DomainEventName, DomainEvents, Listeners } from "./context.ts";
import { type Db, inTransaction, type Tx } from "./db/index.ts";
import { firstEnqueued } from "./jobs/index.ts";

/** A complete row of the audit trail. */
export interface AuditEvent {
  readonly id: string;
  readonly ts: number;
  readonly realm: string;
  readonly category: AuditDraft["category"];
  readonly type: string;
  readonly actor: string;
  readonly actorId: string | null;
  /** Null if an earlier release recorded it. */
  readonly actorKind: ActorKind | null;
  readonly sourceIp: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly outcome: "SUCCESS" | "FAILURE";
  readonly detail: string | null;
  readonly impersonator: string | null;
  /** Null if there is none, or if an earlier release recorded it. */
  readonly impersonatorId: string | null;
  /** Null for a job or a command, or if an earlier release recorded it. */
  readonly requestId: string | null;
}

/** The origin of the work. */
export interface Origin {
  readonly realm: string;
  readonly actor: Actor;
  readonly sourceIp: string | null;
  /** The request id, for the audit trail. */
  readonly requestId?: string | undefined;
  readonly ifMatch?: string | null;
  readonly ifNoneMatch?: string | null;
}

/** The source of a request, for the audit events of its work: its address and its id. */
export type RequestSource = ReturnType<typeof requestSource>;
export const requestSource = ({ ip, id }: { readonly ip: string; readonly id: string }) => ({ sourceIp: ip, requestId: id });

export interface UnitOfWork {
  /** Opens the transaction, runs the work, writes its audit events in the transaction, and commits. */
  transact<T>(origin: Origin, work: (ctx: Ctx) => Promise<T>): Promise<T>;
}

interface Parts {
  readonly db: Db;
  readonly listeners: Listeners;
  readonly changes: RealmChanges;
  /** Writes the events in the transaction. */
  readonly storeEvents: (tx: Tx, events: readonly AuditEvent[]) => Promise<void>;
  /** Reports committed events to standard output and metrics. */
  readonly published: (events: readonly AuditEvent[]) => void;
  /** Called after the commit if jobs were enqueued. The first of them is due at this time. */
  readonly enqueued: (dueAt: number) => void;
}

export function createUnitOfWork({ db, listeners, changes, storeEvents, published, enqueued }: Parts): UnitOfWork {
  return {
    async transact(origin, work) {
      let effects: (() => void)[] = [];
      let events: AuditEvent[] = [];
      let jobsDueAt: number | undefined;
      const result = await retryingConflicts(db, async (tx) => {
        const drafts: AuditDraft[] = [];
        effects = [];
        const ctx: Ctx = {
          tx,
          realm: origin.realm,
          actor: origin.actor,
          now: clock.now(),
          ifMatch: origin.ifMatch ?? null,
          ifNoneMatch: origin.ifNoneMatch ?? null,
          audit: (draft) => drafts.push(draft),
          afterCommit: (effect) => effects.push(effect),
          async configChanged(realm = origin.realm) {
            await changes.announce(tx, realm);
            effects.push(() => changes.drop(realm));
          },
          async emit<E extends DomainEventName>(event: E, payload: DomainEvents[E]) {
            for (const listener of listeners[event]) await listener(ctx, payload);
          },
        };
        const value = await work(ctx);
        events = drafts.map((draft) => complete(draft, origin, ctx.now));
        if (events.length > 0) await storeEvents(tx, events);
        jobsDueAt = firstEnqueued(tx);
        return value;
      });
      for (const effect of effects) effect();
      published(events);
      if (jobsDueAt !== undefined) enqueued(jobsDueAt);
      return result;
    },
  };
}

const DEADLOCK = "40P01";
const SERIALIZATION_FAILURE = "40001";
const TRIES = 4;

/** Runs work in a transaction. If two transactions lock the same rows in a different order, Postgres ends one of them, which is run again. */
export async function retryingConflicts<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(db, work);
    } catch (error) {
      const { code } = error as { code?: string };
      if ((code !== DEADLOCK && code !== SERIALIZATION_FAILURE) || tries === TRIES) throw error;
    }
  }
}

function complete(draft: AuditDraft, { realm, actor, sourceIp, requestId }: Origin, now: number): AuditEvent {
  return {
    id: newId(),
    ts: now,
    realm: draft.realm ?? realm,
    category: draft.category,
    type: draft.type,
    actor: draft.actor?.name ?? actor.name,
    actorId: draft.actor ? draft.actor.id : actor.id,
    actorKind: draft.actor ? (draft.actor.kind ?? (draft.actor.id === null ? "anonymous" : "user")) : actor.kind,
    sourceIp,
    resourceType: draft.resourceType ?? null,
    resourceId: draft.resourceId ?? null,
    outcome: draft.outcome ?? "SUCCESS",
    detail: draft.detail ?? null,
    impersonator: actor.impersonator?.name ?? null,
    impersonatorId: actor.impersonator?.id ?? null,
    requestId: requestId ?? null,
  };
}
