import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Batch {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly events: readonly { readonly id: string; readonly [member: string]: unknown }[];
}

/** The reaction to a batch: to accept it, to refuse it, or to do nothing. */
export type Behaviour = (response: ServerResponse, batch: Batch) => void;

export const takes: Behaviour = (response) => void response.writeHead(200).end("{}");
export const answers =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end();
export const hangs: Behaviour = () => {};

/** A server that collects audit events as a SIEM does, and can be told to misbehave. */
export interface Collector {
  readonly url: string;
  /** The requests whose bodies arrived, in order. */
  readonly batches: readonly Batch[];
  /** The ids of events in requests that were answered with 200, in order of arrival. */
  readonly taken: readonly string[];
  /** Sets the behaviour of the next requests, one each. Otherwise the server accepts everything. */
  behave(...next: Behaviour[]): void;
  /** Resolves once this many requests have come. */
  until(requests: number): Promise<void>;
  close(): Promise<void>;
}

export async function collector(port = 0): Promise<Collector> {
  const batches: Batch[] = [];
  const taken: string[] = [];
  let script: Behaviour[] = [];
  let wake: () => void = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const batch = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        events: JSON.parse(Buffer.concat(chunks).toString("utf8")),
      };
      batches.push(batch);
      response.on("finish", () => {
        if (response.statusCode === 200) taken.push(...batch.events.map(({ id }: { id: string }) => id));
      });
      (script.shift() ?? takes)(response, batch);
      wake();
    });
    // A client that gives up is not an error.
    request.on("error", () => {});
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit`,
    batches,
    taken,
    behave: (...next) => {
      script = next;
    },
    async until(requests) {
      while (batches.length < requests)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
