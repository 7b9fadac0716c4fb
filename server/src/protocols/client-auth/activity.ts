import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { type ReadCtx, systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { ServiceAccountSession } from "./activity.schema.ts";
import { type Activity, addActivity, listActivity } from "./activity.store.ts";

/** Counts client credentials grants and failed client authentications in memory and writes them every few seconds: no write per token. */
export interface ClientActivity {
  /** A token was issued by the client credentials grant. */
  issued(client: ClientSnapshot, sourceIp: string | null, expiresAt: number): void;
  /** Client authentication failed. */
  refused(refusal: Refusal): void;
  /** Stores what was counted since the last flush. */
  flush(): Promise<void>;
}

export interface Refusal {
  readonly realm: string;
  /** The presented `client_id`, unauthenticated. */
  readonly clientId: string;
  /** The client's id in the admin API; null: no such client. */
  readonly id: string | null;
  readonly sourceIp: string | null;
}

interface Parts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly log: Pick<Logger, "warn">;
}

/** Rows per insert. */
const FLUSH_ROWS = 1_000;
/** Guesses must not fill the audit trail: per realm and flush, this many failures get an event each, the rest is recorded as a number. */
const MAX_SINGLE_EVENTS = 20;
const MAX_REALMS = 1_000;

/** The refusals of one realm since the last flush, by client and address. */
type Refusals = Map<string, { readonly refusal: Refusal; unrecorded: number }>;

/** The clients with unexpired client credentials tokens. */
export const searchServiceAccounts = ({ tx, realm, now }: ReadCtx, query: ListQuery): Promise<Page<ServiceAccountSession>> =>
  listActivity(tx, realm, query, now);

export function createClientActivity({ db, work, log }: Parts): ClientActivity {
  let noted = new Map<string, Activity>();
  const refusals = new LRUCache<string, Refusals>({ max: MAX_REALMS });
  const writing = new Set<Promise<void>>();

  const add = (more: Activity) => {
    const key = `${more.realm}/${more.id}`;
    const known = noted.get(key) ?? { ...more, tokens: 0 };
    noted.set(key, known);
    known.tokens += more.tokens;
    known.firstAt = Math.min(known.firstAt, more.firstAt);
    if (more.lastAt >= known.lastAt) {
      known.lastAt = more.lastAt;
      known.sourceIp = more.sourceIp;
    }
    known.expiresAt = Math.max(known.expiresAt, more.expiresAt);
  };

  const storeActivity = async () => {
    const waiting = [...noted.values()].sort((a, b) => (a.realm === b.realm ? (a.id < b.id ? -1 : 1) : a.realm < b.realm ? -1 : 1));
    noted = new Map();
    try {
      while (waiting.length > 0) {
        await addActivity(db, waiting.slice(0, FLUSH_ROWS));
        waiting.splice(0, FLUSH_ROWS);
      }
    } finally {
      // Rows that could not be stored wait for the next flush.
      for (const left of waiting) add(left);
    }
  };

  const recordEvent = (refusal: Refusal, detail: string | null) => {
    const { realm, clientId, id, sourceIp } = refusal;
    const written = work
      .transact({ realm, actor: systemActor(realm), sourceIp }, async (ctx) =>
        ctx.audit({
          category: "AUTHN",
          type: "CLIENT_LOGIN_FAILURE",
          outcome: "FAILURE",
          actor: { id, name: clientId, kind: "anonymous" },
          ...(id !== null && { resourceType: "clients", resourceId: id }),
          detail,
        }),
      )
      .catch((err) => log.warn({ err, realm, clientId }, "could not record that a client was refused"))
      .finally(() => writing.delete(written));
    writing.add(written);
  };

  const recordRemaining = () => {
    for (const [realm, ofRealm] of refusals.entries()) {
      refusals.delete(realm);
      for (const { refusal, unrecorded } of ofRealm.values())
        if (unrecorded > 0) recordEvent(refusal, `${unrecorded} more since the last event`);
    }
  };

  return {
    issued({ realmId, id }, sourceIp, expiresAt) {
      const now = clock.now();
      add({ realm: realmId, id, firstAt: now, lastAt: now, tokens: 1, sourceIp, expiresAt });
    },
    refused(given) {
      // The client_id is not authenticated: remove what Postgres cannot store, and limit its length.
      const refusal = { ...given, clientId: cut(given.clientId.toWellFormed().replaceAll("\u0000", ""), 255) };
      const ofRealm: Refusals = refusals.get(refusal.realm) ?? new Map();
      refusals.set(refusal.realm, ofRealm);
      const key = `${refusal.id ?? "?"} ${refusal.sourceIp ?? "?"}`;
      const known = ofRealm.get(key);
      if (known) known.unrecorded++;
      else if (ofRealm.size < MAX_SINGLE_EVENTS) {
        ofRealm.set(key, { refusal, unrecorded: 0 });
        recordEvent(refusal, null);
      } else {
        const others = ofRealm.get("others") ?? { refusal: { ...refusal, clientId: "(several)", id: null }, unrecorded: 0 };
        others.unrecorded++;
        ofRealm.set("others", others);
      }
    },
    async flush() {
      recordRemaining();
      await Promise.all([storeActivity(), ...writing]);
    },
  };
}
