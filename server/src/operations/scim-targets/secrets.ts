import type { KeyObject } from "node:crypto";
import type { Place, Vault } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import { lastingKey } from "../../platform/lasting-keys.store.ts";

export const secretPlace = (realm: string, targetId: string): Place => ({ realm, table: "scim_targets", column: "secret", row: targetId });

export const openSecret = (vault: Vault, realm: string, targetId: string, sealed: string): string =>
  vault.open(sealed, secretPlace(realm, targetId));

/** With another key everything would differ from what was sent: all of it would go out again, and long deactivated accounts would count as a mass that leaves. */
export const digestKey = (db: Db, vault: Vault): Promise<KeyObject> => lastingKey(db, vault, "scim-target-digests");
