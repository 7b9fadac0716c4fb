import { createPrivateKey, type KeyObject } from "node:crypto";
import { createLru } from "../../kernel/lru.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { companionPlace } from "./companion.ts";
import { type Companion, findPrivateKey } from "./store.ts";

export interface DecryptionKeys {
  /** Returns the realm's decryption key `kid`, which may be a retained one. Returns null if there is no such key. */
  get(realm: string, kid: string): Promise<KeyObject | null>;
}

interface Parts {
  readonly db: Db;
  readonly vault: Vault;
  readonly realms: RealmCache<{ readonly companions: readonly Companion[] }>;
}

const MAX_KEPT = 1_000;

export function createDecryptionKeys({ db, vault, realms }: Parts): DecryptionKeys {
  const kept = createLru<KeyObject>(MAX_KEPT);
  return {
    async get(realm, kid) {
      const companions = (await realms.get(realm))?.companions ?? [];
      const found = companions.find(({ publicJwk }) => publicJwk.kid === kid && publicJwk.use === "enc");
      if (!found) return null;
      const name = `${realm}/${kid}`;
      const known = kept.get(name);
      if (known) return known;
      const sealed = await findPrivateKey(db, realm, found.keyId, "enc");
      if (sealed === null) return null;
      const pkcs8 = Buffer.from(vault.open(sealed, companionPlace(realm, found.keyId, "enc")), "base64");
      const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
      kept.set(name, key);
      return key;
    },
  };
}
