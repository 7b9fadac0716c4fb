import { isIP, isIPv4, isIPv6 } from "node:net";
import { OutboundError } from "./errors.ts";

/** A host to connect to: an IP address without brackets, or a lower-case name without its trailing dot. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the canonical spelling of a host. The URL parser turns `2130706433`, `0x7f.1`, `0177.0.0.1` and `127.1` into `127.0.0.1`, and Unicode names into
 * their ASCII form, so that our check and the resolver never read a spelling differently.
 */
export function canonicalHost(written: string): string {
  const host = isIPv6(written) && !written.includes("%") ? `[${written}]` : written;
  // A host must not contain a character that could end the host part of a URL, or a zone id.
  if (host === "" || /[\s/?#@\\%]/.test(host) || !URL.canParse(`http://${host}/`)) throw new OutboundError("bad_url", "That host");
  const url = new URL(`http://${host}/`);
  if (url.port !== "" || /:\d*$/.test(host.replace(/^\[.*\]/, ""))) throw new OutboundError("bad_url", "That host");
  return hostOf(url);
}

export function checkPort(port: number, peer: string): number {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new OutboundError("bad_url", peer);
  return port;
}

/** Parses a URL to call, and refuses credentials, other schemes and malformed hosts. */
export function parseTarget(written: string | URL): { url: URL; target: Target } {
  // A message never repeats the URL, because its query may contain a secret.
  if (!URL.canParse(String(written))) throw new OutboundError("bad_url", "That URL");
  const url = new URL(String(written));
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new OutboundError("scheme", "That URL");
  if (url.username !== "" || url.password !== "") throw new OutboundError("bad_url", "That URL");
  const host = hostOf(url);
  const port = checkPort(url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port), host);
  // The name gets one spelling, also for the certificate and the Host header.
  url.hostname = isIPv6(host) ? `[${host}]` : host;
  url.hash = "";
  return { url, target: { host, port } };
}

function hostOf(url: URL): string {
  const bare = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const host = isIP(bare) ? bare : bare.replace(/\.$/, "");
  // The URL parser accepts characters (`*`, `~`, `!`) that no name server knows.
  if (!isIP(host) && (!/^[a-z0-9_][a-z0-9_.-]*$/.test(host) || host.endsWith(".") || host.length > 253))
    throw new OutboundError("bad_url", "That host");
  return host;
}

/** An entry of GATEHOUSE_ALLOWED_HOSTS. */
type Allowance =
  | { readonly kind: "addresses"; readonly cidr: string; readonly port: number | null }
  | { readonly kind: "name"; readonly name: string; readonly port: number | null };

/** Parses `host`, `host:port`, `10.1.2.3`, `10.0.0.0/8`, `fd00::/8` or `[fd00::1]:636`. Throws on anything else, which stops the start. */
export function parseAllowance(entry: string): Allowance {
  const text = entry.trim();
  const fail = () =>
    new TypeError(`"${text}" is not a host, host:port, IP address or CIDR block. Please correct the list of allowed hosts.`);
  const [address = "", prefix, ...rest] = text.split("/");
  if (prefix !== undefined) {
    const bits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
    if (rest.length > 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) throw fail();
    return { kind: "addresses", cidr: text, port: null };
  }
  if (isIP(text)) return { kind: "addresses", cidr: text, port: null };
  const [, hostPart = "", portPart] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  try {
    const host = canonicalHost(hostPart);
    const port = portPart === undefined ? null : checkPort(Number(portPart), host);
    return isIP(host) ? { kind: "addresses", cidr: host, port } : { kind: "name", name: host, port };
  } catch {
    throw fail();
  }
}
