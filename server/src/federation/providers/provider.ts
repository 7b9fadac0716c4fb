import type { RealmCache } from "../../platform/cache/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { EntityMetadata } from "../../platform/saml/index.ts";
import type { MapperState } from "./mappers.schema.ts";

export type Config = Readonly<Record<string, unknown>>;

/** A provider in the form that protocols use, with its defaults filled in and its secrets opened. */
export interface OpenProvider {
  readonly realm: string;
  /** The id of this record. A later record of the same alias has another id. */
  readonly providerId: string;
  readonly alias: string;
  readonly protocol: string;
  readonly displayName: string;
  /** The version grows with every change. Connections and documents of a provider are cached for one version only. */
  readonly version: number;
  readonly config: Config;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A fault of one member, described for the administrator who saves it. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
  /** True if the fault does no harm in a disabled provider. Such a fault does not prevent saving the provider as disabled. */
  readonly onlyWhenEnabled?: true;
}

/** The part of a SAML provider's metadata that is used, as plain JSON for storage. */
export interface ReadMetadata {
  readonly entityId: string;
  readonly validUntil: number | null;
  readonly cacheDuration: number | null;
  readonly idp: NonNullable<EntityMetadata["idp"]>;
}

export interface CheckTools {
  readonly outbound: Outbound;
  readonly baseUrl: string;
}

/** An immutable snapshot of a provider for sign-ins. */
export interface ProviderSnapshot extends OpenProvider {
  readonly enabled: boolean;
  readonly mappers: readonly MapperState[];
  /** True if enabled organizations name it as their provider: users who sign in by it may become members. */
  readonly isOfOrganizations: boolean;
}

/** The button of a provider on the sign-in page. */
export interface ProviderButton {
  readonly alias: string;
  readonly protocol: string;
  readonly displayName: string;
  readonly logoUri: string | null;
}

export interface ProvidersSnapshot {
  readonly configVersion: number;
  /** Providers of later releases are left out: this release does not know their protocol. */
  readonly byAlias: ReadonlyMap<string, ProviderSnapshot>;
  /** Enabled providers that are not hidden, in order. A page shows `MAX_BUTTONS` of them. */
  readonly buttons: readonly ProviderButton[];
  /** The providers that name a domain in their own configuration. */
  readonly byDomain: ReadonlyMap<string, string>;
  /** True if domains of organizations lead to a provider. */
  readonly isOfOrganizations: boolean;
  /** True if any domain leads to a provider, by the provider's own configuration or by an organization's. */
  readonly leadsHome: boolean;
}

export type IdentityProviders = RealmCache<ProvidersSnapshot>;
