import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type Listening, listenOnLoopback } from "./peer-sockets.ts";
import type { Identity } from "./private-authority.ts";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The headers as they were received: names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** Starts an HTTPS server that reads each request completely and then does as configured. */
export function httpsPeer(identity: Identity, answer: (request: SeenRequest, response: ServerResponse) => unknown): Promise<Listening> {
  const server = createServer({ ...identity }, async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers, rawHeaders } = req;
    await answer({ method, path: url, headers, rawHeaders, body: Buffer.concat(chunks).toString("utf8") }, res);
  });
  // Clients may hang up in the handshake, or speak another protocol.
  server.on("tlsClientError", () => {});
  return listenOnLoopback(server);
}

export const sendJson = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
