import type { FastifyRequest } from "fastify";
import { isLoopbackHost } from "../../kernel/loopback.ts";
import { isLoopbackAddress } from "../../platform/outbound/index.ts";

/** Tells whether a browser on this machine asks for this machine: not through a proxy, and not by a name that others pointed here. */
export function isLocal({ headers, socket }: FastifyRequest): boolean {
  const isForwarded =
    ["forwarded", "via", "x-real-ip"].some((name) => name in headers) ||
    Object.keys(headers).some((name) => name.startsWith("x-forwarded-"));
  const host = `http://${headers.host ?? ""}`;
  return !isForwarded && isLoopbackAddress(socket.remoteAddress ?? "") && URL.canParse(host) && isLoopbackHost(new URL(host).hostname);
}
