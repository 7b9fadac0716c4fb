// A correct message of each kind, for the tests of the SAML core.
import {
  AUTHN_CONTEXT,
  BINDING,
  DATA_ENCRYPTION,
  type Fragment,
  type IdpRole,
  NAME_ID_FORMAT,
  type NewAssertion,
  newMessageId,
  SIGNATURE_ALGORITHM,
  type SigningKey,
  type SpRole,
  signingKey,
} from "../platform/saml/index.ts";
import type { Identity } from "./saml-peers.ts";

export const NOW = Date.parse("2026-05-04T12:00:00.000Z");
export const IDP = "https://idp.example/realms/test";
export const SP = "https://sp.example/metadata";
export const ACS = "https://sp.example/acs";
export const SSO = "https://idp.example/realms/test/saml/idp/sso";
const SLO = "https://idp.example/realms/test/saml/idp/slo";
export const REQUEST_ID = "_request";

export const rs256 = ({ privateKey, certificate }: Identity): SigningKey => signingKey(privateKey, SIGNATURE_ALGORITHM.RS256, certificate);

export const envelope = (issuer = IDP, destination: string | null = ACS) => ({
  id: newMessageId(),
  issueInstant: NOW,
  issuer,
  destination,
});

export const goodAssertion = (more: Partial<NewAssertion> = {}): NewAssertion => ({
  id: newMessageId(),
  issueInstant: NOW,
  issuer: IDP,
  nameId: { value: "not-an-admin@example.com", format: NAME_ID_FORMAT.persistent, nameQualifier: IDP, spNameQualifier: SP },
  recipient: ACS,
  inResponseTo: REQUEST_ID,
  notBefore: NOW - 30_000,
  notOnOrAfter: NOW + 300_000,
  audiences: [SP],
  authnInstant: NOW - 1_000,
  sessionIndex: "_session",
  sessionNotOnOrAfter: NOW + 3_600_000,
  classRef: AUTHN_CONTEXT.passwordProtectedTransport,
  attributes: [
    { name: "email", values: ["not-an-admin@example.com"] },
    { name: "lastName", friendlyName: "Nachname", values: ['O\'Neil & <Söhne> "😀"'] },
    { name: "groups", values: ["a", "b\r\n\tc", ""] },
  ],
  ...more,
});

export const goodAuthnRequest = () => ({
  ...envelope(SP, SSO),
  forceAuthn: true,
  isPassive: false,
  assertionConsumerServiceUrl: ACS,
  protocolBinding: BINDING.post,
  providerName: "A & B",
  nameIdPolicy: { format: NAME_ID_FORMAT.persistent, spNameQualifier: SP, allowCreate: true },
  requestedAuthnContext: { comparison: "minimum" as const, classRefs: [AUTHN_CONTEXT.password], declRefs: [] },
  scoping: { proxyCount: 1, idpEntityIds: [IDP], requesterIds: [SP] },
});

export const goodLogoutRequest = () => ({
  ...envelope(SP, SLO),
  nameId: { value: "not-an-admin@example.com", format: NAME_ID_FORMAT.persistent },
  sessionIndexes: ["_session"],
  notOnOrAfter: NOW + 300_000,
  reason: "urn:oasis:names:tc:SAML:2.0:logout:user",
});

const common = (certificate: string, base: string) => ({
  signingCertificates: [certificate],
  encryptionCertificates: [certificate],
  encryptionMethods: [DATA_ENCRYPTION.aes256gcm],
  nameIdFormats: [NAME_ID_FORMAT.persistent, NAME_ID_FORMAT.transient],
  singleLogoutServices: [{ binding: BINDING.redirect, location: `${base}/slo`, responseLocation: `${base}/slo-response` }],
  artifactResolutionServices: [{ binding: BINDING.soap, location: `${base}/artifact`, responseLocation: null, index: 0, isDefault: true }],
  displayName: "Ours & theirs",
});

export const goodIdpRole = (certificate: string): IdpRole => ({
  ...common(certificate, "https://idp.example/saml"),
  wantAuthnRequestsSigned: true,
  singleSignOnServices: [
    { binding: BINDING.redirect, location: SSO, responseLocation: null },
    { binding: BINDING.post, location: SSO, responseLocation: null },
  ],
});

export const goodSpRole = (certificate: string): SpRole => ({
  ...common(certificate, "https://sp.example/saml"),
  authnRequestsSigned: true,
  wantAssertionsSigned: true,
  assertionConsumerServices: [
    { binding: BINDING.post, location: ACS, responseLocation: null, index: 0, isDefault: null },
    { binding: BINDING.artifact, location: `${ACS}?artifact=1`, responseLocation: null, index: 1, isDefault: true },
  ],
  attributeConsumingServices: [
    {
      index: 0,
      isDefault: true,
      serviceNames: ["Service"],
      requestedAttributes: [{ name: "email", nameFormat: null, friendlyName: "E-mail", isRequired: true }],
    },
  ],
});

export type { Fragment };
