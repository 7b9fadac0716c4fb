import { isIP } from "node:net";

/** Tells whether a host is this machine: `localhost`, 127.0.0.0/8 or ::1, with or without brackets. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Tells whether a URL's host can only be this machine. Names below `localhost` lead there, too (RFC 6761 §6.3). */
export const isLoopbackName = (hostname: string): boolean => isLoopbackHost(hostname) || hostname.endsWith(".localhost");
