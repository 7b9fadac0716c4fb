/** RFC 8705 §5: the endpoints, below the issuer, that discovery also announces at the host that requests client certificates. */
export const aliased = {
  token_endpoint: "/token",
  introspection_endpoint: "/introspect",
  revocation_endpoint: "/revoke",
  userinfo_endpoint: "/userinfo",
  pushed_authorization_request_endpoint: "/par",
  device_authorization_endpoint: "/device/authorize",
  backchannel_authentication_endpoint: "/backchannel/authorize",
} as const;

/** The endpoints below the issuer, and their names below /protocol/openid-connect if the realm answers at the paths of Keycloak. */
export const keycloakPaths = {
  "/authorize": "/auth",
  "/token": "/token",
  "/introspect": "/token/introspect",
  "/revoke": "/revoke",
  "/userinfo": "/userinfo",
  "/jwks": "/certs",
  "/logout": "/logout",
  "/device/authorize": "/auth/device",
  "/par": "/ext/par/request",
  "/backchannel/authorize": "/ext/ciba/auth",
} as const;

export interface AddressRealm {
  readonly settings: { readonly oidc: { readonly keycloakPaths: boolean } };
}

/** Returns Keycloak's address of the endpoint with this URL, if the realm answers there. */
export function keycloakAddresses({ settings }: AddressRealm, url: string): readonly string[] {
  const [, issuer, endpoint = ""] = /^(.*\/realms\/[^/]+)(\/.+)$/.exec(url) ?? [];
  if (!settings.oidc.keycloakPaths || !Object.hasOwn(keycloakPaths, endpoint)) return [];
  return [`${issuer}/protocol/openid-connect${keycloakPaths[endpoint as keyof typeof keycloakPaths]}`];
}

export interface AddressParts {
  readonly realm: AddressRealm;
  readonly baseUrl: string;
  /** The base URL for mutual TLS, or null if none is announced. */
  readonly mtlsBaseUrl: string | null;
}

const ENDPOINT = /^\/realms\/[^/]+(\/.+)$/;
const paths: ReadonlySet<string> = new Set(Object.values(aliased));

/**
 * RFC 9449 §4.2: returns every address at which discovery announces the endpoint with this URL, and its address of Keycloak. A proxy may
 * hide which one was called.
 */
export function announcedAddresses({ realm, baseUrl, mtlsBaseUrl }: AddressParts, url: string): readonly string[] {
  const path = url.slice(baseUrl.length);
  const [, endpoint = ""] = ENDPOINT.exec(path) ?? [];
  const own = mtlsBaseUrl !== null && paths.has(endpoint) ? [url, mtlsBaseUrl + path] : [url];
  return own.flatMap((address) => [address, ...keycloakAddresses(realm, address)]);
}
