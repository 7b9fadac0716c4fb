import { readUser } from "../../directory/users/index.ts";
import { MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { systemActor } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/index.ts";
import { cancelJob, enqueue, type JobHandler } from "../../platform/jobs/index.ts";
import type { DirectoryParts } from "./own-entry.ts";

export const UNRECORDED_JOB = "directories.password-unrecorded";
/** A time that is longer than the directory's answer and the transaction after it may take. */
const PATIENCE = 2 * MINUTE;

/**
 * Prepares the record of a password change. A directory cannot roll a password back, so the write precedes the transaction that records it. This job is
 * committed before the write, and that transaction cancels it. If the write gets no answer, or this server stops, the job records that the password may have
 * changed.
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

/** Ends the user's sessions, like a password change. An unnecessary end does less harm than a session that was begun with the old password. */
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
