import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import type { Place, Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { enqueue, GiveUp, type JobHandler } from "../../platform/jobs/index.ts";
import type { DecoupledIssuers } from "./parts.ts";
import { findSealed, storeSealed } from "./requests.store.ts";

export const CIBA_PING_JOB = "oidc.ciba_ping";

/** The waits between attempts, within the ten minutes of a request's lifetime. */
const WAITS = [2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE];

/** The content of a ping. Both values are credentials, so they are stored encrypted. */
interface Callback {
  readonly authReqId: string;
  readonly token: string;
}

const place = (realm: string, recordId: string): Place => ({ realm, table: "oidc_records", column: "sealed", row: recordId });

export async function keepCallback(db: Db, vault: Vault, realm: string, recordId: string, callback: Callback): Promise<void> {
  await storeSealed(db, realm, recordId, vault.seal(JSON.stringify(callback), place(realm, recordId)));
}

/** Enqueues a ping in the transaction of the user's decision. */
export async function enqueuePing(ctx: Ctx, clientId: string, recordId: string): Promise<void> {
  const payload = { clientId, recordId };
  await enqueue(ctx.tx, { kind: CIBA_PING_JOB, realm: ctx.realm, payload, runAt: ctx.now, maxAttempts: WAITS.length + 1 }, ctx.now);
}

/** CIBA §10.2: notifies the client, which then requests its tokens. */
export const cibaPingJob = (issuers: DecoupledIssuers): JobHandler => ({
  waits: WAITS,
  async run({ realm, payload }) {
    const { clientId, recordId } = payload as Record<string, string>;
    const issuer = await issuers.get(realm!);
    const client = issuer && (await issuer.parts.clients.get(realm!, clientId!));
    const endpoint = client?.enabled ? client.settings.cibaNotificationEndpoint : null;
    const sealed = endpoint && (await findSealed(issuer!.parts.db, realm!, recordId!, clock.now()));
    if (!sealed) return; // the client or the request was deleted, or pings are disabled
    const { authReqId, token } = JSON.parse(issuer!.parts.vault.open(sealed, place(realm!, recordId!))) as Callback;
    const { status } = await issuer!.parts.outbound.fetch(endpoint, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ auth_req_id: authReqId }),
      overflow: "truncate",
    });
    if (status === 204 || status === 200) return;
    if (status >= 400 && status < 500) throw new GiveUp(`${clientId} answered ${status} to a ping`);
    throw new Error(`${clientId} answered ${status} to a ping`);
  },
});
