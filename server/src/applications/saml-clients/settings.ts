import { RELAY_STATE_BYTES } from "../../platform/saml/index.ts";
import type { NameIdKind } from "./snapshot.ts";

/** An assertion consumer service as metadata lists it. */
export interface AcsEndpoint {
  readonly url: string;
  readonly binding: "post" | "artifact";
  readonly index: number;
  readonly isDefault: boolean;
}

export interface SloEndpoint {
  readonly url: string;
  readonly binding: "redirect" | "post" | "soap";
  /** Where responses go instead of `url`. */
  readonly responseUrl: string | null;
}

/** The members of `options` as stored: null inherits what the realm's settings say. */
export interface StoredOptions {
  readonly signAssertion: boolean | null;
  readonly signResponse: boolean | null;
  readonly wantAuthnRequestsSigned: boolean | null;
  readonly encryptAssertion: boolean | null;
  readonly nameIdFormat: NameIdKind | null;
  readonly includeAttributes: boolean;
  readonly additionalAcsUrls: readonly string[];
  readonly backChannelSloEnabled: boolean | null;
  readonly idpInitiatedSsoEnabled: boolean | null;
  readonly assertionLifetimeSeconds: number | null;
  readonly clockSkewSeconds: number | null;
  readonly description: string | null;
  readonly additionalSigningCertificates: readonly string[];
  readonly encryptionCertificate: string | null;
  readonly encryptionAlgorithm: string | null;
  readonly keyTransportAlgorithm: string | null;
  readonly nameIdSource: string | null;
  readonly persistentNameIdSource: string | null;
  readonly acsEndpoints: readonly AcsEndpoint[];
  readonly sloEndpoints: readonly SloEndpoint[];
  readonly defaultRelayState: string | null;
  readonly allowedRelayStates: readonly string[] | null;
  readonly relayStateBytes: number;
  readonly authnContextMap: Readonly<Record<string, string>>;
  readonly alwaysForceAuthn: boolean;
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

/** What `saml_clients.settings` holds. */
export interface StoredSamlClient {
  readonly assertionConsumerServiceUrl: string;
  readonly defaultAuthnContextClassRef: string | null;
  readonly singleLogoutServiceUrl: string | null;
  readonly signingCertificate: string | null;
  readonly options: StoredOptions;
}

/** Of the lists that metadata fills, too. */
export const maxItems = { additionalAcsUrls: 100, acsEndpoints: 200, sloEndpoints: 20, additionalSigningCertificates: 10 } as const;

/** As a SAML client has them that was made with nothing but its addresses. */
export const defaultOptions: StoredOptions = {
  signAssertion: null,
  signResponse: null,
  wantAuthnRequestsSigned: null,
  encryptAssertion: null,
  nameIdFormat: null,
  includeAttributes: true,
  additionalAcsUrls: [],
  backChannelSloEnabled: null,
  idpInitiatedSsoEnabled: null,
  assertionLifetimeSeconds: null,
  clockSkewSeconds: null,
  description: null,
  additionalSigningCertificates: [],
  encryptionCertificate: null,
  encryptionAlgorithm: null,
  keyTransportAlgorithm: null,
  nameIdSource: null,
  persistentNameIdSource: null,
  acsEndpoints: [],
  sloEndpoints: [],
  defaultRelayState: null,
  allowedRelayStates: null,
  relayStateBytes: RELAY_STATE_BYTES,
  authnContextMap: {},
  alwaysForceAuthn: false,
  refusePassive: false,
  consentRequired: false,
  browserFlow: null,
  allowedRoles: [],
  allowedGroups: [],
  clientUri: null,
  logoUri: null,
  policyUri: null,
  tosUri: null,
};

const optionNames = Object.keys(defaultOptions) as (keyof StoredOptions)[];

type Given = Partial<Omit<StoredSamlClient, "options">> & {
  readonly assertionConsumerServiceUrl: string;
  readonly options?: Partial<StoredOptions>;
};

/** Whatever was stored or sent, with every member there is: rows of an older release gain the new ones. */
export function completeSamlClient(given: Given): StoredSamlClient {
  const options = { ...defaultOptions, ...given.options };
  return {
    assertionConsumerServiceUrl: given.assertionConsumerServiceUrl,
    defaultAuthnContextClassRef: given.defaultAuthnContextClassRef ?? null,
    singleLogoutServiceUrl: given.singleLogoutServiceUrl ?? null,
    signingCertificate: given.signingCertificate ?? null,
    options: Object.fromEntries(optionNames.map((name) => [name, options[name]])) as unknown as StoredOptions,
  };
}

/** Every certificate by which its messages may be signed. */
export const signingCertificatesOf = ({ signingCertificate, options }: StoredSamlClient): string[] => [
  ...(signingCertificate === null ? [] : [signingCertificate]),
  ...options.additionalSigningCertificates,
];
