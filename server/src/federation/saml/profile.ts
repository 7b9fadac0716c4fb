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
  /** The rules depend on the configuration, and on nothing else. */
  rules(provider: ProviderSnapshot): SamlRules;
  /** Returns further members of the AuthnRequest. They override ID, Issuer, Destination, AssertionConsumerServiceURL and ProtocolBinding of the broker. */
  request(provider: ProviderSnapshot, request: BrokerRequest): Partial<NewAuthnRequest>;
  /**
   * Reads an answer that has passed all checks: signatures, encryption, audience, times, InResponseTo, Destination, Recipient, replay. Throws an UpstreamError
   * with a reason of one word for the audit event.
   */
  identity(provider: ProviderSnapshot, answer: SamlAnswer): BrokeredIdentity;
  /** Returns additions to the metadata of this realm as a service provider, such as attributeConsumingServices or organization. */
  metadata?(provider: ProviderSnapshot): Partial<Omit<NewSpMetadata, "sp">> & { readonly sp?: Partial<NewSpMetadata["sp"]> };
}

export interface SamlAnswer {
  readonly assertion: Assertion;
  readonly response: OpenedResponse;
  /** True if the request had ForceAuthn, so that an earlier session at the provider does not count. */
  readonly fresh: boolean;
  /** The time of the request; null for an answer that no request asked for. */
  readonly begunAt: number | null;
}
