import { createPublicKey, type JsonWebKey } from "node:crypto";
import type { FieldError } from "../../kernel/errors.ts";
import { isAffordable, MAX_RSA_BITS } from "../../kernel/jws.ts";
import type { StoredClient } from "./schema.ts";

/** RFC 7518 §6: the members that only the owner of a key may know. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
const KEY_TYPES = ["RSA", "EC", "OKP"];
const METHODS_WITH_KEYS = ["private_key_jwt", "self_signed_tls_client_auth"];
const MIN_RSA_BITS = 2048;
const MAX_JWKS_CHARACTERS = 65_536;

export function keyErrors({ jwks, jwksUri, authMethod }: Pick<StoredClient, "jwks" | "jwksUri" | "authMethod">): FieldError[] {
  if (jwks !== null && jwksUri !== null)
    return [{ field: "jwksUri", code: "exclusive", message: "jwksUri and jwks cannot both be set: keep one of them" }];
  if (jwks === null && jwksUri === null)
    return METHODS_WITH_KEYS.includes(authMethod)
      ? [{ field: "jwks", code: "required", message: `jwks or jwksUri is needed for ${authMethod}: give the client's public keys` }]
      : [];
  if (jwks === null) return [];
  if (JSON.stringify(jwks).length > MAX_JWKS_CHARACTERS)
    return [{ field: "jwks", code: "too_long", message: `jwks must have at most ${MAX_JWKS_CHARACTERS} characters` }];
  return [...jwks.keys.flatMap((key, index) => errorsOf(key, `jwks.keys.${index}`)), ...repeatedIds(jwks.keys)];
}

function errorsOf(key: Record<string, unknown>, field: string): FieldError[] {
  const secret = PRIVATE_MEMBERS.filter((member) => Object.hasOwn(key, member));
  // The error names only the member: private key material must not be in a response, and must not be stored.
  if (secret.length > 0)
    return secret.map((member) => ({
      field: `${field}.${member}`,
      code: "private",
      message: `${field}.${member} is part of a private key: replace that key, and send the public part only`,
    }));
  if (!KEY_TYPES.includes(String(key.kty)))
    return [{ field: `${field}.kty`, code: "enum", message: `${field}.kty must be one of: ${KEY_TYPES.join(", ")}` }];
  const wrong = ["kid", "alg", "use"].filter((member) => key[member] !== undefined && typeof key[member] !== "string");
  if (wrong.length > 0)
    return wrong.map((member) => ({ field: `${field}.${member}`, code: "type", message: `${field}.${member} must be a string` }));
  return isUsable(key)
    ? []
    : [
        {
          field,
          code: "key",
          message: `${field} is not a usable public key (RSA of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits with a short exponent, EC or OKP)`,
        },
      ];
}

function isUsable(key: Record<string, unknown>): boolean {
  try {
    const imported = createPublicKey({ key: key as JsonWebKey, format: "jwk" });
    return isAffordable(imported) && (key.kty !== "RSA" || (imported.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS);
  } catch {
    return false; // A key with any fault cannot verify anything.
  }
}

/** Refuses a `kid` that is not unique, because two keys would be ambiguous. */
function repeatedIds(keys: readonly Record<string, unknown>[]): FieldError[] {
  const ids = keys.map(({ kid }) => kid);
  return keys.flatMap(({ kid }, index) =>
    kid !== undefined && ids.indexOf(kid) < index
      ? [{ field: `jwks.keys.${index}.kid`, code: "repeated", message: `jwks.keys.${index}.kid is that of another key` }]
      : [],
  );
}
