import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import type { Core } from "./core.ts";
import { AppError } from "./kernel/errors.ts";
import { randomToken } from "./kernel/vault.ts";
import { openVault } from "./master-key.ts";
import { systemActor } from "./platform/context.ts";
import { createPasswordHasher, shippedBreaches } from "./platform/passwords/index.ts";
import { makeKeyPair } from "./tenancy/keys/index.ts";
import { createRealm, MASTER, prepareRealm, type RealmMaker, type RealmSeed } from "./tenancy/realms/index.ts";

export const PASSWORD_FILE = "initial-admin-password";
const DEMO = "demo";

export interface FirstStart {
  /** Null if a password was configured, so that none needs to be shown. */
  readonly generatedPassword: string | null;
  readonly passwordFile: string | null;
}

/** The part of the first start that needs no database: keys and password hashes, which take longest. */
export interface PreparedFirstStart {
  readonly seeds: readonly RealmSeed[];
  readonly generatedPassword: string | null;
}

export async function prepareFirstStart(config: Config, maker?: Omit<RealmMaker, "breaches">): Promise<PreparedFirstStart> {
  const parts = maker ?? { vault: await openVault(config), hasher: createPasswordHasher(), makeKeyPair };
  const generatedPassword = config.bootstrapAdminPassword === null ? randomToken().slice(0, 20) : null;
  const adminPassword = config.bootstrapAdminPassword ?? generatedPassword!;
  const breaches = shippedBreaches();
  const names = config.mode === "development" ? [MASTER, DEMO] : [MASTER];
  const made = await Promise.all(
    names.map((realm) => prepareRealm({ ...parts, breaches }, { realm, displayName: realm === DEMO ? "Demo" : null, adminPassword })),
  ).catch(nameTheSetting);
  return { seeds: made.map(({ seed }) => seed), generatedPassword };
}

/** Names the setting, because the operator has to know which password is meant. */
function nameTheSetting(error: unknown): never {
  if (!(error instanceof AppError && error.code.startsWith("password."))) throw error;
  throw new Error(`The password in GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD is not accepted. ${error.message}.`, { cause: error });
}

/** Creates `master` on an empty database, and in development a realm to try things in. Returns null if `master` already exists. */
export async function bootstrap(core: Core, prepared?: Promise<PreparedFirstStart>): Promise<FirstStart | null> {
  if (await core.realms.get(MASTER)) return null;
  const { config } = core;
  const { seeds, generatedPassword } = await (prepared ?? prepareFirstStart(config, core));

  const file = join(config.dataDir, PASSWORD_FILE);
  try {
    await core.work.transact({ realm: MASTER, actor: systemActor(MASTER), sourceIp: null }, async (ctx) => {
      for (const seed of seeds) await createRealm(ctx, seed);
      // The file is written before the commit: without it, no administrator could sign in.
      if (generatedPassword !== null) await writePassword(file, generatedPassword);
    });
  } catch (error) {
    // Another node was faster: the realm exists, with that node's password.
    if (error instanceof AppError && error.code === "realms.name_taken") {
      if (generatedPassword !== null && (await readFile(file, "utf8").catch(() => "")).trim() === generatedPassword)
        await rm(file, { force: true });
      return null;
    }
    throw error;
  }
  return { generatedPassword, passwordFile: generatedPassword === null ? null : file };
}

async function writePassword(file: string, password: string): Promise<void> {
  await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}
