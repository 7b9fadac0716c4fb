/** The members that determine a client's sector. */
interface Addresses {
  readonly sectorIdentifierUri: string | null;
  readonly redirectUris: readonly string[];
}

/** Returns the hosts of the redirect URIs. It is empty for those without a host, as devices have them. */
const redirectHosts = ({ redirectUris }: Addresses): ReadonlySet<string> =>
  new Set(redirectUris.filter((uri) => URL.canParse(uri)).map((uri) => new URL(uri).host));

/**
 * Tells whether a client has no sector. OpenID Connect Core §8.1: without a `sectorIdentifierUri` the host of the redirect URIs is the
 * sector, so there must be one host.
 */
export const lacksSector = (client: Addresses): boolean => client.sectorIdentifierUri === null && redirectHosts(client).size > 1;

/**
 * Returns the sector of a client. OpenID Connect Core §8.1: clients of one sector get the same pairwise subject. A client with several
 * hosts is a sector of its own, because it has not proven that all of them belong to one.
 */
export function sectorOf(client: Addresses & { readonly clientId: string }): string {
  const { sectorIdentifierUri: uri, clientId } = client;
  if (uri !== null) return (URL.canParse(uri) && new URL(uri).host) || clientId;
  const [host] = lacksSector(client) ? [] : redirectHosts(client);
  return host || clientId;
}
