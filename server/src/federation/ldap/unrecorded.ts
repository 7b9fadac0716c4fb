import { readUser } from "../../directory/users/index.ts";
import { MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { systemActor } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/index.ts";
import { cancelJob, enqueue, type JobHandler } from "../../platform/jobs/index.ts";
import type { DirectoryParts } from "./own-entry.ts";

export const UNRECORDED_JOB = "directories.password-unrecorded";
/** Longer than a directory may take to answer, and the transaction after it. */
const PATIENCE = 2 * MINUTE;

/**
 * A directory cannot roll a password back, so the write comes before the transaction that records it. This job is committed before the write and
 * cancelled by that transaction: if the write got no answer, or this server ended, the job records that the password may have changed.
 */
export async function expectRecord(
  { work }: Pick<DirectoryParts, "work">,
  { realm, userId, source }: { readonly realm: string; readonly userId: string; readonly source: string },
): Promise<(tx: Tx) => Promise<void>> {
  const id = newId();
  await work.transact({ realm, actor: systemActor(realm, source), sourceIp: null }, ({ tx, now }) =>
    enqueue(tx, { id, kind: UNRECORDED_JOB, realm, payload: { userId, source }, runAt: now + PATIENCE }, now),
  );
  return (tx) => cancelJob(tx, id);
}

/** Ends the user's sessions as a change of the password does: a needless end does less harm than a session that was begun with the old one. */
export const unrecordedJob = ({ work }: Pick<DirectoryParts, "work">): JobHandler => ({
  async run({ realm, payload }) {
    const [userId, source] = [String(payload.userId), String(payload.source)];
    await work.transact({ realm: realm!, actor: systemActor(realm!, source), sourceIp: null }, async (ctx) => {
      const user = await readUser(ctx, userId).catch(() => null);
      if (!user) return;
      await ctx.emit("user.password_changed", { userId, keepSession: null });
      const detail = `${source} may have taken a new password: its answer, or the record of the change, is missing`;
      ctx.audit({ category: "SECURITY", type: "PASSWORD_CHANGED", outcome: "FAILURE", resourceType: "users", resourceId: userId, detail });
    });
  },
});
