// The SAML core reads, verifies and decrypts messages and metadata, and writes, signs and encrypts them. It is a library without HTTP and database, for
// identity and service provider. The parts of a message that it returns were verified, unless the caller allows unsigned ones.
export { artifactUrl, newArtifact, readArtifact, readArtifactFields, sourceIdOf } from "./bindings/artifact.ts";
export { postFields, readPost } from "./bindings/post.ts";
export { readRedirect, redirectUrl } from "./bindings/redirect.ts";
export { isScript, RELAY_STATE_BYTES } from "./bindings/relay-state.ts";
export { readSoap, SOAP_ACTION, soapEnvelope, soapFault } from "./bindings/soap.ts";
export { DATA_ENCRYPTION, type DataEncryptionAlgorithm, KEY_AGREEMENT, KEY_TRANSPORT, KEY_WRAP } from "./encryption/algorithms.ts";
export type { Decryption } from "./encryption/decrypt.ts";
export type { Recipient } from "./encryption/encrypt.ts";
export { SamlError, type SamlReason } from "./errors.ts";
export {
  type ArtifactResolve,
  type ArtifactResponse,
  artifactResolveElement,
  artifactResponseElement,
  openArtifactResolve,
  openArtifactResponse,
} from "./messages/artifact.ts";
export type { Assertion, Attribute, AttributeValue, AuthnStatement } from "./messages/assertion.ts";
export { assertionElement, type NewAssertion, type NewAttribute } from "./messages/assertion.write.ts";
export {
  type AuthnRequest,
  authnRequestElement,
  type Comparison,
  type NewAuthnRequest,
  openAuthnRequest,
  type RequestedAuthnContext,
} from "./messages/authn-request.ts";
export { acceptedUntil, CLOCK_SKEW, checkSignIn, destinationIsOurs, type ExpectedSignIn } from "./messages/checks.ts";
export { eidasExtensions } from "./messages/eidas.ts";
export {
  type LogoutRequest,
  type LogoutResponse,
  logoutRequestElement,
  logoutResponseElement,
  openLogoutRequest,
  openLogoutResponse,
} from "./messages/logout.ts";
export type { NameId } from "./messages/name-id.ts";
export type { Binding, Opened, ReceivedMessage, Trust } from "./messages/received.ts";
export { errorResponse, type OpenedResponse, openResponse, type Protection, successResponse } from "./messages/response.ts";
export { isSuccess, type Status } from "./messages/status.ts";
export { newMessageId } from "./messages/values.ts";
export { assertNotOver, METADATA_BYTES, MetadataChoice, readMetadata } from "./metadata/read.ts";
export { defaultOf } from "./metadata/roles.ts";
export type { Endpoint, EntityMetadata, IdpRole, IndexedEndpoint, SpRole } from "./metadata/types.ts";
export { idpMetadata, type NewSpMetadata, spMetadata } from "./metadata/write.ts";
export { ATTRIBUTE_NAME_FORMAT, AUTHN_CONTEXT, BEARER, BINDING, NAME_ID_FORMAT, STATUS } from "./names.ts";
export { SIGNATURE_ALGORITHM, type SignatureAlgorithm } from "./signature/algorithms.ts";
export { type SigningKey, signingKey, type VerificationKey, verificationKey } from "./signature/keys.ts";
export { signed } from "./signature/sign.ts";
export { isXmlText } from "./xml/characters.ts";
export { parseXml, type XmlLimits } from "./xml/parse.ts";
export { isElement, type XmlElement } from "./xml/tree.ts";
export { type Fragment, render, restored, stored } from "./xml/write.ts";
