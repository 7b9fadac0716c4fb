import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { type Listening, listenOnLoopback } from "./peer-sockets.ts";
import type { Identity } from "./private-authority.ts";

export interface SeenPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ApnsPeer extends Listening {
  readonly sessions: Set<ServerHttp2Session>;
}

/** Starts a real HTTP/2 server over TLS. */
export async function apnsPeer(identity: Identity, answer: (request: SeenPush, stream: ServerHttp2Stream) => unknown): Promise<ApnsPeer> {
  const server = createSecureServer({ ...identity, allowHTTP1: false });
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {});
    session.once("close", () => sessions.delete(session));
  });
  server.on("tlsClientError", () => {});
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => void answer({ path: headers[":path"] ?? "", headers, body: Buffer.concat(chunks).toString("utf8") }, stream));
  });
  return { ...(await listenOnLoopback(server)), sessions };
}
