import { eherkenning } from "../eid/eherkenning-config.ts";
import { eidas } from "../eid/eidas-config.ts";
import { ad, ldap } from "../ldap/config.ts";
import { apple, facebook, github, gitlab, google, linkedin, microsoft, oauth2, oidc } from "../oidc/config.ts";
import { saml } from "../saml/config.ts";
import type { IdentityProviderProtocol } from "./protocol.ts";

/** Every kind of identity provider, by the value of `protocol`. A new one is a line here. */
export const protocols = {
  oidc,
  oauth2,
  google,
  github,
  microsoft,
  apple,
  gitlab,
  linkedin,
  facebook,
  saml,
  eherkenning,
  eidas,
  ldap,
  ad,
} satisfies Record<string, IdentityProviderProtocol>;

export type ProtocolName = keyof typeof protocols;

export function protocolOf(name: string): IdentityProviderProtocol {
  const known: Readonly<Record<string, IdentityProviderProtocol>> = protocols;
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!found) throw new Error(`This release has no identity provider protocol ${name}`);
  return found;
}
