import type { Endpoint, IndexedEndpoint, VerificationKey } from "../../platform/saml/index.ts";
import type { ClaimMapper } from "../claims/index.ts";
import type { StoredOptions } from "./schema.ts";

/** The format of a NameID. `email` and the other short names stand for the URNs of SAML. */
export type NameIdKind = NonNullable<StoredOptions["nameIdFormat"]>;

/** A mapper whose value becomes an attribute of the assertion. */
export interface SamlMapper extends ClaimMapper {
  readonly samlName: string;
  readonly samlNameFormat: string;
  readonly samlFriendlyName?: string | null;
}

/** A SAML service provider as protocols use it: immutable, with the realm's defaults, cached until the realm's configuration changes. */
export interface SamlClientSnapshot {
  readonly realmId: string;
  readonly entityId: string;
  readonly name: string | null;
  readonly enabled: boolean;
  /** The assertion consumer services. The first is `assertionConsumerServiceUrl`, unless metadata names another default. */
  readonly assertionConsumerServices: readonly IndexedEndpoint[];
  readonly singleLogoutServices: readonly Endpoint[];
  /** The keys of its certificates, which verify its messages. If empty, no signature counts. */
  readonly verificationKeys: readonly VerificationKey[];
  /** The certificate in PEM. Null if nothing can be encrypted for it. */
  readonly encryptionCertificate: string | null;
  readonly defaultAuthnContextClassRef: string | null;
  readonly options: SamlClientOptions;
  /** The mappers. If empty, the attributes are `username`, `email`, `firstName`, `lastName`. */
  readonly mappers: readonly SamlMapper[];
}

/** The options that a client inherits from the realm's settings if they are null. */
type InheritedOption =
  | "signAssertion"
  | "signResponse"
  | "wantAuthnRequestsSigned"
  | "encryptAssertion"
  | "nameIdFormat"
  | "backChannelSloEnabled"
  | "idpInitiatedSsoEnabled"
  | "assertionLifetimeSeconds"
  | "clockSkewSeconds";

/** The options with the realm's settings resolved. */
export type SamlClientOptions = Omit<StoredOptions, InheritedOption | "authnContextMap"> & {
  readonly [K in InheritedOption]: NonNullable<StoredOptions[K]>;
} & {
  /** The `acr` of each AuthnContextClassRef, including those that every realm knows. */
  readonly authnContextMap: Readonly<Record<string, string>>;
};

/** The SAML clients of all realms, as protocols use them. */
export interface SamlClients {
  /** Finds a client by entityID. Returns null if the realm has none. Disabled clients are returned too. */
  get(realm: string, entityId: string): Promise<SamlClientSnapshot | null>;
}
