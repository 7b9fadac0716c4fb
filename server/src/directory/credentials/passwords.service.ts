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
  /** Left out where only local users can get a password: users of directories are refused. */
  readonly directoryPasswords?: DirectoryPasswords;
}

/** Access to passwords that directories keep. */
export interface DirectoryPasswords {
  /** Tells where the user's password is kept; `local` means here. */
  modeOf(realm: string, userId: string): Promise<"local" | "read-only" | "writable">;
  /**
   * Writes a new password into the user's directory. With `current`, which is checked first, the entry changes its own password; null resets it with
   * the rights of the service account. Throws errors that may be shown to a person.
   */
  write(realm: string, userId: string, password: { readonly next: string; readonly current: string | null }): Promise<WrittenPassword>;
}

/** A password that the user's directory has accepted. Only its record is still to be written. */
export interface WrittenPassword {
  /** Called in the transaction that records the password. Until then, a waiting job would record it instead. */
  recorded(tx: Tx): Promise<void>;
}

type Policy = Settings["passwordPolicy"];
/** The owner of a password; `userId` is null for a new user. */
interface Owner {
  readonly userId: string | null;
  readonly username: string;
  readonly email: string | null;
}
const LONGEST_HISTORY = 24;

/** A password that may be stored as long as the password that it replaces is still the present one. */
export interface PreparedPassword {
  readonly hash: string;
  readonly replaces: string | null;
  /** The realm refuses this many of the last passwords. */
  readonly history: number;
}

/**
 * Prepares a new password of an existing user. A directory user's password is written to the directory at once, because that is slow and cannot be
 * undone: everything that may refuse the change comes before. The realm's rules apply to both kinds of users, its history to local users alone.
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

/** Does everything slow before the transaction: checks the policy, the user's earlier passwords and leaked passwords, in this order, and hashes. */
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
    // They are compared one by one: a long history must not occupy all hashing slots.
    for (const hash of [...present, ...earlier]) if (await hasher.verify(hash, password)) throw passwordErrors.history(history, field);
  }
  if (policy.breachCheck && (await breaches.has(password))) throw passwordErrors.breached(field);
  return { hash: await hasher.hash(password), replaces: current?.hash ?? null, history };
}

/**
 * Stores a prepared password and moves the present one to the history. Returns false, with nothing written, if another password was set since it was
 * prepared: then it has to be prepared anew. The caller holds the user's row.
 */
export async function storePassword(ctx: Ctx, userId: string, prepared: PreparedPassword | WrittenPassword): Promise<boolean> {
  if ("recorded" in prepared) {
    await prepared.recorded(ctx.tx);
    return true;
  }
  const { hash, replaces, history } = prepared;
  // The user may have moved to a directory since the password was prepared.
  if (await isFromDirectory(ctx.tx, ctx.realm, userId)) throw credentialErrors.password_elsewhere();
  if ((await lockPassword(ctx.tx, ctx.realm, userId)) !== replaces) return false;
  // The new password counts as one of the history.
  await keepEarlierPassword(ctx.tx, ctx.realm, userId, replaces, history - 1, ctx.now);
  await savePassword(ctx.tx, ctx.realm, userId, hash, ctx.now);
  return true;
}

/** Replaces a password by a hash. The history keeps as many as any realm can ask for; the next change keeps as many as this realm asks for. */
export async function replacePassword(ctx: Ctx, userId: string, hash: string): Promise<void> {
  if (await isFromDirectory(ctx.tx, ctx.realm, userId)) throw credentialErrors.password_elsewhere();
  const replaced = await lockPassword(ctx.tx, ctx.realm, userId);
  await keepEarlierPassword(ctx.tx, ctx.realm, userId, replaced, LONGEST_HISTORY - 1, ctx.now);
  await savePassword(ctx.tx, ctx.realm, userId, hash, ctx.now);
}

const TRIES = 3;

/** Prepares and stores a password. Retries if the present password has changed meanwhile. */
export async function untilStored(attempt: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) if (await attempt()) return;
  throw credentialErrors.password_changed();
}
