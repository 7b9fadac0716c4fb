import { connect } from "node:tls";
import { clock, SECOND } from "../../kernel/clock.ts";

const TIMEOUT = SECOND;

/**
 * TLS ends at a proxy: the server holds no certificate. Where that proxy is on this machine (an https base URL on loopback) its
 * certificate can be looked at, and one that has expired, or a proxy that is gone, is DOWN. A public base URL is not dialled: from inside,
 * many networks do not route it back, and a health check must not depend on that route; there the proxy's own monitoring
 * watches the certificate, and this component is UP.
 */
export async function checkCertificate(baseUrl: string): Promise<void> {
  const { protocol, hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol !== "https:" || !isLoopback(host)) return;
  const { from, to } = await validity(host, Number(port || 443));
  const now = clock.now();
  if (now < from || now > to) throw new Error(`the certificate is valid from ${iso(from)} to ${iso(to)}`);
}

const isLoopback = (host: string) => /^(localhost|.+\.localhost|127(\.\d+){3}|::1)$/.test(host);
const iso = (time: number) => new Date(time).toISOString();

function validity(host: string, port: number): Promise<{ from: number; to: number }> {
  return new Promise((resolve, reject) => {
    // Nothing is sent, so nothing is trusted: a private authority is as good as any, the dates are what counts.
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
