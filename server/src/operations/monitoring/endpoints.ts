import Type, { type Static } from "typebox";

/** Every address of a realm that others need to know. Protocols add their lines here and nowhere else. */
const paths = {
  issuer: { path: "/realms/{realm}", description: "The realm's identifier in tokens" },
  jwks: { path: "/realms/{realm}/jwks", description: "The public signing keys (RFC 7517)" },
  discovery: { path: "/realms/{realm}/.well-known/openid-configuration", description: "What the issuer can do (OpenID Connect Discovery)" },
  authorize: { path: "/realms/{realm}/authorize", description: "The authorization endpoint (RFC 6749)" },
  token: { path: "/realms/{realm}/token", description: "The token endpoint (RFC 6749)" },
  userinfo: { path: "/realms/{realm}/userinfo", description: "Claims about the user (OpenID Connect Core)" },
  introspect: { path: "/realms/{realm}/introspect", description: "What a token is worth now (RFC 7662)" },
  revoke: { path: "/realms/{realm}/revoke", description: "Ends a token (RFC 7009)" },
  par: { path: "/realms/{realm}/par", description: "Pushed authorization requests (RFC 9126)" },
  login: { path: "/realms/{realm}/login", description: "The sign-in page" },
  logout: { path: "/realms/{realm}/logout", description: "The sign-out page" },
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
