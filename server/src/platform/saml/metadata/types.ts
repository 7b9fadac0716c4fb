/** SAML metadata §2.2.2. */
export interface Endpoint {
  readonly binding: string;
  readonly location: string;
  /** ResponseLocation (SAML metadata §2.2.2): the address for responses, if it is another one. */
  readonly responseLocation: string | null;
}

/** SAML metadata §2.2.3. */
export interface IndexedEndpoint extends Endpoint {
  readonly index: number;
  readonly isDefault: boolean | null;
}

/** SAML metadata §2.4.4.2. */
export interface RequestedAttribute {
  readonly name: string;
  readonly nameFormat: string | null;
  readonly friendlyName: string | null;
  readonly isRequired: boolean;
}

/** SAML metadata §2.4.4.1. */
export interface AttributeConsumingService {
  readonly index: number;
  readonly isDefault: boolean | null;
  readonly serviceNames: readonly string[];
  readonly requestedAttributes: readonly RequestedAttribute[];
}

/** The members that identity and service providers share (SAML metadata §2.4.2). */
export interface Role {
  /** DER in base64. A key without a use is in both lists. */
  readonly signingCertificates: readonly string[];
  readonly encryptionCertificates: readonly string[];
  /** Maps a certificate to the KeyName under which messages refer to it. It is only written. */
  readonly keyNames?: Readonly<Record<string, string>>;
  /** The algorithms that the encryption keys list, for data encryption and for key transport. */
  readonly encryptionMethods: readonly string[];
  readonly nameIdFormats: readonly string[];
  readonly singleLogoutServices: readonly Endpoint[];
  readonly artifactResolutionServices: readonly IndexedEndpoint[];
  /** The name for people (metadata UI), in the first language that is present. */
  readonly displayName: string | null;
}

/** SAML metadata §2.4.4. */
export interface SpRole extends Role {
  readonly authnRequestsSigned: boolean;
  readonly wantAssertionsSigned: boolean;
  readonly assertionConsumerServices: readonly IndexedEndpoint[];
  readonly attributeConsumingServices: readonly AttributeConsumingService[];
}

/** SAML metadata §2.4.3. */
export interface IdpRole extends Role {
  readonly wantAuthnRequestsSigned: boolean;
  readonly singleSignOnServices: readonly Endpoint[];
}

/** SAML metadata §2.3.2. */
export interface EntityMetadata {
  readonly entityId: string;
  /** The earliest end of the entity, of its roles and of the elements that contain it, in epoch milliseconds. */
  readonly validUntil: number | null;
  /** Milliseconds. */
  readonly cacheDuration: number | null;
  readonly sp: SpRole | null;
  readonly idp: IdpRole | null;
}
