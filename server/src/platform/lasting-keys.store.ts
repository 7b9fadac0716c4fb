import { createSecretKey, type KeyObject } from "node:crypto";
import { sql } from "kysely";
import type { Vault } from "../kernel/vault.ts";
import type { Db, Tx } from "./db/index.ts";

// Keys of hashes that are compared for years. They are derived from the master key once and stored sealed under it, so that they outlive its change.

interface LastingKeysTable {
  purpose: string;
  sealed: string;
}

declare module "./db/tables.ts" {
  interface Tables {
    lasting_keys: LastingKeysTable;
  }
}

const purposes = ["directory-erasures", "scim-target-digests"] as const;
type Purpose = (typeof purposes)[number];

const placeOf = (purpose: string) => ({ realm: "", table: "lasting_keys", column: "sealed", row: purpose });

/** Stores missing keys, at each start. `masterKeyId` names the master key that the database is sealed under, from which earlier releases made their hashes. */
export async function keepLastingKeys(tx: Tx, vault: Vault, masterKeyId: string): Promise<void> {
  for (const purpose of purposes) {
    const sealed = vault.seal(vault.derive(purpose, masterKeyId).export().toString("base64"), placeOf(purpose));
    await sql`insert into lasting_keys (purpose, sealed) values (${purpose}, ${sealed}) on conflict do nothing`.execute(tx);
  }
}

/** A vault belongs to one database, where a key never changes, so each key is read once. */
const opened = new WeakMap<Vault, Map<Purpose, KeyObject>>();

export async function lastingKey(db: Db, vault: Vault, purpose: Purpose): Promise<KeyObject> {
  const known = opened.get(vault) ?? new Map<Purpose, KeyObject>();
  opened.set(vault, known);
  const key = known.get(purpose) ?? (await readKey(db, vault, purpose));
  known.set(purpose, key);
  return key;
}

async function readKey(db: Db, vault: Vault, purpose: Purpose): Promise<KeyObject> {
  const { sealed } = await db.selectFrom("lasting_keys").select("sealed").where("purpose", "=", purpose).executeTakeFirstOrThrow();
  return createSecretKey(vault.open(sealed, placeOf(purpose)), "base64");
}
