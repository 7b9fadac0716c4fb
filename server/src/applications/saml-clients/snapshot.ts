import type { Endpoint, IndexedEndpoint, VerificationKey } from "../../platform/saml/index.ts";
import type { ClaimMapper } from "../claims/index.ts";

/** What a NameID is made of; `email` and the other short names stand for the URNs of SAML. */
export type NameIdKind = "persistent" | "transient" | "email" | "unspecified";

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
  /** Where assertions may go. The first is `assertionConsumerServiceUrl`, unless metadata names another default. */
  readonly assertionConsumerServices: readonly IndexedEndpoint[];
  readonly singleLogoutServices: readonly Endpoint[];
  /** Of its certificates: what its messages may be signed with. Empty: a signature counts as none. */
  readonly verificationKeys: readonly VerificationKey[];
  /** PEM. Null: nothing can be encrypted for it. */
  readonly encryptionCertificate: string | null;
  readonly defaultAuthnContextClassRef: string | null;
  readonly options: SamlClientOptions;
  /** Empty: `username`, `email`, `firstName`, `lastName`. */
  readonly mappers: readonly SamlMapper[];
}

/** The members of `options`, where null inherits resolved with the realm's settings. */
export interface SamlClientOptions {
  readonly signAssertion: boolean;
  readonly signResponse: boolean;
  readonly wantAuthnRequestsSigned: boolean;
  readonly encryptAssertion: boolean;
  readonly encryptionAlgorithm: string | null;
  readonly keyTransportAlgorithm: string | null;
  readonly nameIdFormat: NameIdKind;
  /** Which attribute the NameID of `unspecified` (or of an SP with its own format) is read from; null: the username. */
  readonly nameIdSource: string | null;
  /** The same for `persistent`; null: random, one per user and SP. */
  readonly persistentNameIdSource: string | null;
  readonly includeAttributes: boolean;
  readonly backChannelSloEnabled: boolean;
  readonly idpInitiatedSsoEnabled: boolean;
  /** Sent with an unsolicited assertion. */
  readonly defaultRelayState: string | null;
  /** Null: whatever an SP sends with its request. Otherwise only these prefixes. */
  readonly allowedRelayStates: readonly string[] | null;
  /** Of a RelayState that is no address of the SP, where no prefixes are named. */
  readonly relayStateBytes: number;
  readonly assertionLifetimeSeconds: number;
  /** By how much the clock of the SP may differ from ours. */
  readonly clockSkewSeconds: number;
  /** AuthnContextClassRef → `acr` of the realm; complete with what every realm knows. */
  readonly authnContextMap: Readonly<Record<string, string>>;
  /** Asks again at every request, whatever the SP says. */
  readonly alwaysForceAuthn: boolean;
  /** IsPassive is answered with NoPassive even where a session would do. */
  readonly refusePassive: boolean;
  readonly consentRequired: boolean;
  readonly browserFlow: string | null;
  readonly allowedRoles: readonly string[];
  readonly allowedGroups: readonly string[];
  readonly clientUri: string | null;
  readonly logoUri: string | null;
  readonly policyUri: string | null;
  readonly tosUri: string | null;
}

/** The SAML clients of all realms, as protocols ask for them. */
export interface SamlClients {
  /** By entityID; null if the realm has none of that name. A disabled one is one, too. */
  get(realm: string, entityId: string): Promise<SamlClientSnapshot | null>;
}
