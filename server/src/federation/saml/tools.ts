import type { Vault } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { SigningKeys } from "../../tenancy/keys/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { createSamlUpstreams, type SamlUpstreams } from "./upstreams.ts";

/** The dependencies of a realm as a service provider. */
export interface SamlTools {
  readonly baseUrl: string;
  readonly db: Db;
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly realms: RealmSnapshots;
  readonly signingKeys: SigningKeys;
  readonly upstreams: SamlUpstreams;
}

export const createSamlTools = (parts: Omit<SamlTools, "upstreams">): SamlTools => ({ ...parts, upstreams: createSamlUpstreams(parts) });

type Named = Pick<ProviderSnapshot, "realm" | "alias" | "config">;

/** Returns the address below which the endpoint, the metadata and the logout of a provider are. */
const brokerUrl = (baseUrl: string, { realm, alias }: Named) => `${baseUrl}/realms/${realm}/broker/${encodeURIComponent(alias)}`;

/** The entity ID of this realm for the provider. */
export const spEntityIdOf = (baseUrl: string, provider: Named): string =>
  typeof provider.config.spEntityId === "string" ? provider.config.spEntityId : brokerUrl(baseUrl, provider);

/** The address that the provider sends its responses to. */
export const consumerOf = (baseUrl: string, provider: Named): string =>
  typeof provider.config.assertionConsumerServiceUrl === "string"
    ? provider.config.assertionConsumerServiceUrl
    : `${brokerUrl(baseUrl, provider)}/endpoint`;

export const logoutServiceOf = (baseUrl: string, provider: Named): string => `${brokerUrl(baseUrl, provider)}/slo`;
