import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Config } from "./config.ts";
import { createVault, masterKeyIdOf, randomToken, type Vault } from "./kernel/vault.ts";
import { type Db, inTransaction } from "./platform/db/index.ts";

const KEY_FILE = "master.key";

/** Opens the vault with the master key. The key is configured or, on the embedded database, a file beside it that the first start makes. */
export async function openVault(config: Config): Promise<Vault> {
  return createVault(config.masterKey ?? (await masterKeyFile(config)), config.masterKeyPrevious);
}

export const masterKeyPath = ({ dataDir }: Pick<Config, "dataDir">): string => join(dataDir, KEY_FILE);

async function masterKeyFile(config: Config): Promise<string> {
  const { dataDir } = config;
  const file = masterKeyPath(config);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) await keepWhole(file, `${randomBytes(32).toString("base64")}\n`);
  return readFile(file, "utf8");
}

/** Creates a complete file, unless another process was faster: a truncated key would make the data unreadable. */
async function keepWhole(file: string, content: string): Promise<void> {
  const draft = `${file}.${randomToken()}`;
  await writeFile(draft, content, { flag: "wx", mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft);
  }
}

const canaryPlace = { realm: "", table: "vault_canary", column: "sealed", row: "1" };

/**
 * Refuses to start with a key that does not open the content of the database, because sealing under it would lose data. Returns the id of the key that does.
 */
export async function checkVault(db: Db, vault: Vault): Promise<string> {
  const read = () => sql<{ sealed: string }>`select sealed from vault_canary`.execute(db);
  let [canary] = (await read()).rows;
  if (!canary) {
    const sealed = vault.seal("canary", canaryPlace);
    await inTransaction(db, (tx) => sql`insert into vault_canary (sealed) values (${sealed}) on conflict do nothing`.execute(tx));
    [canary] = (await read()).rows;
  }
  try {
    vault.open(canary!.sealed, canaryPlace);
  } catch (cause) {
    throw new Error(
      `The master key (id ${vault.keyId}) is not the one this database was written with. ` +
        "Set GATEHOUSE_MASTER_KEY to that one; to change keys, put the old one into GATEHOUSE_MASTER_KEY_PREVIOUS and run `gatehouse key rewrap`.",
      { cause },
    );
  }
  return masterKeyIdOf(canary!.sealed);
}
