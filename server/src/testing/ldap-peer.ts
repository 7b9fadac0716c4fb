import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { BerReader, element, integer, octets, sequence, TAG } from "../platform/ldap/ber.ts";

/** One request as the peer reads it: its id, its tag, and the rest. */
export interface LdapRequest {
  readonly id: number;
  readonly tag: number;
  readonly body: Buffer;
  readonly controls: Buffer | null;
}

export interface LdapPeer {
  readonly port: number;
  readonly url: string;
  readonly requests: LdapRequest[];
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

export const RESPONSE = { bind: 0x61, entry: 0x64, search: 0x65, reference: 0x73, modify: 0x67, extended: 0x78 } as const;

/** Returns a whole answer: `{ resultCode, matchedDN, diagnosticMessage }`, with the cookie of a page if one is given. */
export const answer = (
  id: number,
  tag: number,
  code = 0,
  { diagnostic = "", cookie }: { diagnostic?: string; cookie?: string } = {},
): Buffer =>
  sequence(
    integer(id),
    element(tag, integer(code, TAG.enumerated), octets(""), octets(diagnostic)),
    ...(cookie === undefined
      ? []
      : [element(0xa0, sequence(octets("1.2.840.113556.1.4.319"), octets(sequence(integer(0), octets(cookie)))))]),
  );

export const entryMessage = (id: number, dn: string, attributes: Record<string, readonly (string | Buffer)[]>): Buffer =>
  sequence(
    integer(id),
    element(
      RESPONSE.entry,
      octets(dn),
      sequence(...Object.entries(attributes).map(([name, values]) => sequence(octets(name), element(TAG.set, ...values.map(octets))))),
    ),
  );

/** Starts a directory that misbehaves as no real one would: it answers each request with what `reply` writes. */
export async function ldapPeer(reply: (socket: Socket, request: LdapRequest) => unknown): Promise<LdapPeer> {
  const requests: LdapRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    // Requests of the tests are small, so each arrives as a whole.
    socket.on("data", (chunk: Buffer) => {
      // A message that is not LDAP is TLS, which this peer does not support.
      if (chunk[0] !== TAG.sequence) return;
      for (const reader = new BerReader(chunk); reader.hasMore; ) {
        const message = reader.inside();
        const id = message.integer();
        const { tag } = message;
        const body = message.any();
        const request = { id, tag, body, controls: message.tag === 0xa0 ? message.any() : null };
        requests.push(request);
        reply(socket, request);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `ldap://127.0.0.1:${port}`,
    requests,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
