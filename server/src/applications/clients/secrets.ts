import type { FieldError } from "../../kernel/errors.ts";
import { type Place, safeEqual, type Vault } from "../../kernel/vault.ts";
import type { ClientAuthMethod, ClientSettings } from "./schema.ts";
import type { ClientSnapshot } from "./snapshot.ts";

/** The sealed secrets of the row. */
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

/** Tells whether a client with this authentication method has a shared secret. */
export const usesSecret = (method: ClientAuthMethod): boolean => method.startsWith("client_secret");

/** Decrypts the secrets, the current one first. Each has its end, because the result may be cached beyond it. */
export function openSecrets(vault: Vault, realm: string, id: string, sealed: SealedSecrets): ClientSnapshot["secrets"] {
  const { secret, previous_secret, previous_secret_until } = sealed;
  const open = (text: string, column: "secret" | "previous_secret") => vault.open(text, secretPlace(realm, id, column));
  return [
    ...(secret === null ? [] : [{ value: open(secret, "secret"), until: null }]),
    ...(previous_secret === null ? [] : [{ value: open(previous_secret, "previous_secret"), until: previous_secret_until }]),
  ];
}

const MIN_DISTINCT = 8;
/** RFC 7518 §3.2: a key of HS256 is no shorter than its hash. */
const MIN_SIGNING_LENGTH = 32;

/** Checks the rules that a schema cannot express, for the secret in a request or the one that the client keeps. */
export function secretErrors(
  brought: string | undefined,
  kept: string | null,
  clientId: string,
  { authMethod, requestObjectAlg }: Pick<ClientSettings, "authMethod" | "requestObjectAlg">,
): FieldError[] {
  const error = (code: string, message: string): FieldError[] => [{ field: "secret", code, message: `secret: ${message}` }];
  if (!usesSecret(authMethod))
    return brought === undefined
      ? []
      : error("unexpected", "a client that is public, or authenticates with keys or a certificate, has none");
  const secret = brought ?? kept;
  if (secret === null) return [];
  if (brought !== undefined && (new Set(brought).size < MIN_DISTINCT || brought.toLowerCase() === clientId.toLowerCase()))
    return error("weak", `choose one at random: it needs ${MIN_DISTINCT} different characters at least, and is not the client id`);
  const signs = authMethod === "client_secret_jwt" || requestObjectAlg?.startsWith("HS");
  if (signs && secret.length < MIN_SIGNING_LENGTH)
    return error("short", `signing with HMAC needs ${MIN_SIGNING_LENGTH} characters at least: send a longer one with this request`);
  return [];
}

/** Tells whether two states of a client's secret are the same. */
export const isSameSecret = (a: string | null, b: string | null): boolean => (a === null || b === null ? a === b : safeEqual(a, b));
