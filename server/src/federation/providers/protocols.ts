import type { Broker } from "../brokers/broker.ts";
import { eherkenning } from "../eid/eherkenning.ts";
import { eidas } from "../eid/eidas.ts";
import { ad, ldap } from "../ldap/config.ts";
import { apple } from "../oidc/presets/apple.ts";
import { discord } from "../oidc/presets/discord.ts";
import { facebook } from "../oidc/presets/facebook.ts";
import { github } from "../oidc/presets/github.ts";
import { gitlab } from "../oidc/presets/gitlab.ts";
import { google } from "../oidc/presets/google.ts";
import { linkedin } from "../oidc/presets/linkedin.ts";
import { microsoft } from "../oidc/presets/microsoft.ts";
import { oauth2 } from "../oidc/presets/oauth2.ts";
import { oidc } from "../oidc/presets/oidc.ts";
import { saml } from "../saml/config.ts";
import type { IdentityProviderProtocol } from "./protocol.ts";

/** All kinds of identity providers, by the value of `protocol`. A new one is a line here. */
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
  discord,
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

/** Returns null for a directory, and for a protocol of another release. */
export const brokerOf = (protocol: string): Broker | null => (isKnown(protocol) ? (protocolOf(protocol).broker ?? null) : null);

export const markOf = (protocol: string) => (isKnown(protocol) ? protocolOf(protocol).mark : undefined);

const isKnown = (protocol: string): boolean => Object.hasOwn(protocols, protocol);
