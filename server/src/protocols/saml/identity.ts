import type { SigningKey } from "../../platform/saml/index.ts";
import { samlSigningKey } from "../../tenancy/keys/index.ts";
import { unknownRealm } from "../../tenancy/realms/index.ts";
import { issuerOf } from "../tokens/index.ts";
import type { SamlParts } from "./parts.ts";

/** The paths below `/realms/{realm}`. */
export const PATHS = {
  metadata: "/saml/idp/metadata",
  sso: "/saml/idp/sso",
  continue: "/saml/idp/continue",
  start: "/saml/idp/start",
  consent: "/saml/idp/consent",
  artifact: "/saml/idp/artifact",
  slo: "/saml/idp/slo",
} as const;

/** Returns the entityID of a realm, which is its issuer. The endpoints are below it. */
export const entityIdOf = issuerOf;
export const endpointOf = (baseUrl: string, realm: string, path: keyof typeof PATHS): string => issuerOf(baseUrl, realm) + PATHS[path];

/** Returns the realm's current signing key. */
export async function signingKeyOf(parts: Pick<SamlParts, "signingKeys" | "realms">, realm: string): Promise<SigningKey> {
  const key = await samlSigningKey(parts, realm);
  if (!key) throw unknownRealm();
  return key;
}
