import { SIGNATURE_ALGORITHM, type SigningKey } from "../../platform/saml/index.ts";
import { unknownRealm } from "../../tenancy/realms/index.ts";
import { issuerOf } from "../tokens/index.ts";
import type { SamlParts } from "./parts.ts";

/** Below `/realms/{realm}`. */
export const PATHS = {
  metadata: "/saml/idp/metadata",
  sso: "/saml/idp/sso",
  continue: "/saml/idp/continue",
  start: "/saml/idp/start",
  consent: "/saml/idp/consent",
  artifact: "/saml/idp/artifact",
  slo: "/saml/idp/slo",
} as const;

/** The entityID of a realm is its issuer; its endpoints lie below it. */
export const entityIdOf = issuerOf;
export const endpointOf = (baseUrl: string, realm: string, path: keyof typeof PATHS): string => issuerOf(baseUrl, realm) + PATHS[path];

/** What the realm signs with at this moment: the key that signs its tokens, with its certificate. */
export async function signingKeyOf({ signingKeys, realms }: Pick<SamlParts, "signingKeys" | "realms">, realm: string): Promise<SigningKey> {
  const signer = await signingKeys.signer(realm, "RS256");
  const certificate = (await realms.get(realm))?.keys.find(({ keyId }) => keyId === signer?.kid)?.certificate;
  if (!signer || certificate === undefined) throw unknownRealm();
  return { algorithm: SIGNATURE_ALGORITHM.RS256, certificate, sign: (data) => signer.sign(data) };
}
