import Type, { type Static } from "typebox";

/** Every address of a realm that others need to know. Protocols add their lines here and nowhere else. */
const paths = {
  issuer: { path: "/realms/{realm}", description: "The realm's identifier in tokens" },
  jwks: { path: "/realms/{realm}/jwks", description: "The public signing keys (RFC 7517)" },
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
