import type {
  Assertion,
  DataEncryptionAlgorithm,
  Fragment,
  NewAuthnRequest,
  NewSpMetadata,
  OpenedResponse,
  SignatureAlgorithm,
} from "../../../platform/saml/index.ts";
import type { ProviderSnapshot } from "../../identity-providers/index.ts";
import type { BrokeredIdentity, BrokerRequest } from "../broker.ts";

/**
 * What a scheme (plain SAML, eHerkenning, eIDAS) decides; everything else is the broker's: `samlBroker(profile)` in broker.ts.
 *
 * The broker reads these members of `config`, whatever the scheme: `ssoUrl`, `singleLogoutServiceUrl`, `artifactResolutionUrl`, `idpEntityId`,
 * `idpSigningCertificate` (PEM, several in one text or a list), `metadataUrl`, `metadataXml`, `spEntityId`, `assertionConsumerServiceUrl`,
 * `spSigningCertificate`, `spDecryptionCertificate`, `authnRequestBinding` (`redirect`, `post`), `responseBinding` (`post`, `artifact`),
 * and the secrets `spSigningPrivateKey` and `spDecryptionPrivateKey`. identity-providers/protocols/saml-members.ts describes and checks them.
 */
export interface SamlProfile {
  rules(provider: ProviderSnapshot): SamlRules;
  /** Members of the AuthnRequest beyond ID, Issuer, Destination, AssertionConsumerServiceURL and ProtocolBinding. A member given here wins. */
  request(provider: ProviderSnapshot, request: BrokerRequest): Partial<NewAuthnRequest> & { readonly extensions?: Fragment };
  /**
   * Reads an answer that is verified and checked: signatures, encryption, audience, times, InResponseTo, Destination, Recipient, replay.
   * Throws an UpstreamError (identity-providers) with a reason of one word for the audit event.
   */
  identity(provider: ProviderSnapshot, answer: SamlAnswer): BrokeredIdentity;
  /** What the metadata of this realm as a service provider adds: attributeConsumingServices, organization and so on. */
  metadata?(provider: ProviderSnapshot): Partial<Omit<NewSpMetadata, "sp">> & { readonly sp?: Partial<NewSpMetadata["sp"]> };
}

export interface SamlAnswer {
  readonly assertion: Assertion;
  readonly response: OpenedResponse;
  /** Whether a session at the provider from before does not count: the request had ForceAuthn. */
  readonly fresh: boolean;
  /** When the request was made; null for an answer to none. */
  readonly begunAt: number | null;
}

/** How our messages are protected, and what is accepted of the provider's. */
export interface SamlRules {
  /** By the type of the key that signs. Left out: RSA-SHA256, ECDSA-SHA256. */
  readonly signsWith?: { readonly rsa?: SignatureAlgorithm; readonly ec?: SignatureAlgorithm };
  /** KeyName instead of the certificate in the KeyInfo of messages. In metadata it stands beside the certificate. */
  readonly keyName?: string;
  /** Of the provider's signatures. Left out: everything that platform/saml knows. */
  readonly signatures?: readonly SignatureAlgorithm[];
  /** Of the provider's encryption. Left out: AES-GCM. AES-CBC counts only under a signature that was verified first. */
  readonly ciphers?: readonly DataEncryptionAlgorithm[];
  /** One of them has to be signed in any case. */
  readonly signedResponse: boolean;
  readonly signedAssertion: boolean;
  readonly encryptedAssertion: boolean;
}
