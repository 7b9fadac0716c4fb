import { CompactEncrypt, importJWK, type JWK } from "jose";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";
import { isEncryptionKey } from "../../tenancy/keys/index.ts";
import type { IssuerParts } from "./parts.ts";

type Encrypted = "idToken" | "userinfo" | "authorization" | "introspection";

/** Tells whether the client is configured to get this encrypted. */
export const isEncrypted = ({ settings }: ClientSnapshot, what: Encrypted): boolean => settings[`${what}EncryptedResponseAlg`] !== null;

/** RFC 7516: encrypts to a key of the client, if configured. A signed token becomes a nested JWT (RFC 7519 §11.2). */
export async function encryptedFor(
  { clientKeys }: Pick<IssuerParts, "clientKeys">,
  client: ClientSnapshot,
  what: Encrypted,
  content: string,
  { isJwt = true }: { readonly isJwt?: boolean } = {},
): Promise<string> {
  const alg = client.settings[`${what}EncryptedResponseAlg`];
  if (alg === null) return content;
  const fitting = () => clientKeys.known(client).find((key) => isEncryptionKey({ ...key }, alg));
  // Fetches jwksUri again if the cached keys are stale: a client rotates its keys there.
  await clientKeys.refresh(client).catch(() => false);
  const key: JWK | undefined = fitting();
  if (!key) throw new OAuthError("invalid_request", `the client has published no key that ${alg} encrypts to`);
  const enc = client.settings[`${what}EncryptedResponseEnc`] ?? "A128CBC-HS256";
  return new CompactEncrypt(Buffer.from(content))
    .setProtectedHeader({ alg, enc, ...(key.kid !== undefined && { kid: key.kid }), ...(isJwt && { cty: "JWT" }) })
    .encrypt(await importJWK(key, alg));
}
