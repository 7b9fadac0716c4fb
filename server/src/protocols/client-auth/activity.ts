import type { Logger } from "pino";
import { type AgentUse, noteAgentUse } from "../../applications/agents/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";
import { cut } from "../../kernel/text.ts";
import { type AuditDraft, type ReadCtx, systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { ServiceAccountSession } from "./activity.schema.ts";
import { type Activity, addActivity, listActivity } from "./activity.store.ts";

/** Counts client credentials grants and failed client authentications in memory, and stores the counts every few seconds, not per token. */
export interface ClientActivity {
  /** Counts a token that the client credentials grant issued. */
  issued(client: ClientSnapshot, sourceIp: string | null, expiresAt: number): void;
  /** Notes that the client of an agent got a token, by any grant. */
  usedAgent(client: ClientSnapshot): void;
  /** Counts a failed client authentication. */
  refused(refusal: Refusal): void;
  /** Counts a refused token of a workload. */
  refusedWorkload(refusal: WorkloadRefusal): void;
  /** Counts that an agent was refused a token to act for a user. */
  refusedDelegation(refusal: DelegationRefusal): void;
  /** Stores the counts since the last flush. */
  flush(): Promise<void>;
}

export interface Refusal {
  readonly realm: string;
  /** The presented `client_id`, which is not authenticated. */
  readonly clientId: string;
  /** The client's id in the admin API, or null if there is no such client. */
  readonly id: string | null;
  readonly sourceIp: string | null;
  readonly requestId?: string | undefined;
}

/** A refused token of a workload. None of these values is verified. */
export interface WorkloadRefusal {
  readonly realm: string;
  readonly issuer: string;
  readonly subject: string;
  readonly reason: string;
  readonly sourceIp: string | null;
  readonly requestId?: string | undefined;
}

export interface DelegationRefusal {
  readonly realm: string;
  readonly agent: string;
  /** The OAuth client id of the agent. */
  readonly clientId: string;
  readonly reason: string;
  readonly sourceIp: string | null;
  readonly requestId?: string | undefined;
}

interface Parts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly log: Pick<Logger, "warn">;
}

/** The number of rows in an insert. */
const FLUSH_ROWS = 1_000;

/** Removes characters that Postgres cannot store and limits the length, because the text is not authenticated. */
const cleaned = (text: string): string => cut(text.toWellFormed().replaceAll("\u0000", ""), 255);

/** Lists the clients with unexpired client credentials tokens. */
export const searchServiceAccounts = ({ tx, realm, now }: ReadCtx, query: ListQuery): Promise<Page<ServiceAccountSession>> =>
  listActivity(tx, realm, query, now);

export function createClientActivity({ db, work, log }: Parts): ClientActivity {
  let noted = new Map<string, Activity>();
  let used = new Map<string, AgentUse>();
  const refusals = createRefusals({ work, log });

  const storeUses = async () => {
    const waiting = [...used.values()];
    used = new Map();
    try {
      while (waiting.length > 0) {
        await noteAgentUse(db, waiting.slice(0, FLUSH_ROWS));
        waiting.splice(0, FLUSH_ROWS);
      }
    } finally {
      for (const left of waiting) if (!used.has(left.agent)) used.set(left.agent, left);
    }
  };

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
      // Rows that could not be stored remain for the next flush.
      for (const left of waiting) add(left);
    }
  };

  return {
    issued({ realmId, id }, sourceIp, expiresAt) {
      const now = clock.now();
      add({ realm: realmId, id, firstAt: now, lastAt: now, tokens: 1, sourceIp, expiresAt });
    },
    usedAgent({ realmId, agent }) {
      if (agent) used.set(agent.id, { realm: realmId, agent: agent.id, at: clock.now() });
    },
    refused({ realm, clientId, id, sourceIp, requestId }) {
      refusals.add({
        ...{ realm, sourceIp, requestId, key: `client ${id ?? "?"}` },
        draft: (more, isSeveral) => ({
          category: "AUTHN",
          type: "CLIENT_LOGIN_FAILURE",
          outcome: "FAILURE",
          actor: { ...(isSeveral ? { id: null, name: "(several)" } : { id, name: cleaned(clientId) }), kind: "anonymous" },
          ...(id !== null && !isSeveral && { resourceType: "clients", resourceId: id }),
          detail: more > 0 ? `${more} more since the last event` : null,
        }),
      });
    },
    refusedWorkload({ realm, issuer, subject, reason, sourceIp, requestId }) {
      const who = `issuer ${cleaned(issuer)}, subject ${cleaned(subject)}`;
      refusals.add({
        ...{ realm, sourceIp, requestId, key: `workload ${who} ${reason}` },
        draft: (more, isSeveral) => ({
          category: "SECURITY",
          type: "WORKLOAD_TOKEN_REJECTED",
          outcome: "FAILURE",
          actor: { id: null, name: isSeveral ? "(several)" : cleaned(subject) || "(none)", kind: "anonymous" },
          detail: `${isSeveral ? "several, among them " : ""}${who}: ${more > 0 ? `${more} more since the last event` : reason}`,
        }),
      });
    },
    refusedDelegation({ realm, agent, clientId, reason, sourceIp, requestId }) {
      refusals.add({
        ...{ realm, sourceIp, requestId, key: `agent ${agent} ${reason}` },
        draft: (more, isSeveral) => ({
          category: "SECURITY",
          type: "DELEGATION_REJECTED",
          outcome: "FAILURE",
          actor: { ...(isSeveral ? { id: null, name: "(several)" } : { id: agent, name: clientId }), kind: "agent" },
          ...(!isSeveral && { resourceType: "agents", resourceId: agent }),
          detail: more > 0 ? `${more} more since the last event` : reason,
        }),
      });
    },
    async flush() {
      await Promise.all([storeActivity(), storeUses(), refusals.flush()]);
    },
  };
}

/** The number of failures per realm and flush that get an event each. Others are counted, so that guesses do not fill the audit trail. */
const MAX_SINGLE_EVENTS = 20;
const MAX_REALMS = 1_000;

export interface Refused {
  readonly realm: string;
  readonly sourceIp: string | null;
  /** The id of the refused request. */
  readonly requestId?: string | undefined;
  /** Refusals with the same key and address are counted in one event. */
  readonly key: string;
  /** Drafts the event: for this refusal (`more` is 0), for this many more with the same key, or for several keys. */
  draft(more: number, isSeveral: boolean): AuditDraft;
}

export interface Refusals {
  add(refused: Refused): void;
  /** Records the counts since the last flush, and waits until all events are stored. */
  flush(): Promise<void>;
}

interface Counted {
  readonly refused: Refused;
  readonly isSeveral: boolean;
  unrecorded: number;
}

/** Records refused authentications as events, and counts them if there are many. */
export function createRefusals({ work, log }: { readonly work: UnitOfWork; readonly log: Pick<Logger, "warn"> }): Refusals {
  const refusals = createLru<Map<string, Counted>>(MAX_REALMS);
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
