import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a third-party web site on loopback, as a function from requests to responses. */
export async function startSite(answer: (request: Request) => Response | Promise<Response>): Promise<Site> {
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error) => outgoing.writeHead(500, { "content-type": "text/plain" }).end(String(error)));
  });
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Browsers request an icon from every site, and report if there is none.
    if (incoming.url === "/favicon.ico") return outgoing.writeHead(204).end();
    const body = await text(incoming);
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const method = incoming.method ?? "GET";
    const response = await answer(new Request(new URL(incoming.url ?? "/", url), { method, headers, ...(body !== "" && { body }) }));
    outgoing.statusCode = response.status;
    response.headers.forEach((value, name) => {
      if (name !== "set-cookie") outgoing.setHeader(name, value);
    });
    outgoing.setHeader("set-cookie", response.headers.getSetCookie());
    return outgoing.end(await response.text());
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export const html = (body: string) => new Response(`<!doctype html>${body}`, { headers: { "content-type": "text/html; charset=utf-8" } });
