import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { type BreachedPasswords, type PasswordHasher, passwordErrors } from "../../platform/passwords/index.ts";
import { checkPasswordPolicy, type Settings } from "../../tenancy/settings/index.ts";
import { credentialErrors } from "./errors.ts";
import { keepEarlierPassword, listEarlierPasswords } from "./history.store.ts";
import { findPassword, isFromDirectory, lockPassword, savePassword } from "./passwords.store.ts";

export interface PasswordParts {
  readonly hasher: PasswordHasher;
  readonly breaches: Pick<BreachedPasswords, "has">;
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
  /** How many of the last passwords the realm refuses. */
  readonly history: number;
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
export async function storePassword(ctx: Ctx, userId: string, { hash, replaces, history }: PreparedPassword): Promise<boolean> {
  if ((await lockPassword(ctx.tx, ctx.realm, userId)) !== replaces) return false;
  // The new one is the first of the history.
  await keepEarlierPassword(ctx.tx, ctx.realm, userId, replaces, history - 1, ctx.now);
  await savePassword(ctx.tx, ctx.realm, userId, hash, ctx.now);
  return true;
}

/** Whatever password there is goes to the history, as long as a realm can ask for; the next change leaves what this one asks for. */
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
