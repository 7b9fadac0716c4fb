import Type, { type Static } from "typebox";

/** Every address of a realm that others need to know. Protocols add their lines here and nowhere else. */
const paths = {
  issuer: { path: "/realms/{realm}", description: "The realm's identifier in tokens" },
  jwks: { path: "/realms/{realm}/jwks", description: "The public signing keys (RFC 7517)" },
  discovery: { path: "/realms/{realm}/.well-known/openid-configuration", description: "The issuer's metadata (OpenID Connect Discovery)" },
  authorize: { path: "/realms/{realm}/authorize", description: "The authorization endpoint (RFC 6749)" },
  token: { path: "/realms/{realm}/token", description: "The token endpoint (RFC 6749)" },
  userinfo: { path: "/realms/{realm}/userinfo", description: "Claims about the user (OpenID Connect Core)" },
  introspect: { path: "/realms/{realm}/introspect", description: "Token introspection (RFC 7662)" },
  revoke: { path: "/realms/{realm}/revoke", description: "Ends a token (RFC 7009)" },
  par: { path: "/realms/{realm}/par", description: "Pushed authorization requests (RFC 9126)" },
  device: { path: "/realms/{realm}/device/authorize", description: "Codes for devices (RFC 8628)" },
  deviceVerification: { path: "/realms/{realm}/device", description: "The page on which people type the code that a device shows" },
  backchannel: { path: "/realms/{realm}/backchannel/authorize", description: "Asks a user on another device (CIBA)" },
  registration: { path: "/realms/{realm}/connect/register", description: "Clients that register themselves (RFC 7591)" },
  oauthMetadata: {
    path: "/.well-known/oauth-authorization-server/realms/{realm}",
    description: "The same as `discovery`, as RFC 8414 has it",
  },
  protectedResource: {
    path: "/.well-known/oauth-protected-resource/realms/{realm}",
    description: "The realm as a protected resource (RFC 9728)",
  },
  samlMetadata: {
    path: "/realms/{realm}/saml/idp/metadata",
    description: "The realm as a SAML identity provider: certificates and endpoints",
  },
  samlSso: { path: "/realms/{realm}/saml/idp/sso", description: "Single sign-on of SAML service providers, by Redirect and POST" },
  samlSlo: { path: "/realms/{realm}/saml/idp/slo", description: "Single logout of SAML service providers, by Redirect, POST and SOAP" },
  samlArtifact: { path: "/realms/{realm}/saml/idp/artifact", description: "Resolves an artifact (SAML, SOAP)" },
  samlStart: {
    path: "/realms/{realm}/saml/idp/start",
    description:
      "The beginning of the links by which users start at this server (SAML); the encoded entityID of the service provider follows",
  },
  account: { path: "/realms/{realm}/account", description: "The beginning of every path of a user's own account" },
  login: { path: "/realms/{realm}/login", description: "The sign-in page" },
  logout: { path: "/realms/{realm}/logout", description: "The sign-out page, also for clients (OpenID Connect RP-Initiated Logout)" },
  theme: { path: "/realms/{realm}/theme.css", description: "The realm's branding" },
  admin: { path: "/admin/realms/{realm}", description: "The beginning of every admin path" },
} as const;

type Name = keyof typeof paths;
const names = Object.keys(paths) as Name[];
const perName = <T>(make: (name: Name) => T) => Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>;

export const RealmEndpoints = Type.Object(
  perName((name) => Type.String({ format: "uri", description: paths[name].description })),
  { $id: "RealmEndpoints" },
);
export type RealmEndpoints = Static<typeof RealmEndpoints>;

export const endpointsOf = (baseUrl: string, realm: string): RealmEndpoints =>
  perName((name) => `${baseUrl}${paths[name].path.replace("{realm}", realm)}`);
