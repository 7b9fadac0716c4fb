import { connect } from "node:tls";
import { clock, SECOND } from "../../kernel/clock.ts";
import { isLoopbackName } from "../../kernel/loopback.ts";

const TIMEOUT = SECOND;

/**
 * Checks the certificate of the proxy at which TLS ends; the server itself has none. If the proxy is on this machine (an https base URL on
 * loopback), this throws when the certificate has expired or the proxy is gone. A public base URL is not checked: many networks do not route it
 * back from inside, and a health check must not depend on that route. There, the proxy's own monitoring watches the certificate.
 */
export async function checkCertificate(baseUrl: string): Promise<void> {
  const { protocol, hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol !== "https:" || !isLoopbackName(host)) return;
  const { from, to } = await validity(host, Number(port || 443));
  const now = clock.now();
  if (now < from || now > to) throw new Error(`the certificate is valid from ${iso(from)} to ${iso(to)}`);
}

const iso = (time: number) => new Date(time).toISOString();

function validity(host: string, port: number): Promise<{ from: number; to: number }> {
  return new Promise((resolve, reject) => {
    // Nothing is sent, so no authority needs to be trusted: only the dates count.
    const named = /[a-z]/.test(host) && !host.includes(":");
    const socket = connect({ host, port, rejectUnauthorized: false, ...(named && { servername: host }) });
    socket.setTimeout(TIMEOUT, () => socket.destroy(new Error(`no TLS handshake within ${TIMEOUT} ms`)));
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      const { valid_from, valid_to } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ from: Date.parse(valid_from), to: Date.parse(valid_to) });
    });
  });
}
