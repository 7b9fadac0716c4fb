import type { Place, Vault } from "../../kernel/vault.ts";

export const secretPlace = (realm: string, targetId: string): Place => ({ realm, table: "scim_targets", column: "secret", row: targetId });

export const openSecret = (vault: Vault, realm: string, targetId: string, sealed: string): string =>
  vault.open(sealed, secretPlace(realm, targetId));
