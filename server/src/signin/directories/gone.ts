import { inSavepoint } from "../../directory/import/index.ts";
import { disableFederatedUser } from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Directory } from "./directory.ts";
import { type KnownEntry, knownEntriesAfter, saveEntry } from "./entries.store.ts";
import type { Owner } from "./runs.store.ts";

const BATCH = 1_000;
const AT_ONCE = 100;

/** Fewer than these may always vanish. */
const FEW = 10;
const SHARE = 0.2;

/** Those who were there at an earlier run and are no more. `known`: how many there were. */
export async function findGone(db: Db, owner: Owner, isGone: (subject: string) => boolean): Promise<{ gone: KnownEntry[]; known: number }> {
  const gone: KnownEntry[] = [];
  let known = 0;
  for (let after = ""; ; ) {
    const batch = await knownEntriesAfter(db, owner, after, BATCH);
    for (const entry of batch) {
      // Gone since an earlier run.
      if (entry.fingerprint === "") continue;
      known += 1;
      if (isGone(entry.subject)) gone.push(entry);
    }
    if (batch.length < BATCH) return { gone, known };
    after = batch.at(-1)!.subject;
  }
}

/** A wrong search base or a lost permission of the bind DN looks like everybody leaving: nobody is disabled for it. */
export function looksWrong(gone: number, known: number, seen: number): string | null {
  const asks = "Nobody was disabled. If that is right, run it again with confirm=true.";
  if (seen === 0) return `The directory shows nobody, so all ${known} users would be gone. ${asks}`;
  return gone > FEW && gone > known * SHARE ? `${gone} of ${known} users are no longer in the directory. ${asks}` : null;
}

/** Shuts them out, and never deletes them. Names those who could not be. */
export async function disableGone(
  transact: <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>,
  { provider }: Directory,
  gone: readonly KnownEntry[],
): Promise<{ disabled: number; refused: { dn: string; message: string }[] }> {
  let disabled = 0;
  const refused: { dn: string; message: string }[] = [];
  for (let at = 0; at < gone.length; at += AT_ONCE) {
    const outcomes = await transact(async (ctx) => {
      const told: (boolean | string)[] = [];
      for (const entry of gone.slice(at, at + AT_ONCE)) told.push(await disable(ctx, entry));
      return told;
    });
    for (const [i, outcome] of outcomes.entries()) {
      if (typeof outcome === "string") refused.push({ dn: gone[at + i]!.dn ?? "", message: outcome });
      else if (outcome) disabled += 1;
    }
  }
  return { disabled, refused };

  async function disable(ctx: Ctx, entry: KnownEntry): Promise<boolean | string> {
    try {
      return await inSavepoint(ctx.tx, async () => {
        const wasOpen = await disableFederatedUser(ctx, entry.userId);
        const state = {
          subject: entry.subject,
          dn: entry.dn ?? "",
          fingerprint: "",
          groups: "",
          disabledBySync: wasOpen || entry.disabledBySync,
        };
        await saveEntry(ctx.tx, { realm: ctx.realm, providerId: provider.providerId }, state);
        return wasOpen;
      });
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  }
}
