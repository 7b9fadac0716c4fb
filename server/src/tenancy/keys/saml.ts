import type { RealmCache } from "../../platform/cache/index.ts";
import { SIGNATURE_ALGORITHM, type SigningKey } from "../../platform/saml/index.ts";
import type { RealmKey } from "./schema.ts";
import type { SigningKeys } from "./signing.ts";

interface Parts {
  readonly signingKeys: SigningKeys;
  readonly realms: RealmCache<{ readonly configVersion: number; readonly keys: readonly RealmKey[] }>;
}

/** The realm's current key for SAML messages: the key that signs its tokens, with its certificate. Null: no such realm. */
export async function samlSigningKey(
  { signingKeys, realms }: Parts,
  realm: string,
  alg: "RS256" | "PS256" = "RS256",
): Promise<SigningKey | null> {
  const signer = await signingKeys.signer(realm, alg);
  const certificate = (await realms.get(realm))?.keys.find(({ keyId }) => keyId === signer?.kid)?.certificate;
  if (!signer || certificate === undefined) return null;
  return { algorithm: SIGNATURE_ALGORITHM[alg], certificate, sign: (data) => signer.sign(data) };
}
