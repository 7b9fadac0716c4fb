import Type, { type Static } from "typebox";

/** Every address of a realm that others need to know. Protocols add their lines here and nowhere else. */
const paths = {
  issuer: { path: "/realms/{realm}", description: "The realm's identifier in tokens" },
  jwks: { path: "/realms/{realm}/jwks", description: "The public signing keys (RFC 7517)" },
  discovery: { path: "/realms/{realm}/.well-known/openid-configuration", description: "The issuer's metadata (OpenID Connect Discovery)" },
  authorize: { path: "/realms/{realm}/authorize", description: "The authorization endpoint (RFC 6749)" },
  token: { path: "/realms/{realm}/token", description: "The token endpoint (RFC 6749)" },
  userinfo: { path: "/realms/{realm}/userinfo", description: "The userinfo endpoint (OpenID Connect Core)" },
  introspect: { path: "/realms/{realm}/introspect", description: "The introspection endpoint (RFC 7662)" },
  revoke: { path: "/realms/{realm}/revoke", description: "The token revocation endpoint (RFC 7009)" },
  par: { path: "/realms/{realm}/par", description: "The pushed authorization request endpoint (RFC 9126)" },
  device: { path: "/realms/{realm}/device/authorize", description: "The device authorization endpoint (RFC 8628)" },
  deviceVerification: { path: "/realms/{realm}/device", description: "The page on which users enter the code that a device shows" },
  backchannel: { path: "/realms/{realm}/backchannel/authorize", description: "The backchannel authentication endpoint (CIBA)" },
  registration: { path: "/realms/{realm}/connect/register", description: "The client registration endpoint (RFC 7591)" },
  oauthMetadata: {
    path: "/.well-known/oauth-authorization-server/realms/{realm}",
    description: "The authorization server metadata (RFC 8414), which is the same as `discovery`",
  },
  protectedResource: {
    path: "/.well-known/oauth-protected-resource/realms/{realm}",
    description: "The protected resource metadata of the realm (RFC 9728)",
  },
  samlMetadata: {
    path: "/realms/{realm}/saml/idp/metadata",
    description: "The metadata of the realm as a SAML identity provider: certificates and endpoints",
  },
  samlSso: {
    path: "/realms/{realm}/saml/idp/sso",
    description: "The single sign-on service for SAML service providers, by Redirect and POST",
  },
  samlSlo: {
    path: "/realms/{realm}/saml/idp/slo",
    description: "The single logout service for SAML service providers, by Redirect, POST and SOAP",
  },
  samlArtifact: { path: "/realms/{realm}/saml/idp/artifact", description: "The artifact resolution service (SAML, SOAP)" },
  samlStart: {
    path: "/realms/{realm}/saml/idp/start",
    description:
      "The beginning of the links by which users start a SAML sign-in at this server. The URL-encoded entityID of the service provider follows",
  },
  account: { path: "/realms/{realm}/account", description: "The beginning of the paths of the account API" },
  login: { path: "/realms/{realm}/login", description: "The sign-in page" },
  logout: { path: "/realms/{realm}/logout", description: "The logout page, also for clients (OpenID Connect RP-Initiated Logout)" },
  theme: { path: "/realms/{realm}/theme.css", description: "The style sheet with the realm's branding" },
  admin: { path: "/admin/realms/{realm}", description: "The beginning of the paths of the admin API" },
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
