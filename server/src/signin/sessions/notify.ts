import { newId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/index.ts";
import { type Enqueue, enqueueAll } from "../../platform/jobs/index.ts";
import type { Participant, SessionEnd } from "./participants.store.ts";

/** A participant of an ended session. */
export interface EndedParticipant extends Participant {
  readonly realm: string;
  readonly sessionId: string;
  readonly userId: string | null;
}

/** A protocol's way to notify the participants of an ended session by back channel. */
export interface BackChannel {
  readonly protocol: string;
  /** The kind of its jobs. */
  readonly kind: string;
  readonly maxAttempts: number;
  /** Returns the clients that have a back channel. They may belong to several realms. */
  reachable(tx: Tx, clients: readonly ClientOfRealm[]): Promise<readonly ClientOfRealm[]>;
  /** Returns the payload of the job. */
  notice(participant: EndedParticipant, jobId: string): Pick<Enqueue, "payload" | "sealed">;
}

export interface ClientOfRealm {
  readonly realm: string;
  readonly clientId: string;
}

const keyOf = ({ realm, clientId }: ClientOfRealm): string => `${realm} ${clientId}`;

/** Enqueues on `sessions.ended` a job for each participant that has a back channel, in the transaction that ends the session. */
export const notifyParticipants =
  ({ protocol, kind, maxAttempts, reachable, notice }: BackChannel) =>
  async (ctx: Ctx, { ended }: { readonly ended: readonly SessionEnd[] }): Promise<void> => {
    const all = ended.flatMap(({ realm, sessionId, userId, participants }) =>
      participants.filter((one) => one.protocol === protocol).map((one): EndedParticipant => ({ ...one, realm, sessionId, userId })),
    );
    if (all.length === 0) return;
    const clients = new Map(all.map(({ realm, clientId }) => [keyOf({ realm, clientId }), { realm, clientId }]));
    const found = new Set((await reachable(ctx.tx, [...clients.values()])).map(keyOf));
    const jobs = all
      .filter((one) => found.has(keyOf(one)))
      .map((one): Enqueue => {
        const id = newId();
        return { id, kind, realm: one.realm, runAt: ctx.now, maxAttempts, ...notice(one, id) };
      });
    await enqueueAll(ctx.tx, jobs, ctx.now);
  };
