import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/index.ts";
import { type BreachedPasswords, type PasswordHasher, passwordErrors } from "../../platform/passwords/index.ts";
import { checkPasswordPolicy, type Settings } from "../../tenancy/settings/index.ts";
import { credentialErrors } from "./errors.ts";
import { keepEarlierPassword, listEarlierPasswords } from "./history.store.ts";
import { findPassword, isFromDirectory, lockPassword, savePassword } from "./passwords.store.ts";

export interface PasswordParts {
  readonly hasher: PasswordHasher;
  readonly breaches: Pick<BreachedPasswords, "has">;
  /** Left out where only local users get a password: those of directories are refused. */
  readonly directoryPasswords?: DirectoryPasswords;
}

/** Passwords that directories keep, and whether they take new ones from here. */
export interface DirectoryPasswords {
  /** `local`: the password is stored here. */
  modeOf(realm: string, userId: string): Promise<"local" | "read-only" | "writable">;
  /**
   * Writes a new password into the user's directory. `current` is proven first, and the entry changes its own password; null resets it with the
   * rights of the service account. Throws what a person can be shown.
   */
  write(realm: string, userId: string, password: { readonly next: string; readonly current: string | null }): Promise<WrittenPassword>;
}

/** A password that the user's directory has accepted: only its record is left to be written. */
export interface WrittenPassword {
  /** In the transaction that records it. Until then a job waits that would record it instead. */
  recorded(tx: Tx): Promise<void>;
}

type Policy = Settings["passwordPolicy"];
/** Without an id: a new user. */
interface Owner {
  readonly userId: string | null;
  readonly username: string;
  readonly email: string | null;
}
const LONGEST_HISTORY = 24;

/** A password that may be stored, as long as the one it replaces is still there. */
export interface PreparedPassword {
  readonly hash: string;
  readonly replaces: string | null;
  /** The realm refuses this many of the last passwords. */
  readonly history: number;
}

/**
 * A new password of a user who is here. A local user's password is prepared; a directory user's is written there at once, since that is slow and
 * cannot be undone: everything that may refuse the change comes before. The realm's rules apply to both, its history to local ones alone.
 */
export async function prepareReplacement(
  reading: Pick<ReadCtx, "tx" | "realm">,
  parts: PasswordParts,
  policy: Policy,
  owner: Owner & { readonly userId: string },
  { next, current }: { readonly next: string; readonly current: string | null },
): Promise<PreparedPassword | WrittenPassword> {
  const mode = (await parts.directoryPasswords?.modeOf(reading.realm, owner.userId)) ?? "local";
  if (mode === "local") return preparePassword(reading, parts, policy, owner, next);
  if (mode === "read-only") throw credentialErrors.password_elsewhere();
  checkPasswordPolicy(policy, next, owner);
  if (policy.breachCheck && (await parts.breaches.has(next))) throw passwordErrors.breached();
  return parts.directoryPasswords!.write(reading.realm, owner.userId, { next, current });
}

/** Everything slow about a new password, before its transaction: the policy, then what the user had before, then what has leaked. */
export async function preparePassword(
  { tx, realm }: Pick<ReadCtx, "tx" | "realm">,
  { hasher, breaches }: PasswordParts,
  policy: Policy,
  owner: Owner,
  password: string,
  /** The member that a refusal names. */
  field?: string,
): Promise<PreparedPassword> {
  const { userId } = owner;
  if (userId !== null && (await isFromDirectory(tx, realm, userId))) throw credentialErrors.password_elsewhere();
  checkPasswordPolicy(policy, password, owner, field);
  const { history } = policy;
  const current = userId === null ? null : await findPassword(tx, realm, userId);
  if (userId !== null && history > 0) {
    const present = current ? [current.hash] : [];
    const earlier = await listEarlierPasswords(tx, realm, userId, history - present.length);
    // Sequential: a long history must not occupy all hashing slots.
    for (const hash of [...present, ...earlier]) if (await hasher.verify(hash, password)) throw passwordErrors.history(history, field);
  }
  if (policy.breachCheck && (await breaches.has(password))) throw passwordErrors.breached(field);
  return { hash: await hasher.hash(password), replaces: current?.hash ?? null, history };
}

/**
 * Stores it and keeps the one before for the history. False, with nothing written, when the password is not the one any more that it
 * was compared with: then it has to be prepared anew. The caller holds the user's row.
 */
export async function storePassword(ctx: Ctx, userId: string, prepared: PreparedPassword | WrittenPassword): Promise<boolean> {
  if ("recorded" in prepared) {
    await prepared.recorded(ctx.tx);
    return true;
  }
  const { hash, replaces, history } = prepared;
  // They may have moved to a directory since it was prepared.
  if (await isFromDirectory(ctx.tx, ctx.realm, userId)) throw credentialErrors.password_elsewhere();
  if ((await lockPassword(ctx.tx, ctx.realm, userId)) !== replaces) return false;
  // The new one is the first of the history.
  await keepEarlierPassword(ctx.tx, ctx.realm, userId, replaces, history - 1, ctx.now);
  await savePassword(ctx.tx, ctx.realm, userId, hash, ctx.now);
  return true;
}

/** The present password goes to the history, as long as a realm can ask for; the next change leaves what this one asks for. */
export async function replacePassword(ctx: Ctx, userId: string, hash: string): Promise<void> {
  if (await isFromDirectory(ctx.tx, ctx.realm, userId)) throw credentialErrors.password_elsewhere();
  const replaced = await lockPassword(ctx.tx, ctx.realm, userId);
  await keepEarlierPassword(ctx.tx, ctx.realm, userId, replaced, LONGEST_HISTORY - 1, ctx.now);
  await savePassword(ctx.tx, ctx.realm, userId, hash, ctx.now);
}

const TRIES = 3;

/** Prepares and stores, and retries if the password has changed meanwhile. */
export async function untilStored(attempt: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) if (await attempt()) return;
  throw credentialErrors.password_changed();
}
