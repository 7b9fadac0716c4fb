import { upgradePassword } from "../../directory/credentials/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { PasswordHasher } from "../../platform/passwords/index.ts";

/** A password that was right, and whose hash could be better. */
export interface Upgrade {
  readonly realm: string;
  readonly userId: string;
  readonly password: string;
  /** The hash that the password was checked against. */
  readonly checked: string;
}

/**
 * Replaces old hashes after their owner has signed in, without letting them wait. A hash that is not replaced here, because the server is
 * busy or stops, is replaced at the next sign-in.
 */
export interface PasswordUpgrades {
  soon(upgrade: Upgrade): void;
  /** Resolves when no upgrade is running. */
  settled(): Promise<void>;
}

export function createPasswordUpgrades({
  db,
  hasher,
  log,
}: {
  readonly db: Db;
  readonly hasher: PasswordHasher;
  readonly log: { info(fields: object, message: string): void };
}): PasswordUpgrades {
  const running = new Map<string, Promise<void>>();

  const run = async ({ realm, userId, password, checked }: Upgrade): Promise<void> => {
    try {
      // Only the hash that was checked is replaced, so a newer password is kept.
      await upgradePassword(db, realm, userId, checked, await hasher.hash(password));
    } catch (err) {
      log.info({ err, realm, userId }, "a password keeps its old hash for now; the next sign-in replaces it");
    }
  };

  return {
    soon(upgrade) {
      const key = `${upgrade.realm}/${upgrade.userId}`;
      // Ten concurrent sign-ins need one new hash.
      if (running.has(key)) return;
      running.set(
        key,
        run(upgrade).finally(() => running.delete(key)),
      );
    },
    async settled() {
      await Promise.all(running.values());
    },
  };
}
