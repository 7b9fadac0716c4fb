import type { Assertion, NewAuthnRequest, NewSpMetadata, OpenedResponse } from "../../platform/saml/index.ts";
import type { BrokeredIdentity, BrokerRequest } from "../brokers/broker.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { SamlRules } from "./rules.ts";

export type { SamlRules } from "./rules.ts";

/**
 * The part that a scheme (plain SAML, eHerkenning, eIDAS) decides. The broker does everything else: `samlBroker(profile)` in broker.ts.
 *
 * The broker reads these members of `config`, whatever the scheme: `ssoUrl`, `singleLogoutServiceUrl`, `artifactResolutionUrl`, `idpEntityId`,
 * `idpSigningCertificate` (PEM, several in one text or a list), `metadataUrl`, `metadataXml`, `spEntityId`, `assertionConsumerServiceUrl`,
 * `spSigningCertificate`, `spDecryptionCertificate`, `authnRequestBinding` (`redirect`, `post`), `responseBinding` (`post`, `artifact`),
 * and the secrets `spSigningPrivateKey` and `spDecryptionPrivateKey`. members.ts describes and checks them.
 */
export interface SamlProfile {
  /** May depend on the configuration, and on nothing else. */
  rules(provider: ProviderSnapshot): SamlRules;
  /** Members of the AuthnRequest beyond ID, Issuer, Destination, AssertionConsumerServiceURL and ProtocolBinding. A member given here wins. */
  request(provider: ProviderSnapshot, request: BrokerRequest): Partial<NewAuthnRequest>;
  /**
   * Reads an answer that is verified and checked: signatures, encryption, audience, times, InResponseTo, Destination, Recipient, replay.
   * Throws an UpstreamError with a reason of one word for the audit event.
   */
  identity(provider: ProviderSnapshot, answer: SamlAnswer): BrokeredIdentity;
  /** Additions to the metadata of this realm as a service provider: attributeConsumingServices, organization and so on. */
  metadata?(provider: ProviderSnapshot): Partial<Omit<NewSpMetadata, "sp">> & { readonly sp?: Partial<NewSpMetadata["sp"]> };
}

export interface SamlAnswer {
  readonly assertion: Assertion;
  readonly response: OpenedResponse;
  /** True when a session at the provider from before does not count: the request had ForceAuthn. */
  readonly fresh: boolean;
  /** When the request was made; null for an answer to none. */
  readonly begunAt: number | null;
}
