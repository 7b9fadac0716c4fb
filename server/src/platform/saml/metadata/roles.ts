import { SamlError } from "../errors.ts";
import { optionalBoolean, optionalNumber } from "../messages/values.ts";
import { NS } from "../names.ts";
import { readCertificate } from "../signature/keys.ts";
import { attributeOf, childrenNamed, optionalChild, requiredAttribute, textOf, trimmedTextOf, type XmlElement } from "../xml/tree.ts";
import type { AttributeConsumingService, Endpoint, IdpRole, IndexedEndpoint, Role, SpRole } from "./types.ts";

/** Returns the role of that kind that supports SAML 2.0 (SAML metadata §2.4.1). */
export function roleOf(entity: XmlElement, local: "SPSSODescriptor" | "IDPSSODescriptor"): XmlElement | null {
  const speaksSaml2 = (role: XmlElement): boolean =>
    (attributeOf(role, "protocolSupportEnumeration") ?? "").split(/\s+/).includes(NS.samlp);
  return childrenNamed(entity, NS.md, local).find(speaksSaml2) ?? null;
}

export const readSpRole = (role: XmlElement): SpRole => ({
  ...readRole(role),
  authnRequestsSigned: optionalBoolean(role, "AuthnRequestsSigned") ?? false,
  wantAssertionsSigned: optionalBoolean(role, "WantAssertionsSigned") ?? false,
  assertionConsumerServices: indexedEndpoints(role, "AssertionConsumerService"),
  attributeConsumingServices: childrenNamed(role, NS.md, "AttributeConsumingService").map(readAttributeConsumingService),
});

export const readIdpRole = (role: XmlElement): IdpRole => ({
  ...readRole(role),
  wantAuthnRequestsSigned: optionalBoolean(role, "WantAuthnRequestsSigned") ?? false,
  singleSignOnServices: endpoints(role, "SingleSignOnService"),
});

function readRole(role: XmlElement): Role {
  const keys = childrenNamed(role, NS.md, "KeyDescriptor");
  const withUse = (use: "signing" | "encryption") =>
    keys.filter((key) => [use, null].some((accepted) => accepted === attributeOf(key, "use")));
  const encryption = withUse("encryption");
  return {
    signingCertificates: distinct(withUse("signing").flatMap(certificatesOf)),
    encryptionCertificates: distinct(encryption.flatMap(certificatesOf)),
    encryptionMethods: distinct(
      encryption.flatMap((key) =>
        childrenNamed(key, NS.md, "EncryptionMethod").map((method) => requiredAttribute(method, "Algorithm", "metadata")),
      ),
    ),
    nameIdFormats: childrenNamed(role, NS.md, "NameIDFormat").map((format) => trimmedTextOf(format, "metadata")),
    singleLogoutServices: endpoints(role, "SingleLogoutService"),
    artifactResolutionServices: indexedEndpoints(role, "ArtifactResolutionService"),
    displayName: displayNameOf(role),
  };
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

/** Returns the X.509 certificates (SAML metadata §2.4.1.1), the only form of key that is accepted. */
function certificatesOf(descriptor: XmlElement): string[] {
  const info = optionalChild(descriptor, NS.ds, "KeyInfo", "metadata");
  const data = info ? childrenNamed(info, NS.ds, "X509Data") : [];
  return data
    .flatMap((one) => childrenNamed(one, NS.ds, "X509Certificate"))
    .map((certificate) => readCertificate(textOf(certificate, "metadata")).raw.toString("base64"));
}

const endpoints = (role: XmlElement, local: string): Endpoint[] => childrenNamed(role, NS.md, local).map(readEndpoint);

function readEndpoint(endpoint: XmlElement): Endpoint {
  const responseLocation = attributeOf(endpoint, "ResponseLocation");
  return {
    binding: requiredAttribute(endpoint, "Binding", "metadata"),
    location: webAddress(requiredAttribute(endpoint, "Location", "metadata"), endpoint),
    responseLocation: responseLocation === null ? null : webAddress(responseLocation, endpoint),
  };
}

/** Returns the address of an endpoint. Browsers are sent there, so schemes such as `javascript:` are refused. */
function webAddress(text: string, endpoint: XmlElement): string {
  const address = text.trim();
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol) || new URL(address).hash !== "")
    throw new SamlError("metadata", `${endpoint.local} is no http or https address: ${address.slice(0, 200)}`);
  return address;
}

function indexedEndpoints(role: XmlElement, local: string): IndexedEndpoint[] {
  const read = childrenNamed(role, NS.md, local).map((endpoint) => ({ ...readEndpoint(endpoint), ...readIndex(endpoint) }));
  if (new Set(read.map(({ index }) => index)).size < read.length) throw new SamlError("metadata", `Two ${local}s have the same index`);
  return read;
}

function readIndex(element: XmlElement): { index: number; isDefault: boolean | null } {
  const index = optionalNumber(element, "index");
  if (index === null) throw new SamlError("metadata", `${element.local} has no index`);
  return { index, isDefault: optionalBoolean(element, "isDefault") };
}

const readAttributeConsumingService = (service: XmlElement): AttributeConsumingService => ({
  ...readIndex(service),
  serviceNames: childrenNamed(service, NS.md, "ServiceName").map((name) => textOf(name, "metadata")),
  requestedAttributes: childrenNamed(service, NS.md, "RequestedAttribute").map((attribute) => ({
    name: requiredAttribute(attribute, "Name", "metadata"),
    nameFormat: attributeOf(attribute, "NameFormat"),
    friendlyName: attributeOf(attribute, "FriendlyName"),
    isRequired: optionalBoolean(attribute, "isRequired") ?? false,
  })),
});

/** Metadata extensions for login and discovery UI §2.1.2. */
function displayNameOf(role: XmlElement): string | null {
  const extensions = optionalChild(role, NS.md, "Extensions", "metadata");
  const info = extensions && childrenNamed(extensions, NS.mdui, "UIInfo")[0];
  const name = info && childrenNamed(info, NS.mdui, "DisplayName")[0];
  return name ? trimmedTextOf(name, "metadata") : null;
}

/** Returns the default service (SAML metadata §2.4.4.1, §2.2.3): the first with isDefault true, else the first without isDefault, else the first. */
export const defaultOf = <T extends { readonly isDefault: boolean | null }>(services: readonly T[]): T | null =>
  services.find(({ isDefault }) => isDefault === true) ?? services.find(({ isDefault }) => isDefault === null) ?? services[0] ?? null;
