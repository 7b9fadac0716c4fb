import type { Place, Vault } from "../../kernel/vault.ts";
import type { ClientAuthMethod, ClientSnapshot } from "./snapshot.ts";

/** As the row holds them. */
export interface SealedSecrets {
  readonly secret: string | null;
  readonly previous_secret: string | null;
  readonly previous_secret_until: number | null;
}

export const noSecrets: SealedSecrets = { secret: null, previous_secret: null, previous_secret_until: null };

export const secretPlace = (realm: string, id: string, column: "secret" | "previous_secret"): Place => ({
  realm,
  table: "clients",
  column,
  row: id,
});

/** Whether a client that authenticates so has a secret that it shares with us. */
export const usesSecret = (method: ClientAuthMethod): boolean => method.startsWith("client_secret");

/** Opened, the present one first. When the one before it ends is told with it: what is opened here may be kept for longer. */
export function openSecrets(vault: Vault, realm: string, id: string, sealed: SealedSecrets): ClientSnapshot["secrets"] {
  const { secret, previous_secret, previous_secret_until } = sealed;
  const open = (text: string, column: "secret" | "previous_secret") => vault.open(text, secretPlace(realm, id, column));
  return [
    ...(secret === null ? [] : [{ value: open(secret, "secret"), until: null }]),
    ...(previous_secret === null ? [] : [{ value: open(previous_secret, "previous_secret"), until: previous_secret_until }]),
  ];
}
