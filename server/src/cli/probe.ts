import { get } from "node:http";
import type { Config } from "../config.ts";

/** Returns the server's address on this machine, without the proxies in front of it. */
export function localUrl({ host, port }: Pick<Config, "host" | "port">): string {
  const address = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

export type Answer = { readonly status: number } | { readonly failure: string };

/** Returns the status of a GET, or the reason why there is none. The whole exchange must take at most `timeoutMs`. */
export function probe(url: string, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const timer = AbortSignal.timeout(timeoutMs);
    const request = get(url, { signal: timer, agent: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0 });
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const failure = timer.aborted
        ? `no answer within ${timeoutMs} ms`
        : error.code === "ECONNREFUSED"
          ? "nothing listens there"
          : error.message;
      resolve({ failure });
    });
  });
}
