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

/** What clients do in their own name, noted in passing and written down every few seconds: never a write in the path of a token. */
export interface ClientActivity {
  /** A client got a token in its own name. */
  issued(client: ClientSnapshot, sourceIp: string | null, expiresAt: number): void;
  /** Client authentication failed. */
  refused(refusal: Refusal): void;
  /** Writes down what was noted since the last time. */
  flush(): Promise<void>;
}

export interface Refusal {
  readonly realm: string;
  /** The id that was claimed. */
  readonly clientId: string;
  /** As paths know it, if there is such a client. */
  readonly id: string | null;
  readonly sourceIp: string | null;
}

interface Parts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly log: Pick<Logger, "warn">;
}

/** Rows of one statement. */
const FLUSH_ROWS = 1_000;
/** Guesses must not fill the audit trail: so many failures of a realm are recorded one by one until the next flush, the others as a number. */
const TOLD_AT_ONCE = 20;
const MAX_REALMS = 1_000;

/** What was refused in one realm since the last flush, by client and address. */
type Refusals = Map<string, { readonly refusal: Refusal; untold: number }>;

/** The clients that hold tokens of their own at this moment. */
export const searchServiceAccounts = ({ tx, realm, now }: ReadCtx, query: ListQuery): Promise<Page<ServiceAccountSession>> =>
  listActivity(tx, realm, query, now);

export function createClientActivity({ db, work, log }: Parts): ClientActivity {
  let noted = new Map<string, Activity>();
  const refusals = new LRUCache<string, Refusals>({ max: MAX_REALMS });
  const writing = new Set<Promise<void>>();

  const add = (more: Activity) => {
    const key = `${more.realm}/${more.id}`;
    const known = noted.get(key);
    if (!known) noted.set(key, more);
    else {
      known.tokens += more.tokens;
      known.firstAt = Math.min(known.firstAt, more.firstAt);
      if (more.lastAt >= known.lastAt) Object.assign(known, { lastAt: more.lastAt, sourceIp: more.sourceIp });
      known.expiresAt = Math.max(known.expiresAt, more.expiresAt);
    }
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
      // What did not reach the database is written next time.
      for (const left of waiting) add(left);
    }
  };

  const tell = (refusal: Refusal, detail: string | null) => {
    const { realm, clientId, id, sourceIp } = refusal;
    const written = work
      .transact({ realm, actor: systemActor(realm), sourceIp }, async (ctx) =>
        ctx.audit({
          category: "AUTHN",
          type: "CLIENT_LOGIN_FAILURE",
          outcome: "FAILURE",
          actor: { id, name: clientId },
          ...(id !== null && { resourceType: "clients", resourceId: id }),
          detail,
        }),
      )
      .catch((err) => log.warn({ err, realm, clientId }, "could not record that a client was refused"))
      .finally(() => writing.delete(written));
    writing.add(written);
  };

  const tellTheRest = () => {
    for (const [realm, ofRealm] of refusals.entries()) {
      refusals.delete(realm);
      for (const { refusal, untold } of ofRealm.values()) if (untold > 0) tell(refusal, `${untold} more since the last event`);
    }
  };

  return {
    issued({ realmId, id }, sourceIp, expiresAt) {
      const now = clock.now();
      const known = noted.get(`${realmId}/${id}`);
      if (!known) return add({ realm: realmId, id, firstAt: now, lastAt: now, tokens: 1, sourceIp, expiresAt });
      known.tokens++;
      known.lastAt = now;
      known.sourceIp = sourceIp;
      if (expiresAt > known.expiresAt) known.expiresAt = expiresAt;
    },
    refused(given) {
      // The claimed client_id is not authenticated: only text that can be stored, and not much of it.
      const refusal = { ...given, clientId: cut(given.clientId.toWellFormed().replaceAll("\u0000", ""), 255) };
      const ofRealm: Refusals = refusals.get(refusal.realm) ?? new Map();
      refusals.set(refusal.realm, ofRealm);
      const key = `${refusal.id ?? "?"} ${refusal.sourceIp ?? "?"}`;
      const known = ofRealm.get(key);
      if (known) known.untold++;
      else if (ofRealm.size < TOLD_AT_ONCE) {
        ofRealm.set(key, { refusal, untold: 0 });
        tell(refusal, null);
      } else {
        const others = ofRealm.get("others") ?? { refusal: { ...refusal, clientId: "(several)", id: null }, untold: 0 };
        others.untold++;
        ofRealm.set("others", others);
      }
    },
    async flush() {
      tellTheRest();
      await Promise.all([storeActivity(), ...writing]);
    },
  };
}
