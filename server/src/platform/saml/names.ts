/** Namespaces by the prefix that we write for them. */
export const NS = {
  saml: "urn:oasis:names:tc:SAML:2.0:assertion",
  samlp: "urn:oasis:names:tc:SAML:2.0:protocol",
  md: "urn:oasis:names:tc:SAML:2.0:metadata",
  mdui: "urn:oasis:names:tc:SAML:metadata:ui",
  alg: "urn:oasis:names:tc:SAML:metadata:algsupport",
  ds: "http://www.w3.org/2000/09/xmldsig#",
  dsig11: "http://www.w3.org/2009/xmldsig11#",
  xenc: "http://www.w3.org/2001/04/xmlenc#",
  xenc11: "http://www.w3.org/2009/xmlenc11#",
  /** eIDAS SAML message format §3. */
  eidas: "http://eidas.europa.eu/saml-extensions",
  soap: "http://schemas.xmlsoap.org/soap/envelope/",
  xml: "http://www.w3.org/XML/1998/namespace",
} as const;

export type Prefix = keyof typeof NS;

export const XMLNS = "http://www.w3.org/2000/xmlns/";

/** SAML bindings §3. */
export const BINDING = {
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
  artifact: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact",
  soap: "urn:oasis:names:tc:SAML:2.0:bindings:SOAP",
} as const;

/** SAML core §8.3. */
export const NAME_ID_FORMAT = {
  unspecified: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  transient: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  entity: "urn:oasis:names:tc:SAML:2.0:nameid-format:entity",
} as const;

/** SAML core §8.2. */
export const ATTRIBUTE_NAME_FORMAT = {
  unspecified: "urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified",
  uri: "urn:oasis:names:tc:SAML:2.0:attrname-format:uri",
  basic: "urn:oasis:names:tc:SAML:2.0:attrname-format:basic",
} as const;

const status = (name: string) => `urn:oasis:names:tc:SAML:2.0:status:${name}`;

/** SAML core §3.2.2.2. */
export const STATUS = {
  success: status("Success"),
  requester: status("Requester"),
  responder: status("Responder"),
  versionMismatch: status("VersionMismatch"),
  authnFailed: status("AuthnFailed"),
  invalidNameIdPolicy: status("InvalidNameIDPolicy"),
  noAuthnContext: status("NoAuthnContext"),
  noPassive: status("NoPassive"),
  noSupportedIdp: status("NoSupportedIDP"),
  partialLogout: status("PartialLogout"),
  proxyCountExceeded: status("ProxyCountExceeded"),
  requestDenied: status("RequestDenied"),
  requestUnsupported: status("RequestUnsupported"),
  unknownPrincipal: status("UnknownPrincipal"),
  unsupportedBinding: status("UnsupportedBinding"),
} as const;

/** SAML profiles §3.3. */
export const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";

/** SAML authentication context §3.4. */
export const AUTHN_CONTEXT = {
  unspecified: "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified",
  password: "urn:oasis:names:tc:SAML:2.0:ac:classes:Password",
  passwordProtectedTransport: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
} as const;

const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";

export const C14N = {
  exclusive: EXCLUSIVE,
  exclusiveWithComments: `${EXCLUSIVE}WithComments`,
  namespace: EXCLUSIVE,
  inclusive: "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
  inclusive11: "http://www.w3.org/2006/12/xml-c14n11",
} as const;
export const ENVELOPED = `${NS.ds}enveloped-signature`;
