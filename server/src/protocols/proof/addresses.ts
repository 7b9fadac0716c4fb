/** RFC 8705 §5: the endpoints that discovery also announces at the host that requests client certificates, below the issuer. */
export const aliased = {
  token_endpoint: "/token",
  introspection_endpoint: "/introspect",
  revocation_endpoint: "/revoke",
  userinfo_endpoint: "/userinfo",
  pushed_authorization_request_endpoint: "/par",
  device_authorization_endpoint: "/device/authorize",
  backchannel_authentication_endpoint: "/backchannel/authorize",
} as const;

export interface AddressParts {
  readonly baseUrl: string;
  /** The base URL for mutual TLS; null: none is announced. */
  readonly mtlsBaseUrl: string | null;
}

const ENDPOINT = /^\/realms\/[^/]+(\/.+)$/;
const paths: ReadonlySet<string> = new Set(Object.values(aliased));

/** RFC 9449 §4.2: every address at which discovery announces the endpoint with this URL. A proxy may hide which of them was called. */
export function announcedAddresses({ baseUrl, mtlsBaseUrl }: AddressParts, url: string): readonly string[] {
  const path = url.slice(baseUrl.length);
  const [, endpoint = ""] = ENDPOINT.exec(path) ?? [];
  return mtlsBaseUrl !== null && paths.has(endpoint) ? [url, mtlsBaseUrl + path] : [url];
}
