import { disableFederatedUser } from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Db, inSavepoint } from "../../platform/db/index.ts";
import type { Directory } from "./directory.ts";
import { isDisabledBySync, type KnownEntry, knownEntries, presentAfter, saveEntry } from "./entries.store.ts";
import type { Owner } from "./runs.store.ts";

const BATCH = 5_000;
const AT_ONCE = 100;

/** This many users may always be missing at once. */
const FEW = 10;
const SHARE = 0.2;

/**
 * Returns the ids of users whose entries were present before the run and are missing now, and `known`, the number that were present. Users linked during the
 * run are ignored: their entries may be newer than the page that would contain them.
 */
export async function findMissing(
  db: Db,
  owner: Owner,
  startedAt: number,
  isMissing: (subject: string) => boolean,
): Promise<{ missing: string[]; known: number }> {
  const missing: string[] = [];
  let known = 0;
  for (let after = ""; ; ) {
    const batch = await presentAfter(db, owner, { after, linkedBefore: startedAt, limit: BATCH });
    known += batch.length;
    for (const subject of batch) if (isMissing(subject)) missing.push(subject);
    if (batch.length < BATCH) return { missing, known };
    after = batch.at(-1)!;
  }
}

/** Returns a warning, so that nobody is disabled, if many users are missing: a wrong search base or a lost permission of the bind DN looks the same. */
export function looksWrong(missing: number, known: number, seen: number): string | null {
  const asks = "No user was disabled. If they should be disabled, run the sync again with confirm=true.";
  if (seen === 0) return `The directory has no people, so all ${known} users would be gone. ${asks}`;
  return missing > FEW && missing > known * SHARE ? `${missing} of ${known} users are no longer in the directory. ${asks}` : null;
}

/** Disables the users and never deletes them. Returns how many it disabled, and the entries of users who could not be disabled. */
export async function disableMissing(
  transact: <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>,
  { provider }: Directory,
  missing: readonly string[],
): Promise<{ disabled: number; refused: { dn: string; message: string }[] }> {
  let disabled = 0;
  const refused: { dn: string; message: string }[] = [];
  for (let at = 0; at < missing.length; at += AT_ONCE) {
    const outcomes = await transact(async (ctx) => {
      const entries = await knownEntries(ctx.tx, { realm: ctx.realm, providerId: provider.providerId }, missing.slice(at, at + AT_ONCE));
      const found: { dn: string; outcome: boolean | string }[] = [];
      for (const entry of entries) found.push({ dn: entry.dn ?? "", outcome: await disable(ctx, entry) });
      return found;
    });
    for (const { dn, outcome } of outcomes) {
      if (typeof outcome === "string") refused.push({ dn, message: outcome });
      else if (outcome) disabled += 1;
    }
  }
  return { disabled, refused };

  async function disable(ctx: Ctx, entry: KnownEntry): Promise<boolean | string> {
    try {
      return await inSavepoint(ctx.tx, async () => {
        const owner = { realm: ctx.realm, providerId: provider.providerId };
        const wasOpen = await disableFederatedUser(ctx, entry.userId);
        const state = {
          subject: entry.subject,
          dn: entry.dn ?? "",
          fingerprint: "",
          groups: "",
          disabledBySync: wasOpen || ((await isDisabledBySync(ctx.tx, owner, entry.subject)) ?? entry.disabledBySync),
        };
        await saveEntry(ctx.tx, owner, state);
        return wasOpen;
      });
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  }
}
