import { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { certificateOf, hasAlternativeName, hasSubject, thumbprintOf } from "../proof/index.ts";
import type { ClientKeys } from "./client-keys.ts";

/** RFC 8705 §2: why the certificate is refused; null: it is the client's. The proxy that terminates TLS has verified the chain. */
export async function reasonAgainstCertificate(
  parts: { readonly tlsClientCertHeader: string | null; readonly clientKeys: ClientKeys },
  client: ClientSnapshot,
  headers: IncomingHttpHeaders,
): Promise<string | null> {
  const certificate = certificateOf({ headers }, parts.tlsClientCertHeader);
  if (!certificate) return "client certificate was not provided";
  if (client.settings.authMethod === "tls_client_auth")
    return isNamed(certificate, client.settings) ? null : "certificate subject value does not match the registered one";
  await parts.clientKeys.refresh(client).catch(() => false);
  return isAmong(parts.clientKeys.known(client), thumbprintOf(certificate)) ? null : "unregistered client certificate provided";
}

/** RFC 8705 §2.1.2: exactly one of these is registered. */
function isNamed(certificate: X509Certificate, settings: ClientSnapshot["settings"]): boolean {
  const { tlsClientAuthSubjectDn, tlsClientAuthSanDns, tlsClientAuthSanUri, tlsClientAuthSanIp, tlsClientAuthSanEmail } = settings;
  if (tlsClientAuthSubjectDn !== null) return hasSubject(certificate, tlsClientAuthSubjectDn);
  if (tlsClientAuthSanDns !== null) return hasAlternativeName(certificate, "DNS", tlsClientAuthSanDns);
  if (tlsClientAuthSanUri !== null) return hasAlternativeName(certificate, "URI", tlsClientAuthSanUri);
  if (tlsClientAuthSanIp !== null) return hasAlternativeName(certificate, "IP Address", tlsClientAuthSanIp);
  return tlsClientAuthSanEmail !== null && hasAlternativeName(certificate, "email", tlsClientAuthSanEmail);
}

/** RFC 8705 §2.2: self-signed certificates, registered as `x5c` of the client's keys. */
const isAmong = (keys: ReturnType<ClientKeys["known"]>, thumbprint: string): boolean =>
  keys.some(({ x5c }) => typeof x5c?.[0] === "string" && thumbprintOfText(x5c[0]) === thumbprint);

function thumbprintOfText(base64: string): string | null {
  try {
    return thumbprintOf(new X509Certificate(Buffer.from(base64, "base64")));
  } catch {
    return null; // not a certificate: it authenticates no client
  }
}
