import { hash, X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { parseDn } from "../../platform/ldap/index.ts";

/** The longest value of the header. */
const MAX_LENGTH = 16 * 1024;

interface WithHeaders {
  readonly headers: IncomingHttpHeaders;
}

/**
 * RFC 8705: returns the client certificate in the header that a proxy sets. Accepts URL-encoded PEM (nginx, Traefik with `pem`), bare
 * base64 (Traefik) and RFC 9440's `:base64:`.
 */
export function certificateOf(request: WithHeaders, header: string | null): X509Certificate | undefined {
  const value = header === null ? undefined : request.headers[header.toLowerCase()];
  if (typeof value !== "string" || value === "" || value.length > MAX_LENGTH) return undefined;
  const base64 = unescaped(value)
    .replace(/-----(BEGIN|END) CERTIFICATE-----/g, "")
    .replace(/[:\s]/g, "");
  try {
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch {
    return undefined; // it is not a certificate, so a request that needs one is refused
  }
}

function unescaped(value: string): string {
  try {
    return value.includes("%") ? decodeURIComponent(value) : value;
  } catch {
    return value;
  }
}

/** RFC 8705 §3.1: returns the thumbprint of a certificate. */
export const thumbprintOf = (certificate: X509Certificate): string => hash("sha256", certificate.raw, "base64url");

/** RFC 8705 §3.1: tells whether the caller has presented the certificate that a token is bound to. */
export function hasShown(request: WithHeaders, header: string | null, thumbprint: string): boolean {
  const certificate = certificateOf(request, header);
  return certificate !== undefined && thumbprintOf(certificate) === thumbprint;
}

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/** Makes an `onRequest` hook that removes the header of callers that bypass the proxies, because anyone could send a certificate. */
export function createCertificateGuard(
  header: string,
  proxies: boolean | number | readonly string[],
): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void {
  const isProxy = trustedPeers(proxies);
  return ({ raw }, _reply, done) => {
    if (raw.headers[header] !== undefined && !isProxy(raw.socket.remoteAddress)) delete raw.headers[header];
    done();
  };
}

/** Tells whether an address is one of the configured proxies. */
function trustedPeers(proxies: boolean | number | readonly string[]): (address: string | undefined) => boolean {
  if (typeof proxies === "boolean" || typeof proxies === "number") return () => Boolean(proxies);
  const known = new BlockList();
  for (const network of proxies.flatMap((each) => NAMED[each] ?? [each])) {
    const [address = "", length] = network.split("/");
    const type = isIP(address) === 6 ? "ipv6" : "ipv4";
    known.addSubnet(address, length === undefined ? (type === "ipv6" ? 128 : 32) : Number(length), type);
  }
  return (address) => address !== undefined && isIP(address) !== 0 && known.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** RFC 8705 §2.1.2: compares the subject with a name of RFC 4514. The case of types, spaces around separators and escapes do not matter. */
export function hasSubject({ subject }: X509Certificate, expected: string): boolean {
  const wanted = subjectKey(parseDn(expected));
  // Node prints each RDN on its own line, escaped by RFC 4514, but in the order of the certificate.
  const lines = (subject ?? "").split("\n").reverse().map(parseDn);
  return wanted !== null && wanted === subjectKey(lines.includes(null) ? null : lines.flatMap((line) => line!));
}

/** Returns a text to compare names by, or null if it is no name. */
const subjectKey = (rdns: ReturnType<typeof parseDn>): string | null =>
  rdns && rdns.length > 0 ? JSON.stringify(rdns.map((rdn) => rdn.map(([type, value]) => JSON.stringify([type, value])).sort())) : null;

type NameKind = "DNS" | "URI" | "IP Address" | "email";

/** A name of RFC 5280 §4.2.1.6, as Node prints it: `DNS:a.example, URI:"spiffe://x, y"`. Values with separators are quoted. */
const ALTERNATIVE = /([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/y;

/** RFC 8705 §2.1.2: tells whether the certificate has exactly this name. Wildcards are not expanded. */
export function hasAlternativeName({ subjectAltName = "" }: X509Certificate, kind: NameKind, expected: string): boolean {
  ALTERNATIVE.lastIndex = 0;
  for (let found = ALTERNATIVE.exec(subjectAltName); found?.[0]; found = ALTERNATIVE.exec(subjectAltName)) {
    const [, name, value = ""] = found;
    if (name === kind && normalized(kind, plain(value)) === normalized(kind, expected)) return true;
  }
  return false;
}

function plain(value: string): string {
  try {
    return value.startsWith('"') ? String(JSON.parse(value)) : value;
  } catch {
    return value;
  }
}

/** Normalises a name: host names are case-insensitive, and IPv6 addresses have several spellings. */
function normalized(kind: NameKind, value: string): string {
  if (kind === "DNS") return value.toLowerCase();
  if (kind !== "IP Address") return value;
  return isIP(value) === 6 ? new URL(`http://[${value}]`).hostname : value;
}
