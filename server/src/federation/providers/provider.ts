import type { RealmCache } from "../../platform/cache/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { EntityMetadata } from "../../platform/saml/index.ts";
import type { MapperState } from "./mappers.schema.ts";

export type Config = Readonly<Record<string, unknown>>;

/** A provider as protocols see it: defaults filled in, secrets opened. */
export interface OpenProvider {
  readonly realm: string;
  /** The id of this record: a later one of the same alias has another. */
  readonly providerId: string;
  readonly alias: string;
  readonly protocol: string;
  readonly displayName: string;
  /** Grows with every change: connections and documents of a provider are cached for one version only. */
  readonly version: number;
  readonly config: Config;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A fault of one member, in words for the administrator who saves it. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
  /** The fault does no harm in a disabled provider, so it does not keep one from being disabled. */
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

/** A provider as sign-ins need it, read once and never changed. */
export interface ProviderSnapshot extends OpenProvider {
  readonly enabled: boolean;
  readonly mappers: readonly MapperState[];
  /** Enabled organizations name it as theirs: who comes by it may become a member. */
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
  /** Enabled providers that are not hidden, in their order. A page shows `MAX_BUTTONS` of them. */
  readonly buttons: readonly ProviderButton[];
  /** The providers that name a domain in their own configuration. */
  readonly byDomain: ReadonlyMap<string, string>;
  /** Domains of organizations lead to some provider. */
  readonly isOfOrganizations: boolean;
  /** Domains lead to some provider: by its own configuration, or by an organization's. */
  readonly leadsHome: boolean;
}

export type IdentityProviders = RealmCache<ProvidersSnapshot>;
