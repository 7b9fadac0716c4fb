import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { systemActor } from "../../platform/context.ts";
import { inTransaction } from "../../platform/db/index.ts";
import { enqueue, type JobHandler } from "../../platform/jobs/index.ts";
import { parseTemplate } from "../../platform/ldap/index.ts";
import type { IdentityProviders } from "../providers/provider.ts";
import { isDirectory } from "./directory.ts";
import { dueSyncs } from "./runs.store.ts";
import { syncDirectory } from "./sync.ts";
import type { SyncParts } from "./sync-parts.ts";

export const SYNC_JOB = "directories.sync";

/** Enqueues a job for each directory whose sync is due. It runs each minute. */
export async function enqueueSyncs({ db }: Pick<SyncParts, "db">): Promise<void> {
  const now = clock.now();
  for (const { realm, alias, filter, full } of await dueSyncs(db, now)) {
    // A filter that finds one person by name, but not everyone, serves sign-ins only.
    if (filter !== null && parseTemplate(filter).all === null) continue;
    const job = { kind: SYNC_JOB, realm, payload: { alias, full }, dedupeKey: `${realm}/${alias}`, runAt: now, maxAttempts: 1 };
    await inTransaction(db, (tx) => enqueue(tx, job, now));
  }
}

export const syncJob = (parts: SyncParts & { providers: IdentityProviders }): JobHandler => ({
  async run({ realm, payload }) {
    const provider = (await parts.providers.get(realm!))?.byAlias.get(String(payload.alias));
    if (!provider?.enabled || !isDirectory(provider)) return;
    const options = { full: payload.full === true, dryRun: false, confirm: false, actor: systemActor(realm!), sourceIp: null };
    try {
      await syncDirectory(parts, provider, options);
    } catch (error) {
      // The run has recorded the error, and the next run starts on schedule.
      if (!(error instanceof AppError)) throw error;
    }
  },
});
