import { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The largest certificate that is looked at. */
const MAX_LENGTH = 16 * 1024;

/**
 * RFC 8705 behind a proxy that ends TLS: the certificate it saw, in the header that was configured. URL-encoded PEM (nginx, Traefik with
 * `pem`), bare base64 (Traefik) and RFC 9440's `:base64:` are understood.
 */
export function certificateOf(request: IncomingMessage, header: string | null): X509Certificate | undefined {
  const value = header === null ? undefined : request.headers[header.toLowerCase()];
  if (typeof value !== "string" || value === "" || value.length > MAX_LENGTH) return undefined;
  const base64 = unescaped(value)
    .replace(/-----(BEGIN|END) CERTIFICATE-----/g, "")
    .replace(/[:\s]/g, "");
  try {
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch {
    return undefined; // not a certificate: the request goes on without one, and is refused where it needs one
  }
}

function unescaped(value: string): string {
  try {
    return value.includes("%") ? decodeURIComponent(value) : value;
  } catch {
    return value;
  }
}

/** RFC 8705 §2.1.2: the subject as RFC 4514 writes it, whatever spaces stand around its separators, most specific part first. */
export function hasSubject(certificate: X509Certificate, expected: string): boolean {
  const parts = (name: string, separator: RegExp) =>
    name
      .split(separator)
      .map((part) => part.trim().replace(/\s*=\s*/, "="))
      .filter(Boolean);
  const actual = parts(certificate.subject, /\n/).reverse();
  const wanted = parts(expected, /(?<!\\),/);
  return actual.length === wanted.length && actual.every((part, at) => part === wanted[at]);
}
