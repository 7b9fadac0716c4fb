import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import type { ReadCtx } from "../../platform/context.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { type PasswordParts, preparePassword } from "../credentials/index.ts";
import { type CheckedRow, faultOfError, isReady, type ReadyRow } from "./row.ts";

/**
 * Turns a plain password into its hash, off the main thread, or refuses it by the realm's rules with an AppError. Null: the user comes without a
 * password.
 */
export type HashPassword = (
  password: string,
  owner: { readonly username: string; readonly email: string | null },
) => Promise<string | null>;

/** Returns a function that hashes by the rules of the realm. A dry run checks the rules without hashing. */
export function hashingFor(
  read: <T>(work: (ctx: ReadCtx) => Promise<T>) => Promise<T>,
  { hasher, breaches }: PasswordParts,
  policy: Settings["passwordPolicy"],
  dryRun: boolean,
): HashPassword {
  const parts = { hasher: dryRun ? { ...hasher, hash: async () => "" } : hasher, breaches };
  return (password, owner) => read(async (ctx) => (await preparePassword(ctx, parts, policy, { userId: null, ...owner }, password)).hash);
}

/** Few at once, which leaves cores for sign-ins. */
const AT_ONCE = 2;

/** Hashes the passwords of these rows. A password that the rules refuse makes its row a refused one. */
export async function hashPasswords(rows: readonly CheckedRow[], hash: HashPassword): Promise<CheckedRow[]> {
  const done = [...rows];
  const open = rows.entries();
  const work = async () => {
    for (const [index, row] of open)
      if (isReady(row) && row.user.password !== undefined) done[index] = await hashed(row, row.user.password, hash);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return done;
}

async function hashed(row: ReadyRow, password: string, hash: HashPassword): Promise<CheckedRow> {
  const { username, email = null } = row.user;
  try {
    return { ...row, passwordHash: await patiently(() => hash(password, { username, email })) };
  } catch (error) {
    return { row: row.row, line: row.line, fault: faultOfError(error) };
  }
}

/** Retries while the hash queue is full: sign-ins come first. */
async function patiently<T>(hash: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await hash();
    } catch (error) {
      if (!(error instanceof AppError && error.status === 503)) throw error;
      await sleep(SECOND);
    }
  }
}
