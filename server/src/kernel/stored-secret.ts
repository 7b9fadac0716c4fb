/** A record's secret in a request of the API: left out, null, or a new one. */
export interface SecretInput {
  readonly secret?: string | null;
  /** Keeps the secret together with null: a read answers null and `secretSet: true` for a secret, and this pair may be written back. */
  readonly secretSet?: boolean;
}

/**
 * Decides about a stored secret. It was given for the peers that the record addressed then, so another scheme, host or port clears it unless the same request
 * brings a new one. Otherwise a caller could have it sent to their own server and read it there. Every record with a secret and an address calls this; a test
 * call uses a stored secret with the stored address only.
 */
export function secretChange(input: SecretInput, before: readonly string[], after: readonly string[]): "kept" | "cleared" | "replaced" {
  if (typeof input.secret === "string") return "replaced";
  if (input.secret === null && input.secretSet !== true) return "cleared";
  const known = new Set(before.map(peerOf));
  return after.every((address) => known.has(peerOf(address))) ? "kept" : "cleared";
}

const PORTS: Readonly<Record<string, string>> = { "https:": "443", "http:": "80", "ldaps:": "636", "ldap:": "389" };

/** Returns scheme, host and port of a URL. Any other text is compared as a whole. */
function peerOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, hostname, port } = new URL(address);
  return `${protocol}//${hostname.toLowerCase()}:${port || (PORTS[protocol] ?? "")}`;
}
