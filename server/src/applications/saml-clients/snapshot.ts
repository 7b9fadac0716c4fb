import type { Endpoint, IndexedEndpoint, VerificationKey } from "../../platform/saml/index.ts";
import type { ClaimMapper } from "../claims/index.ts";
import type { StoredOptions } from "./schema.ts";

/** The format of a NameID; `email` and the other short names stand for the URNs of SAML. */
export type NameIdKind = NonNullable<StoredOptions["nameIdFormat"]>;

/** A mapper whose value becomes an attribute of the assertion. */
export interface SamlMapper extends ClaimMapper {
  readonly samlName: string;
  readonly samlNameFormat: string;
  readonly samlFriendlyName?: string | null;
}

/** A SAML service provider as protocols meet it: immutable, complete with the realm's defaults, cached until the realm's configuration changes. */
export interface SamlClientSnapshot {
  readonly realmId: string;
  readonly entityId: string;
  readonly name: string | null;
  readonly enabled: boolean;
  /** The assertion consumer services. The first is `assertionConsumerServiceUrl`, unless metadata names another default. */
  readonly assertionConsumerServices: readonly IndexedEndpoint[];
  readonly singleLogoutServices: readonly Endpoint[];
  /** The keys of its certificates, which verify its messages. Empty: a signature counts as none. */
  readonly verificationKeys: readonly VerificationKey[];
  /** PEM. Null: nothing can be encrypted for it. */
  readonly encryptionCertificate: string | null;
  readonly defaultAuthnContextClassRef: string | null;
  readonly options: SamlClientOptions;
  /** Empty: `username`, `email`, `firstName`, `lastName`. */
  readonly mappers: readonly SamlMapper[];
}

/** Options that a client inherits from the realm's settings where they are null. */
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
  /** AuthnContextClassRef → `acr`, with those that every realm knows. */
  readonly authnContextMap: Readonly<Record<string, string>>;
};

/** The SAML clients of all realms, as protocols ask for them. */
export interface SamlClients {
  /** By entityID; null if the realm has none of that name. A disabled one is one, too. */
  get(realm: string, entityId: string): Promise<SamlClientSnapshot | null>;
}
