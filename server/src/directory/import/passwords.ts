import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { type CheckedRow, faultOfError, isReady, type ReadyRow } from "./row.ts";

/** Turns a plain password into its hash, off the main thread, or refuses it by the realm's rules with an AppError. */
export type HashPassword = (password: string, owner: { readonly username: string; readonly email: string | null }) => Promise<string>;

/** Leaves cores for sign-ins. */
const AT_ONCE = 2;

/** Replaces the passwords of these rows by their hashes; a password that the rules refuse makes its row a refused one. */
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

/** If the hash queue is full, the import waits: sign-ins come first. */
async function patiently(hash: () => Promise<string>): Promise<string> {
  for (;;) {
    try {
      return await hash();
    } catch (error) {
      if (!(error instanceof AppError && error.status === 503)) throw error;
      await sleep(SECOND);
    }
  }
}
