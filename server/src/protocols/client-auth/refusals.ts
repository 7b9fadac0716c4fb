import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { type AuditDraft, systemActor } from "../../platform/context.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";

/** Guesses must not fill the audit trail: per realm and flush, this many failures get an event each, the rest is recorded as a number. */
const MAX_SINGLE_EVENTS = 20;
const MAX_REALMS = 1_000;

export interface Refused {
  readonly realm: string;
  readonly sourceIp: string | null;
  /** The number of the request that was refused. */
  readonly requestId?: string | undefined;
  /** Refusals with the same key and address are counted in one event. */
  readonly key: string;
  /** The event: of this very refusal (`more` is 0), of so many more of the same key, or of several keys. */
  draft(more: number, isSeveral: boolean): AuditDraft;
}

export interface Refusals {
  add(refused: Refused): void;
  /** Records the counts since the last flush, and waits for all events. */
  flush(): Promise<void>;
}

interface Counted {
  readonly refused: Refused;
  readonly isSeveral: boolean;
  unrecorded: number;
}

/** The events of refused authentications, counted where they come in floods. */
export function createRefusals({ work, log }: { readonly work: UnitOfWork; readonly log: Pick<Logger, "warn"> }): Refusals {
  const refusals = new LRUCache<string, Map<string, Counted>>({ max: MAX_REALMS });
  const writing = new Set<Promise<void>>();

  const record = ({ realm, sourceIp, requestId }: Refused, draft: AuditDraft) => {
    const written = work
      .transact({ realm, actor: systemActor(realm), sourceIp, requestId }, async (ctx) => ctx.audit(draft))
      .catch((err) => log.warn({ err, realm }, "could not record that an authentication was refused"))
      .finally(() => writing.delete(written));
    writing.add(written);
  };

  return {
    add(refused) {
      const ofRealm = refusals.get(refused.realm) ?? new Map<string, Counted>();
      refusals.set(refused.realm, ofRealm);
      const key = `${refused.key} ${refused.sourceIp ?? "?"}`;
      const known = ofRealm.get(key);
      if (known) known.unrecorded++;
      else if (ofRealm.size < MAX_SINGLE_EVENTS) {
        ofRealm.set(key, { refused, isSeveral: false, unrecorded: 0 });
        record(refused, refused.draft(0, false));
      } else {
        const kind = `several ${refused.key.split(" ", 1)[0]}`;
        const others = ofRealm.get(kind) ?? { refused, isSeveral: true, unrecorded: 0 };
        others.unrecorded++;
        ofRealm.set(kind, others);
      }
    },
    async flush() {
      for (const [realm, ofRealm] of refusals.entries()) {
        refusals.delete(realm);
        for (const { refused, isSeveral, unrecorded } of ofRealm.values())
          if (unrecorded > 0) record(refused, refused.draft(unrecorded, isSeveral));
      }
      await Promise.all(writing);
    },
  };
}
