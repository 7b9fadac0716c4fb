import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import type { Db } from "../platform/db/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
type Json = any;

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: Json;
}

export type Answering = (request: Received, response: ServerResponse) => void;

/** A server on loopback that keeps what it is sent. It accepts everything unless configured otherwise. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  answer: Answering;
  /** Resolves once there are this many. */
  until(count: number): Promise<Received[]>;
  close(): Promise<void>;
}

export const accept: Answering = (_request, response) => void response.writeHead(204).end();

/**
 * Sends until every committed event has been fanned out and nothing is due. On Postgres, any open transaction of the cluster, for instance of another test,
 * holds events back for a moment.
 */
export async function deliverAll(db: Db, sender: { runDue(): Promise<number> }): Promise<void> {
  for (;;) {
    await sender.runDue();
    const { rows } = await sql`
      select 1 from audit_events e join event_cursors c on (e.xid, e.event_id) > (c.xid, c.event_id)
      where c.name = 'webhooks' limit 1`.execute(db);
    if (rows.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // Sends deliveries that were fanned out in between.
  await sender.runDue();
}

export async function receiver(tls?: { key: string; cert: string }): Promise<Receiver> {
  const received: Received[] = [];
  let waiting: { count: number; resolve: (all: Received[]) => void }[] = [];
  const peer = { answer: accept };
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const one = { path: request.url ?? "", headers: request.headers, raw, body: raw.length > 0 ? JSON.parse(raw.toString()) : null };
    received.push(one);
    response.on("error", () => {}); // clients may hang up
    peer.answer(one, response);
    waiting = waiting.filter(({ count, resolve }) => received.length < count || void resolve(received));
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return Object.assign(peer, {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    received,
    until: (count: number) =>
      new Promise<Received[]>((resolve) => (received.length >= count ? resolve(received) : waiting.push({ count, resolve }))),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  });
}
